//! Patterns of allowed webhook URLs, such as `https://hooks.example.com/*` and `http://localhost:*`.
//!
//! `*` stands for any characters, but scheme, host, port and path are compared one by one: a `*` meant for a host
//! cannot be met by a path, and a `*` right after a whole host name does not prolong the name to a stranger's.

use regex::Regex;
use url::Url;

use super::target::path_and_query;

/// One pattern.
#[derive(Debug, Clone)]
pub(super) struct UrlPattern {
    scheme: Regex,
    host: Regex,
    port: Port,
    /// Path and query.
    path: Regex,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    Any,
    /// The one that the scheme implies.
    Usual,
    Exactly(u16),
}

impl UrlPattern {
    /// Reads a pattern; the error says what to write instead.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let Some((scheme, rest)) = text.split_once("://") else {
            // `*` alone, or `*.example.com/*`.
            return match text.strip_prefix('*') {
                Some("") => Self::of("*", "*", Port::Any, "*"),
                Some(_) => Self::after_scheme(text, "*", text),
                None => Err(format!("`{text}` matches no URL; write `https://{text}`")),
            };
        };
        if scheme.contains('*') || matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
            Self::after_scheme(text, scheme, rest)
        } else {
            Err(format!("`{text}` matches no URL; webhooks are http:// or https://"))
        }
    }

    fn after_scheme(text: &str, scheme: &str, rest: &str) -> Result<Self, String> {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.contains('@') || path.contains('#') {
            return Err(format!("`{text}` matches no URL; leave out the user and the fragment"));
        }
        // Without a path, a last `*` stands for port and path, whichever were left out.
        let open = authority.strip_suffix('*').filter(|_| path.is_empty());
        let path = match path {
            "" if open.is_some() => "*".to_owned(),
            "" => "/".to_owned(),
            query if query.starts_with('?') => format!("/{query}"),
            path => path.to_owned(),
        };
        let (host, port) = split_port(authority);
        let (host, port) = match (open, port) {
            (_, Some("*")) => (host, Port::Any),
            (_, Some(port)) => {
                let number = port.parse().map_err(|_| format!("`{text}`: `{port}` is no port; write a number or `*`"));
                (host, Port::Exactly(number?))
            }
            (Some(whole), None) if whole.is_empty() || whole.ends_with('.') => (host, Port::Any),
            (Some(whole), None) => (whole, Port::Any),
            (None, None) => (host, Port::Usual),
        };
        if host.is_empty() {
            return Err(format!("`{text}` names no host; write `*` for any"));
        }
        Self::of(scheme, host, port, &path)
    }

    fn of(scheme: &str, host: &str, port: Port, path: &str) -> Result<Self, String> {
        // A host without `*` is read as a URL's host is, so that both are written the same way.
        let host = if host.contains('*') {
            host.to_lowercase()
        } else {
            url::Host::parse(host).map_err(|why| format!("`{host}` is no host: {why}"))?.to_string()
        };
        Ok(Self { scheme: glob(&scheme.to_lowercase())?, host: glob(&host)?, port, path: glob(path)? })
    }

    /// Whether the pattern lets a URL through.
    pub(super) fn matches(&self, url: &Url) -> bool {
        let port = match self.port {
            Port::Any => true,
            Port::Usual => url.port().is_none(),
            Port::Exactly(port) => url.port_or_known_default() == Some(port),
        };
        port && self.scheme.is_match(url.scheme())
            && self.host.is_match(url.host_str().unwrap_or_default())
            && self.path.is_match(path_and_query(url))
    }
}

/// `host:port`, where the host may be an IPv6 address in brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn glob(text: &str) -> Result<Regex, String> {
    let parts: Vec<String> = text.split('*').map(regex::escape).collect();
    Regex::new(&format!("(?s)^{}$", parts.join(".*"))).map_err(|_| format!("`{text}` is too long for a pattern"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(pattern: &str, url: &str) -> bool {
        UrlPattern::new(pattern).unwrap().matches(&Url::parse(url).unwrap())
    }

    #[test]
    fn patterns_match_as_they_are_meant() {
        for (pattern, url) in [
            ("*", "http://127.0.0.1:8080/x"),
            ("https://hooks.example.com/*", "https://hooks.example.com/a/b?c=d"),
            ("https://hooks.example.com/*", "https://HOOKS.example.com:443/"),
            ("https://*.example.com/*", "https://a.b.example.com/x"),
            ("http://localhost:*", "http://localhost:8080/hook?x"),
            ("http://localhost:*", "http://localhost/hook"),
            ("http://localhost:*/hook", "http://localhost:1/hook"),
            ("https://example.com*", "https://example.com:8443/hook"),
            ("https://*", "https://anything.example:99/x"),
            ("*://example.com/*", "http://example.com/x"),
            ("*.example.com/*", "https://a.example.com/x"),
            ("https://example.com", "https://example.com/"),
            ("https://example.com:443/x", "https://example.com/x"),
            ("http://[::1]:*/*", "http://[0::1]:5/x"),
            ("http://[::1]/*", "http://[::1]/x"),
            ("http://2130706433/*", "http://127.0.0.1/x"),
            ("https://example.com/a*z", "https://example.com/a/b?z"),
        ] {
            assert!(allows(pattern, url), "{pattern} should let {url} through");
        }
    }

    #[test]
    fn nothing_slips_past_a_pattern() {
        for (pattern, url) in [
            ("https://hooks.example.com/*", "http://hooks.example.com/a"),
            ("https://hooks.example.com/*", "https://hooks.example.com:8443/a"),
            ("https://hooks.example.com/*", "https://hooks.example.com.evil.example/a"),
            ("https://hooks.example.com*", "https://hooks.example.com.evil.example/a"),
            ("https://hooks.example.com*", "https://hooks.example.comevil/a"),
            ("https://*.example.com/*", "https://evil.example/x.example.com/y"),
            ("https://*.example.com/*", "https://evil.example/?.example.com/"),
            ("https://*.example.com/*", "https://example.com/"),
            ("http://localhost:*", "http://localhost.evil.example/"),
            ("http://localhost:*", "https://localhost/"),
            ("https://example.com", "https://example.com/x"),
            ("https://example.com/hook", "https://example.com/hook/../admin"),
            ("https://example.com/hook/*", "https://example.com/hook/%2e%2e/admin"),
            ("https://example.com/a.c", "https://example.com/abc"),
        ] {
            assert!(!allows(pattern, url), "{pattern} should not let {url} through");
        }
    }

    #[test]
    fn patterns_that_can_match_nothing_are_refused() {
        for pattern in
            ["example.com/*", "ftp://x/*", "https://u@x/*", "https:///x", "https://x:abc/", "https://x/#a", ""]
        {
            assert!(UrlPattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
