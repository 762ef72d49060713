//! Dispatches in which no hook had anything to say, one behind the other in memory that is used again.
//!
//! They are nearly all that is recorded of a busy agent. Told one by one, with memory of its own for each, they would cost more
//! than the hooks themselves.

use crate::event::EventSpec;
use crate::index::{Call, Plan};
use crate::outcome::Outcome;
use crate::payload::Host;
use crate::registry::HookId;
use crate::witness::{About, Part, beginning, each_text, tagged};

/// How much memory is kept to be used again, in bytes.
const KEPT: usize = 2 * 1024 * 1024;

/// How many numbers stand before those of a dispatch: when it ended, how long its event's name is, how many texts and how many
/// hooks it has.
const HEAD: usize = 4;

/// How many numbers a hook has: its own, how long it took, and how long its name is.
const PER_HOOK: usize = 3;

/// Set in the number of texts when one of them was longer than what was copied of it.
const CUT: u64 = 1 << 32;

/// Dispatches in which no hook had anything to say, to be recorded together by [`Audit::quiet`](super::Audit::quiet).
#[derive(Debug, Default)]
pub struct Batch {
    numbers: Vec<u64>,
    texts: String,
    dispatches: usize,
}

impl Batch {
    /// How many dispatches there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.dispatches
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.dispatches == 0
    }

    /// How much memory its dispatches take, in bytes.
    pub(super) const fn weight(&self) -> usize {
        self.texts.len() + self.numbers.len() * size_of::<u64>()
    }

    /// Adds a dispatch that ended at a time on the driver's clock; its hooks took so many nanoseconds each.
    ///
    /// `texts` are those of [`About::places`], each behind its tag and with a NUL after it. A dispatch without hooks is nothing to
    /// record.
    pub fn add<T>(
        &mut self,
        event: &EventSpec,
        plan: &Plan<T>,
        ended: u64,
        took: impl IntoIterator<Item = u64>,
        texts: &str,
    ) {
        self.write(event, plan.calls(), ended, took, |take| {
            for (part, text) in tagged(texts) {
                take(part, text);
            }
        });
    }

    /// The same, of what was copied before.
    pub(super) fn add_copied<T>(&mut self, event: &EventSpec, plan: &Plan<T>, ended: u64, took: &[u64], about: &About) {
        self.write(event, plan.calls(), ended, took.iter().copied(), |take| {
            for (part, text) in about.texts() {
                take(part, text);
            }
        });
    }

    /// The same, of an outcome; its payload is looked at where it is.
    pub(super) fn read<T, H: Host>(&mut self, host: &H, outcome: &Outcome<T, H::Value>, ended: u64) {
        let running = &outcome.running;
        self.write(&running.event, running.plan.calls(), ended, running.quiet.iter().copied(), |take| {
            each_text(host, &running.event, outcome.first_payload(), outcome.tools(), take);
        });
    }

    #[inline]
    fn write<T>(
        &mut self,
        event: &EventSpec,
        calls: &[Call<T>],
        ended: u64,
        took: impl IntoIterator<Item = u64>,
        texts: impl FnOnce(&mut dyn FnMut(Part, &str)),
    ) {
        if calls.is_empty() {
            return;
        }
        let head = self.numbers.len();
        let name = event.name();
        self.numbers.extend_from_slice(&[ended, name.len() as u64, 0, 0]);
        self.texts.push_str(name);
        let (mut count, mut cut) = (0, 0);
        texts(&mut |part, text| {
            let kept = beginning(text);
            if part == Part::Looked && kept.len() < text.len() {
                cut = CUT;
            }
            self.texts.push_str(kept);
            self.numbers.push(((part as u64) << 32) | kept.len() as u64);
            count += 1;
        });
        let mut hooks = 0;
        for (call, took) in calls.iter().zip(took) {
            let entry = call.entry();
            self.texts.push_str(entry.name());
            self.numbers.extend_from_slice(&[entry.id().number(), took, entry.name().len() as u64]);
            hooks += 1;
        }
        if let Some([_, _, texts, runs]) = self.numbers.get_mut(head..head + HEAD) {
            (*texts, *runs) = (count | cut, hooks);
        }
        self.dispatches += 1;
    }

    /// Takes over all dispatches of another batch, which keeps its memory.
    pub(super) fn append(&mut self, other: &mut Self) {
        self.numbers.extend_from_slice(&other.numbers);
        self.texts.push_str(&other.texts);
        self.dispatches += other.dispatches;
        other.clear();
    }

    /// Forgets all dispatches; of its memory it keeps what is worth keeping.
    pub(super) fn clear(&mut self) {
        self.dispatches = 0;
        self.numbers.clear();
        self.texts.clear();
        self.numbers.shrink_to(KEPT / size_of::<u64>());
        self.texts.shrink_to(KEPT);
    }

    /// The dispatches, in order.
    pub(super) fn read_back(&self) -> Reader<'_> {
        Reader { numbers: &self.numbers, texts: &self.texts }
    }
}

/// Reads the dispatches of a batch.
#[derive(Debug)]
pub(super) struct Reader<'b> {
    numbers: &'b [u64],
    texts: &'b str,
}

/// One dispatch of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quiet<'b> {
    /// When it ended, on the driver's clock in nanoseconds.
    pub(super) ended: u64,
    /// Its event's name.
    pub(super) event: &'b str,
    /// Whether a text was longer than what was copied of it.
    pub(super) cut: bool,
    marks: &'b [u64],
    runs: &'b [u64],
    texts: &'b str,
}

impl<'b> Iterator for Reader<'b> {
    type Item = Quiet<'b>;

    fn next(&mut self) -> Option<Quiet<'b>> {
        let &[ended, name, texts, hooks, ref rest @ ..] = self.numbers else { return None };
        let (marks, rest) = rest.split_at_checked(length(texts))?;
        let (runs, rest) = rest.split_at_checked(length(hooks) * PER_HOOK)?;
        self.numbers = rest;
        let event = cut_off(&mut self.texts, name);
        let texts_length: u64 = marks.iter().map(|mark| mark & u64::from(u32::MAX)).sum();
        let names_length: u64 = runs.chunks_exact(PER_HOOK).filter_map(<[u64]>::last).sum();
        let own = cut_off(&mut self.texts, texts_length + names_length);
        Some(Quiet { ended, event, cut: texts & CUT != 0, marks, runs, texts: own })
    }
}

impl<'b> Quiet<'b> {
    /// What the event was about, in the order in which it is digested.
    pub(super) fn texts(&self) -> impl Iterator<Item = (Part, &'b str)> + use<'b> {
        let mut texts = self.texts;
        self.marks.iter().map(move |mark| (part(mark >> 32), cut_off(&mut texts, *mark)))
    }

    /// The first text of a kind.
    pub(super) fn first(&self, wanted: Part) -> Option<&'b str> {
        self.texts().find(|(part, _)| *part == wanted).map(|(_, text)| text)
    }

    /// The hooks: id, name, and how long each took, in nanoseconds.
    pub(super) fn runs(&self) -> impl Iterator<Item = (HookId, &'b str, u64)> + use<'b> {
        let mut names = self.texts;
        for mark in self.marks {
            cut_off(&mut names, *mark);
        }
        self.runs.chunks_exact(PER_HOOK).filter_map(move |run| {
            let &[id, took, name] = run else { return None };
            Some((HookId::new(id), cut_off(&mut names, name), took))
        })
    }
}

/// A number of things, without what else stands in the same number.
#[expect(clippy::cast_possible_truncation, reason = "what is above is something else")]
const fn length(number: u64) -> usize {
    number as u32 as usize
}

/// Takes so many bytes from the beginning of a text.
fn cut_off<'t>(texts: &mut &'t str, bytes: u64) -> &'t str {
    let (head, rest) = texts.split_at_checked(length(bytes)).unwrap_or((texts, ""));
    *texts = rest;
    head
}

const fn part(number: u64) -> Part {
    match number {
        0 => Part::Session,
        1 => Part::Agent,
        2 => Part::Tool,
        3 => Part::ToolUseId,
        _ => Part::Looked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Mode;

    fn told(batch: &Batch) -> Vec<(u64, String, bool, Vec<(Part, String)>)> {
        let texts = |quiet: &Quiet<'_>| quiet.texts().map(|(part, text)| (part, text.to_owned())).collect();
        batch.read_back().map(|quiet| (quiet.ended, quiet.event.to_owned(), quiet.cut, texts(&quiet))).collect()
    }

    #[test]
    fn every_part_has_the_number_that_it_is_read_by() {
        for known in [Part::Session, Part::Agent, Part::Tool, Part::ToolUseId, Part::Looked] {
            assert_eq!(part(known as u64), known);
        }
    }

    #[test]
    fn what_is_added_is_read_back_also_out_of_another_batch() {
        let event = EventSpec::custom("deploy:start");
        let long = "word ".repeat(2000);
        let copied = format!("ss-1\0tBash\0lé ls\0l{long}\0u\0");
        let mut plan_less = Batch::default();
        plan_less.add(&event, &Plan::<()>::empty(Mode::Sequential), 7, [], &copied);
        assert!(plan_less.is_empty(), "without hooks there is nothing to record");

        let mut batch = Batch::default();
        let own = |ended, batch: &mut Batch| {
            batch.numbers.extend_from_slice(&[ended, 12, 0, 1]);
            batch.texts.push_str("deploy:start");
            batch.texts.push_str("guard");
            batch.numbers.extend_from_slice(&[17, 1234, 5]);
            batch.dispatches += 1;
        };
        own(1, &mut batch);
        let mut other = Batch::default();
        own(2, &mut other);
        batch.append(&mut other);
        assert_eq!((batch.len(), other.len(), other.weight()), (2, 0, 0));
        let runs: Vec<_> = batch.read_back().flat_map(|quiet| quiet.runs()).collect();
        assert_eq!(runs, [(HookId::new(17), "guard", 1234), (HookId::new(17), "guard", 1234)]);
        assert_eq!(told(&batch).iter().map(|(ended, ..)| *ended).collect::<Vec<_>>(), [1, 2]);
    }
}
