//! A question as a person reads it at a terminal, and what a typed line answers.
//!
//! The one place of these rules: languages write the text, read a line, and hand it back.

mod reading;
mod sheet;

pub use reading::Reading;

use super::approval::{ALWAYS, ApprovalRequest, ONCE};
use super::escape::escaped;
use crate::error::{Code, Error};
use crate::payload::Host;
use crate::read::Reader;
use sheet::Sheet;

/// Columns of a terminal that does not say how many it has.
const USUAL_WIDTH: usize = 80;
/// Below this nothing could be read; the terminal breaks the lines itself then.
const LEAST_WIDTH: usize = 20;
/// The most digits of a countdown, so that each one is written over the one before.
const LONGEST_WAIT: u64 = 99_999;

/// A question to a person at a terminal.
///
/// Whatever a model, a tool or a hook has written stands right of a bar, line by line, and never left of it: none of it
/// can pass for the question, for an option or for what is said about them. What is too long for a screen is cut
/// in its middle; that is said, and nothing is allowed before all of it has been shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalQuestion {
    event: String,
    tool: String,
    agent: Option<String>,
    shown: Option<String>,
    hook: Option<String>,
    prompt: String,
    choices: Vec<Choice>,
    silence_allows: bool,
    remember: Option<String>,
    width: usize,
    /// All of it has been shown.
    whole: bool,
}

/// Something that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    /// As whoever asked has to be told.
    option: String,
    allows: bool,
}

impl Choice {
    /// Whether its text says truly that it allows: any other that allows may be called "No".
    fn is_usual(&self) -> bool {
        self.option == ONCE || self.option == ALWAYS
    }
}

impl TerminalQuestion {
    /// The question of a request, for a terminal of 80 columns.
    #[must_use]
    pub fn new(request: &ApprovalRequest) -> Self {
        Self {
            event: request.event.to_owned(),
            tool: request.tool.clone(),
            agent: None,
            shown: request.shown.clone(),
            hook: request.hook.clone(),
            prompt: request.prompt.clone(),
            choices: choices(&request.options, &request.granting),
            silence_allows: request.default == "allow",
            remember: request.remember.map(str::to_owned),
            width: USUAL_WIDTH,
            whole: false,
        }
    }

    /// The question of a request as a host has it: an object with a request's fields, and perhaps `agent_id`.
    pub fn read_request<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidOption, "question")?;
        let texts = |field: &str| Ok(reader.texts(field)?.unwrap_or_default());
        Ok(Self {
            event: reader.required_text("event")?,
            tool: reader.text("tool")?.unwrap_or_default(),
            agent: reader.text("agent_id")?,
            shown: reader.text("shown")?,
            hook: reader.text("hook")?,
            prompt: reader.required_text("prompt")?,
            choices: choices(&texts("options")?, &texts("granting")?),
            silence_allows: reader.text("default")?.as_deref() == Some("allow"),
            remember: reader.text("remember")?,
            width: USUAL_WIDTH,
            whole: false,
        })
    }

    /// Names the subagent that asks.
    #[must_use]
    pub fn of_agent(mut self, agent: Option<&str>) -> Self {
        self.agent = agent.map(str::to_owned);
        self
    }

    /// For a terminal of so many columns; 0 is one that does not say.
    #[must_use]
    pub const fn for_width(mut self, columns: usize) -> Self {
        self.width = match columns {
            0 => USUAL_WIDTH,
            1..LEAST_WIDTH => LEAST_WIDTH,
            _ => columns,
        };
        self
    }

    /// Whether a text stands in one row.
    #[cfg(all(unix, feature = "native"))]
    pub(crate) fn fits(&self, text: &str) -> bool {
        text.chars().count() < self.width
    }

    /// The whole question, to be written before anything is read.
    #[must_use]
    pub fn text(&self) -> String {
        self.sheet().into_text()
    }

    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::new(self.width, self.whole);
        sheet.name("event", &self.event);
        if let Some(agent) = &self.agent {
            sheet.name("agent", agent);
        }
        match (self.tool.as_str(), &self.shown) {
            ("", None) => {}
            ("", Some(text)) => sheet.text("about", text),
            (tool, shown) => {
                sheet.name("tool", tool);
                match shown {
                    Some(args) => sheet.json("args", args),
                    None => sheet.note("args", "they have no JSON form and cannot be shown"),
                }
            }
        }
        match &self.hook {
            Some(hook) => sheet.name("hook", hook),
            None => sheet.note("asks", "the host, by its own rule"),
        }
        sheet.prompt("question", &self.prompt);
        for (number, choice) in (1..).zip(&self.choices) {
            let does = if choice.allows { "allow" } else { "deny" };
            sheet.name(&format!("{number} {does}"), &choice.option);
            if choice.allows && choice.option == ALWAYS {
                sheet.note("", self.how_widely());
            }
        }
        sheet.close();
        sheet
    }

    /// What "Allow always" would be remembered for.
    fn how_widely(&self) -> &'static str {
        match (self.remember.as_deref(), &self.shown) {
            (Some("tool"), _) => "and from now on whatever is asked so about this tool",
            (Some("prompt"), _) => "and from now on whatever this question is about",
            (_, Some(_)) => "and from now on the very same",
            (_, None) => "once: nobody could tell whether it is the same again",
        }
    }

    /// What stands before the cursor, of one width whatever the time: how to answer, and what silence does.
    #[must_use]
    pub fn invitation(&self, left_ms: u64) -> String {
        let left = left_ms.div_ceil(1000).min(LONGEST_WAIT);
        let silence = if self.silence_allows { "allowed" } else { "denied" };
        format!("1-{} and Enter, ? for all; {silence} in {left:>5} s: ", self.choices.len())
    }
}

/// A text without line breaks, safe to be shown.
fn flat(text: &str) -> String {
    escaped(text).replace('\n', "\\n").replace('\t', "\\t")
}

fn choices(options: &[String], granting: &[String]) -> Vec<Choice> {
    let choice = |option: &String| Choice { option: option.clone(), allows: granting.contains(option) };
    options.iter().map(choice).collect()
}
