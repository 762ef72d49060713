//! What an agent wants of a person before it runs the entries of its settings. It says nothing until then.

use std::path::Path;

use hookweave_host::config::Directories;

use crate::agents::Agent;
use crate::reach::Reach;
use crate::settings::Own;

/// What a person has to do in the agent.
pub(crate) fn needed(agent: &Agent, reach: Reach) -> Option<&'static str> {
    match (agent.name, reach) {
        ("codex", Reach::Project | Reach::User) => Some(
            "codex runs no hook that you have not approved there, and does not say so: start codex and type /hooks",
        ),
        ("copilot", Reach::Project) => {
            Some("`copilot -p` runs a project's hooks only with --trust-folder, and does not say so")
        }
        _ => None,
    }
}

/// How many entries of a file Codex has not approved, by its own configuration.
pub(crate) fn unapproved_by_codex(file: &Path, entries: &[Own]) -> usize {
    let state = codex_state().unwrap_or_default();
    let names = [std::path::absolute(file).ok(), std::fs::canonicalize(file).ok()];
    let is_approved = |entry: &Own| {
        names.iter().flatten().any(|name| {
            let key = format!("{}:{}:{}:{}", name.display(), label(&entry.event), entry.group, entry.at);
            state.get(&key).is_some_and(is_trusted)
        })
    };
    entries.iter().filter(|entry| !is_approved(entry)).count()
}

/// What Codex knows of hooks: `[hooks.state."FILE:EVENT:GROUP:PLACE"]` in its `config.toml`.
fn codex_state() -> Option<toml::Table> {
    let directories = Directories::of_this_user();
    let folder = directories.codex.or_else(|| Some(directories.home?.join(".codex")))?;
    let text = crate::document::read_text(&folder.join("config.toml")).ok()?;
    let config: toml::Table = toml::from_str(&text).ok()?;
    config.get("hooks")?.get("state")?.as_table().cloned()
}

fn is_trusted(state: &toml::Value) -> bool {
    let is_off = state.get("enabled").and_then(toml::Value::as_bool) == Some(false);
    !is_off && state.get("trusted_hash").is_some_and(toml::Value::is_str)
}

/// An event's name as Codex writes it in keys: `pre_tool_use`.
fn label(event: &str) -> String {
    let mut label = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !label.is_empty() {
            label.push('_');
        }
        label.push(letter.to_ascii_lowercase());
    }
    label
}
