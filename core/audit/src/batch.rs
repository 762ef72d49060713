//! Dispatches in which no hook had anything to say, one behind the other in memory that is used again.
//!
//! They are nearly all that is recorded of a busy agent. Told one by one, with memory of its own for each, they would cost more
//! than the hooks themselves.

use smallvec::SmallVec;

use hookweave_machine::event::EventSpec;
use hookweave_machine::index::{Call, Plan};
use hookweave_machine::observer::{Part, beginning, each_text, tagged};
use hookweave_machine::outcome::Outcome;
use hookweave_machine::payload::Host;
use hookweave_machine::registry::HookId;

/// How much memory is kept to be used again, in bytes.
pub(super) const KEPT: usize = 2 * 1024 * 1024;

/// What stands among the texts of a dispatch when one of them was longer than what was copied of it; see [`Batch::numbers`].
const CUT: u64 = 7;

/// How many bits of a text's number say which text it is.
const PART_BITS: u32 = 3;

/// Dispatches in which no hook answered, to be recorded together by [`Audit::quiet`](super::Audit::quiet).
#[derive(Debug, Default)]
pub struct Batch {
    /// Of each dispatch: when it ended, in eight bytes, the length of its event's name; of each text its length and which it is, and 0; of each hook
    /// its number and 1, how long it took, the length of its name, and 0. Small numbers take one byte: what is written here is read by
    /// another processor, and that costs by its size.
    numbers: Vec<u8>,
    /// The texts that those are the lengths of.
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
        self.texts.len() + self.numbers.len()
    }

    /// Adds a dispatch that ended at a time on the driver's clock; its hooks took so many nanoseconds each.
    ///
    /// `texts` are those of [`EventDigest::places`](hookweave_machine::observer::EventDigest::places), each behind its tag and with a NUL after it. A
    /// dispatch without hooks is nothing to record.
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

    /// The same, of an outcome; its payload is looked at where it is.
    pub(super) fn read<T, H: Host>(&mut self, host: &H, outcome: &Outcome<T, H::Value>, ended: u64) {
        let took = outcome.quiet_runs().map(|(_, took)| took);
        self.write(outcome.event(), outcome.plan().calls(), ended, took, |take| {
            each_text(host, outcome.event(), outcome.first_payload(), outcome.tools(), take);
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
        let Self { numbers, texts: copied, .. } = self;
        numbers.extend_from_slice(&ended.to_le_bytes());
        put(numbers, event.name().len() as u64);
        copied.push_str(event.name());
        let mut is_cut = false;
        texts(&mut |part, text| {
            let kept = beginning(text);
            is_cut |= part == Part::Matched && kept.len() < text.len();
            put(numbers, ((kept.len() as u64) << PART_BITS) | (part as u64 + 1));
            copied.push_str(kept);
        });
        if is_cut {
            put(numbers, CUT);
        }
        put(numbers, 0);
        for (call, took) in calls.iter().zip(took) {
            let entry = call.entry();
            put(numbers, entry.id().number() + 1);
            put(numbers, took);
            put(numbers, entry.name().len() as u64);
            copied.push_str(entry.name());
        }
        put(numbers, 0);
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
        self.numbers.shrink_to(KEPT);
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
    numbers: &'b [u8],
    texts: &'b str,
}

/// One dispatch of a batch.
#[derive(Debug)]
pub(super) struct Quiet<'b> {
    /// When it ended, on the driver's clock in nanoseconds.
    pub(super) ended: u64,
    /// Its event's name.
    pub(super) event: &'b str,
    /// Whether a text was longer than what was copied of it.
    pub(super) cut: bool,
    /// What the event was about, in the order in which it is digested.
    pub(super) texts: SmallVec<[(Part, &'b str); 6]>,
    /// The hooks: id, name, and how long each took, in nanoseconds.
    pub(super) runs: SmallVec<[(HookId, &'b str, u64); 4]>,
}

impl<'b> Iterator for Reader<'b> {
    type Item = Quiet<'b>;

    fn next(&mut self) -> Option<Quiet<'b>> {
        let (ended, rest) = self.numbers.split_first_chunk()?;
        self.numbers = rest;
        let ended = u64::from_le_bytes(*ended);
        let event = self.text()?;
        let mut quiet = Quiet { ended, event, cut: false, texts: SmallVec::new(), runs: SmallVec::new() };
        loop {
            match self.number()? {
                0 => break,
                CUT => quiet.cut = true,
                mark => quiet.texts.push((part(mark), self.cut_off(mark >> PART_BITS))),
            }
        }
        while let id @ 1.. = self.number()? {
            let took = self.number()?;
            quiet.runs.push((HookId::new(id - 1), self.text()?, took));
        }
        Some(quiet)
    }
}

impl<'b> Reader<'b> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in (0..u64::BITS).step_by(7) {
            let (byte, rest) = self.numbers.split_first()?;
            self.numbers = rest;
            number |= u64::from(byte & 0x7f) << place;
            if *byte < 0x80 {
                break;
            }
        }
        Some(number)
    }

    /// A text whose length stands next.
    fn text(&mut self) -> Option<&'b str> {
        let length = self.number()?;
        Some(self.cut_off(length))
    }

    fn cut_off(&mut self, length: u64) -> &'b str {
        let at = usize::try_from(length).unwrap_or(usize::MAX);
        let (head, rest) = self.texts.split_at_checked(at).unwrap_or((self.texts, ""));
        self.texts = rest;
        head
    }
}

impl<'b> Quiet<'b> {
    /// The first text of a kind.
    pub(super) fn first(&self, wanted: Part) -> Option<&'b str> {
        self.texts.iter().find(|(part, _)| *part == wanted).map(|(_, text)| *text)
    }
}

/// Writes a number: seven bits to the byte, the low ones first, and the highest bit set while there are more.
#[inline]
fn put(numbers: &mut Vec<u8>, number: u64) {
    match u8::try_from(number) {
        Ok(small @ ..0x80) => numbers.push(small),
        _ => put_large(numbers, number),
    }
}

fn put_large(numbers: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        numbers.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    numbers.push(number.to_le_bytes()[0]);
}

/// Which text it is, of its number.
const fn part(mark: u64) -> Part {
    match (mark & CUT) - 1 {
        0 => Part::Session,
        1 => Part::Agent,
        2 => Part::Tool,
        3 => Part::ToolUseId,
        _ => Part::Matched,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use hookweave_machine::hook::HookSpec;
    use hookweave_machine::json::Json;
    use hookweave_machine::options::Options;
    use hookweave_machine::registry::Registry;
    use serde_json::{Value, json};

    fn plan(hooks: &[&str], payload: &Value) -> (Arc<EventSpec>, Arc<Plan<()>>) {
        let registry = Registry::new(Options::default());
        for name in hooks {
            let spec = HookSpec::new("PreToolUse").name(*name);
            registry.register(spec, ()).unwrap();
        }
        let snapshot = registry.snapshot();
        let index = snapshot.event("PreToolUse").unwrap();
        (Arc::clone(index.spec()), snapshot.plan(&Json, index, &payload).plan)
    }

    #[test]
    fn every_part_has_the_number_that_it_is_read_by() {
        for known in [Part::Session, Part::Agent, Part::Tool, Part::ToolUseId, Part::Matched] {
            assert_eq!(part((5 << PART_BITS) | (known as u64 + 1)), known);
            assert!((known as u64) + 1 < CUT);
        }
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let all = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
        let mut numbers = Vec::new();
        for number in all {
            put(&mut numbers, number);
        }
        let mut reader = Reader { numbers: &numbers, texts: "" };
        assert_eq!(all.map(|_| reader.number().unwrap()), all);
        assert_eq!(reader.number(), None);
    }

    #[test]
    fn what_is_added_is_read_back_also_out_of_another_batch() {
        let (event, two) = plan(&["guard", "töpfe"], &json!({"tool": "Bash"}));
        let long = "word ".repeat(2000);
        let mut batch = Batch::default();
        batch.add(&event, &two, 7, [1234, u64::MAX], &format!("ss-1\0tBash\0lé ls\0l{long}\0u\0"));
        let mut other = Batch::default();
        other.add(&event, &two, u64::MAX, [0, 1], "");
        batch.append(&mut other);
        assert_eq!((batch.len(), other.len(), other.weight()), (2, 0, 0));
        assert!(other.read_back().next().is_none());
        let items: Vec<_> = batch.read_back().collect();
        let [first, second] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!((first.ended, first.event, first.cut), (7, "PreToolUse", true));
        let short: Vec<_> = first.texts.iter().map(|(part, text)| (*part, text.len().min(5))).collect();
        let looked = Part::Matched;
        assert_eq!(short, [(Part::Session, 3), (Part::Tool, 4), (looked, 5), (looked, 5), (Part::ToolUseId, 0)]);
        assert_eq!(first.first(Part::Tool), Some("Bash"));
        let runs: Vec<_> = first.runs.iter().map(|(_, name, took)| (*name, *took)).collect();
        assert_eq!(runs, [("guard", 1234), ("töpfe", u64::MAX)]);
        assert_ne!(first.runs[0].0, first.runs[1].0);
        assert_eq!((second.ended, second.cut, second.texts.len(), second.runs.len()), (u64::MAX, false, 0, 2));
    }

    #[test]
    fn a_dispatch_without_hooks_is_nothing_to_record() {
        let (event, none) = plan(&[], &json!({}));
        let mut batch = Batch::default();
        batch.add(&event, &none, 7, [], "tBash\0");
        assert!(batch.is_empty() && batch.weight() == 0);
    }
}
