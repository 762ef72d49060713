//! The page of a dialect, written from its table.

use std::fmt::Write as _;
use std::path::PathBuf;

use hookweave_dialects::described::System;
use hookweave_dialects::{Dialect, RunKind};
use hookweave_machine::tool_names;

use crate::subject;
use crate::table::Table;

/// Where the pages are.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

pub fn write(table: &Table) -> String {
    let mut page = format!(
        "# {}\n\n<!-- Generated from core/dialects/tests/tables/{}.toml; change it there. -->\n\n{}\n",
        table.title,
        table.name,
        flow(&table.summary)
    );
    if !table.facts.is_empty() {
        page.push_str("\n## Behaviour\n\n");
        for fact in &table.facts {
            let _ = writeln!(page, "* **{}.** {}", fact.topic, flow(&fact.text));
        }
    }
    events(&mut page, table.dialect());
    tools(&mut page, &table.name);
    let _ = write!(
        page,
        "\n[All exit codes and outputs](../../core/dialects/tests/tables/{name}.toml)\n",
        name = table.name
    );
    page
}

/// The page of a system that a file describes.
pub fn of_system(system: &'static System) -> String {
    let (name, summary) = (system.name, flow(system.summary));
    let proof = if system.proved { "" } else { " [Unproved](../compatibility.md)." };
    let mut page = format!(
        "# {}\n\n<!-- Generated from core/dialects/systems/{name}.toml; change it there. -->\n\n{summary}{proof}\n",
        system.title
    );
    if !system.facts.is_empty() {
        page.push_str("\n## Behaviour\n\n");
        for fact in system.facts {
            let _ = writeln!(page, "* **{}.** {}", fact.topic, flow(fact.text));
        }
    }
    events(&mut page, system.dialect());
    tools(&mut page, name);
    page
}

/// How long commands may run, the events with the engine's own name in any spelling, and a table of the others.
fn events(page: &mut String, dialect: &dyn Dialect) {
    let mut limits: Vec<(String, Vec<&str>)> = Vec::new();
    let (mut own, mut others) = (Vec::new(), String::new());
    for event in dialect.events() {
        let limit = match dialect.timeout(event, RunKind::Command) {
            Some(limit) => format!("{} s", limit.as_secs_f64()),
            None => "without a limit".to_owned(),
        };
        match limits.iter_mut().find(|(known, _)| *known == limit) {
            Some((_, events)) => events.push(event),
            None => limits.push((limit, vec![event])),
        }
        let canonical = subject::canonical(dialect, event);
        if plain(canonical) == plain(event) {
            own.push(event);
        } else {
            let _ = writeln!(others, "| {event} | {canonical} |");
        }
    }
    limits.sort_by_key(|(_, events)| std::cmp::Reverse(events.len()));
    let limits: Vec<_> = limits
        .iter()
        .enumerate()
        .map(|(at, (limit, events))| if at == 0 { limit.clone() } else { format!("{limit} on {}", events.join(", ")) })
        .collect();
    let _ = write!(page, "\n## Events\n\nA command may run {}.\n", limits.join("; "));
    if others.is_empty() && dialect.name() == "hookweave" {
        page.push_str("\nEvery event of the [catalogue](../events.md), by its name.\n");
    } else if !own.is_empty() {
        let respelled = own.iter().any(|event| subject::canonical(dialect, event) != *event);
        let spelling = if respelled { " in the system's spelling" } else { "" };
        let _ = write!(page, "\nWith the engine's names{spelling}: {}.\n", own.join(", "));
    }
    if !others.is_empty() {
        let _ = write!(page, "\n| event | is |\n|---|---|\n{others}");
    }
}

fn tools(page: &mut String, dialect: &str) {
    let rows: Vec<_> = tool_names::rows().filter(|row| row.dialect == dialect).collect();
    if rows.is_empty() {
        return;
    }
    page.push_str("\n## Tools\n\n| tool | hooks read | matchers also take | arguments |\n|---|---|---|---|\n");
    for row in rows {
        let (first, others) = row.theirs.split_first().expect("a tool has a name");
        let others: Vec<_> = others.iter().map(|name| format!("`{name}`")).collect();
        let args: Vec<_> = row.args.iter().map(|(ours, theirs)| format!("`{ours}` is `{theirs}`")).collect();
        let _ = writeln!(page, "| `{}` | `{first}` | {} | {} |", row.ours, others.join(", "), args.join(", "));
    }
}

/// A name without its spelling: `session:start`, `session_start` and `sessionStart` are `SessionStart`.
fn plain(name: &str) -> String {
    name.replace([':', '_'], "").to_lowercase()
}

/// One line: a table's text may be broken where its writer likes.
fn flow(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
