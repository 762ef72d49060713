//! Words of a flat command line: quotes taken off, patterns and variables noticed.

use std::borrow::Cow;

use brush_parser::ParserOptions;
use brush_parser::word::{self, WordPiece, WordPieceWithSource};

use super::Line;
use super::constants::Constants;
use super::escapes;
pub(crate) use crate::plain::is_plain_word;

/// A word as it is written and as the program sees it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Word {
    pub(super) raw: String,
    /// What the program sees.
    pub plain: String,
    /// Something in it is filled in when the line runs.
    pub(super) is_dynamic: bool,
    /// It may become other words: `*`, `{a,b}`.
    pub(super) is_patterned: bool,
    /// It may become any number of words: `$X`, `"$@"`.
    pub splits: bool,
    /// What the program sees, where variables in it have values that the line says.
    pub(super) known: Option<String>,
}

impl Word {
    pub(super) fn plain(text: &str) -> Self {
        Self { raw: text.to_owned(), plain: text.to_owned(), ..Self::default() }
    }

    /// A whole array as it is assigned.
    pub(super) fn assigned(text: &str) -> Self {
        Self { is_dynamic: true, splits: true, ..Self::plain(text) }
    }

    /// A word without quotes, in which nothing is filled in.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::plain(text)
    }

    /// It as it is written, with its quotes.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// What it is, unless that is known only when the line runs.
    pub fn fixed(&self) -> Option<&str> {
        (!self.is_dynamic && !self.is_patterned).then_some(self.plain.as_str())
    }

    /// The word with the variables filled in whose values the line says.
    #[must_use]
    pub fn known(&self) -> Cow<'_, Self> {
        match &self.known {
            None => Cow::Borrowed(self),
            Some(known) => {
                let word = Self { plain: known.clone(), known: None, ..self.clone() };
                Cow::Owned(Self { is_dynamic: false, splits: false, ..word })
            }
        }
    }

    /// Whether something in it is filled in when the line runs.
    pub const fn is_filled_in(&self) -> bool {
        self.is_dynamic
    }

    /// The same with another text.
    #[must_use]
    pub fn with(&self, text: &str) -> Self {
        Self { plain: text.to_owned(), known: None, ..self.clone() }
    }

    /// Whether it may begin with a dash when the line runs.
    pub fn may_be_flag(&self) -> bool {
        self.fixed().is_none() && self.known_start().is_empty()
    }

    /// Whether it is a pattern of files whose names end as no flag does.
    pub fn ends_unlike_flags(&self) -> bool {
        let end = self.plain.rsplit(['*', '?', ']', '}']).next().unwrap_or_default();
        !self.is_dynamic && end.contains(|letter: char| !letter.is_alphanumeric() && !"-_=".contains(letter))
    }

    /// The text that it begins with whatever is filled in.
    pub fn known_start(&self) -> &str {
        self.plain.split(['$', '\\', '*', '?', '[', '{']).next().unwrap_or_default()
    }
}

/// Whether a text that is read as a sum runs nothing.
pub(super) fn is_plain_text(text: &str) -> bool {
    // A name in it is read as the variable, and `PATH=1` sets one.
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "_-./+:@%,= ".contains(c));
    is_plain && !super::arithmetic::assigns(text) && !super::variables::names_text(text)
}

/// Whether a text is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Reads a word; `None` when it is not understood.
pub(super) fn read(text: &str, line: &mut Line) -> Option<Word> {
    if is_plain_word(text) {
        return Some(Word::plain(text));
    }
    if names_descriptor(text) {
        // `{fd}>x cmd`: what looks like the program is not.
        return None;
    }
    let pieces = word::parse(text, &ParserOptions::default()).ok()?;
    let mut reader = Reader::new(&line.constants);
    reader.pieces(text, &pieces, false)?;
    reader.word.known = reader.known.filter(|_| reader.is_filled);
    // A brace that is never closed in this word stands for itself; so this need not know which are.
    reader.word.is_patterned |= reader.braces && reader.lists;
    line.is_dynamic |= reader.word.is_dynamic;
    Some(Word { raw: text.to_owned(), ..reader.word })
}

/// `{name}` before a redirection names a variable for it.
fn names_descriptor(text: &str) -> bool {
    let inside = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inside.is_some_and(|name| is_name(name.split('[').next().unwrap_or_default()))
}

struct Reader<'c> {
    constants: &'c Constants,
    word: Word,
    /// The word with its variables filled in, as long as each is known.
    known: Option<String>,
    /// It has a variable whose value is known.
    is_filled: bool,
    /// It has an open brace that no quotes hold.
    braces: bool,
    /// It has what lists things within braces.
    lists: bool,
}

impl<'c> Reader<'c> {
    fn new(constants: &'c Constants) -> Self {
        let known = Some(String::new());
        Self { constants, word: Word::default(), known, is_filled: false, braces: false, lists: false }
    }

    fn push(&mut self, text: &str) {
        self.word.plain.push_str(text);
        self.known.iter_mut().for_each(|known| known.push_str(text));
    }

    /// A variable, and what stands behind it in the word.
    fn variable(&mut self, source: &str, behind: &str) {
        let value = self.constants.value(source, self.word.plain.is_empty(), behind);
        self.is_filled |= value.is_some();
        self.known = self.known.take().zip(value).map(|(known, value)| known + value);
        self.word.plain.push_str(source);
    }

    fn pieces(&mut self, text: &str, pieces: &[WordPieceWithSource], quoted: bool) -> Option<()> {
        pieces.iter().try_for_each(|part| {
            let source = text.get(part.start_index..part.end_index)?;
            let behind = text.get(part.end_index..)?;
            self.piece(text, &part.piece, (source, behind), quoted)
        })
    }

    fn piece(&mut self, text: &str, piece: &WordPiece, (source, behind): (&str, &str), quoted: bool) -> Option<()> {
        match piece {
            WordPiece::Text(plain) => {
                if !quoted {
                    // A pattern with parentheses: some shells run commands in it.
                    if plain.contains(['(', ')']) {
                        return None;
                    }
                    // A `[` that nothing closes is the program of that name, or a letter.
                    self.word.is_patterned |= plain.contains(['*', '?']) || plain.contains('[') && text.contains(']');
                    self.braces |= plain.contains('{');
                    self.lists |= plain.contains(',') || plain.contains("..");
                }
                self.push(plain);
            }
            WordPiece::AnsiCQuotedText(plain) if plain.contains('\\') => {
                // Only some shells read the escapes.
                self.word.is_dynamic = true;
                self.is_filled = true;
                self.known = self.known.take().zip(escapes::read(plain)).map(|(known, text)| known + &text);
                self.word.plain.push_str(plain);
            }
            WordPiece::SingleQuotedText(plain) | WordPiece::AnsiCQuotedText(plain) => self.push(plain),
            WordPiece::EscapeSequence(escape) => {
                let letter = escape.strip_prefix('\\').unwrap_or(escape);
                if quoted && !letter.starts_with(['$', '`', '"', '\\']) {
                    self.push("\\");
                }
                self.push(letter);
            }
            WordPiece::TildePrefix(_) => self.push(source),
            WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                self.pieces(text, inner, true)?;
            }
            WordPiece::ParameterExpansion(_) => {
                self.word.is_dynamic = true;
                // Between quotes a list is one word for each of its items.
                self.word.splits |= !quoted || source.contains('@');
                self.variable(source, behind);
            }
            // They were taken out before.
            WordPiece::CommandSubstitution(_)
            | WordPiece::BackquotedCommandSubstitution(_)
            | WordPiece::ArithmeticExpression(_) => return None,
        }
        Some(())
    }
}
