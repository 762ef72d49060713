//! A question as a person reads it at a terminal, and what a typed line answers.
//!
//! The one place of these rules: languages write the text, read a line, and hand it back.

mod layout;
mod lines;
mod reading;
#[cfg(test)]
mod screens;
mod section;

pub use reading::Reading;

use hookweave_machine::answer::{ALLOW_ALWAYS, ALLOW_ONCE};
use hookweave_machine::error::{Code, Error};
use hookweave_machine::escape::escaped;
use hookweave_machine::json::from_json;
use hookweave_machine::met::CommandPart;
use hookweave_machine::payload::{Host, Kind};
use hookweave_machine::read::Reader;
use serde_json::Value;

use lines::{LABEL, QuestionLines};

/// Columns of a terminal that does not say how many it has.
const USUAL_WIDTH: usize = 80;
/// Rows of one that does not.
const USUAL_HEIGHT: usize = 24;
/// No screen has more.
const MOST_HEIGHT: usize = 1000;
/// Below this nothing could be read; the terminal breaks the lines itself then.
const LEAST_WIDTH: usize = 20;
/// The most digits of a countdown, so that each one is written over the one before.
const LONGEST_WAIT: u64 = 99_999;

/// A question to a person at a terminal.
///
/// Text that a model, a tool or a hook has written stands right of a bar, line by line, and never left of it: none of it
/// can pass for the question, for an option or for a note about them. Text that is too long for the screen is cut in its
/// middle, options too; a note says so, and nothing is allowed before all of it has been shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalQuestion {
    asked: PersonQuestion,
    choices: Vec<Choice>,
    width: usize,
    height: usize,
    /// All of it has been shown.
    whole: bool,
    /// Rows that were written below the question since it was shown.
    below: usize,
}

/// What a person is asked. Every text in it is already made safe to be shown.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonQuestion {
    /// The event that waits for the answer.
    pub event: String,
    /// The tool; empty when it is not about one.
    pub tool: String,
    /// The subagent that asks; `None` for the conversation itself.
    pub agent: Option<String>,
    /// The arguments as JSON text, when they have one.
    pub shown: Option<String>,
    /// The command line, in parts; empty when it is not about one.
    pub command: Vec<CommandPart>,
    /// The hook that asks; `None` when it is the host's own rule.
    pub hook: Option<String>,
    /// The condition for which it asks, if there is one.
    pub why: Option<String>,
    /// The reason of the hook's answer, where it is not the question itself.
    pub reason: Option<String>,
    /// The question.
    pub prompt: String,
    /// What can be chosen.
    pub options: Vec<String>,
    /// Those of them that allow.
    pub granting: Vec<String>,
    /// Whether no answer in time allows.
    pub silence_allows: bool,
    /// How widely "Allow always" is remembered beyond the very same arguments: `tool` or `prompt`.
    pub remember: Option<String>,
    /// Whether "Allow always" holds in later sessions too.
    pub persistent: bool,
}

/// Something that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    /// The option that the asking code gets back.
    option: String,
    allows: bool,
}

impl Choice {
    /// Whether its text says truly that it allows: any other that allows may be called "No".
    fn is_usual(&self) -> bool {
        self.option == ALLOW_ONCE || self.option == ALLOW_ALWAYS
    }
}

impl TerminalQuestion {
    /// A question for a terminal of 80 columns and 24 rows.
    #[must_use]
    #[doc(hidden)]
    pub fn new(asked: PersonQuestion) -> Self {
        let choice = |option: &String| Choice { option: option.clone(), allows: asked.granting.contains(option) };
        let choices = asked.options.iter().map(choice).collect();
        Self { choices, asked, width: USUAL_WIDTH, height: USUAL_HEIGHT, whole: false, below: 0 }
    }

    /// The question of a request as a host has it: an object with a request's fields, and perhaps `agent_id`.
    #[doc(hidden)]
    pub fn read_request<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidOption, "question")?;
        let texts = |field: &str| Ok(reader.texts(field)?.unwrap_or_default());
        Ok(Self::new(PersonQuestion {
            event: reader.required_text("event")?,
            tool: reader.text("tool")?.unwrap_or_default(),
            agent: reader.text("agent_id")?,
            shown: reader.text("shown")?,
            command: command(host, view)?,
            hook: reader.text("hook")?,
            why: reader.text("why")?,
            reason: reader.text("reason")?,
            prompt: reader.required_text("prompt")?,
            options: texts("options")?,
            granting: texts("granting")?,
            silence_allows: reader.text("default")?.as_deref() == Some("allow"),
            remember: reader.text("remember")?,
            persistent: reader.flag("persistent")?.unwrap_or_default(),
        }))
    }

    /// Names the subagent that asks.
    #[must_use]
    pub fn of_agent(mut self, agent: Option<&str>) -> Self {
        self.asked.agent = agent.map(str::to_owned);
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

    /// For a terminal of so many rows; 0 is one that does not say.
    #[must_use]
    pub const fn for_height(mut self, rows: usize) -> Self {
        self.height = match rows {
            0 => USUAL_HEIGHT,
            MOST_HEIGHT.. => MOST_HEIGHT,
            _ => rows,
        };
        self
    }

    /// Whether a text stands in one row.
    #[cfg(unix)]
    pub fn fits(&self, text: &str) -> bool {
        text.chars().count() < self.width
    }

    /// The question, to be written before anything is read: as much of it as there is room for, or all of it, and where that does
    /// not fit what there is room for once more, so that what is asked stands above the choice.
    #[must_use]
    pub fn text(&self) -> String {
        let brief = self.lines(false, self.rows());
        if !self.whole {
            return brief.text();
        }
        let all = self.lines(true, self.rows());
        if all.fits() { all.all() } else { all.all() + &brief.text_after_all() }
    }

    /// How many rows the question may take.
    fn rows(&self) -> usize {
        self.height.saturating_sub(self.invitation_rows())
    }

    /// How many rows the invitation and an answer take.
    fn invitation_rows(&self) -> usize {
        (self.invitation(0).len() + 1).div_ceil(self.width)
    }

    /// It in so many rows, or all of it.
    fn lines(&self, whole: bool, rows: usize) -> QuestionLines {
        let number = self.choices.len().to_string().len();
        let mut lines = QuestionLines::new((self.width, rows), LABEL.max(number + " allow".len()), whole);
        lines.name("event", &self.asked.event);
        if let Some(agent) = &self.asked.agent {
            lines.name("agent", agent);
        }
        match (self.asked.tool.as_str(), &self.asked.shown) {
            ("", None) => {}
            ("", Some(text)) => lines.about("about", text),
            (tool, shown) => {
                lines.name("tool", tool);
                if !self.asked.command.is_empty() {
                    lines.command("command", &self.asked.command);
                }
                match shown {
                    Some(args) if self.is_all_of(args) => {}
                    Some(args) => lines.json("args", args),
                    None => lines.note("args", "they have no JSON form and cannot be shown"),
                }
            }
        }
        match &self.asked.hook {
            Some(hook) => lines.name("hook", hook),
            None => lines.note("asks", "the host, by its own rule"),
        }
        for (label, text) in [("why", &self.asked.why), ("reason", &self.asked.reason)] {
            if let Some(text) = text {
                lines.name(label, text);
            }
        }
        lines.prompt("question", &self.asked.prompt);
        for (number, choice) in (1..).zip(&self.choices) {
            lines.option(number, &choice.option, choice.allows);
            if choice.allows && choice.option == ALLOW_ALWAYS {
                lines.note_on_last(self.how_widely());
            }
        }
        lines
    }

    /// Whether the command line is all that stands in arguments.
    fn is_all_of(&self, args: &str) -> bool {
        let Ok(Value::Object(args)) = from_json(&json_of(args)) else { return false };
        let line: String = self.asked.command.iter().map(|part| part.text.as_str()).collect();
        args.len() == 1 && args.values().all(|value| value.as_str().is_some_and(|text| escaped(text) == line))
    }

    /// What "Allow always" would be remembered for.
    fn how_widely(&self) -> &'static str {
        match (self.asked.remember.as_deref(), &self.asked.shown) {
            (Some("tool"), _) if self.asked.persistent => {
                "and every such question about this tool in this directory, for 30 days"
            }
            (Some("tool"), _) => "and from now on every such question about this tool",
            (Some("prompt"), _) if self.asked.persistent => {
                "and every call that this question asks about in this directory, for 30 days"
            }
            (Some("prompt"), _) => "and from now on every call that this question asks about",
            (_, Some(_)) if self.asked.persistent => "and exactly the same call in this directory, for 30 days",
            (_, Some(_)) => "and from now on exactly the same call",
            (_, None) => "once: the same call could not be recognised again",
        }
    }

    /// The text before the cursor, as wide at every second: how to answer, and what happens without an answer.
    #[must_use]
    pub fn invitation(&self, left_ms: u64) -> String {
        let left = left_ms.div_ceil(1000).min(LONGEST_WAIT);
        let silence = if self.asked.silence_allows { "allowed" } else { "denied" };
        format!("1-{} and Enter, ? for all; {silence} in {left:>5} s: ", self.choices.len())
    }
}

/// The command line of a request as a host has it.
fn command<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Vec<CommandPart>, Error> {
    let Some(parts) = host.get(view, "command").filter(|parts| !host.kind(parts).is_nothing()) else {
        return Ok(Vec::new());
    };
    let Kind::List(length) = host.kind(&parts) else {
        let why = format!("question: `command` must be a list of parts, is {}", host.kind(&parts).words());
        return Err(Error::new(Code::InvalidOption, why));
    };
    let items = (0..length).filter_map(|index| host.item(&parts, index));
    let part = |item: H::View<'v>| {
        let reader = Reader::new(host, &item, Code::InvalidOption, "question.command")?;
        let met = reader.flag("met")?.unwrap_or_default();
        Ok(CommandPart { text: escaped(&reader.required_text("text")?), met })
    };
    items.map(part).collect()
}

/// JSON again, of JSON text that was made safe to be shown: what stands there for a character is its text.
fn json_of(shown: &str) -> String {
    let mut json = String::with_capacity(shown.len());
    let mut letters = shown.chars();
    while let Some(letter) = letters.next() {
        json.push(letter);
        if letter == '\\' {
            if letters.as_str().starts_with("u{") {
                json.push('\\');
            }
            json.extend(letters.next());
        }
    }
    json
}

/// A text without line breaks, safe to be shown.
fn flat(text: &str) -> String {
    escaped(text).replace('\n', "\\n").replace('\t', "\\t")
}
