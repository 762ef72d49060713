//! cocode's `hooks.toml`.

use super::listed::read_list;
use crate::config::entry::{Draft, check_url, shell};
use crate::config::reading::{Reading, Spot, Syntax, Take};
use crate::config::{Loaded, Run, Source};
use hookweave_dialects::{Dialect, cocode};
use hookweave_exec::command::Shell;
use hookweave_exec::webhook::{Method, UnsetVariable, WebhookSpec};

const METHODS: &[(&str, Method)] =
    &[("Post", Method::Post), ("Put", Method::Put), ("POST", Method::Post), ("PUT", Method::Put)];

pub(super) fn read(text: &str, source: &Source<'_>) -> Loaded {
    Reading::of(text, Syntax::Toml, source, |reading, top| read_list(reading, top, read_hook))
}

fn read_hook(reading: &mut Reading<'_>, entry: &Spot<'_>, event: &str) -> Take<()> {
    let matcher = entry.text("tool_matcher")?;
    let spot = entry.get("event").unwrap_or_else(|| entry.clone());
    let slot = reading.slot(&spot, event, matcher.as_deref())?;
    let (run, dialect) = match (entry.get("shell"), entry.get("webhook")) {
        (Some(command), None) => {
            command.must_be_object()?;
            let pass_context = command.flag("pass_context")?.unwrap_or(false);
            let parse_result = command.flag("parse_result")?.unwrap_or(false);
            let spec = shell(command.required_text("command")?, Shell::Posix);
            (Run::Command(spec), cocode::variant(pass_context, parse_result))
        }
        (None, Some(request)) => (Run::Webhook(webhook(&request)?), cocode::variant(true, true)),
        (Some(_), Some(_)) => return Err(entry.wrong("has both [hooks.shell] and [hooks.webhook]; keep one")),
        (None, None) => return Err(entry.wrong("says nothing to run; add [hooks.shell] or [hooks.webhook]")),
    };
    let mut draft = Draft::new(run);
    draft.name = entry.text("name")?.filter(|name| !name.trim().is_empty());
    draft.timeout = entry.duration("timeout_sec", 1.0)?;
    draft.once = entry.flag("once")?.unwrap_or(false);
    let dialect: &'static dyn Dialect = dialect;
    reading.declare_as(entry, &slot, draft, dialect)
}

fn webhook(spot: &Spot<'_>) -> Take<WebhookSpec> {
    spot.must_be_object()?;
    let url = spot.required_text("url")?;
    check_url(&url).map_err(|why| spot.given("url").unwrap_or_else(|| spot.clone()).wrong(why))?;
    let mut spec = WebhookSpec {
        url,
        method: spot.word("method", METHODS)?.unwrap_or_default(),
        headers: spot.pairs("headers")?,
        allowed_env: Vec::new(),
        unset: UnsetVariable::Refuse,
    };
    // Every variable that the headers name is allowed; an untrusted file is not loaded in the first place.
    spec.allowed_env = spec.variables().map(str::to_owned).collect();
    Ok(spec)
}
