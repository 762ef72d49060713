//! An agent runs the hooks of an unchanged `.claude/settings.json`: the Rust program.
#![allow(clippy::print_stdout, reason = "the table is what the program is for")]
#![allow(clippy::indexing_slicing, reason = "what is indexed is JSON, where a missing member is null")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use hookweave::{Engine, Event};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(listed)) = (arguments.next(), arguments.next()) else {
        return Err("usage: existing-hooks FOLDER EVENTS.jsonl".into());
    };
    let folder = Path::new(&folder).canonicalize()?;
    // A copy that the hooks may write into.
    let project = folder.join("project");
    let events: Vec<Value> = fs::read_to_string(listed)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;

    let engine = Engine::builder().project_dir(&project).build()?;
    let loaded = engine.load(project.join(".claude/settings.json"))?;
    for problem in &loaded.problems {
        println!("{problem}");
    }
    println!("{} hooks of {}\n", loaded.hooks.len(), loaded.found.first().map_or("", |file| file.dialect));
    println!(
        "{:>3} {:<16} {:<5} {:<28} {:<27} {:<8} {:>7}",
        "#", "event", "tool", "about", "hooks that ran", "decision", "ms"
    );
    let mut decisions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut records = fs::File::create(folder.join("records.jsonl"))?;
    let mut total = 0.0;
    for (raised, number) in events.iter().zip(1..) {
        let event = Event::new(text(&raised["event"]), raised["payload"].clone())
            .with("session_id", "parcel-318")
            .with("timestamp", 1_764_000_000_000_u64)
            .with("cwd", project.to_string_lossy());
        let outcome = engine.dispatch(event).await?;
        let record = outcome.to_json();
        println!("{}", row(number, raised, &record));
        *decisions.entry(outcome.decision().as_str()).or_default() += 1;
        total += milliseconds(&record);
        writeln!(records, "{}", json!({"event": number, "outcome": record}))?;
    }
    let count = |decision| decisions.get(decision).copied().unwrap_or_default();
    let (went_on, blocked, asked) = (count("continue"), count("block"), count("ask"));
    println!("\n{} events: {went_on} go on, {blocked} blocked, {asked} for a person;", events.len());
    println!("their hooks took {total:.0} ms");
    Ok(())
}

// --- the table -----------------------------------------------------------------------------------

/// One event of the table, with what each hook said beneath.
fn row(number: usize, raised: &Value, record: &Value) -> String {
    let (event, payload) = (text(&raised["event"]), &raised["payload"]);
    let args = &payload["args"];
    let about = [&args["command"], &args["file_path"], &payload["prompt"]].into_iter().find_map(Value::as_str);
    let (tool, about) = (text(&payload["tool"]), cut(about.unwrap_or_default(), 28));
    let (ran, decision) = (cut(&hooks_that_ran(record), 27), text(&record["decision"]));
    let time = milliseconds(record);
    let mut lines = vec![format!("{number:>3} {event:<16} {tool:<5} {about} {ran} {decision:<8} {time:>7.1}")];
    lines.extend(notes(record).iter().map(|note| format!("      > {note}").chars().take(100).collect()));
    lines.join("\n")
}

/// The hooks of one dispatch with a mark for what each said.
fn hooks_that_ran(record: &Value) -> String {
    let names: Vec<String> = items(record, "trace")
        .map(|entry| {
            let mark = match (text(&entry["status"]), text(&entry["action"])) {
                ("failed", _) => "x",
                (_, "block") => "!",
                (_, "ask") => "?",
                (_, "allow") => "+",
                _ => "",
            };
            let star = if items(entry, "modified").next().is_some() { "*" } else { "" };
            format!("{}{mark}{star}", text(&entry["hook"]))
        })
        .collect();
    names.join(" ")
}

/// What hooks decided, added, rewrote or failed at.
fn notes(record: &Value) -> Vec<String> {
    let votes = items(record, "votes").map(|vote| format!("{}: {}", text(&vote["hook"]), text(&vote["reason"])));
    let added =
        items(record, "injections").map(|added| format!("{} adds: {}", text(&added["hook"]), text(&added["content"])));
    let mut found: Vec<String> = votes.chain(added).collect();
    for entry in items(record, "trace") {
        let hook = text(&entry["hook"]);
        for name in items(entry, "modified").map(text) {
            found.push(format!("{hook} rewrites {name}: {}", record["event"][name]));
        }
        if let Some(message) = entry["failure"]["message"].as_str() {
            found.push(format!("{hook} failed: {message}"));
        }
    }
    found
}

/// What the hooks of one dispatch took together.
fn milliseconds(record: &Value) -> f64 {
    items(record, "trace").filter_map(|entry| entry["duration_us"].as_f64()).sum::<f64>() / 1e3
}

/// The members of a list; nothing when it is left out.
fn items<'a>(record: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    record[name].as_array().into_iter().flatten()
}

/// A value's text; empty when it is none.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A text in exactly so many columns.
fn cut(text: &str, width: usize) -> String {
    let long = text.chars().count() > width;
    let kept: String = text.chars().take(if long { width - 1 } else { width }).collect();
    format!("{:<width$}", if long { kept + "…" } else { kept })
}
