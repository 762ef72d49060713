//! Quiet dispatches as a driver wrote them down: one behind the other, each with its length, in memory that is used again.
//!
//! Who wrote them was not asked to be right: everything is checked where it is read.

use smallvec::SmallVec;

use super::batch::{KEPT, Quiet};
use super::ring::halves;
use crate::registry::HookId;
use crate::witness::{Part, beginning, tagged};

/// The bytes of a word.
const WORD: usize = size_of::<u64>();

/// A dispatch has a head, and the time at which it began.
pub(super) const LEAST_WORDS: u32 = 2;

/// Quiet dispatches, as [`Ring`](super::Ring) says.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
}

impl Frames {
    /// Adds a dispatch: the word with its length, and those behind it.
    pub(super) fn push(&mut self, first: u64, rest: impl Iterator<Item = u64>) {
        self.bytes.extend_from_slice(&first.to_ne_bytes());
        for word in rest {
            self.bytes.extend_from_slice(&word.to_ne_bytes());
        }
    }

    /// Adds one that nobody will be able to read.
    pub(super) fn push_unreadable(&mut self) {
        self.push(1, std::iter::empty());
    }

    /// How much memory they take, in bytes.
    pub(super) const fn weight(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets all of them; keeps the memory that is worth keeping.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(KEPT);
    }

    /// The dispatches in order; `None` for what cannot be read.
    pub(super) fn read_back(&self) -> Reader<'_> {
        Reader { rest: &self.bytes }
    }
}

/// Reads dispatches.
#[derive(Debug)]
pub(super) struct Reader<'f> {
    rest: &'f [u8],
}

impl<'f> Iterator for Reader<'f> {
    type Item = Option<Quiet<'f>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (first, _) = self.rest.split_first_chunk::<WORD>()?;
        let (words, text) = halves(u64::from_ne_bytes(*first));
        let (frame, rest) = self.rest.split_at_checked(words.max(1) as usize * WORD)?;
        self.rest = rest;
        Some(quiet(frame, text as usize))
    }
}

/// What a frame says, whose last words are a text of so many bytes.
fn quiet(frame: &[u8], length: usize) -> Option<Quiet<'_>> {
    let text_at = frame.len().checked_sub(length.checked_next_multiple_of(WORD)?)?;
    let text = std::str::from_utf8(frame.get(text_at..)?.get(..length)?).ok()?;
    let mut times =
        frame.get(WORD..text_at)?.as_chunks::<WORD>().0.iter().map(|bytes| nanos(f64::from_ne_bytes(*bytes)));
    let mut ended = times.next()?;
    let mut quiet = Quiet { ended, event: "", cut: false, texts: SmallVec::new(), runs: SmallVec::new() };
    let mut id = None;
    let mut rest = text;
    while let Some((told, behind)) = rest.split_once('\0') {
        rest = behind;
        // The head of a text is filled up with NULs to a whole word.
        if told.is_empty() {
            continue;
        }
        let (tag, text) = told.split_at_checked(1)?;
        match tag {
            "e" => quiet.event = text,
            "i" => id = Some(HookId::new(text.parse().ok()?)),
            "n" => {
                let end = times.next()?;
                quiet.runs.push((id.take()?, text, end.saturating_sub(ended)));
                ended = end;
            }
            _ => {
                for (part, text) in tagged(told) {
                    let kept = beginning(text);
                    quiet.cut |= part == Part::Looked && kept.len() < text.len();
                    quiet.texts.push((part, kept));
                }
            }
        }
    }
    quiet.ended = ended;
    let is_whole = rest.is_empty() && times.next().is_none() && !quiet.event.is_empty() && !quiet.runs.is_empty();
    is_whole.then_some(quiet)
}

/// A driver's number as nanoseconds: what is none is none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked by the language: it saturates")]
const fn nanos(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of these times and this text, its length as it should be.
    fn frames(times: &[f64], text: &[u8]) -> Frames {
        let words = 1 + times.len() + text.len().div_ceil(WORD);
        let mut frames = Frames::default();
        let texts = text.chunks(WORD).map(|chunk| {
            let mut word = [0; WORD];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        });
        let first = words as u64 | ((text.len() as u64) << 32);
        frames.push(first, times.iter().map(|time| time.to_bits()).chain(texts));
        frames
    }

    #[test]
    fn a_frame_is_read_as_the_dispatch_that_it_is() {
        let long = "word ".repeat(1000);
        let text = format!("ePreToolUse\0i3\0nguard\0i12\0ntöpfe\0\0\0ss-1\0tBash\0lls\0l{long}\0u\0");
        let mut frames = frames(&[100.0, 350.0, 351.0], text.as_bytes());
        frames.push_unreadable();
        let told: Vec<_> = frames.read_back().collect();
        let [Some(quiet), None] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((quiet.ended, quiet.event, quiet.cut), (351, "PreToolUse", true));
        assert_eq!(quiet.runs.as_slice(), [(HookId::new(3), "guard", 250), (HookId::new(12), "töpfe", 1)]);
        let texts: Vec<_> = quiet.texts.iter().map(|(part, text)| (*part, text.len().min(5))).collect();
        let looked = Part::Looked;
        assert_eq!(texts, [(Part::Session, 3), (Part::Tool, 4), (looked, 2), (looked, 5), (Part::ToolUseId, 0)]);
        drop(told);
        frames.clear();
        assert_eq!((frames.weight(), frames.read_back().count()), (0, 0));
    }

    #[test]
    fn what_is_no_dispatch_is_told_apart() {
        let whole = b"ePreToolUse\0i3\0nguard\0tBash\0";
        let read = |times: &[f64], text: &[u8]| {
            let told: Vec<_> = frames(times, text).read_back().map(|quiet| quiet.is_some()).collect();
            assert_eq!(told.len(), 1);
            told[0]
        };
        assert!(read(&[1.0, 2.0], whole));
        // Times that are none are no reason to lose a record.
        assert!(read(&[f64::NAN, f64::NEG_INFINITY], whole));
        for times in [&[][..], &[1.0], &[1.0, 2.0, 3.0]] {
            assert!(!read(times, whole), "{times:?}");
        }
        let others: [&[u8]; 8] = [
            b"",
            b"ePreToolUse\0tBash\0",
            b"i3\0nguard\0tBash\0",
            b"ePreToolUse\0nguard\0tBash\0",
            b"ePreToolUse\0ithree\0nguard\0",
            b"ePreToolUse\0i3\0nguard\0tBash",
            b"ePreToolUse\0i3\0nguard\0t\xff\0",
            b"ePreToolUse\0i3\0nguard\0\xc3\xb6\0",
        ];
        for text in others {
            assert!(!read(&[1.0, 2.0], text), "{text:?}");
        }
    }

    #[test]
    fn lengths_beyond_the_end_reach_nothing_else() {
        for first in [u64::MAX, u64::from(u32::MAX), 3, 2 | (u64::from(u32::MAX) << 32), 2 | (9 << 32)] {
            let mut frames = Frames::default();
            frames.push(first, std::iter::once(0));
            assert!(frames.read_back().flatten().next().is_none(), "{first:x}");
        }
    }
}
