//! What one hook says, and how strictly it is read.
//!
//! An answer is nothing, or an object with the fields of [`Answer`]. Anything else is invalid: a typing error must not
//! pass silently for consent.

pub mod intent;
mod parts;

use crate::action::Action;
use crate::error::did_you_mean;
use crate::event::EventSpec;
use crate::payload::{Host, Kind, Spelling};

use intent::Intent;

pub use parts::{ALLOW_ALWAYS, ALLOW_ONCE, Injection, Message, Question};

/// A hook's answer, valid for its event.
#[derive(Debug)]
pub struct Answer<V> {
    /// What it decides.
    pub action: Action,
    /// It names what it decides, rather than to leave it at `continue`.
    pub is_explicit: bool,
    /// Why, for the model or the user.
    pub reason: Option<String>,
    /// Payload fields that it replaces, by the engine's names.
    pub modified: Vec<(String, V)>,
    /// Context for the model.
    pub inject: Vec<Injection>,
    /// What the user should see.
    pub messages: Vec<Message>,
    /// What a person should be asked.
    pub ask: Option<Question>,
    /// How long to wait before the retry, in milliseconds.
    pub delay_ms: u64,
    /// Keep the hook's own output out of the transcript.
    pub suppress_output: bool,
    /// What later hooks of the dispatch read in the event's `shared`, by key.
    pub share: Vec<(String, V)>,
    /// What only one dialect has, by dialect.
    pub ext: Vec<(String, V)>,
}

/// What a hook says first that decides by its rules alone, of a command line that is not understood whole.
const UNREAD: &str = "this command line could not be understood whole, so it is not known what it runs. Write its \
                      commands out plainly, one after the other: name each program, and run no text that comes from elsewhere";

impl<V> Answer<V> {
    /// Says that the line could not be read, before what the hook says by itself.
    pub(crate) fn say_unread(&mut self) {
        if !matches!(self.action, Action::Block | Action::Ask) {
            return;
        }
        let said = self.reason.take();
        let text = said.map_or_else(|| UNREAD.to_owned(), |said| format!("{UNREAD}. What may match says: {said}"));
        if let Some(question) = &mut self.ask {
            question.prompt = Some(text.clone());
        }
        self.reason = Some(text);
    }
}

/// An answer that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidAnswer {
    /// What is wrong and where.
    pub message: String,
    /// It meant to restrict: on a gate it counts as a block, even if the hook fails open.
    pub meant_to_restrict: bool,
}

/// How an answer is read.
#[derive(Debug)]
pub enum Reading<V> {
    /// The hook had nothing to say.
    Nothing,
    /// The hook gave an answer.
    Answer(Box<Answer<V>>),
    /// The answer cannot be read.
    Invalid(InvalidAnswer),
}

const FIELDS: &[&str] = &[
    "action",
    "reason",
    "modified",
    "inject",
    "message",
    "ask",
    "delay_ms",
    "delay",
    "suppress_output",
    "share",
    "ext",
];

/// The longest delay before a retry: a day.
const MAX_DELAY_MS: f64 = 86_400_000.0;

/// Reads what a hook returned for an event.
pub fn read<'v, H: Host>(host: &'v H, event: &EventSpec, view: &H::View<'v>) -> Reading<H::Value> {
    let kind = host.kind(view);
    if kind.is_nothing() {
        return Reading::Nothing;
    }
    if kind != Kind::Object {
        let form = if intent::is_unreadable(&kind) { String::new() } else { intent::right_form(host, view) };
        let hint = hint(&kind, host.spelling());
        let message = format!("an answer is nothing or an object, not {}{hint}{form}", kind.words());
        return invalid(host, view, message);
    }
    let parser = Parser { host, event, object: view };
    match parser.parse() {
        Ok(None) => Reading::Nothing,
        // Nobody can tell it from a refusal that lost its action.
        Ok(Some(_)) if event.gate() && parser.has_a_reason_alone() => {
            let form = intent::form_of_refusal(host.spelling());
            let message = format!("a `reason` alone decides nothing; give its `action` too: {form} refuses");
            Reading::Invalid(InvalidAnswer { message, meant_to_restrict: true })
        }
        Ok(Some(answer)) => Reading::Answer(Box::new(answer)),
        Err(message) => invalid(host, view, message),
    }
}

fn invalid<'v, H: Host>(host: &'v H, view: &H::View<'v>, message: String) -> Reading<H::Value> {
    let meant_to_restrict = intent::of_answer(host, view) > Intent::Nothing;
    Reading::Invalid(InvalidAnswer { message, meant_to_restrict })
}

fn hint(kind: &Kind<'_>, spelling: Spelling) -> &'static str {
    match kind {
        Kind::Other(_) => match spelling {
            Spelling::Python => ", which cannot be read; return a `HookResponse` or a dict",
            Spelling::TypeScript => ", which cannot be read; return a plain object",
            Spelling::Wire => ", which cannot be read",
        },
        Kind::List(1) => "; take away the comma or the brackets around the answer",
        Kind::Bool(true) => "; to let the action pass return nothing, to grant it return action `allow`",
        _ => "",
    }
}

/// The actions, for messages.
fn action_names() -> String {
    let names: Vec<_> = Action::WORDS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// Reads the fields of one answer.
struct Parser<'a, 'v, H: Host> {
    host: &'v H,
    event: &'a EventSpec,
    object: &'a H::View<'v>,
}

impl<'v, H: Host> Parser<'_, 'v, H> {
    fn parse(&self) -> Result<Option<Answer<H::Value>>, String> {
        let keys = self.host.keys(self.object).map_err(|bad| format!("answer: {bad}"))?;
        if keys.is_empty() {
            return Ok(None);
        }
        self.check_keys(&keys)?;
        let action = self.action()?;
        let answer = Answer {
            is_explicit: action.is_some(),
            action: action.unwrap_or(if self.field("ask").is_some() { Action::Ask } else { Action::Continue }),
            reason: self.text("reason")?,
            modified: self.modified()?,
            inject: parts::injections(self.host, self.field("inject").as_ref())?,
            messages: parts::messages(self.host, self.field("message").as_ref())?,
            ask: parts::ask(self.host, self.field("ask").as_ref())?,
            delay_ms: self.delay(action)?,
            suppress_output: self.flag("suppress_output")?,
            share: self.share()?,
            ext: self.ext()?,
        };
        Ok(Some(answer))
    }

    fn spelling(&self) -> Spelling {
        self.host.spelling()
    }

    /// A field that is there and not null, by either spelling.
    fn field(&self, name: &str) -> Option<H::View<'v>> {
        parts::field(self.host, self.object, name)
    }

    fn has_a_reason_alone(&self) -> bool {
        FIELDS.iter().all(|name| self.field(name).is_some() == (*name == "reason"))
    }

    fn check_keys(&self, keys: &[String]) -> Result<(), String> {
        let mut seen = Vec::with_capacity(keys.len());
        for key in keys {
            let canonical = self.spelling().canonical(key);
            if !FIELDS.contains(&&*canonical) {
                let known: Vec<_> = FIELDS.iter().map(|name| self.spelling().local(name)).collect();
                let misspelled_field = did_you_mean(key, known.iter().map(|name| &**name));
                let form = if misspelled_field.is_empty() {
                    intent::right_form(self.host, self.object)
                } else {
                    String::new()
                };
                return Err(format!("unknown key `{key}`{misspelled_field}{form}"));
            }
            if seen.contains(&canonical) {
                return Err(format!("`{canonical}` is given twice, in two spellings"));
            }
            seen.push(canonical);
        }
        Ok(())
    }

    fn action(&self) -> Result<Option<Action>, String> {
        let Some(view) = self.field("action") else { return Ok(None) };
        let Kind::Text(word) = self.host.kind(&view) else {
            let names = action_names();
            return Err(format!("`action` must be a string, is {}; known are {names}", self.host.kind(&view).words()));
        };
        Action::WORDS.iter().find(|(name, _)| *name == word).map(|(_, action)| Some(*action)).ok_or_else(|| {
            let form = intent::right_form(self.host, self.object);
            let known = Action::WORDS.iter().map(|(name, _)| *name);
            let hint = if form.is_empty() { did_you_mean(&word, known) } else { form };
            format!("unknown action `{word}`{hint}; known are {}", action_names())
        })
    }

    fn text(&self, name: &str) -> Result<Option<String>, String> {
        self.field(name).map(|view| parts::text(self.host, &view, name)).transpose()
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        let Some(view) = self.field(name) else { return Ok(false) };
        match self.host.kind(&view) {
            Kind::Bool(flag) => Ok(flag),
            kind => Err(format!("`{}` must be true or false, is {}", self.spelling().local(name), kind.words())),
        }
    }

    fn delay(&self, action: Option<Action>) -> Result<u64, String> {
        let milliseconds = match (self.field("delay_ms"), self.field("delay")) {
            (None, None) => return Ok(0),
            (Some(_), Some(_)) => return Err("give either `delay` or `delay_ms`".to_owned()),
            (Some(view), None) => match self.host.kind(&view) {
                #[expect(clippy::cast_precision_loss, reason = "a delay beyond 2^53 ms is refused as too long anyway")]
                Kind::Int(number) => Some(number as f64),
                Kind::Float(number) => Some(number),
                _ => None,
            },
            (None, Some(view)) => self.host.duration_ms(&view),
        };
        let Some(milliseconds) = milliseconds else { return Err("the delay must be a number".to_owned()) };
        if action != Some(Action::Retry) {
            return Err("a delay belongs to action `retry`".to_owned());
        }
        if !(0.0..=MAX_DELAY_MS).contains(&milliseconds) {
            return Err("the delay must lie between 0 and a day".to_owned());
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie within a day")]
        Ok(milliseconds.round() as u64)
    }

    fn modified(&self) -> Result<Vec<(String, H::Value)>, String> {
        let Some(fields) = self.field("modified") else { return Ok(Vec::new()) };
        let kind = self.host.kind(&fields);
        if kind != Kind::Object {
            return Err(format!("`modified` must be an object of payload fields, is {}", kind.words()));
        }
        let names = self.host.keys(&fields).map_err(|bad| format!("`modified`: {bad}"))?;
        let mut modified = Vec::with_capacity(names.len());
        for name in names {
            let canonical = if self.event.built_in().is_some() {
                self.spelling().canonical(&name).into_owned()
            } else {
                name.clone()
            };
            let Some(known) = self.event.modifiable().iter().find(|known| known.name == canonical) else {
                return Err(self.not_modifiable(&name));
            };
            let Some(value) = self.host.get(&fields, &name) else { continue };
            let kind = self.host.kind(&value);
            if !known.kind.accepts(&kind) {
                return Err(format!("`modified.{name}` must be {}, is {}", article(known.kind.as_str()), kind.words()));
            }
            if modified.iter().any(|(other, _)| *other == canonical) {
                return Err(format!("`modified.{name}` is given twice, in two spellings"));
            }
            let copy = self.host.copy(&value).map_err(|deep| format!("`modified.{name}` is {deep}"))?;
            modified.push((canonical, copy));
        }
        Ok(modified)
    }

    fn not_modifiable(&self, name: &str) -> String {
        let known: Vec<_> = self.event.modifiable().iter().map(|field| self.spelling().local(&field.name)).collect();
        let event = self.event.name();
        if known.is_empty() {
            return format!("`modified.{name}`: {event} has no field that hooks may modify");
        }
        let hint = did_you_mean(name, known.iter().map(|name| &**name));
        format!("`modified.{name}` may not be modified on {event}{hint}; hooks may modify {}", known.join(", "))
    }

    fn share(&self) -> Result<Vec<(String, H::Value)>, String> {
        let Some(fields) = self.field("share") else { return Ok(Vec::new()) };
        let kind = self.host.kind(&fields);
        if kind != Kind::Object {
            return Err(format!("`share` must be an object of values by key, is {}", kind.words()));
        }
        let mut share = Vec::new();
        for key in self.host.keys(&fields).map_err(|bad| format!("`share`: {bad}"))? {
            let Some(value) = self.host.get(&fields, &key) else { continue };
            let copy = self.host.copy(&value).map_err(|deep| format!("`share.{key}` is {deep}"))?;
            share.push((key, copy));
        }
        Ok(share)
    }

    fn ext(&self) -> Result<Vec<(String, H::Value)>, String> {
        let Some(fields) = self.field("ext") else { return Ok(Vec::new()) };
        let kind = self.host.kind(&fields);
        if kind != Kind::Object {
            return Err(format!("`ext` must be an object by dialect, is {}", kind.words()));
        }
        let mut ext = Vec::new();
        for dialect in self.host.keys(&fields).map_err(|bad| format!("`ext`: {bad}"))? {
            let Some(value) = self.host.get(&fields, &dialect) else { continue };
            let kind = self.host.kind(&value);
            if kind != Kind::Object {
                return Err(format!("`ext.{dialect}` must be an object, is {}", kind.words()));
            }
            let copy = self.host.copy(&value).map_err(|deep| format!("`ext.{dialect}` is {deep}"))?;
            ext.push((dialect, copy));
        }
        Ok(ext)
    }
}

/// A kind with its article: "an object", "a list".
fn article(kind: &str) -> String {
    let kind = if kind == "record" { "object" } else { kind };
    let article = if kind.starts_with(['a', 'o']) { "an" } else { "a" };
    format!("{article} {kind}")
}
