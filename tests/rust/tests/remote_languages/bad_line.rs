//! What stands between a worker and its agent: it delays, halves, doubles and cuts what passes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// One side of what passes.
trait Side: Read + Write + Send + Sized + 'static {
    /// Whether messages have their lengths before them, as none of gRPC or of NATS has.
    const FRAMED: bool;
    fn again(&self) -> Self;
    fn end(&self);
}

impl Side for UnixStream {
    const FRAMED: bool = true;

    fn again(&self) -> Self {
        self.try_clone().unwrap()
    }

    fn end(&self) {
        _ = self.shutdown(Shutdown::Both);
    }
}

impl Side for TcpStream {
    const FRAMED: bool = false;

    fn again(&self) -> Self {
        self.try_clone().unwrap()
    }

    fn end(&self) {
        _ = self.shutdown(Shutdown::Both);
    }
}

/// A line to an address.
pub(super) struct BadLine {
    pub(super) address: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    is_good: AtomicBool,
    /// How much has passed, which says what becomes of the next part.
    parts: AtomicUsize,
    cuts: AtomicUsize,
}

/// What becomes of a part.
enum Fate {
    Passes,
    Late,
    Halved,
    Doubled,
    Cut,
}

impl State {
    fn next(&self) -> Fate {
        let part = self.parts.fetch_add(1, Ordering::SeqCst);
        if self.is_good.load(Ordering::SeqCst) {
            return Fate::Passes;
        }
        match part % 97 {
            5 | 31 => Fate::Late,
            13 | 47 | 71 => Fate::Halved,
            23 | 59 | 83 => Fate::Doubled,
            96 => {
                self.cuts.fetch_add(1, Ordering::SeqCst);
                Fate::Cut
            }
            _ => Fate::Passes,
        }
    }
}

impl BadLine {
    pub(super) fn to(address: &str, folder: &Path) -> Self {
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let address = if let Some(path) = address.strip_prefix("unix://").map(str::to_owned) {
            let near = folder.join("line");
            let listener = UnixListener::bind(&near).unwrap();
            start(move || {
                while let Ok((stream, _)) = listener.accept() {
                    join(stream, UnixStream::connect(&path), &shared);
                }
            });
            format!("unix://{}", near.display())
        } else {
            let (scheme, place) = address.split_once("://").unwrap();
            let (listener, place) = (TcpListener::bind("127.0.0.1:0").unwrap(), place.to_owned());
            let near = format!("{scheme}://{}", listener.local_addr().unwrap());
            start(move || {
                while let Ok((stream, _)) = listener.accept() {
                    join(stream, TcpStream::connect(&place), &shared);
                }
            });
            near
        };
        Self { address, state }
    }

    /// How many connections it has cut.
    pub(super) fn cuts(&self) -> usize {
        self.state.cuts.load(Ordering::SeqCst)
    }

    /// Passes on everything from now on.
    pub(super) fn heal(&self) {
        self.state.is_good.store(true, Ordering::SeqCst);
    }
}

fn start(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().spawn(work).unwrap();
}

/// Joins a connection to another one, where there is one.
fn join<S: Side>(near: S, far: std::io::Result<S>, state: &Arc<State>) {
    let Ok(far) = far else { return near.end() };
    for (from, to) in [(near.again(), far.again()), (far, near)] {
        let state = Arc::clone(state);
        start(move || {
            _ = pass(&from, &to, &state);
            from.end();
            to.end();
        });
    }
}

/// Passes on what comes, until one side ends or the line is cut.
fn pass<S: Side>(from: &S, to: &S, state: &State) -> std::io::Result<()> {
    let (mut from, mut to) = (from.again(), to.again());
    loop {
        let part = if S::FRAMED {
            let mut length = [0; 4];
            from.read_exact(&mut length)?;
            let mut part = length.to_vec();
            part.resize(4 + u32::from_be_bytes(length) as usize, 0);
            from.read_exact(&mut part[4..])?;
            part
        } else {
            let mut part = vec![0; 4096];
            let length = from.read(&mut part)?;
            part.truncate(length);
            part
        };
        if part.is_empty() {
            return Ok(());
        }
        let (first, second) = part.split_at(part.len() / 2);
        match state.next() {
            Fate::Passes => to.write_all(&part)?,
            Fate::Late => {
                std::thread::sleep(Duration::from_millis(20));
                to.write_all(&part)?;
            }
            Fate::Halved => {
                to.write_all(first)?;
                std::thread::sleep(Duration::from_millis(5));
                to.write_all(second)?;
            }
            // A stream without lengths cannot be doubled: its bytes have places.
            Fate::Doubled if !S::FRAMED => to.write_all(&part)?,
            Fate::Doubled => {
                to.write_all(&part)?;
                to.write_all(&part)?;
            }
            Fate::Cut => return to.write_all(first),
        }
    }
}
