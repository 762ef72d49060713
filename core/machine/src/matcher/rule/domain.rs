//! Patterns over the host of an address: `domain:*.example.com`.

use super::{MatchResult, glob};
use crate::pattern::Glob;

/// A pattern over hosts.
#[derive(Debug, Clone)]
pub(super) struct Domain {
    /// `*` is any text.
    generous: Glob,
    /// `*` stops at a dot, but for one that stands alone or first: those are any sub-domains.
    exact: Glob,
}

impl Domain {
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let text = text.to_lowercase();
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
