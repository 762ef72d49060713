//! What a hook that speaks the engine's own wire reads, and its environment.

use serde_json::{Map, Value, json};

use super::{VERSION, own};
use crate::{Encoded, Invocation, canonical};

pub(super) fn encode(invocation: &Invocation) -> Encoded {
    let name = invocation.event.name();
    let mut body = Map::from_iter([("hookweave".to_owned(), json!(VERSION)), ("event_type".to_owned(), json!(name))]);
    // What a payload holds under the name of the version is not the version.
    body.extend(invocation.payload.iter().filter(|(field, _)| *field != "hookweave").map(own));
    let env = canonical::variables([
        ("HOOKWEAVE_EVENT", Some(name)),
        ("HOOKWEAVE_SESSION_ID", invocation.text("session_id")),
        ("HOOKWEAVE_TOOL", invocation.text("tool")),
        ("HOOKWEAVE_PROJECT_DIR", invocation.project_dir.as_deref().and_then(|path| path.to_str())),
    ]);
    Encoded { body: Value::Object(body), env, env_file: None }
}
