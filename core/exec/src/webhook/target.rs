//! Where a webhook goes: its URL, read once and the same way for every check.
//!
//! What a browser makes of a URL is what counts: `http://2852039166/` is an address, host names have no capitals.
//! The URL is normalised before anything looks at it, so that no two readers can disagree.

use ureq::http::Uri;
use url::{Host, Position, Url};

use super::error::WebhookError;

/// The longest URL that is taken, in bytes.
const MAX_URL: usize = 8 * 1024;

/// A URL that a webhook may be sent to, as far as its form goes.
#[derive(Debug, Clone)]
pub(super) struct Target {
    url: Url,
    uri: Uri,
}

impl Target {
    /// Reads a URL as it is written in a hook.
    pub(super) fn new(text: &str) -> Result<Self, WebhookError> {
        if text.len() > MAX_URL {
            let start: String = text.chars().take(64).collect();
            return Err(bad(&shown_text(&start), format!("has {} bytes; at most {MAX_URL} are allowed", text.len())));
        }
        let url = Url::parse(text).map_err(|why| {
            bad(&shown_text(text), format!("is no URL ({why}); write one such as `https://example.com/hook`"))
        })?;
        Self::of(url)
    }

    /// Where a redirect leads.
    pub(super) fn join(&self, location: &str) -> Result<Self, WebhookError> {
        if location.len() > MAX_URL {
            return Err(bad(&self.shown(), "redirects to a URL that is too long".to_owned()));
        }
        let url = self.url.join(location);
        Self::of(url.map_err(|why| bad(&self.shown(), format!("redirects to what is no URL ({why})")))?)
    }

    fn of(mut url: Url) -> Result<Self, WebhookError> {
        if !matches!(url.scheme(), "http" | "https") {
            let why = format!("`{}` is not spoken here; webhooks are http:// or https://", url.scheme());
            return Err(bad(&shown(&url), why));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let why = "a user or password in a URL ends up in logs; send an `Authorization` header with a variable";
            return Err(bad(&shown(&url), why.to_owned()));
        }
        url.set_fragment(None);
        let uri: Uri =
            url.as_str().parse().map_err(|why| bad(&shown(&url), format!("cannot be put in a request: {why}")))?;
        // Both readers must see one host and port, or a check could look at another than is connected to.
        if uri.host() != url.host_str() || uri.port_u16() != url.port() {
            return Err(bad(&shown(&url), "is ambiguous; write the host plainly".to_owned()));
        }
        Ok(Self { url, uri })
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    pub(super) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether the host is this machine by its name or its address.
    pub(super) fn is_this_machine(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// Whether both have the same scheme, host and port.
    pub(super) fn same_origin(&self, other: &Self) -> bool {
        self.url.origin() == other.url.origin()
    }

    /// The URL for messages: without query, and without parts of the path that look like a key.
    pub(super) fn shown(&self) -> String {
        shown(&self.url)
    }
}

fn bad(url: &str, why: String) -> WebhookError {
    WebhookError::BadUrl { url: url.to_owned(), why }
}

fn shown(url: &Url) -> String {
    if !url.has_host() {
        return format!("{}:…", url.scheme());
    }
    let path: Vec<String> = url.path().split('/').map(super::spec::shown_segment).collect();
    let query = if url.query().is_some() { "?…" } else { "" };
    let authority = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}://{}{authority}{}{query}", url.scheme(), url.host_str().unwrap_or_default(), path.join("/"))
}

/// What can be shown of a text that is no URL.
fn shown_text(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = text.split_once("://").map_or(("", text), |(scheme, rest)| (scheme, rest));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let rest: String = rest.chars().take(200).map(|each| if each.is_control() { '\u{fffd}' } else { each }).collect();
    if scheme.is_empty() { rest } else { format!("{}://{rest}", scheme.escape_debug()) }
}

/// The URL's path and query, the part that patterns of allowed URLs look at beside host and port.
pub(super) fn path_and_query(url: &Url) -> &str {
    &url[Position::BeforePath..Position::AfterQuery]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> String {
        Target::new(text).unwrap().uri().host().unwrap().to_owned()
    }

    #[test]
    fn odd_hosts_are_read_as_the_address_they_mean() {
        for text in [
            "http://2852039166/",
            "http://0xA9FEA9FE/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://169.254.169.254./",
            "http://169.254.169.254%2e/",
            "http://①⑥⑨.254.169.254/",
        ] {
            assert_eq!(host(text), "169.254.169.254", "{text}");
        }
        assert_eq!(host("HTTP://LOCALHOST:80/"), "localhost");
        assert_eq!(host("http://[::FFFF:169.254.169.254]/"), "[::ffff:a9fe:a9fe]");
        assert_eq!(host("http:\\\\example.com\\x"), "example.com");
    }

    #[test]
    fn only_plain_http_and_https_urls_are_taken() {
        for (text, part) in [
            ("ftp://example.com/", "`ftp`"),
            ("file:///etc/passwd", "`file`"),
            ("javascript:alert(1)", "`javascript`"),
            ("gopher://x/", "`gopher`"),
            ("/hook", "no URL"),
            ("", "no URL"),
            ("http://", "no URL"),
            ("http://a b/", "no URL"),
            ("http://[fe80::1%25eth0]/", "no URL"),
            ("http://x:99999/", "no URL"),
        ] {
            let error = Target::new(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(Target::new(&format!("http://x/{}", "a".repeat(MAX_URL))).unwrap_err().to_string().contains("bytes"));
    }

    #[test]
    fn messages_hold_no_secrets() {
        for text in [
            "http://user:hunter2@example.com/hook",
            "http://hunter2@example.com/hook",
            "http://user:hunter2@exa mple/",
            "ftp://user:hunter2@example.com/?k=hunter2",
            "foo:hunter2",
            "http://[x/?key=hunter2",
        ] {
            let error = Target::new(text).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{text}: {error}");
        }
        let chat = Target::new("https://chat.example/services/T0001/B0002/XXabcdEFGH12345678?token=hunter2#x").unwrap();
        assert_eq!(chat.shown(), "https://chat.example/services/T0001/B0002/XXab…?…");
        assert_eq!(
            Target::new("http://localhost:80/hooks/pre-tool-use-guard").unwrap().shown(),
            "http://localhost/hooks/pre-tool-use-guard"
        );
    }

    #[test]
    fn the_fragment_is_never_sent() {
        assert_eq!(Target::new("http://example.com/a?b#secret").unwrap().uri().to_string(), "http://example.com/a?b");
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let here = Target::new("http://Example.com/a").unwrap();
        let same = |location: &str| here.join(location).unwrap().same_origin(&here);
        assert!(same("/b") && same("c?d") && same("http://example.com:80/") && same("//example.com/x"));
        for other in ["https://example.com/", "http://example.com:81/", "http://example.com./", "//evil.example/"] {
            assert!(!same(other), "{other}");
        }
        assert!(here.join("javascript:alert(1)").is_err() && here.join("http://u:p@example.com/").is_err());
    }
}
