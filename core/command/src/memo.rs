//! A line is read once, however many rules ask: one event is planned, and planned again when a hook changed it, on the same
//! thread nearly always.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, OnceLock};

use crate::code::{Code, of_line};
use crate::handed;
use crate::line::{Line, Simple, parse, program_name};
use crate::windows::{self, Language};
use crate::written;

/// How many lines that a line hands on are looked at.
const MAX_HANDED: usize = 256;

/// A line as rules look at it.
#[derive(Debug)]
pub struct Reading {
    text: String,
    language: Language,
    /// A line of another language as a shell says it.
    said: Option<String>,
    /// What it runs; `None` when not all of it is understood.
    pub line: Option<Line>,
    /// Of a line that is not understood whole, what was read of it.
    part: Line,
    /// The code that it hands to interpreters.
    code: OnceLock<Vec<Code>>,
    /// What its programs may hand to others, and whether that is more than is looked at.
    handed: OnceLock<(Vec<Arc<Reading>>, bool)>,
    /// What the command lines in that code are.
    coded: OnceLock<Vec<Arc<Reading>>>,
    /// What it runs once its words are worked out, and whether that is more than is looked at.
    written: OnceLock<(Vec<Arc<Reading>>, bool)>,
    /// The first words of all texts, sorted, also of those of a line that is not understood whole.
    programs: Vec<String>,
    /// What is filled in when the line runs may be a program.
    pub is_open: bool,
    /// It may run any program with any words: a name is filled in when it runs, and the words behind it do not say what the
    /// program gets.
    pub may_run_any: bool,
    /// Words that are filled in may name a program that stands nowhere in the line.
    pub hides_programs: bool,
}

thread_local! {
    static LAST: RefCell<Option<Arc<Reading>>> = const { RefCell::new(None) };
    static READ: Cell<usize> = const { Cell::new(0) };
}

/// How many lines were read on this thread: tests count them.
#[doc(hidden)]
#[must_use]
pub fn lines_read() -> usize {
    READ.get()
}

/// Reads a line, or hands out what was read of it before.
pub fn read(text: &str) -> Arc<Reading> {
    read_as(text, Language::Shell)
}

/// The same of a line in some language.
pub fn read_as(text: &str, language: Language) -> Arc<Reading> {
    let is_it = |last: &&Arc<Reading>| last.text == text && last.language == language;
    let known = LAST.with_borrow(|last| last.as_ref().filter(is_it).map(Arc::clone));
    known.unwrap_or_else(|| {
        let reading = Arc::new(Reading::in_language(text, language));
        LAST.set(Some(Arc::clone(&reading)));
        reading
    })
}

impl Reading {
    /// Reads a line that no call has, without keeping it.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self::in_language(text, Language::Shell)
    }

    fn in_language(text: &str, language: Language) -> Self {
        READ.set(READ.get() + 1);
        let said = (language != Language::Shell).then(|| windows::write(text, language));
        let mut parsed = parse(said.as_ref().map_or(text, |said| &said.text));
        parsed.is_whole &= said.as_ref().is_none_or(|said| said.is_whole);
        let (line, part) = if parsed.is_whole { (Some(parsed.line), Line::default()) } else { (None, parsed.line) };
        let commands = line.as_ref().unwrap_or(&part).commands.iter();
        let texts =
            commands.clone().flat_map(|command| &command.texts).filter_map(|text| text.split_whitespace().next());
        let run = commands.clone().flat_map(Simple::runs).flat_map(|(program, ..)| [program, program_name(program)]);
        let mut programs: Vec<String> = texts.chain(run).map(str::to_owned).collect();
        programs.sort_unstable();
        programs.dedup();
        let is_nameless = line.is_some() && commands.clone().any(|command| command.is_nameless);
        let hides_programs = line.is_some() && commands.clone().any(Simple::is_open);
        let may_run_any = is_nameless
            && line
                .as_ref()
                .is_some_and(|line| !line.says_what_nameless_get(said.as_ref().map_or(text, |said| &said.text)));
        Self {
            text: text.to_owned(),
            language,
            said: said.map(|said| said.text),
            line,
            part,
            code: OnceLock::new(),
            handed: OnceLock::new(),
            coded: OnceLock::new(),
            written: OnceLock::new(),
            programs,
            is_open: is_nameless || hides_programs,
            may_run_any,
            hides_programs,
        }
    }

    /// What was read of the line, also if that is not all of it.
    pub fn seen(&self) -> &Line {
        self.line.as_ref().unwrap_or(&self.part)
    }

    /// The code that it hands to interpreters.
    pub fn code(&self) -> &[Code] {
        self.code.get_or_init(|| of_line(self.said(), self.seen()))
    }

    /// The command lines in that code, and those that programs hand on.
    pub fn coded(&self) -> &[Arc<Self>] {
        let lines = || self.code().iter().flat_map(|code| &code.lines).map(|line| Arc::new(Self::new(line)));
        self.coded.get_or_init(|| lines().chain(self.handed().iter().map(Arc::clone)).collect())
    }

    /// The command lines that its programs may hand to others, and those that these do.
    pub fn handed(&self) -> &[Arc<Self>] {
        &self.all_handed().0
    }

    /// Whether it hands on more lines than are looked at.
    pub fn hands_too_much(&self) -> bool {
        self.all_handed().1
    }

    fn all_handed(&self) -> &(Vec<Arc<Self>>, bool) {
        self.handed.get_or_init(|| {
            let mut found: Vec<Arc<Self>> = Vec::new();
            let mut lines = std::collections::VecDeque::from(handed::of_line(self.seen()));
            while let Some(line) = lines.pop_front() {
                if found.iter().any(|known| known.text == line) {
                    continue;
                }
                if found.len() >= MAX_HANDED {
                    return (found, true);
                }
                let reading = Arc::new(Self::new(&line));
                lines.extend(handed::of_line(reading.seen()));
                found.push(reading);
            }
            (found, false)
        })
    }

    /// What it runs once its words are worked out: the lines that differ from what is written.
    pub fn written(&self) -> &[Arc<Self>] {
        &self.worked_out().0
    }

    /// Whether it runs more than is written out.
    pub fn is_cut(&self) -> bool {
        self.worked_out().1 || self.hands_too_much() || self.code().iter().any(|code| code.is_cut)
    }

    fn worked_out(&self) -> &(Vec<Arc<Self>>, bool) {
        self.written.get_or_init(|| {
            let written = written::of_line(self.said());
            (written.lines.iter().map(|line| Arc::new(Self::new(line))).collect(), written.is_cut)
        })
    }

    /// Whether it is known for sure which programs it runs.
    pub const fn knows_programs(&self) -> bool {
        !self.is_open && self.line.is_some()
    }

    /// The first words of its commands, as far as it is understood.
    pub fn programs(&self) -> &[String] {
        &self.programs
    }

    /// The line as a shell says it.
    fn said(&self) -> &str {
        self.said.as_deref().unwrap_or(&self.text)
    }

    /// The line as it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether every shell reads the line as this one does: it has words and nothing else.
    pub fn is_plain(&self) -> bool {
        self.text.chars().all(|letter| letter.is_ascii_alphanumeric() || " _./\\:=,+-".contains(letter))
    }

    /// Whether a text begins with this word.
    pub fn has(&self, word: &str) -> bool {
        self.programs.binary_search_by(|known| known.as_str().cmp(word)).is_ok()
    }

    /// Whether a text begins with a word that begins so.
    pub fn has_begun(&self, start: &str) -> bool {
        let from = self.programs.partition_point(|known| known.as_str() < start);
        self.programs.get(from).is_some_and(|known| known.starts_with(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_line_is_read_once() {
        let before = READ.get();
        let first = read("git status; ls");
        assert!(Arc::ptr_eq(&first, &read("git status; ls")));
        assert_eq!(READ.get() - before, 1);
        assert_eq!(first.programs, ["git", "ls"]);
        assert!(read("$X").may_run_any && read("echo '").line.is_none());
    }
}
