//! What exactly an approval is for: a hash of everything that, when it changes, makes something else of a hook.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::config::Declared;
use crate::config::guard::{Content, Guard};
use hookweave_machine::hex::hex;

/// What an approval of a hook is for; an error when one of its scripts cannot be read to be approved.
pub(in crate::config) fn fingerprint(
    declared: &Declared,
    project: Option<&Path>,
    guard: &Guard,
) -> Result<String, String> {
    let mut scripts = Vec::new();
    for (path, content) in guard.contents() {
        let content = match content {
            Content::Hash(hash) => hex(hash),
            Content::Missing => "missing".to_owned(),
            Content::Unreadable(why) => return Err(format!("its script {} cannot be checked: {why}", path.display())),
        };
        scripts.push(json!([path.to_string_lossy(), content]));
    }
    let plugin = declared.plugin.as_ref().map(|root| root.to_string_lossy().into_owned());
    Ok(hash(&json!({
        "hookweave": 1,
        "project": project.map(Path::to_string_lossy),
        "scope": declared.spec.scope,
        "dialect": declared.dialect.name(),
        "plugin": plugin,
        "entry": declared.entry,
        "scripts": scripts,
    })))
}

/// What an approval of a file's switches is for.
pub(in crate::config) fn switch_fingerprint(
    file: &Path,
    project: Option<&Path>,
    dialect: &str,
    switches: &Value,
) -> String {
    hash(&json!({
        "hookweave": 1,
        "project": project.map(Path::to_string_lossy),
        "file": file.to_string_lossy(),
        "dialect": dialect,
        "switches": switches,
    }))
}

/// The hash of a value, regardless of how it is laid out.
pub(crate) fn hash(value: &Value) -> String {
    let mut text = Vec::new();
    canonical(value, &mut text);
    let digest: [u8; 32] = Sha256::digest(&text).into();
    format!("sha256:{}", hex(&digest))
}

/// JSON with sorted names and no spaces, so that how a file is laid out does not matter.
fn canonical(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<_> = fields.iter().collect();
            names.sort_by_key(|(name, _)| *name);
            out.push(b'{');
            for (index, (name, value)) in names.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                plain(name, out);
                out.push(b':');
                canonical(value, out);
            }
            out.push(b'}');
        }
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                canonical(item, out);
            }
            out.push(b']');
        }
        other => plain(other, out),
    }
}

fn plain(value: &impl Serialize, out: &mut Vec<u8>) {
    // Texts, numbers and the like can all be written, and writing to memory does not fail.
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_does_not_change_a_hash_and_content_does() {
        let hash_of = |text: &str| hash(&serde_json::from_str(text).unwrap());
        assert_eq!(hash_of(r#"{"a":1,"b":[2,{"d":3,"c":4}]}"#), hash_of(r#"{ "b": [2, {"c":4,"d":3}], "a": 1 }"#));
        assert_ne!(hash_of(r#"{"a":"1"}"#), hash_of(r#"{"a":1}"#));
        assert_ne!(hash_of(r#"{"a":"x\",\"b\":\"y"}"#), hash_of(r#"{"a":"x","b":"y"}"#));
    }
}
