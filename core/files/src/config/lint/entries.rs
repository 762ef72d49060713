//! Rules about an entry itself: its keys, its time, where it sends.

use std::time::Duration;

use serde_json::Value;

use super::{Findings, Hook};
use crate::config::Run;
use hookweave_dialects::described::system;
use hookweave_machine::error::{did_you_mean, surely_meant};

/// Keys of handlers, by dialect; those of other formats are refused when they are read.
const KEYS: &[(&str, &[&str])] = &[
    (
        "claude-code",
        &[
            "type",
            "command",
            "args",
            "shell",
            "async",
            "asyncRewake",
            "url",
            "headers",
            "allowedEnvVars",
            "server",
            "tool",
            "input",
            "prompt",
            "model",
            "continueOnBlock",
            "if",
            "timeout",
            "statusMessage",
            "once",
            "onFailure",
        ],
    ),
    (
        "codex",
        &[
            "type",
            "command",
            "commandWindows",
            "command_windows",
            "timeout",
            "timeoutSec",
            "async",
            "statusMessage",
            "additionalContextLimit",
        ],
    ),
    ("gemini-cli", &["type", "command", "name", "description", "timeout", "env"]),
    ("cursor", &["type", "command", "matcher", "timeout", "failClosed", "loop_limit", "prompt", "model"]),
    (
        "copilot",
        &[
            "type",
            "bash",
            "powershell",
            "command",
            "windows",
            "linux",
            "osx",
            "cwd",
            "env",
            "timeoutSec",
            "timeout",
            "matcher",
            "comment",
            "exec",
            "args",
            "url",
            "headers",
            "allowedEnvVars",
            "prompt",
            "model",
        ],
    ),
    ("wingman", &["type", "command", "timeout"]),
    ("cocode", &["event", "tool_matcher", "timeout_sec", "once", "name", "shell", "webhook"]),
];

/// Keys of entries in cocode's `settings.json`, beside those of Claude Code's handlers.
const COCODE_SETTINGS: &[&str] =
    &["matcher", "timeout_ms", "async_rewake", "status_message", "priority", "allowed_env_vars"];

/// Whether the hook stands in cocode's `settings.json`.
fn is_flat(hook: &Hook<'_>) -> bool {
    let file = hook.declared.spec.origin.as_ref().map(|origin| origin.file.as_path());
    file.is_some_and(|file| {
        file.ancestors().skip(1).any(|above| above.file_name().is_some_and(|name| name == ".cocode"))
    })
}
/// Fields with a time.
const TIMEOUT: &[&str] = &["timeout", "timeoutSec", "timeout_sec"];

pub(super) fn check(hook: &Hook<'_>, findings: &mut Findings<'_>) {
    let dialect = hook.declared.dialect.name();
    let entry = hook.declared.entry.get("hook").unwrap_or(&Value::Null);
    let built_in = || KEYS.iter().find(|(name, _)| *name == dialect).map(|(_, known)| *known);
    let described = system(dialect);
    let known = described.map(|system| system.entries.keys).or_else(built_in);
    if let (Some(known), Some(fields)) = (known, entry.as_object()) {
        // A file of our own names which dialect reads the answers, and has its own keys.
        let is_ours = fields.contains_key("dialect") || fields.contains_key("event") && !known.contains(&"event");
        let is_known = |key: &str| known.contains(&key) || is_flat(hook) && COCODE_SETTINGS.contains(&key);
        for key in fields.keys().filter(|key| !is_ours && !is_known(key)) {
            let hint = did_you_mean(key, known.iter().copied());
            let meant = surely_meant(key, known.iter().copied());
            let message = format!("`{key}` is not read by {dialect}{hint}; take it out");
            findings.add_key("unknown-key", key, meant, message);
        }
    }
    let time = TIMEOUT.iter().find_map(|key| entry.get(key)?.as_f64());
    if let Some(time) = time {
        let seconds = described.map_or(time, |system| system.seconds(time));
        // Where a large number is read as milliseconds, it is what was meant.
        let is_short = described.is_some_and(|system| seconds < time && system.entries.milliseconds_from.is_some());
        if !is_short {
            check_time(
                described.is_some_and(|system| system.entries.unit < 1.0) || dialect == "gemini-cli",
                time,
                findings,
            );
        }
    }
    if let Run::Webhook(webhook) = &hook.declared.run {
        check_url(&webhook.url, findings);
    }
}

fn check_time(in_milliseconds: bool, time: f64, findings: &mut Findings<'_>) {
    if in_milliseconds {
        if time < 1000.0 {
            let meant = time * 1000.0;
            findings.add_at(
                "timeout-unit",
                TIMEOUT,
                format!("{time} milliseconds end most commands before they begin; the field is milliseconds here: write {meant} for {time} seconds"),
            );
        }
        return;
    }
    let limit = Duration::from_secs(3600).as_secs_f64();
    if time >= limit || time >= 1000.0 && time % 1000.0 == 0.0 {
        let meant = time / 1000.0;
        findings.add_at(
            "timeout-unit",
            TIMEOUT,
            format!(
                "{time} seconds are {:.1} hours; the field is seconds here: write {meant} if milliseconds were meant",
                time / 3600.0
            ),
        );
    }
}

fn check_url(url: &str, findings: &mut Findings<'_>) {
    let plain = url.strip_prefix("http://");
    let Some(rest) = plain.or_else(|| url.strip_prefix("https://")) else { return };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (credentials, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let local = ["localhost", "127.", "[::1]"].iter().any(|prefix| host.starts_with(prefix));
    if plain.is_some() && !local {
        let message = format!("events for {host} leave the machine unencrypted; write https://");
        findings.add_at("plain-http", URL, message);
    }
    if !credentials.is_empty() {
        let message = "the URL holds a user's name or password, which everyone reads who reads the file; send it in \
                       a header, from a variable of the environment";
        findings.add_at("url-credentials", URL, message);
    }
    if is_link_local(host) {
        let message =
            format!("{host} is a link-local address, at which clouds keep credentials; webhooks may not go there");
        findings.add_at("link-local", URL, message);
    }
}

/// Fields with a webhook's URL.
const URL: &[&str] = &["url", "webhook"];

/// `169.254.…`, `fe80::…` and the names that clouds have for it.
fn is_link_local(host: &str) -> bool {
    let name = host.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or_else(
        || host.split(':').next().unwrap_or_default().to_ascii_lowercase(),
        |(address, _)| address.to_ascii_lowercase(),
    );
    match name.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(address)) => address.is_link_local(),
        Ok(std::net::IpAddr::V6(address)) => address.is_unicast_link_local(),
        Err(_) => name == "metadata.google.internal",
    }
}
