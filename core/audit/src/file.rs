//! The file that is written: its own lock, append only, for its user only.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::chain::{Link, check, sha256};
use super::config::Rotation;
use super::process_mark::ProcessMark;
use super::read::same_file;
use super::segments::Names;
use hookweave_machine::error::{Code, Error};

/// How a chain was found when its file was opened.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Where the next record is fastened.
    pub(super) link: Link,
    /// Bytes and hash of each line behind the last record that was not finished.
    pub(super) torn: Vec<(u64, String)>,
    /// The file itself has a record, and not only the ones before it.
    pub(super) holds_records: bool,
    /// No line feed ends the file.
    unended: bool,
    /// Something stands there that no log begins with.
    foreign: bool,
}

/// A log's file, open for writing.
#[derive(Debug)]
pub(super) struct LogFile {
    names: Names,
    file: File,
    /// Held as long as this process writes.
    _lock: Lock,
    bytes: u64,
    /// When the file was begun, in milliseconds since the epoch.
    begun_ms: u64,
    /// The path was another process's, and this log has a name of its own.
    pub(super) instead_of: Option<String>,
}

impl LogFile {
    /// Opens a log to go on with it. Where another process writes it, a log of this process's own is begun beside it.
    pub(super) fn open(path: &Path, now_ms: u64) -> Result<(Self, Found), Error> {
        let refuse = |why: &dyn std::fmt::Display| {
            Error::new(Code::AuditFailed, format!("the audit log {} cannot be written: {why}", path.display()))
        };
        let names = Names::of(path).ok_or_else(|| refuse(&"the path names no file"))?;
        make_folder(names.folder()).map_err(|why| refuse(&why))?;
        if let Some(lock) = lock(&names.lock()).map_err(|why| refuse(&why))? {
            return Self::open_locked(names, lock, None, now_ms).map_err(|why| refuse(&why));
        }
        Self::open_own(path, now_ms)
    }

    /// Opens a log of this process's own, beside the one that another process writes: the one that it was forked from.
    pub(super) fn open_own(path: &Path, now_ms: u64) -> Result<(Self, Found), Error> {
        let refuse = |why: &dyn std::fmt::Display| {
            Error::new(Code::AuditFailed, format!("the audit log {} cannot be written: {why}", path.display()))
        };
        let names = Names::of(path).ok_or_else(|| refuse(&"the path names no file"))?;
        let own = names.own(std::process::id(), now_ms);
        let lock = lock(&own.lock()).map_err(|why| refuse(&why))?;
        let lock = lock.ok_or_else(|| refuse(&"another process holds the lock of this process's own log"))?;
        let whose = names.current().display().to_string();
        Self::open_locked(own, lock, Some(whose), now_ms).map_err(|why| refuse(&why))
    }

    fn open_locked(names: Names, lock: Lock, instead_of: Option<String>, now_ms: u64) -> io::Result<(Self, Found)> {
        let mut file = open_regular(&names.current())?;
        let bytes = file.metadata()?.len();
        let mut found = end_of(&file, bytes)?;
        found.holds_records = found.link.seq > 0;
        if found.link.seq == 0
            && let Some(number) = names.numbers()?.pop()
        {
            // The process before ended between two files.
            let older = File::open(names.rotated(number))?;
            let length = older.metadata()?.len();
            found.link = end_of(&older, length)?.link;
        }
        if found.foreign {
            return Err(io::Error::other("it holds something, and that is no audit log; choose another path"));
        }
        // What was not finished is closed, never taken away.
        if found.unended {
            file.write_all(b"\n")?;
        }
        let bytes = file.metadata()?.len();
        let begun_ms = begun(&file).filter(|_| bytes > 0).unwrap_or(now_ms);
        Ok((Self { names, file, _lock: lock, bytes, begun_ms, instead_of }, found))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.names.current()
    }

    /// Writes as much as can be written, and says how much.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        if written == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.bytes += written as u64;
        Ok(written)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Whether the file is not at its path any more.
    pub(super) fn is_gone(&self) -> bool {
        match (self.file.metadata(), std::fs::symlink_metadata(self.names.current())) {
            (Ok(held), Ok(there)) => !same_file(&held, &there),
            (Err(_), _) => false,
            // Where a folder was there may be a file now.
            (_, Err(why)) => matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
        }
    }

    /// Whether the next file has to be begun before so many bytes are written.
    pub(super) fn is_due(&self, rotation: &Rotation, more: usize, now_ms: u64) -> bool {
        let age = Duration::from_millis(now_ms.saturating_sub(self.begun_ms));
        self.bytes > 0
            && (rotation.max_bytes.is_some_and(|most| self.bytes + more as u64 > most)
                || rotation.max_age.is_some_and(|most| age >= most))
    }

    /// Puts the file to those that were written before, and begins a new one.
    pub(super) fn rotate(&mut self, now_ms: u64) -> io::Result<()> {
        self.file.sync_data()?;
        let number = self.names.numbers()?.last().map_or(Some(1), |last| last.checked_add(1));
        let number = number.ok_or_else(|| io::Error::other("there is no number left behind that of its last file"))?;
        std::fs::rename(self.names.current(), self.names.rotated(number))?;
        self.begin(now_ms)
    }

    fn begin(&mut self, now_ms: u64) -> io::Result<()> {
        self.file = open_regular(&self.names.current())?;
        (self.bytes, self.begun_ms) = (self.file.metadata()?.len(), now_ms);
        Ok(())
    }

    /// The oldest files beyond so many, each with the last record that it holds.
    pub(super) fn surplus(&self, keep: usize) -> Vec<(PathBuf, Link)> {
        let numbers = self.names.numbers().unwrap_or_default();
        let surplus = numbers.len().saturating_sub(keep);
        let files = numbers.into_iter().take(surplus).map(|number| self.names.rotated(number));
        let last = |path: &Path| File::open(path).and_then(|file| end_of(&file, file.metadata()?.len()));
        files.filter_map(|path| last(&path).ok().map(|found| (path, found.link))).collect()
    }
}

/// Opens a file to add to it, for its user only; what is no regular file, a link, one of several names, or open to every user is refused.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).append(true).read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path).map_err(|why| {
        if std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()) {
            return io::Error::other("it is a link, which could lead anywhere; give the file itself");
        }
        why
    })?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&meta) > 1 {
        return Err(io::Error::other(
            "it has a second name (a hard link), under which it could be changed or be another program's file; copy it, \
             and put the copy in its place",
        ));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o002 != 0 {
        return Err(io::Error::other("every user of the machine can change it; take that right away (chmod o-w)"));
    }
    Ok(file)
}

/// How often the lock of a log is tried, and how long is waited in between: a program that is being started holds what
/// this process held, for the moment until it begins.
const LOCK_WAIT: (u32, Duration) = (10, Duration::from_millis(10));

/// The lock of a log. It is given back explicitly, because a program that is being started may hold the same file.
#[derive(Debug)]
struct Lock {
    file: File,
    place: ProcessMark,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A forked child holds its parent's lock, which is not the child's to give back.
        if self.place.is_here() {
            _ = fs4::FileExt::unlock(&self.file);
        }
    }
}

/// Takes the lock of a log; `None` when another process, or another log of this one, has it.
fn lock(path: &Path) -> io::Result<Option<Lock>> {
    let file = open_regular(path)?;
    for _ in 0..LOCK_WAIT.0 {
        match fs4::FileExt::try_lock(&file) {
            Ok(()) => return Ok(Some(Lock { file, place: ProcessMark::here() })),
            Err(fs4::TryLockError::WouldBlock) => std::thread::sleep(LOCK_WAIT.1),
            Err(fs4::TryLockError::Error(why)) => return Err(why),
        }
    }
    Ok(None)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn begun(file: &File) -> Option<u64> {
    let meta = file.metadata().ok()?;
    let begun = meta.created().or_else(|_| meta.modified()).ok()?;
    let since = begun.duration_since(std::time::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

/// Finds out how a file ends: its last whole record, and what stands behind it.
fn end_of(file: &File, length: u64) -> io::Result<Found> {
    let mut window = 64 * 1024_u64;
    loop {
        let from = length.saturating_sub(window);
        let bytes = read_from(file, from, length)?;
        if let Some(found) = last_record(&bytes, from == 0) {
            return Ok(found);
        }
        if from == 0 {
            return Ok(only_torn(&bytes));
        }
        window *= 4;
    }
}

fn read_from(file: &File, from: u64, length: u64) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut file = file;
    file.seek(io::SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(length - from).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The last whole record of a file's end, and what was begun behind it; `None` when there is no record in it.
fn last_record(bytes: &[u8], is_whole: bool) -> Option<Found> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if !is_whole {
        lines.remove(0);
    }
    let unended = lines.last().is_some_and(|rest| !rest.is_empty());
    let at = lines.iter().rposition(|line| check(line).is_ok())?;
    let fastened = lines.get(at).and_then(|line| check(line).ok())?;
    let link = Link { seq: fastened.seq, hash: fastened.hash.to_owned() };
    let torn = lines.get(at + 1..).unwrap_or_default().iter().filter_map(|line| torn(line)).collect();
    Some(Found { link, torn, unended, ..Found::default() })
}

/// Bytes and hash of a line that was begun; a line that has an end was finished, and is something else.
fn torn(line: &[u8]) -> Option<(u64, String)> {
    (!line.is_empty() && line.last() != Some(&b'}')).then(|| (line.len() as u64, sha256(line)))
}

/// A file without any record: the first one may have been interrupted.
fn only_torn(bytes: &[u8]) -> Found {
    const BEGINNING: &[u8] = br#"{"seq":"#;
    let lines = || bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let foreign = lines().any(|line| !line.starts_with(BEGINNING) && !BEGINNING.starts_with(line));
    let unended = bytes.last().is_some_and(|last| *last != b'\n');
    Found { torn: lines().filter_map(torn).collect(), unended, foreign, ..Found::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_become_as_large_and_nearly_as_old_as_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, _) = LogFile::open(&folder.path().join("audit.jsonl"), 0).unwrap();
        let rotation = Rotation { max_bytes: Some(10), max_age: None, keep: None };
        assert!(!file.is_due(&rotation, 11, 0), "a file that holds nothing takes what there is");
        assert_eq!(file.write(b"{1234}").unwrap(), 6);
        assert!(!file.is_due(&rotation, 4, 0));
        assert!(file.is_due(&rotation, 5, 0));
        let begun = file.begun_ms;
        let rotation = Rotation { max_bytes: None, max_age: Some(Duration::from_millis(20)), keep: None };
        assert!(!file.is_due(&rotation, 1000, begun + 19));
        assert!(file.is_due(&rotation, 1000, begun + 20));
    }

    #[test]
    fn a_lock_is_given_back_by_the_process_that_took_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl.lock");
        let held = lock(&path).unwrap().unwrap();
        // As a forked child and a program that is being started have it: the same open file.
        let [of_child, of_program] = [(); 2].map(|()| held.file.try_clone().unwrap());
        drop(Lock { file: of_child, place: ProcessMark::elsewhere() });
        assert!(lock(&path).unwrap().is_none(), "the parent still writes");
        drop(held);
        assert!(lock(&path).unwrap().is_some());
        drop(of_program);
    }
}
