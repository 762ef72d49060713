//! Goes through the commands of a text in the order in which they run.

use std::io::Cursor;
use std::rc::Rc;

use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item,
    CompoundCommand, CompoundList, CompoundListItem, FunctionBody, Pipeline, Program, SimpleCommand,
};
use brush_parser::{Parser, ParserOptions, SourceInfo};

use super::fields::Field;
use super::redirects::Streams;
use super::{MAX_DEPTH, Paper};
use crate::line::is_bearable;

/// What a command is once its words are worked out, and whether that is another one than is written.
struct Done {
    line: String,
    is_other: bool,
}

fn parse(text: &str) -> Option<Program> {
    is_bearable(text).then_some(())?;
    Parser::new(Cursor::new(text), &ParserOptions::default(), &SourceInfo::default()).parse_program().ok()
}

impl Paper {
    /// Goes through a text that reads this input, and says what it prints where that is known.
    pub(super) fn text(&mut self, text: &str, input: Option<&str>) -> Option<String> {
        self.spend(text.len())?;
        self.deeper(|paper| {
            let program = parse(text)?;
            let mut output = Some(String::new());
            for list in &program.complete_commands {
                output = joined(output, paper.list(list, input));
            }
            output
        })
    }

    /// Goes through a text that stands nowhere in the line as a command.
    pub(super) fn hidden(&mut self, text: &str, input: Option<&str>) -> Option<String> {
        let before = std::mem::replace(&mut self.is_hidden, true);
        let output = self.text(text, input);
        self.is_hidden = before;
        output
    }

    /// What a text prints that is run by a shell of its own.
    pub(super) fn output_of(&mut self, text: &str) -> Option<String> {
        let kept = (self.variables.clone(), self.arguments.clone(), self.folders.clone());
        self.spend(kept.0.values().map(Vec::len).sum())?;
        let output = self.text(text, None);
        (self.variables, self.arguments, self.folders) = kept;
        output.map(|text| text.trim_end_matches('\n').to_owned())
    }

    fn deeper(&mut self, go: impl FnOnce(&mut Self) -> Option<String>) -> Option<String> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let output = self.nested(go);
        self.depth -= 1;
        output
    }

    /// Runs a function with these arguments.
    pub(super) fn call(&mut self, body: &FunctionBody, args: &[Field], input: Option<&str>) -> Option<String> {
        let before = self.arguments.replace(args.to_vec());
        let output = self.deeper(|paper| paper.compound(&body.0, input));
        self.arguments = before;
        output
    }

    fn list(&mut self, list: &CompoundList, input: Option<&str>) -> Option<String> {
        let mut output = Some(String::new());
        for CompoundListItem(item, _) in &list.0 {
            output = joined(output, self.and_or(item, input));
        }
        output
    }

    fn and_or(&mut self, list: &AndOrList, input: Option<&str>) -> Option<String> {
        let mut output = self.pipeline(&list.first, input);
        for AndOr::And(pipeline) | AndOr::Or(pipeline) in &list.additional {
            output = joined(output, self.pipeline(pipeline, input));
        }
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, input: Option<&str>) -> Option<String> {
        let mut passed = input.map(str::to_owned);
        let mut all = Vec::new();
        for command in &pipeline.seq {
            let (output, done) = self.command(command, passed.as_deref());
            passed = output;
            all.push(done);
        }
        if all.iter().flatten().any(|done| done.is_other) {
            let lines: Vec<&str> = all.iter().flatten().map(|done| done.line.as_str()).collect();
            self.put(&lines.join(" | "));
        }
        passed
    }

    fn command(&mut self, command: &Command, input: Option<&str>) -> (Option<String>, Option<Done>) {
        match command {
            Command::Simple(simple) => self.simple(simple, input).unwrap_or_default(),
            Command::Compound(compound, redirects) => {
                let mut streams = Streams { input: input.map(str::to_owned), ..Streams::default() };
                redirects.iter().flat_map(|list| &list.0).for_each(|redirect| self.redirect(redirect, &mut streams));
                let input = streams.input.clone();
                let output = self.compound(compound, input.as_deref());
                (self.written_to(&streams, output), None)
            }
            Command::Function(function) => {
                self.functions.insert(function.fname.value.clone(), Rc::new(function.body.clone()));
                (Some(String::new()), None)
            }
            Command::ExtendedTest(_) => (Some(String::new()), None),
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, input: Option<&str>) -> Option<String> {
        self.nested(|paper| paper.parts(compound, input))
    }

    fn parts(&mut self, compound: &CompoundCommand, input: Option<&str>) -> Option<String> {
        match compound {
            CompoundCommand::Arithmetic(_) => Some(String::new()),
            CompoundCommand::ArithmeticForClause(clause) => {
                self.list(&clause.body.list, input);
                None
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list, input),
            CompoundCommand::Subshell(subshell) => {
                let kept = (self.variables.clone(), self.arguments.clone(), self.folders.clone());
                self.spend(kept.0.values().map(Vec::len).sum())?;
                let output = self.list(&subshell.list, input);
                (self.variables, self.arguments, self.folders) = kept;
                output
            }
            CompoundCommand::ForClause(clause) => {
                let values = match &clause.values {
                    Some(values) => values.iter().flat_map(|word| self.fields(&word.value)).collect(),
                    None => self.arguments.clone().unwrap_or_else(|| vec![Field::unknown()]),
                };
                let mut output = Some(String::new());
                for value in values {
                    self.step()?;
                    self.set_variable(&clause.variable_name, value);
                    output = joined(output, self.list(&clause.body.list, input));
                }
                output
            }
            CompoundCommand::CaseClause(clause) => {
                clause.cases.iter().filter_map(|case| case.cmd.as_ref()).for_each(|list| {
                    self.list(list, input);
                });
                None
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition, input);
                self.list(&clause.then, input);
                for other in clause.elses.iter().flatten() {
                    other.condition.iter().for_each(|list| {
                        self.list(list, input);
                    });
                    self.list(&other.body, input);
                }
                None
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                // Each turn reads one more line of a known input.
                let lines: Vec<Option<&str>> =
                    input.map_or_else(|| vec![None], |input| input.lines().map(Some).collect());
                for line in lines {
                    self.step()?;
                    self.list(&clause.0, line);
                    self.list(&clause.1.list, None);
                }
                None
            }
        }
    }

    fn simple(&mut self, command: &SimpleCommand, input: Option<&str>) -> Option<(Option<String>, Option<Done>)> {
        self.step()?;
        let outer = std::mem::replace(&mut self.is_worked_out, false);
        let mut streams = Streams { input: input.map(str::to_owned), ..Streams::default() };
        let mut given = Vec::new();
        let mut fields = Vec::new();
        for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect, &mut streams),
                Item::AssignmentWord(assignment, _) => given.extend(self.assigned(assignment)),
                Item::Word(_) | Item::ProcessSubstitution(..) => {}
            }
        }
        let is_worked_out = |paper: &mut Self| std::mem::take(&mut paper.is_worked_out);
        let mut is_other = is_worked_out(self) && command.word_or_name.is_some();
        fields.extend(command.word_or_name.iter().flat_map(|name| self.fields(&name.value)));
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect, &mut streams),
                Item::Word(word) => fields.extend(self.fields(&word.value)),
                Item::AssignmentWord(_, word) => fields.push(self.single(&word.value)),
                Item::ProcessSubstitution(..) => fields.push(Field::unknown()),
            }
        }
        is_other |= is_worked_out(self);
        self.is_worked_out = outer;
        if fields.is_empty() {
            self.variables.extend(given);
            return Some((Some(String::new()), None));
        }
        let given = given.iter().filter_map(|(name, values)| Some(format!("{name}={}", values.first()?.source)));
        let words = given.chain(fields.iter().map(|field| field.source.clone())).chain(streams.sources.iter().cloned());
        let line = words.collect::<Vec<_>>().join(" ");
        let is_other = is_other || self.is_hidden;
        let output = self.run(&fields, streams.input.as_deref());
        Some((self.written_to(&streams, output), Some(Done { line, is_other })))
    }
}

impl Paper {
    /// The variable of an assignment, and its values.
    fn assigned(&mut self, assignment: &Assignment) -> Option<(String, Vec<Field>)> {
        let AssignmentName::VariableName(name) = &assignment.name else { return None };
        let before = self.variables.get(name).filter(|_| assignment.append).cloned().unwrap_or_default();
        let values = match &assignment.value {
            AssignmentValue::Scalar(value) => {
                let value = self.single(&value.value);
                vec![before.first().map_or_else(|| value.clone(), |before| before.with(&value))]
            }
            AssignmentValue::Array(items) => {
                let items = items.iter().flat_map(|(_, item)| self.fields(&item.value));
                before.into_iter().chain(items).collect()
            }
        };
        Some((name.clone(), values))
    }
}

/// What two commands print, one behind the other.
fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    first.zip(second).map(|(first, second)| first + &second)
}
