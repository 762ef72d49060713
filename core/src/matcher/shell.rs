//! The simple commands of a shell command line, wherever they stand in it.
//!
//! Nothing is run or looked up. What cannot be told is said so, and the rule that asked then counts as met.

mod words;

use std::io::Cursor;

use brush_parser::ast::{
    AndOr, AndOrList, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList,
    ExtendedTestExpr, IoFileRedirectTarget, IoRedirect, Pipeline, SimpleCommand, UnexpandedArithmeticExpr, Word,
};
use brush_parser::{Parser, ParserOptions, SourceInfo};

use words::Piece;

/// The longest command line that is parsed, in bytes.
const MAX_LENGTH: usize = 16 * 1024;

/// How deep parentheses may nest: the parser tries each open one twice.
const MAX_PARENTHESES: usize = 10;

/// How deep other brackets and compound commands may nest: the parser is recursive.
const MAX_NESTING: usize = 32;

/// Programs that run the command in their arguments.
const WRAPPERS: &[&str] =
    &["builtin", "command", "doas", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "timeout"];

/// A command line taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Every simple command, leading assignments taken off.
    pub(super) commands: Vec<Simple>,
    /// Something is filled in when the line runs: `$VAR`, `$(…)`, backticks.
    pub(super) is_dynamic: bool,
}

/// One simple command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Simple {
    /// As it is written, and without its quotes.
    pub(super) texts: Vec<String>,
    /// The program's name is filled in when the line runs.
    pub(super) is_nameless: bool,
}

/// Takes a command line apart; `None` when it cannot be parsed.
pub(super) fn parse(text: &str) -> Option<Line> {
    let mut line = Line::default();
    collect(text, &mut line, 0)?;
    Some(line)
}

/// Whether a text nests no deeper than the parser can bear, quotes not looked at.
fn is_bearable(text: &str) -> bool {
    let (mut parentheses, mut others) = (0_usize, 0_usize);
    for letter in text.chars() {
        match letter {
            '(' => parentheses += 1,
            ')' => parentheses = parentheses.saturating_sub(1),
            '{' | '[' => others += 1,
            '}' | ']' => others = others.saturating_sub(1),
            _ => {}
        }
        if parentheses > MAX_PARENTHESES || others > MAX_NESTING {
            return false;
        }
    }
    let opens = |word: &&str| matches!(*word, "if" | "while" | "until" | "for" | "case" | "select" | "!" | "[[");
    text.len() <= MAX_LENGTH && text.split([' ', '\t', '\n', ';', '&', '|', '(']).filter(opens).count() <= MAX_NESTING
}

/// Parses a text and adds its commands; `None` when nobody can tell what it runs.
fn collect(text: &str, line: &mut Line, depth: usize) -> Option<()> {
    if depth > MAX_PARENTHESES || !is_bearable(text) {
        return None;
    }
    let program =
        Parser::new(Cursor::new(text), &ParserOptions::default(), &SourceInfo::default()).parse_program().ok()?;
    let mut walk = Walk { line, depth };
    program.complete_commands.iter().try_for_each(|list| walk.list(list))
}

struct Walk<'l> {
    line: &'l mut Line,
    depth: usize,
}

impl Walk<'_> {
    fn list(&mut self, list: &CompoundList) -> Option<()> {
        list.0.iter().try_for_each(|item| self.and_or(&item.0))
    }

    fn and_or(&mut self, list: &AndOrList) -> Option<()> {
        self.pipeline(&list.first)?;
        list.additional.iter().try_for_each(|more| match more {
            AndOr::And(pipeline) | AndOr::Or(pipeline) => self.pipeline(pipeline),
        })
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Option<()> {
        pipeline.seq.iter().try_for_each(|command| self.command(command))
    }

    fn command(&mut self, command: &Command) -> Option<()> {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.compound(compound)?;
                self.redirects(redirects.iter().flat_map(|list| &list.0))
            }
            Command::Function(function) => {
                self.compound(&function.body.0)?;
                self.redirects(function.body.1.iter().flat_map(|list| &list.0))
            }
            Command::ExtendedTest(test) => self.test(&test.expr),
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Option<()> {
        match compound {
            CompoundCommand::Arithmetic(command) => self.arithmetic(Some(&command.expr)),
            CompoundCommand::ArithmeticForClause(clause) => {
                self.arithmetic(clause.initializer.as_ref())?;
                self.arithmetic(clause.condition.as_ref())?;
                self.arithmetic(clause.updater.as_ref())?;
                self.list(&clause.body.list)
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::ForClause(clause) => {
                clause.values.iter().flatten().try_for_each(|word| self.word(word))?;
                self.list(&clause.body.list)
            }
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value)?;
                clause.cases.iter().try_for_each(|case| {
                    case.patterns.iter().try_for_each(|pattern| self.word(pattern))?;
                    case.cmd.iter().try_for_each(|list| self.list(list))
                })
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition)?;
                self.list(&clause.then)?;
                clause.elses.iter().flatten().try_for_each(|other| {
                    other.condition.iter().try_for_each(|list| self.list(list))?;
                    self.list(&other.body)
                })
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0)?;
                self.list(&clause.1.list)
            }
        }
    }

    fn simple(&mut self, command: &SimpleCommand) -> Option<()> {
        command.prefix.iter().flat_map(|prefix| &prefix.0).try_for_each(|item| self.item(item, &mut Vec::new()))?;
        let mut words = Vec::new();
        let mut is_nameless = false;
        if let Some(name) = &command.word_or_name {
            let piece = self.read(name)?;
            is_nameless = piece.is_dynamic;
            words.push((name.value.clone(), piece.plain));
        }
        command.suffix.iter().flat_map(|suffix| &suffix.0).try_for_each(|item| self.item(item, &mut words))?;
        if !words.is_empty() {
            self.add(&words, is_nameless);
        }
        Some(())
    }

    /// Adds a command, and for a program that runs another one every command that its arguments may be.
    fn add(&mut self, words: &[(String, String)], is_nameless: bool) {
        let join = |words: &[(String, String)], pick: fn(&(String, String)) -> &str| {
            words.iter().map(pick).collect::<Vec<_>>().join(" ")
        };
        let wraps = words.first().is_some_and(|(_, plain)| WRAPPERS.contains(&base_name(plain)));
        let mut texts = Vec::new();
        for from in 0..if wraps { words.len() } else { 1 } {
            let rest = words.get(from..).unwrap_or_default();
            for text in [join(rest, |word| &word.0), join(rest, |word| &word.1)] {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        self.line.commands.push(Simple { texts, is_nameless });
    }

    fn item(&mut self, item: &Item, words: &mut Vec<(String, String)>) -> Option<()> {
        match item {
            Item::IoRedirect(redirect) => self.redirects(std::iter::once(redirect)),
            Item::Word(word) => {
                let piece = self.read(word)?;
                words.push((word.value.clone(), piece.plain));
                Some(())
            }
            Item::AssignmentWord(assignment, word) => {
                match &assignment.value {
                    AssignmentValue::Scalar(value) => self.word(value)?,
                    AssignmentValue::Array(values) => values.iter().try_for_each(|(index, value)| {
                        index.iter().try_for_each(|index| self.word(index))?;
                        self.word(value)
                    })?,
                }
                words.push((word.value.clone(), word.value.clone()));
                Some(())
            }
            Item::ProcessSubstitution(_, subshell) => {
                self.line.is_dynamic = true;
                self.list(&subshell.list)
            }
        }
    }

    fn redirects<'r>(&mut self, redirects: impl Iterator<Item = &'r IoRedirect>) -> Option<()> {
        for redirect in redirects {
            match redirect {
                IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                    self.list(&subshell.list)?;
                }
                IoRedirect::File(
                    _,
                    _,
                    IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word),
                )
                | IoRedirect::HereString(_, word)
                | IoRedirect::OutputAndError(word, _) => self.word(word)?,
                IoRedirect::HereDocument(_, document) if document.requires_expansion => self.word(&document.doc)?,
                IoRedirect::HereDocument(..) | IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
            }
        }
        Some(())
    }

    fn test(&mut self, test: &ExtendedTestExpr) -> Option<()> {
        match test {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left)?;
                self.test(right)
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.test(inner),
            ExtendedTestExpr::UnaryTest(_, word) => self.word(word),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.word(left)?;
                self.word(right)
            }
        }
    }

    fn arithmetic(&mut self, expression: Option<&UnexpandedArithmeticExpr>) -> Option<()> {
        expression.map_or(Some(()), |expression| self.text(&expression.value).map(|_| ()))
    }

    fn word(&mut self, word: &Word) -> Option<()> {
        self.read(word).map(|_| ())
    }

    fn read(&mut self, word: &Word) -> Option<Piece> {
        self.text(&word.value)
    }
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests;
