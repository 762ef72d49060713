//! Words as programs see them, with the parts worked out that the line says.

use brush_parser::ParserOptions;
use brush_parser::word::{self, Parameter, ParameterExpr, SpecialParameter, WordPiece, WordPieceWithSource};

use super::Paper;
use crate::line::{escapes, is_plain_word, stands_for};
use crate::plain;

/// Stands for what is filled in when the line runs.
const FILLED: &str = "${_}";

/// A word as a program sees it.
#[derive(Debug, Clone, Default)]
pub(super) struct Field {
    /// How a line says it.
    pub(super) source: String,
    /// What it is; nothing where that is known only when the line runs.
    pub(super) value: Option<String>,
}

impl Field {
    /// One of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self { source: FILLED.to_owned(), value: None }
    }

    /// One of this value.
    pub(super) fn of(value: &str) -> Self {
        Self { source: quoted(value), value: Some(value.to_owned()) }
    }

    /// One with another behind it.
    pub(super) fn with(&self, other: &Self) -> Self {
        let value = self.value.as_ref().zip(other.value.as_ref()).map(|(one, other)| format!("{one}{other}"));
        Self { source: format!("{}{}", self.source, other.source), value }
    }
}

/// A value as a line says it; the user's folder stays readable.
fn quoted(value: &str) -> String {
    match value.strip_prefix('~') {
        Some("") => value.to_owned(),
        Some(rest) if rest.starts_with('/') && is_plain_word(rest) => value.to_owned(),
        _ => plain::quoted(value).into_owned(),
    }
}

/// The same where a shell still reads patterns in it.
fn unquoted(value: &str) -> String {
    let is_pattern =
        value.chars().all(|letter| "*?[]~".contains(letter) || is_plain_word(letter.encode_utf8(&mut [0; 4])));
    if is_pattern && !value.is_empty() { value.to_owned() } else { quoted(value) }
}

impl Paper {
    /// The words that one word becomes.
    pub(super) fn fields(&mut self, text: &str) -> Vec<Field> {
        self.filled(text, true)
    }

    /// The one word that a word becomes where it is assigned.
    pub(super) fn single(&mut self, text: &str) -> Field {
        self.filled(text, false).into_iter().next().unwrap_or_else(|| Field::of(""))
    }

    fn filled(&mut self, text: &str, splits: bool) -> Vec<Field> {
        if is_plain_word(text) {
            return vec![Field::of(text)];
        }
        let fill = |paper: &mut Self| {
            paper.spend(text.len())?;
            let pieces = word::parse(text, &ParserOptions::default()).ok()?;
            let mut filling = Filling { paper, done: Vec::new(), now: None, splits };
            filling.pieces(text, &pieces, false);
            filling.end();
            let done = filling.done;
            paper.spend(done.iter().map(|field| field.source.len() + 1).sum())?;
            Some(done)
        };
        self.nested(fill).unwrap_or_else(|| vec![Field::unknown()])
    }
}

/// The words that one word becomes, as far as it was read.
struct Filling<'p> {
    paper: &'p mut Paper,
    done: Vec<Field>,
    now: Option<Field>,
    splits: bool,
}

impl Filling<'_> {
    fn pieces(&mut self, text: &str, pieces: &[WordPieceWithSource], is_quoted: bool) {
        for part in pieces {
            let source = text.get(part.start_index..part.end_index).unwrap_or_default();
            self.piece(text, &part.piece, source, is_quoted);
        }
    }

    fn piece(&mut self, text: &str, piece: &WordPiece, source: &str, is_quoted: bool) {
        match piece {
            WordPiece::Text(plain) if is_quoted => self.known(plain),
            WordPiece::Text(plain) => {
                let is_pattern = self.splits && plain.contains(['*', '?', '[', '{']) && plain != "[";
                self.push(plain, (!is_pattern).then_some(plain));
            }
            WordPiece::AnsiCQuotedText(plain) => match escapes(plain) {
                Some(value) => {
                    self.paper.is_worked_out |= plain.contains('\\');
                    self.known(&value);
                }
                None => self.push(FILLED, None),
            },
            WordPiece::SingleQuotedText(plain) => self.known(plain),
            WordPiece::EscapeSequence(escape) => {
                let letter = escape.strip_prefix('\\').unwrap_or(escape);
                let stays = is_quoted && !letter.starts_with(['$', '`', '"', '\\']);
                self.known(&format!("{}{letter}", if stays { "\\" } else { "" }));
            }
            WordPiece::TildePrefix(_) => self.push(source, Some(source)),
            WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                self.now.get_or_insert_with(|| Field { source: String::new(), value: Some(String::new()) });
                self.pieces(text, inner, true);
            }
            WordPiece::ParameterExpansion(ParameterExpr::Parameter {
                parameter: Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate }),
                indirect: false,
            }) => self.many(self.paper.arguments.clone(), source, is_quoted, *concatenate),
            WordPiece::ParameterExpansion(ParameterExpr::Parameter {
                parameter: Parameter::NamedWithAllIndices { name, concatenate },
                indirect: false,
            }) => self.many(self.paper.variables.get(name).cloned(), source, is_quoted, *concatenate),
            WordPiece::ParameterExpansion(expression) => self.parameter(expression, source, is_quoted),
            WordPiece::CommandSubstitution(inside) | WordPiece::BackquotedCommandSubstitution(inside) => {
                match self.paper.output_of(inside) {
                    Some(value) => self.insert(&Field::of(&value), is_quoted),
                    // It is known to be a folder.
                    None if stands_for(inside).is_some() => self.push(source, None),
                    None => self.push(if is_quoted { "\"${_}\"" } else { FILLED }, None),
                }
            }
            WordPiece::ArithmeticExpression(_) => self.push("${#}", None),
        }
    }

    fn parameter(&mut self, expression: &ParameterExpr, source: &str, is_quoted: bool) {
        let folder = match source.trim_start_matches(['$', '{']).trim_end_matches('}') {
            "HOME" => Some("~"),
            "PWD" => Some("."),
            _ => None,
        };
        let is_set = |name: &str| self.paper.variables.contains_key(name);
        let is_first = self.now.as_ref().is_none_or(|now| now.source.is_empty());
        if let Some(folder) = folder.filter(|_| is_first && !is_set("HOME") && !is_set("PWD")) {
            return self.push(folder, Some(folder));
        }
        match self.paper.parameter(expression) {
            Some(field) => self.insert(&field, is_quoted),
            None if is_quoted => self.push(&format!("\"{source}\""), None),
            None => self.push(source, None),
        }
    }

    /// `$*`, `"$@"` and `"${x[@]}"`.
    fn many(&mut self, values: Option<Vec<Field>>, source: &str, is_quoted: bool, is_one: bool) {
        let Some(values) = values else {
            return self.push(&if is_quoted { format!("\"{source}\"") } else { source.to_owned() }, None);
        };
        self.paper.is_worked_out = true;
        for (at, field) in values.iter().enumerate() {
            if at > 0 && is_quoted && is_one {
                self.known(" ");
            } else if at > 0 {
                self.end();
            }
            self.insert(field, is_quoted);
        }
    }

    /// What is filled in, which a shell splits at its blanks outside of quotes.
    fn insert(&mut self, field: &Field, is_quoted: bool) {
        self.paper.is_worked_out |= field.source != FILLED;
        let Some(value) = &field.value else { return self.push(&field.source, None) };
        if is_quoted || !self.splits {
            return self.known(value);
        }
        let is_blank = |letter: char| matches!(letter, ' ' | '\t' | '\n');
        for (at, part) in value.split(is_blank).enumerate() {
            if at > 0 {
                self.end();
            }
            if !part.is_empty() {
                let is_pattern = part.contains(['*', '?', '[']);
                self.push(&unquoted(part), (!is_pattern).then_some(part));
            }
        }
    }

    fn known(&mut self, text: &str) {
        self.push(&quoted(text), Some(text));
    }

    fn push(&mut self, source: &str, value: Option<&str>) {
        let now = self.now.get_or_insert_with(|| Field { source: String::new(), value: Some(String::new()) });
        now.source.push_str(source);
        now.value = now.value.take().zip(value).map(|(now, value)| now + value);
    }

    fn end(&mut self) {
        self.done.extend(self.now.take().map(|field| Field {
            source: if field.source.is_empty() { "''".to_owned() } else { field.source },
            ..field
        }));
    }
}
