//! An outcome as data that stays the same from run to run, for tests that keep what came of an event.

use serde_json::{Map, Value, json};

use super::Outcome;
use super::fields::value;
use crate::payload::Host;

/// A text that differs from run to run or from machine to machine, and what stands for it in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stand {
    /// What is replaced wherever it stands by itself: a path, an id.
    pub text: String,
    /// What stands there instead, for example `<project>`.
    pub name: String,
    /// The name below it differs too, as in a folder for temporary files.
    pub with_child: bool,
}

impl<T, V> Outcome<T, V> {
    /// What hooks made of the event, without times and ids, and with names for what `stands` lists.
    ///
    /// What is empty is left out. The same in every language, so that one file of snapshots can serve all of them.
    #[must_use]
    pub fn snapshot<H: Host<Value = V>>(&self, host: &H, stands: &[Stand]) -> Value {
        let mut whole = Map::new();
        whole.insert("event".into(), self.event().name().into());
        let mut put = |name: &str, value: Value| {
            if !is_empty(&value) {
                whole.insert(name.into(), value);
            }
        };
        put("tool", self.final_field(host, "tool").unwrap_or_default());
        put("decision", self.decision().as_str().into());
        put("blocked", self.blocked().into());
        put("by", self.decider().map(|(_, name)| name).into());
        put("reason", self.reason().into());
        let modified = self.modified().into_iter();
        let modified = modified.map(|name| (name.to_owned(), self.final_field(host, name).unwrap_or_default()));
        put("modified", Value::Object(modified.collect()));
        put("hooks", self.trace().iter().map(|entry| settled(json!(entry))).collect());
        put("unmatched", self.unmatched(host).iter().map(|hook| settled(json!(hook))).collect());
        put("injections", json!(self.injections()));
        put("messages", json!(self.messages()));
        put("asks", json!(self.asks()));
        put("feedback", json!(self.feedback()));
        put("delay_ms", self.delay_ms().into());
        put("suppress_output", self.suppress_output().then_some(true).into());
        put("would_block", self.would_block().then_some(true).into());
        put("observed", json!(self.observed()));
        let ext = self.ext().map(|(dialect, given)| (dialect.to_owned(), value(host, &host.view(given))));
        put("ext", Value::Object(ext.collect()));
        let mut stands: Vec<&Stand> =
            stands.iter().filter(|stand| !stand.text.trim_matches(['/', '\\']).is_empty()).collect();
        // What lies within another one comes first.
        stands.sort_by_key(|stand| std::cmp::Reverse(stand.text.len()));
        let mut whole = Value::Object(whole);
        rename(&mut whole, &stands);
        whole
    }
}

/// Whether it holds nothing worth writing; a decision and its `blocked` always do.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Number(number) => number.as_u64() == Some(0),
        Value::Bool(_) | Value::String(_) => false,
    }
}

/// A record of a hook without what differs from run to run.
fn settled(mut record: Value) -> Value {
    if let Value::Object(fields) = &mut record {
        for field in ["id", "duration_us", "overran"] {
            fields.shift_remove(field);
        }
    }
    record
}

fn rename(value: &mut Value, stands: &[&Stand]) {
    match value {
        Value::String(text) => {
            for stand in stands {
                if text.contains(&stand.text) {
                    *text = renamed(text, stand);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, stands)),
        Value::Object(fields) => fields.values_mut().for_each(|field| rename(field, stands)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The text with a name for what a stand means, where that is no part of a longer word.
fn renamed(text: &str, stand: &Stand) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(stand.text.as_str()) {
        made.push_str(before);
        let joined = made.chars().next_back().is_some_and(is_of_word) || after.chars().next().is_some_and(is_of_word);
        if joined {
            made.push_str(&stand.text);
            rest = after;
        } else {
            made.push_str(&stand.name);
            rest = if stand.with_child { without_child(after) } else { after };
        }
    }
    made.push_str(rest);
    made
}

/// What follows the first name of a path.
fn without_child(path: &str) -> &str {
    let Some(below) = path.strip_prefix(['/', '\\']) else { return path };
    below.trim_start_matches(|letter| is_of_word(letter) || letter == '.')
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '-'
}
