//! The pipes between a command and the engine.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::buffer::spare_capacity;

use crate::command::Stream;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// What a pipe holds without being asked to hold more.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PIPE_HOLDS: usize = 64 * 1024;

/// A pipe whose ends close by themselves in started programs: the reading end first.
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}

/// What makes a thread look up that polls the descriptor: one descriptor where the system has such a thing, else a pipe.
pub(super) fn wake() -> io::Result<(Arc<OwnedFd>, Waker)> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let woken = Arc::new(rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC)?);
        Ok((Arc::clone(&woken), Waker(woken)))
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        let (woken, wake) = pipe()?;
        Ok((Arc::new(woken), Waker(Arc::new(wake))))
    }
}

/// The other side of [`wake`].
pub(super) struct Waker(Arc<OwnedFd>);

impl Waker {
    pub(super) fn ring(&self) {
        drop(hookweave_spawn::write_quietly(self.0.as_fd(), &1_u64.to_ne_bytes()));
    }
}

/// A pipe on which a shell reports how the command ended: the engine's end, which never blocks, and the shell's.
pub(super) fn report() -> io::Result<(Option<OwnedFd>, Option<OwnedFd>)> {
    let (reader, writer) = pipe()?;
    rustix::io::ioctl_fionbio(&reader, true)?;
    Ok((Some(reader), Some(writer)))
}

/// What the command is given to read, as far as it has not been written.
pub(super) struct Input<'a> {
    pipe: Option<OwnedFd>,
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// A pipe that already holds as much as it can; most often that is all, and the writing end is closed before the
    /// command starts. Nothing else then keeps it open, not even a process that the host forks meanwhile.
    pub(super) fn new(bytes: &'a [u8]) -> io::Result<(OwnedFd, Self)> {
        let (reader, writer) = pipe()?;
        rustix::io::ioctl_fionbio(&writer, true)?;
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if bytes.len() > PIPE_HOLDS {
            // Refused for more than the system allows: then the rest is written while the command runs.
            let _ = rustix::pipe::fcntl_setpipe_size(&writer, bytes.len());
        }
        let mut this = Self { pipe: Some(writer), rest: bytes };
        this.write();
        Ok((reader, this))
    }

    pub(super) fn open(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Writes what fits. A command that does not read, or has stopped reading, is no failure.
    pub(super) fn write(&mut self) {
        while let Some(pipe) = &self.pipe {
            if self.rest.is_empty() {
                self.close();
                return;
            }
            match hookweave_spawn::write_quietly(pipe.as_fd(), self.rest) {
                Ok(written) => self.rest = self.rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.close(),
            }
        }
    }

    pub(super) fn close(&mut self) {
        self.pipe = None;
    }
}

/// What the command prints on one stream.
pub(super) struct Output {
    pipe: Option<OwnedFd>,
    stream: Stream,
    bytes: Vec<u8>,
}

impl Output {
    /// The engine's side, and the command's.
    pub(super) fn new(stream: Stream) -> io::Result<(Self, OwnedFd)> {
        let (reader, writer) = pipe()?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        Ok((Self { pipe: Some(reader), stream, bytes: Vec::new() }, writer))
    }

    pub(super) fn stream(&self) -> Stream {
        self.stream
    }

    pub(super) fn open(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Reads once, so that one talkative stream does not keep the run from its deadline; says whether there may be more.
    pub(super) fn read(&mut self) -> bool {
        let Some(pipe) = &self.pipe else { return false };
        self.bytes.reserve(if self.bytes.is_empty() { 4096 } else { CHUNK });
        match rustix::io::read(pipe, spare_capacity(&mut self.bytes)) {
            Ok(1..) | Err(rustix::io::Errno::INTR) => true,
            Err(rustix::io::Errno::AGAIN) => false,
            Ok(0) | Err(_) => {
                self.pipe = None;
                false
            }
        }
    }

    /// Reads what lies in the pipe, up to a little more than the cap.
    pub(super) fn read_all(&mut self, cap: usize) {
        while self.bytes.len() <= cap && self.read() {}
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_lies_in_a_pipe_is_read_and_no_more_than_the_cap_needs() {
        let (mut output, writer) = Output::new(Stream::Stdout).unwrap();
        rustix::io::write(&writer, &vec![b'x'; 20_000]).unwrap();
        output.read_all(1 << 20);
        assert_eq!((output.len(), output.is_open()), (20_000, true));
        drop(writer);
        output.read_all(1 << 20);
        assert!(!output.is_open());

        let (mut output, writer) = Output::new(Stream::Stdout).unwrap();
        rustix::io::write(&writer, &vec![b'x'; 20_000]).unwrap();
        output.read_all(10);
        assert!(output.len() > 10 && output.is_open());
    }
}
