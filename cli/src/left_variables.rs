//! What hooks leave for the commands that an agent runs later: handed on in the file that the agent has for it.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use hookweave_host::dispatch::HandlerResult;
use hookweave_host::hook::Enforcement;
use serde_json::{Map, Value};

/// The variable in which Claude Code names its file.
const FILE: &str = "CLAUDE_ENV_FILE";

/// The agent that has such a file.
const AGENT: &str = "claude-code";

/// What hooks left, in the order of their running.
#[derive(Debug, Default)]
pub(crate) struct LeftVariables {
    /// Shell lines, one text for each hook.
    texts: Vec<String>,
    /// The agent that they are for; of another command they are dropped.
    agent: &'static str,
    file: Option<PathBuf>,
}

impl LeftVariables {
    /// For an agent that has started this process.
    pub(crate) fn of_agent(agent: &'static str) -> Self {
        let file = std::env::var_os(FILE).filter(|file| agent == AGENT && !file.is_empty()).map(PathBuf::from);
        Self { texts: Vec::new(), agent, file }
    }

    /// Takes from a hook's answer what is meant for a shell. What a hook that only observes leaves counts as little as its
    /// decision.
    pub(crate) fn take(&mut self, result: &mut HandlerResult<Value>, enforcement: Option<Enforcement>) {
        let text = text_of(result);
        self.texts.extend(text.filter(|_| enforcement == Some(Enforcement::Enforce)));
    }

    /// For a hook that ends after the answer.
    pub(crate) fn late(&self, enforcement: Enforcement) -> Late {
        Late { file: self.file.clone().filter(|_| enforcement == Enforcement::Enforce) }
    }

    /// Appends what was left to the agent's file, and takes it out of what is to be answered; says what is lost.
    pub(crate) fn hand_on(&self, ext: &mut Map<String, Value>) -> Option<String> {
        if self.agent != AGENT || self.texts.is_empty() {
            return None;
        }
        let lost = |why: &str| Some(format!("variables that hooks left for later commands are lost: {why}"));
        let Some(file) = &self.file else { return lost("the agent names no file for them in CLAUDE_ENV_FILE") };
        if let Err(why) = append(file, &self.texts) {
            return lost(&format!("{}, which CLAUDE_ENV_FILE names, cannot be written: {why}", file.display()));
        }
        if let Some(own) = ext.get_mut(AGENT).and_then(Value::as_object_mut) {
            own.remove("env");
        }
        None
    }
}

/// Where a hook that ends after the answer leaves what it wrote.
#[derive(Debug)]
pub(crate) struct Late {
    file: Option<PathBuf>,
}

impl Late {
    /// Passes on what the hook left.
    pub(crate) fn take(&self, mut result: HandlerResult<Value>) {
        if let Some((file, text)) = self.file.as_ref().zip(text_of(&mut result))
            && let Err(why) = append(file, &[text])
        {
            let _ = writeln!(std::io::stderr().lock(), "hookweave: {}: cannot be written: {why}", file.display());
        }
    }
}

/// What an answer holds for a shell: the lines as the hook wrote them, else its variables as lines.
fn text_of(result: &mut HandlerResult<Value>) -> Option<String> {
    let HandlerResult::Answer(Value::Object(answer)) = result else { return None };
    let ext = answer.get_mut("ext")?.as_object_mut()?;
    let written: Vec<String> = ext
        .values_mut()
        .filter_map(|own| match own.as_object_mut()?.remove("env_text")? {
            Value::String(text) => Some(text),
            _ => None,
        })
        .collect();
    if !written.is_empty() {
        return Some(written.concat());
    }
    let variables = ext.values().filter_map(|own| own.get("env")?.as_object()).flatten();
    let lines = variables.filter(|(name, _)| is_name(name)).filter_map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (!text.contains('\0')).then(|| format!("export {name}='{}'\n", text.replace('\'', "'\\''")))
    });
    Some(lines.collect::<String>()).filter(|lines| !lines.is_empty())
}

/// Whether a shell takes it for a variable's name.
fn is_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    name.starts_with(is_letter) && name.chars().all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

/// Adds texts at the end of a file, each on lines of its own. Other hooks of the agent write there too: what is there stays,
/// and all goes in at once.
fn append(file: &Path, texts: &[String]) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // A pipe is not waited for.
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let mut open = options.open(file)?;
    if !open.metadata()?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut whole = String::new();
    if open.seek(SeekFrom::End(-1)).is_ok() {
        let mut last = [0];
        open.read_exact(&mut last)?;
        whole.push_str(if last == *b"\n" { "" } else { "\n" });
    }
    for text in texts {
        whole.push_str(text);
        whole.push_str(if text.ends_with('\n') { "" } else { "\n" });
    }
    open.write_all(whole.as_bytes())
}
