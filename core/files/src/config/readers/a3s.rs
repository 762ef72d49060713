//! A3S's JSON defaults: settings for the client, no hooks.

use serde_json::{Value, json};

use crate::config::reading::{Reading, Spot, Syntax, Take};
use crate::config::tree::Kind;
use crate::config::{Loaded, Source};

pub(super) fn read(text: &str, source: &Source<'_>) -> Loaded {
    Reading::of(text, Syntax::JsonWithComments, source, |reading, top| {
        let Some(top) = reading.object(top) else { return };
        let Some(defaults) = top.get("hooks") else { return };
        let read = read_defaults(reading, &defaults);
        reading.take(read);
    })
}

/// The settings.
const KNOWN: &[&str] =
    &["enabled", "maxHooksPerEvent", "maxTotalHooks", "defaultTimeout", "failBehavior", "auditLevel"];

fn read_defaults(reading: &mut Reading<'_>, defaults: &Spot<'_>) -> Take<()> {
    defaults.must_be_object()?;
    for wrong in defaults.unknown(KNOWN) {
        reading.refuse(wrong.newer());
    }
    let mut options = Vec::new();
    if let Some(enabled) = defaults.flag("enabled")? {
        options.push(("enabled", json!(enabled)));
    }
    for (theirs, ours) in [("maxHooksPerEvent", "max_hooks_per_event"), ("maxTotalHooks", "max_total_hooks")] {
        if let Some(spot) = defaults.get(theirs) {
            options.push((ours, count(&spot)?));
        }
    }
    if let Some(timeout) = defaults.duration("defaultTimeout", 0.001)? {
        options.push(("default_timeout", json!(timeout.as_secs_f64() * 1000.0)));
    }
    if let Some(behavior) = defaults.word("failBehavior", &[("continue", "continue"), ("block", "block")])? {
        options.push(("fail_behavior", json!(behavior)));
    }
    let levels = [("off", "off"), ("error", "error"), ("info", "info"), ("verbose", "verbose")];
    if let Some(level) = defaults.word("auditLevel", &levels)? {
        options.push(("audit_level", json!(level)));
    }
    reading.switches().options = options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Ok(())
}

fn count(spot: &Spot<'_>) -> Take<Value> {
    match &spot.node.kind {
        Kind::Number(number) if number.as_u64().is_some_and(|count| count > 0) => Ok(json!(number)),
        _ => Err(spot.wrong("must be a whole number greater than 0")),
    }
}
