//! Goes through every node of a parsed line.
//!
//! What [`flat`](super::flat) takes out beforehand is not understood if the parser finds it all the same.

use std::io::Cursor;

use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item,
    CompoundCommand, CompoundList, CompoundListItem, ExtendedTestExpr, FunctionDefinition, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, Pipeline, SeparatorOperator, SimpleCommand,
};
use brush_parser::{Parser, ParserOptions, SourceInfo};

use super::flat::NUMBER;
use super::words::{Word, is_name, read};
use super::{Line, MAX_COMMANDS};

/// Variables that change nothing of what programs do, but for how they look and speak.
const HARMLESS: &[&str] = &[
    "CI",
    "CLICOLOR",
    "COLUMNS",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NO_COLOR",
    "NODE_ENV",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

/// Parses a flat text and adds its commands.
pub(super) fn add(text: &str, line: &mut Line, depth: usize) -> Option<()> {
    let program =
        Parser::new(Cursor::new(text), &ParserOptions::default(), &SourceInfo::default()).parse_program().ok()?;
    if depth > 0 {
        // Another shell reads it, or it is run at another time: what it changes to is not where the line goes on.
        line.is_chain = false;
        let known = line.constants.forget();
        let mut walk = Walk { line, depth };
        program.complete_commands.iter().try_for_each(|list| walk.list(list))?;
        line.constants.remember(known);
        return Some(());
    }
    line.is_chain = is_chain(&program.complete_commands);
    let mut walk = Walk { line, depth };
    program.complete_commands.iter().try_for_each(|list| walk.outermost(list))
}

/// Whether a line is simple commands joined by `&&`, of which the first redirects to no file.
fn is_chain(lists: &[CompoundList]) -> bool {
    let [CompoundList(items)] = lists else { return false };
    let [CompoundListItem(AndOrList { first, additional }, SeparatorOperator::Sequence)] = items.as_slice() else {
        return false;
    };
    let simple = |pipeline: &Pipeline| !pipeline.bang && matches!(pipeline.seq.as_slice(), [Command::Simple(_)]);
    let redirects = |item: &Item| {
        let Item::IoRedirect(redirect) = item else { return false };
        match redirect {
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => false,
            IoRedirect::File(_, _, IoFileRedirectTarget::Duplicate(word)) => {
                !word.value.chars().all(|letter| letter.is_ascii_digit())
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Filename(word)) | IoRedirect::OutputAndError(word, _) => {
                word.value != "/dev/null"
            }
            _ => true,
        }
    };
    let is_bare = |command: &Command| match command {
        Command::Simple(SimpleCommand { prefix, suffix, .. }) => {
            let before = prefix.iter().flat_map(|prefix| &prefix.0);
            !before.chain(suffix.iter().flat_map(|suffix| &suffix.0)).any(redirects)
        }
        _ => false,
    };
    !additional.is_empty()
        && simple(first)
        && first.seq.first().is_some_and(is_bare)
        && additional.iter().all(|more| matches!(more, AndOr::And(pipeline) if simple(pipeline)))
}

pub(super) struct Walk<'l> {
    pub(super) line: &'l mut Line,
    pub(super) depth: usize,
}

impl Walk<'_> {
    fn list(&mut self, list: &CompoundList) -> Option<()> {
        list.0.iter().try_for_each(|item| self.and_or(&item.0))
    }

    /// Commands that all run, one behind the other: a variable that one of them sets has its value for the next.
    fn outermost(&mut self, list: &CompoundList) -> Option<()> {
        list.0.iter().try_for_each(|CompoundListItem(item, end)| {
            self.pipeline(&item.first)?;
            if matches!(end, SeparatorOperator::Sequence) {
                self.settle(&item.first)?;
            }
            self.others(item)
        })
    }

    /// Notes the plain values of a command that does no more than set variables.
    fn settle(&mut self, pipeline: &Pipeline) -> Option<()> {
        let [Command::Simple(SimpleCommand { prefix: Some(prefix), word_or_name: None, suffix: None })] =
            pipeline.seq.as_slice()
        else {
            return Some(());
        };
        // Where a redirection fails, nothing is set.
        if !prefix.0.iter().all(|item| matches!(item, Item::AssignmentWord(..))) {
            return Some(());
        }
        prefix.0.iter().try_for_each(|item| {
            let Item::AssignmentWord(assignment, _) = item else { return Some(()) };
            if let (AssignmentName::VariableName(name), AssignmentValue::Scalar(value), false) =
                (&assignment.name, &assignment.value, assignment.append)
            {
                let value = read(&value.value, self.line)?;
                self.line.constants.define(name, &value);
            }
            Some(())
        })
    }

    fn and_or(&mut self, list: &AndOrList) -> Option<()> {
        self.pipeline(&list.first)?;
        self.others(list)
    }

    /// What stands behind `&&` and `||`.
    fn others(&mut self, list: &AndOrList) -> Option<()> {
        list.additional.iter().try_for_each(|more| match more {
            AndOr::And(pipeline) | AndOr::Or(pipeline) => self.pipeline(pipeline),
        })
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Option<()> {
        let mut parts = Vec::with_capacity(pipeline.seq.len());
        let read = pipeline.seq.iter().try_for_each(|command| {
            let from = self.line.commands.len();
            let read = self.command(command);
            parts.push(from..self.line.commands.len());
            read
        });
        if parts.len() > 1 {
            self.line.pipes.push(parts);
        }
        read
    }

    fn command(&mut self, command: &Command) -> Option<()> {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.compound(compound)?;
                redirects.iter().flat_map(|list| &list.0).try_for_each(|redirect| self.redirect(redirect))
            }
            Command::Function(function) => self.function(function),
            Command::ExtendedTest(test) => {
                self.push(&[Word::plain("[[")], false);
                self.test(&test.expr)
            }
        }
    }

    /// A function may stand in for any program.
    fn function(&mut self, function: &FunctionDefinition) -> Option<()> {
        self.line.does_more = true;
        self.line.rebinds();
        self.compound(&function.body.0)?;
        function.body.1.iter().flat_map(|list| &list.0).try_for_each(|redirect| self.redirect(redirect))
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Option<()> {
        match compound {
            // They were taken out before.
            CompoundCommand::Arithmetic(_) => None,
            CompoundCommand::ArithmeticForClause(clause) => self.list(&clause.body.list),
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::ForClause(clause) => {
                self.line.does_more |= !is_harmless(&clause.variable_name);
                // Without a list it goes over the arguments, which are unknown.
                if clause.values.is_none() {
                    self.line.fills(&clause.variable_name)?;
                }
                clause.values.iter().flatten().try_for_each(|word| {
                    let word = read(&word.value, self.line)?;
                    self.value(&clause.variable_name, &word)
                })?;
                self.list(&clause.body.list)
            }
            CompoundCommand::CaseClause(clause) => {
                read(&clause.value.value, self.line)?;
                clause.cases.iter().try_for_each(|case| {
                    case.patterns.iter().try_for_each(|pattern| read(&pattern.value, self.line).map(|_| ()))?;
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
        let mut words = Vec::new();
        let mut given = Vec::new();
        // Behind `&>` sh begins another command.
        let mut splits = false;
        for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.prefix(item)?;
            if let Item::AssignmentWord(Assignment { value: AssignmentValue::Scalar(_), .. }, word) = item {
                given.push(read(&word.value, self.line)?);
            }
            splits |= is_split(item);
        }
        if let Some(name) = &command.word_or_name {
            if splits {
                return None;
            }
            // `a[x y]=1 cmd` sets an element, and what looks like the program is not.
            if name.value.split_once('[').is_some_and(|(array, _)| is_name(array)) {
                return None;
            }
            words.push(read(&name.value, self.line)?);
        }
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect)?,
                Item::Word(_) | Item::AssignmentWord(..) if splits => return None,
                Item::Word(word) => words.push(read(&word.value, self.line)?),
                Item::AssignmentWord(assignment, word) => {
                    words.push(match assignment.value {
                        AssignmentValue::Scalar(_) => read(&word.value, self.line)?,
                        AssignmentValue::Array(_) => Word::assigned(&word.value),
                    });
                    self.assigned(assignment, &words)?;
                }
                Item::ProcessSubstitution(..) => return None,
            }
            splits |= is_split(item);
        }
        let at = self.line.commands.len();
        let is_read = self.run(&words);
        if let Some(command) = self.line.commands.get_mut(at).filter(|_| !given.is_empty()) {
            command.given = given.iter().map(|word| word.known().into_owned()).collect();
            command.given.extend_from_slice(if command.known.is_empty() { &command.words } else { &command.known });
        }
        is_read
    }

    fn prefix(&mut self, item: &Item) -> Option<()> {
        match item {
            Item::IoRedirect(redirect) => self.redirect(redirect),
            Item::AssignmentWord(assignment, _) => self.assignment(assignment),
            // A parser that finds these before a name did not read what was written.
            Item::Word(_) | Item::ProcessSubstitution(..) => None,
        }
    }

    /// `NAME=value` among the arguments: an assignment to some programs of the shell, a word to all others.
    fn assigned(&mut self, assignment: &Assignment, words: &[Word]) -> Option<()> {
        let declares = words.first().is_some_and(|name| super::programs::DECLARES.contains(&name.plain.as_str()));
        match &assignment.value {
            _ if declares => self.assignment(assignment),
            AssignmentValue::Scalar(_) => Some(()),
            AssignmentValue::Array(_) => None,
        }
    }

    fn assignment(&mut self, assignment: &Assignment) -> Option<()> {
        let name = match &assignment.name {
            AssignmentName::VariableName(name) => name,
            AssignmentName::ArrayElementName(name, index) => {
                self.line.reads_sum(index)?;
                if super::variables::is_table(name, index) {
                    return None;
                }
                self.line.arrays.push(name.clone());
                name
            }
        };
        self.line.does_more |= !is_harmless(name);
        match &assignment.value {
            AssignmentValue::Scalar(value) => {
                let word = read(&value.value, self.line)?;
                // What is put behind an earlier value makes neither of the two.
                self.line.assigned.extend(assignment.append.then(|| (name.clone(), None)));
                self.value(name, &word)?;
            }
            AssignmentValue::Array(values) => {
                self.line.arrays.push(name.clone());
                for (index, value) in values {
                    if let Some(index) = index {
                        self.line.reads_sum(&index.value)?;
                    }
                    let word = read(&value.value, self.line)?;
                    // An index that the parser takes for a word.
                    self.line.reads_numbers |= index.is_none() && value.value.starts_with('[');
                    self.value(name, &word)?;
                }
            }
        }
        Some(())
    }

    /// Notes what a variable is set to.
    fn value(&mut self, name: &str, word: &Word) -> Option<()> {
        self.line.assigned.push((name.to_owned(), Some(word.clone())));
        let value = if word.raw == NUMBER { "0" } else { &word.plain };
        self.line.sets(name, value, word.is_dynamic && word.raw != NUMBER)
    }

    /// A side of a comparison of numbers: a variable's text is read as a sum.
    fn number(&mut self, side: &Word) -> Option<()> {
        if !side.is_dynamic {
            return self.line.reads_sum(&side.plain);
        }
        self.line.reads_numbers = true;
        let inside = side.plain.strip_prefix('$').unwrap_or_default();
        let inside = inside.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(inside);
        let counted = |rest: &str| rest.is_empty() || is_name(rest.strip_suffix("[@]").unwrap_or(rest));
        let is_number = matches!(inside, "?" | "$" | "!") || inside.strip_prefix('#').is_some_and(counted);
        // What an argument or a substitution holds is not known.
        self.line.sets_texts |= !is_number && (!is_name(inside) || super::variables::names_text(inside));
        Some(())
    }

    fn redirect(&mut self, redirect: &IoRedirect) -> Option<()> {
        match redirect {
            IoRedirect::File(_, kind, target) => match target {
                IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                    let word = read(&word.value, self.line)?;
                    let nowhere = matches!(word.plain.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr");
                    if writes(kind, &word.plain) && !nowhere {
                        self.line.does_more = true;
                        self.line.writes.push(word);
                    } else if matches!(kind, IoFileRedirectKind::Read) && !nowhere {
                        self.line.reads.push(word);
                    }
                }
                IoFileRedirectTarget::Fd(_) => {}
                IoFileRedirectTarget::ProcessSubstitution(..) => return None,
            },
            IoRedirect::HereString(_, word) => {
                read(&word.value, self.line)?;
            }
            IoRedirect::OutputAndError(word, _) => {
                let word = read(&word.value, self.line)?;
                if word.plain != "/dev/null" {
                    self.line.does_more = true;
                    self.line.writes.push(word);
                }
            }
            // They were taken out before.
            IoRedirect::HereDocument(..) => return None,
        }
        Some(())
    }

    /// `[[ … ]]`; to sh it is the name of a program, and `||` and `&&` in it begin others.
    fn test(&mut self, test: &ExtendedTestExpr) -> Option<()> {
        match test {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left)?;
                self.test(right)
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.test(inner),
            ExtendedTestExpr::UnaryTest(kind, word) => {
                let word = read(&word.value, self.line)?;
                // `-v a[…]` and `-R` look a name up.
                if is_lookup(kind) && (word.is_dynamic || word.plain.contains('[')) {
                    return None;
                }
                self.push(&[word], false);
                Some(())
            }
            ExtendedTestExpr::BinaryTest(kind, left, right) => {
                let (left, right) = (read(&left.value, self.line)?, read(&right.value, self.line)?);
                if is_sum(kind) {
                    self.number(&left)?;
                    self.number(&right)?;
                }
                self.push(&[left, Word::plain("=="), right], false);
                Some(())
            }
        }
    }

    /// Adds a command that is no more than its words.
    fn push(&mut self, words: &[Word], wraps: bool) {
        super::wrappers::push(self.line, words, wraps);
    }

    /// Whether another command may be added.
    pub(super) fn has_room(&self) -> Option<()> {
        (self.line.commands.len() < MAX_COMMANDS).then_some(())
    }
}

fn is_split(item: &Item) -> bool {
    matches!(item, Item::IoRedirect(IoRedirect::OutputAndError(..)))
}

fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name) || name.starts_with("LC_")
}

fn writes(kind: &IoFileRedirectKind, target: &str) -> bool {
    match kind {
        IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput => false,
        IoFileRedirectKind::Write
        | IoFileRedirectKind::Append
        | IoFileRedirectKind::ReadAndWrite
        | IoFileRedirectKind::Clobber => true,
        // `2>&1` and `>&-` name no file.
        IoFileRedirectKind::DuplicateOutput => !target.chars().all(|c| c.is_ascii_digit() || c == '-'),
    }
}

fn is_lookup(kind: &brush_parser::ast::UnaryPredicate) -> bool {
    use brush_parser::ast::UnaryPredicate as Test;
    matches!(kind, Test::ShellVariableIsSetAndAssigned | Test::ShellVariableIsSetAndNameRef)
}

fn is_sum(kind: &brush_parser::ast::BinaryPredicate) -> bool {
    use brush_parser::ast::BinaryPredicate as Test;
    matches!(
        kind,
        Test::ArithmeticEqualTo
            | Test::ArithmeticNotEqualTo
            | Test::ArithmeticLessThan
            | Test::ArithmeticLessThanOrEqualTo
            | Test::ArithmeticGreaterThan
            | Test::ArithmeticGreaterThanOrEqualTo
    )
}
