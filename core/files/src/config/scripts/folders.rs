//! The folders in which a hook keeps its scripts.

use std::path::{Path, PathBuf};

use super::{has_script_ending, is_executable};

/// How many scripts the folders of a hook may hold, and how many entries are looked at.
const MAX_FILES: (usize, usize) = (256, 4096);

/// How much these scripts may hold, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How deep folders are gone into.
const MAX_DEPTH: usize = 8;

/// Folders of what others made, and of what programs keep for themselves.
const LEFT_OUT: &[&str] = &[".git", ".hg", ".venv", "__pycache__", "node_modules"];

/// Adds every script of the folders that a hook's settings file and its scripts stand in, or that its line names. Of the
/// project's own folder only those that stand in it themselves, and only where the line fills in a name there.
pub(super) fn add(
    scripts: &mut Vec<PathBuf>,
    (approved, named): (&[PathBuf], &[PathBuf]),
    file: Option<&Path>,
    project: Option<&Path>,
) -> Result<(), String> {
    let Some(project) = project else { return Ok(()) };
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut found = Found { scripts: Vec::new(), entries: 0, bytes: 0 };
    let too_many = |folder: &Path| {
        let (files, bytes) = (MAX_FILES.0, MAX_BYTES / 1024 / 1024);
        format!(
            "the files that it runs cannot be determined, and its folder {} holds more than {files} scripts or {bytes} MiB of \
             them; have it name its scripts",
            folder.display()
        )
    };
    if named.iter().any(|folder| folder == project) {
        found.look(project, 0, true).map_err(|()| too_many(project))?;
    }
    let around = file.into_iter().chain(approved.iter().map(PathBuf::as_path)).filter_map(Path::parent);
    for folder in around.chain(named.iter().map(PathBuf::as_path)) {
        if !folder.starts_with(project) || folder == project {
            continue;
        }
        // What lies in a folder that is looked at anyway needs no second look.
        if !folders.iter().any(|known| folder.starts_with(known)) {
            folders.retain(|known| !known.starts_with(folder));
            folders.push(folder.to_path_buf());
        }
    }
    for folder in &folders {
        found.look(folder, 0, false).map_err(|()| too_many(folder))?;
    }
    found.scripts.sort();
    for script in found.scripts {
        if !scripts.contains(&script) {
            scripts.push(script);
        }
    }
    Ok(())
}

struct Found {
    scripts: Vec<PathBuf>,
    entries: usize,
    bytes: u64,
}

impl Found {
    fn look(&mut self, folder: &Path, depth: usize, is_alone: bool) -> Result<(), ()> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            self.entries += 1;
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                let left_out = entry.file_name().to_str().is_some_and(|name| LEFT_OUT.contains(&name));
                if !left_out && !is_alone {
                    if depth >= MAX_DEPTH {
                        return Err(());
                    }
                    self.look(&path, depth + 1, false)?;
                }
            } else if path.to_str().is_some_and(has_script_ending) || cfg!(unix) && is_executable(&path) {
                self.bytes += std::fs::metadata(&path).map_or(0, |meta| meta.len());
                self.scripts.push(path);
            }
            if self.entries > MAX_FILES.1 || self.scripts.len() > MAX_FILES.0 || self.bytes > MAX_BYTES {
                return Err(());
            }
        }
        Ok(())
    }
}
