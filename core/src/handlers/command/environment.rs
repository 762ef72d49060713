//! The variables that a command sees.

use std::ffi::{OsStr, OsString};

use super::CommandSpec;

/// How many bytes of a value that comes from an event are kept; the system refuses to start a program with much longer ones.
const LONGEST: usize = 32 * 1024;

/// An environment in the making, in the order in which names were first set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    entries: Vec<(OsString, OsString)>,
}

impl Environment {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The host's own. Call it on a thread where the host does not change its environment meanwhile: C programs do so
    /// without a lock that anyone else could take.
    #[must_use]
    pub fn inherited() -> Self {
        Self { entries: std::env::vars_os().filter(|(name, _)| is_name(name)).collect() }
    }

    /// Leaves out every variable that the test picks.
    #[must_use]
    pub fn without(mut self, picks: impl Fn(&str) -> bool) -> Self {
        self.entries.retain(|(name, _)| !picks(&name.to_string_lossy()));
        self
    }

    /// Leaves out every variable whose name says that it holds a credential.
    #[must_use]
    pub fn without_credentials(self) -> Self {
        self.without(holds_credential)
    }

    /// Sets a variable, as a configuration says it.
    pub fn set(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        let (name, value) = (name.as_ref(), value.as_ref());
        match self.entries.iter_mut().find(|(known, _)| same_name(known, name)) {
            Some((_, known)) => value.clone_into(known),
            None => self.entries.push((name.to_owned(), value.to_owned())),
        }
        self
    }

    /// Sets a variable to what an event says.
    ///
    /// NUL characters are left out and what is very long is cut, because either would keep the program from
    /// starting, and nothing in an event may keep a guard from running. The whole is on stdin.
    pub fn tell(&mut self, name: &str, value: &str) -> &mut Self {
        let mut value = value.replace('\0', "");
        if value.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|end| value.is_char_boundary(*end)).unwrap_or(0);
            value.truncate(end);
        }
        self.set(name, value)
    }

    /// Sets the variables of a hook.
    pub fn set_all(&mut self, spec: &CommandSpec) -> &mut Self {
        for (name, value) in &spec.env {
            self.set(name, value);
        }
        self
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        value_of(&self.entries, name.as_ref())
    }

    /// What [`CommandRun::env`](super::CommandRun::env) takes.
    #[must_use]
    pub fn into_entries(self) -> Vec<(OsString, OsString)> {
        self.entries
    }
}

/// The value of a variable among others.
pub(super) fn value_of<'a>(entries: &'a [(OsString, OsString)], name: &OsStr) -> Option<&'a OsStr> {
    entries.iter().find(|(known, _)| same_name(known, name)).map(|(_, value)| value.as_os_str())
}

/// Windows has hidden variables such as `=C:`, which nobody can set.
fn is_name(name: &OsStr) -> bool {
    !name.is_empty() && !name.as_encoded_bytes().contains(&b'=')
}

fn same_name(one: &OsStr, other: &OsStr) -> bool {
    if cfg!(windows) { one.eq_ignore_ascii_case(other) } else { one == other }
}

/// Whether a variable's name says that it holds a credential: `GITHUB_TOKEN`, `AWS_SECRET_ACCESS_KEY`, `DB_PASSWORD`, …
#[must_use]
pub fn holds_credential(name: &str) -> bool {
    const WORDS: [&str; 12] = [
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
    const BEFORE_KEY: [&str; 7] = ["API", "ACCESS", "PRIVATE", "SIGNING", "ENCRYPTION", "DEPLOY", "SERVICE"];
    let upper = name.to_ascii_uppercase();
    let words: Vec<&str> = upper.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    words.iter().any(|word| WORDS.contains(word))
        || words.windows(2).any(|pair| matches!(pair, [before, "KEY" | "KEYS"] if BEFORE_KEY.contains(before)))
        || (words.len() > 1 && words.last().is_some_and(|last| *last == "KEY"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_known_and_others_are_not() {
        for name in
            ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "ANTHROPIC_API_KEY", "db_password", "STRIPE_KEY", "GH_PAT"]
        {
            assert!(holds_credential(name), "{name}");
        }
        for name in ["PATH", "HOME", "KEYBOARD", "SSH_AUTH_SOCK", "MONKEY", "KEY", "TOKENIZERS_PARALLELISM"] {
            assert!(!holds_credential(name), "{name}");
        }
    }

    #[test]
    fn what_an_event_says_cannot_keep_a_program_from_starting() {
        let mut environment = Environment::new();
        environment.tell("A", "x\0y").tell("B", &"ä".repeat(LONGEST));
        assert_eq!(environment.get("A").unwrap(), "xy");
        assert_eq!(environment.get("B").unwrap().len(), LONGEST);
    }

    #[test]
    fn a_later_value_replaces_an_earlier_one() {
        let mut environment = Environment::new();
        environment.set("A", "1").set("B", "2").set("A", "3");
        let all: Vec<_> = environment.into_entries();
        assert_eq!(all, [("A".into(), "3".into()), ("B".into(), "2".into())]);
    }
}
