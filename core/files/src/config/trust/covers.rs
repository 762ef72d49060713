//! What an approval is for, part by part, so that a person is told what changed.

use serde_json::json;

use super::fingerprint::hash;
use crate::config::Declared;
use crate::config::guard::{Content, Guard};
use hookweave_machine::hex::hex;
use hookweave_machine::hook::Enforcement;

/// The longest entry that an approval keeps, in bytes.
const MAX_ENTRY: usize = 64 * 1024;

/// The parts of an approval; each line of [`TrustedHook::covers`](super::TrustedHook::covers) is one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct Covers<'c> {
    /// The hash of the entry.
    pub(in crate::config) entry: &'c str,
    /// The entry as JSON; empty where it is too long to be kept.
    pub(in crate::config) text: &'c str,
    /// Its hook only observes: nothing waits for what it decides.
    pub(in crate::config) observes: bool,
    /// The hash of each file that it runs, and its path.
    pub(in crate::config) scripts: Vec<(&'c str, &'c str)>,
}

/// What became of an approved hook.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::config) enum Change {
    /// Its entry is another one.
    Entry,
    /// A file that it runs.
    Script(String),
    /// It cannot be told what: the approval does not say what it was for.
    Unknown,
}

/// The parts of a hook as it is now.
pub(in crate::config) fn covers(declared: &Declared, guard: &Guard) -> Vec<String> {
    let entry = hash(&json!({
        "scope": declared.spec.scope,
        "dialect": declared.dialect.name(),
        "entry": declared.entry,
    }));
    let spec = &declared.spec;
    let observes = spec.detached || !spec.enabled || spec.enforcement == Some(Enforcement::Observe);
    let scripts = guard.contents().map(|(path, content)| {
        let content = match content {
            Content::Hash(hash) => hex(hash),
            Content::Missing => "missing".to_owned(),
            Content::Unreadable(_) => "unreadable".to_owned(),
        };
        format!("script {content} {}", path.to_string_lossy())
    });
    // The entry itself too, so that a person is shown what of it changed.
    let text =
        Some(declared.entry.to_string()).filter(|text| text.len() <= MAX_ENTRY).map(|text| format!("text {text}"));
    std::iter::once(format!("entry {entry}"))
        .chain(text)
        .chain(observes.then(|| "observes".to_owned()))
        .chain(scripts)
        .collect()
}

impl<'c> Covers<'c> {
    pub(in crate::config) fn of(lines: &'c [String]) -> Self {
        let mut covers = Self::default();
        for line in lines {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "entry" => covers.entry = rest,
                "text" => covers.text = rest,
                "observes" => covers.observes = true,
                "script" => covers.scripts.push(rest.split_once(' ').unwrap_or((rest, ""))),
                _ => {}
            }
        }
        covers
    }

    /// What of it is another thing now; of several changes the gravest.
    pub(in crate::config) fn change(&self, now: &Self) -> Change {
        if self.entry.is_empty() || now.entry.is_empty() {
            return Change::Unknown;
        }
        if self.entry != now.entry {
            return Change::Entry;
        }
        let before = self.scripts.iter().find(|script| !now.scripts.contains(script));
        let changed = before.or_else(|| now.scripts.iter().find(|script| !self.scripts.contains(script)));
        changed.map_or(Change::Unknown, |(_, path)| Change::Script((*path).to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_change_is_told() {
        let lines = |text: &str| text.split(", ").map(str::to_owned).collect::<Vec<String>>();
        let before = lines("entry a, script 1 /p/g sh, script 2 /p/x");
        for (now, change) in [
            ("entry b, script 1 /p/g sh, script 2 /p/x", Change::Entry),
            ("entry a, script 9 /p/g sh, script 9 /p/x", Change::Script("/p/g sh".to_owned())),
            ("entry a, script 2 /p/x", Change::Script("/p/g sh".to_owned())),
            ("entry a, script 1 /p/g sh, script 2 /p/x, script 3 /p/new", Change::Script("/p/new".to_owned())),
            ("entry a, script 1 /p/g sh, script 9 /p/x", Change::Script("/p/x".to_owned())),
            ("entry a, script 1 /p/g sh, script 2 /p/x", Change::Unknown),
        ] {
            assert_eq!(Covers::of(&before).change(&Covers::of(&lines(now))), change, "{now}");
        }
        assert_eq!(Covers::default().change(&Covers::of(&before)), Change::Unknown);
    }
}
