//! Whether the other side is still there.

/// What is due on a connection that is silent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Nothing,
    /// It was silent for long enough to be asked.
    Ping(u64),
    /// It did not answer.
    Gone,
}

/// When the other side was last heard, and whether it was asked since.
#[derive(Debug)]
pub(crate) struct Pulse {
    keepalive_ms: u64,
    heard: u64,
    asked: Option<u64>,
    number: u64,
}

impl Pulse {
    pub(crate) const fn new(keepalive_ms: u64, now: u64) -> Self {
        Self { keepalive_ms, heard: now, asked: None, number: 0 }
    }

    /// Anything came: a side that talks is there.
    pub(crate) const fn heard(&mut self, now: u64) {
        self.heard = now;
        self.asked = None;
    }

    pub(crate) fn next(&self) -> u64 {
        self.asked.unwrap_or(self.heard).saturating_add(self.keepalive_ms)
    }

    pub(crate) fn due(&mut self, now: u64) -> Due {
        if now < self.next() {
            return Due::Nothing;
        }
        if self.asked.is_some() {
            return Due::Gone;
        }
        self.asked = Some(now);
        self.number += 1;
        Due::Ping(self.number)
    }
}
