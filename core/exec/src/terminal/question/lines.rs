//! The lines of a question: text of others stands right of a bar, notes about it left of it.

use super::flat;
use super::layout::{LeftOut, Limits, Room};
use super::section::{ABOUT_ROWS, Part, Row, Section};
use hookweave_machine::escape::escaped;
use hookweave_machine::met::CommandPart;

/// Columns left of the bar.
pub(super) const LABEL: usize = 8;
/// Characters that stay at the beginning of a text in arguments that are too long for such a screen.
const HEAD: usize = 600;
/// And at its end, where a command may have its sting.
const TAIL: usize = 400;

const TITLE: &str = "hookweave asks for your decision";
const CUT: &str = "Not all of it is shown. Type ? to see it before you allow it.";
const ABOVE: &str = "All of it stands above.";

/// Begins a line of what others have written.
const LINE: char = '|';
/// Goes on with a line that is wider than the terminal.
const MORE: char = ':';
/// Stands before the signs below what stands out in the line above.
const BELOW: char = '^';
/// Stands before a note about it.
const OWN: char = '*';

/// A part of a text.
enum Piece<'t> {
    Kept(&'t str),
    LeftOut(usize),
}

/// A question being written down.
pub(super) struct QuestionLines {
    sections: Vec<Section>,
    width: usize,
    /// Columns left of the bar, and right of it.
    label: usize,
    columns: usize,
    height: usize,
    /// A long text in the arguments was shortened.
    shortened: bool,
    /// Everything is to be shown, however long.
    whole: bool,
}

impl QuestionLines {
    /// For a terminal of so many columns, of which labels take so many, and of which so many rows are for the question.
    pub(super) fn new((width, height): (usize, usize), label: usize, whole: bool) -> Self {
        let columns = width.saturating_sub(label + 3).max(1);
        Self { sections: Vec::new(), width, height, label, columns, shortened: false, whole }
    }

    /// The rows of a note that is shown later.
    pub(super) fn note_text(&self, note: &str) -> String {
        let mut text = String::new();
        self.write_note(&mut text, note);
        text
    }

    /// Whether something is left out.
    pub(super) fn is_cut(&self) -> bool {
        self.shortened || self.limits().is_some()
    }

    /// The question, where what does not fit is left out.
    pub(super) fn text(&self) -> String {
        let limits = self.limits();
        let is_cut = self.shortened || limits.is_some();
        self.written(limits, is_cut.then_some(CUT))
    }

    /// The same, behind all of it.
    pub(super) fn text_after_all(&self) -> String {
        self.written(self.limits(), Some(ABOVE))
    }

    /// All of it, however many rows that takes.
    pub(super) fn all(&self) -> String {
        self.written(None, None)
    }

    /// Whether there is room for all of it.
    pub(super) fn fits(&self) -> bool {
        let sections: usize = self.sections.iter().map(|section| section.height(usize::MAX)).sum();
        self.title_rows() + sections <= self.height
    }

    fn title_rows(&self) -> usize {
        1 + TITLE.len().div_ceil(self.width.max(1))
    }

    fn limits(&self) -> Option<Limits> {
        let rows = self.height.saturating_sub(self.title_rows());
        let note = wrapped(CUT, self.columns).count();
        let options = wrapped(LeftOut::LONGEST, self.columns).count();
        // Where a text was shortened something is left out for certain.
        let (rows, note) = if self.shortened { (rows.saturating_sub(note), 0) } else { (rows, note) };
        let room = Room { rows, note, options };
        Limits::of(&self.sections, room)
    }

    /// A name: its line breaks are written out.
    pub(super) fn name(&mut self, label: &str, name: &str) {
        self.add(Part::Name, label, &flat(name));
    }

    /// An option.
    pub(super) fn option(&mut self, number: usize, option: &str, allows: bool) {
        let does = if allows { "allow" } else { "deny" };
        self.add(Part::Option(allows), &format!("{number} {does}"), &flat(option));
    }

    /// The words of a question.
    pub(super) fn prompt(&mut self, label: &str, prompt: &str) {
        self.add(Part::Prompt, label, &in_lines(prompt));
    }

    /// A text that it is about.
    pub(super) fn about(&mut self, label: &str, text: &str) {
        self.add(Part::About, label, &in_lines(text));
    }

    /// Arguments as JSON text; where they are too long, every text in them keeps its beginning and its end.
    pub(super) fn json(&mut self, label: &str, json: &str) {
        let json = in_lines(json);
        let mut rows = self.rows_of(&json);
        if rows.len() > ABOUT_ROWS.min(self.height * 2 / 3) && !self.whole {
            rows = self.shortened(&json);
        }
        self.push(Part::About, label, rows);
    }

    /// A command line; where only parts of it stand out, a row below each of its rows says which.
    pub(super) fn command(&mut self, label: &str, parts: &[CommandPart]) {
        let stands_out = parts.iter().any(|part| part.met) && !parts.iter().all(|part| part.met);
        let mut rows = vec![(LINE, CommandRow::default())];
        for part in parts {
            for letter in in_lines(&part.text).chars() {
                let is_full = rows.last().is_some_and(|(_, row)| !row.has_room(letter, self.columns));
                if letter == '\n' || is_full {
                    rows.push((if letter == '\n' { LINE } else { MORE }, CommandRow::default()));
                }
                if let Some((_, row)) = rows.last_mut().filter(|_| letter != '\n') {
                    row.push(letter, part.met);
                }
            }
        }
        let rows = rows.into_iter().flat_map(|(sign, row)| {
            let below = row.below.trim_end().to_owned();
            let below = (stands_out && !below.is_empty()).then_some((BELOW, below));
            std::iter::once((sign, row.text)).chain(below)
        });
        let rows = rows.collect();
        self.push(Part::About, label, rows);
    }

    /// A text of the engine's own.
    pub(super) fn note(&mut self, label: &str, note: &str) {
        let notes = self.noted(note);
        self.sections.push(Section { part: Part::Name, label: label.to_owned(), rows: Vec::new(), cut: 0, notes });
    }

    /// The same, about what was added last.
    pub(super) fn note_on_last(&mut self, note: &str) {
        let notes = self.noted(note);
        if let Some(last) = self.sections.last_mut() {
            last.notes.extend(notes);
        }
    }

    fn noted(&self, note: &str) -> Vec<Row> {
        wrapped(note, self.columns).map(|row| (OWN, row)).collect()
    }

    fn add(&mut self, part: Part, label: &str, text: &str) {
        let rows = self.rows_of(text);
        self.push(part, label, rows);
    }

    fn push(&mut self, part: Part, label: &str, rows: Vec<Row>) {
        let cut = self.noted(&left_out(rows.len())).len();
        self.sections.push(Section { part, label: label.to_owned(), rows, cut, notes: Vec::new() });
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
        let room = self.columns * self.height;
        for piece in pieces(json, HEAD.min(room / 6), TAIL.min(room / 9)) {
            match piece {
                Piece::Kept(text) => {
                    let mut kept = self.rows_of(text);
                    if let (false, Some((sign, _))) = (rows.is_empty(), kept.first_mut()) {
                        *sign = MORE;
                    }
                    rows.extend(kept);
                }
                Piece::LeftOut(letters) => {
                    self.shortened = true;
                    rows.extend(self.noted(&format!("{letters} characters are left out here")));
                }
            }
        }
        rows
    }

    fn written(&self, limits: Option<Limits>, note: Option<&str>) -> String {
        let mut text = format!("\n{TITLE}\n");
        let left_out = limits.as_ref().and_then(|limits| limits.options_left_out(&self.sections));
        let mut number = 0;
        for section in &self.sections {
            if matches!(section.part, Part::Option(_)) {
                number += 1;
                if let Some(out) = left_out.as_ref().filter(|out| out.numbers.contains(&number)) {
                    if number == *out.numbers.start() {
                        self.write_note(&mut text, &out.say());
                    }
                    continue;
                }
            }
            let most = limits.as_ref().map_or(usize::MAX, |limits| limits.most(section.part));
            self.write(&mut text, section, most);
        }
        if let Some(note) = note {
            self.write_note(&mut text, note);
        }
        text
    }

    /// Writes rows with a label before the first; too many of them are cut in their middle.
    fn write(&self, text: &mut String, section: &Section, most: usize) {
        let rows = &section.rows;
        let too_many = section.left_out(most);
        let head = if too_many == 0 { rows.len() } else { most.div_ceil(2) };
        let mut label = section.label.as_str();
        let mut write = |sign: char, row: &str| self.write_row(text, std::mem::take(&mut label), sign, row);
        for (index, (sign, row)) in rows.iter().enumerate() {
            if index == head {
                self.noted(&left_out(too_many)).iter().for_each(|(sign, row)| write(*sign, row));
            }
            if index < head || index >= head + too_many {
                write(*sign, row);
            }
        }
        for (sign, row) in &section.notes {
            write(*sign, row);
        }
    }

    fn write_note(&self, text: &mut String, note: &str) {
        for (sign, row) in self.noted(note) {
            self.write_row(text, "", sign, &row);
        }
    }

    fn write_row(&self, text: &mut String, label: &str, sign: char, row: &str) {
        let line = format!("{label:>width$} {sign} {row}", width = self.label);
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

fn left_out(rows: usize) -> String {
    format!("{rows} lines are left out here")
}

/// A text safe to be shown, whose line breaks stay.
fn in_lines(text: &str) -> String {
    escaped(text).replace('\t', "    ")
}

/// A row of a command line.
#[derive(Default)]
struct CommandRow {
    text: String,
    /// The signs below what stands out.
    below: String,
}

impl CommandRow {
    fn has_room(&self, letter: char, columns: usize) -> bool {
        self.below.is_empty() || self.below.len() + width(letter) <= columns
    }

    fn push(&mut self, letter: char, met: bool) {
        self.text.push(letter);
        self.below.push_str(&if met { "^" } else { " " }.repeat(width(letter)));
    }
}

/// Columns of a letter. Terminals disagree about what is wide; a row that is broken too early does no harm.
const fn width(letter: char) -> usize {
    if letter.is_ascii() { 1 } else { 2 }
}

/// A line in parts that fit so many columns; a terminal that broke it itself would begin left of the bar.
fn wrapped(line: &str, columns: usize) -> impl Iterator<Item = String> {
    let mut rows = vec![String::new()];
    let mut used = 0;
    for letter in line.chars() {
        let wide = width(letter);
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

/// JSON text without the middle of the long texts in it, of which so many letters stay at both ends.
fn pieces(json: &str, head: usize, tail: usize) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (begin, end) in texts(json) {
        let inside = json.get(begin..end).unwrap_or_default();
        let letters = inside.chars().count();
        if letters <= head + tail {
            continue;
        }
        let place = |index: usize| inside.char_indices().nth(index).map_or(end, |(at, _)| begin + at);
        let (cut, resumed) = (place(head), place(letters - tail));
        pieces.push(Piece::Kept(json.get(from..cut).unwrap_or_default()));
        pieces.push(Piece::LeftOut(letters - head - tail));
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
