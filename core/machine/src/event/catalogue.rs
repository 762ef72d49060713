//! The events that one client knows, and how it defines its own.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, OnceLock};

use rustc_hash::FxHashMap;

use super::misspelled_field::MisspelledFields;
use super::{BUILT_IN, COMMON_FIELDS, CatalogueEntry, EventSpec, FieldKind, Modifiable};
use crate::error::{Code, Error, did_you_mean, surely_meant};
use crate::payload::Host;
use crate::read::Reader;
use crate::tally::EventTally;

/// What `define_event` was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventDefinition {
    /// The name, in the program's own style.
    pub name: String,
    /// Whether a block stops what the agent is about to do; true by default, so that no block is lost.
    pub gate: bool,
    /// The payload fields that hooks may replace.
    pub modifiable: Vec<String>,
}

impl EventDefinition {
    /// Reads `{name, gate?, modifiable?}` from a host's object.
    pub fn read<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidEventDefinition, "event definition")?;
        reader.only(&["name", "gate", "modifiable"])?;
        Ok(Self {
            name: reader.required_text("name")?,
            gate: reader.flag("gate")?.unwrap_or(true),
            modifiable: reader.texts("modifiable")?.unwrap_or_default(),
        })
    }
}

/// Namespaces that known aliases use: a misspelling there is an error, never a custom event.
fn is_reserved_namespace(name: &str) -> bool {
    let Some((namespace, _)) = name.split_once(':') else { return false };
    BUILT_IN
        .iter()
        .flat_map(|event| event.aliases)
        .filter_map(|alias| alias.split_once(':'))
        .any(|(known, _)| known.eq_ignore_ascii_case(namespace))
}

/// The name or alias that a custom name can only be a slip of: `tol:pre`, `tools:pre`, `pre:tool`, `pre-tool:use`,
/// `PreToolUse:Bash`.
fn nearly_reserved(name: &str) -> Option<&'static str> {
    let name = in_our_words(name);
    let (namespace, action) = name.split_once(':')?;
    let letters: String = name.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let otherwise_written =
        |known: &&CatalogueEntry| known.name == namespace || known.name.eq_ignore_ascii_case(&letters);
    if let Some(known) = BUILT_IN.iter().find(otherwise_written) {
        return Some(known.name);
    }
    let aliases = || {
        let aliases = BUILT_IN.iter().flat_map(|event| event.aliases);
        aliases.filter_map(|alias| Some((*alias, alias.split_once(':')?)))
    };
    let turned = aliases().find(|(_, known)| *known == (action, namespace));
    let near = || {
        // `pool:pre` begins otherwise, and is no slip of `tool:pre`.
        let namespaces: BTreeSet<&str> = aliases().map(|(_, (known, _))| known).collect();
        let begins_alike = |known: &&str| known.chars().next() == namespace.chars().next();
        let meant = surely_meant(namespace, namespaces.into_iter().filter(begins_alike))?;
        let of_it = || aliases().filter(|(_, (known, _))| *known == meant);
        let action = surely_meant(action, of_it().map(|(_, (_, known))| known))?;
        of_it().find(|(_, (_, known))| *known == action)
    };
    turned.or_else(near).map(|(alias, _)| alias)
}

/// Where the events of the engine stand in [`BUILT_IN`], by their names and aliases; the same for every client.
static PLACES: LazyLock<FxHashMap<&'static str, usize>> = LazyLock::new(|| {
    let names = |(place, known): (usize, &'static CatalogueEntry)| {
        known.aliases.iter().copied().chain([known.name]).map(move |name| (name, place))
    };
    BUILT_IN.iter().enumerate().flat_map(names).collect()
});

/// Where an event of the engine stands in [`BUILT_IN`], by its name or an alias.
pub(crate) fn place_of(name: &str) -> Option<usize> {
    PLACES.get(name).copied()
}

/// The events that one client knows: the built-in ones and its own.
///
/// A client usually has to do with a few of the built-in ones, and a program may have a client for each request: what a client
/// keeps of an event is made when the event is first asked for, and copies of the catalogue share it.
#[derive(Debug, Clone)]
pub struct Catalogue {
    built_in: Arc<[OnceLock<Arc<EventSpec>>]>,
    /// The client's own events, by their names.
    own: FxHashMap<String, Arc<EventSpec>>,
    every_event_is_a_gate: bool,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Catalogue {
    /// The built-in events; where every event is a gate, a block stops those too that only observe elsewhere.
    #[must_use]
    pub fn new(every_event_is_a_gate: bool) -> Self {
        let built_in = BUILT_IN.iter().map(|_| OnceLock::new()).collect();
        Self { built_in, own: FxHashMap::default(), every_event_is_a_gate }
    }

    /// The built-in event at a place of [`BUILT_IN`].
    pub(crate) fn built_in(&self, place: usize) -> Option<&Arc<EventSpec>> {
        let (spec, known) = (self.built_in.get(place)?, BUILT_IN.get(place)?);
        Some(spec.get_or_init(|| {
            let mut spec = EventSpec::of(known);
            spec.gate |= self.every_event_is_a_gate;
            Arc::new(spec)
        }))
    }

    /// The event of this name or alias, if it is known.
    fn known(&self, name: &str) -> Option<&Arc<EventSpec>> {
        place_of(name).and_then(|place| self.built_in(place)).or_else(|| self.own.get(name))
    }

    /// The event of this name or alias.
    ///
    /// A name with a colon outside the reserved namespaces is a custom event without asking; any other unknown name
    /// is [`Code::UnknownEvent`], with the nearest known name.
    pub fn resolve(&self, name: &str) -> Result<Arc<EventSpec>, Error> {
        if let Some(spec) = self.known(name) {
            return Ok(Arc::clone(spec));
        }
        if name.contains(':') && !is_reserved_namespace(name) {
            check_name(name).map_err(|why| Error::new(Code::UnknownEvent, why))?;
            if let Some(meant) = nearly_reserved(name) {
                let fix = "define it first if it is a custom event";
                return Err(Error::new(
                    Code::UnknownEvent,
                    format!("unknown event `{name}` (did you mean `{meant}`?); {fix}"),
                ));
            }
            return Ok(Arc::new(EventSpec::custom(name)));
        }
        if name.trim().is_empty() {
            return Err(Error::new(Code::UnknownEvent, "an event needs a name, such as `PreToolUse`"));
        }
        let known = PLACES.keys().copied().chain(self.own.keys().map(String::as_str));
        let fix = if name.contains(':') {
            "its namespace belongs to known events; use another one for custom events"
        } else {
            "define it first if it is a custom event, or give it a name with a colon such as `deploy:start`"
        };
        let hint = did_you_mean(&in_our_words(name), known);
        Err(Error::new(Code::UnknownEvent, format!("unknown event `{name}`{hint}; {fix}")))
    }

    /// Remembers a custom event that has hooks.
    pub(crate) fn intern(&mut self, spec: &Arc<EventSpec>) {
        if self.known(&spec.name).is_none() {
            self.own.insert(spec.name.clone(), Arc::clone(spec));
        }
    }

    /// The client's own events.
    pub(crate) fn own(&self) -> impl Iterator<Item = (&String, &Arc<EventSpec>)> {
        self.own.iter()
    }

    /// The events that the client has had to do with, each once; no other was ever dispatched or listened to.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Arc<EventSpec>> {
        self.built_in.iter().filter_map(OnceLock::get).chain(self.own.values())
    }

    /// Adds a custom event. The same definition twice is no error.
    pub fn define(&mut self, definition: &EventDefinition) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::new(Code::InvalidEventDefinition, why));
        let name = definition.name.as_str();
        if let Err(why) = check_name(name) {
            return refuse(why);
        }
        if is_reserved_namespace(name) {
            return refuse(format!("event `{name}`: its namespace belongs to known events; choose another one"));
        }
        for field in &definition.modifiable {
            if field.is_empty() || COMMON_FIELDS.iter().any(|common| common.name == field) {
                return refuse(format!(
                    "event `{name}`: field `{field}` cannot be modifiable; name a field of its own payload"
                ));
            }
        }
        let spec = EventSpec {
            name: name.to_owned(),
            gate: definition.gate || self.every_event_is_a_gate,
            own_gate: definition.gate,
            modifiable: definition
                .modifiable
                .iter()
                .map(|field| Modifiable { name: field.clone(), kind: FieldKind::Any })
                .collect(),
            built_in: None,
            tally: EventTally::default(),
            misspelled_fields: MisspelledFields::default(),
        };
        if let Some(known) = self.known(name) {
            if known.built_in.is_some() {
                return refuse(format!("event `{name}` is built in and cannot be defined again"));
            }
            if known.gate != spec.gate || known.modifiable != spec.modifiable {
                return refuse(format!("event `{name}` is already defined differently"));
            }
            return Ok(());
        }
        self.own.insert(name.to_owned(), Arc::new(spec));
        Ok(())
    }
}

/// Refuses names that could not be typed or distinguished.
fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > 128 {
        return Err("an event name has 1 to 128 bytes".to_owned());
    }
    if name.starts_with(':') || name.ends_with(':') {
        return Err(format!("event `{name}`: there must be text on both sides of the colon"));
    }
    if name.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return Err(format!("event `{}`: a name has no white space or control characters", name.escape_debug()));
    }
    Ok(())
}

/// A name with the words that events have here: `tool:before` means `tool:pre`.
fn in_our_words(name: &str) -> String {
    [("before", "pre"), ("Before", "Pre"), ("after", "post"), ("After", "Post")]
        .into_iter()
        .fold(name.to_owned(), |name, (theirs, ours)| name.replace(theirs, ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_in_a_known_namespace_is_an_error() {
        let catalogue = Catalogue::default();
        let error = catalogue.resolve("tool:pree").unwrap_err();
        assert_eq!(error.code(), Code::UnknownEvent);
        assert!(error.message().contains("did you mean `tool:pre`"), "{error}");
        for (name, near) in [("tool:before", "tool:pre"), ("tool:after", "tool:post"), ("BeforeToolUse", "PreToolUse")]
        {
            let error = catalogue.resolve(name).unwrap_err();
            assert!(error.message().contains(&format!("did you mean `{near}`")), "{error}");
        }
        for (name, near) in [
            ("tol:pre", "tool:pre"),
            ("tools:pre", "tool:pre"),
            ("pre:tool", "tool:pre"),
            ("sesion:start", "session:start"),
            ("pre-tool:use", "PreToolUse"),
            ("Pre:Tool:Use", "PreToolUse"),
            ("PreToolUse:Bash", "PreToolUse"),
            ("Stop:now", "Stop"),
        ] {
            let error = catalogue.resolve(name).unwrap_err();
            assert!(error.message().contains(&format!("did you mean `{near}`")), "{error}");
        }
        for name in ["deploy:start", "stop:now", "pool:pre", "pre:commit", "todo:post", "tools:list"] {
            assert_eq!(catalogue.resolve(name).unwrap().name(), name);
        }
        let mut own = Catalogue::default();
        own.define(&EventDefinition { name: "tools:pre".into(), gate: true, modifiable: Vec::new() }).unwrap();
        assert_eq!(own.resolve("tools:pre").unwrap().name(), "tools:pre");
        assert!(catalogue.resolve("nonsense").is_err());
    }

    #[test]
    fn a_client_keeps_only_the_events_that_it_has_to_do_with() {
        let catalogue = Catalogue::default();
        let copy = catalogue.clone();
        assert_eq!(catalogue.events().count(), 0);
        let one = catalogue.resolve("tool:pre").unwrap();
        let other = copy.resolve("PreToolUse").unwrap();
        assert!(Arc::ptr_eq(&one, &other), "a copy must count the same event's dispatches");
        assert_eq!(copy.events().map(|event| event.name()).collect::<Vec<_>>(), ["PreToolUse"]);
    }

    #[test]
    fn definitions_cannot_replace_known_events() {
        let mut catalogue = Catalogue::default();
        let mut definition = EventDefinition { name: "Deploy".into(), gate: false, modifiable: vec!["target".into()] };
        catalogue.define(&definition).unwrap();
        catalogue.define(&definition).unwrap();
        definition.gate = true;
        assert!(catalogue.define(&definition).unwrap_err().message().contains("already defined"));
        definition.name = "PreToolUse".into();
        assert!(catalogue.define(&definition).unwrap_err().message().contains("built in"));
    }
}
