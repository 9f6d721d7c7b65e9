//! A browser without a window, for the tests of pages.

use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::header;
use reqwest::redirect::Policy;

/// A browser: it keeps the session, and follows no redirects by itself.
pub(crate) struct Browser {
    pub(crate) client: Client,
    pub(crate) base: String,
    pub(crate) cookie: String,
}

/// The value of a header.
pub(crate) fn said(response: &Response, name: header::HeaderName) -> String {
    let value = response.headers().get(name).expect("the header");
    value.to_str().expect("text").to_owned()
}

impl Browser {
    pub(crate) fn new(link: &str) -> Self {
        let client = Client::builder().redirect(Policy::none()).no_proxy();
        let (base, _) = link.split_once("/sign-in").expect("a link");
        Self {
            client: client.build().expect("a client"),
            base: base.to_owned(),
            cookie: String::new(),
        }
    }

    /// Signs in, and keeps the session.
    pub(crate) fn signed_in(link: &str) -> Self {
        let mut browser = Self::new(link);
        let response = browser.client.get(link).send().expect("an answer");
        assert_eq!(response.status(), 303, "{response:?}");
        assert_eq!(said(&response, header::LOCATION), "/");
        let cookie = browser.keep(&response);
        assert!(
            cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
            "{cookie}"
        );
        browser
    }

    /// Keeps the cookie of an answer in place of the one that it has; all that is said of it.
    pub(crate) fn keep(&mut self, response: &Response) -> String {
        let cookie = said(response, header::SET_COOKIE);
        let value = cookie.split(';').next().expect("a cookie");
        value.clone_into(&mut self.cookie);
        cookie
    }

    pub(crate) fn ask(&self, path: &str) -> RequestBuilder {
        let request = self.client.get(format!("{}{path}", self.base));
        request.header(header::COOKIE, &self.cookie)
    }

    /// A page that is there.
    pub(crate) fn page(&self, path: &str) -> String {
        let response = self.ask(path).send().expect("an answer");
        assert_eq!(response.status(), 200, "{path}");
        response.text().expect("text")
    }

    pub(crate) fn form(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        let form: Vec<String> = fields
            .iter()
            .map(|(name, value)| {
                let value = percent_encoding::utf8_percent_encode(
                    value,
                    percent_encoding::NON_ALPHANUMERIC,
                );
                format!("{name}={value}")
            })
            .collect();
        self.client
            .post(format!("{}{path}", self.base))
            .header(header::COOKIE, &self.cookie)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.join("&"))
    }

    /// The answer to a form of a page of ours.
    pub(crate) fn answer(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        let form = self.form(path, fields).header(header::ORIGIN, &self.base);
        form.send().expect("an answer")
    }

    /// Sends a form of a page of ours: where it leads.
    pub(crate) fn send(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let response = self.answer(path, fields);
        assert_eq!(
            response.status(),
            303,
            "{path}: {}",
            response.text().expect("text")
        );
        said(&response, header::LOCATION)
    }
}

/// The first address on a page that begins so.
pub(crate) fn link_on(page: &str, begins: &str) -> String {
    let mut links = page.split("href=\"").skip(1);
    let link = links.find_map(|rest| rest.split('"').next().filter(|to| to.starts_with(begins)));
    link.unwrap_or_else(|| panic!("no link to {begins} on {page}"))
        .to_owned()
}
