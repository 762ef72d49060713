//! Laws of the machine that hold for any hooks, any answers and any driver.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something is not as it should be")]

mod machine {
    pub(crate) mod combine;
    pub(crate) mod drive;
    pub(crate) mod given;
}

use std::collections::BTreeMap;

use machine::combine::{Parts, combine};
use machine::drive::{Crowd, Driven, by_engine, by_facade, without_times};
use machine::given::{
    Given, Hook, Payload, Says, hooks_for_splitting, matcher, merging_world, payload, quiet_hook, quiet_world, world,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn config() -> ProptestConfig {
    ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() }
}

fn refuses(entry: &Value) -> bool {
    entry["action"] == "block" || entry["action"] == "stop"
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether hooks may not have agreed in their rechecks, so that what they made was withheld.
fn may_have_given_up(driven: &Driven) -> bool {
    let runs = |hook: &usize| driven.stages.iter().flatten().filter(|other| *other == hook).count();
    driven.stages.iter().flatten().any(|hook| runs(hook) > 4)
}

/// The entries of a trace that ran, with the number of the stage in which they did.
fn ran(driven: &Driven) -> Vec<(usize, &Value)> {
    let trace = driven.outcome["trace"].as_array().unwrap();
    let mut ran = trace.iter().filter(|entry| entry["status"] != "skipped");
    let stages = driven.stages.iter().enumerate();
    stages
        .flat_map(|(number, stage)| stage.iter().map(move |_| number))
        .map(|number| (number, ran.next().unwrap()))
        .collect()
}

proptest! {
    #![proptest_config(config())]

    /// On a gate no stage follows one in which a hook blocked or stopped; on other events nothing is left out.
    #[test]
    fn nothing_runs_after_a_block(given in world()) {
        let driven = by_facade(&given);
        let entries = ran(&driven);
        let first = entries.iter().find(|(_, entry)| refuses(entry)).map(|(stage, _)| *stage);
        if given.short_circuits() && let Some(first) = first {
            prop_assert_eq!(first + 1, driven.stages.len(), "a stage ran after a block: {}", driven.outcome);
            prop_assert_eq!(&driven.outcome["blocked"], true);
        }
        if first.is_none() || !given.short_circuits() {
            let cut = driven.outcome["trace"].as_array().unwrap().iter().find(|entry| {
                entry["why"].as_str().is_some_and(|why| why.starts_with("blocked by"))
            });
            prop_assert!(cut.is_none(), "left out without a block: {:?}", cut);
        }
        prop_assert_eq!(driven.outcome["blocked"] == true, given.gate() && refuses(&json!({"action": driven.outcome["decision"]})));
    }

    /// A hook runs at most once, and a mandatory one at most four times more, at the end.
    #[test]
    fn each_hook_runs_once_and_perhaps_some_rechecks(given in world()) {
        let driven = by_facade(&given);
        let mut runs: BTreeMap<usize, usize> = BTreeMap::new();
        for hook in driven.stages.iter().flatten() {
            *runs.entry(*hook).or_default() += 1;
        }
        for (hook, times) in runs {
            let most = if given.hooks[hook].is_mandatory() { 5 } else { 1 };
            prop_assert!(times <= most, "hook {hook} ran {times} times");
        }
        let rechecked = driven.rechecks.iter().position(|recheck| *recheck);
        if let Some(first) = rechecked {
            prop_assert!(driven.rechecks[first..].iter().all(|recheck| *recheck), "a first run after a recheck");
            prop_assert!(driven.stages[first..].iter().flatten().all(|hook| given.hooks[*hook].is_mandatory()));
        }
    }

    /// The outcome is the same through the façade, with closures, with futures and with handlers, in any order
    /// the hooks of a stage finish.
    #[test]
    fn the_outcome_depends_on_no_driver(given in world(), delays in prop::collection::vec(0..6_usize, 8)) {
        let wanted = without_times(&by_facade(&given).outcome);
        for delays in [None, Some(delays.as_slice())] {
            let got = by_engine(&given, delays);
            prop_assert_eq!(&wanted, &without_times(&got));
        }
    }

    /// An `allow` that counts covers the final event: no other hook modified anything in its stage or later.
    #[test]
    fn an_allow_never_survives_a_later_change(given in world()) {
        let driven = by_facade(&given);
        let entries = ran(&driven);
        let counts = |(stage, entry): &(usize, &Value), at: usize| {
            entries.iter().enumerate().all(|(other, (later, change))| {
                other == at || later < stage || names(&change["modified"]).is_empty()
            }) && entry["action"] == "allow"
        };
        for (at, pair) in entries.iter().enumerate().filter(|(_, (_, entry))| entry["action"] == "allow") {
            let void = pair.1["void"] == true;
            let counts = counts(pair, at);
            prop_assert!(void != counts || (void && may_have_given_up(&driven)), "{} in {}", pair.1, driven.outcome);
        }
        if driven.outcome["decision"] == "allow" {
            prop_assert!(entries.iter().enumerate().any(|(at, pair)| counts(pair, at)));
        }
    }

    /// A mandatory hook is left out only by a block, and it has seen the final event unless it alone made it so.
    #[test]
    fn mandatory_hooks_are_never_passed_over(given in world()) {
        let driven = by_facade(&given);
        let trace = driven.outcome["trace"].as_array().unwrap();
        for entry in trace.iter().filter(|entry| entry["status"] == "skipped") {
            let hook = given.index_of(entry["hook"].as_str().unwrap());
            let blocked = entry["why"].as_str().unwrap().starts_with("blocked");
            prop_assert!(blocked || !given.hooks[hook].is_mandatory(), "{entry}");
        }
        let entries = ran(&driven);
        if may_have_given_up(&driven) || (given.short_circuits() && driven.outcome["blocked"] == true) {
            return Ok(());
        }
        let last_change = entries.iter().rposition(|(_, entry)| !names(&entry["modified"]).is_empty());
        let Some(last_change) = last_change else { return Ok(()) };
        let stage = entries[last_change].0;
        let makers: Vec<&str> = entries.iter().filter(|(at, entry)| *at == stage && !names(&entry["modified"]).is_empty())
            .filter_map(|(_, entry)| entry["hook"].as_str()).collect();
        for (index, hook) in given.hooks.iter().enumerate().filter(|(_, hook)| hook.is_mandatory()) {
            if !hook.matches_alone(&given, &driven.outcome["event"]) || makers == [hook.name.as_str()] {
                continue;
            }
            let saw_it = driven.stages.iter().enumerate().any(|(at, hooks)| at > stage && hooks.contains(&index));
            prop_assert!(saw_it, "{} has not seen the final event: {}", hook.name, driven.outcome);
        }
    }

    /// The hooks that a driver may run without asking are those that the machine asks for while all stay quiet, and
    /// in sequential mode there is such a run whenever nothing has to be admitted first.
    #[test]
    fn a_driver_may_run_ahead(given in world()) {
        let driven = by_facade(&given);
        for (at, ahead) in driven.ahead.iter().enumerate() {
            for (offset, hook) in ahead.iter().enumerate() {
                if driven.quiet[at..].iter().take(offset).all(|quiet| *quiet) {
                    let stage = driven.stages.get(at + offset);
                    prop_assert_eq!(stage, Some(&vec![*hook]), "stage {} of {:?}", at + offset, driven.stages);
                }
            }
            let once = given.hooks.iter().any(|hook| hook.settings.contains_key("once"));
            let skips = driven.outcome["votes"].as_array().unwrap().iter().any(|vote| vote["action"] == "skip");
            prop_assert!(!ahead.is_empty() || given.is_parallel() || once || skips);
        }
    }

    /// A stage merges key by key. Where hooks change a key differently it is withheld and the call blocked; where the last change
    /// may stand, or is asked about, it is what the last mandatory hook that changed it made of it, else what the last hook did.
    #[test]
    fn a_stage_merges_key_by_key(given in merging_world()) {
        let driven = by_facade(&given);
        let base = given.payload.0["args"].as_object().unwrap();
        let answered = |hook: &Hook| match &hook.first {
            Says::Answer(answer) => answer["modified"]["args"].as_object().filter(|args| *args != base).cloned(),
            Says::Raises => None,
        };
        let mut wanted = serde_json::Map::new();
        let mut conflict = false;
        for key in ["a", "b", "c", "d"] {
            let changes: Vec<(bool, Option<Value>)> = given
                .hooks
                .iter()
                .filter_map(|hook| Some((hook.is_mandatory(), answered(hook)?.get(key).cloned())))
                .filter(|(_, value)| value.as_ref() != base.get(key))
                .collect();
            let differ = changes.iter().any(|(_, value)| *value != changes[0].1);
            conflict |= differ;
            let last = changes.iter().rev().find(|(mandatory, _)| *mandatory).or(changes.last());
            let mut value = last.map_or(base.get(key).cloned(), |(_, value)| value.clone());
            if differ && given.options["conflict"] == "block" {
                // A number is withheld as none; a key that the last change takes away and that was never there as a text.
                let instead = driven.outcome["event"]["args"][key].clone();
                prop_assert!(instead == 0 || instead.as_str().is_some_and(|text| text.starts_with("[withheld: ")), "{instead}");
                value = Some(instead);
            }
            if let Some(value) = value {
                wanted.insert(key.to_owned(), value);
            }
        }
        prop_assert_eq!(driven.outcome["event"]["args"].as_object().unwrap(), &wanted);
        let reported = !driven.outcome["messages"].as_array().unwrap().is_empty();
        let (blocked, asked) = (driven.outcome["blocked"] == true, driven.outcome["decision"] == "ask");
        let rule = given.options["conflict"].as_str().unwrap();
        prop_assert_eq!((blocked, asked, reported), (conflict && rule == "block", conflict && rule == "ask", conflict && rule == "last"));
    }

    /// However dispatches interleave and whichever are abandoned, a once hook starts at most once; it is gone exactly
    /// when it has started, and a later dispatch finds it when it has not.
    #[test]
    fn a_once_hook_starts_once(given in quiet_world(), moves in prop::collection::vec((0..4_u8, 0..4_usize), 0..30)) {
        let mut crowd = Crowd::new(&given);
        for (kind, place) in moves {
            match kind {
                0 => crowd.begin(&given),
                1 => crowd.abandon(place),
                _ => crowd.step(place),
            }
        }
        crowd.finish();
        let once = |hook: &usize| given.hooks[*hook].settings.contains_key("once");
        let left = crowd.left(&given);
        for hook in (0..given.hooks.len()).filter(once) {
            prop_assert!(crowd.starts[hook] <= 1, "hook {hook} started {} times", crowd.starts[hook]);
            prop_assert_eq!(left.contains(&hook), crowd.starts[hook] == 0);
        }
        let before = crowd.starts.clone();
        crowd.begin(&given);
        crowd.finish();
        for (hook, starts) in crowd.starts.iter().enumerate() {
            let again = !once(&hook) || before[hook] == 0;
            prop_assert_eq!(*starts, before[hook] + usize::from(again), "hook {}", hook);
        }
    }

    /// Folding is associative over stages: hooks in one dispatch come to the same as the first stages in a dispatch
    /// of their own and the rest in another one on the event that came of it, put together by [`combine`].
    ///
    /// That holds for hooks whose effect does not reach over stages in another way: no skip, nothing mandatory (which
    /// looks back), no once. What looks back in folding itself is part of `combine`: a change on the right makes the
    /// allows on the left void, and a block on the left of a gate leaves out the right. Who overwrote whom is known
    /// only within one dispatch and is not compared.
    #[test]
    fn folding_is_associative_over_stages((given, cuts) in hooks_for_splitting()) {
        let whole = Parts::of(&by_facade(&given).outcome);
        let (first, second) = cuts;
        let part = |range: std::ops::Range<usize>, payload: Value| {
            let part = Given { hooks: given.hooks[range].to_vec(), payload: Payload(payload), ..given.clone() };
            Parts::of(&by_facade(&part).outcome)
        };
        let one = part(0..first, given.payload.0.clone());
        let two = part(first..second, one.event.clone());
        let three = part(second..given.hooks.len(), two.event.clone());
        let left = combine(&given, combine(&given, one.clone(), two.clone()), three.clone());
        // The right-hand grouping must not hide a block of the first part from the second: its parts are only used
        // when the first did not end the dispatch.
        let right = combine(&given, one, combine(&given, two, three));
        prop_assert_eq!(&left, &whole);
        prop_assert_eq!(&right, &whole);
    }
}

proptest! {
    // Each case compiles many patterns.
    #![proptest_config(ProptestConfig { cases: 64, ..config() })]

    /// Many hooks together select exactly those that each would select alone: no index hides one.
    #[test]
    fn the_index_selects_what_each_matcher_selects(
        matchers in prop::collection::vec(matcher(), 1..40),
        payloads in prop::collection::vec(payload(), 1..4),
    ) {
        let hooks: Vec<Hook> = matchers.into_iter().enumerate().map(|(index, matcher)| quiet_hook(index, &matcher)).collect();
        for payload in payloads {
            let given = Given { hooks: hooks.clone(), payload, ..Given::default() };
            let alone: Vec<usize> = (0..hooks.len()).filter(|index| hooks[*index].matches_alone(&given, &given.payload.0)).collect();
            let together: Vec<usize> = by_facade(&given).stages.into_iter().flatten().collect();
            prop_assert_eq!(together, alone);
        }
    }
}
