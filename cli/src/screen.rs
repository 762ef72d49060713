//! What people see: colours where there is a terminal for them, tables, and nothing that a terminal would obey.

mod table;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};
use hookweave_host::escape::escaped;
use serde::Serialize;

use crate::failed::Result;

pub(crate) use table::{Cell, Room, Table, folded};

/// How much is printed, as `--quiet` and `--verbose` have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loudness {
    /// Results alone.
    Quiet,
    /// What most people want to know.
    Usual,
    /// Everything, uncut.
    Verbose,
}

/// A property of the process's output, as its colours are.
static LOUDNESS: OnceLock<Loudness> = OnceLock::new();

/// Sets how much is printed, once.
pub(crate) fn set_loudness(loudness: Loudness) {
    let _ = LOUDNESS.set(loudness);
}

fn loudness() -> Loudness {
    *LOUDNESS.get().unwrap_or(&Loudness::Usual)
}

/// Whether only results are wanted.
pub(crate) fn is_quiet() -> bool {
    loudness() == Loudness::Quiet
}

/// Whether everything is wanted.
pub(crate) fn is_verbose() -> bool {
    loudness() == Loudness::Verbose
}

/// How many columns the reader has: those of `COLUMNS` or of the terminal. `None` in a pipe or a file, where nothing is
/// cut.
pub(crate) fn width() -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    set.or_else(|| {
        let (terminal_size::Width(columns), _) =
            io::stdout().is_terminal().then(terminal_size::terminal_size).flatten()?;
        Some(usize::from(columns))
    })
}

/// Where a command writes; colours are removed if it is no terminal.
pub(crate) type Screen<'s> = &'s mut dyn Write;

/// Output that may lose its reader, as with `| head`: the work is done to its end all the same, and its exit code says how
/// it ended. A caller that only waits checks by `flush` whether the output still has a reader.
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

/// An untrusted text as one line.
pub(crate) fn shown(text: &str) -> String {
    escaped(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// The beginning of a text, where the whole of it would hide everything else.
pub(crate) fn clipped(text: &str) -> Cow<'_, str> {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => {
            let left = text.len() - end;
            Cow::Owned(format!("{}… ({left} bytes more)", text.get(..end).unwrap_or_default()))
        }
        None => Cow::Borrowed(text),
    }
}

/// An untrusted text, with its line breaks.
pub(crate) fn shown_lines(text: &str) -> String {
    escaped(text)
}

/// Writes a value as JSON for programs.
pub(crate) fn json(screen: Screen<'_>, value: &impl Serialize) -> Result<()> {
    writeln!(screen, "{}", inert(&serde_json::to_string_pretty(value)?))?;
    Ok(())
}

/// Writes a value as one line of JSON.
pub(crate) fn json_line(screen: Screen<'_>, value: &impl Serialize) -> Result<()> {
    writeln!(screen, "{}", inert(&serde_json::to_string(value)?))?;
    Ok(())
}

/// JSON in which what a terminal would obey stands as an escape of JSON: the same value, for people who look on.
fn inert(json: &str) -> Cow<'_, str> {
    let is_obeyed = |letter: char| {
        let is_break = letter == '\n';
        !letter.is_ascii_graphic() && !is_break && escaped(letter.encode_utf8(&mut [0; 4])).len() > letter.len_utf8()
    };
    if !json.contains(is_obeyed) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        if is_obeyed(letter) {
            // Writing to a string cannot fail. Two, for what lies beyond the basic plane.
            letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(safe, "\\u{unit:04x}"));
        } else {
            safe.push(letter);
        }
    }
    Cow::Owned(safe)
}

/// `1 hook`, `2 hooks`, `2 entries`, `2 dispatches`.
pub(crate) fn count(number: usize, one: &str) -> String {
    match one.strip_suffix('y') {
        _ if number == 1 => format!("1 {one}"),
        Some(stem) => format!("{number} {stem}ies"),
        _ if one.ends_with("ch") => format!("{number} {one}es"),
        _ => format!("{number} {one}s"),
    }
}

/// Microseconds as a person reads them.
pub(crate) fn micros(micros: f64) -> String {
    if micros > 1e15 {
        // Not a plausible duration, but the log has it.
        format!("{micros:.0e} µs")
    } else if micros < 1000.0 {
        format!("{micros:.0} µs")
    } else if micros < 1_000_000.0 {
        format!("{:.1} ms", micros / 1000.0)
    } else {
        format!("{:.2} s", micros / 1_000_000.0)
    }
}
