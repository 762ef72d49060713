//! What an approval is for, line by line, and what of it changed since it was approved.

use hookweave_host::config::trust::{CoveredPart, CoveredText};

use crate::change::difference;
use crate::failed::Result;
use crate::screen::{DIM, Screen, WARN, count, shown, shown_lines, styled};

/// How many lines of a text are shown, unless it is asked for all that changed.
const MOST_LINES: usize = 40;

/// How many files are shown with their lines; a command may cover whole folders.
const MOST_FILES: usize = 20;

/// Shows the parts of an approval: what is new by its lines, what changed by what differs. With `only_changes` the changes
/// are whole, and what is as it was approved is left out.
pub(super) fn show(screen: Screen<'_>, parts: &[CoveredPart], only_changes: bool) -> Result<()> {
    let mut files = 0;
    for part in parts {
        let is_same = part.approved.is_some() && !part.is_changed();
        if only_changes && is_same {
            continue;
        }
        let name = match &part.file {
            None => "  entry".to_owned(),
            Some(file) => format!("  script  {}", shown(&file.display().to_string())),
        };
        let state = match (&part.approved, &part.now) {
            (None, CoveredText::Missing) => " (not there)",
            (Some(_), CoveredText::Missing) if !is_same => " (gone since it was approved)",
            (Some(_), _) if is_same => " (as it was approved)",
            (Some(CoveredText::Missing), _) => " (new since it was approved)",
            (Some(_), _) => " (changed since it was approved)",
            (None, _) => "",
        };
        let style = if part.is_changed() { WARN } else { DIM };
        writeln!(screen, "{name}{}", styled(style, state))?;
        files += usize::from(part.file.is_some());
        if !part.is_changed() && files > MOST_FILES {
            continue;
        }
        let lines = lines(part);
        let most = if only_changes { usize::MAX } else { MOST_LINES };
        for line in lines.iter().take(most) {
            writeln!(screen, "    {line}")?;
        }
        if let Some(more) = lines.len().checked_sub(most).filter(|more| *more > 0) {
            let fix = if part.is_changed() { "; --diff shows them" } else { "" };
            writeln!(screen, "    {}", styled(DIM, &format!("… {}{fix}", count(more, "more line"))))?;
        }
    }
    Ok(())
}

/// The lines of a part, ready for the screen.
fn lines(part: &CoveredPart) -> Vec<String> {
    let text = |text: &CoveredText| match text {
        CoveredText::Text(text) => Ok(text.clone()),
        CoveredText::Missing => Ok(String::new()),
        CoveredText::Hidden(why) => Err(styled(WARN, &format!("not shown: {why}"))),
    };
    let now = match text(&part.now) {
        Ok(now) => now,
        Err(why) => return vec![why],
    };
    let whole = || now.lines().map(shown_lines).collect();
    match part.approved.as_ref().filter(|_| part.is_changed()).map(text) {
        None => whole(),
        Some(Ok(approved)) => difference(&approved, &now),
        // Without the approved text all of it is to be reviewed.
        Some(Err(why)) => std::iter::once(why).chain(now.lines().map(shown_lines)).collect(),
    }
}
