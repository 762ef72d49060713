//! Runs what the pages about the command show, and compares what it prints; and checks that each schema has one file.
//!
//! A `console` block holds commands and what they print; `…` stands for what is left out. A block behind
//! `<!-- writes: NAME -->` is written to a file first. All blocks of a page run in one project, in order.

use std::path::{Path, PathBuf};

use crate::support::{HERE, Place, Step, steps_of};

#[test]
fn command() {
    check("command.md", &Place::new());
}

#[test]
fn testing_hooks() {
    check("testing.md", &Place::new());
}

#[test]
fn start_with_the_hooks_that_one_has() {
    check("start-hooks.md", &Place::empty());
}

#[test]
fn start_with_a_team() {
    check("start-team.md", &Place::empty());
}

#[test]
fn start_with_a_proof() {
    check("start-proof.md", &Place::empty());
}

/// The crate's own folder is the home of the schemas, since `cargo package` takes nothing from outside; pages link there.
#[test]
fn each_schema_has_one_file_and_the_command_prints_it() {
    let home = Path::new(HERE).join("schemas");
    let place = Place::new();
    let mut printed = Vec::new();
    for (argument, name) in
        [("hooks", "hookweave"), ("test", "hooktest"), ("event", "event"), ("answer", "answer"), ("output", "output")]
    {
        let file = home.join(format!("{name}.schema.json"));
        assert_eq!(place.output(&format!("hookweave schema {argument}")), std::fs::read_to_string(&file).unwrap());
        printed.push(file);
    }
    printed.sort();
    let mut found = schemas_below(Path::new(HERE).parent().unwrap());
    found.sort();
    assert_eq!(found, printed, "a second copy of a schema, or one that the command does not print");
}

/// The schemas in a folder of the repository, without what was built or installed.
fn schemas_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap_or_default();
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && !["target", "node_modules"].contains(&name.as_str()) {
                found.extend(schemas_below(&entry.path()));
            }
        } else if name.ends_with(".schema.json") {
            found.push(entry.path());
        }
    }
    found
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

fn check(page: &str, place: &Place) {
    let text = std::fs::read_to_string(Path::new(HERE).join("../docs").join(page)).unwrap();
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
