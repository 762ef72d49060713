//! The shape that most systems share: `{Event: [{matcher, hooks: [{type, …}]}]}`.

use crate::config::entry::{Draft, Slot};
use crate::config::reading::{Reading, Spot, Take};

/// How one system fills the shared shape.
pub(super) struct Style<H> {
    /// Keys beside the events that mean something else.
    pub(super) skipped: &'static [&'static str],
    /// Reads one handler; `None` when it says so itself and leaves it out.
    pub(super) handler: H,
}

/// Reads one handler of a slot, which it may narrow.
pub(super) trait Handler: Fn(&mut Reading<'_>, &mut Slot, &Spot<'_>) -> Take<Option<Draft>> {}

/// A handler that is a plain function.
pub(super) type Read = fn(&mut Reading<'_>, &mut Slot, &Spot<'_>) -> Take<Option<Draft>>;

impl<H: Fn(&mut Reading<'_>, &mut Slot, &Spot<'_>) -> Take<Option<Draft>>> Handler for H {}

/// The object of events: under `hooks`, or the whole file where it holds nothing but events.
pub(super) fn hooks_of<'n>(reading: &mut Reading<'_>, top: &Spot<'n>) -> Option<Spot<'n>> {
    if let Some(hooks) = top.get("hooks") {
        let checked = hooks.must_be_object();
        reading.take(checked)?;
        return Some(hooks);
    }
    let events = reading.source.dialect.events();
    let bare = top.fields().iter().any(|(name, _)| events.contains(name));
    bare.then(|| top.clone())
}

/// Reads every event, group and handler; one that makes no sense spares the others.
pub(super) fn read_events<H: Handler>(reading: &mut Reading<'_>, hooks: &Spot<'_>, style: &Style<H>) {
    for (event, groups) in hooks.fields() {
        if style.skipped.contains(&event) {
            continue;
        }
        if !reading.knows_key(hooks, &groups, event) {
            continue;
        }
        let listed = groups.items();
        for group in reading.take_on(event, listed).unwrap_or_default() {
            let read = read_group(reading, event, &group, style);
            reading.take_on(event, read);
        }
    }
}

fn read_group<H: Handler>(reading: &mut Reading<'_>, event: &str, group: &Spot<'_>, style: &Style<H>) -> Take<()> {
    group.must_be_object()?;
    let matcher = group.text("matcher")?;
    let matcher_spot = group.get("matcher").unwrap_or_else(|| group.clone());
    let slot = reading.slot(&matcher_spot, event, matcher.as_deref())?;
    let Some(handlers) = group.get("hooks") else {
        return Err(group.wrong("`hooks` is missing; add a list of handlers: \"hooks\": [{\"type\": \"command\", …}]"));
    };
    for handler in handlers.items()? {
        let read = read_handler(reading, slot.clone(), &handler, style);
        reading.take_on(event, read);
    }
    Ok(())
}

fn read_handler<H: Handler>(
    reading: &mut Reading<'_>,
    mut slot: Slot,
    handler: &Spot<'_>,
    style: &Style<H>,
) -> Take<()> {
    handler.must_be_object()?;
    match (style.handler)(reading, &mut slot, handler)? {
        Some(draft) => reading.declare(handler, &slot, draft),
        None => Ok(()),
    }
}

/// The handler's type, which every system of this shape demands.
pub(super) fn kind_of<T: Copy>(handler: &Spot<'_>, known: &[(&str, T)]) -> Take<T> {
    handler.kind(known)?.ok_or_else(|| handler.wrong("`type` is missing; add \"type\": \"command\""))
}
