//! Changes an agent's settings file without touching anything else in it: comments, order and layout stay.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};

use crate::agents::{Agent, Shape};
use crate::commands::is_hook_of;

/// What a file cannot be changed for.
pub(crate) type Refused = String;

/// A settings file about to be changed.
pub(crate) struct Settings {
    root: CstRootNode,
    top: CstObject,
}

impl Settings {
    /// Reads a text; an empty one is an empty object.
    pub(crate) fn read(text: &str) -> Result<Self, Refused> {
        let options = ParseOptions { allow_comments: true, allow_trailing_commas: true, ..strict() };
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let root = CstRootNode::parse(text, &options).map_err(|why| format!("is no JSON: {why}; mend it first"))?;
        let top = root.object_value_or_create().ok_or("must hold an object; mend it first")?;
        for name in top.properties().iter().filter_map(jsonc_parser::cst::CstObjectProp::decoded_name) {
            let same = top.properties().iter().filter(|other| other.decoded_name().as_ref() == Some(&name)).count();
            if same > 1 {
                return Err(format!("has `{name}` twice, and only the last counts; mend it first"));
            }
        }
        Ok(Self { root, top })
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        let text = self.root.to_string();
        if text.ends_with('\n') { text } else { text + "\n" }
    }

    /// Whether nothing is left that anybody could have written by hand.
    pub(crate) fn is_bare(&self) -> bool {
        let bare = |name: &str| name == "version" || name == "hooks";
        let names: Vec<_> =
            self.top.properties().iter().filter_map(jsonc_parser::cst::CstObjectProp::decoded_name).collect();
        let comments = |node: &CstNode| node.is_comment();
        names.iter().all(|name| bare(name))
            && self.top.object_value("hooks").is_none_or(|hooks| hooks.properties().is_empty())
            && !self.root.children().iter().any(comments)
            && !self.top.children().iter().any(comments)
    }

    /// The object that holds the events.
    fn hooks(&self, agent: &Agent) -> Result<CstObject, Refused> {
        let bare = self.top.get("hooks").is_none() && agent.events.iter().any(|event| self.top.get(event).is_some());
        if bare {
            return Ok(self.top.clone());
        }
        self.top.object_value_or_create("hooks").ok_or_else(|| "`hooks` must be an object; mend it first".to_owned())
    }

    /// Adds an entry to an event, or puts it in the place of the one that is there.
    pub(crate) fn add(&self, agent: &Agent, event: &str, entry: &Value) -> Result<(), Refused> {
        if agent.shape == Shape::Flat && self.top.get("version").is_none() {
            self.top.insert(0, "version", CstInputValue::Number("1".to_owned()));
        }
        let hooks = self.hooks(agent)?;
        let groups = hooks
            .array_value_or_create(event)
            .ok_or_else(|| format!("`hooks.{event}` must be a list; mend it first"))?;
        let mut own = entries(agent, &groups);
        // Entries that run a file of their own stand beside the one that runs the policy.
        own.retain(|node| is_own(agent, node) && names_file(&value(node)) == names_file(entry));
        let mut own = own.into_iter();
        match own.next() {
            Some(first) => {
                if let (Some(object), Value::Object(fields)) = (first.as_object(), entry) {
                    set(&object, fields);
                }
                own.for_each(CstNode::remove);
            }
            None if agent.shape == Shape::Flat => {
                groups.append(input(entry));
            }
            None => {
                let group = CstInputValue::Object(vec![("hooks".to_owned(), CstInputValue::Array(vec![input(entry)]))]);
                groups.append(group);
            }
        }
        Ok(())
    }

    /// Takes out every entry of this agent's command, and what is empty without it; says how many there were.
    pub(crate) fn remove(&self, agent: &Agent) -> Result<usize, Refused> {
        let bare = self.top.get("hooks").is_none();
        let Some(hooks) = (if bare { Some(self.top.clone()) } else { self.top.object_value("hooks") }) else {
            return Err("`hooks` must be an object; mend it first".to_owned());
        };
        let mut taken = 0;
        for property in hooks.properties() {
            let Some(groups) = property.array_value() else { continue };
            let before = taken;
            for entry in entries(agent, &groups) {
                if is_own(agent, &entry) {
                    entry.remove();
                    taken += 1;
                }
            }
            if taken == before {
                continue;
            }
            for group in groups.elements() {
                if is_empty_group(&group) {
                    group.remove();
                }
            }
            if groups.elements().is_empty() {
                property.remove();
            }
        }
        let is_left_empty = taken > 0 && !bare && hooks.properties().is_empty() && agent.shape == Shape::Groups;
        if let Some(property) = self.top.get("hooks").filter(|_| is_left_empty) {
            property.remove();
        }
        Ok(taken)
    }
}

fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_trailing_commas: false,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    }
}

/// The handlers of an event's list.
fn entries(agent: &Agent, groups: &CstArray) -> Vec<CstNode> {
    if agent.shape == Shape::Flat {
        return groups.elements();
    }
    let groups = groups.elements();
    groups
        .iter()
        .filter_map(|group| group.as_object()?.array_value("hooks"))
        .flat_map(|hooks| hooks.elements())
        .collect()
}

/// Whether a handler runs `hookweave hook` for this agent.
fn is_own(agent: &Agent, entry: &CstNode) -> bool {
    let Value::Object(fields) = value(entry) else { return false };
    let commands = ["command", "bash"].into_iter().filter_map(|field| fields.get(field)?.as_str());
    commands.into_iter().any(|command| is_hook_of(command, agent.name))
}

/// Whether a handler's command names a hooks file.
fn names_file(entry: &Value) -> bool {
    let commands = ["command", "bash"].into_iter().filter_map(|field| entry.get(field)?.as_str());
    commands.into_iter().any(|command| command.contains(" --file "))
}

fn is_empty_group(group: &CstNode) -> bool {
    let hooks = group.as_object().and_then(|group| group.array_value("hooks"));
    hooks.is_some_and(|hooks| hooks.elements().is_empty())
}

/// Makes an object hold these fields and no others, touching only what differs.
fn set(object: &CstObject, fields: &Map<String, Value>) {
    for property in object.properties() {
        if property.decoded_name().is_none_or(|name| !fields.contains_key(&name)) {
            property.remove();
        }
    }
    for (name, wanted) in fields {
        match object.get(name) {
            None => _ = object.append(name, input(wanted)),
            Some(property) if property.value().is_some_and(|now| value(&now) == *wanted) => {}
            Some(property) => property.set_value(input(wanted)),
        }
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

/// What a node says, without its comments and its layout.
fn value(node: &CstNode) -> Value {
    if let Some(object) = node.as_object() {
        let fields = object.properties();
        let fields = fields.iter().filter_map(|field| Some((field.decoded_name()?, value(&field.value()?))));
        return Value::Object(fields.collect());
    }
    if let Some(list) = node.as_array() {
        return list.elements().iter().map(value).collect();
    }
    match (node.as_string_lit(), node.as_boolean_lit()) {
        (Some(text), _) => text.decoded_value().map_or(Value::Null, Value::String),
        (_, Some(flag)) => Value::Bool(flag.value()),
        _ => serde_json::from_str(&node.to_string()).unwrap_or_default(),
    }
}
