//! Lines that are made and not yet written, and the chain that they are part of.

use std::sync::Arc;

use super::chain::Link;
use super::record::Written;
use super::sink::Sink;
use hookweave_machine::timestamp;

/// Lines that are made and not yet written.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    pub(super) link: Link,
    pub(super) lines: Vec<u8>,
    /// The last point in time that was written down, and its text: many records share one.
    stamp: (u64, String),
}

impl LineBuffer {
    /// Goes on with a chain.
    pub(super) fn after(link: Link) -> Self {
        Self { link, ..Self::default() }
    }

    /// Chains a record and passes it to every sink; false when a sink did not accept it.
    ///
    /// Where no file is written nothing is kept of it.
    pub(super) fn push(&mut self, record: Written<'_>, at_ms: u64, sinks: &[Arc<dyn Sink>], is_kept: bool) -> bool {
        if self.stamp.0 != at_ms || self.stamp.1.is_empty() {
            self.stamp = (at_ms, timestamp::iso(i64::try_from(at_ms).unwrap_or(i64::MAX)));
        }
        let begins = self.lines.len();
        self.link.seal(Written { time: &self.stamp.1, ..record }, &mut self.lines);
        let mut taken_by_all = true;
        for sink in sinks {
            // A sink is the program's own code: its panic must not end the writer.
            let line = self.lines.get(begins..).unwrap_or_default().trim_ascii_end();
            let line = std::str::from_utf8(line).unwrap_or_default();
            let taken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| sink.take(line)));
            taken_by_all &= matches!(taken, Ok(Ok(())));
        }
        if !is_kept {
            self.lines.truncate(begins);
        }
        taken_by_all
    }
}
