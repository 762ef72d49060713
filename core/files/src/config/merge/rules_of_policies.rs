//! A policy's rule that several files use is one hook, with the strictest of what they say.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Candidate;
use crate::config::{Declared, Run};
use hookweave_machine::decision::Decision;
use hookweave_machine::hook::Enforcement;
use hookweave_machine::matcher::AnyOf;

/// Keeps one of the hooks that are the same rule: that of the widest file, as strict as any says.
///
/// One that is not approved stays apart: it waits for its own approval, and says nothing about the rule until then.
pub(super) fn one_of_each(candidates: &mut Vec<Candidate>) {
    let mut kept: Vec<Candidate> = Vec::with_capacity(candidates.len());
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    for candidate in candidates.drain(..) {
        let Some(rule) = rule(&candidate).filter(|_| candidate.trusted()).map(str::to_owned) else {
            kept.push(candidate);
            continue;
        };
        if let Some(known) = places.get(&rule).and_then(|at| kept.get_mut(*at)) {
            unite(known, candidate);
        } else {
            places.insert(rule, kept.len());
            kept.push(candidate);
        }
    }
    *candidates = kept;
}

/// The id of the policy's rule that a hook is.
fn rule(candidate: &Candidate) -> Option<&str> {
    candidate.ready.declared.spec.matcher.any_of.as_ref().map(AnyOf::label)
}

/// What is enforced is stricter than what only observes; of two alike, what blocks.
fn strictness(declared: &Declared) -> (bool, bool) {
    let enforces = declared.spec.enforcement != Some(Enforcement::Observe);
    (enforces, matches!(declared.run, Run::Decision(Decision::Block(_))))
}

/// Takes what a further file says into the hook that stays.
fn unite(known: &mut Candidate, new: Candidate) {
    let (declared, further) = (&mut known.ready.declared, new.ready.declared);
    let is_stricter = strictness(&further) > strictness(declared);
    let (Some(origin), Some(other)) = (&mut declared.spec.origin, further.spec.origin) else { return };
    let origin = Arc::make_mut(origin);
    if is_stricter {
        declared.run = further.run;
        origin.runs.clone_from(&other.runs);
    }
    // A file that says nothing leaves it to the client, which may observe.
    let said = [declared.spec.enforcement, further.spec.enforcement];
    declared.spec.enforcement = [Some(Enforcement::Enforce), None, Some(Enforcement::Observe)]
        .into_iter()
        .find(|one| said.contains(one))
        .flatten();
    origin.also.push(other);
}
