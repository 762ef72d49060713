//! What matchers read of one event, looked up once and only when asked for.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::directory::Directory;
use crate::event::EventSpec;
use crate::path::{PathForms, is_address};
use crate::payload::{Host, Kind};
use crate::sessions::{SessionFacts, Sessions};
use crate::tool::names::known_names;
use crate::tool::usual::{CODES, Holds};
use crate::tool::{Likeness, Need, Tool, Tools, usual};
use hookweave_command::{Language, Reading, is_shell, is_shell_of_windows, program_name, quoted, read_as};

/// Argument names that hold a file path in the tools of every known agent.
pub(crate) const PATH_ARGUMENTS: [&str; 5] = ["file_path", "path", "notebook_path", "paths", "files"];

/// Arguments of searches that choose files by their names.
const GLOB_ARGUMENTS: [&str; 3] = ["glob", "include", "include_pattern"];

/// The argument by which Gemini's tool for many files names them, by paths and patterns.
const CHOSEN: &str = "include";

/// The argument of Gemini's tool for addresses, which stand in its text.
const PROMPT: &str = "prompt";

/// The arguments that matchers look at in the tools of every known agent.
static MATCHED_ARGUMENTS: [&str; 6] = {
    let [file_path, path, notebook_path, paths, files] = PATH_ARGUMENTS;
    ["command", file_path, path, notebook_path, paths, files]
};

/// The argument that holds a command line in the tools of every known agent.
const COMMAND: &str = "command";

/// Arguments that say in which language the code of a call is.
const LANGUAGES: [&str; 4] = ["language", "lang", "kernel", "interpreter"];

/// How deep commands may stand in objects and lists of a call's arguments.
const MAX_INSIDE: usize = 32;

/// How many objects within a call's arguments are looked at for commands.
const MAX_OBJECTS: usize = 10_000;

/// Keys that end what is typed into a terminal.
const ENTER: [&str; 3] = [" Enter", " C-m", " KPEnter"];

/// How many paths of command lines keep their places while an event is judged; a line may name any number.
const MAX_PLACED: usize = 256;

/// The candidates of one condition.
#[derive(Debug)]
pub(crate) struct Found<T> {
    /// Nearly always one, which needs no memory of its own.
    pub(crate) items: SmallVec<[T; 1]>,
    /// Something is there that cannot be read: the condition holds, and an `allow` does not count.
    pub(crate) indeterminate: bool,
}

impl<T> Found<T> {
    pub(crate) fn none() -> Self {
        Self { items: SmallVec::new(), indeterminate: false }
    }

    fn unreadable() -> Self {
        Self { items: SmallVec::new(), indeterminate: true }
    }
}

/// Whose the arguments of a call are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MadeBy {
    Host,
    Hooks,
}

/// An event under the matchers' eyes.
pub(crate) struct MatchInput<'v, H: Host> {
    host: &'v H,
    event: &'v EventSpec,
    payload: H::View<'v>,
    tools: &'v Tools,
    directory: &'v Directory,
    sessions: Option<&'v Sessions>,
    facts: OnceCell<Option<SessionFacts>>,
    tool: OnceCell<Option<Cow<'v, str>>>,
    args: OnceCell<Found<H::View<'v>>>,
    names: OnceCell<Option<Vec<String>>>,
    runs_lines: OnceCell<bool>,
    is_typed: OnceCell<bool>,
    commands: OnceCell<Found<Cow<'v, str>>>,
    paths: OnceCell<Found<PathForms>>,
    language: OnceCell<Language>,
    lines: OnceCell<Vec<Arc<Reading>>>,
    coded: OnceCell<Vec<Arc<Reading>>>,
    known_as: OnceCell<Option<Vec<String>>>,
    cwd: OnceCell<Option<String>>,
    folders: OnceCell<Found<String>>,
    placed: RefCell<FxHashMap<String, Rc<[PathForms; 2]>>>,
}

impl<'v, H: Host> MatchInput<'v, H> {
    pub(crate) fn new(
        host: &'v H,
        event: &'v EventSpec,
        payload: H::View<'v>,
        tools: &'v Tools,
        directory: &'v Directory,
    ) -> Self {
        Self {
            host,
            event,
            payload,
            tools,
            directory,
            sessions: None,
            facts: OnceCell::new(),
            tool: OnceCell::new(),
            args: OnceCell::new(),
            names: OnceCell::new(),
            runs_lines: OnceCell::new(),
            is_typed: OnceCell::new(),
            commands: OnceCell::new(),
            paths: OnceCell::new(),
            language: OnceCell::new(),
            lines: OnceCell::new(),
            coded: OnceCell::new(),
            known_as: OnceCell::new(),
            cwd: OnceCell::new(),
            folders: OnceCell::new(),
            placed: RefCell::default(),
        }
    }

    /// The same with the sessions that are open: conditions may ask for the event's.
    pub(crate) const fn with_sessions(mut self, sessions: &'v Sessions) -> Self {
        self.sessions = Some(sessions);
        self
    }

    /// The same with another command line than the event has.
    pub(crate) fn with_line(self, line: &str) -> Self {
        let found = Found { items: smallvec![Cow::Owned(line.to_owned())], indeterminate: false };
        Self { commands: OnceCell::from(found), ..self }
    }

    /// What is known of the event's session; `None` when it is not open.
    pub(crate) fn session_facts(&self) -> Option<SessionFacts> {
        *self.facts.get_or_init(|| {
            let (session, agent) = (self.text("session_id"), self.text("agent_id"));
            self.sessions?.facts(session.items.first()?, agent.items.first().map(|agent| &**agent))
        })
    }

    /// A field of the payload, whatever it holds.
    pub(crate) fn field(&self, name: &str) -> Option<H::View<'v>> {
        self.host.field(&self.payload, name)
    }

    pub(crate) const fn host(&self) -> &'v H {
        self.host
    }

    pub(crate) const fn event(&self) -> &'v EventSpec {
        self.event
    }

    /// The tool's name; `None` when the payload has none that is text.
    pub(crate) fn tool(&self) -> Option<&str> {
        self.tool
            .get_or_init(|| {
                let view = self.host.field(&self.payload, "tool")?;
                self.host.long_text(&view)
            })
            .as_deref()
    }

    fn defined(&self) -> Option<&'v Tool> {
        self.tool().and_then(|name| self.tools.get(name))
    }

    /// Whether a hook has to be for all that the tool does before its `allow` counts.
    pub(crate) fn is_several(&self) -> bool {
        self.defined().is_some_and(|tool| tool.is_several)
    }

    /// Whether the payload of a tool call has no arguments.
    pub(crate) fn lacks_args(&self) -> bool {
        let args = self.args();
        self.event.gates_tools() && !args.indeterminate && args.items.is_empty()
    }

    /// What the tool is to guards where its name is none of the known ones.
    pub(crate) fn likeness(&self) -> Option<Likeness> {
        self.tool().and_then(|tool| self.tools.likeness(tool))
    }

    /// Why the payload of a gate lacks what its hooks look at: a tool that runs command lines, without one; a tool that reads
    /// or writes a file, without one. A call that came with nothing hides nothing: a model may forget the command. One that
    /// a hook has emptied does.
    pub(crate) fn lacks(&self, need: Need, by: MadeBy) -> Option<String> {
        let tool = self.tool().filter(|tool| self.event.gates_tools() && self.tools.needs(tool, need))?;
        let is_there = match need {
            Need::Command => {
                let commands = self.commands();
                commands.indeterminate || !commands.items.is_empty() && self.shows_command(tool)
            }
            Need::Path => {
                let mut texts = SmallVec::new();
                self.path_texts(&mut texts) || !texts.is_empty()
            }
            Need::Url => {
                let urls = self.urls();
                urls.indeterminate || !urls.items.is_empty() || self.prompt().is_some()
            }
        };
        if is_there {
            return None;
        }
        let args = self.args().items.first();
        let given = args.and_then(|args| self.host.keys(args).ok()).unwrap_or_default();
        if by == MadeBy::Host && args.is_some() && given.is_empty() {
            return None;
        }
        let (does, wanted, fix) = match need {
            Need::Command => ("runs command lines", "command", Some(("command", "cmd"))),
            Need::Path => ("reads or writes a file", "file_path", Some(("paths", "file"))),
            Need::Url => ("fetches an address", "url", None),
        };
        let lack = format!("{} of tool `{tool}`, which {does}, has no argument `{wanted}`; give it", self.event.name());
        let Some((setting, example)) = fix else { return Some(lack) };
        let hint = given.iter().find(|given| **given != wanted);
        let hint = hint.map_or_else(|| example.to_owned(), |given| given.escape_debug().to_string());
        let define = self.host.spelling().define_tool(tool, setting, &hint);
        Some(format!("{lack}, or say which argument holds it: {define}"))
    }

    /// Whether a command stands where hooks look that read arguments by their names: a tool of the engine's has it under one
    /// of the engine's own.
    fn shows_command(&self, tool: &str) -> bool {
        let is_own = usual::is_ours(tool);
        let shows = |name: &str| {
            self.is_said(name) || self.holds(name).is_some() && (!is_own || usual::is_engines_command(name))
        };
        let has_command = || self.args().items.first().is_some_and(|args| self.host.get(args, COMMAND).is_some());
        self.names().is_none_or(|names| names.iter().any(|name| shows(name))) || has_command()
    }

    /// The tool's name and those of the tools that it was defined to be the same as.
    pub(crate) fn tool_names(&self) -> Option<Vec<&str>> {
        let name = self.tool()?;
        let mut names = vec![name];
        if let Some(tool) = self.defined() {
            names.extend(tool.same_as.iter().map(String::as_str));
        }
        Some(names)
    }

    /// The names by which rules that name tools as the engine does know the tool.
    pub(crate) fn known_as(&self) -> Option<SmallVec<[&str; 4]>> {
        let known = self.known_as.get_or_init(|| {
            let known = known_names(&self.tool_names()?, Some("claude-code"));
            Some(known.into_iter().map(str::to_owned).collect())
        });
        known.as_ref().map(|known| known.iter().map(String::as_str).collect())
    }

    /// A text field of the payload.
    pub(crate) fn text(&self, field: &str) -> Found<Cow<'v, str>> {
        self.host.field(&self.payload, field).map_or_else(Found::none, |view| self.as_text(&view))
    }

    fn as_text(&self, view: &H::View<'v>) -> Found<Cow<'v, str>> {
        match self.host.long_text(view) {
            Some(text) => Found { items: smallvec![text], indeterminate: false },
            None if matches!(self.host.kind(view), Kind::Null | Kind::Absent) => Found::none(),
            None => Found::unreadable(),
        }
    }

    /// The arguments, if they are there and an object.
    fn args(&self) -> &Found<H::View<'v>> {
        self.args.get_or_init(|| {
            let Some(args) = self.host.field(&self.payload, "args") else { return Found::none() };
            match self.host.kind(&args) {
                Kind::Null | Kind::Absent => Found::none(),
                Kind::Object => Found { items: smallvec![args], indeterminate: false },
                _ => Found::unreadable(),
            }
        })
    }

    /// The names of the arguments; `None` where they cannot be listed.
    fn names(&self) -> Option<&[String]> {
        let listed = || self.args().items.first().map_or(Some(Vec::new()), |args| self.host.keys(args).ok());
        self.names.get_or_init(listed).as_deref()
    }

    /// The commands that the event would run.
    pub(crate) fn commands(&self) -> &Found<Cow<'v, str>> {
        self.commands.get_or_init(|| {
            let args = self.args();
            let mut found = Found { items: SmallVec::new(), indeterminate: args.indeterminate };
            let Some(args) = args.items.first() else { return found };
            let mut left = MAX_OBJECTS;
            self.add_commands(args, 0, &mut left, &mut found);
            found.indeterminate |= left == 0;
            for program in self.interpreters(args) {
                self.add_code(args, program, &mut found);
            }
            found
        })
    }

    /// Whether the host has said that an argument holds a command.
    fn is_said(&self, argument: &str) -> bool {
        let said = self.tool().and_then(|tool| self.tools.defined(tool));
        said.is_some_and(|tool| tool.commands.iter().any(|command| command == argument))
    }

    /// What an argument holds of what the call runs: the one place that knows.
    fn holds(&self, argument: &str) -> Option<Holds> {
        let runs_lines = self.runs_lines();
        let is_typed = runs_lines
            && *self.is_typed.get_or_init(|| {
                let names = self.names().unwrap_or_default();
                self.likeness().is_some() && self.tool().is_some_and(|tool| usual::types(tool, names))
            });
        if self.is_said(argument) { Some(Holds::Line) } else { usual::holds(argument, runs_lines, is_typed) }
    }

    /// Adds what an object runs by what it holds, and what the objects in it do.
    fn add_commands(&self, object: &H::View<'v>, depth: usize, left: &mut usize, found: &mut Found<Cow<'v, str>>) {
        let own =
            if depth == 0 { self.names().map(Cow::Borrowed) } else { self.host.keys(object).ok().map(Cow::Owned) };
        let listed = own.unwrap_or_else(|| Cow::Owned(usual::spelled_lines()));
        let others = listed.iter().map(String::as_str).filter(|name| *name != COMMAND);
        // A host may have it without listing it.
        for name in std::iter::once(COMMAND).chain(others) {
            let Some(view) = self.host.get(object, name) else { continue };
            let is_unread = found.indeterminate;
            let holds = self.holds(name);
            match holds {
                Some(Holds::Line) => self.add_line(object, &listed, &view, found),
                Some(Holds::Lines) => self.add_lines(&view, depth, left, found),
                Some(Holds::Program) => self.add_program(object, &listed, &view, found),
                Some(Holds::Typed) => self.add_typed(&view, found),
                Some(Holds::Command | Holds::Words) | None => {}
            }
            // In a tool that need not run lines, what cannot be read is something else.
            let is_surely_one = name == COMMAND || holds == Some(Holds::Program) || self.is_said(name);
            if !(self.runs_lines() || depth == 0 && is_surely_one) {
                found.indeterminate = is_unread;
            }
            if holds != Some(Holds::Lines) {
                self.add_inner(&view, depth, left, found);
            }
        }
    }

    /// Adds what the objects run that stand in a value.
    fn add_inner(&self, view: &H::View<'v>, depth: usize, left: &mut usize, found: &mut Found<Cow<'v, str>>) {
        if *left == 0 || !(self.runs_lines() || self.likeness().is_some()) {
            return;
        }
        match self.host.kind(view) {
            Kind::Object | Kind::List(_) if depth >= MAX_INSIDE => *left = 0,
            Kind::Object => {
                *left -= 1;
                self.add_commands(view, depth + 1, left, found);
            }
            Kind::List(length) => {
                for item in (0..length).filter_map(|index| self.host.item(view, index)) {
                    self.add_inner(&item, depth + 1, left, found);
                }
            }
            _ => {}
        }
    }

    /// Adds the line of a command, a text or a list, with its words that stand apart.
    fn add_line(&self, object: &H::View<'v>, listed: &[String], view: &H::View<'v>, found: &mut Found<Cow<'v, str>>) {
        let is_list = matches!(self.host.kind(view), Kind::List(length) if length > 0);
        let lines = if is_list { joined(self.host, view) } else { self.as_text(view) };
        found.indeterminate |= lines.indeterminate;
        let words = if lines.items.is_empty() { Found::none() } else { self.words_apart(object, listed) };
        found.indeterminate |= words.indeterminate;
        for line in lines.items {
            if words.items.is_empty() {
                found.items.push(line);
            } else {
                found.items.extend(words.items.iter().map(|words| Cow::Owned(format!("{line} {words}"))));
            }
        }
        if is_list {
            let lines = self.lines_of_list(view);
            found.items.extend(lines.into_iter().map(Cow::Owned));
        }
    }

    /// The parts of a list that may be lines rather than words; none where they certainly are words.
    fn lines_of_list(&self, view: &H::View<'v>) -> Vec<String> {
        let Kind::List(length) = self.host.kind(view) else { return Vec::new() };
        let words = (0..length).map(|index| scalar_text(self.host, &self.host.item(view, index)?));
        let Some(words) = words.collect::<Option<Vec<String>>>() else { return Vec::new() };
        let is_text = |word: &String| word.trim().contains(char::is_whitespace);
        let Some(at) = words.iter().position(is_text) else { return Vec::new() };
        // `["bash", "-c", "a b"]`, `["git", "commit", "-m", "a b"]`: these take what follows as a word.
        let takes_text = |word: &String| {
            let program = program_name(word);
            word.starts_with('-') || is_shell(program) || is_shell_of_windows(program)
        };
        if words.len() < 2 || words.iter().take(at).any(takes_text) { Vec::new() } else { words }
    }

    /// Adds a program with its words. Without words it is a command in a shell alone: elsewhere it may be anything.
    fn add_program(
        &self,
        object: &H::View<'v>,
        listed: &[String],
        view: &H::View<'v>,
        found: &mut Found<Cow<'v, str>>,
    ) {
        let words = || self.words_apart(object, listed);
        let has_words = || Some(words()).is_some_and(|words| words.indeterminate || !words.items.is_empty());
        if matches!(self.host.kind(view), Kind::Text(_)) && (self.runs_lines() || has_words()) {
            self.add_line(object, listed, view, found);
        }
    }

    /// Adds what is typed into a shell: a text, or a list of texts and keys.
    fn add_typed(&self, view: &H::View<'v>, found: &mut Found<Cow<'v, str>>) {
        let mut texts: Vec<String> = match self.host.kind(view) {
            Kind::List(length) => {
                let items = (0..length).filter_map(|index| self.host.item(view, index));
                items.filter_map(|item| scalar_text(self.host, &item)).collect()
            }
            _ => self.as_text(view).items.into_iter().map(Cow::into_owned).collect(),
        };
        if texts.len() > 1 {
            texts.push(texts.concat());
            texts.push(texts.join(" "));
        }
        for text in texts {
            // Other control characters are keys.
            let text = text.replace('\r', "\n");
            let text = text.replace(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\t'), "");
            let text = ENTER.iter().find_map(|key| text.trim_end().strip_suffix(key)).unwrap_or(&text);
            if !text.trim().is_empty() {
                found.items.push(Cow::Owned(text.to_owned()));
            }
        }
    }

    /// What runs the code of a tool that runs some: several where the call does not say its language.
    fn interpreters(&self, args: &H::View<'v>) -> &'static [&'static str] {
        let Some(tool) = self.likeness().and(self.tool()) else { return &[] };
        match usual::interpreter(tool) {
            Some(usual::ANY_LANGUAGE) => {
                let language = LANGUAGES.into_iter().find_map(|name| self.host.get(args, name));
                let language = language.and_then(|view| self.as_text(&view).items.into_iter().next());
                usual::interpreters_of(language.as_deref())
            }
            known => known.unwrap_or_default(),
        }
    }

    /// Adds the code that a tool such as `python` runs, as the command line that runs the same, and its lines for a shell.
    fn add_code(&self, args: &H::View<'v>, program: &str, found: &mut Found<Cow<'v, str>>) {
        for view in CODES.into_iter().filter_map(|name| self.host.get(args, name)) {
            for code in self.as_text(&view).items {
                // Notebooks hand these to a shell.
                let (cell, rest) = code.split_once('\n').unwrap_or((&code, ""));
                if matches!(cell.trim_end(), "%%bash" | "%%sh" | "%%script bash" | "%%script sh") {
                    found.items.push(Cow::Owned(rest.to_owned()));
                }
                let lines = code.lines().filter_map(|line| line.trim_start().strip_prefix('!'));
                found.items.extend(lines.map(|line| Cow::Owned(line.to_owned())));
                let line =
                    if program == usual::SHELL { code.into_owned() } else { format!("{program} {}", quoted(&code)) };
                found.items.push(Cow::Owned(line));
            }
        }
    }

    /// Adds several lines: texts, lists of words, and objects that hold a command.
    fn add_lines(&self, view: &H::View<'v>, depth: usize, left: &mut usize, found: &mut Found<Cow<'v, str>>) {
        let Kind::List(length) = self.host.kind(view) else {
            let is_text = matches!(self.host.kind(view), Kind::Text(_));
            found.items.extend(is_text.then(|| self.as_text(view).items).into_iter().flatten());
            found.indeterminate |= !is_text;
            return;
        };
        let mut has_option = false;
        for item in (0..length).filter_map(|index| self.host.item(view, index)) {
            let before = found.items.len();
            match self.host.kind(&item) {
                Kind::Text(text) => {
                    has_option |= text.starts_with('-');
                    found.items.extend(self.as_text(&item).items);
                }
                Kind::List(_) => found.items.extend(joined(self.host, &item).items),
                _ => self.add_inner(&item, depth, left, found),
            }
            found.indeterminate |= found.items.len() == before;
        }
        // No line begins with an option: these are the words of one.
        if has_option {
            found.items.extend(joined(self.host, view).items);
        }
    }

    /// Whether the tool runs command lines, as its name says.
    fn runs_lines(&self) -> bool {
        *self.runs_lines.get_or_init(|| {
            let is_shell = |tool: &str| self.tools.is_shell(tool);
            self.tool().is_some_and(is_shell)
                || self.likeness().is_some_and(|likeness| likeness.names.iter().any(|name| is_shell(name)))
        })
    }

    /// The words of a command that stand in arguments of their own, a text or a list; those of each that there is.
    fn words_apart(&self, object: &H::View<'v>, listed: &[String]) -> Found<Cow<'v, str>> {
        let mut words = Found::none();
        let names = listed.iter().filter(|name| self.holds(name) == Some(Holds::Words));
        for view in names.filter_map(|name| self.host.get(object, name)) {
            let found = match self.host.kind(&view) {
                Kind::List(_) => joined(self.host, &view),
                Kind::Text(_) => self.as_text(&view),
                _ => continue,
            };
            words.indeterminate |= found.indeterminate;
            words.items.extend(found.items);
        }
        words
    }

    /// The commands that the event would run, taken apart, and whether some of them cannot be read.
    pub(crate) fn lines(&self) -> (&[Arc<Reading>], bool) {
        let commands = self.commands();
        let lines = self.lines.get_or_init(|| {
            let language = self.language();
            let mut lines: Vec<_> = commands.items.iter().map(|line| read_as(line, language)).collect();
            if !lines.is_empty() {
                for change in self.folders().items.iter().map(|folder| change_of_folder(folder, language)) {
                    lines.extend(commands.items.iter().map(|line| read_as(&format!("{change}\n{line}"), language)));
                }
            }
            lines
        });
        (lines, commands.indeterminate || !lines.is_empty() && self.folders().indeterminate)
    }

    /// Whether all of the call's arguments are commands, folders, and what changes nothing of what these do.
    pub(crate) fn says_nothing_beside_commands(&self) -> bool {
        let is_known = |name: &String| {
            self.holds(name).is_some() || usual::names_folder(name, true) || usual::is_harmless_beside_commands(name)
        };
        self.names().is_some_and(|names| names.iter().all(is_known))
    }

    /// The folders in which the call says that it works, but for the event's own: what it does is judged there too.
    fn folders(&self) -> &Found<String> {
        self.folders.get_or_init(|| {
            let mut found = Found::none();
            let Some(args) = self.args().items.first() else { return found };
            let is_shell = self.runs_lines();
            let names = self.names().map_or_else(|| Cow::Owned(usual::spelled_folders()), Cow::Borrowed);
            let folders = names.iter().filter(|name| usual::names_folder(name, is_shell));
            for view in folders.filter_map(|name| self.host.get(args, name)) {
                if matches!(self.host.kind(&view), Kind::Text(_)) {
                    let text = self.as_text(&view);
                    found.indeterminate |= text.indeterminate;
                    let is_own = |folder: &str| {
                        let folder = folder.trim_end_matches('/');
                        matches!(folder, "." | "") || self.cwd().is_some_and(|cwd| cwd.trim_end_matches('/') == folder)
                    };
                    found.items.extend(
                        text.items.into_iter().map(Cow::into_owned).filter(|folder| folder == "/" || !is_own(folder)),
                    );
                }
            }
            found
        })
    }

    /// The language of the command lines that the tool runs.
    pub(crate) fn language(&self) -> Language {
        *self.language.get_or_init(|| {
            let is_it = |name: &&str| *name == "PowerShell";
            let is_named = self.tool_names().is_some_and(|names| names.iter().any(is_it));
            let is_alike = |likeness: Likeness| likeness.names.iter().any(|name| name == "PowerShell");
            if is_named || self.likeness().is_some_and(is_alike) { Language::PowerShell } else { Language::Shell }
        })
    }

    /// The lines that they run once their words are worked out, as far as these are understood whole.
    pub(crate) fn written(&self) -> impl Iterator<Item = &Arc<Reading>> {
        let (lines, _) = self.lines();
        lines.iter().flat_map(|line| line.written()).filter(|line| line.line.is_some())
    }

    /// The lines, behind them what they run once their words are worked out, and what all of these hand to a shell by an
    /// interpreter, as far as that is understood whole.
    pub(crate) fn lines_with_coded(&self) -> (&[Arc<Reading>], bool) {
        let (lines, indeterminate) = self.lines();
        let all = || {
            let written = lines.iter().chain(lines.iter().flat_map(|line| line.written()));
            let coded = written.clone().flat_map(|line| line.coded()).filter(|line| line.line.is_some());
            written.chain(coded).map(Arc::clone).collect()
        };
        (self.coded.get_or_init(all), indeterminate)
    }

    /// The programs that the event's commands, and the lines in code of theirs, may run; `None` if that is not known for sure.
    pub(crate) fn programs(&self) -> Option<SmallVec<[&str; 4]>> {
        // Without a tool it is not known either whether there are any.
        let is_known = matches!(*self.tool_names()?, ["Bash"]) || self.language() == Language::PowerShell;
        let (lines, indeterminate) = self.lines();
        // A line of another shell's is read as far as all shells agree.
        if indeterminate || !is_known && lines.iter().any(|line| !line.is_plain()) {
            return None;
        }
        if !lines.iter().all(|line| line.knows_programs()) {
            return None;
        }
        if lines.iter().any(|line| line.hands_too_much()) {
            return None;
        }
        let (all, _) = self.lines_with_coded();
        let all = all.iter().chain(lines.iter().flat_map(|line| line.handed()));
        Some(all.flat_map(|line| line.programs()).map(String::as_str).collect())
    }

    /// The file paths that the event names.
    pub(crate) fn paths(&self) -> &Found<PathForms> {
        self.paths.get_or_init(|| {
            let mut found = Found::none();
            let mut texts = SmallVec::new();
            found.indeterminate = self.path_texts(&mut texts);
            if texts.is_empty() {
                return found;
            }
            let forms = |path: &str| PathForms::new(path, self.cwd(), self.directory.project());
            found.items = texts.iter().map(|path| forms(path)).collect();
            let folders = self.folders();
            found.indeterminate |= folders.indeterminate;
            for folder in &folders.items {
                let is_relative = |path: &&Cow<'_, str>| !path.starts_with(['/', '~']);
                found.items.extend(texts.iter().filter(is_relative).map(|path| forms(&format!("{folder}/{path}"))));
            }
            found
        })
    }

    /// Whether the tool is a known one, or resembles it.
    fn is_like(&self, known: &str) -> bool {
        self.known_as().is_some_and(|names| names.contains(&known))
            || self.likeness().is_some_and(|likeness| likeness.names.iter().any(|name| name == known))
    }

    /// The patterns that choose in which files a tool searches, or which it reads.
    pub(crate) fn globs(&self) -> SmallVec<[Cow<'v, str>; 1]> {
        let mut globs = SmallVec::new();
        let Some(args) = self.args().items.first() else { return globs };
        if self.is_like("Grep") {
            let values = GLOB_ARGUMENTS.iter().filter_map(|name| self.host.get(args, name));
            globs.extend(values.flat_map(|view| self.as_text(&view).items));
        } else {
            self.collect_chosen(args, &mut globs);
            globs.retain(|chosen| is_pattern(chosen));
        }
        globs
    }

    /// The folders in which such patterns begin, as they are written.
    pub(crate) fn searched(&self) -> SmallVec<[&str; 1]> {
        let given = self.paths().items.iter().map(|path| path.raw.as_str());
        let folders: SmallVec<[&str; 1]> = given.filter(|_| self.is_like("Grep")).collect();
        if folders.is_empty() { smallvec!["."] } else { folders }
    }

    /// Adds the paths and patterns by which a tool chooses what it reads; says whether some of it cannot be read.
    fn collect_chosen(&self, args: &H::View<'v>, texts: &mut SmallVec<[Cow<'v, str>; 1]>) -> bool {
        let chosen = self.host.get(args, CHOSEN).filter(|_| self.is_like("Read"));
        chosen.is_some_and(|view| self.collect_paths(&view, texts))
    }

    /// The statements that a tool for databases is given.
    pub(crate) fn statements(&self) -> SmallVec<[Cow<'v, str>; 1]> {
        let tool = self.tool().filter(|tool| usual::may_take_statements(tool));
        let (Some(tool), Some(args)) = (tool, self.args().items.first()) else { return SmallVec::new() };
        let is_of_databases = usual::is_of_databases(tool);
        let names = self.host.keys(args).unwrap_or_else(|_| usual::spelled_statements());
        let names = names.iter().filter(|name| usual::names_statement(name, is_of_databases));
        names.filter_map(|name| self.host.get(args, name)).flat_map(|view| self.as_text(&view).items).collect()
    }

    /// The working directory of the event; `None` where it is not known.
    fn cwd(&self) -> Option<&str> {
        let known = self.cwd.get_or_init(|| {
            let given = self.text("cwd");
            let first = given.items.into_iter().next();
            first.or_else(|| self.directory.now().filter(|_| !given.indeterminate)).map(Cow::into_owned)
        });
        known.as_deref()
    }

    /// The places that a path in the event's commands may mean: from the working directory, and from the project's.
    pub(crate) fn place(&self, path: &str) -> Rc<[PathForms; 2]> {
        if let Some(known) = self.placed.borrow().get(path) {
            return Rc::clone(known);
        }
        let (cwd, project) = (self.cwd(), self.directory.project());
        let places = Rc::new([PathForms::new(path, cwd, project), PathForms::new(path, project.or(cwd), None)]);
        let mut placed = self.placed.borrow_mut();
        if placed.len() < MAX_PLACED {
            placed.insert(path.to_owned(), Rc::clone(&places));
        }
        places
    }

    /// The file paths that the event names, as they are written; says whether some of it cannot be read.
    pub(crate) fn path_texts(&self, texts: &mut SmallVec<[Cow<'v, str>; 1]>) -> bool {
        let args = self.args();
        let mut indeterminate = args.indeterminate;
        if let Some(args) = args.items.first() {
            let tool = self.defined();
            let named = tool.map_or(&[][..], |tool| &tool.paths);
            for name in PATH_ARGUMENTS.into_iter().chain(named.iter().map(String::as_str)) {
                if let Some(view) = self.host.get(args, name) {
                    indeterminate |= self.collect_paths(&view, texts);
                }
            }
            for name in self.further(|_| true) {
                let is_known = PATH_ARGUMENTS.contains(&&*name) || named.contains(&name);
                let Some(view) = self.host.get(args, &name).filter(|_| !is_known) else { continue };
                if usual::names_path(&name) {
                    indeterminate |= self.collect_paths(&view, texts) && !usual::may_name_no_path(&name);
                } else if let Kind::List(length) = self.host.kind(&view) {
                    // Several operations in one call.
                    for item in (0..length).filter_map(|index| self.host.item(&view, index)) {
                        indeterminate |= self.collect_inner(&item, texts).unwrap_or(false);
                    }
                }
            }
            let before = texts.len();
            indeterminate |= self.collect_chosen(args, texts);
            // What comes of a pattern that leads up again is not known.
            indeterminate |= texts.iter().skip(before).any(|text| is_pattern(text) && text.contains(".."));
            texts.extend(self.addresses(args).items.into_iter().filter(|address| is_address(address)));
            if tool.is_some_and(|tool| tool.is_patch) {
                indeterminate |= !self.collect_patched(args, texts);
            }
        }
        if let Some(view) = self.event.path().and_then(|field| self.host.field(&self.payload, field)) {
            indeterminate |= self.collect_paths(&view, texts);
        }
        indeterminate
    }

    /// The names of arguments of a kind; of a shell none, since all that it does stands in its command line.
    fn further(&self, is_one: fn(&str) -> bool) -> impl Iterator<Item = String> {
        let is_shell = self.tool().is_some_and(|tool| self.tools.is_shell(tool));
        let listed = || self.names().map_or_else(usual::spelled, <[String]>::to_vec);
        let names = if is_shell { Vec::new() } else { listed() };
        names.into_iter().filter(move |name| is_one(name))
    }

    /// The file paths that a tool names by their addresses.
    pub(crate) fn addressed(&self) -> Found<PathForms> {
        let found = self.args().items.first().map_or_else(Found::none, |args| self.addresses(args));
        let files = found.items.iter().filter(|address| is_address(address));
        let items = files.map(|path| PathForms::new(path, self.cwd(), self.directory.project())).collect();
        Found { items, indeterminate: false }
    }

    /// The addresses that the event names.
    pub(crate) fn urls(&self) -> Found<Cow<'v, str>> {
        let args = self.args();
        let mut found = args.items.first().map_or_else(Found::none, |args| self.addresses(args));
        found.indeterminate |= args.indeterminate;
        let addresses = self.prompt().map(|prompt| usual::addresses_in(&prompt).map(str::to_owned).collect::<Vec<_>>());
        found.items.extend(addresses.into_iter().flatten().map(Cow::Owned));
        found
    }

    /// The addresses in arguments of their own.
    fn addresses(&self, args: &H::View<'v>) -> Found<Cow<'v, str>> {
        let mut found = Found::none();
        for name in self.further(usual::names_url) {
            if let Some(view) = self.host.get(args, &name) {
                found.indeterminate |= self.collect_paths(&view, &mut found.items);
            }
        }
        found
    }

    /// The text of a tool for addresses that is given nothing else.
    fn prompt(&self) -> Option<Cow<'v, str>> {
        let args = self.args().items.first().filter(|_| self.is_like("WebFetch"))?;
        let is_alone = self.host.keys(args).is_ok_and(|names| matches!(&names[..], [name] if name == PROMPT));
        self.host.get(args, PROMPT).filter(|_| is_alone).and_then(|view| self.host.long_text(&view))
    }

    /// Adds the path or paths that a value holds; says whether some of it cannot be read.
    fn collect_paths(&self, view: &H::View<'v>, texts: &mut SmallVec<[Cow<'v, str>; 1]>) -> bool {
        let Kind::List(length) = self.host.kind(view) else {
            let text = self.as_text(view);
            texts.extend(text.items);
            return text.indeterminate;
        };
        let mut indeterminate = false;
        for item in (0..length).filter_map(|index| self.host.item(view, index)) {
            indeterminate |= self.collect_inner(&item, texts).unwrap_or_else(|| {
                let text = self.as_text(&item);
                texts.extend(text.items);
                text.indeterminate
            });
        }
        indeterminate
    }

    /// Adds the paths of an object such as `{"path": "a", "content": "b"}`; `None` where it is none that has any.
    fn collect_inner(&self, view: &H::View<'v>, texts: &mut SmallVec<[Cow<'v, str>; 1]>) -> Option<bool> {
        if !matches!(self.host.kind(view), Kind::Object) {
            return None;
        }
        let names = self.host.keys(view).unwrap_or_else(|_| usual::spelled());
        let paths: Vec<_> = names.iter().filter(|name| usual::names_path(name)).collect();
        let mut indeterminate = None;
        for view in paths.into_iter().filter_map(|name| self.host.get(view, name)) {
            let text = self.as_text(&view);
            *indeterminate.get_or_insert(false) |= text.indeterminate;
            texts.extend(text.items);
        }
        indeterminate
    }

    /// Adds the files of the patches that stand in a tool's arguments; says whether there were any, or a path beside them.
    fn collect_patched(&self, args: &H::View<'v>, texts: &mut SmallVec<[Cow<'v, str>; 1]>) -> bool {
        for key in self.host.keys(args).unwrap_or_default() {
            let text = self.host.get(args, &key).and_then(|view| self.host.long_text(&view));
            let patched = text.iter().flat_map(|text| usual::patched(text)).map(|path| Cow::Owned(path.to_owned()));
            texts.extend(patched.collect::<Vec<_>>());
        }
        !texts.is_empty()
    }

    /// The argument at a dotted path, as text.
    pub(crate) fn argument_text(&self, path: &str) -> ArgumentText {
        let values = self.argument(path);
        match values.items.first() {
            _ if values.indeterminate => ArgumentText::Unknown,
            None => ArgumentText::Missing,
            Some(value) => scalar_text(self.host, value).map_or(ArgumentText::Unknown, ArgumentText::Text),
        }
    }

    /// The argument at a dotted path: the key that has the dots in its name first, then the nested one. Those of a custom
    /// event without `args` are its fields.
    pub(crate) fn argument(&self, path: &str) -> Found<H::View<'v>> {
        let args = self.args();
        if args.indeterminate {
            return Found::unreadable();
        }
        // A custom event's own fields are its arguments.
        let own = self.event.built_in().is_none().then_some(&self.payload);
        let Some(args) = args.items.first().or(own) else { return Found::none() };
        if let Some(whole) = self.host.get(args, path) {
            return Found { items: smallvec![whole], indeterminate: false };
        }
        let mut at = args.clone();
        for name in path.split('.') {
            at = match self.host.kind(&at) {
                Kind::Object => match self.host.get(&at, name) {
                    Some(field) => field,
                    None => return Found::none(),
                },
                Kind::List(_) => match name.parse().ok().and_then(|index| self.host.item(&at, index)) {
                    Some(item) => item,
                    None => return Found::none(),
                },
                Kind::Null | Kind::Absent => return Found::none(),
                _ => return Found::unreadable(),
            };
        }
        Found { items: smallvec![at], indeterminate: false }
    }
}

/// The line that changes to a folder.
fn change_of_folder(folder: &str, language: Language) -> String {
    if language == Language::PowerShell {
        return format!("cd '{}'", folder.replace('\'', "''"));
    }
    // Programs expand the user's folder.
    match folder.strip_prefix("~/") {
        Some("") => "cd ~".to_owned(),
        Some(rest) => format!("cd ~/{}", quoted(rest)),
        None if folder == "~" => "cd ~".to_owned(),
        None => format!("cd {}", quoted(folder)),
    }
}

/// Whether a text that names files may be a pattern.
fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{', '('])
}

/// An argument as the tests of its text see it.
#[derive(Debug)]
pub(crate) enum ArgumentText {
    /// It is not there.
    Missing,
    /// It has no text, or cannot be read.
    Unknown,
    /// Its text.
    Text(String),
}

/// The words of a list as a line, or two: as it is meant, and as a host makes it that only joins the words.
fn joined<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Found<Cow<'v, str>> {
    let Kind::List(length) = host.kind(view) else { return Found::unreadable() };
    let words = (0..length).map(|index| scalar_text(host, &host.item(view, index)?));
    let Some(words) = words.collect::<Option<Vec<String>>>() else { return Found::unreadable() };
    let meant = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let joined = words.join(" ");
    let mut items = SmallVec::new();
    items.extend((joined != meant).then_some(Cow::Owned(joined)));
    items.push(Cow::Owned(meant));
    Found { items, indeterminate: false }
}

/// The text of a value that is a text, a number or a flag.
pub(crate) fn scalar_text<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Option<String> {
    Some(match host.kind(view) {
        Kind::Text(text) => text.into_owned(),
        Kind::Int(number) => number.to_string(),
        Kind::BigInt(digits) => digits,
        Kind::Float(number) => serde_json::json!(number).to_string(),
        Kind::Bool(flag) => flag.to_string(),
        _ => return None,
    })
}

/// Hands out the texts that [`MatchInput`] finds, each as it is written: commands, paths, subtype. For a record, which has no use for
/// the other parts of the input.
pub(crate) fn each_matched_text<'v, H: Host>(
    host: &'v H,
    event: &EventSpec,
    payload: &H::View<'v>,
    args: Option<&H::View<'v>>,
    tool: Option<&Tool>,
    mut take: impl FnMut(&str),
) {
    if let Some(args) = args.filter(|args| matches!(host.kind(args), Kind::Object)) {
        let [command, paths @ ..] = host.pick(args, &MATCHED_ARGUMENTS);
        let named = tool.iter().flat_map(|tool| &tool.commands).filter_map(|name| host.get(args, name));
        for command in command.into_iter().chain(named) {
            match host.kind(&command) {
                Kind::List(length) if length > 0 => joined(host, &command).items.iter().for_each(|line| take(line)),
                _ => _ = host.text(&command, &mut take),
            }
        }
        for path in paths.iter().flatten() {
            each_path(host, path, &mut take);
        }
        for name in tool.iter().flat_map(|tool| &tool.paths) {
            if let Some(path) = host.get(args, name) {
                each_path(host, &path, &mut take);
            }
        }
    }
    if let Some(path) = event.path().and_then(|field| host.field(payload, field)) {
        each_path(host, &path, &mut take);
    }
    if let Some(subtype) = event.subtype().and_then(|field| host.field(payload, field)) {
        host.text(&subtype, take);
    }
}

/// Hands out the path or paths that a value holds.
fn each_path<'v, H: Host>(host: &'v H, view: &H::View<'v>, mut take: impl FnMut(&str)) {
    let Kind::List(length) = host.kind(view) else {
        host.text(view, take);
        return;
    };
    for item in (0..length).filter_map(|index| host.item(view, index)) {
        host.text(&item, &mut take);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Catalogue;
    use crate::json::Json;
    use crate::tool::ToolDefinition;
    use serde_json::json;

    #[test]
    fn what_is_handed_out_is_what_a_look_finds() {
        let catalogue = Catalogue::default();
        let mut tools = Tools::default();
        let definition = json!({"name": "shell", "command": "script", "paths": ["target", "cwd"]});
        tools.define(ToolDefinition::read(&Json, &&definition).unwrap()).unwrap();
        let directory = Directory::default();
        let payloads = [
            json!({"tool": "Bash", "args": {"command": "ls", "paths": ["a", 7, "b"], "path": null, "files": {}}}),
            json!({"tool": "shell", "args": {"command": "ls", "script": "make", "target": "c", "cwd": ["d"], "file_path": "e"}}),
            json!({"tool": "shell", "args": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "path": "h", "command": "i"}}),
            json!({"tool": 7, "args": ["command"], "file_path": "j", "source": "startup", "trigger": "auto"}),
            json!({"args": {"command": ["ls"]}, "file_path": ["k", "l"], "source": 7}),
            json!({}),
        ];
        for event in ["PreToolUse", "FileChanged", "SessionStart", "PreCompact"] {
            let event = catalogue.resolve(event).unwrap();
            for payload in &payloads {
                let input = MatchInput::new(&Json, &event, payload, &tools, &directory);
                let mut found: Vec<_> = input.commands().items.iter().map(ToString::to_string).collect();
                let mut paths = SmallVec::new();
                input.path_texts(&mut paths);
                found.extend(paths.iter().map(ToString::to_string));
                found.extend(
                    event.subtype().iter().flat_map(|field| input.text(field).items).map(|text| text.to_string()),
                );
                let mut handed = Vec::new();
                let args = payload.get("args");
                each_matched_text(&Json, &event, &payload, args.as_ref(), input.defined(), |text| {
                    handed.push(text.to_owned());
                });
                assert_eq!(handed, found, "{}: {payload}", event.name());
            }
        }
    }
}
