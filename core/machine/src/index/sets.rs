//! Many patterns held against a text at once, to find the few hooks worth a closer look.

use globset::{GlobSet, GlobSetBuilder};
use regex::{RegexSet, RegexSetBuilder};

use super::Call;
use crate::match_input::{Found, MatchInput};
use crate::path::{PathForms, base_name};
use crate::pattern::Pattern;
use crate::payload::Host;

/// Below this many patterns each is asked by itself: a set would cost more to build than it saves.
const WORTH_A_SET: usize = 8;

/// Patterns to one set: a larger one overflows the automaton's cache and becomes slower than none.
const CHUNK: usize = 64;

/// Memory for one set's automaton, in bytes.
const DFA_BYTES: usize = 16 << 20;

/// Which hooks could be selected by an event's commands and paths.
#[derive(Debug, Default)]
pub(super) struct PatternSets {
    /// Hooks that have to be asked one by one.
    rest: Vec<usize>,
    commands: Vec<Chunk<RegexSet>>,
    bases: Vec<Chunk<GlobSet>>,
    wholes: Vec<Chunk<GlobSet>>,
}

#[derive(Debug)]
struct Chunk<S> {
    set: S,
    owners: Vec<usize>,
}

impl PatternSets {
    pub(super) fn new<T>(calls: &[Call<T>]) -> Self {
        let mut sets = Self::default();
        let (mut commands, mut bases, mut wholes) = (Vec::new(), Vec::new(), Vec::new());
        for (index, call) in calls.iter().enumerate() {
            let matcher = call.entry().matcher();
            match (matcher.command().map(Pattern::linear), matcher.path()) {
                (Some(Some(regex)), _) => commands.push((index, regex)),
                (None, Some(glob)) if glob.by_base_name() => bases.push((index, glob.glob().clone())),
                (None, Some(glob)) => wholes.push((index, glob.glob().clone())),
                _ => sets.rest.push(index),
            }
        }
        sets.commands = chunks(&commands, &mut sets.rest, |patterns| {
            RegexSetBuilder::new(patterns).size_limit(DFA_BYTES).dfa_size_limit(DFA_BYTES).build().ok()
        });
        sets.bases = chunks(&bases, &mut sets.rest, glob_set);
        sets.wholes = chunks(&wholes, &mut sets.rest, glob_set);
        sets.rest.sort_unstable();
        sets
    }

    /// The hooks to ask, in order: all when what they look at cannot be read.
    pub(super) fn candidates<H: Host>(&self, input: &MatchInput<'_, H>, all: usize) -> Candidates {
        if self.commands.is_empty() && self.bases.is_empty() && self.wholes.is_empty() {
            return Candidates::All(0..all);
        }
        let commands = (!self.commands.is_empty()).then(|| input.commands());
        let paths = (!(self.bases.is_empty() && self.wholes.is_empty())).then(|| input.paths());
        let is_open = |found: &Found<PathForms>| found.indeterminate || found.items.iter().any(PathForms::may_be_open);
        if commands.is_some_and(|found| found.indeterminate) || paths.is_some_and(is_open) {
            return Candidates::All(0..all);
        }
        let mut hits = self.rest.clone();
        for text in commands.iter().flat_map(|found| &found.items) {
            for chunk in &self.commands {
                chunk.collect(chunk.set.matches(text), &mut hits);
            }
        }
        for form in paths.iter().flat_map(|found| &found.items).flat_map(PathForms::forms) {
            for chunk in &self.bases {
                chunk.collect(chunk.set.matches(base_name(form)), &mut hits);
            }
            for chunk in &self.wholes {
                chunk.collect(chunk.set.matches(form), &mut hits);
            }
        }
        hits.sort_unstable();
        hits.dedup();
        Candidates::Some(hits.into_iter())
    }
}

impl<S> Chunk<S> {
    fn collect(&self, matched: impl IntoIterator<Item = usize>, hits: &mut Vec<usize>) {
        hits.extend(matched.into_iter().filter_map(|index| self.owners.get(index)));
    }
}

/// Builds sets of at most [`CHUNK`] patterns; what no set takes goes to the rest.
fn chunks<P: Clone, S>(
    patterns: &[(usize, P)],
    rest: &mut Vec<usize>,
    build: impl Fn(Vec<P>) -> Option<S>,
) -> Vec<Chunk<S>> {
    if patterns.len() < WORTH_A_SET {
        rest.extend(patterns.iter().map(|(index, _)| *index));
        return Vec::new();
    }
    let mut chunks = Vec::new();
    for chunk in patterns.chunks(CHUNK) {
        let owners: Vec<usize> = chunk.iter().map(|(index, _)| *index).collect();
        match build(chunk.iter().map(|(_, pattern)| pattern.clone()).collect()) {
            Some(set) => chunks.push(Chunk { set, owners }),
            None => rest.extend(owners),
        }
    }
    chunks
}

fn glob_set(globs: Vec<globset::Glob>) -> Option<GlobSet> {
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(glob);
    }
    builder.build().ok()
}

/// Indexes of the hooks to ask.
pub(super) enum Candidates {
    All(std::ops::Range<usize>),
    Some(std::vec::IntoIter<usize>),
}

impl Iterator for Candidates {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        match self {
            Self::All(range) => range.next(),
            Self::Some(hits) => hits.next(),
        }
    }
}
