//! Rules about keys around the entries: a misspelt one leaves out what it holds, or lets a hook run for everything.

use super::standing::Standing;
use super::{Finding, Problem};
use crate::config::Source;
use crate::config::reading::step;
use crate::config::tree::{Kind, Node};
use hookweave_machine::error::{did_you_mean, surely_meant};

/// Keys of a group of handlers.
const GROUP: &[&str] = &["matcher", "hooks", "sequential"];

/// Keys of Codex's `hooks.json`, which has them checked.
const CODEX: &[&str] = &["hooks", "description"];

/// What people write for `matcher`.
const MATCHER: &[&str] = &["tool", "tools", "tool_name", "tool_names", "toolName", "toolNames", "pattern", "match"];

pub(super) fn check(standing: &Standing<'_>, source: &Source<'_>, all: &mut Vec<Finding>) {
    let Some(top) = standing.top() else { return };
    let mut add = |place: &str, key: &str, meant: Option<&str>, hint: String| {
        let message = format!("`{key}` is not read by {}{hint}", source.dialect.name());
        let position = standing.of_key(place, key);
        let problem = Problem {
            place: step(place, key),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
            fix: meant.and_then(|meant| standing.rename(place, key, meant)),
            ..Problem::of_file(source.file.clone(), message, false)
        };
        all.push(Finding::new("unknown-key", problem));
    };
    if source.dialect.name() == "codex" && source.file.extension().is_some_and(|ending| ending == "json") {
        for field in top.fields().iter().filter(|field| !CODEX.contains(&field.name.as_str())) {
            add("", &field.name, None, ", which refuses a hooks.json with it; take it out".to_owned());
        }
    }
    let events = source.dialect.events();
    if top.get("hooks").is_none() && !top.fields().iter().any(|field| events.contains(&field.name.as_str())) {
        for field in top.fields() {
            if let Some(meant) = surely_meant(&field.name, ["hooks"]).filter(|_| is_container(&field.value)) {
                add("", &field.name, Some(meant), " (did you mean `hooks`?); its hooks do not run".to_owned());
            }
        }
    }
    let (hooks, at) = match top.get("hooks") {
        Some(hooks) => (hooks, "hooks"),
        None => (top, ""),
    };
    for event in hooks.fields() {
        let Kind::List(groups) = &event.value.kind else { continue };
        for (index, group) in groups.iter().enumerate().filter(|(_, group)| is_group(group)) {
            let place = format!("{}[{index}]", step(at, &event.name));
            for field in group.fields().iter().filter(|field| !GROUP.contains(&field.name.as_str())) {
                let is_matcher = MATCHER.contains(&field.name.as_str());
                let is_text = matches!(field.value.kind, Kind::Text(_));
                let meant = surely_meant(&field.name, GROUP.iter().copied());
                let meant = if is_matcher && is_text { Some("matcher") } else { meant };
                let hint = match (is_matcher, group.get("matcher")) {
                    (true, None) => {
                        " (did you mean `matcher`?); without a matcher the hooks run for every tool: write \"matcher\": \"Bash|Edit\""
                            .to_owned()
                    }
                    _ => format!("{}; take it out", did_you_mean(&field.name, GROUP.iter().copied())),
                };
                add(&place, &field.name, meant, hint);
            }
        }
    }
}

fn is_container(node: &Node) -> bool {
    matches!(node.kind, Kind::Object(_) | Kind::List(_))
}

/// A matcher with its handlers.
fn is_group(node: &Node) -> bool {
    node.get("hooks").is_some_and(is_container)
}
