//! Patterns over command lines: `git *`, `npm run test:*`.

mod flags;
mod meaning;
mod paths;
mod wild;

use super::MatchResult;
use hookweave_command::{Line, Reading, Simple, Word, program_name};
use meaning::Meaning;
pub(in crate::matcher) use paths::Place;
use paths::Spot;
use wild::Parts;

/// A program with its words, and whether it gets more of them from elsewhere.
type Call<'w> = (&'w str, &'w [Word], bool);

/// A pattern over one simple command.
#[derive(Debug, Clone)]
pub(super) struct Command {
    patterns: Vec<Pattern>,
    /// What it means; none when it asks for the program alone.
    meanings: Vec<Meaning>,
    /// It asks for more than the program's name.
    is_specific: bool,
}

#[derive(Debug, Clone)]
struct Pattern {
    text: Parts,
    /// Further words may follow.
    has_more: bool,
    head: Head,
}

/// What the first word of a text must be for a pattern to fit: most rules are about other programs than a line has.
#[derive(Debug, Clone)]
enum Head {
    Is(String),
    BeginsWith(String),
}

/// Whether a pattern names a program whose words are a list in which each counts for itself.
pub(super) fn is_of_list(content: &str) -> bool {
    content.split_whitespace().next().and_then(flags::of).is_some_and(|program| program.is_list)
}

impl Command {
    /// `git *` and `git:*` are the program with any arguments or none; elsewhere `*` is any text.
    pub(super) fn new(content: &str) -> Self {
        let head = content.strip_suffix(":*").or_else(|| content.strip_suffix(" *"));
        let (mut patterns, mut meanings) = (Vec::new(), Vec::new());
        if let Some(head) = head {
            patterns.push(Pattern::new(head.trim_end(), true));
            meanings.extend(Meaning::new(head, true));
        }
        // `npm run test:*` is also meant as it is written, for `npm run test:unit`.
        if !content.ends_with(" *") {
            patterns.push(Pattern::new(content, false));
            meanings.extend(Meaning::new(content, false));
        }
        let rest = head.unwrap_or(content).trim().trim_end_matches('*');
        Self { patterns, meanings, is_specific: rest.trim_end().contains(char::is_whitespace) }
    }

    /// The first words that its patterns may begin with; `None` if there are too many.
    pub(super) fn programs(&self) -> Option<Vec<&str>> {
        let programs = self.patterns.iter().map(|pattern| match &pattern.head {
            Head::Is(name) => Some(name.as_str()),
            Head::BeginsWith(_) => None,
        });
        programs.collect()
    }

    /// What the rule says of a line; what is not understood holds.
    pub(super) fn judge(&self, reading: &Reading, place: Place<'_>) -> MatchResult {
        let Some(line) = &reading.line else { return MatchResult::INDETERMINATE };
        let spot = Spot::new(line, place);
        let unknown = reading.may_run_any
            || self.is_specific && reading.hides_programs
            || line.commands.iter().any(|command| command.is_nameless && self.may_be(command, &spot));
        let patterns: Vec<&Pattern> = self.patterns.iter().filter(|pattern| pattern.may_fit(reading)).collect();
        if patterns.is_empty() {
            return MatchResult { selects: unknown, grants_all: false };
        }
        let fits = |texts: &[String]| texts.iter().any(|text| patterns.iter().any(|pattern| pattern.fits(text)));
        let selects =
            unknown || line.commands.iter().any(|command| fits(&command.texts) || self.is_meant(command, &spot));
        // An allow goes by the text alone.
        let is_unsure = unknown || self.is_specific && line.is_dynamic;
        let grants_all = !is_unsure
            && !line.does_more
            && !line.commands.is_empty()
            && line.commands.iter().all(|command| fits(&command.exact));
        MatchResult { selects, grants_all }
    }

    /// Whether a command of a line that a program hands on is one that the rule means. Where it begins may be a guess, so what
    /// is not understood says nothing.
    pub(super) fn is_handed(&self, reading: &Reading, place: Place<'_>) -> bool {
        let line = reading.seen();
        let spot = Spot::new(line, place);
        let patterns: Vec<&Pattern> = self.patterns.iter().filter(|pattern| pattern.may_fit(reading)).collect();
        let fits = |texts: &[String]| texts.iter().any(|text| patterns.iter().any(|pattern| pattern.fits(text)));
        let is_one = |command: &Simple| fits(&command.texts) || self.is_meant(command, &spot);
        !patterns.is_empty() && line.commands.iter().any(is_one)
    }

    /// Whether [`Self::holds`] may be true: what was read of the line has the program.
    pub(super) fn may_hold(&self, reading: &Reading) -> bool {
        self.patterns.iter().any(|pattern| pattern.may_fit(reading))
    }

    /// Whether a command of a line is one that the rule means, and none of the others takes it out again. Only what is known
    /// for sure counts, in doubt also what may be. Of a line that is not understood whole, what was read is looked at.
    pub(super) fn holds(&self, reading: &Reading, place: Place<'_>, unless: &[&Self], in_doubt: bool) -> bool {
        let line = reading.seen();
        let spot = if in_doubt { Spot::new(line, place) } else { Spot::sure(line, place) }.leaving();
        let (sure, excepted) = (Spot::sure(line, place).leaving(), Spot::of_exception(line, place));
        line.commands.iter().any(|command| {
            let mut calls = Vec::new();
            command.runs().any(|call @ (program, args, is_fed)| {
                calls.push(call);
                self.means(program, args, is_fed, &spot)
                    && !asks_for_help(args)
                    && !self.is_excepted(&calls, unless, &sure, &excepted)
            })
        })
    }

    /// Whether a program that is filled in when the line runs has the words of a command that the rule means.
    pub(super) fn may_be_nameless(&self, reading: &Reading, place: Place<'_>) -> bool {
        let line = reading.seen();
        let spot = Spot::sure(line, place);
        line.commands.iter().filter(|command| command.is_nameless).any(|command| {
            let mut calls = command.calls().take(1);
            calls.any(|(_, args, _)| self.meanings.iter().any(|meaning| meaning.fits_any(args, &spot)))
        })
    }

    /// Whether the last of these calls, each of which starts the next, is one that the others take out again: it as a whole,
    /// one that starts it, or each word of its list that the rule means (`rm -r /tmp/a /tmp/b`).
    fn is_excepted(&self, calls: &[Call<'_>], unless: &[&Self], sure: &Spot<'_>, spot: &Spot<'_>) -> bool {
        let Some((&(program, args, is_fed), outer)) = calls.split_last() else { return false };
        let covers = |rule: &Self, (program, args, is_fed): Call<'_>| rule.means(program, args, is_fed, spot);
        if outer.iter().any(|call| unless.iter().any(|rule| covers(rule, *call))) {
            return true;
        }
        let is_of_list = !is_fed && self.meanings.iter().all(|meaning| meaning.names() <= 1);
        let Some(single) = is_of_list.then(|| meaning::singles(program, args)).flatten() else {
            return unless.iter().any(|rule| covers(rule, (program, args, is_fed)));
        };
        let names_one = |rule: &&&Self| rule.is_specific && rule.meanings.iter().all(|meaning| meaning.names() == 1);
        let (of_words, of_all): (Vec<&&Self>, Vec<&&Self>) = unless.iter().partition(names_one);
        let mut meant = single.iter().filter(|args| self.means(program, args, false, sure)).peekable();
        of_all.iter().any(|rule| covers(rule, (program, args, false)))
            || meant.peek().is_some()
                && meant.all(|args| of_words.iter().any(|rule| rule.means(program, args, false, spot)))
    }

    /// Whether a command is one that one of the rules means for sure.
    pub(super) fn covers(rules: &[&Self], command: &Simple, line: &Line, place: Place<'_>) -> bool {
        let spot = Spot::sure(line, place);
        let is_meant = |(program, args, is_fed): Call<'_>| {
            let means = |rule: &&Self| rule.means(program, args, is_fed, &spot);
            rules.iter().any(means)
        };
        match executed(command) {
            Some(executed) => {
                !executed.is_empty() && executed.into_iter().all(is_meant)
                    || command.calls().next().is_some_and(is_meant)
            }
            None => command.runs().any(is_meant),
        }
    }

    fn means(&self, program: &str, args: &[Word], is_fed: bool, spot: &Spot<'_>) -> bool {
        if !self.is_specific {
            return self.patterns.iter().any(|pattern| pattern.head.is(program_name(program)));
        }
        self.meanings.iter().any(|meaning| meaning.fits(program, args, is_fed, spot))
    }

    /// Whether a command whose program may be any is one that the rule means. What starts another program starts any of its
    /// words, which may get further ones.
    fn may_be(&self, command: &Simple, spot: &Spot<'_>) -> bool {
        let words = command.words();
        let Some((_, args)) = words.split_first().filter(|_| self.is_specific) else { return true };
        let is_spelt = |pattern: &Pattern| match &pattern.head {
            Head::Is(name) => [true, false].iter().any(|as_written| {
                let spell = |word| if *as_written { Word::raw(word) } else { word.plain.as_str() };
                pattern
                    .fits(&std::iter::once(name.as_str()).chain(args.iter().map(spell)).collect::<Vec<_>>().join(" "))
            }),
            Head::BeginsWith(_) => true,
        };
        self.patterns.iter().any(is_spelt)
            || self.meanings.iter().any(|meaning| meaning.fits_any(args, spot))
            || (1..words.len()).filter_map(|at| words.get(at..)?.split_first()).any(|(program, args)| {
                self.meanings.iter().any(|meaning| meaning.fits(&program.plain, args, true, spot))
            })
    }

    /// Whether a command is one that the rule means, however it is spelt.
    fn is_meant(&self, command: &Simple, spot: &Spot<'_>) -> bool {
        let mut calls = command.calls();
        self.is_specific
            && calls.any(|(program, args, is_fed)| {
                self.meanings.iter().any(|meaning| meaning.fits(program, args, is_fed, spot))
            })
    }
}

/// The programs that `find` runs; nothing for a command of another one.
fn executed(command: &Simple) -> Option<Vec<Call<'_>>> {
    let (_, args, _) = command.calls().next().filter(|(name, ..)| matches!(program_name(name), "find" | "gfind"))?;
    let runs = |word: &Word| matches!(word.plain.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    let behind = args.iter().enumerate().filter(|(_, word)| runs(word)).filter_map(|(at, _)| args.get(at + 1..));
    Some(behind.filter_map(<[Word]>::split_first).map(|(name, args)| (name.plain.as_str(), args, true)).collect())
}

/// Whether a command has no flag but `--help` at its end, with which programs only print how they are used.
fn asks_for_help(args: &[Word]) -> bool {
    let Some((last, before)) = args.split_last() else { return false };
    matches!(last.fixed(), Some("--help" | "-help"))
        && before.iter().all(|word| word.fixed().is_some_and(|text| !text.starts_with('-')))
}

impl Head {
    fn is(&self, name: &str) -> bool {
        match self {
            Self::Is(known) => known == name,
            Self::BeginsWith(start) => name.starts_with(start.as_str()),
        }
    }
}

impl Pattern {
    /// A pattern in which `*` is any text and `\*` a star.
    fn new(text: &str, has_more: bool) -> Self {
        let text = Parts::new(text);
        let head = match text.beginning().split_once(char::is_whitespace) {
            Some((head, _)) => Head::Is(head.to_owned()),
            None if text.plain().is_some() => Head::Is(text.beginning().to_owned()),
            None => Head::BeginsWith(text.beginning().to_owned()),
        };
        Self { text, has_more, head }
    }

    fn fits(&self, text: &str) -> bool {
        if self.has_more { self.text.begins(text) } else { self.text.is_match(text) }
    }

    fn may_fit(&self, reading: &Reading) -> bool {
        match &self.head {
            Head::Is(name) => reading.has(name),
            Head::BeginsWith(start) => reading.has_begun(start),
        }
    }
}
