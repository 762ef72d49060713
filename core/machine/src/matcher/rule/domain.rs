//! Patterns over the host of an address: `domain:*.example.com`.

use super::{MatchResult, glob};
use crate::pattern::Glob;

/// A host as addresses carry it: `bücher.example` is `xn--bcher-kva.example`, and brackets stand around a number.
fn in_ascii(host: &str) -> String {
    if host.starts_with('[') && host.contains(':') {
        return globset::escape(host);
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

impl Domain {
    /// A host as [`host_of`] gives it.
    pub(super) fn new(host: &str) -> Result<Self, String> {
        let text = in_ascii(host);
        let below = text.strip_prefix("*.").map(|domain| format!("*/**/{}", domain.replace('.', "/")));
        let exact = if text == "*" { "**".to_owned() } else { below.unwrap_or_else(|| text.replace('.', "/")) };
        Ok(Self { generous: glob(&text, false)?, exact: glob(&exact, true)? })
    }

    /// `example.*` looks at `example.evil.com`, and allows it nothing.
    pub(super) fn judge(&self, host: &str) -> MatchResult {
        let selects = self.generous.is_match(host);
        MatchResult { selects, grants_all: selects && self.exact.is_match(host.replace('.', "/")) }
    }
}
