//! `RUN` of a Dockerfile.

use super::script::{Held, SHELL, Script};
use crate::hook_command::quoted;

/// The commands that building the image runs.
pub(super) fn read(text: &str) -> Held {
    let lines: Vec<&str> = text.lines().collect();
    let escape = escape_of(&lines);
    let mut held = Held::default();
    let mut tool = Some(SHELL);
    let mut at = 0;
    while at < lines.len() {
        let (mut whole, next) = instruction(&lines, at, escape);
        let number = at + 1;
        at = next;
        let Some((name, words)) = whole.text.trim_start().split_once(char::is_whitespace) else { continue };
        let (name, words) = match words.trim_start().split_once(char::is_whitespace) {
            Some((inner, rest)) if name.eq_ignore_ascii_case("onbuild") => (inner, rest),
            _ => (name, words),
        };
        match name.to_ascii_uppercase().as_str() {
            "SHELL" => tool = shell_of(words),
            "RUN" => {
                let words = without_flags(words);
                if let Some(parts) = exec_form(words) {
                    held.scripts.push(Script::in_line(number, parts));
                    continue;
                }
                let Some(tool) = tool else {
                    held.unread
                        .push((number, "the shell of this `RUN` is not known here; look at it yourself".to_owned()));
                    continue;
                };
                let documents = documents_of(words);
                let is_script = documents.first().is_some_and(|document| document.is_all_of(words));
                whole.text = if is_script { String::new() } else { words.to_owned() };
                let skipped = whole.lines.len() - whole.text.split('\n').count().min(whole.lines.len());
                whole.lines.drain(..if is_script { whole.lines.len() } else { skipped });
                for document in &documents {
                    while let Some(line) = lines.get(at) {
                        at += 1;
                        let is_end = document.ends_with(line);
                        if !(is_script && is_end) {
                            whole.add(&Script::in_line(at, (*line).to_owned()));
                        }
                        if is_end {
                            break;
                        }
                    }
                }
                whole.tool = tool;
                held.scripts.push(whole);
            }
            _ => {}
        }
    }
    held
}

/// The letter that continues a line, as a comment at the beginning may set it.
fn escape_of(lines: &[&str]) -> char {
    let directives = lines.iter().map_while(|line| line.trim().strip_prefix('#'));
    let set =
        directives.filter_map(|line| line.split_once('=')).find(|(name, _)| name.trim().eq_ignore_ascii_case("escape"));
    set.and_then(|(_, value)| value.trim().chars().next()).unwrap_or('\\')
}

/// An instruction with the lines that continue it, without the comments between them, and where the next one begins.
fn instruction(lines: &[&str], from: usize, escape: char) -> (Script, usize) {
    let mut whole = Script::empty();
    let mut at = from;
    while let Some(line) = lines.get(at) {
        at += 1;
        let is_left_out = line.trim_start().starts_with('#') || at > from + 1 && line.trim().is_empty();
        if is_left_out {
            if whole.lines.is_empty() {
                break;
            }
            continue;
        }
        let end = line.trim_end();
        let Some(part) = end.strip_suffix(escape) else {
            whole.add(&Script::in_line(at, end.to_owned()));
            break;
        };
        whole.add(&Script::in_line(at, format!("{part}\\")));
    }
    (whole, at)
}

/// The tool that stands for the shell of a `SHELL` instruction.
fn shell_of(words: &str) -> Option<&'static str> {
    let words: Vec<String> = serde_json::from_str(words).ok()?;
    super::tool_of(words.first()?)
}

/// What follows the flags of a `RUN`.
fn without_flags(words: &str) -> &str {
    let mut words = words.trim_start_matches(is_between);
    while words.starts_with("--") {
        let end = words.find(is_between).unwrap_or(words.len());
        words = words.get(end..).unwrap_or_default().trim_start_matches(is_between);
    }
    words
}

/// What stands between words of one instruction.
fn is_between(letter: char) -> bool {
    letter.is_whitespace() || letter == '\\'
}

/// The command of a list of words, as a line.
fn exec_form(words: &str) -> Option<String> {
    let joined = words.replace("\\\n", " ");
    let words: Vec<String> = serde_json::from_str(joined.trim()).ok()?;
    let words: Vec<String> = words.iter().map(|word| quoted(std::path::Path::new(word))).collect();
    Some(words.join(" "))
}

/// A here-document that an instruction announces.
struct Document {
    word: String,
    /// What announces it.
    mark: String,
    strips_tabs: bool,
}

impl Document {
    fn ends_with(&self, line: &str) -> bool {
        let line = if self.strips_tabs { line.trim_start_matches('\t') } else { line };
        line.trim_end_matches('\r') == self.word
    }

    fn is_all_of(&self, words: &str) -> bool {
        words.trim() == self.mark
    }
}

fn documents_of(words: &str) -> Vec<Document> {
    let document = |part: &str| {
        let (rest, strips_tabs) = part.strip_prefix('-').map_or((part, false), |rest| (rest, true));
        let end = rest.find([' ', '\t', '\n', ';', '&', '|', '>', ')']).unwrap_or(rest.len());
        let written = rest.get(..end)?;
        let word = written.trim_matches(['"', '\'']);
        let is_word =
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.');
        let mark = format!("<<{}{written}", if strips_tabs { "-" } else { "" });
        is_word.then(|| Document { word: word.to_owned(), mark, strips_tabs })
    };
    let parts = words.split("<<").skip(1).filter(|part| !part.starts_with('<'));
    parts.filter_map(document).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::POWER_SHELL;

    fn runs(text: &str) -> Vec<(Vec<usize>, String)> {
        read(text).scripts.into_iter().map(|script| (script.lines, script.text)).collect()
    }

    #[test]
    fn each_form_of_run_is_read() {
        let one = |lines: Vec<usize>, text: &str| vec![(lines, text.to_owned())];
        assert_eq!(runs("FROM x\nRUN ls -l\nCMD [\"rm\"]\n"), one(vec![2], "ls -l"));
        assert_eq!(runs("RUN a && \\\n  # why\n\n  b\n"), one(vec![1, 4], "a && \\\n  b"));
        assert_eq!(
            runs("run --mount=type=cache,target=/x \\\n  --network=none \\\n  apt update\n"),
            one(vec![3], "apt update")
        );
        assert_eq!(runs("RUN [\"sh\", \"-c\", \"rm -rf /\"]\n"), one(vec![1], "sh -c 'rm -rf /'"));
        assert_eq!(runs("ONBUILD RUN ls\n"), one(vec![1], "ls"));
        assert_eq!(runs("RUN <<EOF\nls\nrm x\nEOF\nFROM y\n"), one(vec![2, 3], "ls\nrm x"));
        assert_eq!(runs("RUN cat <<-'E' > x\nls\n\tE\n"), one(vec![1, 2, 3], "cat <<-'E' > x\nls\n\tE"));
        assert_eq!(runs("# escape=`\nRUN a `\n  b\n"), one(vec![2, 3], "a \\\n  b"));
        assert_eq!(runs("# RUN x\nFROM y\n"), vec![]);
        assert_eq!(runs("RUN <<EOF\nls"), one(vec![2], "ls"));
    }

    #[test]
    fn another_shell_is_known_or_named() {
        let held = read("SHELL [\"powershell\", \"-Command\"]\nRUN x\nSHELL [\"cmd\", \"/S\"]\nRUN y\nRUN [\"z\"]\n");
        assert_eq!(held.scripts[0].tool, POWER_SHELL);
        assert_eq!(held.scripts[1].text, "z");
        assert_eq!(held.unread[0].0, 4);
    }
}
