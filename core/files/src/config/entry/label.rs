//! What people see of a hook: what it runs, and a name for it.

use std::path::Path;

use crate::config::Run;
use hookweave_exec::command::CommandLine;
use hookweave_exec::webhook::{Method, shown_segment};
use hookweave_machine::decision::Decision;
use hookweave_machine::escape::escaped;

/// What runs, in short: the beginning of [`what`].
pub(super) fn runs(run: &Run) -> String {
    let text = what(run);
    let mut short: String = text.chars().take(500).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// What runs, for a person who has to approve it: to its end, with what else decides what happens, and with nothing in it
/// that a screen would obey.
pub(in crate::config) fn in_full(run: &Run) -> String {
    let mut with = Vec::new();
    match run {
        Run::Command(command) => {
            with.extend(command.env.iter().map(|(name, value)| format!("{name}={value}")));
            with.extend(command.directory.as_ref().map(|directory| format!("in {}", directory.display())));
        }
        Run::Webhook(webhook) => with.extend(webhook.allowed_env.iter().map(|name| format!("sends ${name}"))),
        Run::Prompt { .. } | Run::McpTool { .. } | Run::Decision(_) | Run::Computed(_) => {}
    }
    let with = if with.is_empty() { String::new() } else { format!(" ({})", with.join(", ")) };
    escaped(&(what(run) + &with))
}

/// What runs: the command line, or the method and address of a request without its secrets.
fn what(run: &Run) -> String {
    match run {
        Run::Command(command) => match &command.line {
            CommandLine::Shell { text, .. } => text.clone(),
            CommandLine::Exec { program, args } => {
                std::iter::once(program.as_str()).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
            }
        },
        Run::Webhook(webhook) => {
            let method = if webhook.method == Method::Put { "PUT" } else { "POST" };
            format!("{method} {}", without_secrets(&webhook.url))
        }
        Run::Prompt { text, agent, .. } => format!("{}: {text}", if *agent { "agent" } else { "prompt" }),
        Run::McpTool { server, tool, .. } => format!("mcp__{server}__{tool}"),
        Run::Decision(Decision::Block(reason)) => format!("block: {reason}"),
        Run::Decision(Decision::Ask(prompt)) => format!("ask: {}", prompt.as_deref().unwrap_or_default()),
        Run::Decision(Decision::Allow) => "allow".to_owned(),
        Run::Computed(computed) => computed.to_string(),
    }
}

/// A URL without user name, password, query, fragment and parts of the path that look like a key, where tokens stand.
pub(in crate::config) fn without_secrets(url: &str) -> String {
    let plain = url.split(['?', '#']).next().unwrap_or_default();
    match plain.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
            let host = host.rsplit('@').next().unwrap_or(host);
            let path = path.map(|path| path.split('/').map(shown_segment).collect::<Vec<_>>().join("/"));
            path.map_or_else(|| format!("{scheme}://{host}"), |path| format!("{scheme}://{host}/{path}"))
        }
        None => plain.to_owned(),
    }
}

/// A short name for what runs: the script's base name where there is one, else the beginning of the line.
pub(super) fn name_of(run: &Run, runs: &str) -> String {
    // A reason may name a file, which is no script.
    let script = if matches!(run, Run::Decision(_) | Run::Computed(_)) { None } else { script_in(runs) };
    let name = script.map_or_else(|| runs.chars().take(40).collect::<String>(), str::to_owned);
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let name = name.trim();
    if name.is_empty() || name.len() > 256 { "hook".to_owned() } else { name.to_owned() }
}

/// The base name of the first path in a line that has an extension.
fn script_in(line: &str) -> Option<&str> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&' | '|' | '(' | ')' | '<' | '>'))
        .filter(|word| word.contains('/') && !word.contains("://"))
        .filter_map(|word| Path::new(word).file_name()?.to_str())
        .find(|name| Path::new(name).extension().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookweave_exec::command::{CommandSpec, Shell};

    #[test]
    fn secrets_of_a_url_are_not_shown() {
        assert_eq!(without_secrets("https://user:pw@h.example:8/a/b?token=x#y"), "https://h.example:8/a/b");
        assert_eq!(without_secrets("https://h.example?token=x"), "https://h.example");
        assert_eq!(without_secrets("https://h.example/T1/XXabcdEFGH12345678"), "https://h.example/T1/XXab…");
    }

    #[test]
    fn whoever_approves_a_hook_is_shown_all_that_decides_what_runs() {
        let mut spec = CommandSpec {
            line: CommandLine::Shell { text: format!("true {}; ./x\u{1b}[2K", "#".repeat(600)), shell: Shell::Posix },
            env: vec![("BASH_ENV".into(), "./y".into())],
            directory: Some("hooks".into()),
        };
        let shown = in_full(&Run::Command(spec.clone()));
        assert!(shown.ends_with("; ./x\\u{1b}[2K (BASH_ENV=./y, in hooks)"), "{shown}");
        spec.env.clear();
        spec.directory = None;
        spec.line = CommandLine::Exec { program: "a".into(), args: vec!["b".into()] };
        assert_eq!(in_full(&Run::Command(spec)), "a b");
    }

    #[test]
    fn hooks_are_named_after_their_script() {
        let command = |line: &str| {
            Run::Command(CommandSpec {
                line: CommandLine::Shell { text: line.into(), shell: Shell::Posix },
                env: Vec::new(),
                directory: None,
            })
        };
        let name = |run: &Run| name_of(run, &runs(run));
        assert_eq!(name(&command("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh --x")), "guard.sh");
        assert_eq!(name(&command("python3 .claude/hooks/check.py")), "check.py");
        assert_eq!(name(&command("echo hello")), "echo hello");
        assert_eq!(name(&command("\n")), "hook");
        assert_eq!(name(&Run::Decision(Decision::Block("see docs/rules.md".into()))), "block: see docs/rules.md");
    }
}
