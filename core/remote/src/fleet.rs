//! Fleets: workers that are alike form a group, and share its calls by way of a broker.
//!
//! A group is one worker to an agent's [`Hub`](crate::Hub), and a broker is the agent of a [`WorkerEnd`](crate::WorkerEnd), so
//! that neither knows of fleets. What stands between them and the broker is here: which hooks a group has, who is there, and
//! where calls and answers go.

mod agent;
mod worker;

use prost::Message;

use crate::action::Level;
use crate::wire::{FleetEntry, HookResponse, RegisterHookRequest};

pub use agent::{FleetAgent, FleetAgentSettings};
pub use worker::{FleetWorker, FleetWorkerSettings};

/// The bucket in which the workers of all groups stand.
pub const BUCKET: &str = "hookweave_v1_workers";

/// How long the bucket keeps an entry that nobody renews, in milliseconds, where it is made by hookweave.
pub const BUCKET_TTL_MS: u64 = 120_000;

/// What a message may grow by on its way.
const ROOM: usize = 64;

/// The longest id of a hook in a group, in bytes: it is a part of a subject.
const MAX_ID: usize = 128;

/// What an end of a fleet wants done, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FleetAction {
    /// Connect to the broker, then say what came of it.
    Connect,
    /// A connection of the group was made, for the agent's hub.
    Open {
        /// This group.
        group: String,
    },
    /// A message came over the group's connection, for the hub or for the worker's end.
    Deliver {
        /// This group.
        group: String,
        /// The message.
        message: Vec<u8>,
    },
    /// The group's connection ended, for the agent's hub.
    Lost {
        /// This group.
        group: String,
        /// Why.
        why: String,
    },
    /// Take what is sent to a subject; `shared` says that one of all workers that do gets each message.
    Subscribe {
        /// This subject.
        subject: String,
        /// Whether the group shares it.
        shared: bool,
    },
    /// Take nothing more of a subject.
    Unsubscribe {
        /// This subject.
        subject: String,
    },
    /// Send a message.
    Publish {
        /// To this subject.
        subject: String,
        /// Where answers go.
        reply: Option<String>,
        /// The message.
        message: Vec<u8>,
    },
    /// Write an entry of the bucket, then say so by [`FleetWorker::stored`].
    Put {
        /// Under this key.
        key: String,
        /// The entry.
        value: Vec<u8>,
    },
    /// Delete an entry of the bucket.
    Delete {
        /// Under this key.
        key: String,
    },
    /// Take no more calls; those that the broker has sent already still come.
    Drain,
    /// Tell whoever runs this end.
    Log {
        /// How much it matters.
        level: Level,
        /// What happened.
        text: String,
    },
}

/// A text as a part of a subject and of a key: what neither may have stands as `=` and two digits.
fn token(text: &str) -> String {
    let mut token = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/') {
            token.push(char::from(byte));
        } else {
            token.push('=');
            let digits = [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or_default());
            token.extend(digits.map(|digit| digit.to_ascii_uppercase()));
        }
    }
    token
}

/// What a hook is called in its group: the same in every worker that has it, so that any of them can answer.
fn hook_id(offer: &RegisterHookRequest) -> Result<String, String> {
    let name = offer.name.as_deref().or(offer.hook_id.as_deref()).unwrap_or_default();
    let id = token(&format!("{}/{name}", offer.event_type));
    if id.len() > MAX_ID {
        return Err(format!(
            "`{id}` is longer than the {MAX_ID} bytes that a subject has room for; give it a shorter name"
        ));
    }
    Ok(id)
}

/// The entries of a group, as a pattern of keys.
fn keys(group: &str) -> String {
    format!("{}.*", token(group))
}

fn key(group: &str, instance: &str) -> String {
    format!("{}.{}", token(group), token(instance))
}

fn call_subject(group: &str, hook: &str) -> String {
    format!("hookweave.v1.call.{}.{hook}", token(group))
}

fn cancel_subject(group: &str) -> String {
    format!("hookweave.v1.cancel.{}", token(group))
}

/// What an answer may have at most where the broker takes messages of so many bytes.
fn room(max_message: u32, max_payload: u32) -> u32 {
    max_message.min(max_payload.saturating_sub(u32::try_from(ROOM).unwrap_or(u32::MAX))).max(1)
}

fn said(response: &HookResponse) -> Vec<u8> {
    response.encode_to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_its_place_in_a_subject() {
        assert_eq!(token("guards-1_a"), "guards-1_a");
        assert_eq!(token("a.b *>\u{e9}="), "a=2Eb=20=2A=3E=C3=A9=3D");
        let offer = |name: &str| RegisterHookRequest {
            event_type: "PreToolUse".to_owned(),
            name: Some(name.to_owned()),
            ..RegisterHookRequest::default()
        };
        assert_eq!(hook_id(&offer("a.b")).unwrap(), "PreToolUse/a=2Eb");
        assert!(hook_id(&offer(&"x".repeat(120))).is_err());
    }
}
