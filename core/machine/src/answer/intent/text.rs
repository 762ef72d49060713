//! What was meant by text that should have been JSON.

use super::{Intent, Key, WORDS, is_one_of, key, says_no};

/// What broken JSON meant: each known key is compared with the value behind it, regardless of the text around them.
///
/// Quotes are not counted, because one that is missing or too many is what breaks most answers. Linear in the text.
pub fn of_text(text: &str) -> Intent {
    let mut meant = Intent::Nothing;
    let mut rest = text;
    while let Some(at) = rest.find(is_of_a_word) {
        let from = rest.get(at..).unwrap_or_default();
        let (name, after) = word(from);
        if let Some(known) = key(name)
            && let Some(value) = value_behind(after)
        {
            meant = meant.max(field(known, value));
            if meant == Intent::Refuses {
                return meant;
            }
        }
        rest = after;
    }
    meant
}

const fn is_of_a_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter| !is_of_a_word(letter)).unwrap_or(text.len()))
}

/// The longest comment that is skipped, in bytes: looking further behind each word would take quadratic time.
const LONGEST_COMMENT: usize = 256;

/// What stands behind the end of a comment; nothing when it does not end soon.
fn past<'t>(text: &'t str, end: &[u8]) -> &'t str {
    let near = text.as_bytes().windows(end.len()).take(LONGEST_COMMENT).position(|found| found == end);
    near.and_then(|at| text.get(at + end.len()..)).unwrap_or_default()
}

/// Takes quotes, white space and comments from the front.
fn past_quotes(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(|letter: char| {
            letter.is_whitespace() || letter.is_control() || matches!(letter, '"' | '\'' | '`' | '\\' | '\u{feff}')
        });
        text = if let Some(comment) = text.strip_prefix("/*") {
            past(comment, b"*/")
        } else if let Some(comment) = text.strip_prefix("//") {
            past(comment, b"\n")
        } else {
            return text;
        };
    }
}

/// What stands behind a key and its colon.
fn value_behind(text: &str) -> Option<&str> {
    past_quotes(text).strip_prefix([':', '=']).map(past_quotes)
}

fn field(known: Key, text: &str) -> Intent {
    let (value, after) = word(text);
    // The text may end within the word.
    let is_cut = after.is_empty() && !value.is_empty();
    let begins_no =
        || WORDS.iter().any(|word| word.get(..value.len()).is_some_and(|it| it.eq_ignore_ascii_case(value)));
    let refuses = match known {
        Key::Decides => says_no(value) || (is_cut && begins_no()),
        Key::Rewrites if text.is_empty() || value == "null" => false,
        Key::Rewrites => return Intent::Rewrites,
        Key::Reports | Key::Holds | Key::RewritesWithin => false,
        Key::Asks => value != "null",
        Key::Refuses if value.is_empty() => text.starts_with(['{', '[']),
        Key::Refuses => !is_one_of(value, &["false", "no", "none", "never", "null", "undefined", "0"]),
        Key::Passes => says_no(value) || is_one_of(value, &["never", "none", "0"]),
    };
    if refuses { Intent::Refuses } else { Intent::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_json_says_what_it_says() {
        for no in [
            r#"{"action":"block"} trailing"#,
            "{\"action\":\"block\",\"reason\":\"two\nlines\"}",
            r#"{"action":"block",}"#,
            r#"{"reason":"x","action":"blo"#,
            r#"{"reason":"a 5" disk","action":"deny"}"#,
            "{'action': 'block'}",
            "{action: block}",
            r#"{"action": /* why */ "block"}"#,
            r#"{"hookSpecificOutput":{"permissionDecision":"deny""#,
            r#"{"hookSpecificOutput":{"decision":{"behavior":"deny""#,
            "{\\\"decision\\\":\\\"block\\\"}",
            r#"{"continue":false,"#,
            r#"{"Reject":{"reason":"#,
            "{\"action\"\0:\"block\"}",
        ] {
            assert_eq!(of_text(no), Intent::Refuses, "{no}");
        }
        assert_eq!(of_text(r#"{"updatedInput":{"command":"ls"#), Intent::Rewrites);
        for other in
            ["", "{", r#"{"action":"allow","#, "{\"block\":false", "a transaction: block", "stop", r#"{"action":"#]
        {
            assert_eq!(of_text(other), Intent::Nothing, "{other}");
        }
    }

    #[test]
    fn hostile_text_costs_linear_time() {
        for part in ["\"", "action:", "/*", "action", "\\", "é", "action /*"] {
            assert_eq!(of_text(&part.repeat(50_000)), Intent::Nothing, "{part}");
        }
    }
}
