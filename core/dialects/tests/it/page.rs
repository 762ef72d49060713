//! The page of a dialect, written from its table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hookweave_dialects::RunKind;
use hookweave_machine::tool_names::TOOLS;
use serde_json::Value;

use crate::subject;
use crate::table::{Reading, Sample, Table};

pub fn write(table: &Table) -> String {
    let mut page = format!(
        "# {}\n\n<!-- Generated from docs/dialects/{}.toml; change it there. -->\n\n{}\n",
        table.title,
        table.name,
        flow(&table.summary)
    );
    if !table.facts.is_empty() {
        page.push_str("\n## What works, and what differs\n\n");
        for fact in &table.facts {
            let _ = writeln!(page, "* **{}.** {}", fact.topic, flow(&fact.text));
        }
    }
    events(&mut page, table);
    tools(&mut page, table);
    if !table.readings.is_empty() {
        page.push_str(
            "\n## Exit codes and output\n\nThe first row that fits counts. Output in any other form that means to restrict \
             [refuses on a gate](../SEMANTICS.md#failures); the failure shows the right form.\n\n",
        );
        page.push_str("| event | exit | stdout | stderr | means | why |\n|---|---|---|---|---|---|\n");
        for row in &table.readings {
            reading(&mut page, row);
        }
    }
    if !table.samples.is_empty() {
        let _ = writeln!(
            page,
            "\n## What is understood\n\nThe tests run every row: [{name}.toml]({name}.toml).\n\n\
             | event | the hook | is understood as | why |\n|---|---|---|---|",
            name = table.name
        );
        for row in &table.samples {
            sample(&mut page, row);
        }
    }
    if !table.decided.is_empty() {
        page.push_str("\n## Decided where the sources are silent\n\n| question | answer | reason |\n|---|---|---|\n");
        for row in &table.decided {
            let _ = writeln!(page, "| {} | {} | {} |", cell(&row.question), cell(&row.answer), cell(&row.reason));
        }
    }
    page
}

/// How long commands may run, the events with the engine's own name, and a table of those with another one.
fn events(page: &mut String, table: &Table) {
    let dialect = table.dialect();
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
        if canonical == event {
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
    if others.is_empty() && table.name == "hookweave" {
        page.push_str("\nEvery event of the [catalogue](../events.md), by its name.\n");
    } else if !own.is_empty() {
        let _ = write!(page, "\nWith the engine's names: {}.\n", own.join(", "));
    }
    if !others.is_empty() {
        let _ = write!(page, "\n| event | is |\n|---|---|\n{others}");
    }
}

fn tools(page: &mut String, table: &Table) {
    let rows: Vec<_> = TOOLS.iter().filter(|row| row.dialect == table.name).collect();
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

fn reading(page: &mut String, row: &Reading) {
    let words = |words: &[String]| match words {
        [all] if all == "*" => "any".to_owned(),
        words => words.join(", "),
    };
    let means = match (&*row.says, &row.expect) {
        ("nothing", _) => "nothing".to_owned(),
        (says, None) => says.to_owned(),
        (says, Some(expect)) => format!("{says} `{}`", sorted(expect)),
    };
    let columns = [words(&row.events), words(&row.exit), words(&row.stdout), words(&row.stderr), means, flow(&row.why)];
    let _ = writeln!(page, "| {} |", columns.map(|column| cell(&column)).join(" | "));
}

fn sample(page: &mut String, row: &Sample) {
    let mut hook = match (row.status, &row.hosted, row.signal) {
        (Some(status), _, _) => format!("answers {status}"),
        (_, Some(kind), _) => format!("of kind {kind}"),
        (_, _, Some(signal)) => format!("is ended by signal {signal}"),
        _ => match row.exit {
            None | Some(0) if !row.stdout.is_empty() || !row.stderr.is_empty() => String::new(),
            exit => format!("exits {}", exit.unwrap_or(0)),
        },
    };
    for (verb, text) in [
        ("with", row.body.as_str()),
        ("answers", row.answered.as_deref().unwrap_or_default()),
        ("prints", row.stdout.as_str()),
        ("prints to stderr", row.stderr.as_str()),
    ] {
        if !text.is_empty() {
            let comma = if hook.is_empty() { "" } else { ", " };
            let _ = write!(hook, "{comma}{verb} `{}`", text.trim().escape_debug());
        }
    }
    let hook = hook.replace("\\\"", "\"").replace("\\'", "'");
    let means = match (&row.answer, &row.expect) {
        (Some(answer), _) => format!("`{}`", flow(answer)),
        (None, Some(expect)) => format!("{} `{}`", row.says, sorted(expect)),
        (None, None) => row.says.clone(),
    };
    let _ = writeln!(page, "| {} | {} | {} | {} |", row.event, cell(&hook), cell(&means), cell(&row.why));
}

/// With its names in order: whether TOML keeps the order of a table depends on what else is built.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// One line: a table's text may be broken where its writer likes.
fn flow(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell(text: &str) -> String {
    flow(text).replace('|', "\\|")
}
