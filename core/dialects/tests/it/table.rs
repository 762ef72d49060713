//! The tables in tests/tables: what they may hold, and how they are read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hookweave_dialects::Dialect;
use serde::Deserialize;
use serde_json::Value;

/// The table of one dialect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub name: String,
    /// Of a system that a file describes they stand there.
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub summary: String,
    #[serde(default, rename = "fact")]
    pub facts: Vec<Fact>,
    #[serde(default)]
    #[allow(dead_code, reason = "for the reader of the table")]
    pub decided: Vec<Decision>,
    #[serde(default, rename = "tool")]
    pub tools: Vec<Tool>,
    #[serde(default, rename = "reading")]
    pub readings: Vec<Reading>,
    #[serde(default, rename = "sample")]
    pub samples: Vec<Sample>,
    #[serde(default)]
    pub stdin: Vec<Stdin>,
    #[serde(default, rename = "place")]
    pub places: Vec<Placed>,
    #[serde(default, rename = "timeout")]
    pub timeouts: Vec<Timeout>,
    #[serde(default, rename = "wire")]
    pub wires: Vec<Wire>,
    /// What `object`, `invalid`, … print, when it is not the default; by kind, or by event and kind.
    #[serde(default)]
    pub outputs: BTreeMap<String, Output>,
    /// Payload fields, by event or `*`, that the dialect's wire has no place for.
    #[serde(default)]
    pub lost: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Output {
    Everywhere(String),
    Event(BTreeMap<String, String>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    pub topic: String,
    pub text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "for the reader of the table")]
pub struct Decision {
    pub question: String,
    pub answer: String,
    pub reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub ours: String,
    pub theirs: String,
}

fn anything() -> Vec<String> {
    vec!["*".to_owned()]
}

/// What an exit code and an output mean on some events.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    #[serde(default = "anything")]
    pub events: Vec<String>,
    #[serde(default = "anything")]
    pub exit: Vec<String>,
    #[serde(default = "anything")]
    pub stdout: Vec<String>,
    #[serde(default = "anything")]
    pub stderr: Vec<String>,
    pub says: String,
    pub expect: Option<Value>,
    #[serde(default)]
    #[allow(dead_code, reason = "for the reader of the table")]
    pub why: String,
}

/// One concrete output of a process, a web server or a host's callback.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    pub event: String,
    pub payload: Option<String>,
    /// The exit code; without it and without `signal` the process ended with 0.
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    #[serde(default)]
    pub stdout: String,
    #[serde(default)]
    pub stderr: String,
    /// A web server's answer instead of a process.
    pub status: Option<u16>,
    #[serde(default)]
    pub body: String,
    /// A host's answer instead of a process: `prompt`, `agent` or `mcp_tool`.
    pub hosted: Option<String>,
    /// The host's answer, as JSON.
    pub answered: Option<String>,
    pub says: String,
    /// The exact answer, as JSON.
    pub answer: Option<String>,
    /// What a failure must be.
    pub expect: Option<Value>,
    #[serde(default)]
    #[allow(dead_code, reason = "for the reader of the table")]
    pub why: String,
}

/// What a hook reads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stdin {
    pub event: String,
    pub payload: String,
    pub body: String,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables that must not be set.
    #[serde(default)]
    pub without_env: Vec<String>,
    pub env_file: Option<String>,
    /// The host's tool definition, as JSON.
    pub tool: Option<String>,
    #[serde(default)]
    #[allow(dead_code, reason = "for the reader of the table")]
    pub why: String,
}

/// Where a hook belongs that declares an event and a matcher.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    pub event: String,
    pub matcher: Option<String>,
    /// The canonical event, when it is to be checked.
    pub canonical: Option<String>,
    /// Names that the hook sees and that select it.
    #[serde(default)]
    pub matches: Vec<String>,
    #[serde(default)]
    pub misses: Vec<String>,
    /// The payload field that the names stand in, dotted; the tool or the subtype by default.
    pub field: Option<String>,
    /// The dialect has no such event.
    #[serde(default)]
    pub absent: bool,
    /// The matcher is refused, with these words.
    pub refused: Option<String>,
    #[serde(default)]
    #[allow(dead_code, reason = "for the reader of the table")]
    pub why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeout {
    pub event: String,
    pub kind: String,
    /// In seconds; left out for none.
    pub seconds: Option<f64>,
}

/// What an agent sends to its hook, and what the hook leaves for it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    pub event: String,
    pub becomes: String,
    pub payload: Option<String>,
    pub outcome: Option<String>,
    /// The final payload, when hooks have changed it.
    #[serde(rename = "final")]
    pub changed: Option<String>,
    #[serde(default)]
    pub exit: i32,
    #[serde(default)]
    pub stdout: String,
    #[serde(default)]
    pub stderr: String,
    #[serde(default)]
    pub degraded: Vec<String>,
    #[serde(default)]
    #[allow(dead_code, reason = "for the reader of the table")]
    pub why: String,
}

impl Table {
    pub fn dialect(&self) -> &'static dyn Dialect {
        hookweave_dialects::named(&self.name).unwrap_or_else(|error| panic!("tests/tables/{}.toml: {error}", self.name))
    }

    /// What a kind of output prints on an event.
    pub fn output(&self, event: &str, kind: &str) -> Option<&str> {
        if let Some(Output::Event(kinds)) = self.outputs.get(event)
            && let Some(text) = kinds.get(kind)
        {
            return Some(text);
        }
        match self.outputs.get(kind) {
            Some(Output::Everywhere(text)) => Some(text),
            _ => None,
        }
    }
}

/// Where the tables are.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tables")
}

/// Every table; `DIALECT=name` picks one.
pub fn all() -> Vec<Table> {
    let only = std::env::var("DIALECT").ok();
    let mut paths: Vec<_> = std::fs::read_dir(folder())
        .expect("tests/tables is there")
        .map(|entry| entry.expect("tests/tables can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a table can be read");
        let table: Table = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        assert_eq!(stem, Some(table.name.as_str()), "{} holds another dialect", path.display());
        table
    };
    paths.into_iter().map(read).filter(|table| only.as_ref().is_none_or(|only| *only == table.name)).collect()
}

/// A JSON text of a table.
pub fn json(place: &str, text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{place}: {error} in {text}"))
}
