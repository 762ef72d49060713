//! What a session is made with.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::permission::Permissions;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::json::{from_json, to_json};
use hookweave_machine::options::Profile;
use hookweave_machine::payload::{Host, Kind};
use hookweave_machine::read::Reader;

/// How often in a row hooks may keep an agent from stopping.
pub const MAX_STOPS: u32 = 8;

/// How long "Allow always" of a person holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Approvals {
    /// Until the session ends.
    #[default]
    Session,
    /// In the user's later sessions too.
    User,
    /// In all sessions with this file, which the user owns.
    File(PathBuf),
}

/// How a session works.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The working directory that events carry.
    pub cwd: Option<String>,
    /// What the host allows, as long as nothing is added by [`Session::permit`](super::Session::permit).
    pub permissions: Permissions,
    /// How often a hook may have something tried again, and how often it may rewrite what a person is asked about.
    pub max_retries: u32,
    /// The longest injection, in bytes.
    pub injection_limit: usize,
    /// How many tokens hooks inject in a turn before the user is warned.
    pub injection_budget: usize,
    /// How often the model is called for one prompt.
    pub max_model_calls: u32,
    /// How many tokens the model's context holds, when the host knows.
    pub context_limit: Option<u64>,
    /// The part of it at which a warning is raised.
    pub context_threshold: f64,
    /// How many of the most recent messages a compaction leaves as they are.
    pub keep_recent: usize,
    /// The model's name, as events carry it.
    pub model: Value,
    /// The instructions of the model.
    pub system_prompt: Option<String>,
    /// How long "Allow always" holds.
    pub keep_approvals: Approvals,
    /// The client's profile: some systems report more of a failed run, or take silence for consent.
    pub profile: &'static Profile,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cwd: None,
            permissions: Permissions::default(),
            max_retries: 3,
            injection_limit: 10 * 1024,
            injection_budget: 1000,
            max_model_calls: 100,
            context_limit: None,
            context_threshold: 0.8,
            keep_recent: 6,
            model: Value::String(String::new()),
            system_prompt: None,
            keep_approvals: Approvals::Session,
            profile: &Profile::DEFAULT,
        }
    }
}

impl Settings {
    /// Reads settings from a host's object; what is not given keeps its default.
    ///
    /// `permissions` is one word for every tool, or an object of tools (names and globs split on `|`) and words, where `*` is
    /// every tool that no other entry names. `of_host` are settings that the host reads by itself, such as `approval`.
    pub fn read<'v, H: Host>(
        host: &'v H,
        view: &H::View<'v>,
        profile: &'static Profile,
        of_host: &[&str],
    ) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidOption, "session")?;
        let own: &[&str] = &[
            "session_id",
            "cwd",
            "permissions",
            "max_retries",
            "injection_limit",
            "injection_budget",
            "max_model_calls",
            "context_limit",
            "context_threshold",
            "keep_recent",
            "model",
            "system_prompt",
            "keep_approvals",
        ];
        reader.only(&[own, of_host].concat())?;
        let mut settings = Self { profile, ..Self::default() };
        let count = |field: &str, default: u64| -> Result<u64, Error> {
            let Some(number) = reader.integer(field)? else { return Ok(default) };
            u64::try_from(number).map_err(|_| reader.refuse(field, "must not be negative"))
        };
        let narrow = |field: &str, default: u32| -> Result<u32, Error> {
            u32::try_from(count(field, default.into())?).map_err(|_| reader.refuse(field, "is too large"))
        };
        let bytes = |field: &str, default: usize| -> Result<usize, Error> {
            usize::try_from(count(field, default as u64)?).map_err(|_| reader.refuse(field, "is too large"))
        };
        settings.cwd = reader.text("cwd")?;
        settings.system_prompt = reader.text("system_prompt")?;
        settings.max_retries = narrow("max_retries", settings.max_retries)?;
        settings.max_model_calls = narrow("max_model_calls", settings.max_model_calls)?;
        settings.injection_limit = bytes("injection_limit", settings.injection_limit)?;
        settings.injection_budget = bytes("injection_budget", settings.injection_budget)?;
        settings.context_limit = Some(count("context_limit", 0)?).filter(|limit| *limit > 0);
        settings.keep_recent = match bytes("keep_recent", settings.keep_recent)? {
            0 => {
                return Err(reader.refuse("keep_recent", "must be at least 1: the last message to the model must stay"));
            }
            recent => recent,
        };
        if let Some(given) = reader.value("context_threshold") {
            settings.context_threshold = match host.kind(&given) {
                Kind::Float(ratio) if ratio > 0.0 && ratio <= 1.0 => ratio,
                Kind::Int(1) => 1.0,
                _ => return Err(reader.refuse("context_threshold", "must be a number above 0, at most 1")),
            };
        }
        if let Some(given) = reader.value("model") {
            let text = to_json(host, &given).map_err(|why| reader.refuse("model", why))?;
            settings.model = from_json(&text).map_err(|why| reader.refuse("model", why))?;
        }
        settings.keep_approvals = match reader.text("keep_approvals")?.as_deref() {
            None | Some("session") => Approvals::Session,
            Some("user") => Approvals::User,
            Some(path) if Path::new(path).is_absolute() => Approvals::File(path.into()),
            Some(_) => {
                return Err(
                    reader.refuse("keep_approvals", "must be `session`, `user`, or the absolute path of a file")
                );
            }
        };
        settings.permissions = match reader.value("permissions") {
            Some(given) => Permissions::read(host, &given)?,
            None => Permissions::default(),
        };
        Ok(settings)
    }
}
