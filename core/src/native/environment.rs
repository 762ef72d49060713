//! What a command finds in its environment.

use std::ffi::{OsStr, OsString};

use super::trace_context::{self, TraceContext};
use crate::dialects::Inherits;

/// Words in the name of a variable that holds a credential, between its underscores.
const CREDENTIALS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "APIKEY",
    "PAT",
    "JWT",
    "COOKIE",
];

/// Variables and their values; a name stands once.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// The process's own, as it is now.
    pub(super) fn of_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// The same within a host's own trace, if it has one.
    pub(super) fn in_trace(mut self, trace: Option<TraceContext>) -> Self {
        if let Some(trace) = trace {
            self.0.retain(|(name, _)| name != trace_context::STATE);
            self.set(trace_context::PARENT, trace.parent());
            if let Some(state) = trace.state() {
                self.set(trace_context::STATE, state);
            }
        }
        self
    }

    /// One variable as text.
    pub(super) fn text(&self, wanted: &str) -> Option<String> {
        let found = self.0.iter().find(|(name, _)| name.as_os_str() == OsStr::new(wanted));
        found.and_then(|(_, value)| value.to_str().map(str::to_owned))
    }

    /// What a hook of a dialect inherits.
    pub(super) fn inherited(&self, inherits: Inherits, scrub: bool) -> Self {
        let passes = |name: &OsStr| {
            let name = name.to_string_lossy();
            let inherited = match inherits {
                Inherits::AllBut(prefixes) => !prefixes.iter().any(|prefix| name.starts_with(prefix)),
                Inherits::Only(names) => names.contains(&&*name),
            };
            inherited && !(scrub && holds_credential(&name))
        };
        Self(self.0.iter().filter(|(name, _)| passes(name)).cloned().collect())
    }

    /// Adds what hooks left; it replaces nothing that the host's own environment has, so that no hook finds other programs
    /// or places there than the host means.
    pub(super) fn add(&mut self, left: &[(String, String)], host: &Self, scrub: bool) {
        for (name, value) in left {
            let is_secret = scrub && holds_credential(name);
            if !(is_secret || host.has(name) || self.has(name)) {
                self.set(name, value);
            }
        }
    }

    fn has(&self, wanted: &str) -> bool {
        // Programs look for `HTTP_PROXY` and `http_proxy` alike.
        self.0.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted))
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: impl AsRef<OsStr>, value: impl Into<OsString>) {
        let name = name.as_ref();
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some(known) => known.1 = value.into(),
            None => self.0.push((name.to_owned(), value.into())),
        }
    }

    pub(super) fn into_entries(self) -> Vec<(OsString, OsString)> {
        self.0
    }
}

/// Whether a variable's name says that it holds a credential: `GITHUB_TOKEN`, `AWS_SECRET_ACCESS_KEY`, `DB_PASSWORD`.
fn holds_credential(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let words: Vec<&str> = upper.split('_').collect();
    words.iter().any(|word| CREDENTIALS.contains(word)) || (words.len() > 1 && words.last() == Some(&"KEY"))
}

/// A text in which each `${NAME}` that has a value is replaced by it.
pub(super) fn filled(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let known = after.split_once('}').and_then(|(name, after)| Some((value(name)?, after)));
        if let Some((value, after)) = known {
            out.push_str(&value);
            rest = after;
        } else {
            out.push_str("${");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_decide_what_is_inherited() {
        let mut host = Environment::default();
        for name in ["PATH", "OTEL_EXPORTER", "GITHUB_TOKEN", "SSH_KEY", "KEYBOARD"] {
            host.set(name, "x");
        }
        let names = |environment: Environment| -> Vec<String> {
            environment.into_entries().into_iter().filter_map(|(name, _)| name.into_string().ok()).collect()
        };
        let all_but = Inherits::AllBut(&["OTEL_"]);
        assert_eq!(names(host.inherited(all_but, false)), ["PATH", "GITHUB_TOKEN", "SSH_KEY", "KEYBOARD"]);
        assert_eq!(names(host.inherited(all_but, true)), ["PATH", "KEYBOARD"]);
        assert_eq!(names(host.inherited(Inherits::Only(&["PATH"]), false)), ["PATH"]);
    }

    #[test]
    fn placeholders_with_a_value_are_filled() {
        let value = |name: &str| (name == "A").then(|| "x y".to_owned());
        assert_eq!(filled("${A}/b ${B} ${A", value), "x y/b ${B} ${A");
    }

    #[test]
    fn a_later_value_replaces_an_earlier_one() {
        let mut environment = Environment::default();
        environment.set("A", "1");
        environment.set("A", "2");
        assert_eq!(environment.into_entries(), [("A".into(), "2".into())]);
    }
}
