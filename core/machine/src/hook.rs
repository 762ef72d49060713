//! The declarative hook: when it runs, in which order, for how long, and what its failure means.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::error::{Code, Error};
pub use crate::failure::FailBehavior;
use crate::matcher::MatcherSpec;
use crate::payload::Host;
use crate::read::Reader;

/// Who loaded a hook; earlier scopes run first among equal priorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The administrator of the machine. Its hooks are mandatory.
    Managed,
    /// The user.
    User,
    /// The project, shared by everyone who works on it.
    Project,
    /// The user's own settings for the project.
    Local,
    /// One agent's definition.
    Agent,
    /// The program that embeds the engine.
    #[default]
    Callback,
}

impl Scope {
    /// Each scope with the word that the wire has for it.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("managed", Self::Managed),
        ("user", Self::User),
        ("project", Self::Project),
        ("local", Self::Local),
        ("agent", Self::Agent),
        ("callback", Self::Callback),
    ];

    /// Whether a file that is loaded in this scope may make its hooks observe: one that comes with a project may not.
    #[must_use]
    pub const fn may_observe(self) -> bool {
        matches!(self, Self::Managed | Self::User | Self::Callback)
    }

    /// The scope's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Agent => "agent",
            Self::Callback => "callback",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether what a hook decides is acted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Enforcement {
    /// It is.
    #[default]
    Enforce,
    /// It is recorded as what would have happened, and has no effect.
    Observe,
}

impl Enforcement {
    /// Each value with the word that the wire has for it.
    pub const WORDS: &'static [(&'static str, Self)] = &[("enforce", Self::Enforce), ("observe", Self::Observe)];

    /// The value's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Observe => "observe",
        }
    }
}

/// How long a hook may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Timeout {
    /// As long as the engine's default says.
    #[default]
    Default,
    /// Without end.
    Never,
    /// This long.
    After(Duration),
}

impl Timeout {
    /// The longest timeout that is taken: a year.
    pub const MAX: Duration = Duration::from_secs(365 * 24 * 3600);

    pub(crate) fn read<H: Host>(reader: &Reader<'_, H>, field: &str) -> Result<Self, Error> {
        if reader.given(field).is_none() {
            return Ok(Self::Default);
        }
        let Some(milliseconds) = reader.duration_ms(field)? else { return Ok(Self::Never) };
        if milliseconds.is_nan() || milliseconds <= 0.0 {
            let why = format!("must be greater than 0; set it to {} for no timeout", reader.null());
            return Err(reader.refuse(field, why));
        }
        let duration = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX);
        if duration > Self::MAX {
            let why = format!("is longer than a year; set it to {} for no timeout", reader.null());
            return Err(reader.refuse(field, why));
        }
        Ok(Self::After(duration))
    }
}

/// A hook as a program registers it, without its handler.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HookSpec {
    /// The event's name or alias.
    pub event: String,
    /// What it is called in traces and reasons; made from its id when absent.
    pub name: Option<String>,
    /// Which events it is for.
    pub matcher: MatcherSpec,
    /// Lower runs earlier.
    pub priority: i32,
    /// Who loaded it.
    pub scope: Scope,
    /// How long it may run.
    pub timeout: Timeout,
    /// What its failure means; defaults to the engine's setting.
    pub fail_behavior: Option<FailBehavior>,
    /// Whether what it decides is acted on; defaults to the engine's setting, which does not concern managed hooks.
    pub enforcement: Option<Enforcement>,
    /// It runs at most once and is then removed.
    pub once: bool,
    /// Whether no skip passes over it and it rechecks what others changed after it; implied by scope managed and, unless
    /// set, by a `fail_behavior` of block.
    pub mandatory: Option<bool>,
    /// It is started and not awaited.
    pub detached: bool,
    /// Whether it runs at all for now.
    pub enabled: bool,
    /// It was registered for a limited time.
    pub temporary: bool,
    /// Its answer depends on nothing but whether it is selected.
    pub decides: bool,
    /// Hooks of one group and priority that follow each other run together, in every mode.
    pub group: Option<&'static str>,
    /// Which file declares it, and where in the file.
    pub origin: Option<Arc<Origin>>,
    /// The worker that has its handler, in another process.
    pub worker: Option<Arc<str>>,
}

/// Where a hook stands that a file declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The file.
    pub file: PathBuf,
    /// The place in the file, for example `hooks.PreToolUse[0].hooks[1]`.
    pub place: String,
    /// The line, from 1, when it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Whose file that is.
    pub scope: Scope,
    /// The dialect that reads its answers.
    pub dialect: &'static str,
    /// What runs: the command line, or the method and address of a request without its secrets.
    pub runs: String,
    /// The hash of the entry and its scripts as they were loaded, where they could be read.
    #[serde(skip)]
    pub fingerprint: Option<String>,
    /// Further places that declare the same, as two files that use one policy do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Arc<Self>>,
}

impl Origin {
    /// This place, and the further ones that declare the same.
    pub fn places(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.also.iter().map(|origin| &**origin))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, " ({})", self.place)
    }
}

impl HookSpec {
    /// A hook for an event, with every default.
    pub fn new(event: impl Into<String>) -> Self {
        Self {
            event: event.into(),
            name: None,
            matcher: MatcherSpec::default(),
            priority: 0,
            scope: Scope::default(),
            timeout: Timeout::default(),
            fail_behavior: None,
            enforcement: None,
            once: false,
            mandatory: None,
            detached: false,
            enabled: true,
            temporary: false,
            decides: false,
            group: None,
            origin: None,
            worker: None,
        }
    }

    /// What traces and reasons call the hook.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Which events the hook is for.
    #[must_use]
    pub fn matcher(self, matcher: MatcherSpec) -> Self {
        Self { matcher, ..self }
    }

    /// Lower runs earlier.
    #[must_use]
    pub fn priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }

    /// Who loaded the hook.
    #[must_use]
    pub fn scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// How long the hook may run.
    #[must_use]
    pub fn timeout(self, timeout: Timeout) -> Self {
        Self { timeout, ..self }
    }

    /// What the hook's failure means.
    #[must_use]
    pub fn fail_behavior(self, behavior: FailBehavior) -> Self {
        Self { fail_behavior: Some(behavior), ..self }
    }

    /// The hook runs at most once and is then removed.
    #[must_use]
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }

    /// Whether no skip passes over the hook and it rechecks what others changed after it.
    #[must_use]
    pub fn mandatory(self, mandatory: bool) -> Self {
        Self { mandatory: Some(mandatory), ..self }
    }

    /// The hook is started and not awaited.
    #[must_use]
    pub fn detached(self) -> Self {
        Self { detached: true, ..self }
    }

    /// The worker that has the handler, in another process.
    #[must_use]
    pub fn worker(self, name: &str) -> Self {
        Self { worker: Some(name.into()), ..self }
    }

    /// Whether the hook runs at all for now.
    #[must_use]
    pub fn enabled(self, enabled: bool) -> Self {
        Self { enabled, ..self }
    }

    /// Reads a hook's settings from a host's object; unknown fields and wrong types are [`Code::InvalidHook`].
    ///
    /// `async` is another word for `detached`.
    #[doc(hidden)]
    pub fn read<'v, H: Host>(host: &'v H, event: &str, view: &H::View<'v>) -> Result<Self, Error> {
        Self::read_beside(host, event, view, &[])
    }

    /// The same beside settings that the host reads by itself, whose names are known too.
    #[doc(hidden)]
    pub fn read_beside<'v, H: Host>(
        host: &'v H,
        event: &str,
        view: &H::View<'v>,
        hosts: &[&str],
    ) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidHook, "hook")?;
        let own = [
            "name",
            "matcher",
            "priority",
            "scope",
            "timeout",
            "fail_behavior",
            "enforcement",
            "once",
            "mandatory",
            "detached",
            "async",
            "enabled",
            "temporary",
        ];
        reader.only(&[&own, hosts].concat())?;
        let matcher = match reader.value("matcher") {
            Some(matcher) => MatcherSpec::read(host, &matcher)?,
            None => MatcherSpec::default(),
        };
        let priority = match reader.integer("priority")? {
            None => 0,
            Some(number) => i32::try_from(number)
                .map_err(|_| reader.refuse("priority", "must lie between -2147483648 and 2147483647"))?,
        };
        if reader.given("detached").is_some() && reader.given("async").is_some() {
            return Err(reader.refuse("async", "means the same as detached; give one of them"));
        }
        Ok(Self {
            event: event.to_owned(),
            name: reader.text("name")?,
            matcher,
            priority,
            scope: reader.word("scope", Scope::WORDS)?.unwrap_or_default(),
            timeout: Timeout::read(&reader, "timeout")?,
            fail_behavior: reader.word("fail_behavior", FailBehavior::WORDS)?,
            enforcement: reader.word("enforcement", Enforcement::WORDS)?,
            once: reader.flag("once")?.unwrap_or(false),
            mandatory: reader.flag("mandatory")?,
            detached: reader.flag("detached")?.or(reader.flag("async")?).unwrap_or(false),
            enabled: reader.flag("enabled")?.unwrap_or(true),
            temporary: reader.flag("temporary")?.unwrap_or(false),
            decides: false,
            group: None,
            origin: None,
            worker: None,
        })
    }

    /// Whether the hook is mandatory: managed, else as set, else fail-closed by its own setting.
    pub fn is_mandatory(&self) -> bool {
        self.scope == Scope::Managed || self.mandatory.unwrap_or(self.fail_behavior == Some(FailBehavior::Block))
    }

    /// Whether what the hook decides is acted on: as it says itself, else as its engine says, which cannot make a managed hook
    /// observe.
    pub fn enforcement(&self, of_engine: Enforcement) -> Enforcement {
        let default = if self.scope == Scope::Managed { Enforcement::Enforce } else { of_engine };
        self.enforcement.unwrap_or(default)
    }

    /// Refuses settings that contradict each other.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |why: &str| {
            let name = self.name.as_deref().filter(|name| !name.trim().is_empty()).unwrap_or("hook");
            Err(Error::new(Code::InvalidHook, format!("{name} on {}: {why}", self.event)))
        };
        if self.name.as_ref().is_some_and(|name| name.trim().is_empty() || name.len() > 256) {
            return refuse("a name has 1 to 256 bytes that are not all white space");
        }
        if matches!(self.timeout, Timeout::After(limit) if limit.is_zero() || limit > Timeout::MAX) {
            return refuse("the timeout must be greater than 0 and at most a year");
        }
        if self.scope == Scope::Managed && self.mandatory == Some(false) {
            return refuse("managed hooks are always mandatory; drop mandatory, or register the hook in another scope");
        }
        if self.detached && self.fail_behavior == Some(FailBehavior::Block) {
            return refuse("a detached hook is not awaited, so it cannot fail closed; drop detached or fail_behavior");
        }
        if self.detached && self.is_mandatory() {
            return refuse(
                "a detached hook is not awaited, so it cannot be mandatory (as managed hooks are); drop detached",
            );
        }
        if self.once && self.is_mandatory() {
            return refuse(
                "a mandatory hook guards every event, so it cannot be once (scope managed implies mandatory, and so does fail_behavior block unless mandatory is false)",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use serde_json::json;

    fn read(settings: &serde_json::Value) -> Result<HookSpec, Error> {
        HookSpec::read(&Json, "PreToolUse", &settings)
    }

    #[test]
    fn unknown_settings_are_named_with_the_nearest_known() {
        let error = read(&json!({"timeut": 3})).unwrap_err();
        assert_eq!(error.code(), Code::InvalidHook);
        assert!(error.message().contains("`timeut` (did you mean `timeout`?)"), "{error}");
    }

    #[test]
    fn timeouts_are_positive_or_null() {
        assert_eq!(read(&json!({"timeout": null})).unwrap().timeout, Timeout::Never);
        assert_eq!(read(&json!({"timeout": 1500})).unwrap().timeout, Timeout::After(Duration::from_millis(1500)));
        for bad in [json!(0), json!(-1), json!("3"), json!(1e300)] {
            assert!(read(&json!({"timeout": bad})).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_said_of_mandatory_wins_over_what_is_implied() {
        for (settings, mandatory) in [
            (json!({}), false),
            (json!({"fail_behavior": "block"}), true),
            (json!({"fail_behavior": "block", "mandatory": false}), false),
            (json!({"fail_behavior": "block", "mandatory": null}), true),
            (json!({"scope": "managed"}), true),
            (json!({"mandatory": true}), true),
        ] {
            assert_eq!(read(&settings).unwrap().is_mandatory(), mandatory, "{settings}");
        }
        assert!(read(&json!({"once": true, "fail_behavior": "block", "mandatory": false})).unwrap().check().is_ok());
    }

    #[test]
    fn contradictions_are_refused() {
        for settings in [
            json!({"detached": true, "mandatory": true}),
            json!({"detached": true, "scope": "managed"}),
            json!({"async": true, "fail_behavior": "block"}),
            json!({"once": true, "mandatory": true}),
            json!({"once": true, "fail_behavior": "block"}),
            json!({"scope": "managed", "mandatory": false}),
            json!({"name": " "}),
        ] {
            assert!(read(&settings).unwrap().check().is_err(), "{settings}");
        }
    }
}
