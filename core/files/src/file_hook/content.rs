//! The content of a file that an agent is about to read, for hooks that look into it.

use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::open::open_file;

/// How much of a file hooks are given, in bytes.
const MAX_CONTENT: u64 = 256 * 1024;

/// Adds the file's content to what only the dialect has, unless the host gave it.
///
/// A file that cannot be read, or is none, adds nothing: the hook decides on its name.
pub(super) fn add(payload: &mut Map<String, Value>, dialect: &str) {
    let path = ["file_path", "path"].iter().find_map(|name| payload.get("args")?.get(name)?.as_str());
    let cwd = payload.get("cwd").and_then(Value::as_str).unwrap_or_default();
    let Some(content) = path.and_then(|path| read(&Path::new(cwd).join(path))) else { return };
    let metadata = payload.entry("metadata").or_insert_with(|| json!({}));
    let own = metadata.as_object_mut().map(|metadata| metadata.entry(dialect).or_insert_with(|| json!({})));
    if let Some(own) = own.and_then(Value::as_object_mut) {
        own.entry("content").or_insert(Value::String(content));
    }
}

fn read(path: &Path) -> Option<String> {
    // A pipe or a device would hold the thread.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    open_file(path).ok()?.take(MAX_CONTENT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_is_about_to_be_read_is_shown() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.txt"), "hello").unwrap();
        let event = |path: &str| {
            let event = json!({"args": {"file_path": path}, "cwd": dir.path().to_str(), "metadata": {}});
            let mut payload = event.as_object().cloned().unwrap_or_default();
            add(&mut payload, "cursor");
            payload["metadata"]["cursor"]["content"].clone()
        };
        assert_eq!(event("a.txt"), json!("hello"));
        assert_eq!(event("missing"), Value::Null);
        assert_eq!(event("."), Value::Null);
    }
}
