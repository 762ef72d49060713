//! Patterns over command lines: `git *`, `npm run test:*`.

use regex::Regex;

use super::super::shell;
use super::Verdict;

/// A pattern over one simple command.
#[derive(Debug, Clone)]
pub(super) struct Command {
    patterns: Vec<Regex>,
    /// It asks for more than the program's name.
    is_specific: bool,
}

impl Command {
    /// `git *` and `git:*` are the program with any arguments or none; elsewhere `*` is any text.
    pub(super) fn new(content: &str) -> Result<Self, String> {
        let head = content.strip_suffix(":*").or_else(|| content.strip_suffix(" *"));
        let mut patterns = Vec::new();
        if let Some(head) = head {
            patterns.push(wildcard(head.trim_end(), "(?:\\s.*)?")?);
        }
        // `npm run test:*` is also meant as it is written, for `npm run test:unit`.
        if !content.ends_with(" *") {
            patterns.push(wildcard(content, "")?);
        }
        let rest = head.unwrap_or(content).trim().trim_end_matches('*');
        Ok(Self { patterns, is_specific: rest.trim_end().contains(char::is_whitespace) })
    }

    pub(super) fn judge(&self, line: &str) -> Verdict {
        let Some(line) = shell::parse(line) else { return Verdict::MURKY };
        let hits = |command: &shell::Simple| {
            command.texts.iter().any(|text| self.patterns.iter().any(|pattern| pattern.is_match(text.trim())))
        };
        let unknown = self.is_specific && line.is_dynamic;
        let selects = unknown || line.commands.iter().any(|command| command.is_nameless || hits(command));
        let covers = !unknown
            && !line.commands.is_empty()
            && line.commands.iter().all(|command| !command.is_nameless && hits(command));
        Verdict { selects, covers }
    }
}

/// A pattern in which `*` is any text and `\*` a star, anchored at both ends.
fn wildcard(text: &str, tail: &str) -> Result<Regex, String> {
    let mut pattern = String::from("(?s)^");
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '*' => pattern.push_str(".*"),
            '\\' if letters.as_str().starts_with('*') => {
                letters.next();
                pattern.push_str("\\*");
            }
            letter => pattern.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4]))),
        }
    }
    pattern.push_str(tail);
    pattern.push('$');
    Regex::new(&pattern).map_err(|why| format!("`{text}` is no pattern: {why}"))
}
