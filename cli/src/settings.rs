//! Changes an agent's settings file without touching anything else in it: comments, order and layout stay.

use serde_json::{Map, Value, json};

use crate::agents::{Agent, Shape};
use crate::hook_command::is_hook_of;
use crate::splice::Step::{Field, Item};
use crate::splice::{JsonText, Step};

/// What a file cannot be changed for.
pub(crate) type Refused = String;

/// A settings file about to be changed.
pub(crate) struct Settings {
    text: JsonText,
}

/// An entry that runs hookweave.
#[derive(Debug)]
pub(crate) struct Own {
    /// The event, by the agent's name.
    pub(crate) event: String,
    /// Its group, and its place there.
    pub(crate) group: usize,
    pub(crate) at: usize,
    /// The command line.
    pub(crate) command: String,
}

/// Where a handler stands: in which event, group and place. Where there are no groups, the second says nothing.
pub(crate) type Place = (String, usize, usize);

impl Settings {
    /// Reads a text; an empty one is an empty object.
    pub(crate) fn read(text: &str) -> Result<Self, Refused> {
        let text = JsonText::read(text).map_err(|why| format!("is no JSON: {why}; fix it first"))?;
        let settings = Self { text };
        if !settings.text.value(&[]).is_some_and(|top| top.is_object()) {
            return Err("must hold an object; fix it first".to_owned());
        }
        settings.refuse_doubles(&[], "")?;
        settings.refuse_doubles(&[Field("hooks")], "hooks.")?;
        Ok(settings)
    }

    /// Of two fields with one name an agent reads the last, and an entry in the first would guard nothing.
    fn refuse_doubles(&self, steps: &[Step<'_>], before: &str) -> Result<(), Refused> {
        let names = self.text.names(steps);
        let double = names.iter().enumerate().find(|(at, name)| names.iter().take(*at).any(|other| other == *name));
        match double {
            Some((_, name)) => Err(format!("has `{before}{name}` twice, and only the last counts; fix it first")),
            None => Ok(()),
        }
    }

    /// All that it says.
    pub(crate) fn value(&self) -> Value {
        self.text.value(&[]).unwrap_or_default()
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        self.text.text()
    }

    /// Whether nothing is left but what a new file for this agent begins with.
    pub(crate) fn is_bare(&self, agent: &Agent) -> bool {
        let Some(Value::Object(top)) = self.text.value(&[]) else { return false };
        let bare = |(name, value): (&String, &Value)| match name.as_str() {
            "version" => agent.shape == Shape::Flat && *value == json!(1),
            "hooks" => value.as_object().is_some_and(Map::is_empty),
            _ => false,
        };
        top.iter().all(bare) && !self.text.has_comment_beside_fields()
    }

    /// The steps to the object that holds the events: the whole file, if it is written that way.
    fn hooks(&self, agent: &Agent) -> Vec<Step<'static>> {
        let names = self.text.names(&[]);
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        let is_bare = !has("hooks") && agent.events.iter().any(|event| has(event));
        if is_bare { Vec::new() } else { vec![Field("hooks")] }
    }

    /// The entries of this agent's command.
    pub(crate) fn own(&self, agent: &Agent) -> Vec<Own> {
        let Some(Value::Object(events)) = self.text.value(&self.hooks(agent)) else { return Vec::new() };
        let own = |(event, groups): (&String, &Value)| -> Vec<Own> {
            let groups = groups.as_array().map(Vec::as_slice).unwrap_or_default();
            let own = places(agent, event, groups).filter(|(_, handler)| is_own(agent, handler));
            own.filter_map(|((event, group, at), handler)| {
                Some(Own { event, group, at, command: commands(handler).next()?.to_owned() })
            })
            .collect()
        };
        events.iter().flat_map(own).collect()
    }

    /// Adds an entry to an event, or puts it in the place of the one that is there.
    pub(crate) fn add(&mut self, agent: &Agent, event: &str, entry: &Value) -> Result<(), Refused> {
        if agent.shape == Shape::Flat && self.text.value(&[Field("version")]).is_none() {
            self.text.put(&[], Some("version"), &json!(1));
        }
        let new = match agent.shape {
            Shape::Flat => entry.clone(),
            Shape::Groups => json!({ "hooks": [entry] }),
        };
        let hooks = self.hooks(agent);
        match self.text.value(&hooks) {
            None => {
                self.text.put(&[], Some("hooks"), &json!({ event: [new] }));
                return Ok(());
            }
            Some(Value::Object(_)) => {}
            Some(_) => return Err("`hooks` must be an object; fix it first".to_owned()),
        }
        let list = [hooks.as_slice(), &[Field(event)]].concat();
        match self.text.value(&list) {
            None => self.text.put(&hooks, Some(event), &json!([new])),
            Some(Value::Array(groups)) => {
                // Entries that run a file of their own stand beside the one that runs the policy.
                let places = places(agent, event, &groups);
                let mut own =
                    places.filter(|(_, handler)| is_own(agent, handler) && names_file(handler) == names_file(entry));
                let first = own.next();
                let others: Vec<Place> = own.map(|(place, _)| place).collect();
                match first {
                    None => self.text.put(&list, None, &new),
                    Some((place, _)) => self.set(agent, &hooks, &place, entry),
                }
                for place in others.iter().rev() {
                    self.take(agent, &hooks, place);
                }
            }
            Some(_) => return Err(format!("`hooks.{event}` must be a list; fix it first")),
        }
        Ok(())
    }

    /// Takes out every entry of this agent's command, and what is empty without it; says how many there were.
    pub(crate) fn remove(&mut self, agent: &Agent) -> Result<usize, Refused> {
        let is_bare = self.text.value(&[Field("hooks")]).is_none();
        let hooks = if is_bare { Vec::new() } else { vec![Field("hooks")] };
        let Some(Value::Object(events)) = self.text.value(&hooks) else {
            return Err("`hooks` must be an object; fix it first".to_owned());
        };
        let mut own: Vec<Place> = Vec::new();
        for (event, groups) in &events {
            let groups = groups.as_array().map(Vec::as_slice).unwrap_or_default();
            own.extend(places(agent, event, groups).filter(|(_, entry)| is_own(agent, entry)).map(|(place, _)| place));
        }
        // From behind, so that what is still to be taken stays where it is.
        for place in own.iter().rev() {
            self.take(agent, &hooks, place);
        }
        let is_left_empty = self.text.value(&[Field("hooks")]) == Some(json!({}));
        if !own.is_empty() && is_left_empty {
            self.take_empty_hooks(agent);
        }
        Ok(own.len())
    }

    /// Takes out what an installation has put behind the other fields: the list of hooks, and the version before it.
    fn take_empty_hooks(&mut self, agent: &Agent) {
        let names = self.text.names(&[]);
        match (agent.shape, names.as_slice()) {
            (Shape::Groups, _) => self.take_field(&[], "hooks"),
            (Shape::Flat, [.., version, hooks]) if hooks == "hooks" => {
                self.take_field(&[], "hooks");
                if version == "version" && self.text.value(&[Field("version")]) == Some(json!(1)) {
                    self.take_field(&[], "version");
                }
            }
            (Shape::Flat, _) => {}
        }
    }

    /// Takes a handler out, and the group and the event that are empty without it.
    fn take(&mut self, agent: &Agent, hooks: &[Step<'_>], (event, group, at): &Place) {
        let list = [hooks, &[Field(event)]].concat();
        if agent.shape == Shape::Flat {
            self.text.take(&list, *at);
        } else {
            let handlers = [list.as_slice(), &[Item(*group), Field("hooks")]].concat();
            self.text.take(&handlers, *at);
            if self.text.value(&handlers) == Some(json!([])) {
                self.text.take(&list, *group);
            }
        }
        if self.text.value(&list) == Some(json!([])) {
            self.take_field(hooks, event);
        }
    }

    fn take_field(&mut self, steps: &[Step<'_>], name: &str) {
        if let Some(at) = self.text.names(steps).iter().rposition(|other| other == name) {
            self.text.take(steps, at);
        }
    }

    /// Makes a handler hold an entry's fields and no others, touching only what differs.
    fn set(&mut self, agent: &Agent, hooks: &[Step<'_>], (event, group, at): &Place, entry: &Value) {
        let below: &[Step<'_>] = match agent.shape {
            Shape::Flat => &[Item(*at)],
            Shape::Groups => &[Item(*group), Field("hooks"), Item(*at)],
        };
        let steps = [hooks, &[Field(event)], below].concat();
        let Some(wanted) = entry.as_object() else { return };
        for name in self.text.names(&steps).iter().filter(|name| !wanted.contains_key(*name)) {
            self.take_field(&steps, name);
        }
        for (name, value) in wanted {
            let field = [steps.as_slice(), &[Field(name)]].concat();
            match self.text.value(&field) {
                None => self.text.put(&steps, Some(name), value),
                Some(now) if now == *value => {}
                Some(_) => self.text.set(&field, value),
            }
        }
    }
}

/// The handlers of an event's list, with where they stand.
pub(crate) fn places<'g>(agent: &Agent, event: &str, groups: &'g [Value]) -> impl Iterator<Item = (Place, &'g Value)> {
    let is_flat = agent.shape == Shape::Flat;
    let event = event.to_owned();
    groups.iter().enumerate().flat_map(move |(group, value)| {
        let handlers = if is_flat { Some(std::slice::from_ref(value)) } else { handlers_of(value) };
        let event = event.clone();
        handlers.unwrap_or_default().iter().enumerate().map(move |(at, handler)| {
            let at = if is_flat { group } else { at };
            ((event.clone(), group, at), handler)
        })
    })
}

fn handlers_of(group: &Value) -> Option<&[Value]> {
    group.get("hooks")?.as_array().map(Vec::as_slice)
}

/// The command lines of a handler.
fn commands(handler: &Value) -> impl Iterator<Item = &str> {
    ["command", "bash"].into_iter().filter_map(|field| handler.get(field)?.as_str())
}

/// Whether a handler runs `hookweave hook` for this agent.
fn is_own(agent: &Agent, handler: &Value) -> bool {
    commands(handler).any(|command| is_hook_of(command, agent.name))
}

/// Whether a handler's command names a hooks file.
fn names_file(handler: &Value) -> bool {
    commands(handler).any(|command| command.contains(" --file "))
}
