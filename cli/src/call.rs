//! A tool call as people write it: a command line, or a tool and what its call is about.

use clap::Args;
use hookweave_host::tool::names::usual_definition;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::failed::{Failed, Result};
use crate::hook_command::quoted;

/// The argument that calls of some tools are about, and the others that they need.
struct Subject {
    argument: &'static str,
    tools: &'static [&'static str],
    others: &'static [&'static str],
}

const SUBJECTS: &[Subject] = &[
    Subject { argument: "command", tools: &["Bash", "PowerShell", "Monitor"], others: &[] },
    Subject { argument: "file_path", tools: &["Read", "MultiEdit"], others: &[] },
    Subject { argument: "file_path", tools: &["Write"], others: &["content"] },
    Subject { argument: "file_path", tools: &["Edit"], others: &["old_string", "new_string"] },
    Subject { argument: "notebook_path", tools: &["NotebookEdit"], others: &["new_source"] },
    Subject { argument: "path", tools: &["LS"], others: &[] },
    Subject { argument: "pattern", tools: &["Glob", "Grep"], others: &[] },
    Subject { argument: "url", tools: &["WebFetch"], others: &["prompt"] },
    Subject { argument: "query", tools: &["WebSearch"], others: &[] },
    Subject { argument: "skill", tools: &["Skill"], others: &[] },
];

/// What calls of a tool are about, by any usual name of it.
fn subject_of(tool: &str) -> Option<&'static Subject> {
    let usual = usual_definition(tool, None).and_then(|usual| usual.same_as);
    let ours = usual.as_deref().unwrap_or(tool);
    SUBJECTS.iter().find(|subject| subject.tools.contains(&ours))
}

/// Whether a word names a tool of an MCP server, as no program is called.
fn is_of_mcp(word: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let named = word.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    word.chars().all(is_plain) && named.is_some_and(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

fn is_ours(word: &str) -> bool {
    SUBJECTS.iter().any(|subject| subject.tools.contains(&word))
}

/// Whether a word names a tool rather than a program; a shell has programs that are called `bash` and `grep`.
fn is_tool(word: &str) -> bool {
    is_ours(word) || word.contains('_') && !word.contains(|c: char| !c.is_alphanumeric() && c != '_')
}

/// A call by the flag that says what it does.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The call")]
pub(crate) struct CallArgs {
    /// A call that reads this file
    #[arg(long, value_name = "PATH", group = "call")]
    read: Option<String>,

    /// A call that writes this file
    #[arg(long, value_name = "PATH", group = "call")]
    write: Option<String>,

    /// A call that edits this file
    #[arg(long, value_name = "PATH", group = "call")]
    edit: Option<String>,

    /// A call that fetches this address
    #[arg(long, value_name = "URL", group = "call")]
    fetch: Option<String>,
}

impl CallArgs {
    fn given(&self) -> Option<(&'static str, &str)> {
        let about = [("Read", &self.read), ("Write", &self.write), ("Edit", &self.edit), ("WebFetch", &self.fetch)];
        about.into_iter().find_map(|(tool, text)| Some((tool, text.as_deref()?)))
    }

    /// Whether no flag is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.given().is_none()
    }

    /// The call, if a flag is given.
    pub(crate) fn call(&self) -> Result<Option<Call>> {
        self.given().map(|(tool, text)| Call::about(tool, text)).transpose()
    }
}

/// A call of a tool.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) args: Map<String, Value>,
}

impl Call {
    /// A call of a tool about a text: its command line, path, address or pattern.
    pub(crate) fn about(tool: &str, text: &str) -> Result<Self> {
        let subject = subject_of(tool).ok_or_else(|| {
            let fix = "write the whole `args`, such as {\"city\": \"Bern\"}";
            Failed::new(format!("which argument of `{tool}` is `{text}` is not known; {fix}"))
        })?;
        let mut args = Map::new();
        args.insert(subject.argument.to_owned(), text.into());
        args.extend(subject.others.iter().map(|other| ((*other).to_owned(), Value::from(""))));
        Ok(Self { tool: tool.to_owned(), args })
    }

    /// Words of a command line: one is the whole line, or a tool of an MCP server without arguments, a known tool and another word are a call of it, and others are put
    /// together as a shell reads them.
    pub(crate) fn of_words(words: &[String]) -> Result<Self> {
        match words {
            [tool] if is_of_mcp(tool) => Ok(Self { tool: tool.clone(), args: Map::new() }),
            [tool] if is_ours(tool) => {
                let what = "is a tool, and what its call is about is missing; write that behind it, as in `Read .env`";
                Err(Failed::new(format!("`{tool}` {what}")))
            }
            [line] => Self::about("Bash", line),
            [tool, text] if is_tool(tool) => Self::about(tool, text),
            words => {
                let words: Vec<String> = words.iter().map(|word| quoted(std::path::Path::new(word))).collect();
                Self::about("Bash", &words.join(" "))
            }
        }
    }

    /// Its fields of an event.
    pub(crate) fn payload(self) -> Map<String, Value> {
        Map::from_iter([("tool".to_owned(), Value::String(self.tool)), ("args".to_owned(), Value::Object(self.args))])
    }
}

/// A call in a line, shortest where it is about one thing: `Bash rm -rf /`, `deploy {"to": "prod"}`.
pub(crate) fn call_text(payload: &Map<String, Value>) -> String {
    let Some(tool) = payload.get("tool").and_then(Value::as_str) else {
        return if payload.is_empty() { String::new() } else { Value::Object(payload.clone()).to_string() };
    };
    let Some(args) = payload.get("args") else { return tool.to_owned() };
    let subject = subject_of(tool).and_then(|subject| args.get(subject.argument)?.as_str());
    subject.map_or_else(|| format!("{tool} {args}"), |subject| format!("{tool} {subject}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(words: &[&str]) -> Value {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Value::Object(Call::of_words(&words).unwrap().payload())
    }

    #[test]
    fn words_are_a_line_or_a_tool_and_its_subject() {
        let line = |text: &str| json!({"tool": "Bash", "args": {"command": text}});
        assert_eq!(call(&["rm -rf /"]), line("rm -rf /"));
        assert_eq!(call(&["rm", "-rf", "a b"]), line("rm -rf 'a b'"));
        assert_eq!(call(&["bash", "x.sh"]), line("bash x.sh"));
        assert_eq!(call(&["mcp__github__delete_repo"]), json!({"tool": "mcp__github__delete_repo", "args": {}}));
        assert_eq!(call(&["pg_dump"]), line("pg_dump"));
        assert!(Call::of_words(&["Read".to_owned()]).unwrap_err().to_string().contains("`Read .env`"));
        assert_eq!(call(&["Read", ".env"]), json!({"tool": "Read", "args": {"file_path": ".env"}}));
    }

    #[test]
    fn a_tool_of_a_usual_name_is_known_and_others_say_what_to_write() {
        assert_eq!(
            Call::about("run_shell_command", "ls").unwrap().args,
            *json!({"command": "ls"}).as_object().unwrap()
        );
        let why = Call::about("get_weather", "Bern").unwrap_err().to_string();
        assert!(why.contains("`get_weather`") && why.contains("`args`"), "{why}");
    }

    #[test]
    fn a_call_is_one_line() {
        let text = |payload: Value| call_text(payload.as_object().unwrap());
        assert_eq!(text(json!({"tool": "Read", "args": {"file_path": ".env"}})), "Read .env");
        assert_eq!(text(json!({"tool": "deploy", "args": {"to": "x"}})), r#"deploy {"to":"x"}"#);
        assert_eq!(text(json!({"prompt": "hi"})), r#"{"prompt":"hi"}"#);
        assert_eq!(text(json!({})), "");
    }
}
