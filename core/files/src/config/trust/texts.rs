//! The texts that a person approved, kept beside the store, so that what changed since can be shown.
//!
//! Each stands in a file that is called as its content is hashed: one that was written by somebody else is noticed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Covers, TrustedHook};
use crate::config::private_file::make_private;
use crate::open::open_file;
use hookweave_machine::hex::hex;

/// The longest text that is kept or shown, in bytes.
const MAX_TEXT: u64 = 256 * 1024;

/// Why an approved text cannot be shown.
const NOT_KEPT: &str =
    "what was approved is not kept: it was no text, longer than 256 KiB, or approved by an older version";

/// How many texts of one approval are kept: a command may cover whole folders.
const MAX_TEXTS: usize = 64;

/// What stands in the place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoveredText {
    /// The text.
    Text(String),
    /// Nothing was there.
    Missing,
    /// It cannot be shown, and why.
    Hidden(String),
}

/// One part of an approval: the entry, or a file that it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredPart {
    /// The file; `None` for the entry.
    pub file: Option<PathBuf>,
    /// As it is now.
    pub now: CoveredText,
    /// As it was approved; `None` where no earlier approval covers it.
    pub approved: Option<CoveredText>,
}

impl CoveredPart {
    /// Whether it is another thing than what was approved, as far as can be told.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.approved.as_ref().is_some_and(|approved| *approved != self.now)
    }
}

/// The folder with the texts of a store.
#[derive(Debug, Clone)]
pub(in crate::config) struct Texts {
    folder: PathBuf,
}

impl Texts {
    pub(in crate::config) fn beside(store: &Path) -> Self {
        let mut name = store.file_name().unwrap_or_default().to_os_string();
        name.push(".texts");
        Self { folder: store.with_file_name(name) }
    }

    /// Keeps what approvals cover, and takes away what none covers any more. A text that cannot be kept is missing later,
    /// which is said then; the approval counts all the same.
    pub(super) fn keep(&self, new: &[TrustedHook], all: &[TrustedHook]) {
        for approval in new {
            let covers = Covers::of(&approval.covers);
            for (hash, path) in covers.scripts.iter().filter(|script| is_hash(script.0)).take(MAX_TEXTS) {
                if let CoveredText::Text(text) = as_hashed(Path::new(path), hash)
                    && let Err(why) = self.write(hash, &text)
                {
                    tracing::warn!("the approved text of {path} is not kept: {why}");
                }
            }
        }
        let wanted: BTreeSet<String> = all
            .iter()
            .flat_map(|approval| Covers::of(&approval.covers).scripts.into_iter().map(|script| script.0.to_owned()))
            .collect();
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if !entry.file_name().to_str().is_some_and(|name| wanted.contains(name)) {
                _ = std::fs::remove_file(entry.path());
            }
        }
    }

    fn write(&self, hash: &str, text: &str) -> std::io::Result<()> {
        let place = self.folder.join(hash);
        if place.exists() {
            return Ok(());
        }
        make_private(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(place).map(drop).map_err(|error| error.error)
    }

    /// What was approved under a hash.
    fn read(&self, hash: &str) -> CoveredText {
        match hash {
            "missing" => CoveredText::Missing,
            _ if is_hash(hash) => match as_hashed(&self.folder.join(hash), hash) {
                CoveredText::Text(text) => CoveredText::Text(text),
                _ => CoveredText::Hidden(NOT_KEPT.into()),
            },
            _ => CoveredText::Hidden("what was approved could not be read".into()),
        }
    }

    /// The parts of an approval, beside those of the one that it replaces.
    pub(super) fn parts(&self, now: &TrustedHook, approved: Option<&TrustedHook>) -> Vec<CoveredPart> {
        let covers = Covers::of(&now.covers);
        let earlier = approved.map(|approved| Covers::of(&approved.covers));
        let entry = CoveredPart {
            file: None,
            now: entry_text(covers.text),
            approved: earlier.as_ref().map(|earlier| entry_text(earlier.text)),
        };
        let before: BTreeMap<&str, &str> =
            earlier.iter().flat_map(|earlier| &earlier.scripts).map(|(hash, path)| (*path, *hash)).collect();
        let present = covers.scripts.iter().map(|(hash, path)| CoveredPart {
            file: Some(PathBuf::from(path)),
            now: now_text(Path::new(path), hash),
            approved: before.get(path).map(|before| {
                // What is the same need not have been kept.
                if before == hash { now_text(Path::new(path), hash) } else { self.read(before) }
            }),
        });
        let is_left = |path: &str| !covers.scripts.iter().any(|script| script.1 == path);
        let gone = before.iter().filter(|(path, _)| is_left(path)).map(|(path, hash)| CoveredPart {
            file: Some(PathBuf::from(path)),
            now: CoveredText::Missing,
            approved: Some(self.read(hash)),
        });
        std::iter::once(entry).chain(present).chain(gone).collect()
    }

    /// How many lines changed, as a remark; nothing where it cannot be told.
    pub(in crate::config) fn changed_lines(&self, approved: &TrustedHook, now: &TrustedHook) -> Option<String> {
        let (mut added, mut removed) = (0, 0);
        for part in self.parts(now, Some(approved)).iter().filter(|part| part.is_changed()) {
            let text = |text: &CoveredText| match text {
                CoveredText::Text(text) => Some(text.clone()),
                CoveredText::Missing => Some(String::new()),
                CoveredText::Hidden(_) => None,
            };
            let (more, fewer) = line_counts(&text(part.approved.as_ref()?)?, &text(&part.now)?);
            (added, removed) = (added + more, removed + fewer);
        }
        let lines = |number: usize| if number == 1 { "1 line".to_owned() } else { format!("{number} lines") };
        match (added, removed) {
            (0, 0) => None,
            (added, 0) => Some(format!("{} more", lines(added))),
            (0, removed) => Some(format!("{} fewer", lines(removed))),
            (added, removed) => Some(format!("{} new, {removed} gone", lines(added))),
        }
    }
}

fn is_hash(hash: &str) -> bool {
    hash.len() == 64 && hash.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// A file that is covered, as it is now.
fn now_text(path: &Path, hash: &str) -> CoveredText {
    match hash {
        "missing" => CoveredText::Missing,
        _ => as_hashed(path, hash),
    }
}

/// The text of a file, if it is the one that was hashed.
fn as_hashed(path: &Path, hash: &str) -> CoveredText {
    let mut bytes = Vec::new();
    let read = open_file(path).and_then(|file| file.take(MAX_TEXT + 1).read_to_end(&mut bytes));
    if let Err(why) = read {
        return CoveredText::Hidden(format!("it cannot be read: {why}"));
    }
    if bytes.len() as u64 > MAX_TEXT {
        return CoveredText::Hidden(format!("it is longer than {} KiB", MAX_TEXT / 1024));
    }
    let digest: [u8; 32] = Sha256::digest(&bytes).into();
    if hex(&digest) != hash {
        return CoveredText::Hidden("it changed while it was looked at; run the command again".into());
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => CoveredText::Text(text),
        _ => CoveredText::Hidden("it is no text".into()),
    }
}

/// An entry as lines: its event and matcher, then its fields.
fn entry_text(json: &str) -> CoveredText {
    let Ok(entry) = serde_json::from_str::<Value>(json) else {
        return CoveredText::Hidden("it is too long to be kept, or was approved by an older version".into());
    };
    let mut lines = Vec::new();
    let hook = entry.get("hook").and_then(Value::as_object);
    let is_whole = |name: &str| hook.is_some_and(|hook| hook.contains_key(name));
    for name in ["event", "matcher"] {
        if let Some(value) = entry.get(name).filter(|value| !value.is_null() && !is_whole(name)) {
            push_field(&mut lines, name, value);
        }
    }
    match hook {
        Some(hook) => hook.iter().for_each(|(name, value)| push_field(&mut lines, name, value)),
        None => push_field(&mut lines, "hook", entry.get("hook").unwrap_or(&entry)),
    }
    CoveredText::Text(lines.join("\n"))
}

/// `name = value`; a text of several lines keeps them.
fn push_field(lines: &mut Vec<String>, name: &str, value: &Value) {
    match value.as_str().filter(|text| text.contains('\n')) {
        Some(text) => {
            lines.push(format!("{name} ="));
            lines.extend(text.lines().map(|line| format!("  {line}")));
        }
        None => lines.push(format!("{name} = {value}")),
    }
}

/// How many lines are new and how many are gone. Lines are counted, not aligned: that takes as long as the texts are long,
/// also for a text that was made to be hard to compare.
fn line_counts(before: &str, now: &str) -> (usize, usize) {
    let mut balance: BTreeMap<&str, isize> = BTreeMap::new();
    before.lines().for_each(|line| *balance.entry(line).or_default() -= 1);
    now.lines().for_each(|line| *balance.entry(line).or_default() += 1);
    let sum = |sign: isize| balance.values().map(|count| (count * sign).max(0).unsigned_abs()).sum();
    let (added, removed) = (sum(1), sum(-1));
    // The same lines in another order, or another line break.
    if (added, removed) == (0, 0) && before != now { (1, 1) } else { (added, removed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted() {
        assert_eq!(line_counts("a\nb\n", "a\nc\nd\n"), (2, 1));
        assert_eq!(line_counts("a\na\n", "a\n"), (0, 1));
        assert_eq!(line_counts("a\nb\n", "b\na\n"), (1, 1));
        assert_eq!(line_counts("a", "a"), (0, 0));
    }

    #[test]
    fn an_entry_is_shown_as_its_fields() {
        let shown = |json: &str| match entry_text(json) {
            CoveredText::Text(text) => text,
            other => format!("{other:?}"),
        };
        let grouped = r#"{"event": "Stop", "matcher": "x|y", "hook": {"command": "a\nb", "timeout": 3}}"#;
        assert_eq!(shown(grouped), "event = \"Stop\"\nmatcher = \"x|y\"\ncommand =\n  a\n  b\ntimeout = 3");
        assert_eq!(shown(r#"{"event": "Stop", "matcher": null, "hook": {"event": "Stop"}}"#), "event = \"Stop\"");
    }
}
