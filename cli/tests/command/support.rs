//! Runs commands in a copy of a small project, as a person would.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;
use tempfile::TempDir;

pub(crate) const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// One command of a file.
pub(crate) struct Step {
    /// What stands before it, for readers.
    pub(crate) remarks: String,
    pub(crate) command: String,
    pub(crate) expected: String,
}

pub(crate) fn steps_of(text: &str) -> Vec<Step> {
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

/// What a line of a shell prints, and its exit code when it is not 0.
///
/// The shell belongs to no process of the tests, as a daemon does not: where an agent runs them, what a person decides
/// would be refused below its shell. It begins when the process that started it is gone.
#[expect(clippy::disallowed_methods, reason = "the program is tested as a process")]
fn output_of(command: &str, project: &Path, home: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_hookweave"));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let mut started = Command::new("setsid")
        .args(["--fork", "sh", "-c", r#"read -r begin; sh -c "$0" < /dev/null 2>&1; echo $? >&2"#])
        .arg(format!("exec 2>&1; {command}"))
        .current_dir(project)
        .env_clear()
        .envs([("PATH", path.as_str()), ("HOME", home.to_str().unwrap()), ("LANG", "C.UTF-8")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = started.stdin.take();
    started.wait().unwrap();
    drop(begin);
    let done = started.wait_with_output().unwrap();
    let mut text = String::from_utf8(done.stdout).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match String::from_utf8(done.stderr).unwrap().trim() {
        "0" => {}
        code => text += &format!("? {code}\n"),
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
        (r"approved on \d{4}-\d\d-\d\d", "approved on [DAY]"),
        (r#"time="[\d.]+""#, r#"time="0""#),
        // Headings are as wide as the times below them.
        (r"\b(took|p50|p95|p99) +", "$1 "),
    ];
    let text =
        rules.iter().fold(text, |text, (rule, by)| Regex::new(rule).unwrap().replace_all(&text, *by).into_owned());
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A copy of the project, with a home beside it.
pub(crate) struct Place {
    _folder: TempDir,
    pub(crate) project: PathBuf,
    home: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = std::fs::canonicalize(folder.path()).unwrap();
        let (project, home) = (path.join("project"), path.join("home"));
        copy_folder(&Path::new(HERE).join("tests/projects/guarded"), &project);
        std::fs::create_dir_all(project.join(".git")).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        Self { _folder: folder, project, home }
    }

    /// A project without files.
    pub(crate) fn empty() -> Self {
        let place = Self::new();
        std::fs::remove_dir_all(&place.project).unwrap();
        std::fs::create_dir_all(place.project.join(".git")).unwrap();
        place
    }

    /// What a command prints to both streams, as it is.
    pub(crate) fn output(&self, command: &str) -> String {
        let text = output_of(command, &self.project, &self.home);
        // Without the line that has its exit code.
        text.lines().filter(|line| !line.starts_with("? ")).fold(String::new(), |text, line| text + line + "\n")
    }

    /// What a command prints, and its exit code when it is not 0.
    pub(crate) fn run(&self, command: &str) -> String {
        normal(&output_of(command, &self.project, &self.home), &self.project, &self.home)
    }
}
