//! A record as the one line of JSON that stands in the log.
//!
//! Nearly every record is about a hook that did not answer, in short texts that need no escaping: those are copied as they
//! are. Everything else is written by `serde_json`.

use serde::Serialize;

use super::record::{Input, Written};

/// No usual line is longer, in bytes; a longer one finds its memory as it grows.
const USUAL: usize = 512;

/// Writes a record down: the members that it has, in their order, each as `serde_json` writes it.
pub(super) fn write(record: &Written<'_>, line: &mut Vec<u8>) {
    line.reserve(USUAL);
    line.extend_from_slice(br#"{"seq":"#);
    value(&record.seq, line);
    plain(br#","time":"#, record.time, line);
    member(br#","kind":"#, Some(&record.kind), line);
    text(br#","session":"#, record.session, line);
    text(br#","agent":"#, record.agent, line);
    text(br#","event":"#, record.event, line);
    member(br#","dispatch":"#, record.dispatch.as_ref(), line);
    text(br#","hook":"#, record.hook, line);
    text(br#","hook_id":"#, record.hook_id, line);
    text(br#","tool":"#, record.tool, line);
    text(br#","tool_use_id":"#, record.tool_use_id, line);
    text(br#","outcome":"#, record.outcome, line);
    text(br#","reason":"#, record.reason, line);
    member(br#","duration_us":"#, record.duration_us.as_ref(), line);
    if let Some(input) = record.input {
        about(input, line);
    }
    member(br#","details":"#, record.details, line);
    plain(br#","prev":"#, record.prev, line);
    line.push(b'}');
}

/// What the record was about.
fn about(input: &Input, line: &mut Vec<u8>) {
    plain(br#","input":{"digest":"#, &input.digest, line);
    member(br#","cut":"#, Some(&input.cut).filter(|cut| **cut), line);
    member(br#","payload":"#, input.payload.as_ref(), line);
    line.push(b'}');
}

/// A member that is no text.
fn member<T: Serialize>(name: &[u8], given: Option<&T>, line: &mut Vec<u8>) {
    if let Some(given) = given {
        line.extend_from_slice(name);
        value(given, line);
    }
}

/// A member that is a text.
#[inline]
fn text(name: &[u8], given: Option<&str>, line: &mut Vec<u8>) {
    let Some(given) = given else { return };
    if is_plain(given) {
        plain(name, given, line);
    } else {
        line.extend_from_slice(name);
        value(given, line);
    }
}

/// A member that is a text in which nothing needs escaping: the log's own hashes and points in time have but digits and letters.
#[inline]
fn plain(name: &[u8], given: &str, line: &mut Vec<u8>) {
    line.extend_from_slice(name);
    line.push(b'"');
    line.extend_from_slice(given.as_bytes());
    line.push(b'"');
}

/// Whether a text stands in JSON as it is.
#[inline]
fn is_plain(text: &str) -> bool {
    // Counted rather than sought: without a way out of the loop it looks at many letters at once.
    text.bytes().filter(|letter| *letter < b' ' || matches!(letter, b'"' | b'\\')).count() == 0
}

fn value<T: Serialize + ?Sized>(value: &T, line: &mut Vec<u8>) {
    // What a record is made of can be written, and memory takes everything.
    let _ = serde_json::to_writer(line, value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::record::{AuditRecord, Kind};

    /// Texts with everything that JSON escapes, and with what it does not.
    fn texts() -> impl Strategy<Value = Option<String>> {
        let odd = prop_oneof!["[a-z/ -]{0,40}", "[\"\\\\a\n\t\u{0}\u{1f} \u{7f}é\u{2028}😀]{0,8}", ".{0,12}"];
        proptest::option::of(odd)
    }

    proptest! {
        #[test]
        fn a_line_is_what_serde_makes_of_the_record(
            texts in proptest::array::uniform9(texts()),
            numbers in any::<(u64, Option<u64>, Option<f64>, bool)>(),
            has in any::<(bool, bool, bool)>(),
        ) {
            let [session, agent, event, hook, hook_id, tool, tool_use_id, outcome, reason] = texts;
            let (seq, dispatch, duration_us, cut) = numbers;
            let input = has.0.then(|| Input {
                digest: "0a1b".to_owned(),
                cut,
                payload: has.1.then(|| json!({"args": {"command": session.clone(), "n": [1.5, null]}})),
            });
            let details: Map<String, Value> =
                if has.2 { Map::from_iter([(event.clone().unwrap_or_default(), json!(tool.clone()))]) } else { Map::new() };
            let record = AuditRecord {
                seq, time: "2026-11-22T08:15:00.000Z".to_owned(), session, agent, event, dispatch, hook, hook_id, tool, tool_use_id, outcome, reason, duration_us,
                input, details,
                prev: "0a1b".to_owned(),
                ..AuditRecord::new(Kind::ApprovalDecided)
            };
            let mut line = Vec::new();
            write(&record.written(), &mut line);
            let whole = serde_json::to_string(&record).unwrap();
            let without_hash = whole.strip_suffix(r#","hash":""}"#).unwrap();
            prop_assert_eq!(String::from_utf8(line).unwrap(), format!("{without_hash}}}"));
        }
    }
}
