//! What a rule such as `rm -rf *` means: a program, its flags as a set, its other words in order.
//!
//! This only ever adds to what a rule selects. What an `allow` covers goes by the text alone.

use super::flags::{self, Program, Takes};
use super::paths::{Operand, Spot};
use super::wild::Wild;
use hookweave_command::Word;

/// A rule taken apart.
#[derive(Debug, Clone)]
pub(super) struct Meaning {
    program: Wild,
    /// What is known of the flags before and behind the subcommand.
    before: Option<&'static Program>,
    behind: Option<&'static Program>,
    flags: Vec<Wanted>,
    words: Vec<Token>,
    /// Flags behind the last word are no matter.
    is_open: bool,
}

/// A flag that has to be there.
#[derive(Debug, Clone)]
struct Wanted {
    sets: Vec<String>,
    /// The word as one flag, where it may be one or several.
    whole: Option<String>,
    /// `--force*`: a flag that begins so does as well.
    start: Option<String>,
    value: Option<Wild>,
    /// Whether it takes the next word as its value.
    takes: Takes,
}

/// A word that has to be there.
#[derive(Debug, Clone)]
enum Token {
    /// Any words.
    Any,
    One(Operand),
    /// `--`: all words behind it are operands.
    EndOfFlags,
}

/// The arguments of a command.
#[derive(Debug, Default)]
struct Arguments<'w> {
    flags: Vec<(flags::Flag, Option<&'w Word>)>,
    words: Vec<Argument<'w>>,
    /// Any flag may be there.
    any_flag: bool,
    /// A flag stands behind the last word.
    ends_in_flag: bool,
}

#[derive(Debug)]
enum Argument<'w> {
    /// Any words.
    Any,
    One(&'w Word),
    /// It may be the value of a flag.
    Maybe(&'w Word),
    /// `--`.
    EndOfFlags,
}

impl Meaning {
    /// `None` for a rule that asks for no more than the program.
    pub(super) fn new(text: &str, is_open: bool) -> Option<Self> {
        let mut tokens = text.split_whitespace().map(unquoted);
        let program = tokens.next()?;
        let tokens: Vec<&str> = tokens.collect();
        let last = *tokens.last()?;
        let name = base_name(program);
        let before = flags::of(name);
        let behind = before.and_then(|before| flags::of_subcommand(name, subcommand(before, &tokens)?));
        let is_list = before.is_some_and(|program| program.is_list);
        let is_open = is_open || last.ends_with('*') && !last.ends_with("\\*");
        let mut meaning =
            Self { program: Wild::new(program), before, behind, flags: Vec::new(), words: Vec::new(), is_open };
        meaning.add(&tokens);
        // Of a list the rule names one word. Without one it is about no further words either.
        let names_one = is_list && meaning.words.iter().any(|token| matches!(token, Token::One(_)));
        if names_one || program.contains('*') {
            meaning.words.insert(0, Token::Any);
        }
        meaning.words.extend((is_open || names_one).then_some(Token::Any));
        meaning.is_open |= names_one || !meaning.flags.is_empty();
        Some(meaning)
    }

    /// How many words it names.
    pub(super) fn names(&self) -> usize {
        self.words.iter().filter(|token| matches!(token, Token::One(_))).count()
    }

    /// Tells the flags of the rule from its other words.
    fn add(&mut self, tokens: &[&str]) {
        let mut at = self.before;
        let mut tokens = tokens.iter();
        let mut are_operands = false;
        while let Some(&token) = tokens.next() {
            if !are_operands && token == "--" {
                are_operands = true;
                self.words.push(Token::EndOfFlags);
            } else if !are_operands && is_flag(token) {
                let (mut wanted, takes) = Wanted::new(at, token);
                if takes == Takes::Yes {
                    wanted.value = tokens.next().filter(|value| **value != "*").map(|value| Wild::new(value));
                }
                self.flags.push(wanted);
            } else {
                let is_any = token.chars().all(|letter| letter == '*');
                self.words.push(if is_any { Token::Any } else { Token::One(Operand::new(token)) });
                at = self.behind;
            }
        }
    }

    /// Whether a program with these arguments may be what is meant; `is_fed`: it gets more of them from elsewhere.
    pub(super) fn fits(&self, program: &str, args: &[Word], is_fed: bool, spot: &Spot<'_>) -> bool {
        let name = base_name(program);
        if !self.program.is_match(program) && !self.program.is_match(name) {
            return false;
        }
        self.fits_words(args, is_fed, spot)
    }

    /// Whether the rule's program with these arguments, and no others, may be what is meant.
    pub(super) fn fits_any(&self, args: &[Word], spot: &Spot<'_>) -> bool {
        self.fits_words(args, false, spot)
    }

    fn fits_words(&self, args: &[Word], is_fed: bool, spot: &Spot<'_>) -> bool {
        let args = self.read(args, is_fed);
        let any_flag = args.any_flag && !spot.is_sure;
        let has_flags = any_flag || self.flags.iter().all(|wanted| wanted.is_among(&args.flags, spot.is_sure));
        has_flags && (self.is_open || any_flag || !args.ends_in_flag) && self.has_words(&args.words, spot)
    }

    /// Tells the flags of a command from its other words.
    fn read<'w>(&self, args: &'w [Word], is_fed: bool) -> Arguments<'w> {
        let mut read = Arguments { any_flag: is_fed, ..Arguments::default() };
        let mut at = self.before;
        let mut ended = false;
        // What the flag before the word takes.
        let mut takes = Takes::No;
        for word in args {
            let is_value = takes == Takes::Yes;
            let may_be_value = std::mem::replace(&mut takes, Takes::No) == Takes::Unknown;
            if word.splits {
                read.any_flag = true;
                read.words.push(Argument::Any);
            } else if is_value {
                read.flags.last_mut().into_iter().for_each(|(_, value)| *value = Some(word));
            } else if !ended && word.fixed() == Some("--") {
                ended = true;
                read.words.push(Argument::EndOfFlags);
            } else if !ended && is_flag(&word.plain) {
                let flag = flags::read(at, &word.plain);
                read.any_flag |= !word.plain.contains('=') && word.fixed().is_none();
                takes = flag.takes;
                read.flags.push((flag, None));
                read.ends_in_flag = true;
            } else {
                read.any_flag |= !ended && word.may_be_flag() && !self.is_no_wanted_flag(word);
                let mark = behind_mark(at, word);
                read.flags.extend(mark.map(|mark| (flags::read(at, mark), None)));
                if may_be_value {
                    read.flags.last_mut().into_iter().for_each(|(_, value)| *value = Some(word));
                    read.words.push(Argument::Maybe(word));
                } else {
                    read.words.push(Argument::One(word));
                    at = self.behind;
                    read.ends_in_flag = false;
                }
            }
        }
        read.words.extend(is_fed.then_some(Argument::Any));
        read
    }

    /// Whether a pattern of files becomes none of the flags that have to be there: `*.o` is a name with a dot, and a flag
    /// without a value has none.
    fn is_no_wanted_flag(&self, word: &Word) -> bool {
        let take_none = self.flags.iter().all(|wanted| wanted.takes == Takes::No && wanted.start.is_none());
        self.before.is_some() && take_none && word.ends_unlike_flags()
    }

    /// Whether the words may be those that are meant.
    fn has_words(&self, words: &[Argument<'_>], spot: &Spot<'_>) -> bool {
        // At which of the wanted words the reading may be.
        let mut at = vec![false; self.words.len() + 1];
        self.enter(&mut at, 0);
        for word in words {
            let mut next = vec![false; at.len()];
            for place in (0..at.len()).filter(|place| at.get(*place) == Some(&true)) {
                if spot.is_sure && matches!(word, Argument::Any) {
                    if matches!(self.words.get(place), Some(Token::Any)) {
                        self.enter(&mut next, place);
                    }
                    continue;
                }
                if matches!(word, Argument::Any) {
                    (place..at.len()).for_each(|place| self.enter(&mut next, place));
                    break;
                }
                if matches!(word, Argument::Maybe(_) | Argument::EndOfFlags) {
                    self.enter(&mut next, place);
                }
                match (self.words.get(place), word) {
                    (Some(Token::EndOfFlags), word) if word.may_end_flags(spot.is_sure) => {
                        self.enter(&mut next, place + 1);
                    }
                    (Some(Token::Any), _) => self.enter(&mut next, place),
                    (Some(Token::One(wanted)), Argument::One(word) | Argument::Maybe(word))
                        if wanted.may_be(word, spot) =>
                    {
                        self.enter(&mut next, place + 1);
                    }
                    _ => {}
                }
            }
            at = next;
        }
        at.last() == Some(&true)
    }

    /// Any words may be none.
    fn enter(&self, at: &mut [bool], place: usize) {
        for place in place..at.len() {
            if let Some(here) = at.get_mut(place) {
                *here = true;
            }
            if !matches!(self.words.get(place), Some(Token::Any)) {
                break;
            }
        }
    }
}

impl Argument<'_> {
    /// Whether the words behind it may be operands because of it.
    fn may_end_flags(&self, is_sure: bool) -> bool {
        match self {
            Self::EndOfFlags => true,
            _ if is_sure => false,
            Self::Any => true,
            Self::One(word) | Self::Maybe(word) => word.fixed().is_none() && "--".starts_with(word.known_start()),
        }
    }
}

/// Of a program whose words are a list, its arguments with one of these words each.
pub(super) fn singles(program: &str, args: &[Word]) -> Option<Vec<Vec<Word>>> {
    let known = flags::of(base_name(program)).filter(|program| program.is_list);
    known?;
    let (mut kept, mut listed) = (Vec::new(), Vec::new());
    let (mut is_value, mut ended) = (false, false);
    for word in args {
        let is_option = !ended && (word.fixed() == Some("--") || is_flag(&word.plain));
        if is_value || word.splits || is_option {
            ended |= !is_value && word.fixed() == Some("--");
            is_value = !is_value && is_option && !ended && flags::read(known, &word.plain).takes == Takes::Yes;
            kept.push(word.clone());
        } else {
            listed.push(word.clone());
        }
    }
    let single = |word: Word| kept.iter().cloned().chain([word]).collect();
    Some(listed.into_iter().map(single).collect())
}

/// The flag that a word is by how it begins.
fn behind_mark(program: Option<&Program>, word: &Word) -> Option<&'static str> {
    program?.mark(&word.plain)
}

impl Wanted {
    /// The flag, and whether it takes the next word of the rule.
    fn new(program: Option<&Program>, token: &str) -> (Self, Takes) {
        let start = token.strip_suffix('*').filter(|start| !start.contains('=')).map(ToOwned::to_owned);
        let flag = flags::read(program, start.as_deref().unwrap_or(token));
        let value = flag.value.as_deref().map(Wild::new);
        let (mut sets, mut whole) = (flag.sets, None);
        if token.starts_with("--") {
            // Names that begin so are others.
            sets.truncate(1);
        } else if program.is_none() && sets.len() > 1 {
            whole = Some(sets.remove(0));
        }
        (Self { sets, whole, start, value, takes: flag.takes }, flag.takes)
    }

    fn is_among(&self, flags: &[(flags::Flag, Option<&Word>)], is_sure: bool) -> bool {
        let sets = |flag: &flags::Flag, name: &String| flag.sets.contains(name);
        let is_set = |name: &String| flags.iter().any(|(flag, _)| sets(flag, name));
        if let Some(value) = &self.value {
            let has_value = |flag: &flags::Flag, next: Option<&Word>| match (&flag.value, next) {
                (Some(text), _) => text.starts_with('$') && !is_sure || value.is_match(text),
                (None, Some(word)) if is_sure => value.is_surely(word),
                (None, Some(word)) => value.may_be(word),
                (None, None) => false,
            };
            let name = self.sets.last();
            return flags
                .iter()
                .any(|(flag, next)| name.is_some_and(|name| sets(flag, name)) && has_value(flag, *next))
                && self.sets.iter().all(is_set);
        }
        let begins = |start: &String| flags.iter().any(|(flag, _)| flag.written.starts_with(start.as_str()));
        !self.sets.is_empty() && self.sets.iter().all(is_set)
            || self.whole.as_ref().is_some_and(is_set)
            || self.start.as_ref().is_some_and(begins)
    }
}

/// The first word of a rule that is neither a flag nor the value of one.
fn subcommand<'t>(program: &Program, tokens: &[&'t str]) -> Option<&'t str> {
    let mut is_value = false;
    let is_word = |token: &&&str| {
        let was_value = is_value;
        is_value = is_flag(token) && flags::read(Some(program), token).takes == Takes::Yes;
        !was_value && !is_flag(token) && **token != "--"
    };
    tokens.iter().find(is_word).map(|token| token.trim_end_matches('*'))
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}

/// A word of a rule without its quotes.
fn unquoted(word: &str) -> &str {
    let quoted = |quote: char| word.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    quoted('\'').or_else(|| quoted('"')).unwrap_or(word)
}
