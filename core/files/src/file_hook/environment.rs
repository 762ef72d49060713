//! What a command finds in its environment.

use std::ffi::{OsStr, OsString};

use hookweave_dialects::Inherits;
use hookweave_exec::trace_context::{PARENT, STATE, TraceContext};

/// Words in the name of a variable that holds a credential, between its underscores.
const CREDENTIALS: &[&str] = &["PAT", "JWT", "PASS", "SECRETS", "CREDENTIALS"];

/// What such words end with: `PGPASSWORD`, `GITHUBTOKEN`.
const CREDENTIAL_ENDINGS: &[&str] =
    &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "COOKIE"];

/// What is a credential at the end of a name of several words: `SSH_KEY`, `MYSQL_PWD`, `NPM_CONFIG__AUTH`.
const LAST_WORDS: &[&str] = &["KEY", "PWD", "AUTH", "DSN"];

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
            self.0.retain(|(name, _)| name != STATE);
            self.set(PARENT, trace.parent());
            if let Some(state) = trace.state() {
                self.set(STATE, state);
            }
        }
        self
    }

    /// The place in a distributed trace that it names.
    pub(super) fn trace(&self) -> Option<TraceContext> {
        TraceContext::parse(&self.text(PARENT)?, self.text(STATE).as_deref())
    }

    /// One variable as text.
    pub(super) fn text(&self, wanted: &str) -> Option<String> {
        let found = self.0.iter().find(|(name, _)| name.as_os_str() == OsStr::new(wanted));
        found.and_then(|(_, value)| value.to_str().map(str::to_owned))
    }

    /// What a hook of a dialect inherits.
    pub(super) fn inherited(&self, inherits: Inherits, scrub: bool) -> Self {
        let passes = |name: &OsStr, value: &OsStr| {
            let name = name.to_string_lossy();
            let inherited = match inherits {
                Inherits::AllBut(prefixes) => !prefixes.iter().any(|prefix| name.starts_with(prefix)),
                Inherits::Only(names) => names.contains(&&*name),
            };
            inherited && !(scrub && (holds_credential(&name) || names_password(&value.to_string_lossy())))
        };
        Self(self.0.iter().filter(|(name, value)| passes(name, value)).cloned().collect())
    }

    /// Adds what hooks left; it replaces nothing that the host's own environment has, so that no hook finds other programs
    /// or places there than the host means.
    pub(super) fn add(&mut self, left: &[(String, String)], host: &Self, scrub: bool) {
        for (name, value) in left {
            let is_secret = scrub && (holds_credential(name) || names_password(value));
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
    let is_credential =
        |word: &&str| CREDENTIALS.contains(word) || CREDENTIAL_ENDINGS.iter().any(|ending| word.ends_with(ending));
    words.iter().any(is_credential) || (words.len() > 1 && words.last().is_some_and(|last| LAST_WORDS.contains(last)))
}

/// Whether a value is an address with a password: `postgres://user:password@host`.
fn names_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        authority
            .rsplit_once('@')
            .is_some_and(|(user, _)| user.split_once(':').is_some_and(|(_, word)| !word.is_empty()))
    })
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
    fn credentials_are_known_by_their_names_and_as_part_of_an_address() {
        for name in
            ["DB_PASS", "PGPASSWORD", "MYSQL_PWD", "NPM_CONFIG__AUTH", "githubToken", "SENTRY_DSN", "MY_API_KEY"]
        {
            assert!(holds_credential(name), "{name}");
        }
        for name in
            ["PWD", "OLDPWD", "PATH", "KEYBOARD", "TOKENIZERS_PARALLELISM", "COMPASS", "AUTHOR", "SSH_AUTH_SOCK"]
        {
            assert!(!holds_credential(name), "{name}");
        }
        assert!(names_password("postgres://user:word@host/db") && names_password("redis://:word@host"));
        for value in ["https://host:8080/a@b", "git@host:path", "https://user@host", "a://b:@c", ""] {
            assert!(!names_password(value), "{value}");
        }
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
