use std::fmt;
use std::time::Duration;

/// The address and the credentials of a schema registry.
#[derive(Clone)]
pub struct RegistrySettings {
    /// Its address, such as `https://registry.example:8081`, without credentials.
    pub url: String,
    /// The user name for basic authentication.
    pub user: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// Whether schemas that it does not know are registered; else they are only looked
    /// up, and an operator registers them.
    pub register: bool,
    /// Longest time for one request.
    pub timeout: Duration,
}

impl RegistrySettings {
    /// A registry without credentials in which schemas are registered.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            user: None,
            password: None,
            register: true,
            timeout: Duration::from_secs(5),
        }
    }
}

impl fmt::Debug for RegistrySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistrySettings")
            .field("url", &self.url)
            .field("user", &self.user)
            .field("password", &self.password.as_ref().map(|_| "***"))
            .field("register", &self.register)
            .field("timeout", &self.timeout)
            .finish()
    }
}
