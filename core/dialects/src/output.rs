//! What a hook printed: as text, as JSON, as a line for a message.
//!
//! Every dialect reads its own way; these are the pieces. Nothing here panics or takes more than linear time,
//! for any output.

mod ansi;

use std::borrow::Cow;

use serde_json::{Map, Value};

use hookweave_machine::answer::intent;
use hookweave_machine::json::{from_json, from_json_keeping};

pub use ansi::without_ansi;

/// The longest text of a hook that a message repeats, in characters.
pub const SHOWN: usize = 500;

/// What a hook printed as text: lossy UTF-8, without a byte order mark and without white space around it.
#[must_use]
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) => Cow::Owned(trim(&text).to_owned()),
    }
}

/// Takes white space from both ends; a byte order mark counts as such, as it does in JavaScript.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}')
}

/// The first line that is not empty, trimmed, without terminal control sequences and at most [`SHOWN`] long.
#[must_use]
pub fn first_line(text: &str) -> String {
    without_ansi(text).lines().map(trim).find(|line| !line.is_empty()).map(shown).unwrap_or_default()
}

/// The last line that is not empty, trimmed and without terminal control sequences.
#[must_use]
pub fn last_line(text: &str) -> String {
    without_ansi(text).lines().rev().map(trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// A text of at most [`SHOWN`] characters, with an ellipsis where it was cut.
#[must_use]
pub fn shown(text: &str) -> String {
    shortened(text, SHOWN)
}

/// A text of at most so many characters, with an ellipsis where it was cut.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// How a process ended, for a message: its code or signal, and the first line that it left.
#[must_use]
pub fn ending(code: Option<i32>, signal: Option<i32>, stdout: &str, stderr: &str) -> String {
    let how = match (code, signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended without an exit code".to_owned(),
    };
    let line = Some(first_line(stderr)).filter(|line| !line.is_empty()).unwrap_or_else(|| first_line(stdout));
    if line.is_empty() { how } else { format!("{how}: {line}") }
}

/// What a text is to a reader of JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// An object.
    Object(Map<String, Value>),
    /// Another JSON value.
    Other(Value),
    /// No JSON.
    Not,
    /// It may be JSON, but cannot be read here: too deep, or a number beyond all bounds. It says something, so
    /// it must not count as nothing.
    Unreadable(String),
}

/// How the reasons begin for which text is JSON and yet cannot be read.
const UNREADABLE: [&str; 3] = ["recursion limit", "number out of range", "an object cannot begin with"];

/// Reads a whole text as JSON.
#[must_use]
pub fn parse(text: &str) -> Json {
    let text = trim(text);
    match read(text).or_else(|why| again(text, why)) {
        Ok(Value::Object(fields)) => Json::Object(fields),
        Ok(other) => Json::Other(other),
        Err(why) => {
            let words = why.to_string();
            if UNREADABLE.iter().any(|beginning| words.starts_with(beginning)) {
                Json::Unreadable(words)
            } else {
                Json::Not
            }
        }
    }
}

/// Reads JSON; of a key that is given twice the stricter value counts, and of equals the last, as everywhere.
fn read(text: &str) -> Result<Value, serde_json::Error> {
    from_json_keeping(text, &|key, earlier, later| {
        let meant = |value: &Value| intent::of_field(&hookweave_machine::json::Json, key, &value);
        meant(earlier) > meant(later)
    })
}

/// Reads a text as JSON only when it begins like an object; everything else is [`Json::Not`].
#[must_use]
pub fn parse_object_first(text: &str) -> Json {
    if trim(text).starts_with('{') { parse(text) } else { Json::Not }
}

/// Reads a text as JSON, and what it holds once more when it is a string: some hooks encode twice.
#[must_use]
pub fn parse_twice(text: &str) -> Json {
    match parse(text) {
        Json::Other(Value::String(inner)) => match parse(&inner) {
            Json::Not => Json::Other(Value::String(inner)),
            inner => inner,
        },
        other => other,
    }
}

/// Half a surrogate pair is no error where hooks come from, so it becomes the replacement character.
fn again(text: &str, why: serde_json::Error) -> Result<Value, serde_json::Error> {
    if is_about_surrogates(&why) { read(&with_whole_surrogates(text)) } else { Err(why) }
}

/// Reads what an agent sent. A byte order mark is ignored and half a surrogate pair becomes the replacement character, as
/// for JavaScript: an event that no hook can read would stop the agent whatever its hooks think of it.
pub(super) fn from_agent(text: &str) -> Result<Value, serde_json::Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    from_json(text)
        .or_else(|why| if is_about_surrogates(&why) { from_json(&with_whole_surrogates(text)) } else { Err(why) })
}

fn is_about_surrogates(why: &serde_json::Error) -> bool {
    let words = why.to_string();
    words.contains("surrogate") || words.contains("hex escape")
}

/// Replaces `\ud800`-like escapes that have no other half.
fn with_whole_surrogates(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        whole.push_str(before);
        let (taken, instead) = match escape(from) {
            Some(0xd800..=0xdbff) => match from.get(6..).and_then(escape) {
                Some(0xdc00..=0xdfff) => (12, None),
                _ => (6, Some("\\ufffd")),
            },
            Some(0xdc00..=0xdfff) => (6, Some("\\ufffd")),
            Some(_) => (6, None),
            // An escaped letter of any length: the backslash and one character.
            None => (1 + from.chars().nth(1).map_or(0, char::len_utf8), None),
        };
        let (escaped, after) = from.split_at_checked(taken).unwrap_or((from, ""));
        whole.push_str(instead.unwrap_or(escaped));
        rest = after;
    }
    whole.push_str(rest);
    whole
}

/// The number of a `\uXXXX` at the beginning.
fn escape(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// A JSON object that follows other text, on lines of its own: what a hook meant that printed something first.
#[must_use]
pub fn object_behind_text(text: &str) -> Option<Map<String, Value>> {
    let plain = without_ansi(text);
    let plain = trim(&plain);
    let at = if plain.starts_with('{') { 0 } else { plain.find("\n{")? + 1 };
    match parse(plain.get(at..)?) {
        Json::Object(fields) => Some(fields),
        _ => None,
    }
}

/// The remark on an answer that was printed to standard error, where it is not read; none on a log in JSON.
#[must_use]
pub fn misplaced_answer(stderr: &str) -> Option<&'static str> {
    const WORDS: [&str; 7] = [
        "decision",
        "permissionDecision",
        "hookSpecificOutput",
        "continue",
        "stopReason",
        "systemMessage",
        "suppressOutput",
    ];
    let fields = object_behind_text(stderr)?;
    WORDS
        .iter()
        .any(|word| fields.contains_key(*word))
        .then_some("JSON on standard error is not read; an answer is printed to standard output")
}

/// What kind of JSON a value is, for messages.
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_loses_mark_and_white_space_and_never_fails() {
        assert_eq!(text(b"\xef\xbb\xbf {}\r\n"), "{}");
        assert_eq!(text(b"\xff ok"), "\u{fffd} ok");
    }

    #[test]
    fn an_answer_on_standard_error_is_told_from_a_log() {
        for answer in
            [r#"{"decision": "block"}"#, "starting\n{\"hookSpecificOutput\": {}}", "\u{1b}[1m\n{\"continue\": false}\n"]
        {
            assert!(misplaced_answer(answer).is_some(), "{answer}");
        }
        for log in
            ["", "decision", r#"{"level": "info", "msg": "decision"}"#, "{\"decision\": 1}\n{\"decision\": 2}", "[1]"]
        {
            assert_eq!(misplaced_answer(log), None, "{log}");
        }
    }

    #[test]
    fn a_long_line_is_cut_at_a_character() {
        let line = first_line(&format!("\n\n  {}\nsecond", "é".repeat(SHOWN + 5)));
        assert_eq!(line.chars().count(), SHOWN + 1);
        assert!(line.ends_with('…'));
        assert_eq!(last_line("a\n b \n\n"), "b");
    }

    #[test]
    fn half_a_surrogate_pair_is_read_as_javascript_would() {
        assert_eq!(parse(r#"{"a":"\ud83d!"}"#), Json::Object(json!({"a": "\u{fffd}!"}).as_object().cloned().unwrap()));
        assert_eq!(parse(r#""\ud83d\ude00 \\ud83d \udc00""#), Json::Other(json!("\u{1f600} \\ud83d \u{fffd}")));
        assert_eq!(parse("\"\\ud83"), Json::Not);
        assert_eq!(parse("\"\\é\\ud800"), Json::Not);
    }

    #[test]
    fn of_a_key_that_is_given_twice_the_stricter_value_counts() {
        for (text, read) in [
            (r#"{"action":"block","action":"allow"}"#, json!({"action": "block"})),
            (r#"{"action":"allow","action":"deny","action":"allow"}"#, json!({"action": "deny"})),
            (r#"{"ok":false,"ok":true}"#, json!({"ok": false})),
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"}}"#,
                json!({"hookSpecificOutput": {"permissionDecision": "deny"}}),
            ),
            (r#"{"reason":"a","reason":"b"}"#, json!({"reason": "b"})),
        ] {
            assert_eq!(parse(text), Json::Object(read.as_object().cloned().unwrap()), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_here_is_not_nothing() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
        assert!(matches!(parse(&deep), Json::Unreadable(_)));
        assert!(matches!(parse(r#"{"a":1e999}"#), Json::Unreadable(_)));
    }

    #[test]
    fn each_dialect_has_its_idea_of_json() {
        assert_eq!(parse_object_first("[1]"), Json::Not);
        assert_eq!(parse_twice(r#""{\"a\":1}""#), parse(r#"{"a":1}"#));
        assert_eq!(parse_twice(r#""plain""#), Json::Other(json!("plain")));
        assert_eq!(parse("{} trailing"), Json::Not);
        assert!(object_behind_text("npm warn\n\u{1b}[32m{\"a\":1}\u{1b}[0m\n").is_some());
        assert!(object_behind_text("plain {\"a\":1}").is_none());
    }

    #[test]
    fn an_ending_says_what_was_left() {
        assert_eq!(ending(Some(1), None, "out", ""), "exit code 1: out");
        assert_eq!(ending(None, Some(9), "", "killed\nmore"), "ended by signal 9: killed");
    }
}
