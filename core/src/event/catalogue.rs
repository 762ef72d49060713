//! The events that one client knows, and how it defines its own.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::slip::Slips;
use super::{BUILT_IN, COMMON_FIELDS, EventSpec, FieldKind, Modifiable};
use crate::error::{Code, Error, did_you_mean};
use crate::payload::Host;
use crate::read::Reader;
use crate::stats::EventTally;

/// What `define_event` was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventDefinition {
    /// The name, in the program's own style.
    pub name: String,
    /// Whether a block stops what the agent is about to do; true unless said otherwise, so that no block is lost.
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

/// The events that one client knows: the built-in ones and its own.
#[derive(Debug, Clone)]
pub struct Catalogue {
    by_name: FxHashMap<String, Arc<EventSpec>>,
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
        let mut by_name = FxHashMap::default();
        for known in BUILT_IN {
            let mut spec = EventSpec::of(known);
            spec.gate |= every_event_is_a_gate;
            let spec = Arc::new(spec);
            for alias in known.aliases {
                by_name.insert((*alias).to_owned(), Arc::clone(&spec));
            }
            by_name.insert(known.name.to_owned(), spec);
        }
        Self { by_name, every_event_is_a_gate }
    }

    /// The event of this name or alias.
    ///
    /// A name with a colon outside the reserved namespaces is a custom event without asking; any other unknown name
    /// is [`Code::UnknownEvent`], with the nearest known name.
    pub fn resolve(&self, name: &str) -> Result<Arc<EventSpec>, Error> {
        if let Some(spec) = self.by_name.get(name) {
            return Ok(Arc::clone(spec));
        }
        if name.contains(':') && !is_reserved_namespace(name) {
            check_name(name).map_err(|why| Error::new(Code::UnknownEvent, why))?;
            return Ok(Arc::new(EventSpec::custom(name)));
        }
        let known = self.by_name.keys().map(String::as_str);
        let mend = if name.contains(':') {
            "its namespace belongs to known events; use another one for custom events"
        } else {
            "define a custom event with define_event, or give it a name with a colon such as `deploy:start`"
        };
        Err(Error::new(Code::UnknownEvent, format!("unknown event `{name}`{}; {mend}", did_you_mean(name, known))))
    }

    /// Remembers a custom event that somebody listens to.
    pub(crate) fn intern(&mut self, spec: &Arc<EventSpec>) {
        if !self.by_name.contains_key(&spec.name) {
            self.by_name.insert(spec.name.clone(), Arc::clone(spec));
        }
    }

    /// Every name and alias with its event.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&String, &Arc<EventSpec>)> {
        self.by_name.iter()
    }

    /// The events, each once.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Arc<EventSpec>> {
        self.by_name.iter().filter(|(name, spec)| **name == spec.name).map(|(_, spec)| spec)
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
            modifiable: definition
                .modifiable
                .iter()
                .map(|field| Modifiable { name: field.clone(), kind: FieldKind::Any })
                .collect(),
            built_in: None,
            tally: EventTally::default(),
            slips: Slips::default(),
        };
        if let Some(known) = self.by_name.get(name) {
            if known.built_in.is_some() {
                return refuse(format!("event `{name}` is built in and cannot be defined again"));
            }
            if known.gate != spec.gate || known.modifiable != spec.modifiable {
                return refuse(format!("event `{name}` is already defined differently"));
            }
            return Ok(());
        }
        self.by_name.insert(name.to_owned(), Arc::new(spec));
        Ok(())
    }
}

/// Refuses names that could not be typed or told apart.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_in_a_known_namespace_is_an_error() {
        let catalogue = Catalogue::default();
        let error = catalogue.resolve("tool:pree").unwrap_err();
        assert_eq!(error.code(), Code::UnknownEvent);
        assert!(error.message().contains("did you mean `tool:pre`"), "{error}");
        assert_eq!(catalogue.resolve("deploy:start").unwrap().name(), "deploy:start");
        assert!(catalogue.resolve("nonsense").is_err());
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
