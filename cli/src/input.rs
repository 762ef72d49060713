//! Events as people give them: a file, standard input, or words on the command line.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hookweave_host::dialects;
use hookweave_host::error::did_you_mean;
use hookweave_host::event::{BUILT_IN, Catalogue};
use hookweave_host::json::from_json;
use serde_json::{Map, Value};

use crate::call::{Call, CallArgs};
use crate::failed::{Failed, Place, Result};

/// The largest event that is read, in bytes.
pub(crate) const MAX_EVENT: u64 = 64 * 1024 * 1024;

/// What an event may look like.
const SUCH_AS: &str = r#"such as {"event_type": "PreToolUse", "tool": "Bash", "args": {"command": "ls"}}"#;

/// An event.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The event")]
pub(crate) struct EventArgs {
    /// An event's name, or a file with the event as JSON (`{"event_type": "PreToolUse", "tool": "Bash", …}`); `-` is
    /// standard input
    #[arg(value_name = "EVENT", help_heading = None::<&str>, conflicts_with = "call")]
    pub(crate) file: Option<PathBuf>,

    /// In place of EVENT a command line, `'rm -rf /'`, or a tool and what its call is about: `Read .env`
    #[arg(value_name = "TEXT", requires = "file", help_heading = None::<&str>,
        conflicts_with_all = ["agent", "tool", "args", "call"])]
    pub(crate) text: Vec<String>,

    /// The file holds what this agent sends to its hooks
    #[arg(long, value_name = "AGENT", requires = "file")]
    pub(crate) agent: Option<String>,

    /// The event's name, or an alias of it
    #[arg(short, long, value_name = "NAME")]
    pub(crate) event: Option<String>,

    /// The tool's name; EVENT then is what its call is about: `--tool Bash 'rm -rf /'`
    #[arg(short, long, value_name = "TOOL", conflicts_with = "call")]
    pub(crate) tool: Option<String>,

    /// The tool's arguments as a JSON object
    #[arg(short, long, value_name = "JSON", conflicts_with = "call")]
    pub(crate) args: Option<String>,

    /// Another field of the event, as JSON or else as text; may be repeated
    #[arg(short, long = "set", value_name = "FIELD=VALUE")]
    pub(crate) set: Vec<String>,

    #[command(flatten)]
    pub(crate) about: CallArgs,
}

/// An event by the engine's names.
#[derive(Debug, Clone)]
pub(crate) struct GivenEvent {
    /// Its name or an alias.
    pub(crate) name: String,
    /// Its fields.
    pub(crate) payload: Map<String, Value>,
}

impl EventArgs {
    /// The name of an event in place of a file.
    fn named(&self) -> Option<&str> {
        let name = self.file.as_deref()?.to_str().filter(|name| !name.contains(['/', '\\']) && *name != "-")?;
        let is_event = Catalogue::default().resolve(name).is_ok();
        (is_event && self.agent.is_none() && !Path::new(name).exists()).then_some(name)
    }

    /// Whether nothing is given at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.file.is_none() && self.event.is_none() && self.is_without_fields()
    }

    /// Whether an event is named, and nothing else is given.
    pub(crate) fn is_a_name_alone(&self) -> bool {
        (self.file.is_none() || self.named().is_some()) && self.is_without_fields()
    }

    fn is_without_fields(&self) -> bool {
        let is_without_call = self.text.is_empty() && self.about.is_empty() && self.line().is_none();
        is_without_call && self.tool.is_none() && self.args.is_none() && self.set.is_empty()
    }

    /// The call that words are, in place of a file.
    fn call(&self) -> Result<Option<Call>> {
        if let Some(call) = self.about.call()? {
            return Ok(Some(call));
        }
        let word = self.file.as_deref().and_then(Path::to_str);
        match (word, &*self.text, &self.tool) {
            (Some(tool), [_, ..], _) if Catalogue::default().resolve(tool).is_ok() => Err(Failed::new(format!(
                "`{tool}` is an event; write the tool's name in its place, and the event with --event"
            ))),
            (Some(first), rest @ [_, ..], _) => {
                let words: Vec<String> = std::iter::once(first.to_owned()).chain(rest.iter().cloned()).collect();
                Call::of_words(&words).map(Some)
            }
            (Some(text), [], Some(tool)) if self.is_subject(text) => Call::about(tool, text).map(Some),
            _ => self.line().map(|line| Call::about("Bash", line)).transpose(),
        }
    }

    /// A command line in place of an event: several words, or one that is neither an event nor a file and resembles none.
    fn line(&self) -> Option<&str> {
        let word = self.file.as_deref()?.to_str()?;
        if self.agent.is_some() || self.tool.is_some() || self.args.is_some() || self.named().is_some() {
            return None;
        }
        let is_file = word == "-"
            || Path::new(word).exists()
            || Path::new(word).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let is_program = |word: &str| {
            let is_plain = word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            is_plain && did_you_mean(word, BUILT_IN.iter().map(|event| event.name)).is_empty()
        };
        (!is_file && (word.trim().contains(char::is_whitespace) || is_program(word))).then_some(word)
    }

    /// Whether a word beside a tool's name is what its call is about, and no file with an event.
    fn is_subject(&self, word: &str) -> bool {
        let is_file = word == "-"
            || (Path::new(word).extension().is_some_and(|ending| ending == "json") && Path::new(word).exists());
        self.agent.is_none() && self.args.is_none() && !is_file && self.named().is_none()
    }

    /// The event that is meant.
    pub(crate) fn read(&self) -> Result<GivenEvent> {
        let call = self.call()?;
        let name = || self.event.clone().unwrap_or_else(|| "PreToolUse".to_owned());
        let mut given = match (&self.file, self.named()) {
            _ if call.is_some() => GivenEvent { name: name(), payload: call.map(Call::payload).unwrap_or_default() },
            (Some(_), Some(name)) => GivenEvent { name: name.to_owned(), payload: Map::new() },
            (Some(file), None) => read_file(file, self.agent.as_deref(), self.event.as_deref())?,
            (None, _) => GivenEvent { name: self.name()?, payload: Map::new() },
        };
        if let Some(tool) = &self.tool {
            given.payload.insert("tool".into(), tool.as_str().into());
        }
        if let Some(args) = &self.args {
            let args = from_json(args).map_err(|why| {
                Failed::new(format!(
                    "--args is no JSON: {why}; write an object, such as --args '{{\"command\": \"ls\"}}'"
                ))
            })?;
            given.payload.insert("args".into(), args);
        }
        for set in &self.set {
            let (field, value) = set.split_once('=').filter(|(field, _)| !field.is_empty()).ok_or_else(|| {
                Failed::new(format!(
                    "--set `{set}` names no field; write --set FIELD=VALUE, such as --set prompt=hello"
                ))
            })?;
            let value = from_json(value).unwrap_or_else(|_| value.into());
            given.payload.insert(field.to_owned(), value);
        }
        if given.payload.get("args").is_some_and(|args| !args.is_object()) {
            return Err(Failed::new(
                "the event's `args` must be a JSON object, such as --args '{\"command\": \"ls\"}'",
            ));
        }
        Ok(given)
    }

    fn name(&self) -> Result<String> {
        match (&self.event, &self.tool) {
            (Some(event), _) => Ok(event.clone()),
            (None, Some(_)) => Ok("PreToolUse".to_owned()),
            (None, None) => Err(Failed::new("no event is given; name a file, or --event and its fields")),
        }
    }
}

/// Reads an event from a file.
pub(crate) fn read_file(file: &Path, agent: Option<&str>, name: Option<&str>) -> Result<GivenEvent> {
    let text = read_text(file).map_err(|why| no_event(file).unwrap_or(why))?;
    let named = if file == Path::new("-") { Path::new("standard input") } else { file };
    event_of(&text, agent, name).map_err(|why| match why {
        Failed::Place(place) => Failed::Place(Box::new(Place { file: named.to_path_buf(), ..*place })),
        why => Failed::file(named, why),
    })
}

/// A name that is rather an event's than a file's.
fn no_event(file: &Path) -> Option<Failed> {
    let name = file.to_str().filter(|name| !name.contains(['/', '\\', '.']) && *name != "-" && !file.exists())?;
    let hint = did_you_mean(name, BUILT_IN.iter().map(|event| event.name));
    let fix = "name an event such as PreToolUse, or a file";
    Some(Failed::new(format!("`{name}` is neither an event{hint} nor a file; {fix}")))
}

/// Reads an event's text: the engine's own form, or what an agent sends.
pub(crate) fn event_of(text: &str, agent: Option<&str>, name: Option<&str>) -> Result<GivenEvent> {
    if let Some(agent) = agent {
        let event = dialects::event_from_wire(agent, text)?;
        return Ok(GivenEvent { name: event.event.to_owned(), payload: event.payload });
    }
    if text.trim().is_empty() {
        return Err(Failed::new(format!("it has no event; write one, {SUCH_AS}")));
    }
    // Programs of Windows mark their files so.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let value = from_json(text).map_err(|why| Failed::no_json(Path::new("the event"), text, &why.to_string()))?;
    let Value::Object(payload) = value else {
        return Err(Failed::new(format!("the event must be a JSON object, {SUCH_AS}")));
    };
    let own_name = payload.get("event_type").or_else(|| payload.get("event")).and_then(Value::as_str);
    let name = name.or(own_name).ok_or_else(|| {
        let wire = payload.get("hook_event_name").or_else(|| payload.get("hookEventName")).is_some();
        let fix = if wire { "it looks like an agent's: name the agent with --agent" } else { "add it, or --event" };
        Failed::new(format!("the event has no `event_type`; {fix}"))
    })?;
    let name = name.to_owned();
    let mut payload = payload;
    payload.shift_remove("event_type");
    Ok(GivenEvent { name, payload })
}

/// Reads a file, or standard input for `-`, up to a limit.
pub(crate) fn read_text(file: &Path) -> Result<String> {
    if file == Path::new("-") {
        return read_stdin();
    }
    let open = std::fs::File::open(file).map_err(|error| Failed::unreadable(file, &error))?;
    bounded(open).map_err(|error| Failed::unreadable(file, &error))
}

/// Reads standard input up to a limit.
pub(crate) fn read_stdin() -> Result<String> {
    bounded(std::io::stdin().lock()).map_err(|error| Failed::new(format!("standard input cannot be read: {error}")))
}

/// The same, for no longer than this; what reads on ends with the process.
pub(crate) fn read_stdin_within(limit: Option<Duration>) -> Result<String> {
    let Some(limit) = limit else { return read_stdin() };
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::Builder::new().name("hookweave-input".to_owned());
    thread.spawn(move || _ = sender.send(read_stdin()))?;
    receiver.recv_timeout(limit).unwrap_or_else(|_| {
        let limit = limit.as_secs_f64();
        Err(Failed::new(format!("standard input did not end within {limit} s (--deadline); close it behind the event")))
    })
}

fn bounded(from: impl std::io::Read) -> std::io::Result<String> {
    use std::io::{Error, ErrorKind};
    let mut bytes = Vec::new();
    from.take(MAX_EVENT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_EVENT {
        return Err(Error::new(ErrorKind::InvalidData, format!("more than {MAX_EVENT} bytes, the most that is read")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(ErrorKind::InvalidData, format!("it is no UTF-8 (byte {at})"))
    })
}
