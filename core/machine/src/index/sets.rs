//! Many patterns held against a text at once, to find the few hooks worth a closer look.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use globset::{GlobSet, GlobSetBuilder};
use regex::{RegexSet, RegexSetBuilder};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Call;
use super::pieces::{Made, Piece, Pieces, Placed};
use crate::entry::Place;
use crate::match_input::{ArgumentText, MatchInput};
use crate::matcher::{Key, Matcher, TextTest};
use crate::path::{PathForms, base_name};
use crate::pattern::Names;
use crate::payload::Host;

/// Below this many patterns each is asked by itself: a set would cost more to build than it saves.
const WORTH_A_SET: usize = 8;

/// Memory for one set's automaton, in bytes.
const DFA_BYTES: usize = 16 << 20;

/// What hooks of one list look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rest,
    Command,
    BaseName,
    Path,
    Program,
    Argument,
    Session,
    Agent,
}

const KINDS: [Kind; 8] =
    [Kind::Rest, Kind::Command, Kind::BaseName, Kind::Path, Kind::Program, Kind::Argument, Kind::Session, Kind::Agent];

impl Kind {
    fn of(matcher: &Matcher) -> Self {
        match matcher.key() {
            None => Self::Rest,
            Some(Key::Command(_)) => Self::Command,
            Some(Key::BaseName(_)) => Self::BaseName,
            Some(Key::Path(_)) => Self::Path,
            Some(Key::Program(_)) => Self::Program,
            Some(Key::Argument(..)) => Self::Argument,
            Some(Key::Session(_)) => Self::Session,
            Some(Key::Agent(_)) => Self::Agent,
        }
    }
}

/// Hooks by what they look at.
#[derive(Debug)]
pub(super) struct Calls<T> {
    lists: [Pieces<Call<T>, Covered>; KINDS.len()],
}

impl<T> Default for Calls<T> {
    fn default() -> Self {
        Self { lists: Default::default() }
    }
}

impl<T> Clone for Calls<T> {
    fn clone(&self) -> Self {
        Self { lists: self.lists.clone() }
    }
}

impl<T> Calls<T> {
    fn list(&self, kind: Kind) -> &Pieces<Call<T>, Covered> {
        let [rest, command, base_name, path, program, argument, session, agent] = &self.lists;
        match kind {
            Kind::Rest => rest,
            Kind::Command => command,
            Kind::BaseName => base_name,
            Kind::Path => path,
            Kind::Program => program,
            Kind::Argument => argument,
            Kind::Session => session,
            Kind::Agent => agent,
        }
    }

    fn list_mut(&mut self, kind: Kind) -> &mut Pieces<Call<T>, Covered> {
        let [rest, command, base_name, path, program, argument, session, agent] = &mut self.lists;
        match kind {
            Kind::Rest => rest,
            Kind::Command => command,
            Kind::BaseName => base_name,
            Kind::Path => path,
            Kind::Program => program,
            Kind::Argument => argument,
            Kind::Session => session,
            Kind::Agent => agent,
        }
    }

    pub(super) fn has(&self, matcher: &Matcher, place: Place) -> bool {
        self.list(Kind::of(matcher)).get(place).is_some()
    }

    pub(super) fn insert(&mut self, call: Call<T>) {
        self.list_mut(Kind::of(call.entry().matcher())).insert(call);
    }

    pub(super) fn remove(&mut self, matcher: &Matcher, place: Place) {
        self.list_mut(Kind::of(matcher)).remove(place);
    }

    /// Those that look at nothing but the tool, in order.
    pub(super) fn rest(&self) -> impl Iterator<Item = &Call<T>> {
        self.list(Kind::Rest).iter()
    }

    /// The hooks to ask, in order: of those that look at something that cannot be read, all.
    pub(super) fn candidates<'c, H: Host>(&'c self, input: &MatchInput<'_, H>) -> Candidates<'c, T> {
        let mut found = Found { calls: self.rest().collect() };
        let rest = found.calls.len();
        for kind in KINDS {
            let list = self.list(kind);
            if kind != Kind::Rest && !list.is_empty() {
                let texts = Texts::new(kind, input);
                list.pieces().for_each(|piece| found.of_piece(piece, &texts));
            }
        }
        let mut calls = found.calls;
        if calls.len() > rest {
            // Several texts may have found the same one. Lists are in order each, for which this sort is quick.
            calls.sort_by_key(|call| call.position());
            calls.dedup_by_key(|call| call.position());
        }
        calls
    }
}

/// The hooks to ask, in order.
type Candidates<'c, T> = SmallVec<[&'c Call<T>; 8]>;

impl<T> Placed for Call<T> {
    fn place(&self) -> Place {
        self.position()
    }
}

/// Which hooks of a piece are found by a set, made when a text is first held against them.
#[derive(Debug, Default)]
pub(super) struct Covered {
    /// The set of the piece before its last changes: what came since is asked by itself until there is enough of it.
    before: Option<Arc<Sets>>,
    now: OnceLock<Covering>,
}

#[derive(Debug)]
struct Covering {
    sets: Option<Arc<Sets>>,
    uncovered: Vec<Place>,
}

impl Made for Covered {
    fn after_change(&self) -> Self {
        let sets = self.now.get().map_or(&self.before, |now| &now.sets);
        Self { before: sets.clone(), now: OnceLock::new() }
    }
}

impl Covered {
    fn now<T>(&self, calls: &[Call<T>]) -> &Covering {
        if let Some(now) = self.now.get() {
            return now;
        }
        let covers = |place: &Place| self.before.as_ref().is_some_and(|sets| sets.covers.binary_search(place).is_ok());
        let uncovered: Vec<Place> = calls.iter().map(Call::position).filter(|place| !covers(place)).collect();
        let made = if uncovered.len() < WORTH_A_SET {
            Covering { sets: self.before.clone(), uncovered }
        } else {
            Covering { sets: Some(Arc::new(Sets::new(calls))), uncovered: Vec::new() }
        };
        // No thread waits for another one that makes it: in a forked child that thread would not exist.
        self.now.get_or_init(|| made)
    }
}

/// The patterns of one piece.
#[derive(Debug, Default)]
struct Sets {
    /// The hooks that the sets speak of, in order.
    covers: Vec<Place>,
    /// Those of them that have to be asked by themselves.
    asked: Vec<Place>,
    /// By the argument that is looked at; of other kinds there is one, without an argument.
    of: Vec<(Option<Box<str>>, TextSet)>,
}

/// Patterns over one text.
#[derive(Debug, Default)]
struct TextSet {
    all: Vec<Place>,
    exact: FxHashMap<Box<str>, Vec<Place>>,
    regexes: Option<(RegexSet, Vec<Place>)>,
    globs: Option<(GlobSet, Vec<Place>)>,
}

/// What a set is made of.
#[derive(Default)]
struct Draft<'m> {
    all: Vec<Place>,
    exact: Vec<(&'m str, Place)>,
    regexes: Vec<(&'m str, Place)>,
    globs: Vec<(&'m globset::Glob, Place)>,
}

impl<'m> Draft<'m> {
    fn add(&mut self, test: &TextTest<'m>, place: Place) {
        match test {
            TextTest::Regex(regex) => self.regexes.push((regex, place)),
            TextTest::Is(text) => self.exact.push((text, place)),
            TextTest::Names(names) => self.add_names(names, place),
        }
    }

    fn add_names(&mut self, names: &'m Names, place: Place) {
        // Names that are all are no condition, and have no key.
        if let Names::Any { exact, globs } = names {
            self.exact.extend(exact.iter().map(|name| (name.as_str(), place)));
            self.globs.extend(globs.iter().map(|glob| (glob.written(), place)));
        }
    }

    /// The set; `None` when the patterns are too few, or too large together.
    fn build(&self) -> Option<TextSet> {
        if self.all.len() < WORTH_A_SET {
            return None;
        }
        let mut set = TextSet { all: self.all.clone(), ..TextSet::default() };
        for (text, place) in &self.exact {
            set.exact.entry((*text).into()).or_default().push(*place);
        }
        if !self.regexes.is_empty() {
            let mut builder = RegexSetBuilder::new(self.regexes.iter().map(|(regex, _)| regex));
            let regexes = builder.size_limit(DFA_BYTES).dfa_size_limit(DFA_BYTES).build().ok()?;
            set.regexes = Some((regexes, self.regexes.iter().map(|(_, place)| *place).collect()));
        }
        if !self.globs.is_empty() {
            let mut builder = GlobSetBuilder::new();
            for (glob, _) in &self.globs {
                builder.add((*glob).clone());
            }
            set.globs = Some((builder.build().ok()?, self.globs.iter().map(|(_, place)| *place).collect()));
        }
        Some(set)
    }
}

#[cfg(test)]
thread_local! {
    /// How many sets were made on this thread.
    pub(crate) static BUILT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Sets {
    fn new<T>(calls: &[Call<T>]) -> Self {
        #[cfg(test)]
        BUILT.set(BUILT.get() + 1);
        let mut sets = Self::default();
        let mut drafts: FxHashMap<Option<&str>, Draft<'_>> = FxHashMap::default();
        for call in calls {
            let place = call.position();
            sets.covers.push(place);
            let Some(key) = call.entry().matcher().key() else {
                sets.asked.push(place);
                continue;
            };
            let path = if let Key::Argument(path, _) = key { Some(path) } else { None };
            let draft = drafts.entry(path).or_default();
            draft.all.push(place);
            match key {
                Key::Command(regex) => draft.regexes.push((regex, place)),
                Key::BaseName(glob) | Key::Path(glob) => draft.globs.push((glob, place)),
                Key::Program(programs) => draft.exact.extend(programs.into_iter().map(|program| (program, place))),
                Key::Argument(_, test) => draft.add(&test, place),
                Key::Session(names) | Key::Agent(names) => draft.add_names(names, place),
            }
        }
        for (path, draft) in drafts {
            match draft.build() {
                Some(set) => sets.of.push((path.map(Into::into), set)),
                None => sets.asked.extend(draft.all),
            }
        }
        sets
    }
}

impl TextSet {
    /// Hands out the hooks whose pattern a text matches.
    fn each(&self, text: &str, mut take: impl FnMut(Place)) {
        self.exact.get(text).into_iter().flatten().copied().for_each(&mut take);
        let place = |owners: &Vec<Place>, at: usize| owners.get(at).copied();
        if let Some((set, owners)) = &self.regexes {
            set.matches(text).into_iter().filter_map(|at| place(owners, at)).for_each(&mut take);
        }
        if let Some((set, owners)) = &self.globs {
            set.matches(text).into_iter().filter_map(|at| place(owners, at)).for_each(&mut take);
        }
    }
}

/// What hooks of one kind look at, looked up at most once.
enum Texts<'i, 'v, H: Host> {
    /// It cannot be read.
    Unknown,
    Known(SmallVec<[Cow<'i, str>; 4]>),
    Arguments(&'i MatchInput<'v, H>, std::cell::RefCell<Vec<(Box<str>, ArgumentText)>>),
}

impl<'i, 'v, H: Host> Texts<'i, 'v, H> {
    fn new(kind: Kind, input: &'i MatchInput<'v, H>) -> Self {
        let of_field = |field: &str| {
            let found = input.text(field);
            let text = |text: Cow<'v, str>| -> Cow<'i, str> { text };
            if found.indeterminate { Self::Unknown } else { Self::Known(found.items.into_iter().map(text).collect()) }
        };
        match kind {
            Kind::Rest => Self::Unknown,
            Kind::Command => {
                let found = input.commands();
                if found.indeterminate {
                    return Self::Unknown;
                }
                Self::Known(found.items.iter().map(|text| Cow::Borrowed(&**text)).collect())
            }
            Kind::BaseName | Kind::Path => {
                let found = input.paths();
                if found.indeterminate || found.items.iter().any(PathForms::may_be_open) {
                    return Self::Unknown;
                }
                let forms = found.items.iter().flat_map(PathForms::forms);
                let form = |form| if kind == Kind::BaseName { base_name(form) } else { form };
                Self::Known(forms.map(|text| Cow::Borrowed(form(text))).collect())
            }
            Kind::Program => {
                let Some(programs) = input.programs() else { return Self::Unknown };
                Self::Known(programs.into_iter().map(Cow::Borrowed).collect())
            }
            Kind::Argument => Self::Arguments(input, std::cell::RefCell::default()),
            Kind::Session => of_field("session_id"),
            Kind::Agent => of_field("agent_id"),
        }
    }

    /// Hands out the hooks of a set that a text selects.
    fn each(&self, path: Option<&str>, set: &TextSet, mut take: impl FnMut(Place)) {
        match self {
            Self::Unknown => set.all.iter().copied().for_each(take),
            Self::Known(texts) => texts.iter().for_each(|text| set.each(text, &mut take)),
            Self::Arguments(input, known) => {
                let path = path.unwrap_or_default();
                let place = known.borrow().iter().position(|(known, _)| **known == *path);
                let place = place.unwrap_or_else(|| {
                    // Not while the list is borrowed: reading an argument may run the host's code.
                    let text = input.argument_text(path);
                    let mut known = known.borrow_mut();
                    known.push((path.into(), text));
                    known.len() - 1
                });
                match known.borrow().get(place).map(|(_, text)| text) {
                    Some(ArgumentText::Text(text)) => set.each(text, take),
                    Some(ArgumentText::Missing) => {}
                    Some(ArgumentText::Unknown) | None => set.all.iter().copied().for_each(take),
                }
            }
        }
    }
}

/// The hooks found so far.
struct Found<'c, T> {
    calls: Candidates<'c, T>,
}

impl<'c, T> Found<'c, T> {
    fn of_piece<H: Host>(&mut self, piece: &'c Piece<Call<T>, Covered>, texts: &Texts<'_, '_, H>) {
        if matches!(texts, Texts::Unknown) {
            self.calls.extend(piece.items());
            return;
        }
        let Covering { sets, uncovered } = piece.made().now(piece.items());
        self.calls.extend(uncovered.iter().filter_map(|place| piece.get(*place)));
        let Some(sets) = sets else { return };
        // The set may speak of hooks that went since.
        self.calls.extend(sets.asked.iter().filter_map(|place| piece.get(*place)));
        for (path, set) in &sets.of {
            texts.each(path.as_deref(), set, |place| self.calls.extend(piece.get(place)));
        }
    }
}
