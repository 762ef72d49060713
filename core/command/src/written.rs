//! What a line runs once its words are worked out: in substitutions, loops and functions, and in texts that it writes
//! and then runs.
//!
//! The line is gone through on paper: no program runs, and of a few it is known what they print. Each command that
//! becomes another one is written out as a line of its own. These lines add to what was read of the line and take
//! nothing away: a word whose value is not known stays as it is written.

mod fields;
mod parameters;
mod prints;
mod redirects;
mod runs;
mod walk;

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::rc::Rc;

use brush_parser::ast::FunctionBody;

use fields::Field;

/// How many lines are written out for one. A line with more is made to keep the guard busy.
const MAX_LINES: usize = 256;

/// How many commands are gone through.
const MAX_STEPS: usize = 2048;

/// How many bytes words and texts may become on the way.
const MAX_BYTES: usize = 512 * 1024;

/// How deep texts and functions may run each other.
const MAX_DEPTH: usize = 10;

/// How deep all that nests may nest: what goes through it is recursive.
const MAX_NESTING: usize = 40;

/// The lines that are written out for one.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// The lines.
    pub(crate) lines: Vec<String>,
    /// There are more than are written out.
    pub(crate) is_cut: bool,
}

/// Works out what a line runs.
pub(crate) fn of_line(text: &str) -> Written {
    if !text.contains(['$', '`', '|', '<', '>', '(']) && !text.contains("set ") {
        return Written::default();
    }
    // The parser is not ours. A line on which it panics is not understood when it is read, and asks.
    catch_unwind(|| work_out(text)).unwrap_or_default()
}

fn work_out(text: &str) -> Written {
    let mut paper = Paper::default();
    // `rm${IFS}-rf` is three words.
    paper.set_variable("IFS", Field::of(" \t\n"));
    paper.text(text, None);
    Written { lines: paper.lines, is_cut: paper.is_cut }
}

/// What is known while a line is gone through.
#[derive(Default)]
struct Paper {
    /// Each with its values: one, or those of an array.
    variables: BTreeMap<String, Vec<Field>>,
    /// `$1` and those behind it; nothing where they come from elsewhere.
    arguments: Option<Vec<Field>>,
    functions: BTreeMap<String, Rc<FunctionBody>>,
    /// The texts of files that the line writes.
    files: BTreeMap<String, String>,
    /// Each change of the folder, as a line says it.
    folders: String,
    lines: Vec<String>,
    is_cut: bool,
    steps: usize,
    bytes: usize,
    depth: usize,
    nesting: usize,
    /// What is gone through stands nowhere in the line.
    is_hidden: bool,
    /// Words were worked out since the command began.
    is_worked_out: bool,
}

impl Paper {
    /// Counts a command.
    fn step(&mut self) -> Option<()> {
        self.steps += 1;
        self.is_cut |= self.steps > MAX_STEPS;
        (!self.is_cut).then_some(())
    }

    /// Counts bytes that words or texts become.
    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.bytes += bytes;
        self.is_cut |= self.bytes > MAX_BYTES;
        (!self.is_cut).then_some(())
    }

    /// Goes one level deeper; nothing where that is too deep.
    fn nested<T>(&mut self, go: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.nesting >= MAX_NESTING {
            return None;
        }
        self.nesting += 1;
        let result = go(self);
        self.nesting -= 1;
        result
    }

    /// Sets a variable to one value.
    fn set_variable(&mut self, name: &str, value: Field) {
        self.variables.insert(name.to_owned(), vec![value]);
    }

    /// Writes a line out.
    fn put(&mut self, line: &str) {
        let line = format!("{}{line}", self.folders);
        if self.lines.contains(&line) || self.spend(line.len()).is_none() {
            return;
        }
        if self.lines.len() >= MAX_LINES {
            self.is_cut = true;
        } else {
            self.lines.push(line);
        }
    }
}

#[cfg(test)]
mod tests;
