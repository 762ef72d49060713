//! Patches that a line hands to `apply_patch`: the files that they name are written.
//!
//! Their text is an argument or a here-document, which is no command. So it is looked for in the line as it is written.

use super::words::{Word, read};
use super::{Line, program_name};

/// Programs that apply such a patch.
const PROGRAMS: &[&str] = &["apply_patch", "applypatch", "apply-patch"];

/// What stands before the name of a file.
const SIGNS: &[&str] = &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Adds the files of a line's patches to those that it writes.
pub(super) fn add(text: &str, line: &mut Line) {
    let applies = |(program, ..): (&str, &[Word], bool)| PROGRAMS.contains(&program_name(program));
    if !line.commands.iter().any(|command| command.calls().any(applies)) {
        return;
    }
    // `$'…'` and `printf` write a line break so.
    let text = text.replace("\\n", "\n");
    for written in text.lines() {
        let Some(path) = SIGNS.iter().find_map(|sign| written.trim_start().strip_prefix(sign)) else { continue };
        let path = path.trim().trim_end_matches(['\'', '"']);
        if path.is_empty() {
            continue;
        }
        let mut filled = || read(&format!("\"{path}\""), line).unwrap_or_else(|| Word::assigned(path));
        let word = if path.contains(['$', '`', '\\']) { filled() } else { Word::of(path) };
        line.writes.push(word);
    }
}
