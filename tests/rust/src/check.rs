//! Holds what came of a dispatch against what its case expects.

use serde_json::{Map, Value};

use crate::LONG;
use crate::case::{Case, Hook};
use crate::client::{Client, Fault};
use crate::pattern::{Missing, compare, one_or_many};
use crate::script::Theatre;
use crate::wire;

/// What one dispatch came to.
pub(crate) enum Came {
    Outcome(Value),
    Explanation(Value),
    Refused(Fault),
    Cancelled,
}

pub(crate) fn check_refusal(place: &str, wanted: Option<&Value>, refused: Option<Fault>, faults: &mut Vec<String>) {
    match (wanted, refused) {
        (None, None) => {}
        (None, Some(fault)) => faults.push(format!("{place}: refused with {}: {}", fault.code, fault.message)),
        (Some(wanted), None) => faults.push(format!("{place}: expected {wanted}, was not refused")),
        (Some(wanted), Some(fault)) => {
            if wanted["code"] != *fault.code {
                faults.push(format!("{place}: expected {}, got {}: {}", wanted["code"], fault.code, fault.message));
            }
            for text in one_or_many(&wanted["contains"]) {
                if !fault.message.contains(text) {
                    faults.push(format!("{place}: `{text}` is not in the message: {}", fault.message));
                }
            }
        }
    }
}

pub(crate) fn check(expect: &Map<String, Value>, came: &Came, faults: &mut Vec<String>) {
    let wanted = |key: &str| expect.get(key);
    match came {
        Came::Refused(fault) => check_refusal("the dispatch", wanted("error"), Some(fault.clone()), faults),
        Came::Cancelled if wanted("cancelled").is_some() => {}
        Came::Cancelled => faults.push("was cancelled".to_owned()),
        _ if wanted("error").or(wanted("cancelled")).is_some() => {
            faults.push(format!("expected {}, but the dispatch ended", Value::Object(expect.clone())));
        }
        Came::Explanation(explanation) => {
            check_reasons("explain", wanted("explain"), &explanation["hooks"], faults);
        }
        Came::Outcome(outcome) => {
            for (key, pattern) in expect {
                match key.as_str() {
                    "ran" | "runs" | "hooks_left" | "saw" | "requests" | "late" | "records" | "stats" => {}
                    "to_wire" => wire::check(pattern, outcome, faults),
                    "unmatched" => check_reasons(key, Some(pattern), &outcome[key], faults),
                    "trace_of" => check_trace_of(pattern, &outcome["trace"], faults),
                    _ => compare(key, pattern, outcome.get(key), Missing::FitsEmpty, faults),
                }
            }
        }
    }
}

fn check_trace_of(wanted: &Value, trace: &Value, faults: &mut Vec<String>) {
    for (hook, pattern) in wanted.as_object().into_iter().flatten() {
        let last = trace.as_array().into_iter().flatten().rev().find(|entry| entry["hook"] == **hook);
        compare(&format!("trace of {hook}"), pattern, last, Missing::FitsEmpty, faults);
    }
}

/// A hook that slept took at least as long, in microseconds, and less than a case may take.
pub(crate) fn check_durations(hooks: &[Hook], outcome: &Value, faults: &mut Vec<String>) {
    for entry in outcome["trace"].as_array().into_iter().flatten().filter(|entry| entry["status"] == "ran") {
        let hook = hooks.iter().find(|hook| hook.name.as_deref() == entry["hook"].as_str());
        let Some(slept) = hook.and_then(|hook| hook.does.get("sleep_ms")).and_then(Value::as_f64) else { continue };
        let took = entry["duration_us"].as_f64().unwrap_or_default();
        if !(slept * 1e3..LONG.as_secs_f64() * 1e6).contains(&took) {
            faults.push(format!("{} slept for {slept} ms and took {took} us", entry["hook"]));
        }
    }
}

/// Lists of hooks with a part of the reason why each does not run.
fn check_reasons(place: &str, wanted: Option<&Value>, got: &Value, faults: &mut Vec<String>) {
    let Some(Value::Array(wanted)) = wanted else { return };
    let mut patterns = wanted.clone();
    for pattern in &mut patterns {
        let fields = pattern.as_object_mut().unwrap();
        if let Some(text) = fields.shift_remove("why_contains") {
            fields.insert("why".to_owned(), serde_json::json!({ "$contains": text }));
        }
    }
    compare(place, &Value::Array(patterns), Some(got), Missing::FitsEmpty, faults);
}

pub(crate) fn check_ran(expect: &Map<String, Value>, ran: &[String], faults: &mut Vec<String>) {
    if let Some(wanted) = expect.get("ran")
        && *wanted != serde_json::json!(ran)
    {
        faults.push(format!("ran: expected {wanted}, got {ran:?}"));
    }
}

pub(crate) fn check_state(
    expect: &Map<String, Value>,
    theatre: &Theatre,
    client: &dyn Client,
    faults: &mut Vec<String>,
) {
    for (hook, wanted) in expect.get("runs").and_then(Value::as_object).into_iter().flatten() {
        let runs = theatre.log().runs.get(hook).copied().unwrap_or_default();
        if *wanted != runs {
            faults.push(format!("runs of {hook}: expected {wanted}, got {runs}"));
        }
    }
    let mut late = std::mem::take(&mut theatre.log().late);
    late.sort_by_key(|answer| answer["hook"].to_string());
    if let Some(wanted) = expect.get("late") {
        compare("late", wanted, Some(&Value::Array(late)), Missing::IsAFault, faults);
    }
    if let Some(wanted) = expect.get("records") {
        client.flush_log();
        let records = std::mem::take(&mut theatre.log().records);
        compare("records", wanted, Some(&Value::Array(records)), Missing::IsAFault, faults);
    }
    if let Some(wanted) = expect.get("stats") {
        compare("stats", wanted, Some(&client.stats(false)), Missing::FitsEmpty, faults);
    }
    if let Some(wanted) = expect.get("hooks_left") {
        let mut wanted = one_or_many(wanted);
        let names = client.hook_names();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        wanted.sort_unstable();
        names.sort_unstable();
        if wanted != names {
            faults.push(format!("hooks left: expected {wanted:?}, got {names:?}"));
        }
    }
}

/// Concurrent dispatches: each outcome has to fit another expectation.
pub(crate) fn check_any_order(
    case: &Case,
    came: &[Came],
    theatre: &Theatre,
    client: &dyn Client,
    faults: &mut Vec<String>,
) {
    for expect in case.expect.all() {
        check_state(expect, theatre, client, faults);
    }
    let fits = |expect: &Map<String, Value>, came: &Came| {
        let mut found = Vec::new();
        check(expect, came, &mut found);
        found
    };
    if !matches_up(case.expect.all(), came, &|expect, came| fits(expect, came).is_empty()) {
        for (number, came) in came.iter().enumerate() {
            for (wanted, expect) in case.expect.all().iter().enumerate() {
                let found = fits(expect, came);
                faults.push(format!("outcome {} against {}: {found:?}", number + 1, wanted + 1));
            }
        }
    }
}

/// Whether each of the one can have another of the other.
fn matches_up<A, B>(wanted: &[A], got: &[B], fits: &dyn Fn(&A, &B) -> bool) -> bool {
    fn place<A, B>(wanted: &[A], got: &[B], taken: &mut [bool], fits: &dyn Fn(&A, &B) -> bool) -> bool {
        let Some((first, rest)) = wanted.split_first() else { return true };
        for index in 0..got.len() {
            if !taken[index] && fits(first, &got[index]) {
                taken[index] = true;
                if place(rest, got, taken, fits) {
                    return true;
                }
                taken[index] = false;
            }
        }
        false
    }
    wanted.len() == got.len() && place(wanted, got, &mut vec![false; got.len()], fits)
}
