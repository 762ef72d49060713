//! The headers of a request: a hook's own, with variables filled in, and those that every webhook has.
//!
//! Only variables on the allow-list are read, so that a hook cannot send away what else the environment holds. A
//! value with a line break is refused wherever it came from: it could add headers or a second request.

use ureq::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, USER_AGENT};
use ureq::http::{HeaderMap, HeaderName, HeaderValue};

use super::error::WebhookError;
use super::spec::{UnsetVariable, WebhookSpec};
use super::variables::{Part, parts};

/// Everything that a hook's headers may take together, in bytes.
const MAX_HEADERS: usize = 32 * 1024;

/// Headers that say how a message is framed or where it goes: a hook that set them could disagree with what is sent.
const RESERVED: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Gives the headers of a request, with the values that variables have now.
pub(super) fn headers(
    spec: &WebhookSpec,
    shown: &str,
    global: Option<&[String]>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<HeaderMap, WebhookError> {
    let mut headers = Headers { shown, map: HeaderMap::new(), total: 0 };
    for (name, text) in &spec.headers {
        let filled = || {
            fill(spec, text, global, environment).map_err(|(variable, why)| WebhookError::UnsetVariable {
                url: shown.to_owned(),
                header: name.clone(),
                variable,
                why,
            })
        };
        headers.put(name, filled)?;
    }
    let accept = HeaderValue::from_static("application/json, text/plain;q=0.9, */*;q=0.8");
    headers.map.entry(ACCEPT).or_insert(accept);
    Ok(headers.with_own(true))
}

/// Gives the headers of a request whose values have no variables.
pub(super) fn ready(given: &[(String, String)], shown: &str, has_body: bool) -> Result<HeaderMap, WebhookError> {
    let mut headers = Headers { shown, map: HeaderMap::new(), total: 0 };
    for (name, value) in given {
        headers.put(name, || Ok(value.clone()))?;
    }
    Ok(headers.with_own(has_body))
}

/// Headers while they are collected.
struct Headers<'a> {
    /// The URL for messages.
    shown: &'a str,
    map: HeaderMap,
    total: usize,
}

impl Headers<'_> {
    fn put(&mut self, name: &str, value: impl FnOnce() -> Result<String, WebhookError>) -> Result<(), WebhookError> {
        let bad = |why: &str| WebhookError::BadHeader {
            url: self.shown.to_owned(),
            header: name.escape_debug().take(80).collect(),
            why: why.to_owned(),
        };
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| bad("is no header name; use letters, digits and `-`"))?;
        if RESERVED.contains(&key.as_str()) {
            return Err(bad("is set by hookweave itself; leave it out"));
        }
        let filled = value()?;
        if filled.contains(['\r', '\n', '\0']) {
            return Err(bad("has a line break or NUL in its value; look at the variables that it names, too"));
        }
        let mut value = HeaderValue::from_bytes(filled.trim().as_bytes())
            .map_err(|_| bad("has a control character in its value; take it out"))?;
        // Values are keys more often than not; they must not show in a debug log.
        value.set_sensitive(true);
        let total = self.total.saturating_add(key.as_str().len()).saturating_add(value.len());
        if total > MAX_HEADERS || self.map.len() >= 128 {
            return Err(bad("makes the headers too large; at most 32 KiB and 128 headers are sent"));
        }
        self.total = total;
        self.map.append(key, value);
        Ok(())
    }

    /// With those that every request has.
    fn with_own(mut self, has_body: bool) -> HeaderMap {
        let body = has_body.then(|| (CONTENT_TYPE, HeaderValue::from_static("application/json")));
        let own = [
            (USER_AGENT, HeaderValue::from_static(concat!("hookweave/", env!("CARGO_PKG_VERSION")))),
            (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
        ];
        for (name, value) in body.into_iter().chain(own) {
            self.map.entry(name).or_insert(value);
        }
        self.map
    }
}

/// Fills in the variables of a value, or gives the one that is missing. What is filled in is not read again.
fn fill(
    spec: &WebhookSpec,
    text: &str,
    global: Option<&[String]>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<String, (String, &'static str)> {
    let mut filled = String::with_capacity(text.len());
    for part in parts(text) {
        let name = match part {
            Part::Text(text) => {
                filled.push_str(text);
                continue;
            }
            Part::Variable(name) => name,
        };
        let listed = |names: &[String]| names.iter().any(|each| each == name);
        let value = if listed(&spec.allowed_env) && global.is_none_or(listed) {
            environment(name).ok_or("is not set; set it")
        } else {
            Err("is not on the list of variables that webhooks may send; add it there")
        };
        match (value, spec.unset) {
            (Ok(value), _) => filled.push_str(&value),
            (Err(_), UnsetVariable::Empty) => {}
            (Err(why), UnsetVariable::Refuse) => return Err((name.to_owned(), why)),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::super::spec::Method;
    use super::*;

    fn environment(name: &str) -> Option<String> {
        match name {
            "TOKEN" => Some("s3cret".to_owned()),
            "NESTED" => Some("$TOKEN".to_owned()),
            "EVIL" => Some("x\r\nX-Admin: 1".to_owned()),
            "BELL" => Some("\u{7}".to_owned()),
            "HUGE" => Some("x".repeat(40_000)),
            _ => None,
        }
    }

    fn spec(value: &str, unset: UnsetVariable) -> WebhookSpec {
        WebhookSpec {
            url: "http://localhost/".to_owned(),
            method: Method::Post,
            headers: vec![("X-Key".to_owned(), value.to_owned())],
            allowed_env: ["TOKEN", "NESTED", "EVIL", "BELL", "HUGE", "MISSING"].map(str::to_owned).to_vec(),
            unset,
        }
    }

    fn sent(value: &str) -> String {
        let map = headers(&spec(value, UnsetVariable::Empty), "u", None, &environment).unwrap();
        map.get("x-key").unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn variables_are_filled_in_both_spellings() {
        assert_eq!(sent("Bearer $TOKEN"), "Bearer s3cret");
        assert_eq!(sent("${TOKEN}-${TOKEN}x$TOKEN.y"), "s3cret-s3cretxs3cret.y");
        assert_eq!(sent("$MISSING|$HOME|${HOME}|"), "|||");
        assert_eq!(sent("$TOKENS"), "");
        assert_eq!(sent("$5 $ $$TOKEN ${TOKEN ${a b} ${} $-"), "$5 $ $s3cret ${TOKEN ${a b} ${} $-");
        assert_eq!(sent("$NESTED"), "$TOKEN");
    }

    #[test]
    fn the_global_list_narrows_the_hooks_own() {
        let only = ["OTHER".to_owned()];
        let map = headers(&spec("a$TOKEN", UnsetVariable::Empty), "u", Some(&only), &environment).unwrap();
        assert_eq!(map.get("x-key").unwrap(), "a");
        let refused = headers(&spec("a$TOKEN", UnsetVariable::Refuse), "u", Some(&only), &environment).unwrap_err();
        assert!(refused.to_string().contains("`TOKEN`, which is not on the list"), "{refused}");
    }

    #[test]
    fn a_missing_variable_is_refused_where_that_is_asked_for() {
        let error = headers(&spec("$MISSING", UnsetVariable::Refuse), "u", None, &environment).unwrap_err();
        assert!(error.to_string().contains("`X-Key` names the variable `MISSING`, which is not set"), "{error}");
        let error = headers(&spec("$HOME", UnsetVariable::Refuse), "u", None, &|_| Some("x".to_owned())).unwrap_err();
        assert!(error.to_string().contains("`HOME`, which is not on the list"), "{error}");
    }

    #[test]
    fn nothing_can_be_injected_and_no_value_is_shown() {
        for value in ["$EVIL", "a\nb", "a\rb", "a\0b", "$BELL", "$HUGE"] {
            let error = headers(&spec(value, UnsetVariable::Empty), "u", None, &environment).unwrap_err();
            assert!(matches!(error, WebhookError::BadHeader { .. }), "{value:?}");
            assert!(!error.to_string().contains("Admin"), "{error}");
        }
        for name in ["X Key", "X-Key\r\nX-Admin", "", "X:Key", "Host", "content-LENGTH", "Transfer-Encoding"] {
            let mut spec = spec("v", UnsetVariable::Empty);
            spec.headers = vec![(name.to_owned(), "v".to_owned())];
            assert!(headers(&spec, "u", None, &environment).is_err(), "{name:?}");
        }
        let map = headers(&spec("$TOKEN", UnsetVariable::Empty), "u", None, &environment).unwrap();
        assert!(!format!("{map:?}").contains("s3cret"));
    }

    #[test]
    fn a_hook_may_set_its_own_content_type() {
        let mut own = spec("v", UnsetVariable::Empty);
        own.headers = vec![("content-type".to_owned(), "application/cloudevents+json".to_owned())];
        let map = headers(&own, "u", None, &environment).unwrap();
        assert_eq!(map.get_all(CONTENT_TYPE).iter().collect::<Vec<_>>(), ["application/cloudevents+json"]);
        assert_eq!(map.get(ACCEPT_ENCODING).unwrap(), "identity");
    }
}
