//! Runs the program as people do and compares what it prints with what was looked at and found good.
//!
//! A file of `golden/` holds commands (`$ …`), what each prints to both streams, and its exit code (`? …`; 0 unless said).
//! `UPDATE_GOLDEN=1` writes the files anew: look at the difference before you commit it.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test ends with a message")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(&stringify!($name).replace('_', "-")); })*

        #[test]
        fn every_file_is_checked() {
            let known: Vec<String> = [$(stringify!($name)),*].iter().map(|name| name.replace('_', "-")).collect();
            let mut files: Vec<String> = std::fs::read_dir(Path::new(HERE).join("tests/golden")).unwrap()
                .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
            files.sort();
            let mut known = known;
            known.sort();
            assert_eq!(files, known);
        }
    };
}

golden! { audit broken_input doctor explain hook hook_failures init install lint list record run test trust }

/// One command of a file.
struct Step {
    /// What stands before it, for readers.
    remarks: String,
    command: String,
    expected: String,
}

fn steps_of(text: &str) -> Vec<Step> {
    let mut remarks = String::new();
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                let remarks = std::mem::take(&mut remarks);
                steps.push(Step { remarks, command: command.to_owned(), expected: String::new() });
            }
            (None, _) if line.starts_with("# ") => remarks += &format!("{line}\n"),
            (None, None) => {}
            (None, Some(step)) => step.expected += &format!("{line}\n"),
        }
    }
    steps
}

/// Copies a folder with everything in it.
fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &place);
        } else {
            std::fs::copy(entry.path(), place).unwrap();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the program is tested as a process")]
fn printed_by(command: &str, project: &Path, home: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_hookweave"));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let done = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(project)
        .env_clear()
        .envs([("PATH", path.as_str()), ("HOME", home.to_str().unwrap()), ("LANG", "C.UTF-8")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut text = String::from_utf8(done.stdout).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match done.status.code() {
        Some(0) => {}
        code => text += &format!("? {}\n", code.map_or_else(|| "signal".to_owned(), |code| code.to_string())),
    }
    text
}

/// What differs from run to run, by a name. Columns are not compared where something of another length stood in them.
fn normal(text: &str, project: &Path, home: &Path) -> String {
    let text = text.replace(project.to_str().unwrap(), "[PROJECT]").replace(home.to_str().unwrap(), "[HOME]");
    let text = text.replace(Path::new(env!("CARGO_BIN_EXE_hookweave")).to_str().unwrap(), "[PROGRAM]");
    let rules = [
        (r"\b\d+(\.\d+)? (µs|ms|s)\b *", "[TIME] "),
        (r#""(duration_us|seconds|timestamp|time_ms)": ?[\d.e+-]+"#, r#""$1": 0"#),
        (r#""(session_id|tool_use_id)": ?"[0-9a-f-]{36}""#, r#""$1": "[ID]""#),
        (r"\b(sha256:)?[0-9a-f]{64}\b", "[HASH]"),
        (r"\b[0-9a-f]{12}\b", "[FINGERPRINT]"),
        (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "[DATE]"),
        (r#"time="[\d.]+""#, r#"time="0""#),
    ];
    let text =
        rules.iter().fold(text, |text, (rule, by)| Regex::new(rule).unwrap().replace_all(&text, *by).into_owned());
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn check(name: &str) {
    let file: PathBuf = Path::new(HERE).join(format!("tests/golden/{name}.console"));
    let steps = steps_of(&std::fs::read_to_string(&file).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let folder_path = std::fs::canonicalize(folder.path()).unwrap();
    let (project, home) = (folder_path.join("project"), folder_path.join("home"));
    copy_folder(&Path::new(HERE).join("tests/projects/guarded"), &project);
    std::fs::create_dir_all(project.join(".git")).unwrap();
    std::fs::create_dir_all(&home).unwrap();
    let mut came = String::new();
    let mut failures = Vec::new();
    for Step { remarks, command, expected } in steps {
        let printed = normal(&printed_by(&command, &project, &home), &project, &home);
        came += &format!("{remarks}$ {command}\n{printed}\n");
        if printed.trim_end() != expected.trim_end() {
            failures.push(format!("$ {command}\n--- expected\n{expected}--- printed\n{printed}"));
        }
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, came.trim_end().to_owned() + "\n").unwrap();
    } else {
        assert!(failures.is_empty(), "{}:\n{}", file.display(), failures.join("\n"));
    }
}
