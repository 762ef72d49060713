//! Secrets on the lines below their name, as YAML writes texts of several lines.

use super::REDACTED;
use regex::Regex;

/// The line with the name: `password: |`. Its group `indent` is what stands before it.
pub(super) const HEADER: &str = r#"(?im)^(?P<indent>[ \t]*(?:- +)*)["']?[\w./-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credential|_auth)s?[\w.-]*["']?[ \t]*:[ \t]+[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?\n"#;

/// A text without the blocks under such lines; `None` when it has none.
pub(super) fn without_blocks(header: &Regex, text: &str) -> Option<String> {
    let mut clean = String::new();
    let mut at = 0;
    while let Some(found) = header.captures_at(text, at) {
        let outer = found.name("indent").map_or(0, |indent| indent.len());
        let begins = found.get_match().end();
        let (indent, length) = block(text.get(begins..).unwrap_or_default(), outer);
        clean.push_str(text.get(at..begins).unwrap_or_default());
        if length > 0 {
            clean.push_str(indent);
            clean.push_str(REDACTED);
            clean.push('\n');
        }
        at = begins + length;
    }
    (at > 0).then(|| clean + text.get(at..).unwrap_or_default())
}

/// The indentation and the length of the block that a text begins with: the lines further in than its name.
fn block(text: &str, outer: usize) -> (&str, usize) {
    let (mut inner, mut length) = (None, 0);
    let mut blank = 0;
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start_matches([' ', '\t']);
        let indent = line.get(..line.len() - rest.len()).unwrap_or_default();
        if rest.trim().is_empty() {
            blank += line.len();
            continue;
        }
        let first: &str = inner.get_or_insert(indent);
        if indent.len() <= outer || indent.len() < first.len() {
            break;
        }
        length += blank + line.len();
        blank = 0;
    }
    (inner.unwrap_or_default(), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        without_blocks(&Regex::new(HEADER).unwrap(), text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn a_block_ends_where_the_lines_are_no_further_in_than_its_name() {
        assert_eq!(clean("password: |\n  one\n\n  two\nuser: u\n"), "password: |\n  [redacted]\nuser: u\n");
        assert_eq!(
            clean("a:\n  dbPassword: >-\n    one\n  user: u"),
            "a:\n  dbPassword: >-\n    [redacted]\n  user: u"
        );
        assert_eq!(clean("- token: |2\n    one"), "- token: |2\n    [redacted]\n");
        assert_eq!(clean("secret: |\r\n  one\r\nx: y"), "secret: |\r\n  [redacted]\nx: y");
    }

    #[test]
    fn what_follows_an_empty_block_stays() {
        for text in ["a:\n  password: |\n  user: u", "password: |\n", "password: |\nuser: u", "script: |\n  make"] {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn each_of_many_blocks_is_found() {
        let many = "token: |\n  x\n".repeat(3000);
        assert_eq!(clean(&many), "token: |\n  [redacted]\n".repeat(3000));
    }
}
