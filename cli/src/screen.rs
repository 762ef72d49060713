//! What people see: colours where there is a terminal for them, tables, and nothing that a terminal would obey.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use hookweave::session::escaped;
use serde::Serialize;

use crate::failed::Result;

/// Where a command writes; colours are taken out again where nobody would see them.
pub(crate) type Screen<'s> = &'s mut dyn Write;

/// Output that may lose its reader, as with `| head`: the work is done to its end all the same, and its exit code says how
/// it ended. Whoever only waits for more asks by `flush` whether somebody reads it.
#[derive(Debug)]
pub(crate) struct Unread<W> {
    out: W,
    is_unread: bool,
}

impl<W: Write> Unread<W> {
    /// Output that is read.
    pub(crate) const fn new(out: W) -> Self {
        Self { out, is_unread: false }
    }
}

impl<W: Write> Write for Unread<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_unread {
            return Ok(bytes.len());
        }
        match self.out.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_unread = true;
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_unread { Err(io::ErrorKind::BrokenPipe.into()) } else { self.out.flush() }
    }
}

/// Headings.
pub(crate) const BOLD: Style = Style::new().bold();
/// What is beside the point.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What refuses, or is broken.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// What should be looked at.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();

/// A text in a style, with what a terminal would obey written out.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{}{style:#}", shown(text))
}

/// A text of somebody else's as one line.
pub(crate) fn shown(text: &str) -> String {
    escaped(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// A text of somebody else's in which line breaks stay.
pub(crate) fn shown_lines(text: &str) -> String {
    escaped(text)
}

/// Writes a value as JSON for programs.
pub(crate) fn json(screen: Screen<'_>, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer_pretty(&mut *screen, value)?;
    Ok(writeln!(screen)?)
}

/// A cell of a table.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Text in a style; what a terminal would obey is written out.
    pub(crate) fn new(style: Style, text: impl AsRef<str>) -> Self {
        Self { text: shown(text.as_ref()), style }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(Style::new(), text)
    }
}

/// Columns of text under headings.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with these headings.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self { rows: vec![headings.iter().map(|heading| Cell::new(DIM, heading)).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    /// Writes the table, indented by some spaces.
    pub(crate) fn write(&self, screen: Screen<'_>, indent: usize) -> Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = " ".repeat(indent);
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let Cell { text, style } = cell;
                // Writing to a string cannot fail.
                let _ = write!(line, "{style}{text}{style:#}");
                if at + 1 < row.len() {
                    line.push_str(&" ".repeat(width - text.chars().count() + 2));
                }
            }
            writeln!(screen, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// `1 hook`, `2 hooks`.
pub(crate) fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// Microseconds as a person reads them.
pub(crate) fn micros(micros: f64) -> String {
    if micros < 1000.0 {
        format!("{micros:.0} µs")
    } else if micros < 1_000_000.0 {
        format!("{:.1} ms", micros / 1000.0)
    } else {
        format!("{:.2} s", micros / 1_000_000.0)
    }
}
