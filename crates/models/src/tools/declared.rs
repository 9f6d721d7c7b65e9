//! A tool as an operator declares it, and the URL that a call of it has.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde::Deserialize;

use super::address::is_public;

/// The longest name, and description, in characters.
const NAME: usize = 32;
const ABOUT: usize = 300;
/// The most inputs of a tool, and the longest value of one, in characters.
const INPUTS: usize = 8;
const VALUE: usize = 200;
/// The longest that a tool may take, in seconds, and how long it may where nothing is said.
const SECONDS: u64 = 30;
const USUAL: u64 = 10;
/// What stands in a URL as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A tool, as a file declares it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSettings {
    /// What it answers, for the model.
    pub about: String,
    /// The URL, with the names of inputs in braces: `https://status.example.com/api/{service}`.
    pub url: String,
    /// What it has to be given, each with what that is, for the model.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    /// A file with the token that is sent with each call, and nothing else.
    #[serde(default)]
    pub token_file: Option<PathBuf>,
    /// The header that has the token; without it `Authorization`, as a bearer token.
    #[serde(default)]
    pub header: Option<String>,
    /// Whether it is inside the operator's own network, so that private addresses and plain HTTP are meant.
    #[serde(default)]
    pub private: bool,
    /// The longest time for a call.
    #[serde(default)]
    pub seconds: Option<u64>,
}

/// What is wrong with a declared tool.
#[derive(Debug, thiserror::Error)]
pub enum BadTool {
    /// The declaration, and what to do.
    #[error("{0}")]
    Declared(String),
    /// TLS or the like.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

fn bad(wrong: impl Into<String>) -> BadTool {
    BadTool::Declared(wrong.into())
}

impl ToolSettings {
    /// The longest time for a call.
    pub(super) fn limit(&self) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(USUAL))
    }

    /// Checks the whole declaration: the address of a tool of this name.
    pub(super) fn address(&self, name: &str) -> Result<Address, BadTool> {
        let is_name = |name: &str| {
            let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            name.len() <= NAME
                && name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(is_word)
        };
        let is_text = |text: &str| {
            let count = text.chars().count();
            (1..=ABOUT).contains(&count) && !text.chars().any(char::is_control)
        };
        if !is_name(name) || !self.inputs.keys().all(|name| is_name(name)) {
            return Err(bad(format!(
                "names of tools and inputs are lower-case letters, digits and `_`, {NAME} at most"
            )));
        }
        if !is_text(&self.about) || !self.inputs.values().all(|about| is_text(about)) {
            return Err(bad(format!(
                "`about` and what inputs are is one line, {ABOUT} characters at most"
            )));
        }
        if self.inputs.len() > INPUTS {
            return Err(bad(format!("a tool has at most {INPUTS} inputs")));
        }
        if !(1..=SECONDS).contains(&self.limit().as_secs()) {
            return Err(bad(format!("`seconds` is 1 to {SECONDS}")));
        }
        let address = Address::of(&self.url, &self.inputs)?;
        let is_private = address.literal().is_some_and(|literal| !is_public(literal));
        if is_private && !self.private {
            return Err(bad(
                "`url` has a private address: say `private = true` if the tool is inside your own network",
            ));
        }
        if self.token_file.is_some() && !self.private && address.shape.scheme() != "https" {
            return Err(bad(
                "`url` is plain http, so that everybody on the way can read the token: use https",
            ));
        }
        Ok(address)
    }

    /// The header that a call has for a token.
    pub(super) fn header(
        &self,
        token: Option<&str>,
    ) -> Result<Option<(HeaderName, HeaderValue)>, BadTool> {
        let (name, value) = match (token, &self.header) {
            (None, None) => return Ok(None),
            (None, Some(_)) => return Err(bad("`header` is said without a `token_file`")),
            (Some(token), None) => (AUTHORIZATION, format!("Bearer {token}")),
            (Some(token), Some(name)) => {
                let parsed = name
                    .parse()
                    .map_err(|_| bad("`header` is no name of a header"))?;
                (parsed, token.to_owned())
            }
        };
        let value = HeaderValue::from_str(&value);
        let mut value =
            value.map_err(|_| bad("the token has characters that a header cannot have"))?;
        value.set_sensitive(true);
        Ok(Some((name, value)))
    }
}

/// Where a tool is asked.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// The URL as it was declared.
    declared: String,
    /// The same with a letter in place of each input: what all calls have in common.
    shape: Url,
}

impl Address {
    fn of(declared: &str, inputs: &BTreeMap<String, String>) -> Result<Self, BadTool> {
        let mut filled = declared.to_owned();
        for name in inputs.keys() {
            let place = format!("{{{name}}}");
            if !declared.contains(&place) {
                return Err(bad(format!("`url` has no {place} for that input")));
            }
            filled = filled.replace(&place, "x");
        }
        if filled.contains(['{', '}']) {
            return Err(bad(
                "`url` names an input that is not declared: say what it is under `inputs`",
            ));
        }
        let shape = Url::parse(&filled).map_err(|e| bad(format!("`url` is no URL: {e}")))?;
        if !matches!(shape.scheme(), "http" | "https") {
            return Err(bad("`url` is neither https nor http"));
        }
        if !shape.username().is_empty() || shape.password().is_some() || shape.fragment().is_some()
        {
            return Err(bad(
                "`url` has a user, a password or a fragment, which it must not have",
            ));
        }
        // Before the path stands nothing that a model could choose.
        let end = declared.find("://").map_or(0, |at| at + 3);
        let host = declared[end..].split(['/', '?']).next().unwrap_or_default();
        if host.contains('{') || declared[..end].contains('{') {
            return Err(bad(
                "`url` has an input in its host: it may stand in the path or the query",
            ));
        }
        Ok(Self {
            declared: declared.to_owned(),
            shape,
        })
    }

    /// The host.
    pub(super) fn host(&self) -> &str {
        self.shape.host_str().unwrap_or_default()
    }

    /// The address that the URL itself has in place of a name.
    fn literal(&self) -> Option<IpAddr> {
        let host = self.host();
        host.trim_start_matches('[')
            .trim_end_matches(']')
            .parse()
            .ok()
    }

    /// Whether another URL is of the same scheme, host and port.
    pub(super) fn is_of(&self, other: &Url) -> bool {
        self.shape.origin() == other.origin()
    }

    /// The URL of a call, or why it is none of this tool.
    pub(super) fn with(&self, inputs: &BTreeMap<String, String>) -> Result<Url, String> {
        let mut filled = self.declared.clone();
        for (name, value) in inputs {
            let value = value.trim();
            let count = value.chars().count();
            let is_dots = value.chars().all(|c| c == '.');
            if !(1..=VALUE).contains(&count) || is_dots || value.chars().any(char::is_control) {
                return Err(format!(
                    "the input `{name}` is empty, longer than {VALUE} characters, or no text"
                ));
            }
            let encoded = utf8_percent_encode(value, ENCODED).to_string();
            filled = filled.replace(&format!("{{{name}}}"), &encoded);
        }
        let url = Url::parse(&filled).map_err(|_| "the call is no URL".to_owned())?;
        let parts = |url: &Url| url.path_segments().map_or(0, Iterator::count);
        let is_whole =
            !filled.contains(['{', '}']) && url.query().is_some() == self.shape.query().is_some();
        match is_whole && self.is_of(&url) && parts(&url) == parts(&self.shape) {
            true => Ok(url),
            false => Err("the call does not give what the tool needs".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(toml: serde_json::Value) -> Result<Address, String> {
        let declared: ToolSettings = serde_json::from_value(toml).map_err(|e| e.to_string())?;
        let address = declared.address("status").map_err(|e| e.to_string())?;
        declared
            .header(declared.token_file.as_ref().map(|_| "t0ken"))
            .map_err(|e| e.to_string())?;
        Ok(address)
    }

    fn given(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn what_is_given_is_one_part_of_the_path_or_one_value() {
        let address = declared(serde_json::json!({
            "about": "Says whether a service is up.",
            "url": "https://status.example.com/v1/{service}/now?lang={lang}",
            "inputs": {"service": "the service", "lang": "the language"},
        }));
        let address = address.expect("declared");
        assert_eq!(address.host(), "status.example.com");
        let of = |service: &str, lang: &str| {
            let url = address.with(&given(&[("service", service), ("lang", lang)]))?;
            Ok::<_, String>(url.to_string())
        };
        let at = "https://status.example.com/v1/";
        assert_eq!(
            of(" web ", "en").as_deref(),
            Ok(&*format!("{at}web/now?lang=en"))
        );
        for (given, wanted) in [
            ("../../admin", "..%2F..%2Fadmin"),
            ("a?x=1#y&z", "a%3Fx%3D1%23y%26z"),
            ("@evil.example", "%40evil.example"),
            ("%2e%2e", "%252e%252e"),
            ("https://evil.example/", "https%3A%2F%2Fevil.example%2F"),
            ("{lang}", "%7Blang%7D"),
            ("пошта", "%D0%BF%D0%BE%D1%88%D1%82%D0%B0"),
        ] {
            let wanted = format!("{at}{wanted}/now?lang=en");
            assert_eq!(of(given, "en").as_deref(), Ok(&*wanted), "{given}");
        }
        let long = "x".repeat(VALUE + 1);
        for given in ["", "  ", ".", "..", "a\nb", "a\0b", &long] {
            assert!(
                of(given, "en").expect_err("refused").contains("`service`"),
                "{given:?}"
            );
        }
        let less = address
            .with(&given(&[("lang", "en")]))
            .expect_err("refused");
        assert!(less.contains("what the tool needs"), "{less}");
    }

    #[test]
    fn a_bad_declaration_says_what_is_wrong() {
        let with = |change: serde_json::Value| {
            let mut whole = serde_json::json!({"about": "a", "url": "https://a.example/"});
            let fields = change.as_object().expect("fields").clone();
            whole.as_object_mut().expect("fields").extend(fields);
            declared(whole)
        };
        assert!(with(serde_json::json!({})).is_ok());
        let inside =
            serde_json::json!({"url": "http://10.0.0.1/", "private": true, "token_file": "t"});
        assert!(with(inside).is_ok());
        for (change, words) in [
            (serde_json::json!({"about": ""}), "`about`"),
            (serde_json::json!({"urll": "x"}), "unknown field `urll`"),
            (serde_json::json!({"url": "status"}), "no URL"),
            (
                serde_json::json!({"url": "ftp://a.example/"}),
                "neither https nor http",
            ),
            (
                serde_json::json!({"url": "https://u:p@a.example/"}),
                "a user",
            ),
            (
                serde_json::json!({"url": "https://a.example/{x}"}),
                "not declared",
            ),
            (serde_json::json!({"inputs": {"x": "an x"}}), "no {x}"),
            (serde_json::json!({"inputs": {"X Y": "an x"}}), "lower-case"),
            (
                serde_json::json!({"url": "https://{x}.example/{x}", "inputs": {"x": "an x"}}),
                "in its host",
            ),
            (
                serde_json::json!({"url": "http://127.0.0.1/"}),
                "private = true",
            ),
            (
                serde_json::json!({"url": "http://0x7f.1/"}),
                "private = true",
            ),
            (
                serde_json::json!({"url": "http://2130706433/"}),
                "private = true",
            ),
            (
                serde_json::json!({"url": "http://[::1]/"}),
                "private = true",
            ),
            (
                serde_json::json!({"url": "http://a.example/", "token_file": "t"}),
                "plain http",
            ),
            (
                serde_json::json!({"header": "X-Key"}),
                "without a `token_file`",
            ),
            (
                serde_json::json!({"header": "X Key", "token_file": "t"}),
                "no name of a header",
            ),
            (serde_json::json!({"seconds": 31}), "1 to 30"),
        ] {
            let told = with(change.clone()).expect_err("refused");
            assert!(told.contains(words), "{change}: {told}");
        }
    }
}
