//! From an entry of a file to a declared hook: what every format has in common.

mod label;

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::guarding::guarded;
use super::reading::{Reading, Spot, Take, Wrong, bounded, cut};
use super::{Declared, Run, variables};
use hookweave_dialects::{Dialect, Placement};
use hookweave_exec::command::{CommandLine, CommandSpec, Shell};
use hookweave_exec::webhook::{Method, UnsetVariable, WebhookSpec};
use hookweave_machine::error::{did_you_mean, surely_meant};
use hookweave_machine::event::{Catalogue, EventSpec};
use hookweave_machine::hook::{Enforcement, FailBehavior, HookSpec, Origin, Scope, Timeout};
use hookweave_machine::matcher::{Matcher, MatcherSpec};
pub(super) use label::{in_full, without_secrets};
use label::{name_of, runs};

/// The shortest and longest time of formats that clamp.
const CLAMP: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(600));

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(Catalogue::default);

/// An event of a file and what of it is wanted.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// The event as the file names it.
    pub(super) declared: String,
    /// The event's name for the engine.
    pub(super) event: Arc<EventSpec>,
    /// For which of them.
    pub(super) matcher: MatcherSpec,
    /// The matcher as it is written.
    pub(super) written: Value,
    /// The matcher is known to compile; compiling is what loading spends most of its time on.
    pub(super) compiles: bool,
}

/// What an entry says beside where it belongs.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) run: Run,
    pub(super) name: Option<String>,
    pub(super) timeout: Option<Duration>,
    /// Times out of bounds are pulled in, with a remark, instead of being taken.
    pub(super) clamped: bool,
    pub(super) fail_behavior: Option<FailBehavior>,
    pub(super) enforcement: Option<Enforcement>,
    pub(super) priority: i32,
    pub(super) once: bool,
    pub(super) mandatory: Option<bool>,
    pub(super) detached: bool,
    pub(super) wakes: bool,
    pub(super) enabled: bool,
    pub(super) replaces: bool,
    pub(super) grouped: bool,
}

impl Draft {
    pub(super) const fn new(run: Run) -> Self {
        Self {
            run,
            name: None,
            timeout: None,
            clamped: false,
            fail_behavior: None,
            enforcement: None,
            priority: 0,
            once: false,
            mandatory: None,
            detached: false,
            wakes: false,
            enabled: true,
            replaces: false,
            grouped: true,
        }
    }
}

impl Reading<'_> {
    pub(super) fn events(&self) -> &Catalogue {
        self.source.catalogue.unwrap_or_else(|| &BUILT_IN)
    }

    /// Finds the event that a file means, and reads its string matcher by the rule of the file's system.
    pub(super) fn slot(&self, spot: &Spot<'_>, declared: &str, matcher: Option<&str>) -> Take<Slot> {
        self.slot_of(spot, self.source.dialect, declared, matcher)
    }

    /// The same by the rule of another system than the file's.
    pub(super) fn slot_of(
        &self,
        spot: &Spot<'_>,
        dialect: &'static dyn Dialect,
        declared: &str,
        matcher: Option<&str>,
    ) -> Take<Slot> {
        let Some(place) = dialect.place(declared, matcher) else {
            let events = dialect.events();
            let hint = did_you_mean(declared, events.iter().copied());
            let known = if hint.is_empty() { format!("; it has {}", events.join(", ")) } else { String::new() };
            let what = format!("{} has no event `{}`{hint}{known}", dialect.name(), cut(declared));
            let meant = surely_meant(declared, events.iter().copied());
            let misspelt = meant.map(|meant| (declared.to_owned(), meant.to_owned()));
            return Err(Wrong { misspelt, ..spot.wrong(what) });
        };
        let Placement { event, matcher: spec } =
            place.map_err(|why| spot.wrong(format!("matcher `{}`: {why}", cut(matcher.unwrap_or_default()))))?;
        let event = self.events().resolve(event).map_err(|error| spot.wrong(error.message()))?;
        Matcher::new(spec.clone(), &event).map_err(|error| spot.wrong(error.message()))?;
        Ok(Slot { declared: declared.to_owned(), event, matcher: spec, written: json!(matcher), compiles: true })
    }

    /// Whether an entry on an event of the file may be a guard.
    pub(super) fn guards(&self, declared: &str) -> bool {
        guarded(self.source.dialect, declared)
    }

    /// Whether an event that is a key of the file is known, see [`Reading::knows`].
    pub(super) fn knows_key(&mut self, events: &Spot<'_>, value: &Spot<'_>, declared: &str) -> bool {
        let key = events.node.fields().iter().rev().find(|field| field.name == declared);
        self.knows(value, key.map_or(value.node.at, |key| key.at), declared)
    }

    /// Whether an event of the file is known. One that is not is reported where it is named, and may be a newer version's
    /// unless its name is a typo of an event on which hooks guard.
    pub(super) fn knows(&mut self, spot: &Spot<'_>, at: usize, declared: &str) -> bool {
        let dialect = self.source.dialect;
        if dialect.place(declared, None).is_some() {
            return true;
        }
        let Err(mut wrong) = self.slot(spot, declared, None) else { return true };
        wrong.at = at;
        wrong.spared = !wrong.misspelt.as_ref().is_some_and(|(_, meant)| guarded(dialect, meant));
        if wrong.misspelt.is_none() {
            wrong.message = match self.home_of(declared) {
                Some(home) => format!("{} has no event `{}`; there it is `{home}`", dialect.name(), cut(declared)),
                None => format!("no event of {} that is known here is called `{}`", dialect.name(), cut(declared)),
            };
        }
        self.refuse(wrong);
        false
    }

    /// The name that the file's system has for another system's event.
    fn home_of(&self, declared: &str) -> Option<&'static str> {
        let event = self.events().resolve(declared).ok()?;
        let dialect = self.source.dialect;
        let is_same = |name: &&str| matches!(dialect.place(name, None), Some(Ok(place)) if place.event == event.name());
        dialect.events().into_iter().find(is_same)
    }

    /// Makes a hook of an entry and keeps it, or says why it makes no sense.
    pub(super) fn declare(&mut self, spot: &Spot<'_>, slot: &Slot, draft: Draft) -> Take<()> {
        self.declare_as(spot, slot, draft, self.source.dialect)
    }

    /// What a file says of enforcement, where it may say so.
    pub(super) fn enforcement(&mut self, spot: &Spot<'_>, said: Option<Enforcement>) -> Option<Enforcement> {
        if said != Some(Enforcement::Observe) || self.source.scope.may_observe() {
            return said;
        }
        self.remark(
            spot,
            "a hook of a project's file cannot be made to observe there, since the file could switch off its own guards; \
             `enforcement` is ignored: set it in the program, or in a file of yours",
        );
        None
    }

    /// The same for a hook whose answers another dialect than the file's reads.
    pub(super) fn declare_as(
        &mut self,
        spot: &Spot<'_>,
        slot: &Slot,
        draft: Draft,
        dialect: &'static dyn Dialect,
    ) -> Take<()> {
        let scope = self.source.scope;
        let kind = draft.run.kind();
        let timeout = match draft.timeout {
            Some(given) if draft.clamped && (given < CLAMP.0 || given > CLAMP.1) => {
                let taken = given.clamp(CLAMP.0, CLAMP.1);
                self.remark(
                    spot,
                    format!("a timeout of {given:?} is out of bounds (1 to 600 seconds); {taken:?} is used"),
                );
                Timeout::After(taken)
            }
            Some(given) => Timeout::After(given),
            None => dialect.timeout(&slot.declared, kind).map_or(Timeout::Never, Timeout::After),
        };
        let mut detached = draft.detached;
        if detached && scope == Scope::Managed {
            self.remark(spot, "managed hooks are mandatory and thus awaited; this one does not run in the background");
            detached = false;
        }
        let mut once = draft.once;
        if once && scope == Scope::Managed {
            self.remark(spot, "managed hooks guard every event; `once` is ignored");
            once = false;
        }
        let mut mandatory = draft.mandatory;
        if mandatory == Some(false) && scope == Scope::Managed {
            self.remark(spot, "managed hooks are always mandatory; `mandatory = false` is ignored");
            mandatory = None;
        }
        let enforcement = self.enforcement(spot, draft.enforcement);
        let runs = runs(&draft.run);
        let mut spec = HookSpec::new(slot.event.name());
        spec.name = Some(draft.name.unwrap_or_else(|| name_of(&draft.run, &runs)));
        spec.matcher = slot.matcher.clone();
        spec.priority = draft.priority;
        spec.scope = scope;
        spec.timeout = timeout;
        spec.fail_behavior = draft.fail_behavior;
        spec.enforcement = enforcement;
        spec.once = once;
        spec.mandatory = mandatory;
        spec.detached = detached;
        spec.enabled = draft.enabled;
        spec.decides = matches!(draft.run, Run::Decision(_));
        spec.group = (draft.grouped && dialect.parallel()).then(|| dialect.name());
        spec.origin = Some(Arc::new(Origin {
            file: self.source.file.clone(),
            place: spot.place.clone(),
            line: Some(self.line(spot.node.at)),
            scope,
            dialect: dialect.name(),
            runs,
            fingerprint: None,
            also: Vec::new(),
        }));
        spec.check().map_err(|error| spot.wrong(error.message()))?;
        if !slot.compiles {
            Matcher::new(spec.matcher.clone(), &slot.event).map_err(|error| in_matcher(spot, error.message()))?;
        }
        let entry = json!({"event": slot.declared, "matcher": slot.written, "hook": spot.node.to_value()});
        let mut declared = Declared {
            spec,
            dialect,
            declared_event: slot.declared.clone(),
            run: draft.run,
            wakes: draft.wakes && detached,
            entry,
            replaces: draft.replaces,
            plugin: self.source.plugin.clone(),
            project: None,
        };
        variables::fill(&mut declared, self.source.claude.as_deref());
        self.push(declared);
        Ok(())
    }

    /// A path of an entry, taken from the project's directory when it is relative.
    pub(super) fn below_project(&self, path: &str) -> PathBuf {
        match &self.source.project_dir {
            Some(project) => project.join(path),
            None => PathBuf::from(path),
        }
    }
}

/// A call of an MCP tool: `server`, `tool` and `input`.
pub(super) fn mcp_tool(entry: &Spot<'_>) -> Take<Run> {
    let input = match entry.get("input") {
        Some(input) => {
            input.must_be_object()?;
            match input.node.to_value() {
                Value::Object(fields) => fields,
                _ => Map::new(),
            }
        }
        None => Map::new(),
    };
    Ok(Run::McpTool { server: entry.required_text("server")?, tool: entry.required_text("tool")?, input })
}

/// What is wrong with an entry's matcher, at the field that the message names.
fn in_matcher(spot: &Spot<'_>, message: &str) -> Wrong {
    let field = message.strip_prefix("matcher.").map(|rest| rest.split([':', ' ', '.']).next().unwrap_or_default());
    let matcher = spot.given("matcher");
    let there = matcher.as_ref().and_then(|matcher| matcher.given(field?)).or(matcher);
    Wrong { at: there.map_or(spot.node.at, |there| there.node.at), ..spot.wrong(message) }
}

/// A command that a shell reads.
pub(super) fn shell(text: impl Into<String>, shell: Shell) -> CommandSpec {
    CommandSpec { line: CommandLine::Shell { text: text.into(), shell }, env: Vec::new(), directory: None }
}

/// Variables that an entry sets for its process.
pub(super) fn environment(entry: &Spot<'_>) -> Take<Vec<(String, String)>> {
    let pairs = entry.pairs("env")?;
    for (name, value) in &pairs {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            let spot = entry.given("env").unwrap_or_else(|| entry.clone());
            return Err(
                spot.wrong(format!("`{}` is no variable that a process can have; fix its name or value", cut(name)))
            );
        }
    }
    Ok(pairs)
}

/// A request as most systems write it: `url`, `headers`, and the variables that headers may name.
pub(super) fn webhook(entry: &Spot<'_>, allowed: &str) -> Take<WebhookSpec> {
    let url = entry.required_text("url")?;
    check_url(&url).map_err(|why| entry.given("url").unwrap_or_else(|| entry.clone()).wrong(why))?;
    Ok(WebhookSpec {
        url,
        method: Method::Post,
        headers: entry.pairs("headers")?,
        allowed_env: entry.texts(allowed)?.unwrap_or_default(),
        unset: UnsetVariable::Empty,
    })
}

/// Whether a URL is one that a webhook can have; where it may go is decided when it runs.
pub(super) fn check_url(url: &str) -> Result<(), String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !rest.starts_with('/') => Ok(()),
        _ => Err(format!("`{}` is no URL for a webhook; write https://… or http://…", cut(&without_secrets(url)))),
    }
}

/// A time that is written as seconds (`1.5`) or with its unit (`"500ms"`, `"30s"`, `"2m"`).
pub(super) fn readable_duration(entry: &Spot<'_>, field: &str) -> Take<Option<Duration>> {
    use super::tree::Kind;
    let Some(spot) = entry.get(field) else { return Ok(None) };
    let Kind::Text(text) = &spot.node.kind else { return entry.duration(field, 1.0) };
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0)];
    let parsed = units.iter().find_map(|(unit, factor)| {
        let number = text.strip_suffix(unit)?;
        let number = number.strip_suffix(' ').unwrap_or(number);
        let plain = number.starts_with(|c: char| c.is_ascii_digit())
            && number.ends_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        number.parse::<f64>().ok().filter(|_| plain).map(|number| number * factor)
    });
    let seconds = parsed.ok_or_else(|| {
        spot.wrong(format!("`{}` is no time; write seconds as a number, or \"500ms\", \"30s\", \"2m\"", cut(text)))
    })?;
    bounded(seconds).map(Some).map_err(|why| spot.wrong(why))
}
