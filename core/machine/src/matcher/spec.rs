//! What a matcher was asked to be, before it is compiled.

use serde::Serialize;

use super::{AnyOf, Rules, Writes};
use crate::error::{Code, Error};
use crate::json::to_json;
use crate::payload::{Host, Kind, Spelling};
use crate::read::Reader;

/// A matcher as a person writes it; an empty one matches every event.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MatcherSpec {
    /// Tool names split on `|`, each exact or a glob; `""` and `"*"` are all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// A regular expression over the tool's name, unanchored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_pattern: Option<String>,
    /// A glob over the event's file paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_pattern: Option<String>,
    /// A regular expression over `args.command`, unanchored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_pattern: Option<String>,
    /// Tests of arguments by dotted path.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub args: Vec<(String, ArgTest)>,
    /// Names or globs over the event's own subtype.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// A regular expression over the event's own subtype, unanchored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_pattern: Option<String>,
    /// Globs over the session's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Globs over the agent's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Permission rules such as `Bash(git *)` or `Edit(src/**)`, as `claude-code` reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rules>,
    /// An expression over the session and the event, such as `session.tool_calls > 50`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Calls that may change files of a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub writes: Option<Writes>,
    /// What a rule of a policy looks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub any_of: Option<AnyOf>,
    /// A regular expression over the base names of the event's file paths, unanchored; dialects set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_name: Option<String>,
    /// The payload field that `source` and `source_pattern` look at, when it is not the event's subtype; dialects set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<&'static str>,
    /// The dialect that a matcher is written in, whose tool names `tool`, `tool_pattern` and `rule` mean beside the host's own.
    /// What only a matcher of the engine's own is refused for is not looked for in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub naming: Option<&'static str>,
    /// How the host spells the names of these fields, for messages.
    #[serde(skip)]
    pub(crate) spelling: Spelling,
}

impl MatcherSpec {
    /// Tool names split on `|`, each exact or a glob.
    #[must_use]
    pub fn tool(self, names: impl Into<String>) -> Self {
        Self { tool: Some(names.into()), ..self }
    }

    /// A regular expression over the tool's name.
    #[must_use]
    pub fn tool_pattern(self, pattern: impl Into<String>) -> Self {
        Self { tool_pattern: Some(pattern.into()), ..self }
    }

    /// A glob over the event's file paths.
    #[must_use]
    pub fn path_pattern(self, glob: impl Into<String>) -> Self {
        Self { path_pattern: Some(glob.into()), ..self }
    }

    /// A regular expression over `args.command`.
    #[must_use]
    pub fn command_pattern(self, pattern: impl Into<String>) -> Self {
        Self { command_pattern: Some(pattern.into()), ..self }
    }

    /// Adds a test of one argument by its dotted path.
    #[must_use]
    pub fn arg(mut self, path: impl Into<String>, test: ArgTest) -> Self {
        self.args.push((path.into(), test));
        self
    }

    /// Names or globs over the event's own subtype.
    #[must_use]
    pub fn source(self, names: impl Into<String>) -> Self {
        Self { source: Some(names.into()), ..self }
    }

    /// A regular expression over the event's own subtype.
    #[must_use]
    pub fn source_pattern(self, pattern: impl Into<String>) -> Self {
        Self { source_pattern: Some(pattern.into()), ..self }
    }

    /// Globs over the session's id.
    #[must_use]
    pub fn session(self, globs: impl Into<String>) -> Self {
        Self { session: Some(globs.into()), ..self }
    }

    /// Globs over the agent's id.
    #[must_use]
    pub fn agent(self, globs: impl Into<String>) -> Self {
        Self { agent: Some(globs.into()), ..self }
    }

    /// A permission rule such as `Bash(git *)` or `Edit(src/**)`, or several of which one must hold.
    #[must_use]
    pub fn rule(self, rule: impl Into<Rules>) -> Self {
        Self { rule: Some(rule.into()), ..self }
    }

    /// An expression over the session and the event, such as `session.tool_calls > 50`.
    #[must_use]
    pub fn when(self, expression: impl Into<String>) -> Self {
        Self { when: Some(expression.into()), ..self }
    }

    /// Calls that may change files of a set.
    #[doc(hidden)]
    #[must_use]
    pub fn writes(self, files: Writes) -> Self {
        Self { writes: Some(files), ..self }
    }

    /// What a rule of a policy looks for.
    #[doc(hidden)]
    #[must_use]
    pub fn any_of(self, any_of: AnyOf) -> Self {
        Self { any_of: Some(any_of), ..self }
    }

    /// A regular expression over the base names of the event's file paths; dialects set it.
    #[must_use]
    pub fn base_name(self, pattern: impl Into<String>) -> Self {
        Self { base_name: Some(pattern.into()), ..self }
    }

    /// The payload field that `source` and `source_pattern` look at; dialects set it.
    #[must_use]
    pub fn subject(self, field: &'static str) -> Self {
        Self { subject: Some(field), ..self }
    }

    /// The dialect that the matcher is written in, whose tool names it means; dialects set it.
    #[must_use]
    pub fn naming(self, dialect: &'static str) -> Self {
        Self { naming: Some(dialect), ..self }
    }
}

/// A test of one argument.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ArgTest {
    /// Names or globs over the argument as text.
    Glob(String),
    /// `{"regex": …}`, unanchored.
    #[serde(serialize_with = "as_regex")]
    Regex(String),
    /// `{"equals": …}`, compared as JSON.
    #[serde(serialize_with = "as_equals")]
    Equals(serde_json::Value),
}

fn as_map<S: serde::Serializer>(args: &[(String, ArgTest)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(args.iter().map(|(path, test)| (path, test)))
}

fn as_regex<S: serde::Serializer>(pattern: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map([("regex", pattern)])
}

fn as_equals<S: serde::Serializer>(value: &serde_json::Value, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map([("equals", value)])
}

/// Fields of a matcher.
pub const FIELDS: &[&str] = &[
    "tool",
    "tool_pattern",
    "path_pattern",
    "command_pattern",
    "args",
    "source",
    "source_pattern",
    "session",
    "agent",
    "rule",
    "when",
];

impl MatcherSpec {
    /// Reads a matcher from a host's object; unknown fields and wrong types are [`Code::InvalidMatcher`].
    #[doc(hidden)]
    pub fn read<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        if let Kind::Text(_) = host.kind(view) {
            let object = host.spelling().object();
            let why = format!("matcher: must be {object}, is a string; write {{\"tool\": \"Bash\"}} for tools by name");
            return Err(Error::new(Code::InvalidMatcher, why));
        }
        let reader = Reader::new(host, view, Code::InvalidMatcher, "matcher")?;
        reader.only(FIELDS)?;
        let args = reader.value("args").map(|view| read_args(host, &view)).transpose()?.unwrap_or_default();
        Ok(Self {
            tool: reader.text("tool")?,
            tool_pattern: reader.text("tool_pattern")?,
            path_pattern: reader.text("path_pattern")?,
            command_pattern: reader.text("command_pattern")?,
            args,
            source: reader.text("source")?,
            source_pattern: reader.text("source_pattern")?,
            session: reader.text("session")?,
            agent: reader.text("agent")?,
            rule: Rules::read(&reader, "rule")?,
            when: reader.text("when")?,
            writes: None,
            any_of: None,
            base_name: None,
            subject: None,
            naming: None,
            spelling: host.spelling(),
        })
    }

    /// A field as it was written, for messages.
    pub(crate) fn shown(&self, field: &str) -> String {
        match field {
            "args" => self.args.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>().join(", "),
            "path_pattern" => self.path_pattern.clone().unwrap_or_default(),
            "command_pattern" => self.command_pattern.clone().unwrap_or_default(),
            "source" => self.source.clone().unwrap_or_default(),
            "source_pattern" => self.source_pattern.clone().unwrap_or_default(),
            "base_name" => self.base_name.clone().unwrap_or_default(),
            "rule" => self.rule.as_ref().map(Rules::to_string).unwrap_or_default(),
            "writes" => self.writes.as_ref().map(|writes| writes.label().to_owned()).unwrap_or_default(),
            "any_of" => self.any_of.as_ref().map(|any_of| any_of.label().to_owned()).unwrap_or_default(),
            "when" => self.when.clone().unwrap_or_default(),
            "session" => self.session.clone().unwrap_or_default(),
            "agent" => self.agent.clone().unwrap_or_default(),
            _ => String::new(),
        }
    }
}

fn read_args<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Vec<(String, ArgTest)>, Error> {
    if host.kind(view) != Kind::Object {
        let why = format!("matcher.args: must be an object of tests by argument path, is {}", host.kind(view).words());
        return Err(Error::new(Code::InvalidMatcher, why));
    }
    let keys = host.keys(view).map_err(|bad| Error::new(Code::InvalidMatcher, format!("matcher.args: {bad}")))?;
    let mut args = Vec::with_capacity(keys.len());
    for path in keys {
        let Some(test) = host.get(view, &path) else { continue };
        args.push((path.clone(), read_test(host, &test, &path)?));
    }
    Ok(args)
}

fn read_test<'v, H: Host>(host: &'v H, test: &H::View<'v>, path: &str) -> Result<ArgTest, Error> {
    match host.kind(test) {
        Kind::Text(glob) => Ok(ArgTest::Glob(glob.into_owned())),
        Kind::Object => {
            let reader = Reader::new(host, test, Code::InvalidMatcher, format!("matcher.args.{path}"))?;
            reader.only(&["regex", "equals"])?;
            let regex = reader.text("regex")?;
            match (regex, reader.given("equals")) {
                (Some(regex), None) => Ok(ArgTest::Regex(regex)),
                (None, Some(value)) => {
                    let text = to_json(host, &value).map_err(|why| reader.refuse("equals", why))?;
                    serde_json::from_str(&text).map(ArgTest::Equals).map_err(|why| reader.refuse("equals", why))
                }
                _ => Err(Error::new(
                    Code::InvalidMatcher,
                    format!("matcher.args.{path}: give either `regex` or `equals`"),
                )),
            }
        }
        kind => Err(Error::new(
            Code::InvalidMatcher,
            format!("matcher.args.{path}: must be a glob, {{\"regex\": …}} or {{\"equals\": …}}, is {}", kind.words()),
        )),
    }
}
