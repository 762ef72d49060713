//! The empty transcript for hooks whose host has none: one file of the user's, made when a hook first gets its path.
//!
//! One per user rather than one per client, since a program that ends hard (`process.exit`, `os._exit`, a signal) takes
//! nothing away: what stays is always this one file. It is a real one, for hooks ask `test -f`, and no hook may write to
//! it, for what one hook appends another would read as a conversation.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use hookweave_dialects::Encoded;

/// Where the file stands; without a home it is [`instead`].
pub(super) fn place() -> Option<PathBuf> {
    caches().map(|caches| caches.join("hookweave").join("empty-transcript.jsonl")).or_else(instead)
}

/// The path that hooks get where no file can be made.
pub(super) fn instead() -> Option<PathBuf> {
    cfg!(unix).then(|| PathBuf::from("/dev/null"))
}

/// The directory for what the user's programs can make again.
pub(super) fn caches() -> Option<PathBuf> {
    let own = std::env::var_os(if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_CACHE_HOME" }).map(PathBuf::from);
    let usual = || {
        let below = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
        std::env::home_dir().map(|home| home.join(below))
    };
    own.filter(|own| own.is_absolute()).or_else(usual).filter(|caches| caches.is_absolute())
}

/// Whether a hook gets the file's path, in what it reads or in its environment.
pub(super) fn is_named(encoded: &Encoded, path: &Path) -> bool {
    let is_path = |text: &str| Path::new(text) == path;
    let in_body =
        |fields: &serde_json::Map<String, Value>| fields.values().any(|field| field.as_str().is_some_and(is_path));
    encoded.body.as_object().is_some_and(in_body) || encoded.env.iter().any(|(_, value)| is_path(value))
}

/// Sees to it that the file is there and empty; false when it cannot be.
pub(super) fn make(path: &Path) -> bool {
    is_empty_file(path) || Some(path) == instead().as_deref() || put(path).is_ok()
}

fn is_empty_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == 0)
}

/// Replaces what is there by an empty file in one step, so that no hook finds the path without one.
fn put(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let file = tempfile::NamedTempFile::new_in(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o400))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn encoded(body: Value, env: &[(&str, &str)]) -> Encoded {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Encoded { body, env, env_file: None }
    }

    #[test]
    fn the_file_is_made_once_and_again_when_somebody_spoilt_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/empty.jsonl");
        assert!(make(&path));
        assert!(is_empty_file(&path));
        let made = fs::metadata(&path).unwrap().modified().unwrap();
        assert!(make(&path));
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), made);
        fs::remove_file(&path).unwrap();
        fs::write(&path, "a conversation").unwrap();
        assert!(make(&path));
        assert!(is_empty_file(&path));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("empty.jsonl"), dir.path().join("other"));
        fs::write(&other, "").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        assert!(make(&path));
        assert!(is_empty_file(&path));
        assert!(!make(Path::new("/dev/null/empty.jsonl")));
    }

    #[test]
    fn only_a_hook_that_is_told_of_it_needs_it() {
        let path = Path::new("/cache/empty.jsonl");
        assert!(is_named(&encoded(json!({"transcript_path": "/cache/empty.jsonl"}), &[]), path));
        assert!(is_named(&encoded(json!(null), &[("CURSOR_TRANSCRIPT_PATH", "/cache/empty.jsonl")]), path));
        assert!(!is_named(&encoded(json!({"transcript_path": "/t.jsonl"}), &[("HOME", "/root")]), path));
    }
}
