//! Words of a command line: quotes taken off, substituted commands found.

use brush_parser::ParserOptions;
use brush_parser::word::{self, WordPiece, WordPieceWithSource};

use super::{Walk, collect, is_bearable};

/// A word as the program sees it.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) plain: String,
    pub(super) is_dynamic: bool,
}

impl Walk<'_> {
    /// A word without its quotes; the commands that are substituted into it are added.
    pub(super) fn text(&mut self, text: &str) -> Option<Piece> {
        if !text.contains(['$', '`', '\\', '\'', '"', '<', '>']) {
            return Some(Piece { plain: text.to_owned(), is_dynamic: false });
        }
        if !is_bearable(text) {
            return None;
        }
        let pieces = word::parse(text, &ParserOptions::default()).ok()?;
        let mut piece = Piece::default();
        self.pieces(text, &pieces, &mut piece)?;
        self.line.is_dynamic |= piece.is_dynamic;
        Some(piece)
    }

    fn pieces(&mut self, text: &str, pieces: &[WordPieceWithSource], word: &mut Piece) -> Option<()> {
        for part in pieces {
            let source = text.get(part.start_index..part.end_index).unwrap_or_default();
            match &part.piece {
                WordPiece::Text(plain) | WordPiece::SingleQuotedText(plain) => word.plain.push_str(plain),
                WordPiece::AnsiCQuotedText(plain) => {
                    word.is_dynamic |= plain.contains('\\');
                    word.plain.push_str(plain);
                }
                WordPiece::EscapeSequence(escape) => word.plain.push_str(escape.strip_prefix('\\').unwrap_or(escape)),
                WordPiece::TildePrefix(_) => word.plain.push_str(source),
                WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    self.pieces(text, inner, word)?;
                }
                WordPiece::CommandSubstitution(command) | WordPiece::BackquotedCommandSubstitution(command) => {
                    word.is_dynamic = true;
                    word.plain.push_str(source);
                    collect(command, self.line, self.depth + 1)?;
                }
                WordPiece::ParameterExpansion(_) | WordPiece::ArithmeticExpression(_) => {
                    word.is_dynamic = true;
                    word.plain.push_str(source);
                    // A command within `${VAR:-$(…)}` or `$((…))` is not looked for: the line counts as unreadable.
                    if source.get(2..).is_some_and(|inner| inner.contains(['`', '$'])) {
                        return None;
                    }
                }
            }
        }
        Some(())
    }
}
