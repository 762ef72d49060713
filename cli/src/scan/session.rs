//! Calls that agents recorded: transcripts of Claude Code and Codex, and recordings of hookweave.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use hookweave_host::dialects;
use serde_json::{Map, Value, json};

use crate::failed::{Failed, Result};
use crate::hook_command::quoted;
use crate::input::MAX_EVENT;

/// A call of a recorded session.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The line of the file, from 1.
    pub(crate) line: usize,
    /// Its fields by the engine's names.
    pub(crate) payload: Map<String, Value>,
}

/// What came of reading a file.
#[derive(Debug, Default)]
pub(crate) struct Session {
    /// The directory in which the agent was started.
    pub(crate) project: Option<PathBuf>,
    pub(crate) calls: Vec<Call>,
    /// Lines that are not understood, and why.
    pub(crate) unread: Vec<(usize, String)>,
    /// Whether any line is of a system that is known.
    pub(crate) is_known: bool,
}

/// Reads a file, line by line.
pub(crate) fn read(file: &Path) -> Result<Session> {
    let open = File::open(file).map_err(|error| Failed::unreadable(file, &error))?;
    let mut lines = BufReader::new(open);
    let mut session = Session::default();
    for number in 1.. {
        let mut line = Vec::new();
        match lines.by_ref().take(MAX_EVENT).read_until(b'\n', &mut line) {
            Err(error) => return Err(Failed::unreadable(file, &error)),
            Ok(0) => break,
            Ok(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Ok(_) => session.add(number, &line),
        }
    }
    Ok(session)
}

impl Session {
    fn add(&mut self, line: usize, text: &[u8]) {
        let Ok(Value::Object(record)) = serde_json::from_slice(text) else {
            self.unread.push((line, "is no JSON object".to_owned()));
            return;
        };
        let calls = if record.contains_key("hookweave_record") {
            self.is_known = true;
            recorded(&record)
        } else if is_codex(&record) {
            self.is_known = true;
            self.codex(&record)
        } else {
            self.claude_code(&record)
        };
        for call in calls {
            match call {
                Ok(payload) => self.calls.push(Call { line, payload }),
                Err(why) => self.unread.push((line, why)),
            }
        }
    }

    fn stands_in(&mut self, record: &Map<String, Value>) {
        let directory = record.get("cwd").and_then(Value::as_str);
        self.project = self.project.take().or_else(|| directory.map(PathBuf::from));
    }

    fn claude_code(&mut self, record: &Map<String, Value>) -> Vec<Called> {
        self.is_known |= record.contains_key("sessionId") || record.get("message").is_some_and(Value::is_object);
        self.stands_in(record);
        let parts = record.get("message").and_then(|message| message.get("content")).and_then(Value::as_array);
        let is_call = |part: &&Value| part.get("type").is_some_and(|kind| kind == "tool_use");
        let calls = parts.into_iter().flatten().filter(is_call);
        calls
            .map(|part| {
                called("claude-code", record.get("cwd"), part.get("name"), part.get("input").unwrap_or(&Value::Null))
            })
            .collect()
    }

    fn codex(&mut self, record: &Map<String, Value>) -> Vec<Called> {
        let Some(item) = record.get("payload").and_then(Value::as_object).or(Some(record)) else { return Vec::new() };
        self.stands_in(item);
        let text = |name: &str| item.get(name).and_then(Value::as_str);
        let project = self.project.as_ref().map(|project| json!(project));
        let (name, args) = match text("type") {
            Some("function_call") => {
                let args = text("arguments").map_or(Ok(Value::Null), serde_json::from_str);
                let Ok(args) = args else { return vec![Err("its `arguments` are no JSON".to_owned())] };
                (item.get("name"), args)
            }
            Some("custom_tool_call") => (item.get("name"), json!({"input": item.get("input")})),
            Some("local_shell_call") => (None, item.get("action").cloned().unwrap_or_default()),
            _ => return Vec::new(),
        };
        let directory =
            ["workdir", "working_directory"].iter().find_map(|name| args.get(*name)).filter(|at| at.is_string());
        let directory = directory.cloned().or(project);
        let patch = || args.get("input").or_else(|| args.get("patch")).filter(|patch| patch.is_string());
        let line = args.get("command").or_else(|| args.get("cmd")).and_then(line_of);
        vec![match (name.and_then(Value::as_str), line) {
            (Some("apply_patch"), _) if patch().is_some() => {
                called("codex", directory.as_ref(), name, &json!({"command": patch()}))
            }
            (_, Some(line)) => called("codex", directory.as_ref(), Some(&json!("Bash")), &json!({"command": line})),
            _ => called("codex", directory.as_ref(), name, &args),
        }]
    }
}

/// A call's fields, or why it is not understood.
type Called = std::result::Result<Map<String, Value>, String>;

/// A call as the agent gives it to its hooks.
fn called(agent: &str, directory: Option<&Value>, name: Option<&Value>, args: &Value) -> Called {
    let mut wire =
        json!({"hook_event_name": "PreToolUse", "session_id": "scan", "tool_name": name, "tool_input": args});
    if let (Some(directory), Some(wire)) = (directory, wire.as_object_mut()) {
        wire.insert("cwd".to_owned(), directory.clone());
    }
    let event = dialects::event_from_wire(agent, &wire.to_string()).map_err(|why| why.message().to_owned())?;
    Ok(event.payload)
}

/// The calls of a recorded dispatch.
fn recorded(record: &Map<String, Value>) -> Vec<Called> {
    if record.get("event").is_none_or(|event| event != "PreToolUse") {
        return Vec::new();
    }
    if let Some(why) = record.get("left_out").and_then(Value::as_str) {
        return vec![Err(format!("its call was not recorded: {why}"))];
    }
    let payload = record.get("payload").and_then(Value::as_object);
    vec![payload.cloned().ok_or_else(|| "it has no `payload`".to_owned())]
}

/// Whether a record is one of Codex: its content is in `payload`, in older files at the top.
fn is_codex(record: &Map<String, Value>) -> bool {
    let kind = record.get("type").and_then(Value::as_str).unwrap_or_default();
    record.get("payload").is_some_and(Value::is_object)
        || matches!(
            kind,
            "function_call" | "function_call_output" | "local_shell_call" | "custom_tool_call" | "reasoning"
        )
}

/// A command line: a text, or a list of words of which a shell may run the last.
fn line_of(command: &Value) -> Option<String> {
    let Some(words) = command.as_array() else { return command.as_str().map(str::to_owned) };
    let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
    if let [shell, flag, line] = words.as_slice()
        && super::tool_of(shell) == Some(super::script::SHELL)
        && matches!(*flag, "-c" | "-lc")
    {
        return Some((*line).to_owned());
    }
    Some(words.iter().map(|word| quoted(Path::new(word))).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(records: &[Value]) -> Session {
        let mut session = Session::default();
        for (at, record) in records.iter().enumerate() {
            session.add(at + 1, record.to_string().as_bytes());
        }
        session
    }

    fn calls(session: &Session) -> Vec<Value> {
        let call =
            |call: &Call| json!([call.line, call.payload["tool"], call.payload["args"], call.payload.get("cwd")]);
        session.calls.iter().map(call).collect()
    }

    #[test]
    fn calls_of_claude_code_are_read() {
        let input = json!({"command": "ls"});
        let session = session(&[
            json!({"type": "summary", "summary": "x"}),
            json!({"type": "user", "sessionId": "1", "cwd": "/p", "message": {"role": "user", "content": "hi"}}),
            json!({"type": "assistant", "sessionId": "1", "cwd": "/p/a", "message": {"content": [
                {"type": "text", "text": "rm -rf /"}, {"type": "tool_use", "name": "Bash", "input": input},
                {"type": "tool_use", "name": "Read", "input": {"file_path": "/p/x"}}]}}),
            json!({"type": "assistant", "sessionId": "1", "message": {"content": [{"type": "tool_use", "name": 1}]}}),
        ]);
        assert_eq!(session.project.as_deref(), Some(Path::new("/p")));
        assert_eq!(
            calls(&session),
            [json!([3, "Bash", input, "/p/a"]), json!([3, "Read", {"file_path": "/p/x"}, "/p/a"])]
        );
        assert!(session.is_known);
        assert_eq!(session.unread.len(), 1);
    }

    #[test]
    fn calls_of_codex_are_read() {
        let item = |item: Value| json!({"timestamp": "t", "type": "response_item", "payload": item});
        let call = |name: &str, args: Value| {
            item(json!({"type": "function_call", "name": name, "arguments": args.to_string()}))
        };
        let session = session(&[
            json!({"type": "session_meta", "payload": {"id": "1", "cwd": "/p"}}),
            call("shell", json!({"command": ["bash", "-lc", "ls | wc"], "workdir": "/p/a"})),
            call("shell", json!({"command": ["git", "commit", "-m", "a b"]})),
            call("exec_command", json!({"cmd": "ls"})),
            item(json!({"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"]}})),
            item(json!({"type": "message", "content": []})),
            json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"pwd\"]}"}),
            item(json!({"type": "function_call", "name": "shell", "arguments": "{"})),
        ]);
        let line = |line: usize, text: &str, at: &str| json!([line, "Bash", {"command": text}, at]);
        assert_eq!(
            calls(&session),
            [
                line(2, "ls | wc", "/p/a"),
                line(3, "git commit -m 'a b'", "/p"),
                line(4, "ls", "/p"),
                line(5, "ls", "/p"),
                line(7, "pwd", "/p"),
            ]
        );
        assert_eq!(session.unread, [(8, "its `arguments` are no JSON".to_owned())]);
    }

    #[test]
    fn calls_of_recordings_are_read_and_other_files_are_not_known() {
        let payload = json!({"tool": "Bash", "args": {"command": "ls"}});
        let recorded = |event: &str| json!({"hookweave_record": 1, "event": event, "payload": payload});
        let read = session(&[recorded("PreToolUse"), recorded("Stop")]);
        assert_eq!(calls(&read), [json!([1, "Bash", {"command": "ls"}, null])]);
        assert!(!session(&[json!({"a": 1})]).is_known);
    }
}
