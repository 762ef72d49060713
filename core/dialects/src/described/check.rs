//! From a description's text to a system, or to what is wrong with it.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use toml::Spanned;

use super::file::{self, Exit2, File, Kind, Matchers, Ruling, Shape, Shell, Unit, UpdatedInput, Word};
use super::{Decided, Entries, Fact, Install, Permissions, Places, System, Variables};
use crate::claude_code::ClaudeCode;
use crate::claude_code::events::{self, EVENTS, Two};
use crate::claude_code::flavour::{self, EventName, Flavour, Timeouts};
use crate::{Inherits, RunKind};
use hookweave_machine::error::did_you_mean;
use hookweave_machine::tool_names::ToolName;

/// The longest time that a hook may run by default.
const MAX_SECONDS: f64 = 86_400.0;

/// Fields that may have another name.
const FIELDS: &[&str] = &["session_id", "cwd", "agent_id", "hook_event_name", "tool_use_id", "tool_response", "prompt"];

/// What is wrong with a description, where, and the fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong, and the fix.
    pub message: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// What is wrong at a place of the text.
struct At {
    span: Range<usize>,
    message: String,
}

type Checked<T> = Result<T, At>;

fn at<T, V>(spanned: &Spanned<V>, message: String) -> Checked<T> {
    Err(At { span: spanned.span(), message })
}

/// Reads a description; beside it its tools, which are not known yet.
pub(super) fn check(text: &str) -> Result<(System, &'static [ToolName]), Wrong> {
    let file: File = toml::from_str(text)
        .map_err(|error| wrong(text, error.span().unwrap_or_default(), &with_hint(error.message())))?;
    system(file).map_err(|At { span, message }| wrong(text, span, &message))
}

fn wrong(text: &str, span: Range<usize>, message: &str) -> Wrong {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Wrong { line, column, message: message.to_owned() }
}

/// A message on an unknown word, with the word that was meant.
fn with_hint(message: &str) -> String {
    let mut words = message.split('`').skip(1).step_by(2);
    let Some(given) = words.next().filter(|_| message.starts_with("unknown ")) else { return message.to_owned() };
    let known: Vec<&str> = words.collect();
    let hint = did_you_mean(given, known.iter().copied());
    match message.split_once(',') {
        Some((first, rest)) => format!("{first}{hint},{rest}"),
        None => format!("{message}{hint}"),
    }
}

fn system(file: File) -> Checked<(System, &'static [ToolName])> {
    let name = name(&file.name)?;
    let events = events(&file)?;
    let tools = tools(name, file.tools)?;
    let timeouts = timeouts(&file.timeout, events)?;
    let variables = Variables {
        project: variables(&file.variables.project, "_PROJECT_DIR")?,
        plugin: variables(&file.variables.plugin, "_PLUGIN_ROOT")?,
    };
    let answers = file.answers;
    for event in &answers.plain_text_is_context {
        known(event)?;
    }
    let codec = ClaudeCode::new(Flavour {
        name,
        events: Some(events),
        exit_two: exit_two(&file.exit_2)?,
        matchers: match file.matchers {
            Matchers::ListsAndPatterns => flavour::Matchers::ListsAndPatterns,
            Matchers::Patterns => flavour::Matchers::Patterns,
            Matchers::WholePatterns => flavour::Matchers::WholePatterns,
        },
        input_merges: answers.updated_input == UpdatedInput::Merges,
        plain_is_context: texts(answers.plain_text_is_context),
        decisions: leak(answers.decisions.into_iter().map(|(word, means)| {
            let means = match means.into_inner() {
                Word::Approve => "approve",
                Word::Block => "block",
                Word::Ask => "ask",
                Word::Pass => "pass",
            };
            (text(word), means)
        })),
        needs_event_name: answers.needs_event_name,
        reads_stderr: answers.on_standard_error,
        mode: file.reads.permission_mode.map_or("default", text),
        renamed: renamed(file.reads.renamed)?,
        plain_result: file.reads.plain_result,
        prompt_in_parts: file.reads.prompt_in_parts,
        project_variables: variables.project,
        inherits: Inherits::AllBut(&[]),
        timeouts,
        asks: answers.asks,
        rewrites: answers.rewrites,
        refuses_by_decision: answers.refuses_by_decision,
        refuses_by_exit_code: answers.refuses_by_exit_code,
        continue_false_blocks: answers.continue_false_blocks,
        context_at_top: answers.context_at_top,
    });
    let shape = file.entries.shape;
    let install = file.install.map(|install| self::install(install, events, shape)).transpose()?;
    let system = System {
        name,
        title: text(file.title),
        summary: text(file.summary),
        proved: file.proved,
        files: places(file.files, file.entries.shape)?,
        variables,
        entries: entries(file.entries)?,
        install,
        permissions: leak(file.permissions.into_iter().map(|list| Permissions {
            keys: leak(list.keys.into_iter().map(text)),
            ruling: match list.rules {
                Ruling::Deny => "deny",
                Ruling::Ask => "ask",
                Ruling::Allow => "allow",
            },
        })),
        facts: leak(file.facts.into_iter().map(|fact| Fact { topic: text(fact.topic), text: text(fact.text) })),
        decided: leak(file.decided.into_iter().map(|decided| Decided {
            question: text(decided.question),
            answer: text(decided.answer),
            reason: text(decided.reason),
        })),
        codec,
    };
    Ok((system, tools))
}

/// A text for the rest of the process, as the texts of built-in systems are.
fn text(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn leak<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    Box::leak(items.collect::<Vec<_>>().into_boxed_slice())
}

fn texts(items: Vec<Spanned<String>>) -> &'static [&'static str] {
    leak(items.into_iter().map(|item| text(item.into_inner())))
}

fn name(given: &Spanned<String>) -> Checked<&'static str> {
    let name = given.get_ref();
    let is_plain = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-');
    if is_plain && name.len() <= 64 {
        return Ok(text(name.clone()));
    }
    at(given, format!("`{name}` is no name of a system; write small letters, digits and `-`, such as `our-agent`"))
}

fn known(given: &Spanned<String>) -> Checked<&'static events::ClaudeEvent> {
    let name = given.get_ref();
    events::known(name).map_or_else(
        || {
            let hint = did_you_mean(name, EVENTS.iter().map(|event| event.name));
            at(given, format!("Claude Code has no event `{name}`{hint}; write its own name under `aliases`"))
        },
        Ok,
    )
}

fn events(file: &File) -> Checked<&'static [EventName]> {
    let mut events: Vec<EventName> = Vec::with_capacity(file.events.len());
    for given in &file.events {
        let theirs = given.get_ref();
        let known = match file.aliases.get(theirs) {
            Some(alias) => known(alias)?,
            None => known(given)?,
        };
        // Of several spellings the first is what hooks read.
        let is_other = |event: &EventName| event.known.name == known.name && !same_letters(event.theirs, theirs);
        if events.iter().any(|event| event.theirs == theirs || is_other(event)) {
            return at(given, format!("`{theirs}` is there twice; take one of them out"));
        }
        events.push(EventName { theirs: text(theirs.clone()), known });
    }
    if let Some((theirs, alias)) =
        file.aliases.iter().find(|(theirs, _)| !events.iter().any(|event| event.theirs == theirs.as_str()))
    {
        return at(alias, format!("`{theirs}` is none of `events`; add it there"));
    }
    Ok(leak(events.into_iter()))
}

/// Whether two names differ in their spelling alone, as `PreToolUse` and `pre_tool_use` do.
fn same_letters(one: &str, other: &str) -> bool {
    one.replace('_', "").eq_ignore_ascii_case(&other.replace('_', ""))
}

fn exit_two(given: &std::collections::BTreeMap<String, Spanned<Exit2>>) -> Checked<&'static [(&'static str, Two)]> {
    let mut effects = Vec::with_capacity(given.len());
    for (event, effect) in given {
        let Some(known) = events::known(event) else {
            let hint = did_you_mean(event, EVENTS.iter().map(|event| event.name));
            return at(effect, format!("Claude Code has no event `{event}`{hint}"));
        };
        let two = match effect.get_ref() {
            Exit2::Blocks => Two::Blocks,
            Exit2::TellsModel => Two::TellsModel,
            Exit2::TellsUser => Two::TellsUser,
            Exit2::Ignored => Two::Ignored,
        };
        effects.push((known.name, two));
    }
    Ok(leak(effects.into_iter()))
}

fn renamed(
    given: std::collections::BTreeMap<String, Spanned<String>>,
) -> Checked<&'static [(&'static str, &'static str)]> {
    let mut names = Vec::with_capacity(given.len());
    for (ours, theirs) in given {
        let Some(ours) = FIELDS.iter().find(|known| **known == ours) else {
            let known = FIELDS.join(", ");
            return at(&theirs, format!("`{ours}` cannot have another name; those that can are {known}"));
        };
        names.push((*ours, text(theirs.into_inner())));
    }
    Ok(leak(names.into_iter()))
}

fn timeouts(given: &file::Timeout, events: &[EventName]) -> Checked<Timeouts> {
    let limit = |seconds: f64, span: Range<usize>| {
        let is_sane = seconds > 0.0 && seconds <= MAX_SECONDS;
        let message = || format!("`{seconds}` is no time; write seconds, more than 0 and at most {MAX_SECONDS}");
        if is_sane { Ok(Duration::from_secs_f64(seconds)) } else { Err(At { span, message: message() }) }
    };
    let kinds = [(RunKind::Webhook, given.http), (RunKind::Prompt, given.prompt), (RunKind::Agent, given.agent)];
    let mut by_kind = Vec::new();
    for (kind, seconds) in kinds {
        if let Some(seconds) = seconds {
            by_kind.push((kind, limit(seconds, 0..0)?));
        }
    }
    let mut by_event = Vec::new();
    for (theirs, seconds) in &given.events {
        let Some(event) = events.iter().find(|event| event.theirs == theirs.as_str()) else {
            let hint = did_you_mean(theirs, events.iter().map(|event| event.theirs));
            return at(seconds, format!("`{theirs}`{hint} is none of `events`"));
        };
        by_event.push((event.theirs, limit(*seconds.get_ref(), seconds.span())?));
    }
    let usual = limit(given.usual, 0..0)?;
    Ok(Timeouts { usual, by_kind: leak(by_kind.into_iter()), by_event: leak(by_event.into_iter()) })
}

/// Variables of hooks; by their endings they are refused where hooks leave variables for later commands.
fn variables(given: &[Spanned<String>], ending: &str) -> Checked<&'static [&'static str]> {
    let mut names = Vec::with_capacity(given.len());
    for spanned in given {
        let name = spanned.get_ref();
        let is_plain = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        if !is_plain || !name.ends_with(ending) {
            return at(spanned, format!("`{name}` must end in `{ending}` and have capitals, digits and `_` only"));
        }
        names.push(text(name.clone()));
    }
    Ok(leak(names.into_iter()))
}

/// Paths below a folder, such as `.agent/settings.json`.
fn paths(given: Vec<Spanned<String>>, shape: Shape) -> Checked<&'static [&'static str]> {
    let mut all = Vec::with_capacity(given.len());
    for spanned in given {
        all.push(path(spanned, shape)?);
    }
    Ok(leak(all.into_iter()))
}

fn path(given: Spanned<String>, shape: Shape) -> Checked<&'static str> {
    let wanted = if shape == Shape::List { "toml" } else { "json" };
    let path = given.get_ref();
    let is_plain = path.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']));
    if is_plain && path.contains('/') && path.rsplit_once('.').is_some_and(|(_, ending)| ending == wanted) {
        return Ok(text(given.into_inner()));
    }
    at(&given, format!("`{path}` is no path below a folder; write one such as `.agent/settings.{wanted}`"))
}

fn places(given: file::Files, shape: Shape) -> Checked<Places> {
    let paths = |given| paths(given, shape);
    let (linux, macos, windows) = (paths(given.linux)?, paths(given.macos)?, paths(given.windows)?);
    let machine = if cfg!(windows) {
        windows
    } else if cfg!(target_os = "macos") {
        macos
    } else {
        linux
    };
    let (project, local, user) = (paths(given.project)?, paths(given.local)?, paths(given.user)?);
    Ok(Places { project, local, user, machine, runs_once: given.runs_once })
}

fn entries(given: file::Entries) -> Checked<Entries> {
    for key in ["type", "command", "timeout"] {
        let is_needed = key != "type" || !given.untyped;
        if is_needed && !given.keys.iter().any(|known| known.get_ref() == key) {
            let span = given.keys.first().map(Spanned::span).unwrap_or_default();
            return Err(At { span, message: format!("`keys` must list `{key}`") });
        }
    }
    let word = |kind: &Kind| match kind {
        Kind::Command => "command",
        Kind::Http => "http",
        Kind::Prompt => "prompt",
        Kind::Agent => "agent",
    };
    Ok(Entries {
        kinds: leak(given.kinds.iter().map(word)),
        keys: texts(given.keys),
        is_list: given.shape == Shape::List,
        untyped: given.untyped,
        beside_events: leak(given.beside_events.into_iter().map(text)),
        unit: match given.unit {
            Unit::Seconds => 1.0,
            Unit::Milliseconds => 0.001,
        },
        milliseconds_from: given.milliseconds_from,
        fails_closed: given.fails_closed.map(|closed| (text(closed.key), text(closed.value))),
        uses_bash: given.shell == Shell::Bash,
    })
}

fn install(given: file::Install, events: &[EventName], shape: Shape) -> Checked<Install> {
    if shape == Shape::List {
        return at(
            &given.project,
            "files with a list of hooks cannot be installed into; take `install` out".to_owned(),
        );
    }
    let path = |given| path(given, shape);
    for event in &given.events {
        let name = event.get_ref();
        if !events.iter().any(|known| known.theirs == name.as_str()) {
            let hint = did_you_mean(name, events.iter().map(|event| event.theirs));
            return at(event, format!("`{name}`{hint} is none of `events`"));
        }
    }
    Ok(Install {
        events: texts(given.events),
        project: path(given.project)?,
        local: given.local.map(path).transpose()?,
        user: given.user.map(path).transpose()?,
        seconds: given.seconds,
    })
}

fn tools(dialect: &'static str, given: Vec<file::Tool>) -> Checked<&'static [ToolName]> {
    let mut rows: Vec<ToolName> = Vec::with_capacity(given.len());
    for tool in given {
        if tool.called.get_ref().is_empty() {
            return at(&tool.called, format!("`{}` has no name; write at least one", tool.name));
        }
        if rows.iter().any(|row| row.ours == tool.name) {
            return at(&tool.called, format!("`{}` is there twice; take one of them out", tool.name));
        }
        rows.push(ToolName {
            dialect,
            ours: text(tool.name),
            theirs: leak(tool.called.into_inner().into_iter().map(text)),
            args: leak(tool.args.into_iter().map(|(ours, theirs)| (text(ours), text(theirs)))),
        });
    }
    Ok(leak(rows.into_iter()))
}
