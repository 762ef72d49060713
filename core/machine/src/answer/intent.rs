//! What was meant by something that cannot be read as an answer: nothing, a rewrite, or a refusal.
//!
//! Hook systems say "no" under many names. An answer with the wrong name, or half of one, still means "no", so the
//! words and places of all of them are known here, and nowhere else.

mod text;

use crate::error::nearest;
use crate::payload::{Host, Kind, Spelling};

pub use text::of_text;

/// What an unreadable answer wanted of the action, from weak to strong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intent {
    /// Nothing that can be made out.
    Nothing,
    /// It must not happen as it is.
    Rewrites,
    /// It must not happen, or not before a person was asked.
    Refuses,
}

/// Words by which a hook refuses, holds back or asks.
const WORDS: &[&str] = &[
    "abort",
    "aborted",
    "ask",
    "ask_user",
    "block",
    "blocked",
    "cancel",
    "canceled",
    "cancelled",
    "confirm",
    "decline",
    "declined",
    "defer",
    "deferred",
    "denied",
    "deny",
    "disallow",
    "disallowed",
    "escalate",
    "escalated",
    "false",
    "forbid",
    "forbidden",
    "halt",
    "halted",
    "no",
    "prevent",
    "prevented",
    "prohibit",
    "prohibited",
    "refuse",
    "refused",
    "reject",
    "rejected",
    "stop",
    "stopped",
    "terminate",
    "veto",
    "vetoed",
];

/// Words by which a hook wants something else to happen.
const REWRITING: &[&str] = &["modify", "redact", "replace", "rewrite"];

/// Words by which a hook grants.
const GRANTING: &[&str] = &["accept", "allow", "allowed", "approve", "approved", "grant", "granted", "permit", "yes"];

/// What is refused when it is `not` so.
const GRANTING_PAST: &[&str] = &["accepted", "allowed", "approved", "authorized", "granted", "ok", "permitted", "safe"];

/// What a key of an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    /// Its value is a word of decision, or an object with one.
    Decides,
    /// It may hold a word of decision, and much else.
    Reports,
    /// It holds further keys.
    Holds,
    /// It replaces something.
    Rewrites,
    /// It replaces something where it stands among the fields of one event, and is the event's own elsewhere.
    RewritesWithin,
    /// It refuses when its value says yes.
    Refuses,
    /// It asks, with any value.
    Asks,
    /// It refuses when its value says no.
    Passes,
}

/// The known keys, in small letters and without what separates words.
const KEYS: &[(Key, &[&str])] = &[
    (
        Key::Decides,
        &["action", "behavior", "behaviour", "decision", "effect", "permission", "permissiondecision", "verdict"],
    ),
    (Key::Reports, &["answer", "kind", "outcome", "response", "result", "ruling", "state", "status", "type"]),
    (Key::Holds, &["hookspecificoutput"]),
    (
        Key::Rewrites,
        &[
            "modified",
            "modifiedargs",
            "modifiedinput",
            "modifiedprompt",
            "modifiedresult",
            "modify",
            "modifyinput",
            "newinput",
            "rewrite",
            "updatedargs",
            "updatedinput",
            "updatedprompt",
        ],
    ),
    (Key::RewritesWithin, &["toolinput"]),
    (
        Key::Refuses,
        &[
            "abort",
            "block",
            "blocked",
            "cancel",
            "denied",
            "deny",
            "disallow",
            "forbid",
            "forbidden",
            "halt",
            "prevent",
            "refuse",
            "refused",
            "reject",
            "rejected",
            "stop",
            "veto",
        ],
    ),
    (Key::Asks, &["ask", "askuser"]),
    (
        Key::Passes,
        &["allow", "allowed", "approve", "approved", "continue", "ok", "permit", "permitted", "proceed", "safe"],
    ),
];

/// The longest key that is known, in letters.
const LONGEST_KEY: usize = 24;

/// How many items of a list are looked at, and how deep answers lie in each other.
const MOST_LISTED: usize = 16;
const DEEPEST: usize = 4;

/// What a key is for; the case of its letters and how its words are separated do not matter.
fn key(name: &str) -> Option<Key> {
    if name.len() > LONGEST_KEY {
        return None;
    }
    let letters = name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase());
    KEYS.iter().find(|(_, known)| known.iter().any(|known| letters.clone().eq(known.bytes()))).map(|(key, _)| *key)
}

/// What a key is for that was probably misspelt: the words of a decision stand under it.
fn misspelt(name: &str) -> Option<Key> {
    const LIKELY: &[&str] = &["action", "decision", "permissionDecision", "permission", "behavior"];
    // A letter too many, too few, or two in each other's place.
    let letters = name.chars().count();
    nearest(name, LIKELY.iter().copied()).filter(|near| near.len().abs_diff(letters) <= 1).map(|_| Key::Decides)
}

/// Whether a text is a word of a list; case, surrounding marks and how its parts are separated do not matter.
fn is_one_of(text: &str, words: &[&str]) -> bool {
    let text = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    let letters = text.bytes().map(|byte| if matches!(byte, b'-' | b' ') { b'_' } else { byte.to_ascii_lowercase() });
    words.iter().any(|word| letters.clone().eq(word.bytes()))
}

/// Whether a text is a word that means "no".
pub fn is_restricting(text: &str) -> bool {
    is_one_of(text, WORDS)
}

/// Words of decision that are neither.
const NEUTRAL: &[&str] = &["continue", "none", "ok", "pass", "proceed", "retry", "skip", "wait"];

/// Whether the value of a decision says no: by its only word, by its first one (`deny: it is a secret`), or by a slip of the
/// finger in one (`blokc`).
fn says_no(text: &str) -> bool {
    let known = || WORDS.iter().chain(GRANTING).chain(NEUTRAL).chain(REWRITING).copied();
    if nearest(text.trim(), known()).is_some_and(|word| WORDS.contains(&word)) {
        return true;
    }
    let first = text.trim().split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-'))).next();
    is_restricting(text) || first.is_some_and(is_restricting)
}

/// Whether a text that a handler returned is the reason of a refusal: `Blocked: it is a secret`, `not allowed`. A text such
/// as `no problems found` is none.
fn is_reason_of_refusal(text: &str) -> bool {
    let text = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let (first, rest) = text.split_at(text.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len()));
    let second = rest.split_whitespace().next().unwrap_or_default();
    if is_one_of(first, &["no"]) {
        return !rest.starts_with(' ');
    }
    is_restricting(first) || (is_one_of(first, &["not"]) && is_one_of(second, GRANTING_PAST))
}

/// What a value that is no valid answer meant.
pub fn of_value<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Intent {
    value(host, view, 0)
}

/// The same for what a handler returned, which is meant as an answer: JSON text is one, a list that is too long to be looked
/// at may be one, a flag in a list is one (`return False, "it is a secret"`), and what stands in place of a word without having
/// one (an enumeration's number) may stand for any.
pub(super) fn of_answer<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Intent {
    let is_wordless = |view: H::View<'v>| {
        let kind = host.kind(&view);
        !kind.is_nothing() && !matches!(kind, Kind::Text(_) | Kind::Bool(_)) && decision(host, &view, 0).is_none()
    };
    let decides_without_word = |name: &String| {
        key(name).or_else(|| misspelt(name)) == Some(Key::Decides) && host.get(view, name).is_some_and(is_wordless)
    };
    match host.kind(view) {
        Kind::List(length) if length > MOST_LISTED => Intent::Refuses,
        Kind::List(length) if (0..length).any(|index| is_false(host, view, index)) => Intent::Refuses,
        Kind::Object if host.keys(view).is_ok_and(|names| names.iter().any(decides_without_word)) => Intent::Refuses,
        Kind::Text(text) if is_reason_of_refusal(&text) => Intent::Refuses,
        Kind::Text(text) => of_value(host, view).max(of_text(&text)),
        _ => of_value(host, view),
    }
}

fn is_false<'v, H: Host>(host: &'v H, list: &H::View<'v>, index: usize) -> bool {
    host.item(list, index).is_some_and(|item| host.kind(&item) == Kind::Bool(false))
}

/// Whether a value has a type that the core cannot look into: it may mean anything.
pub(super) const fn is_unreadable(kind: &Kind<'_>) -> bool {
    matches!(kind, Kind::Other(_) | Kind::BadText)
}

fn value<'v, H: Host>(host: &'v H, view: &H::View<'v>, depth: usize) -> Intent {
    if depth > DEEPEST {
        return Intent::Nothing;
    }
    match host.kind(view) {
        Kind::Bool(false) => Intent::Refuses,
        Kind::Text(text) if is_restricting(&text) => Intent::Refuses,
        kind if is_unreadable(&kind) => Intent::Refuses,
        Kind::Object => object(host, view, depth, false),
        Kind::List(length) => (0..length.min(MOST_LISTED))
            .filter_map(|index| host.item(view, index))
            // A flag in a list is no answer.
            .filter(|item| !matches!(host.kind(item), Kind::Bool(_)))
            .map(|item| value(host, &item, depth + 1))
            .max()
            .unwrap_or(Intent::Nothing),
        _ => Intent::Nothing,
    }
}

fn object<'v, H: Host>(host: &'v H, view: &H::View<'v>, depth: usize, within: bool) -> Intent {
    // A key that is no string may be any.
    let Ok(names) = host.keys(view) else { return Intent::Refuses };
    let meant = |name: &String| {
        let known = key(name).or_else(|| misspelt(name))?;
        let view = host.get(view, name)?;
        Some(member(host, known, &view, depth, within))
    };
    names.iter().filter_map(meant).max().unwrap_or(Intent::Nothing)
}

/// What a single field of an answer meant.
pub fn of_field<'v, H: Host>(host: &'v H, name: &str, view: &H::View<'v>) -> Intent {
    key(name).map_or(Intent::Nothing, |known| member(host, known, view, 0, true))
}

fn member<'v, H: Host>(host: &'v H, known: Key, view: &H::View<'v>, depth: usize, within: bool) -> Intent {
    let kind = host.kind(view);
    if kind.is_nothing() {
        return Intent::Nothing;
    }
    let refuses = match known {
        Key::Decides => match &kind {
            Kind::Text(text) if is_one_of(text, REWRITING) => return Intent::Rewrites,
            Kind::Text(text) => says_no(text),
            _ => return value(host, view, depth + 1),
        },
        Key::Reports => matches!(&kind, Kind::Text(text) if is_restricting(text)),
        Key::Holds if kind == Kind::Object && depth < DEEPEST => return object(host, view, depth + 1, true),
        Key::Holds => return value(host, view, depth + 1),
        Key::RewritesWithin if !within => false,
        Key::Rewrites | Key::RewritesWithin => return Intent::Rewrites,
        Key::Asks => true,
        Key::Refuses => match kind {
            Kind::Bool(flag) => flag,
            Kind::Int(number) => number != 0,
            Kind::Text(text) => !text.trim().is_empty() && !is_one_of(&text, &["false", "no", "none", "never", "0"]),
            Kind::Float(number) => number != 0.0,
            Kind::List(length) => length > 0,
            _ => true,
        },
        Key::Passes => match kind {
            Kind::Bool(flag) => !flag,
            Kind::Int(number) => number == 0,
            Kind::Float(number) => number == 0.0 || number.is_nan(),
            Kind::Text(text) => text.trim().is_empty() || says_no(&text) || is_one_of(&text, &["never", "none", "0"]),
            Kind::List(length) => length == 0,
            kind => is_unreadable(&kind),
        },
    };
    if refuses { Intent::Refuses } else { Intent::Nothing }
}

/// How to say it instead, when an answer speaks the language of another system or refuses in the wrong way.
pub(super) fn right_form<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> String {
    let form = match of_answer(host, view) {
        Intent::Refuses if wants_a_person(host, view) => Form::Ask,
        Intent::Refuses => Form::Block,
        Intent::Rewrites => Form::Modify,
        Intent::Nothing if decision(host, view, 0).is_some_and(|word| is_one_of(&word, GRANTING)) => Form::Allow,
        Intent::Nothing => return String::new(),
    };
    format!("; did you mean `{}`?", form.text(host.spelling()))
}

fn wants_a_person<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> bool {
    const ASKING: &[&str] = &["ask", "ask_user", "confirm", "defer", "deferred", "escalate", "escalated"];
    let asks =
        host.kind(view) == Kind::Object && host.get(view, "ask").is_some_and(|ask| !host.kind(&ask).is_nothing());
    asks || decision(host, view, 0).is_some_and(|word| is_one_of(&word, ASKING))
}

/// The first word of decision in an object.
fn decision<'v, H: Host>(host: &'v H, view: &H::View<'v>, depth: usize) -> Option<String> {
    match host.kind(view) {
        Kind::Text(text) => Some(text.into_owned()),
        Kind::Object if depth <= DEEPEST => {
            let names = host.keys(view).ok()?;
            let decides = |name: &&String| matches!(key(name), Some(Key::Decides | Key::Holds));
            names.iter().filter(decides).find_map(|name| decision(host, &host.get(view, name)?, depth + 1))
        }
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Form {
    Block,
    Ask,
    Allow,
    Modify,
}

impl Form {
    /// The answer as a program writes it in a host's language.
    const fn text(self, spelling: Spelling) -> &'static str {
        match (spelling, self) {
            (Spelling::Python, Self::Block) => "HookResponse.block(\"…\")",
            (Spelling::Python, Self::Ask) => "HookResponse.ask(\"…\")",
            (Spelling::Python, Self::Allow) => "HookResponse.allow()",
            (Spelling::Python, Self::Modify) => "HookResponse.continue_(modified={\"args\": {…}})",
            (Spelling::TypeScript, Self::Block) => "{ action: \"block\", reason: \"…\" }",
            (Spelling::TypeScript, Self::Ask) => "{ action: \"ask\", reason: \"…\" }",
            (Spelling::TypeScript, Self::Allow) => "{ action: \"allow\" }",
            (Spelling::TypeScript, Self::Modify) => "{ modified: { args: { … } } }",
            (Spelling::Wire, Self::Block) => "{\"action\": \"block\", \"reason\": \"…\"}",
            (Spelling::Wire, Self::Ask) => "{\"action\": \"ask\", \"reason\": \"…\"}",
            (Spelling::Wire, Self::Allow) => "{\"action\": \"allow\"}",
            (Spelling::Wire, Self::Modify) => "{\"modified\": {\"args\": {…}}}",
        }
    }
}

/// How a host writes a refusal.
pub(super) const fn form_of_refusal(spelling: Spelling) -> &'static str {
    Form::Block.text(spelling)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use serde_json::{Value, json};

    fn meant(value: &Value) -> Intent {
        of_value(&Json, &value)
    }

    #[test]
    fn a_refusal_is_known_wherever_a_system_puts_it() {
        for no in [
            json!(false),
            json!("Block"),
            json!([{"decision": "deny"}]),
            json!({"hookSpecificOutput": {"permissionDecision": "deny"}}),
            json!({"hookSpecificOutput": {"decision": {"behavior": "deny"}}}),
            json!({"hook_specific_output": {"permission_decision": " DENY "}}),
            json!({"behavior": "deny", "message": "no"}),
            json!({"permission": "ask"}),
            json!({"action": "escalate"}),
            json!({"action": "ask-user"}),
            json!({"decision": "deny: it is a secret"}),
            json!({"continue": "false"}),
            json!({"ok": false}),
            json!({"allowed": 0}),
            json!({"Reject": {"reason": "no"}}),
            json!({"block": "because"}),
            json!({"ask": false}),
            json!({"acton": "block"}),
            json!({"action": "blokc"}),
            json!({"deny": 1.5}),
            json!({"allow": 0.0}),
            json!({"allow": []}),
            json!({"continue": " "}),
            json!({"act\u{200b}ion": "block"}),
            json!({"action": {"type": "block"}}),
            json!({"result": "deny"}),
            json!({"status": "Blocked"}),
            json!({"type": "reject", "why": "it is a secret"}),
        ] {
            assert_eq!(meant(&no), Intent::Refuses, "{no}");
        }
        for rewrite in [
            json!({"updatedInput": {}}),
            json!({"hookSpecificOutput": {"updated_input": {"command": "ls"}}}),
            json!({"hookSpecificOutput": {"tool_input": {"command": "ls"}}}),
            json!({"ModifyInput": {"new_input": 1}}),
            json!({"action": "modify", "data": {}}),
        ] {
            assert_eq!(meant(&rewrite), Intent::Rewrites, "{rewrite}");
        }
    }

    #[test]
    fn what_is_no_refusal_is_none() {
        for other in [
            json!(true),
            json!("denying"),
            json!({"action": "allow", "raeson": "deny"}),
            json!({"hookSpecificOutput": {"permissionDecision": "allow"}}),
            json!({"block": false, "deny": "no"}),
            json!({"tool_input": {"action": "stop"}, "tool_name": "stop"}),
            json!({"action": "alow", "acton": "aprove"}),
            json!({"action": "contniue"}),
            json!({"activity": "block the road", "permissions": {"Bash": "allow"}}),
            json!({"decision": null, "modified": null, "ok": true}),
            json!([true, false]),
            json!({"updatedPermissions": []}),
            json!({"deny": 0.0, "allow": 1.5, "decision": true}),
            json!(1),
        ] {
            assert_eq!(meant(&other), Intent::Nothing, "{other}");
        }
    }

    #[test]
    fn what_a_handler_returns_is_meant_as_an_answer() {
        for no in [
            json!({"action": 1}),
            json!({"Decision": 0.5}),
            json!({"actoin": 2}),
            json!({"action": []}),
            json!("{\"action\": \"block\"}"),
            json!(vec![1; MOST_LISTED + 1]),
            json!([false]),
            json!([false, "it is a secret"]),
            json!([true, false]),
            json!("Blocked: it is a secret"),
            json!("❌ denied by policy"),
            json!("No, it is a secret"),
            json!("Not allowed here"),
        ] {
            assert_eq!((of_answer(&Json, &&no), meant(&no)), (Intent::Refuses, Intent::Nothing), "{no}");
        }
        for other in [
            json!(1),
            json!({"number": 1}),
            json!({"decision": {"behavior": "allow"}}),
            json!({"action": true}),
            json!("action"),
            json!("no problems found"),
            json!("not yet"),
            json!({"status": "no problems found", "result": 5, "type": {"action": "stop"}}),
            json!({"reason": "it is safe", "action": "alow"}),
            json!(vec![1; MOST_LISTED]),
        ] {
            assert_eq!(of_answer(&Json, &&other), Intent::Nothing, "{other}");
        }
    }
}
