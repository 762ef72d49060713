//! Reading a log, line by line, over all of its files.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _};
use std::path::{Path, PathBuf};

use super::record::AuditRecord;
use super::segments::Names;
use hookweave_machine::error::{Code, Error};

/// The longest line that is read, in bytes; the writer makes none that comes near.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// One line of a log, as it stands.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Line {
    /// The file.
    pub file: PathBuf,
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its bytes, without the line feed.
    pub bytes: Vec<u8>,
    /// Whether a line feed ends it; without one the writer was interrupted, or is at it.
    pub ended: bool,
}

impl Line {
    /// The record that it holds.
    pub fn record(&self) -> Result<AuditRecord, serde_json::Error> {
        AuditRecord::read(&self.bytes)
    }
}

/// The lines of a log, the oldest first.
#[derive(Debug)]
pub struct Lines {
    files: VecDeque<PathBuf>,
    open: Option<(PathBuf, BufReader<File>, u64)>,
}

/// Reads a log with the files that it had before, by the path of the file of now.
pub fn read(path: &Path) -> Result<Lines, Error> {
    let files = names(path)?.chain().map_err(|why| unreadable(path, &why))?;
    if files.is_empty() {
        return Err(unreadable(path, &io::Error::new(io::ErrorKind::NotFound, "there is no such file")));
    }
    Ok(Lines::of(files))
}

/// The last records of a log that can be read, the oldest first.
pub fn tail(path: &Path, count: usize) -> Result<Vec<AuditRecord>, Error> {
    let mut files = names(path)?.chain().map_err(|why| unreadable(path, &why))?;
    let mut tail: VecDeque<AuditRecord> = VecDeque::new();
    while let Some(file) = files.pop() {
        let wanted = count.saturating_sub(tail.len());
        let mut last = VecDeque::new();
        for line in Lines::of(vec![file]) {
            let line = line?;
            last.push_back(line.bytes);
            if last.len() > wanted {
                last.pop_front();
            }
        }
        for record in last.iter().rev().filter_map(|line| AuditRecord::read(line).ok()) {
            tail.push_front(record);
        }
        if tail.len() >= count {
            break;
        }
    }
    Ok(tail.into())
}

pub(super) fn names(path: &Path) -> Result<Names, Error> {
    Names::of(path).ok_or_else(|| {
        Error::new(Code::AuditFailed, format!("{} names no file; give the path of an audit log", path.display()))
    })
}

pub(super) fn unreadable(path: &Path, why: &io::Error) -> Error {
    Error::new(Code::AuditFailed, format!("the audit log {} cannot be read: {why}", path.display()))
}

/// Opens a file to read it; a pipe or a device, which might never end, is none.
fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    File::open(path)
}

impl Lines {
    pub(super) fn of(files: Vec<PathBuf>) -> Self {
        Self { files: files.into(), open: None }
    }

    fn next_line(&mut self) -> Result<Option<Line>, Error> {
        loop {
            if self.open.is_none() {
                let Some(path) = self.files.pop_front() else { return Ok(None) };
                let file = open(&path).map_err(|why| unreadable(&path, &why))?;
                self.open = Some((path, BufReader::with_capacity(256 * 1024, file), 0));
            }
            let Some((path, reader, number)) = &mut self.open else { continue };
            let mut bytes = Vec::new();
            let read = reader.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut bytes);
            if read.map_err(|why| unreadable(path, &why))? == 0 {
                self.open = None;
                continue;
            }
            *number += 1;
            let mut ended = bytes.last() == Some(&b'\n');
            if ended {
                bytes.pop();
            } else if bytes.len() > MAX_LINE {
                // Nothing that long was ever written: it is passed over, so that the lines behind it can be judged.
                ended = pass_over(reader).map_err(|why| unreadable(path, &why))?;
                bytes.truncate(1024);
            }
            return Ok(Some(Line { file: path.clone(), number: *number, bytes, ended }));
        }
    }
}

/// Reads up to the end of the line; says whether it has one.
fn pass_over(reader: &mut BufReader<File>) -> io::Result<bool> {
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        let end = memchr::memchr(b'\n', buffer);
        let used = end.map_or(buffer.len(), |at| at + 1);
        reader.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

impl Iterator for Lines {
    type Item = Result<Line, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_line().transpose()
    }
}

/// Follows a log that is being written, also when it goes on in a new file.
#[derive(Debug)]
pub struct Follow {
    names: Names,
    open: Option<(BufReader<File>, u64)>,
    /// The beginning of a line that is being written.
    begun: Vec<u8>,
}

impl Follow {
    /// From the end of what is there now.
    pub fn from_end(path: &Path) -> Result<Self, Error> {
        let mut follow = Self { names: names(path)?, open: None, begun: Vec::new() };
        if let Ok(mut file) = open(path) {
            let end = file.seek(io::SeekFrom::End(0)).map_err(|why| unreadable(path, &why))?;
            follow.open = Some((BufReader::new(file), end));
        }
        Ok(follow)
    }

    /// The records that were written since the last call, the oldest first; lines that are no records are left out.
    pub fn poll(&mut self) -> Result<Vec<AuditRecord>, Error> {
        let mut records = Vec::new();
        loop {
            let current = self.names.current();
            if self.open.is_none() {
                match open(&current) {
                    Ok(file) => self.open = Some((BufReader::new(file), 0)),
                    Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(records),
                    Err(why) => return Err(unreadable(&current, &why)),
                }
            }
            let Some((reader, read)) = &mut self.open else { return Ok(records) };
            // Asked before the rest is read: what comes into the old file later is none that belongs there.
            let moved = has_moved(reader.get_ref(), &current);
            loop {
                let got = reader.read_until(b'\n', &mut self.begun).map_err(|why| unreadable(&current, &why))?;
                *read += got as u64;
                if self.begun.last() == Some(&b'\n') {
                    records.extend(AuditRecord::read(&self.begun).ok());
                    self.begun.clear();
                } else if got == 0 {
                    break;
                }
            }
            if !moved {
                return Ok(records);
            }
            self.open = None;
            self.begun.clear();
        }
    }
}

/// Whether the file is not the one at the path any more.
fn has_moved(file: &File, path: &Path) -> bool {
    let (Ok(held), Ok(there)) = (file.metadata(), std::fs::metadata(path)) else { return true };
    !same_file(&held, &there)
}

#[cfg(unix)]
pub(super) fn same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
pub(super) fn same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    a.created().ok() == b.created().ok()
}
