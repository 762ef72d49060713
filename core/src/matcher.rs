//! Which events a hook is for: conditions that must all hold.
//!
//! Select on any, allow on all: a hook runs if any form of any candidate matches, and its `allow` counts only if all
//! of them do. What cannot be evaluated holds, and takes the weight from an `allow`. A guard thus cannot be starved
//! by a decoy field.

mod spec;

use crate::error::{Code, Error};
use crate::event::EventSpec;
use crate::look::{Found, Look};
use crate::path::PathForms;
use crate::pattern::{Names, PathGlob, Pattern};
use crate::payload::{Host, Kind};

pub use spec::{ArgTest, MatcherSpec};

/// What a matcher says of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The hook runs.
    pub selects: bool,
    /// An `allow` of the hook counts.
    pub covers: bool,
}

impl Verdict {
    const YES: Self = Self { selects: true, covers: true };
    const NO: Self = Self { selects: false, covers: false };
    /// It cannot be told: the hook runs, and its `allow` does not count.
    const MURKY: Self = Self { selects: true, covers: false };

    const fn of(holds: bool) -> Self {
        if holds { Self::YES } else { Self::NO }
    }

    const fn and(self, other: Self) -> Self {
        Self { selects: self.selects && other.selects, covers: self.covers && other.covers }
    }
}

/// A compiled matcher.
#[derive(Debug, Clone, Default)]
pub struct Matcher {
    spec: MatcherSpec,
    tool: Option<Names>,
    tool_pattern: Option<Pattern>,
    path: Option<PathGlob>,
    command: Option<Pattern>,
    args: Vec<ArgCondition>,
    source: Option<Names>,
    session: Option<Names>,
    agent: Option<Names>,
}

/// A condition on one argument.
#[derive(Debug, Clone)]
struct ArgCondition {
    path: String,
    test: CompiledTest,
}

#[derive(Debug, Clone)]
enum CompiledTest {
    Glob(Names),
    Regex(Pattern),
    Equals(serde_json::Value),
}

impl Matcher {
    /// Compiles a matcher for an event; refuses patterns that do not compile and fields that cannot apply.
    pub fn new(spec: MatcherSpec, event: &EventSpec) -> Result<Self, Error> {
        let bad = |field: &str, why: String| Error::new(Code::InvalidMatcher, format!("matcher.{field}: {why}"));
        let needs = |field: &str, given: bool, applies: bool, what: &str| {
            if !given || applies {
                return Ok(());
            }
            Err(Error::new(
                Code::MatcherNotApplicable,
                format!(
                    "matcher.{field} cannot apply to {}: the event has no {what}; take the field out",
                    event.name()
                ),
            ))
        };
        needs("tool", spec.tool.is_some(), event.may_have("tool"), "tool")?;
        needs("tool_pattern", spec.tool_pattern.is_some(), event.may_have("tool"), "tool")?;
        needs("command_pattern", spec.command_pattern.is_some(), event.may_have("args"), "args")?;
        needs("args", !spec.args.is_empty(), event.may_have("args"), "args")?;
        let has_path = event.may_have("args") || event.path().is_some();
        needs("path_pattern", spec.path_pattern.is_some(), has_path, "file path")?;
        needs("source", spec.source.is_some(), event.subtype().is_some(), "subtype")?;

        let names = |field: &str, text: &Option<String>| {
            text.as_deref().map(Names::new).transpose().map_err(|why| bad(field, why))
        };
        let pattern = |field: &str, text: &Option<String>| {
            text.as_deref().map(Pattern::new).transpose().map_err(|why| bad(field, why))
        };
        let mut args = Vec::with_capacity(spec.args.len());
        for (path, test) in &spec.args {
            let field = format!("args.{path}");
            let test = match test {
                ArgTest::Glob(text) => CompiledTest::Glob(Names::new(text).map_err(|why| bad(&field, why))?),
                ArgTest::Regex(text) => CompiledTest::Regex(Pattern::new(text).map_err(|why| bad(&field, why))?),
                ArgTest::Equals(value) => CompiledTest::Equals(value.clone()),
            };
            args.push(ArgCondition { path: path.clone(), test });
        }
        Ok(Self {
            tool: names("tool", &spec.tool)?.filter(|names| !names.is_all()),
            tool_pattern: pattern("tool_pattern", &spec.tool_pattern)?,
            path: spec
                .path_pattern
                .as_deref()
                .map(PathGlob::new)
                .transpose()
                .map_err(|why| bad("path_pattern", why))?,
            command: pattern("command_pattern", &spec.command_pattern)?,
            args,
            source: names("source", &spec.source)?.filter(|names| !names.is_all()),
            session: names("session", &spec.session)?.filter(|names| !names.is_all()),
            agent: names("agent", &spec.agent)?.filter(|names| !names.is_all()),
            spec,
        })
    }

    /// What the matcher was made from.
    #[must_use]
    pub const fn spec(&self) -> &MatcherSpec {
        &self.spec
    }

    pub(crate) const fn looks_at_tool(&self) -> bool {
        self.tool.is_some() || self.tool_pattern.is_some()
    }

    /// Whether anything beside the tool decides.
    pub(crate) const fn looks_past_tool(&self) -> bool {
        self.path.is_some()
            || self.command.is_some()
            || !self.args.is_empty()
            || self.source.is_some()
            || self.session.is_some()
            || self.agent.is_some()
    }

    pub(crate) const fn command(&self) -> Option<&Pattern> {
        self.command.as_ref()
    }

    pub(crate) const fn path(&self) -> Option<&PathGlob> {
        self.path.as_ref()
    }

    /// The conditions on the tool, whose answer depends on nothing but the tool.
    pub(crate) fn judge_tool(&self, names: Option<&[&str]>) -> Verdict {
        if !self.looks_at_tool() {
            return Verdict::YES;
        }
        let Some(names) = names else { return Verdict::MURKY };
        let tool =
            self.tool.as_ref().map_or(Verdict::YES, |tool| Verdict::of(names.iter().any(|name| tool.matches(name))));
        tool.and(self.tool_pattern.as_ref().map_or(Verdict::YES, |pattern| judge_texts(pattern, names, false)))
    }

    /// The conditions on everything else.
    pub(crate) fn judge_rest<H: Host>(&self, look: &Look<'_, H>) -> Verdict {
        let mut verdict = Verdict::YES;
        for (_, judge) in self.conditions() {
            verdict = verdict.and(judge(self, look));
            if !verdict.selects {
                return Verdict::NO;
            }
        }
        verdict
    }

    /// Why an event is not for this hook; `None` when it is.
    pub(crate) fn why_not<H: Host>(&self, look: &Look<'_, H>) -> Option<String> {
        if !self.judge_tool(look.tool_names().as_deref()).selects {
            let tool = look.tool_names().map(|names| names.join("`, `")).unwrap_or_default();
            let wanted = self.spec.tool.as_deref().or(self.spec.tool_pattern.as_deref()).unwrap_or_default();
            return Some(format!("tool `{tool}` does not match `{wanted}`"));
        }
        self.conditions()
            .find(|(_, judge)| !judge(self, look).selects)
            .map(|(field, _)| format!("matcher.{field} `{}` does not match", self.spec.shown(field)))
    }

    fn conditions<'v, H: Host + 'v>(&self) -> impl Iterator<Item = (&'static str, Judge<'v, H>)> + use<'_, 'v, H> {
        let all: [(&'static str, bool, Judge<'v, H>); 6] = [
            ("source", self.source.is_some(), Self::judge_source),
            ("session", self.session.is_some(), Self::judge_session),
            ("agent", self.agent.is_some(), Self::judge_agent),
            ("path_pattern", self.path.is_some(), Self::judge_path),
            ("command_pattern", self.command.is_some(), Self::judge_command),
            ("args", !self.args.is_empty(), Self::judge_args),
        ];
        all.into_iter().filter(|(_, given, _)| *given).map(|(field, _, judge)| (field, judge))
    }

    fn judge_source<H: Host>(&self, look: &Look<'_, H>) -> Verdict {
        judge_name(self.source.as_ref(), &look.event().subtype().map_or(Found::none(), |field| look.text(field)))
    }

    fn judge_session<H: Host>(&self, look: &Look<'_, H>) -> Verdict {
        judge_name(self.session.as_ref(), &look.text("session_id"))
    }

    fn judge_agent<H: Host>(&self, look: &Look<'_, H>) -> Verdict {
        judge_name(self.agent.as_ref(), &look.text("agent_id"))
    }

    fn judge_command<H: Host>(&self, look: &Look<'_, H>) -> Verdict {
        let Some(pattern) = &self.command else { return Verdict::YES };
        let found = look.commands();
        let texts: Vec<&str> = found.items.iter().map(|text| &**text).collect();
        judge_texts(pattern, &texts, found.murky)
    }

    fn judge_path<H: Host>(&self, look: &Look<'_, H>) -> Verdict {
        let Some(glob) = &self.path else { return Verdict::YES };
        let found: &Found<PathForms> = look.paths();
        if found.murky {
            return Verdict::MURKY;
        }
        Verdict {
            selects: found.items.iter().any(|path| glob.selects(path)),
            covers: !found.items.is_empty() && found.items.iter().all(|path| glob.covers(path)),
        }
    }

    fn judge_args<H: Host>(&self, look: &Look<'_, H>) -> Verdict {
        self.args.iter().map(|condition| condition.judge(look)).fold(Verdict::YES, Verdict::and)
    }
}

/// One condition held against an event.
type Judge<'v, H> = fn(&Matcher, &Look<'v, H>) -> Verdict;

impl ArgCondition {
    fn judge<H: Host>(&self, look: &Look<'_, H>) -> Verdict {
        let values = look.argument(&self.path);
        if values.murky {
            return Verdict::MURKY;
        }
        let Some(value) = values.items.first() else { return Verdict::NO };
        if let CompiledTest::Equals(wanted) = &self.test {
            return Verdict::of(same_as_json(look.host(), value, wanted));
        }
        let text = match look.host().kind(value) {
            Kind::Text(text) => text.into_owned(),
            Kind::Int(number) => number.to_string(),
            Kind::BigInt(digits) => digits,
            Kind::Float(number) => serde_json::json!(number).to_string(),
            Kind::Bool(flag) => flag.to_string(),
            _ => return Verdict::MURKY,
        };
        match &self.test {
            CompiledTest::Glob(names) => Verdict::of(names.matches(&text)),
            CompiledTest::Regex(pattern) => judge_texts(pattern, &[text.as_str()], false),
            CompiledTest::Equals(_) => Verdict::NO,
        }
    }
}

fn judge_name(names: Option<&Names>, found: &Found<std::borrow::Cow<'_, str>>) -> Verdict {
    let Some(names) = names else { return Verdict::YES };
    if found.murky {
        return Verdict::MURKY;
    }
    Verdict::of(found.items.iter().any(|name| names.matches(name)))
}

fn judge_texts(pattern: &Pattern, texts: &[&str], murky: bool) -> Verdict {
    if murky {
        return Verdict::MURKY;
    }
    let hits: Vec<Option<bool>> = texts.iter().map(|text| pattern.is_match(text)).collect();
    Verdict {
        selects: hits.iter().any(|hit| *hit != Some(false)),
        covers: !hits.is_empty() && hits.iter().all(|hit| *hit == Some(true)),
    }
}

/// Whether a host's value says the same as a JSON value of a matcher.
fn same_as_json<'v, H: Host>(host: &'v H, view: &H::View<'v>, wanted: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (host.kind(view), wanted) {
        (Kind::Null, Value::Null) => true,
        (Kind::Bool(flag), Value::Bool(other)) => flag == *other,
        (Kind::Text(text), Value::String(other)) => *text == **other,
        (Kind::Int(number), Value::Number(other)) => {
            if other.is_f64() {
                other.as_f64().and_then(whole) == Some(number)
            } else {
                other.as_i64() == Some(number)
            }
        }
        (Kind::BigInt(digits), Value::Number(other)) => other.to_string() == digits,
        (Kind::Float(number), Value::Number(other)) => {
            if other.is_i64() {
                other.as_i64() == whole(number)
            } else {
                other.as_f64() == Some(number)
            }
        }
        (Kind::List(length), Value::Array(items)) => {
            length == items.len()
                && items
                    .iter()
                    .enumerate()
                    .all(|(index, other)| host.item(view, index).is_some_and(|item| same_as_json(host, &item, other)))
        }
        (Kind::Object, Value::Object(fields)) => {
            host.keys(view).is_ok_and(|keys| keys.len() == fields.len())
                && fields
                    .iter()
                    .all(|(key, other)| host.get(view, key).is_some_and(|field| same_as_json(host, &field, other)))
        }
        _ => false,
    }
}

/// The integer that a number without a fraction is: `1` equals `1.0`, as it does in every host, and beyond 2^53 nothing
/// is rounded to be equal.
fn whole(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be integral and to fit")]
    (number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number)).then_some(number as i64)
}
