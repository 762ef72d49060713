//! What a client's commands and webhooks may do.

use std::path::PathBuf;

use hookweave_exec::command::DEFAULT_OUTPUT_CAP;
use hookweave_exec::pool::DEFAULT_RUNNING;
use hookweave_exec::webhook::WebPolicy;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::payload::Host;
use hookweave_machine::read::Reader;

/// What a client's commands and webhooks may do.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Commands and requests that run at once; more of them wait.
    pub max_running: usize,
    /// Bytes that a command may print to each of its streams before it is killed.
    pub output_cap: usize,
    /// The project's directory; the working directory of the process unless set.
    pub project_dir: Option<PathBuf>,
    /// Where webhooks may go.
    pub web: WebPolicy,
    /// Whether commands get no variable whose name says that it holds a credential.
    pub scrub_environment: bool,
    /// Whether an answer also holds, as `ext.<dialect>.env_text`, what the hook wrote into its file of variables: for a host
    /// that hands it on to a shell.
    pub env_text: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_running: DEFAULT_RUNNING,
            output_cap: DEFAULT_OUTPUT_CAP,
            project_dir: None,
            web: WebPolicy::default(),
            scrub_environment: false,
            env_text: false,
        }
    }
}

impl Settings {
    /// Reads settings from a host's options; those that are not given keep their defaults.
    ///
    /// `{project_dir?, max_running?, output_cap?, scrub_environment?, webhooks?: {allowed_urls?, allowed_env?,
    /// allowed_networks?, allow_private?, response_cap?}}` beside the engine's own options.
    pub fn read<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidOption, "options")?;
        let mut settings = Self::default();
        settings.project_dir = reader.text("project_dir")?.map(PathBuf::from);
        settings.max_running = count(&reader, "max_running")?.unwrap_or(settings.max_running);
        settings.output_cap = count(&reader, "output_cap")?.unwrap_or(settings.output_cap);
        settings.scrub_environment = reader.flag("scrub_environment")?.unwrap_or(false);
        if let Some(webhooks) = reader.value("webhooks") {
            settings.web = policy(host, &webhooks)?;
        }
        Ok(settings)
    }
}

fn policy<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<WebPolicy, Error> {
    let reader = Reader::new(host, view, Code::InvalidOption, "options.webhooks")?;
    reader.only(&["allowed_urls", "allowed_env", "allowed_networks", "allow_private", "response_cap"])?;
    let usual = WebPolicy::default();
    let policy = WebPolicy {
        allowed_urls: reader.texts("allowed_urls")?,
        allowed_env: reader.texts("allowed_env")?,
        allowed_networks: reader.texts("allowed_networks")?.unwrap_or_default(),
        allow_private: reader.flag("allow_private")?.unwrap_or(usual.allow_private),
        response_cap: count(&reader, "response_cap")?.unwrap_or(usual.response_cap),
        ..usual
    };
    policy.check().map_err(|why| Error::new(Code::InvalidOption, format!("options.webhooks: {why}")))?;
    Ok(policy)
}

fn count<H: Host>(reader: &Reader<'_, H>, field: &str) -> Result<Option<usize>, Error> {
    let Some(number) = reader.integer(field)? else { return Ok(None) };
    let number = usize::try_from(number).ok().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| reader.refuse(field, "must be at least 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookweave_machine::json::Json;
    use serde_json::json;

    #[test]
    fn every_setting_that_clients_know_is_read() {
        for name in hookweave_machine::options::OF_FILES {
            let error = Settings::read(&Json, &&json!({*name: [[]]})).unwrap_err();
            assert!(error.message().starts_with(&format!("options.{name}: ")), "{error}");
        }
    }

    #[test]
    fn settings_are_read_and_nonsense_is_refused() {
        let read = |options: serde_json::Value| Settings::read(&Json, &&options);
        let settings =
            read(json!({"project_dir": "/p", "max_running": 3, "webhooks": {"allow_private": false}})).unwrap();
        assert_eq!((settings.max_running, settings.web.allow_private), (3, false));
        assert!(read(json!({"max_running": 0})).is_err());
        let error = read(json!({"webhooks": {"allowed_url": []}})).unwrap_err();
        assert!(error.message().contains("did you mean `allowed_urls`"), "{error}");
    }
}
