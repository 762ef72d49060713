//! The way to the server: the client's messages go there in the order in which they came, also while calls are judged.

use std::collections::VecDeque;
use std::io::{self, Write};

/// A place in the order.
enum Place {
    /// A call that is judged.
    Call(String),
    /// A message behind one: its id, if it is a request, and its line.
    Message(Option<String>, Vec<u8>),
}

/// The server's input, until it gets no more.
pub(super) struct ToServer {
    side: Option<Box<dyn Write + Send>>,
    places: VecDeque<Place>,
}

impl ToServer {
    pub(super) fn new(side: impl Write + Send + 'static) -> Self {
        Self { side: Some(Box::new(side)), places: VecDeque::new() }
    }

    /// A call takes its place.
    pub(super) fn line_up(&mut self, call: &str) {
        self.places.push_back(Place::Call(call.to_owned()));
    }

    /// Sends a message when all before it are sent.
    pub(super) fn pass(&mut self, id: Option<&str>, line: &[u8]) {
        if self.places.is_empty() {
            let _ = self.write(line);
        } else {
            self.places.push_back(Place::Message(id.map(str::to_owned), line.to_vec()));
        }
    }

    /// Writes a line at once. A side that does not read any more is noticed by what it says, or by its end.
    pub(super) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let side = self.side.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        write_line(side, line)
    }

    /// Whether a call waits for others before it.
    pub(super) fn is_behind(&self, call: &str) -> bool {
        self.place_of(call).is_some_and(|at| at > 0)
    }

    /// Whether a request waits for calls before it.
    pub(super) fn holds(&self, request: &str) -> bool {
        self.places.iter().any(|place| matches!(place, Place::Message(Some(id), _) if id == request))
    }

    /// A call gives up its place: it is sent, or never will be. What waited for it is sent.
    pub(super) fn leave(&mut self, call: &str) {
        if let Some(at) = self.place_of(call) {
            self.places.remove(at);
        }
        while let Some(place) = self.places.pop_front() {
            match place {
                Place::Message(_, line) => _ = self.write(&line),
                Place::Call(_) => {
                    self.places.push_front(place);
                    return;
                }
            }
        }
    }

    /// The server gets no more.
    pub(super) fn close(&mut self) {
        self.side = None;
    }

    fn place_of(&self, call: &str) -> Option<usize> {
        self.places.iter().position(|place| matches!(place, Place::Call(id) if id == call))
    }
}

/// Writes a line, with an end.
pub(super) fn write_line(side: &mut dyn Write, line: &[u8]) -> io::Result<()> {
    side.write_all(line)?;
    if !line.ends_with(b"\n") {
        side.write_all(b"\n")?;
    }
    side.flush()
}
