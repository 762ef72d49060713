//! The parts of an answer that stand beside its action: injections, messages, an ask.

use serde::Serialize;

use crate::error::did_you_mean;
use crate::payload::{Host, Kind, Spelling};

/// Context that a hook gives to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Injection {
    /// The text.
    pub content: String,
    /// `system`, `user` or `assistant`.
    pub role: &'static str,
    /// For the next model call only.
    pub ephemeral: bool,
}

/// Something that the user should see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// The text.
    pub text: String,
    /// `info`, `warning` or `error`.
    pub level: &'static str,
}

/// A question for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Question {
    /// The question; the answer's reason when absent.
    pub prompt: Option<String>,
    /// What the person can choose.
    pub options: Vec<String>,
    /// Those options that allow, beside "Allow once" and "Allow always", which always do; every other one denies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// How long to wait, in milliseconds.
    pub timeout_ms: u64,
    /// What a timeout means: `allow` or `deny`.
    pub default: &'static str,
    /// How widely "Allow always" is remembered beyond the very same arguments: `tool` or `prompt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remember: Option<&'static str>,
}

/// How long a person has unless the ask says otherwise, in milliseconds.
const ASK_TIMEOUT_MS: u64 = 300_000;

/// What a person can choose unless the ask says otherwise.
const ASK_OPTIONS: &[&str] = &[ALLOW_ONCE, ALLOW_ALWAYS, "Deny"];

/// The option that allows this once, of every question.
pub const ALLOW_ONCE: &str = "Allow once";

/// The option that allows this and its like from now on, of every question.
pub const ALLOW_ALWAYS: &str = "Allow always";

/// The longest that a person is waited for: a day.
const MAX_ASK_TIMEOUT_MS: f64 = 86_400_000.0;

/// A string, by the name that messages call it.
pub(super) fn text<'v, H: Host>(host: &'v H, view: &H::View<'v>, name: &str) -> Result<String, String> {
    match host.kind(view) {
        Kind::Text(text) => Ok(text.into_owned()),
        Kind::BadText => Err(format!("`{name}` has lone surrogates, which no wire can carry")),
        kind => Err(format!("`{name}` must be a string, is {}", kind.words())),
    }
}

/// One of some words; the first is the default.
fn word<'v, H: Host>(
    host: &'v H,
    view: Option<&H::View<'v>>,
    name: &str,
    known: &[&'static str],
) -> Result<Option<&'static str>, String> {
    let Some(view) = view else { return Ok(None) };
    let given = text(host, view, name)?;
    known.iter().copied().find(|known| *known == given).map(Some).ok_or_else(|| {
        format!(
            "`{name}`: unknown value `{given}`{}; known are {}",
            did_you_mean(&given, known.iter().copied()),
            known.join(", ")
        )
    })
}

fn check_keys<'v, H: Host>(host: &'v H, object: &H::View<'v>, name: &str, known: &[&str]) -> Result<(), String> {
    for key in host.keys(object).map_err(|bad| format!("`{name}`: {bad}"))? {
        let canonical = host.spelling().canonical(&key);
        if !known.contains(&&*canonical) {
            return Err(format!("unknown key `{name}.{key}`{}", did_you_mean(&key, known.iter().copied())));
        }
    }
    Ok(())
}

/// A field that is there and not null, by either spelling.
pub(super) fn field<'v, H: Host>(host: &'v H, object: &H::View<'v>, name: &str) -> Option<H::View<'v>> {
    host.get(object, &host.spelling().local(name))
        .or_else(|| host.get(object, name))
        .filter(|view| !host.kind(view).is_nothing())
}

/// One string or object, or a list of them.
fn one_or_many<'v, H: Host, T>(
    host: &'v H,
    view: Option<&H::View<'v>>,
    name: &str,
    read: impl Fn(&H::View<'v>, &str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let Some(view) = view else { return Ok(Vec::new()) };
    let Kind::List(length) = host.kind(view) else { return Ok(vec![read(view, name)?]) };
    (0..length)
        .map(|index| {
            let place = format!("{name}[{index}]");
            host.item(view, index).ok_or_else(|| format!("`{place}` is undefined")).and_then(|item| read(&item, &place))
        })
        .collect()
}

pub(super) fn injections<'v, H: Host>(host: &'v H, view: Option<&H::View<'v>>) -> Result<Vec<Injection>, String> {
    one_or_many(host, view, "inject", |item, name| match host.kind(item) {
        Kind::Object => {
            check_keys(host, item, name, &["content", "role", "ephemeral"])?;
            let content = field(host, item, "content").ok_or_else(|| format!("`{name}.content` is missing"))?;
            let role = field(host, item, "role");
            let given = field(host, item, "ephemeral");
            let ephemeral = match given.as_ref().map(|view| host.kind(view)) {
                None => false,
                Some(Kind::Bool(flag)) => flag,
                Some(kind) => return Err(format!("`{name}.ephemeral` must be true or false, is {}", kind.words())),
            };
            Ok(Injection {
                content: text(host, &content, &format!("{name}.content"))?,
                role: word(host, role.as_ref(), &format!("{name}.role"), &["system", "user", "assistant"])?
                    .unwrap_or("system"),
                ephemeral,
            })
        }
        Kind::Text(content) => Ok(Injection { content: content.into_owned(), role: "system", ephemeral: false }),
        Kind::BadText => text(host, item, name).map(|content| Injection { content, role: "system", ephemeral: false }),
        kind => Err(format!("`{name}` must be a string, an object or a list of them, is {}", kind.words())),
    })
}

pub(super) fn messages<'v, H: Host>(host: &'v H, view: Option<&H::View<'v>>) -> Result<Vec<Message>, String> {
    one_or_many(host, view, "message", |item, name| match host.kind(item) {
        Kind::Object => {
            check_keys(host, item, name, &["text", "level"])?;
            let body = field(host, item, "text").ok_or_else(|| format!("`{name}.text` is missing"))?;
            let level = field(host, item, "level");
            Ok(Message {
                text: text(host, &body, &format!("{name}.text"))?,
                level: word(host, level.as_ref(), &format!("{name}.level"), &["info", "warning", "error"])?
                    .unwrap_or("info"),
            })
        }
        Kind::Text(body) => Ok(Message { text: body.into_owned(), level: "info" }),
        Kind::BadText => text(host, item, name).map(|text| Message { text, level: "info" }),
        kind => Err(format!("`{name}` must be a string, an object or a list of them, is {}", kind.words())),
    })
}

pub(super) fn ask<'v, H: Host>(host: &'v H, view: Option<&H::View<'v>>) -> Result<Option<Question>, String> {
    let Some(view) = view else { return Ok(None) };
    if let Kind::Text(prompt) = host.kind(view) {
        return Ok(Some(Question { prompt: Some(prompt.into_owned()), ..Question::default() }));
    }
    let kind = host.kind(view);
    if kind != Kind::Object {
        return Err(format!("`ask` must be an object, is {}", kind.words()));
    }
    check_keys(host, view, "ask", &["prompt", "options", "grants", "timeout_ms", "timeout", "default", "remember"])?;
    let defaults = Question::default();
    let prompt = field(host, view, "prompt").map(|prompt| text(host, &prompt, "ask.prompt")).transpose()?;
    let default = field(host, view, "default");
    let remember = field(host, view, "remember");
    let options = texts(host, view, "options")?.unwrap_or(defaults.options);
    let grants = texts(host, view, "grants")?.unwrap_or_default();
    if let Some(unknown) = grants.iter().find(|grant| !options.contains(grant)) {
        return Err(format!("`ask.grants`: `{unknown}` is none of the options"));
    }
    Ok(Some(Question {
        prompt,
        options,
        grants,
        timeout_ms: ask_timeout(host, view)?.unwrap_or(defaults.timeout_ms),
        default: word(host, default.as_ref(), "ask.default", &["deny", "allow"])?.unwrap_or(defaults.default),
        remember: word(host, remember.as_ref(), "ask.remember", &["tool", "prompt"])?,
    }))
}

impl Default for Question {
    /// An ask without a question of its own.
    fn default() -> Self {
        Self {
            prompt: None,
            options: ASK_OPTIONS.iter().map(|&option| option.to_owned()).collect(),
            grants: Vec::new(),
            timeout_ms: ASK_TIMEOUT_MS,
            default: "deny",
            remember: None,
        }
    }
}

/// A list of strings of an ask, when it has one.
fn texts<'v, H: Host>(host: &'v H, ask: &H::View<'v>, field_name: &str) -> Result<Option<Vec<String>>, String> {
    let Some(view) = field(host, ask, field_name) else { return Ok(None) };
    let Kind::List(length) = host.kind(&view) else {
        return Err(format!("`ask.{field_name}` must be a list of strings, is {}", host.kind(&view).words()));
    };
    if length == 0 {
        return Err(format!("`ask.{field_name}` is empty; leave it out for the usual choices"));
    }
    (0..length)
        .map(|index| {
            let name = format!("ask.{field_name}[{index}]");
            host.item(&view, index)
                .ok_or_else(|| format!("`{name}` is undefined"))
                .and_then(|item| text(host, &item, &name))
        })
        .collect::<Result<_, _>>()
        .map(Some)
}

fn ask_timeout<'v, H: Host>(host: &'v H, ask: &H::View<'v>) -> Result<Option<u64>, String> {
    let milliseconds = match (field(host, ask, "timeout_ms"), field(host, ask, "timeout")) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err("`ask`: give either `timeout` or `timeout_ms`".to_owned()),
        (Some(view), None) => host.duration_ms(&view).map(|given| given / unit(host.spelling())),
        (None, Some(view)) => host.duration_ms(&view),
    };
    match milliseconds {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie within a day")]
        Some(milliseconds) if milliseconds > 0.0 && milliseconds <= MAX_ASK_TIMEOUT_MS => {
            Ok(Some(milliseconds.ceil() as u64))
        }
        Some(_) => Err("`ask.timeout_ms` must lie between 0 and a day".to_owned()),
        None => Err("`ask.timeout_ms` must be a number".to_owned()),
    }
}

/// `timeout_ms` is milliseconds in every host, though the host's own durations may be seconds.
const fn unit(spelling: Spelling) -> f64 {
    spelling.unit_ms()
}
