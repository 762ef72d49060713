//! An engine's settings and the profiles that bundle them.

mod profile;

use std::time::Duration;

pub use crate::directory::Directory;
use crate::error::{Code, Error};
use crate::failure::FailureKind;
use crate::hook::{Enforcement, FailBehavior, HookSpec, Timeout};
use crate::payload::{Host, Spelling};
use crate::read::Reader;
use crate::sessions::Sessions;

pub use profile::Profile;

/// How hooks of one event run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// One after the other, each seeing what earlier ones modified.
    Sequential,
    /// Together, all seeing the same event.
    Parallel,
    /// Together whatever their priority, all seeing the event as it came; priorities order their answers only.
    Concurrent,
}

impl Mode {
    const WORDS: &'static [(&'static str, Self)] =
        &[("sequential", Self::Sequential), ("parallel", Self::Parallel), ("concurrent", Self::Concurrent)];

    /// The mode's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Parallel => "parallel",
            Self::Concurrent => "concurrent",
        }
    }
}

/// What comes of it when hooks of one stage change one thing differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Conflict {
    /// Neither change stands: a gate is blocked, and elsewhere what they disagree about is withheld.
    #[default]
    Block,
    /// A person is asked whether the later change shall stand. Where no person can be asked, it is withheld.
    Ask,
    /// The later change stands, but never over a mandatory hook's, and a message says so.
    Last,
}

impl Conflict {
    const WORDS: &'static [(&'static str, Self)] = &[("block", Self::Block), ("ask", Self::Ask), ("last", Self::Last)];

    /// The rule's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Ask => "ask",
            Self::Last => "last",
        }
    }
}

/// The limits of profile `a3s` on hooks that programs register: per event, in all.
pub const HOOK_LIMITS: (usize, usize) = (10, 50);

/// How many hooks files may declare; they count apart from those that programs register.
pub const MAX_FILE_HOOKS: usize = 1000;

/// How long a callback may run unless someone says otherwise.
pub const CALLBACK_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a `PermissionRequest` hook may run: it may be waiting for a person.
pub const PERMISSION_TIMEOUT: Duration = Duration::from_secs(300);

/// How many detached hooks run at once unless someone says otherwise.
pub const MAX_DETACHED: usize = 64;

/// An engine's settings, resolved against its profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Where the defaults came from.
    pub profile: &'static Profile,
    /// How hooks of equal priority run.
    pub mode: Mode,
    /// What comes of it when hooks that run together change one thing differently.
    pub conflict: Conflict,
    /// Whether what hooks decide is acted on, unless a hook says otherwise; managed hooks are always enforced unless they do.
    pub enforcement: Enforcement,
    /// Whether a block ends the dispatch of a gate at once; else the later hooks run too.
    pub short_circuit: bool,
    /// Whether dispatches run any hook.
    pub enabled: bool,
    /// How long a hook without a timeout of its own may run; `None` is without end.
    pub default_timeout: Option<Duration>,
    /// Whether the default timeout was set by the program (it then holds for every event).
    pub timeout_was_set: bool,
    /// What a failure means for hooks that do not say.
    pub fail_behavior: FailBehavior,
    /// The failures that block though `fail_behavior` says otherwise; none when the program has set it.
    pub blocking_failures: &'static [FailureKind],
    /// The events on which a failure blocks though `fail_behavior` says otherwise; none when the program has set it.
    pub closed_events: &'static [&'static str],
    /// Hooks that programs may register for one event; `None` is without limit.
    pub max_hooks_per_event: Option<usize>,
    /// Hooks that programs may register in all; `None` is without limit.
    pub max_total_hooks: Option<usize>,
    /// Detached hooks that run at once.
    pub max_detached: usize,
    /// Where events happen that do not say so.
    pub directory: Directory,
    /// The sessions that are open, for conditions.
    pub sessions: Sessions,
    /// How the program spells names, for what it is told to write.
    pub spelling: Spelling,
}

impl Default for Options {
    fn default() -> Self {
        Self::of(&Profile::DEFAULT)
    }
}

/// The settings that [`Options::read`] reads.
const OWN: &[&str] = &[
    "profile",
    "mode",
    "conflict",
    "enforcement",
    "short_circuit",
    "enabled",
    "default_timeout",
    "fail_behavior",
    "max_hooks_per_event",
    "max_total_hooks",
    "max_detached",
];

/// The settings of hooks from files, which `file_hook::Settings` reads from the same object.
pub const OF_FILES: &[&str] = &["project_dir", "max_running", "output_cap", "scrub_environment", "webhooks"];

impl Options {
    /// A profile's defaults.
    #[must_use]
    pub fn of(profile: &'static Profile) -> Self {
        Self {
            profile,
            mode: profile.mode,
            conflict: Conflict::default(),
            enforcement: Enforcement::default(),
            short_circuit: profile.short_circuit,
            enabled: true,
            default_timeout: profile.timeout,
            timeout_was_set: false,
            fail_behavior: profile.fail_behavior,
            blocking_failures: profile.blocking_failures,
            closed_events: profile.closed_events,
            max_hooks_per_event: profile.hook_limits.map(|(per_event, _)| per_event),
            max_total_hooks: profile.hook_limits.map(|(_, total)| total),
            max_detached: MAX_DETACHED,
            directory: Directory::default(),
            sessions: Sessions::default(),
            spelling: Spelling::default(),
        }
    }

    /// Reads settings from a host's object; a field that is not given keeps its profile's default, a limit or timeout
    /// that is null is off.
    pub fn read<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        Self::read_beside(host, view, &[])
    }

    /// The same beside settings that the host reads by itself, such as `audit`.
    pub fn read_beside<'v, H: Host>(host: &'v H, view: &H::View<'v>, of_host: &[&str]) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidOption, "options")?;
        reader.only(&[OWN, OF_FILES, of_host].concat())?;
        let mut options = match reader.text("profile")? {
            Some(name) => Self::of(Profile::named(&name)?),
            None => Self::default(),
        };
        if let Some(mode) = reader.word("mode", Mode::WORDS)? {
            options.mode = mode;
        }
        options.spelling = host.spelling();
        options.conflict = reader.word("conflict", Conflict::WORDS)?.unwrap_or_default();
        options.enforcement = reader.word("enforcement", Enforcement::WORDS)?.unwrap_or_default();
        options.short_circuit = reader.flag("short_circuit")?.unwrap_or(options.short_circuit);
        options.enabled = reader.flag("enabled")?.unwrap_or(true);
        match reader.text("project_dir")?.as_deref() {
            None => {}
            Some("") => return Err(reader.refuse("project_dir", "is empty; leave it out for the process's directory")),
            Some(project) => options.directory = Directory::fixed(project),
        }
        match Timeout::read(&reader, "default_timeout")? {
            Timeout::Default => {}
            Timeout::Never => (options.default_timeout, options.timeout_was_set) = (None, true),
            Timeout::After(limit) => (options.default_timeout, options.timeout_was_set) = (Some(limit), true),
        }
        if let Some(fail_behavior) = reader.word("fail_behavior", FailBehavior::WORDS)? {
            (options.fail_behavior, options.blocking_failures, options.closed_events) = (fail_behavior, &[], &[]);
        }
        let limit = |field: &str, default: Option<usize>| -> Result<Option<usize>, Error> {
            if reader.given(field).is_none() {
                return Ok(default);
            }
            let Some(number) = reader.integer(field)? else { return Ok(None) };
            usize::try_from(number).ok().filter(|number| *number > 0).map(Some).ok_or_else(|| {
                reader.refuse(field, format!("must be at least 1; {} switches the limit off", reader.null()))
            })
        };
        options.max_hooks_per_event = limit("max_hooks_per_event", options.max_hooks_per_event)?;
        options.max_total_hooks = limit("max_total_hooks", options.max_total_hooks)?;
        options.max_detached = limit("max_detached", Some(options.max_detached))?
            .ok_or_else(|| reader.refuse("max_detached", "cannot be switched off; give a number"))?;
        Ok(options)
    }

    /// What the profile makes of a hook of this event, where neither the hook nor its file says otherwise.
    ///
    /// A hook from a file keeps what its own system says; a mandatory hook is always waited for.
    pub(crate) fn settle(&self, spec: &mut HookSpec, event: &str) {
        if spec.origin.is_none() && !spec.is_mandatory() {
            spec.detached |= self.profile.detached.contains(&event);
        }
    }

    /// How long a hook of this event may run.
    pub(crate) fn timeout_for(&self, spec: &HookSpec, event: &str) -> Option<Duration> {
        let own = match spec.timeout {
            Timeout::Never => None,
            Timeout::After(limit) => Some(limit),
            Timeout::Default => self.default_timeout_for(event),
        };
        let Some((shortest, longest)) = self.profile.timeout_bounds.filter(|_| spec.origin.is_none()) else {
            return own;
        };
        let bounded = own.map_or(longest, |limit| limit.clamp(shortest, longest));
        if own != Some(bounded) {
            let (hook, profile) = (spec.name.as_deref().unwrap_or("a hook"), self.profile.name);
            tracing::warn!(event, hook, profile, "the timeout was moved to {bounded:?}, the nearest that is allowed");
        }
        Some(bounded)
    }

    fn default_timeout_for(&self, event: &str) -> Option<Duration> {
        let special = self.profile.event_timeouts.iter().filter(|_| !self.timeout_was_set);
        special.clone().find(|(name, _)| *name == event).map_or(self.default_timeout, |(_, limit)| Some(*limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use serde_json::json;

    #[test]
    fn every_setting_that_is_known_is_read() {
        for name in OWN {
            let error = Options::read(&Json, &&json!({*name: [[]]})).unwrap_err();
            assert!(error.message().starts_with(&format!("options.{name}: ")), "{error}");
        }
        let misspelt = Options::read_beside(&Json, &&json!({"audits": "info"}), &["audit"]).unwrap_err();
        let known = misspelt.message().rsplit_once("known are ").map(|(_, known)| known.split(", ").count());
        assert_eq!(known, Some(OWN.len() + OF_FILES.len() + 1), "{misspelt}");
        assert!(misspelt.message().contains("did you mean `audit`"), "{misspelt}");
    }

    #[test]
    fn limits_are_numbers_or_off() {
        let read = |settings: serde_json::Value| Options::read(&Json, &&settings);
        assert_eq!(read(json!({"max_total_hooks": null})).unwrap().max_total_hooks, None);
        assert_eq!(read(json!({})).unwrap().max_total_hooks, None);
        assert_eq!(read(json!({"profile": "a3s"})).unwrap().max_total_hooks, Some(50));
        assert!(read(json!({"max_total_hooks": 0})).is_err());
        assert!(read(json!({"max_detached": null})).is_err());
        assert_eq!(read(json!({"profile": "shadw"})).unwrap_err().code(), Code::UnknownProfile);
    }

    #[test]
    fn permission_hooks_may_wait_for_a_person() {
        let options = Options::default();
        let spec = HookSpec::new("any");
        assert_eq!(options.timeout_for(&spec, "PermissionRequest"), Some(PERMISSION_TIMEOUT));
        assert_eq!(options.timeout_for(&spec, "PreToolUse"), Some(CALLBACK_TIMEOUT));
    }

    fn of(profile: &str) -> Options {
        Options::of(Profile::named(profile).unwrap())
    }

    fn seconds(limit: u64) -> Timeout {
        Timeout::After(Duration::from_secs(limit))
    }

    #[test]
    fn each_profile_has_its_timeouts() {
        let spec = HookSpec::new("any");
        for (profile, event, expected) in [
            ("a3s", "PreToolUse", Some(5_000)),
            ("wingman", "PreToolUse", Some(60_000)),
            ("cocode", "PermissionRequest", Some(600_000)),
            ("amplifier", "PermissionRequest", None),
            ("shadow", "PreToolUse", None),
            ("claude-code", "PermissionRequest", Some(600_000)),
            ("claude-code", "UserPromptSubmit", Some(30_000)),
            ("claude-code", "MessageDisplay", Some(10_000)),
            ("claude-code", "SessionEnd", Some(1_500)),
        ] {
            assert_eq!(of(profile).timeout_for(&spec, event), expected.map(Duration::from_millis), "{profile} {event}");
        }
    }

    #[test]
    fn a_timeout_that_the_program_sets_holds_for_every_event() {
        let options = Options::read(&Json, &&json!({"profile": "claude-code", "default_timeout": 2_000})).unwrap();
        assert_eq!(options.timeout_for(&HookSpec::new("any"), "SessionEnd"), Some(Duration::from_secs(2)));
    }

    #[test]
    fn wingman_moves_timeouts_between_a_second_and_ten_minutes() {
        let options = of("wingman");
        let bounded = |timeout| options.timeout_for(&HookSpec { timeout, ..HookSpec::new("any") }, "PreToolUse");
        assert_eq!(bounded(Timeout::After(Duration::from_millis(5))), Some(Duration::from_secs(1)));
        assert_eq!(bounded(seconds(30)), Some(Duration::from_secs(30)));
        assert_eq!(bounded(seconds(601)), Some(Duration::from_secs(600)));
        assert_eq!(bounded(Timeout::Never), Some(Duration::from_secs(600)));
        assert_eq!(
            of("default").timeout_for(&HookSpec { timeout: seconds(601), ..HookSpec::new("any") }, "Stop"),
            Some(Duration::from_secs(601))
        );
    }

    #[test]
    fn nobody_waits_for_wingmans_later_hooks_unless_they_guard() {
        let options = of("wingman");
        let settled = |mut spec: HookSpec, event: &str| {
            options.settle(&mut spec, event);
            spec.detached
        };
        assert!(settled(HookSpec::new("any"), "PostToolUse"));
        assert!(settled(HookSpec::new("any"), "Stop"));
        assert!(!settled(HookSpec::new("any"), "PreToolUse"));
        assert!(!settled(HookSpec { mandatory: Some(true), ..HookSpec::new("any") }, "Stop"));
        assert!(!settled(HookSpec { fail_behavior: Some(FailBehavior::Block), ..HookSpec::new("any") }, "Stop"));
    }

    #[test]
    fn a_hook_from_a_file_keeps_what_its_own_system_says() {
        let options = of("wingman");
        let origin = crate::hook::Origin {
            fingerprint: None,
            also: Vec::new(),
            file: "settings.json".into(),
            place: "hooks.Stop[0]".into(),
            line: None,
            scope: crate::hook::Scope::Callback,
            dialect: "claude-code",
            runs: "true".into(),
        };
        let mut spec = HookSpec { origin: Some(origin.into()), timeout: seconds(900), ..HookSpec::new("any") };
        options.settle(&mut spec, "Stop");
        assert!(!spec.detached);
        assert_eq!(options.timeout_for(&spec, "Stop"), Some(Duration::from_secs(900)));
    }

    #[test]
    fn what_the_program_says_of_failures_wins_over_the_profile() {
        let read = |settings: serde_json::Value| Options::read(&Json, &&settings).unwrap().blocking_failures;
        assert!(read(json!({"profile": "cocode"})).contains(&FailureKind::Exited));
        assert!(!read(json!({"profile": "cocode"})).contains(&FailureKind::Timeout));
        assert!(read(json!({"profile": "cocode", "fail_behavior": "continue"})).is_empty());
    }
}
