//! What a command finds in its environment, and what it leaves there for later commands.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;

use serde_json::{Map, Value};

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

/// The longest file of variables that is read, in bytes.
const MAX_ENV_FILE: u64 = 256 * 1024;

/// Variables and their values; a name stands once.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// The process's own, as it is now.
    pub(super) fn of_process() -> Self {
        Self(std::env::vars_os().collect())
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

/// A file in which a hook leaves variables for later commands.
#[derive(Debug)]
pub(super) struct EnvFile {
    variable: &'static str,
    file: tempfile::NamedTempFile,
}

impl EnvFile {
    pub(super) fn new(variable: &'static str) -> std::io::Result<Self> {
        let file = tempfile::Builder::new().prefix("hookweave-env-").suffix(".sh").tempfile()?;
        Ok(Self { variable, file })
    }

    /// The variable that names the file.
    pub(super) fn variable(&self) -> (&'static str, OsString) {
        (self.variable, self.file.path().into())
    }

    /// The variables that were left, one `NAME=value` or `export NAME=value` a line; other lines say nothing.
    pub(super) fn read(self) -> Map<String, Value> {
        let mut text = Vec::new();
        let opened = std::fs::File::open(self.file.path());
        if opened.and_then(|file| file.take(MAX_ENV_FILE).read_to_end(&mut text)).is_err() {
            return Map::new();
        }
        String::from_utf8_lossy(&text).lines().filter_map(assignment).collect()
    }
}

fn assignment(line: &str) -> Option<(String, Value)> {
    let line = line.trim();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).trim_start().split_once('=')?;
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_name = begins && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    is_name.then(|| (name.to_owned(), Value::String(unquoted(value).to_owned())))
}

fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    value
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

    #[test]
    fn assignments_are_read_and_other_lines_are_not() {
        assert_eq!(assignment("export NODE_ENV=\"production\""), Some(("NODE_ENV".into(), "production".into())));
        assert_eq!(assignment("A='b c'"), Some(("A".into(), "b c".into())));
        for line in ["# A=b", "echo hi", "1A=b", "rm -rf $A=b", ""] {
            assert_eq!(assignment(line), None, "{line}");
        }
    }
}
