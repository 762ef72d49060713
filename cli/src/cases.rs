//! Files of test cases: an event in, the decision that is expected.

mod expect;
mod found;
mod ran;
mod report;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::document;
use crate::failed::{Failed, Result};

pub(crate) use expect::{Came, Expect};
pub(crate) use found::look_for;
pub(crate) use ran::{Ran, RanFile, State};
pub(crate) use report::{junit, tap};

/// Fields of a file.
const TOP: &[&str] = &["$schema", "hooktest", "files", "sources", "cases"];

/// One file.
#[derive(Debug)]
pub(crate) struct CaseFile {
    /// The file.
    pub(crate) path: PathBuf,
    /// Hooks files that are tested, beside this one; everything that is found there when empty.
    pub(crate) files: Vec<PathBuf>,
    /// Dialects and scopes that are tested.
    pub(crate) sources: Vec<String>,
    /// The cases, in order.
    pub(crate) cases: Vec<Case>,
}

/// One case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// What it shows.
    pub(crate) name: String,
    /// The event's name; `PreToolUse` when there is a tool.
    #[serde(default)]
    pub(crate) event: Option<String>,
    /// The tool.
    #[serde(default)]
    pub(crate) tool: Option<String>,
    /// The tool's arguments.
    #[serde(default)]
    pub(crate) args: Option<Map<String, Value>>,
    /// The call as people write it: a command line, `{read = PATH}` and its like, or what a call of `tool` is about.
    #[serde(default, rename = "try")]
    pub(crate) call: Option<Value>,
    /// Other fields of the event.
    #[serde(default)]
    pub(crate) payload: Map<String, Value>,
    /// The agent whose words `wire` is in.
    #[serde(default)]
    pub(crate) agent: Option<String>,
    /// What the agent sends to its hook, in place of the fields above.
    #[serde(default)]
    pub(crate) wire: Option<Value>,
    /// Why the case does not run.
    #[serde(default)]
    pub(crate) skip: Option<String>,
    /// The expected result.
    pub(crate) expect: Expect,
}

/// The version, as the format of a file writes it.
fn version_in(file: &Path) -> &'static str {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("toml") => "`hooktest = 1`",
        Some("json") => "`\"hooktest\": 1`",
        _ => "`hooktest: 1`",
    }
}

impl CaseFile {
    /// Reads a file; an error names the case.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let refuse = |what: String| Failed::file(path, what);
        let Value::Object(mut top) = document::read(path)? else {
            return Err(refuse(format!("must be an object with {} and `cases`", version_in(path))));
        };
        if let Some(unknown) = top.keys().find(|name| !TOP.contains(&name.as_str())) {
            return Err(refuse(format!("unknown field `{unknown}`; known are {}", TOP.join(", "))));
        }
        if top.get("hooktest") != Some(&Value::from(1)) {
            return Err(refuse(format!("the version is missing or unknown; begin the file with {}", version_in(path))));
        }
        let beside = path.parent().unwrap_or_else(|| Path::new("."));
        let mut texts = |field: &str| -> Result<Vec<String>> {
            let value = top.remove(field).unwrap_or_else(|| Value::Array(Vec::new()));
            serde_json::from_value(value).map_err(|why| refuse(format!("`{field}`: {why}; write a list of texts")))
        };
        let files = texts("files")?.iter().map(|file| beside.join(file)).collect();
        let sources = texts("sources")?;
        let Some(Value::Array(listed)) = top.remove("cases") else {
            return Err(refuse("`cases` is missing; add a list of cases".to_owned()));
        };
        let mut cases: Vec<Case> = Vec::with_capacity(listed.len());
        for (at, case) in listed.into_iter().enumerate() {
            let name = case.get("name").and_then(Value::as_str).unwrap_or("without a name").to_owned();
            let case: Case =
                serde_json::from_value(case).map_err(|why| refuse(format!("cases[{at}] ({name}): {why}")))?;
            case.check().map_err(|why| refuse(format!("cases[{at}] ({name}): {why}")))?;
            if cases.iter().any(|known| known.name == name) {
                return Err(refuse(format!("cases[{at}]: another case is called `{name}`; give it a name of its own")));
            }
            cases.push(case);
        }
        if cases.is_empty() {
            return Err(refuse("it has no cases, so it cannot fail; add one".to_owned()));
        }
        Ok(Self { path: path.to_path_buf(), files, sources, cases })
    }

    /// The directory that the hooks belong to.
    pub(crate) fn directory(&self) -> PathBuf {
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        parent.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
    }
}

impl Case {
    fn check(&self) -> std::result::Result<(), String> {
        let own = self.event.is_some()
            || self.tool.is_some()
            || self.args.is_some()
            || self.call.is_some()
            || !self.payload.is_empty();
        self.tried().map_err(|why| why.to_string())?;
        match (&self.agent, &self.wire) {
            (Some(_), Some(_)) if own => {
                Err("`wire` is the whole event; take event, tool, args, try and payload out".to_owned())
            }
            (Some(_), None) => Err("`agent` says whose words `wire` is in; add `wire`".to_owned()),
            (None, Some(_)) => Err("`wire` is in some agent's words; add `agent`".to_owned()),
            (None, None) if self.event.is_none() && self.tool.is_none() && self.call.is_none() => {
                Err("no event; add `try` or `tool` for a PreToolUse, or `event`".to_owned())
            }
            _ => Ok(()),
        }?;
        if self.agent.is_none() && self.expect.is_about_the_wire() {
            return Err(
                "`exit_code`, `stdout` and `stderr` are what an agent receives; add `agent` and `wire`".to_owned()
            );
        }
        Ok(())
    }

    /// The call that `try` is.
    fn tried(&self) -> Result<Option<Call>> {
        const WORDS: &[(&str, &str)] = &[("read", "Read"), ("write", "Write"), ("edit", "Edit"), ("fetch", "WebFetch")];
        let wrong = || {
            let fix = "write a command line, or one of read, write, edit and fetch with a text";
            Failed::new(format!("`try` is no call; {fix}"))
        };
        let Some(call) = &self.call else { return Ok(None) };
        if self.args.is_some() {
            return Err(Failed::new("`try` and `args` are both the call; take one out"));
        }
        if let Some(text) = call.as_str() {
            return Call::about(self.tool.as_deref().unwrap_or("Bash"), text).map(Some);
        }
        let fields = call.as_object().filter(|fields| fields.len() == 1 && self.tool.is_none()).ok_or_else(wrong)?;
        let mut given = WORDS.iter().filter_map(|(word, tool)| Some((tool, fields.get(*word)?.as_str()?)));
        let (tool, text) = given.next().ok_or_else(wrong)?;
        Call::about(tool, text).map(Some)
    }

    /// The event's name and fields.
    pub(crate) fn event(&self) -> Result<(String, Map<String, Value>)> {
        if let (Some(agent), Some(wire)) = (&self.agent, &self.wire) {
            let event = hookweave_host::dialects::event_from_wire(agent, &wire.to_string())?;
            return Ok((event.event.to_owned(), event.payload));
        }
        let mut payload = self.payload.clone();
        if let Some(tool) = &self.tool {
            payload.insert("tool".into(), tool.as_str().into());
        }
        if let Some(args) = &self.args {
            payload.insert("args".into(), Value::Object(args.clone()));
        }
        payload.extend(self.tried()?.map(Call::payload).unwrap_or_default());
        Ok((self.event.clone().unwrap_or_else(|| "PreToolUse".to_owned()), payload))
    }
}
