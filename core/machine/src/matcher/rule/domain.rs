//! Patterns over the host of an address: `domain:*.example.com`.

use url::Url;

use super::MatchResult;
use crate::matcher::path_rule::glob;
use crate::pattern::Glob;

/// A host as addresses carry it: `bücher.example` is `xn--bcher-kva.example`, and brackets stand around a number.
fn in_ascii(host: &str) -> String {
    if host.starts_with('[') && host.contains(':') {
        return globset::escape(&url::Host::parse(host).map_or_else(|_| host.to_owned(), |host| host.to_string()));
    }
    let label = |label: &str| match url::Host::parse(label) {
        Ok(url::Host::Domain(ascii)) if !label.is_ascii() => ascii,
        _ => label.to_owned(),
    };
    host.split('.').map(label).collect::<Vec<_>>().join(".")
}

/// A pattern over hosts.
#[derive(Debug, Clone)]
pub(super) struct Domain {
    /// `*` is any text.
    generous: Glob,
    /// `*` stops at a dot, but for one that stands alone or first: those are any sub-domains.
    exact: Glob,
}

/// The host that a text names: of an address without the rest of it, in small letters; `None` if it can be none.
pub(super) fn host_of(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let text = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
    let text = text.split(['/', '?', '#']).next().unwrap_or_default();
    let text = text.rsplit('@').next().unwrap_or_default();
    let text = match text.split_once(':') {
        // `[::1]` has colons of its own.
        Some(_) if text.starts_with('[') => text.split_inclusive(']').next().unwrap_or_default(),
        Some((host, _)) => host,
        None => text,
    };
    let host = text.trim_end_matches('.');
    (!host.is_empty() && !host.contains(char::is_whitespace)).then(|| host.to_owned())
}

/// The names of the host of an address, and whether the address is one of the web; `None` where it has no host.
fn hosts_of(address: &str) -> Option<(Vec<String>, bool)> {
    let url = Url::parse(address).ok()?;
    let is_of_web = matches!(url.scheme(), "http" | "https");
    // What has another scheme may spell its host in any way.
    let url = if is_of_web || !url.has_host() {
        url
    } else {
        Url::parse(&format!("http{}", url.as_str().get(url.scheme().len()..)?)).ok()?
    };
    let mut hosts = vec![url.host_str()?.trim_end_matches('.').to_owned()];
    if let Some(url::Host::Ipv6(number)) = url.host() {
        hosts.extend(number.to_ipv4_mapped().map(|number| number.to_string()));
    }
    Some((hosts, is_of_web))
}

impl Domain {
    /// A host as [`host_of`] gives it.
    pub(super) fn new(host: &str) -> Result<Self, String> {
        let text = in_ascii(host);
        let below = text.strip_prefix("*.").map(|domain| format!("*/**/{}", domain.replace('.', "/")));
        let exact = if text == "*" { "**".to_owned() } else { below.unwrap_or_else(|| text.replace('.', "/")) };
        Ok(Self { generous: glob(&text, false)?, exact: glob(&exact, true)? })
    }

    /// Any host that a program may take from an address selects; an `allow` needs all, and an address of the web.
    pub(super) fn judge_url(&self, address: &str) -> MatchResult {
        let text = address.trim();
        // Some programs take a backslash for a slash, others for a letter of the user's name.
        let other = text.contains('\\').then(|| text.replace('\\', "%5C"));
        let mut any = MatchResult { selects: false, grants_all: true };
        for text in std::iter::once(text).chain(other.as_deref()) {
            let Some((hosts, is_of_web)) = hosts_of(text) else { return MatchResult::INDETERMINATE };
            for verdict in hosts.iter().map(|host| self.judge(host)) {
                any.selects |= verdict.selects;
                any.grants_all &= verdict.grants_all && is_of_web;
            }
        }
        any
    }

    /// Whether a text of a tool that need not fetch anything is an address with such a host; a browser adds what is missing.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        let text = text.trim();
        let is_name = |host: &String| host.contains(['.', ':']) || host == "localhost";
        hosts_of(text).is_some() && self.judge_url(text).selects || {
            let address = format!("https://{}", text.trim_start_matches('/'));
            !text.contains("://")
                && hosts_of(&address).is_some_and(|(hosts, _)| hosts.iter().any(is_name))
                && self.judge_url(&address).selects
        }
    }

    /// `example.*` looks at `example.evil.com`, and allows it nothing.
    fn judge(&self, host: &str) -> MatchResult {
        let selects = self.generous.is_match(host);
        MatchResult { selects, grants_all: selects && self.exact.is_match(host.replace('.', "/")) }
    }
}
