//! `hookweave lint --fix`: changes that can only be meant, each shown.

use std::path::{Path, PathBuf};

use hookweave_host::config::lint::{Finding, lint_text};

use super::Lint;
use crate::change::{Change, read, real_place, show_or_write};
use crate::failed::{Failed, Result};
use crate::screen::{BOLD, DIM, GOOD, Screen, count, styled};

/// A reader reports one misspelt key of an entry at a time; no entry has more keys than this that it knows.
const MOST_ROUNDS: usize = 64;

/// Fixes files, or shows what would be fixed; whether there was nothing to fix.
pub(super) fn all(screen: Screen<'_>, lint: &Lint, files: &[PathBuf], dry_run: bool) -> Result<bool> {
    let (mut changes, mut fixed) = (Vec::new(), 0);
    for file in files {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        let file = real_place(file, folder)?;
        let Some(before) = read(&file)? else {
            return Err(Failed::unreadable(&file, &std::io::ErrorKind::NotFound.into()));
        };
        let (after, number) = fix(lint, &file, &before)?;
        fixed += number;
        changes.push(Change { file, before: Some(before), after: Some(after), executable: false, is_ours: false });
    }
    changes.retain(|change| !change.is_empty());
    if changes.is_empty() {
        writeln!(screen, "{}", styled(DIM, "Nothing can be fixed for certain."))?;
        return Ok(true);
    }
    show_or_write(screen, &changes, dry_run)?;
    if dry_run {
        let what = format!("{} in {} would be fixed", count(fixed, "mistake"), count(changes.len(), "file"));
        writeln!(screen, "{what}; {} does it.", styled(BOLD, "hookweave lint --fix"))?;
    } else {
        let what = format!("{} in {} fixed.", count(fixed, "mistake"), count(changes.len(), "file"));
        writeln!(screen, "{}", styled(GOOD, &what))?;
        let note = "A changed hook of a project needs your approval again: `hookweave list` shows what waits.\n";
        writeln!(screen, "{}", styled(DIM, note.trim_end()))?;
        writeln!(screen)?;
    }
    Ok(false)
}

/// A file's text with every certain change, and how many there were.
fn fix(lint: &Lint, file: &Path, before: &str) -> Result<(String, usize)> {
    let (mark, mut text) = match before.strip_prefix('\u{FEFF}') {
        Some(rest) => ("\u{FEFF}", rest.to_owned()),
        None => ("", before.to_owned()),
    };
    let mut number = 0;
    for _ in 0..MOST_ROUNDS {
        let findings = lint.findings(lint_text(file, &text, &lint.options())?);
        match with_fixes(&text, &findings) {
            (_, 0) => break,
            (better, changes) => {
                text = better;
                number += changes;
            }
        }
    }
    Ok((format!("{mark}{text}"), number))
}

/// A text with the changes of some findings.
fn with_fixes(text: &str, findings: &[Finding]) -> (String, usize) {
    let mut fixes: Vec<_> = findings.iter().filter_map(|finding| finding.problem.fix.as_ref()).collect();
    fixes.sort_by_key(|fix| fix.range.start);
    fixes.dedup_by(|later, earlier| later.range.start < earlier.range.end);
    let mut text = text.to_owned();
    // From behind, so that what is still to be changed stays where it is.
    for fix in fixes.iter().rev() {
        text.replace_range(fix.range.clone(), &fix.text);
    }
    (text, fixes.len())
}
