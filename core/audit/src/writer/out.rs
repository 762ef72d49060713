//! Writing out what is sealed, as long as it takes: it survives a full disk and the removal of the file.

use std::io;
use std::time::Duration;

use super::Writer;
use crate::file::LogFile;
use crate::level::Fsync;
use crate::record::{AuditRecord, Kind};
use crate::shared_state::Standing;
use hookweave_clock::now_ms;

/// How long is waited before what failed is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// How often is looked whether the file is still there, in milliseconds.
const LOOK_MS: u64 = 1000;

impl Writer {
    /// Writes what is ready; while the disk is full, or the file cannot be written for another reason, it tries again.
    ///
    /// False when it has given up, because the log is being closed.
    pub(super) fn write_out(&mut self) -> bool {
        let now = now_ms();
        if self.file.as_ref().is_some_and(|file| file.is_due(&self.config.rotation, self.buffer.lines.len(), now)) {
            self.rotate(now);
        }
        let is_written = self.write_lines();
        self.buffer.lines.clear();
        if !is_written {
            // Anything behind half a line would be lost with it: the next process closes the line.
            self.file = None;
            return false;
        }
        match self.file.as_ref().filter(|_| self.config.fsync != Fsync::Never).map(LogFile::sync) {
            Some(Err(why)) => {
                // What the system could not bring to the disk it may have thrown away: a later attempt proves nothing.
                self.unsure = true;
                self.fail(&why);
            }
            _ => self.stand(),
        }
        for surplus in std::mem::take(&mut self.surplus) {
            // One that cannot be removed is looked at again when the next file is begun.
            _ = std::fs::remove_file(surplus);
        }
        true
    }

    fn write_lines(&mut self) -> bool {
        let mut written = 0;
        while let Some(rest) = self.buffer.lines.get(written..).filter(|rest| !rest.is_empty()) {
            let Some(file) = &mut self.file else { break };
            match file.write(rest) {
                Ok(some) => written += some,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) if !self.waits_after(&why) => return false,
                Err(_) => {}
            }
        }
        // A log that is to be in a file and has none, since it could not be begun again, is not written.
        self.file.is_some() || self.config.file.is_none()
    }

    /// Says what keeps the log from being written and waits a while; false when there is no time left to try again.
    fn waits_after(&mut self, why: &io::Error) -> bool {
        self.fail(why);
        if self.shared.queue.is_closing() {
            return false;
        }
        self.shared.queue.pause(AGAIN);
        true
    }

    /// Everything up to here is written.
    fn stand(&mut self) {
        if std::mem::take(&mut self.failing) {
            tracing::warn!("the audit log can be written again");
        }
        self.shared.stand(Standing { last: self.buffer.link.anchor(), why: None });
    }

    fn fail(&mut self, why: &io::Error) {
        if std::mem::replace(&mut self.failing, true) {
            return;
        }
        let path = self.file.as_ref().map(LogFile::path).or_else(|| self.config.file.clone());
        let path = path.map(|path| path.display().to_string()).unwrap_or_default();
        tracing::error!(file = path, error = %why, "the audit log cannot be written");
        self.shared.stand(Standing { last: self.shared.standing().last, why: Some(format!("{path}: {why}")) });
    }

    fn rotate(&mut self, now: u64) {
        let Some(file) = &mut self.file else { return };
        if let Err(why) = file.rotate(now) {
            // It goes on in the file that it has: what is recorded is worth more than the file's size.
            if !std::mem::replace(&mut self.outgrown, true) {
                let path = file.path().display().to_string();
                tracing::error!(file = path, error = %why, "the next file of the audit log cannot be begun");
            }
            return;
        }
        self.outgrown = false;
        // Told first, removed afterwards: a process that is killed in between leaves a file too many, and no hole.
        let surplus = self.config.rotation.keep.map(|keep| file.surplus(keep)).unwrap_or_default();
        for (path, link) in surplus {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let mut removed = AuditRecord::new(Kind::SegmentRemoved).with("file", name);
            if let Some(last) = link.anchor() {
                removed = removed.with("last", last.to_string());
            }
            self.append(&removed, now);
            self.surplus.push(path);
        }
    }

    /// Begins a new file where the old one was removed.
    pub(super) fn look_after_file(&mut self) {
        let now = now_ms();
        // Where nothing is to be decided without its record, none may be written to a file that is not there any more.
        if !self.config.required && now.saturating_sub(self.looked_ms) < LOOK_MS {
            return;
        }
        self.looked_ms = now;
        if !self.file.as_ref().is_some_and(LogFile::is_gone) {
            return;
        }
        let Some(path) = self.file.take().map(|file| file.path()) else { return };
        // The lock went with the old file: the lock's file may have been removed with it.
        let (file, found) = loop {
            match LogFile::open(&path, now_ms()) {
                Ok(opened) => break opened,
                Err(why) if !self.waits_after(&io::Error::other(why.message().to_owned())) => return,
                Err(_) => {}
            }
        };
        self.file = Some(file);
        if found.holds_records {
            self.buffer.link = found.link.clone();
            self.begin(&found);
        }
        let note = AuditRecord::new(Kind::AuditReplaced).with("why", "the file was removed, renamed or replaced");
        self.append(&note, now_ms());
    }
}
