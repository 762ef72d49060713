//! Runs what the pages about the command show, and compares what it prints; and holds the schemas to those of the docs.
//!
//! A `console` block holds commands and what they print; `…` stands for what is left out. A block behind
//! `<!-- writes: NAME -->` is written to a file first. All blocks of a page run in one project, in order.

use std::path::Path;

use crate::support::{HERE, Place, Step, steps_of};

#[test]
fn command() {
    check("command.md");
}

#[test]
fn testing_hooks() {
    check("testing-hooks.md");
}

#[test]
fn schemas_are_those_of_the_documents() {
    for name in ["answer", "event", "hookweave"] {
        let read = |folder: &str| std::fs::read_to_string(Path::new(HERE).join(format!("{folder}/{name}.schema.json")));
        assert_eq!(read("schemas").unwrap(), read("../docs/schema").unwrap(), "{name}");
    }
}

/// A fenced block, the line before it, and where it stands.
struct Block {
    language: String,
    before: String,
    text: String,
    line: usize,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    let mut before = String::new();
    for (at, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(language), false) => {
                let language = language.to_owned();
                found.push(Block { language, before: before.clone(), text: String::new(), line: at + 1 });
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => found.last_mut().unwrap().text += &format!("{line}\n"),
            (None, false) => line.clone_into(&mut before),
        }
    }
    found
}

/// Whether a text is the shown one, in which a line `…` stands for any lines.
fn is_shown(printed: &str, shown: &str) -> bool {
    let mut rest = printed.trim_end();
    for (at, part) in shown.trim_end().split("…\n").enumerate() {
        let part = part.trim_end_matches('…').trim_end();
        match rest.find(part) {
            Some(found) if at > 0 || found == 0 => rest = rest.get(found + part.len()..).unwrap(),
            _ => return false,
        }
    }
    shown.trim_end().ends_with('…') || rest.trim().is_empty()
}

fn check(page: &str) {
    let text = std::fs::read_to_string(Path::new(HERE).join("../docs").join(page)).unwrap();
    let place = Place::new();
    let mut failures = Vec::new();
    let mut ran = 0;
    for Block { language, before, text, line } in blocks(&text) {
        if let Some(name) = before.strip_prefix("<!-- writes: ").and_then(|rest| rest.strip_suffix(" -->")) {
            let file = place.project.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        } else if language == "console" {
            for Step { command, expected, .. } in steps_of(&text) {
                ran += 1;
                let printed = place.run(&command);
                if !is_shown(&printed, &expected) {
                    failures.push(format!("{page}:{line}: $ {command}\n--- shown\n{expected}--- printed\n{printed}"));
                }
            }
        }
    }
    assert!(ran > 0, "{page} shows no command");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
