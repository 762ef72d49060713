//! Finds files of test cases below a directory.

use std::path::{Path, PathBuf};

use crate::failed::{Failed, Result};

/// How deep is looked.
const MAX_DEPTH: usize = 12;

/// Folders that hold other people's files.
const PASSED_OVER: &[&str] = &[".git", "node_modules", "target", ".venv", "venv", "__pycache__", "dist", "build"];

/// Whether a file is one of test cases: `NAME.hooktest.yaml`, or `.yml`, `.toml`, `.json`.
fn is_case_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = [".yaml", ".yml", ".toml", ".json"].iter().find_map(|ending| name.strip_suffix(ending));
    stem.is_some_and(|stem| stem == "hooktest" || stem.ends_with(".hooktest"))
}

/// The files below the given ones, sorted; a given file is included under any name.
pub(crate) fn look_for(places: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for place in places {
        if place.is_dir() {
            walk(place, 0, &mut files);
        } else if place.is_file() {
            files.push(place.clone());
        } else {
            let error = std::fs::metadata(place).err().unwrap_or_else(|| std::io::ErrorKind::InvalidInput.into());
            return Err(Failed::unreadable(place, &error));
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// Looks into a folder and those in it. Links are not followed: they may lead round in a circle.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name();
        if kind.is_dir() && depth < MAX_DEPTH && !PASSED_OVER.iter().any(|passed| name == *passed) {
            walk(&path, depth + 1, files);
        } else if kind.is_file() && is_case_file(&path) {
            files.push(plain(&path));
        }
    }
}

/// Without a `./` in front, which says nothing.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").map_or_else(|_| path.to_path_buf(), Path::to_path_buf)
}
