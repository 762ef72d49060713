//! Tables that fit the terminal, by the width that a terminal shows.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::{DIM, Screen, shown, width};
use crate::failed::Result;

/// No column that may shrink becomes narrower, as long as another one can.
const NARROWEST: usize = 12;

/// A column that wraps keeps room for its longest word, up to this many.
const LONGEST_WORD: usize = 28;

/// A text is cut this far before the end of its room to leave a word whole.
const NEAR: usize = 8;

/// Stands for what was cut.
const CUT: &str = "…";

/// What becomes of a column that the terminal has no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// It is cut last of all.
    Whole,
    /// Its end is cut.
    CutEnd,
    /// Its beginning is cut, as of a path.
    CutStart,
    /// It continues in the next line; words stay whole.
    Wrap,
}

/// A cell of a table: texts in their styles.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    parts: Vec<(Style, String)>,
}

impl Cell {
    /// Text in a style; what a terminal would obey is written out.
    pub(crate) fn new(style: Style, text: impl AsRef<str>) -> Self {
        Self::default().and(style, text)
    }

    /// Adds text in another style.
    pub(crate) fn and(mut self, style: Style, text: impl AsRef<str>) -> Self {
        self.parts.push((style, shown(text.as_ref())));
        self
    }

    fn width(&self) -> usize {
        self.parts.iter().map(|(_, text)| text.width()).sum()
    }

    /// The lines that it takes in a width.
    fn lines(&self, room: Room, most: usize) -> Vec<Self> {
        if self.width() <= most {
            return vec![self.clone()];
        }
        let (style, text) = match self.parts.as_slice() {
            [(style, text)] => (*style, text.clone()),
            parts => return vec![cut_parts(parts, most)],
        };
        let lines = match room {
            Room::Wrap => wrapped(&text, most),
            Room::CutStart => vec![cut_start(&text, most)],
            Room::CutEnd | Room::Whole => vec![cut_end(&text, most)],
        };
        lines.into_iter().map(|text| Self { parts: vec![(style, text)] }).collect()
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(Style::new(), text)
    }
}

/// The beginning of some parts.
fn cut_parts(parts: &[(Style, String)], most: usize) -> Cell {
    let mut left = most;
    let mut kept = Vec::new();
    for (style, text) in parts {
        if text.width() > left {
            kept.push((*style, cut_end(text, left)));
            break;
        }
        left -= text.width();
        kept.push((*style, text.clone()));
    }
    Cell { parts: kept }
}

/// The beginning of a text that a width has room for.
fn cut_end(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if kept.width() > most.saturating_sub(1) {
            kept.pop();
            break;
        }
    }
    // Between two words, if a word ends near.
    let whole = kept.rfind(' ').and_then(|at| kept.get(..at)).filter(|whole| whole.width() + NEAR >= kept.width());
    format!("{}{CUT}", whole.unwrap_or(&kept).trim_end())
}

/// The end of a text that a width has room for.
fn cut_start(text: &str, most: usize) -> String {
    let begins = text.char_indices().map(|(at, _)| at);
    let rest = begins.filter_map(|at| text.get(at..)).find(|rest| rest.width() < most).unwrap_or_default();
    format!("{CUT}{rest}")
}

/// A text in lines of a width. A word that is longer than a line has one of its own.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.width() + 1 + word.width() <= most {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Columns of text under headings.
#[derive(Debug)]
pub(crate) struct Table {
    rooms: Vec<Room>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with these headings.
    pub(crate) fn new(columns: &[(&str, Room)]) -> Self {
        let headings = columns.iter().map(|(heading, _)| Cell::new(DIM, heading)).collect();
        Self { rooms: columns.iter().map(|(_, room)| *room).collect(), rows: vec![headings] }
    }

    /// A table whose columns need no headings.
    pub(crate) fn bare(rooms: &[Room]) -> Self {
        Self { rooms: rooms.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    /// Writes the table, indented by some spaces.
    pub(crate) fn write(&self, screen: Screen<'_>, indent: usize) -> Result<()> {
        self.write_within(screen, indent, width())
    }

    /// How narrow a column may become.
    fn least(&self, column: usize) -> usize {
        if self.rooms.get(column) != Some(&Room::Wrap) {
            return NARROWEST;
        }
        let texts = self.rows.iter().filter_map(|row| row.get(column)).flat_map(|cell| &cell.parts);
        let longest = texts.flat_map(|(_, text)| text.split(' ')).map(str::width).max().unwrap_or_default();
        longest.clamp(NARROWEST, LONGEST_WORD)
    }

    fn write_within(&self, screen: Screen<'_>, indent: usize, most: Option<usize>) -> Result<()> {
        let natural = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(Cell::width).max().unwrap_or_default()
        };
        let mut widths: Vec<usize> = (0..self.rooms.len()).map(natural).collect();
        if let Some(most) = most {
            let between = 2 * widths.iter().filter(|width| **width > 0).count().saturating_sub(1);
            let least: Vec<usize> = (0..self.rooms.len()).map(|column| self.least(column)).collect();
            fit(&mut widths, &least, &self.rooms, most.saturating_sub(indent + between));
        }
        for row in &self.rows {
            let cells: Vec<Vec<Cell>> = row
                .iter()
                .zip(&self.rooms)
                .zip(&widths)
                .map(|((cell, room), width)| cell.lines(*room, *width))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or_default();
            for at in 0..height {
                let line = line(cells.iter().map(|lines| lines.get(at)).zip(&widths));
                writeln!(screen, "{}{}", " ".repeat(indent), line)?;
            }
        }
        Ok(())
    }
}

/// One line of cells; nothing follows the last one that has text.
fn line<'c>(cells: impl Iterator<Item = (Option<&'c Cell>, &'c usize)>) -> String {
    let mut line = String::new();
    let mut gap = 0;
    for (cell, width) in cells.filter(|(_, width)| **width > 0) {
        let taken = cell.map_or(0, Cell::width);
        for (style, text) in cell.iter().flat_map(|cell| &cell.parts).filter(|(_, text)| !text.is_empty()) {
            line.push_str(&" ".repeat(std::mem::take(&mut gap)));
            // Writing to a string cannot fail.
            let _ = write!(line, "{style}{text}{style:#}");
        }
        gap += width.saturating_sub(taken) + 2;
    }
    line
}

/// Narrows columns until they fit, the widest first: those whose end may be cut, then those that wrap or keep their end, and
/// those that are to stay whole last.
fn fit(widths: &mut [usize], least: &[usize], rooms: &[Room], most: usize) {
    let order: [fn(&Room) -> bool; 3] =
        [|room| *room == Room::CutEnd, |room| matches!(room, Room::Wrap | Room::CutStart), |_| true];
    for may_shrink in order {
        while widths.iter().sum::<usize>() > most {
            let columns = widths.iter_mut().zip(least).zip(rooms);
            let wide = columns.filter(|((width, least), room)| may_shrink(room) && **width > **least);
            match wide.max_by_key(|((width, _), _)| **width) {
                Some(((width, _), _)) => *width -= 1,
                None => break,
            }
        }
    }
}

/// A text in lines that fit behind what stands before it; one line where nothing is cut.
pub(crate) fn folded(text: &str, before: usize) -> Vec<String> {
    let text = shown(text);
    match width() {
        Some(most) => wrapped(&text, most.saturating_sub(before).max(NARROWEST)),
        None => vec![text],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(table: &Table, most: usize) -> String {
        let mut out = Vec::new();
        table.write_within(&mut out, 2, Some(most)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_table_fits_by_what_a_terminal_shows() {
        let mut table = Table::new(&[("hook", Room::Whole), ("runs", Room::CutEnd), ("why", Room::Wrap)]);
        table.row(["守护".into(), "echo one two three four five six".into(), "it is not approved; review it".into()]);
        table.row(["guard".into(), "exit 2".into(), "".into()]);
        let expected = [
            "  hook   runs          why",
            "  守护   echo one…     it is not",
            "                       approved; review",
            "                       it",
            "  guard  exit 2",
        ];
        let plain = anstream::adapter::strip_str(&printed(&table, 40)).to_string();
        assert_eq!(plain.lines().collect::<Vec<_>>(), expected);
        for line in printed(&table, 40).lines() {
            assert!(anstream::adapter::strip_str(line).to_string().width() <= 40, "{line}");
        }
    }

    #[test]
    fn words_are_not_broken_and_paths_keep_their_end() {
        assert_eq!(wrapped("a longest-word b c", 5), ["a", "longest-word", "b c"]);
        assert_eq!(cut_start("some/where/deep/hookweave.toml:3", 18), "…/hookweave.toml:3");
        assert_eq!(cut_end("日本語の名前", 7), "日本語…");
    }
}
