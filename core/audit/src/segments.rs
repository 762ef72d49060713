//! The files of a log, by their names.
//!
//! `audit.jsonl` is written; `audit.000001.jsonl`, `audit.000002.jsonl`, … are what it was before, the oldest first. A process
//! that finds another one writing has a chain of its own in `audit.pid-4711-1763798400000.jsonl`.

use std::io;
use std::path::{Path, PathBuf};

/// The names of a log's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    folder: PathBuf,
    stem: String,
    ending: String,
}

impl Names {
    /// Of the log whose file of now is at this path; `None` when the path names no file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let stem = path.file_stem()?.to_str()?.to_owned();
        let ending = match path.extension() {
            Some(ending) => format!(".{}", ending.to_str()?),
            None => String::new(),
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(Self { folder: folder.to_path_buf(), stem, ending })
    }

    /// Whether a path is that of one of the files, in either case.
    pub(super) fn has(&self, path: &Path) -> bool {
        let small = |path: &Path| path.to_string_lossy().replace('\\', "/").to_lowercase();
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let (stem, ending) = (self.stem.to_lowercase(), self.ending.to_lowercase());
        let name = name.strip_suffix(".lock").unwrap_or(&name);
        let middle = name.strip_prefix(&stem).and_then(|rest| rest.strip_suffix(&ending));
        middle.is_some_and(|middle| middle.is_empty() || middle.starts_with('.'))
            && path.parent().is_some_and(|folder| small(folder) == small(&self.folder))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file that is written.
    pub(super) fn current(&self) -> PathBuf {
        self.folder.join(format!("{}{}", self.stem, self.ending))
    }

    /// The file that says by its lock who writes.
    pub(super) fn lock(&self) -> PathBuf {
        self.folder.join(format!("{}{}.lock", self.stem, self.ending))
    }

    /// A file that was written before.
    pub(super) fn rotated(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}.{number:06}{}", self.stem, self.ending))
    }

    /// The log of a process that found another one writing.
    pub(super) fn own(&self, process: u32, ms: u64) -> Self {
        Self { stem: format!("{}.pid-{process}-{ms}", self.stem), ..self.clone() }
    }

    /// The process that its name says wrote it; `None` for a log that is not one of such a process.
    pub(super) fn process(&self) -> Option<u32> {
        let (_, own) = self.stem.rsplit_once(".pid-")?;
        let (process, ms) = own.split_once('-')?;
        ms.parse::<u64>().ok()?;
        process.parse().ok()
    }

    /// What stands between stem and ending in the names of the folder's files.
    fn found(&self) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let middle = name.to_str().and_then(|name| {
                let rest = name.strip_prefix(&self.stem)?.strip_suffix(&self.ending)?;
                rest.strip_prefix('.').map(str::to_owned)
            });
            found.extend(middle);
        }
        Ok(found)
    }

    /// The numbers of the files that were written before, the oldest first.
    pub(super) fn numbers(&self) -> io::Result<Vec<u64>> {
        let number = |middle: String| {
            let digits = middle.len() >= 6 && middle.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| middle.parse().ok()).flatten()
        };
        let mut numbers: Vec<u64> = self.found()?.into_iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The files of the chain in the order in which they were written.
    pub(super) fn chain(&self) -> io::Result<Vec<PathBuf>> {
        let mut files: Vec<PathBuf> = self.numbers()?.into_iter().map(|number| self.rotated(number)).collect();
        if self.current().try_exists()? {
            files.push(self.current());
        }
        Ok(files)
    }

    /// The logs of processes that found another one writing.
    pub(super) fn others(&self) -> io::Result<Vec<Self>> {
        let own = |middle: String| {
            let (process, rest) = middle.strip_prefix("pid-")?.split_once('-')?;
            // A rotated file of such a log has a number behind, and belongs to it.
            let ms = rest.split_once('.').map_or(rest, |(ms, _)| ms);
            Some((process.parse().ok()?, ms.parse().ok()?))
        };
        let mut others: Vec<(u32, u64)> = self.found()?.into_iter().filter_map(own).collect();
        others.sort_unstable();
        others.dedup();
        Ok(others.into_iter().map(|(process, ms)| self.own(process, ms)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "audit.jsonl",
            "audit.000002.jsonl",
            "audit.000001.jsonl",
            "audit.1000000.jsonl",
            "audit.jsonl.lock",
            "audit.old.jsonl",
            "audit.00003.jsonl",
            "audit.pid-10-1.jsonl",
            "audit.pid-7-99.jsonl",
            "audit.pid-7-99.000001.jsonl",
            "audit.pid-x-1.jsonl",
            "other.jsonl",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names = Names::of(&folder.path().join("audit.jsonl")).unwrap();
        let chain = names.chain().unwrap();
        let chain: Vec<_> = chain.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(chain, ["audit.000001.jsonl", "audit.000002.jsonl", "audit.1000000.jsonl", "audit.jsonl"]);
        assert_eq!(names.others().unwrap(), [names.own(7, 99), names.own(10, 1)]);
        assert_eq!(names.own(7, 99).numbers().unwrap(), [1]);
        assert_eq!((names.process(), names.own(7, 99).process()), (None, Some(7)));
        assert_eq!(Names::of(Path::new("log")).unwrap().rotated(3), Path::new("./log.000003"));
        assert_eq!(Names::of(Path::new("/")), None);
    }
}
