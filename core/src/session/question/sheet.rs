//! The lines of a question: what others have written stands right of a bar, what is said about it left of it.

use super::super::escape::escaped;
use super::flat;

/// Columns left of the bar.
const LABEL: usize = 8;
/// Rows of a name or an option.
const NAME_ROWS: usize = 3;
/// Rows of a question's words.
const PROMPT_ROWS: usize = 12;
/// Rows of what it is about.
const ABOUT_ROWS: usize = 40;
/// Characters that stay at the beginning of a text in arguments that are too long for a screen.
const HEAD: usize = 600;
/// And at its end, where a command may have its sting.
const TAIL: usize = 400;

/// Begins a line of what others have written.
const LINE: char = '|';
/// Goes on with a line that is wider than the terminal.
const MORE: char = ':';
/// Stands before what is said about it.
const OWN: char = '*';

/// One row of the screen, right of the label.
type Row = (char, String);

/// A part of a text.
enum Piece<'t> {
    Kept(&'t str),
    LeftOut(usize),
}

/// A question being written down.
pub(super) struct Sheet {
    text: String,
    /// Columns right of the bar.
    columns: usize,
    /// Everything is to be shown, however long.
    whole: bool,
    cut: bool,
}

impl Sheet {
    pub(super) fn new(width: usize, whole: bool) -> Self {
        Self { text: "\nhookweave asks for your decision\n".to_owned(), whole, ..Self::empty(width) }
    }

    /// For what is said afterwards.
    pub(super) fn empty(width: usize) -> Self {
        let columns = width.saturating_sub(LABEL + 3).max(1);
        Self { text: String::new(), columns, whole: false, cut: false }
    }

    /// Whether something was left out.
    pub(super) const fn is_cut(&self) -> bool {
        self.cut
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// A name or an option: its line breaks are written out.
    pub(super) fn name(&mut self, label: &str, name: &str) {
        let rows = self.rows_of(&flat(name));
        self.write(label, &rows, NAME_ROWS);
    }

    /// The words of a question.
    pub(super) fn prompt(&mut self, label: &str, prompt: &str) {
        let rows = self.rows_of(&in_lines(prompt));
        self.write(label, &rows, PROMPT_ROWS);
    }

    /// A text that it is about.
    pub(super) fn text(&mut self, label: &str, text: &str) {
        let rows = self.rows_of(&in_lines(text));
        self.write(label, &rows, ABOUT_ROWS);
    }

    /// Arguments as JSON text; where they are too long, every text in them keeps its beginning and its end.
    pub(super) fn json(&mut self, label: &str, json: &str) {
        let json = in_lines(json);
        let mut rows = self.rows_of(&json);
        if rows.len() > ABOUT_ROWS && !self.whole {
            rows = self.shortened(&json);
        }
        self.write(label, &rows, ABOUT_ROWS);
    }

    /// Something that is said about the question, by nobody but the engine.
    pub(super) fn note(&mut self, label: &str, note: &str) {
        let rows: Vec<Row> = wrapped(note, self.columns).map(|row| (OWN, row)).collect();
        self.write(label, &rows, usize::MAX);
    }

    /// Says at the end that something was left out.
    pub(super) fn close(&mut self) {
        if self.cut {
            self.note("", "Not all of it is shown. Type ? to see it before you allow it.");
        }
    }

    fn rows_of(&self, text: &str) -> Vec<Row> {
        let mut rows = Vec::new();
        for line in text.split('\n') {
            let signs = std::iter::once(LINE).chain(std::iter::repeat(MORE));
            rows.extend(signs.zip(wrapped(line, self.columns)));
        }
        rows
    }

    fn shortened(&mut self, json: &str) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for piece in pieces(json) {
            match piece {
                Piece::Kept(text) => {
                    let mut kept = self.rows_of(text);
                    if let (false, Some((sign, _))) = (rows.is_empty(), kept.first_mut()) {
                        *sign = MORE;
                    }
                    rows.extend(kept);
                }
                Piece::LeftOut(letters) => {
                    self.cut = true;
                    let note = format!("{letters} characters are left out here");
                    rows.extend(wrapped(&note, self.columns).map(|row| (OWN, row)));
                }
            }
        }
        rows
    }

    /// Writes rows with a label before the first; too many of them are cut in their middle.
    fn write(&mut self, label: &str, rows: &[Row], most: usize) {
        let too_many = if self.whole { 0 } else { rows.len().saturating_sub(most) };
        let head = if too_many == 0 { rows.len() } else { most.div_ceil(2) };
        for (index, (sign, row)) in rows.iter().enumerate() {
            if index == head {
                self.cut = true;
                self.row("", OWN, &format!("{too_many} lines are left out here"));
            }
            if index < head || index >= head + too_many {
                self.row(if index == 0 { label } else { "" }, *sign, row);
            }
        }
    }

    fn row(&mut self, label: &str, sign: char, row: &str) {
        let line = format!("{label:>LABEL$} {sign} {row}");
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

/// A text safe to be shown, whose line breaks stay.
fn in_lines(text: &str) -> String {
    escaped(text).replace('\t', "    ")
}

/// A line in parts that fit so many columns; a terminal that broke it itself would begin left of the bar.
fn wrapped(line: &str, columns: usize) -> impl Iterator<Item = String> {
    let mut rows = vec![String::new()];
    let mut used = 0;
    for letter in line.chars() {
        // Terminals disagree about what is wide; a row that is broken too early does no harm.
        let wide = if letter.is_ascii() { 1 } else { 2 };
        if used + wide > columns && used > 0 {
            rows.push(String::new());
            used = 0;
        }
        used += wide;
        if let Some(row) = rows.last_mut() {
            row.push(letter);
        }
    }
    rows.into_iter()
}

/// JSON text without the middle of the long texts in it.
fn pieces(json: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (begin, end) in texts(json) {
        let inside = json.get(begin..end).unwrap_or_default();
        let letters = inside.chars().count();
        if letters <= HEAD + TAIL {
            continue;
        }
        let place = |index: usize| inside.char_indices().nth(index).map_or(end, |(at, _)| begin + at);
        let (cut, resumed) = (place(HEAD), place(letters - TAIL));
        pieces.push(Piece::Kept(json.get(from..cut).unwrap_or_default()));
        pieces.push(Piece::LeftOut(letters - HEAD - TAIL));
        from = resumed;
    }
    pieces.push(Piece::Kept(json.get(from..).unwrap_or_default()));
    pieces
}

/// Where the texts of a JSON text begin and end, without their quotation marks.
fn texts(json: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut begin = None;
    let mut is_escaped = false;
    for (at, letter) in json.char_indices() {
        match (begin, letter) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(start), '"') => {
                found.push((start, at));
                begin = None;
            }
            (None, '"') => begin = Some(at + 1),
            _ => {}
        }
    }
    found
}
