//! `proto/hooks.proto` and the messages in Rust are one: every message, field, number and type.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hookweave_remote::{Message, wire};

/// A field of the file.
#[derive(Debug, Clone)]
struct Field {
    name: String,
    number: u32,
    kind: String,
    is_repeated: bool,
}

type Messages = BTreeMap<String, Vec<Field>>;

/// The messages of the file; a field stands on a line of its own.
fn messages() -> Messages {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../proto/hooks.proto");
    let text = std::fs::read_to_string(path).unwrap();
    let mut messages = Messages::new();
    let mut current = None;
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        let words: Vec<&str> = line.trim_end_matches(';').split_whitespace().collect();
        match words[..] {
            ["message", name, "{"] => {
                messages.insert(name.to_owned(), Vec::new());
                current = Some(name.to_owned());
            }
            ["}"] => current = None,
            [.., kind, name, "=", number] if current.is_some() && line.ends_with(';') => {
                let field = Field {
                    name: name.to_owned(),
                    number: number.parse().unwrap(),
                    kind: kind.to_owned(),
                    is_repeated: words[0] == "repeated",
                };
                messages.get_mut(current.as_ref().unwrap()).unwrap().push(field);
            }
            _ => {}
        }
    }
    messages
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap());
}

fn delimited(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    varint(u64::from(number << 3 | 2), out);
    varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// A message with every field set, as the file says that it is encoded.
fn sample(messages: &Messages, name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for Field { name, number, kind, .. } in &messages[name] {
        match kind.as_str() {
            "string" | "bytes" => delimited(*number, name.as_bytes(), &mut out),
            // Negative numbers differ from unsigned ones by their type.
            "int32" | "int64" => {
                varint(u64::from(number << 3), &mut out);
                varint((-7_i64).cast_unsigned(), &mut out);
            }
            "uint32" => {
                varint(u64::from(number << 3), &mut out);
                varint(u64::from(u32::MAX), &mut out);
            }
            "uint64" => {
                varint(u64::from(number << 3), &mut out);
                varint(u64::MAX, &mut out);
            }
            "bool" | "HookAction" => {
                varint(u64::from(number << 3), &mut out);
                varint(1, &mut out);
            }
            message => delimited(*number, &sample(messages, message), &mut out),
        }
    }
    out
}

/// Holds a type against the message of its name.
fn check<M: Message + Default + serde::Serialize + std::fmt::Debug>(messages: &mut Messages, name: &str) {
    let whole = sample(messages, name);
    let read = M::decode(&whole[..]).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read.encode_to_vec(), whole, "{name} differs from proto/hooks.proto: {read:?}");
    let shown = serde_json::to_value(&read).unwrap();
    let fields: Vec<&String> = shown.as_object().unwrap().keys().collect();
    let known = messages.remove(name).unwrap();
    assert_eq!(fields, known.iter().map(|field| &field.name).collect::<Vec<_>>(), "{name}");
    for field in known {
        let is_list = shown[&field.name].is_array();
        assert_eq!(is_list, field.is_repeated, "{name}.{}", field.name);
        assert!(is_list || matches!(field.kind.as_str(), "int32" | "int64") == (shown[&field.name] == -7), "{name}");
    }
}

#[test]
fn every_message_is_in_both() {
    let mut messages = messages();
    let all = messages.clone();
    macro_rules! check {
        ($($message:ident),* $(,)?) => { $(
            let mut messages_of_this = all.clone();
            check::<wire::$message>(&mut messages_of_this, stringify!($message));
            messages.remove(stringify!($message));
        )* };
    }
    check!(
        RegisterHookRequest,
        RegisterHookResponse,
        UnregisterHookRequest,
        UnregisterHookResponse,
        ListHooksRequest,
        ListHooksResponse,
        ListedHook,
        HookMatcher,
        HookConfig,
        HookEvent,
        HookResponse,
        Hello,
        Welcome,
        Refusal,
        Failure,
        Cancel,
        Ping,
        Complete,
        Leave,
        FleetEntry,
    );
    assert!(messages.is_empty(), "proto/hooks.proto has messages that Rust does not: {:?}", messages.keys());
}

#[test]
fn the_first_version_of_the_service_is_kept() {
    let messages = messages();
    for (message, fields) in [
        ("RegisterHookRequest", "event_type=1 matcher=2 config=3"),
        ("HookMatcher", "tool=1 path_pattern=2 command_pattern=3"),
        ("HookConfig", "priority=1 timeout_ms=2 async=3"),
        ("HookEvent", "hook_id=1 event_type=2 session_id=3 timestamp=4 payload=5"),
        ("HookResponse", "hook_id=1 action=2 reason=3 modified=4"),
    ] {
        let first = messages[message].iter().filter(|field| field.number < 10);
        let shown: Vec<String> = first.map(|field| format!("{}={}", field.name, field.number)).collect();
        assert_eq!(shown.join(" "), fields, "{message}");
    }
}
