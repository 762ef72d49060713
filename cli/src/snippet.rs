//! Mistakes with the line in which they stand.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use hookweave_host::config::Problem;
use hookweave_host::config::lint::Severity;

use crate::document;
use crate::failed::{Failed, Place, Result};
use crate::policy::relative;
use crate::screen::{shown, shown_lines, width};

/// No line of a source is shown beyond so many bytes: files of one line exist.
const LONGEST_LINE: usize = 4096;

/// The mark of what `hookweave lint --fix` fixes.
pub(crate) const FIXABLE: &str = " [*]";

const fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// A mistake, where it stands, and what to do about it.
#[derive(Debug)]
pub(crate) struct Mistake<'m> {
    pub(crate) severity: Severity,
    /// The rule that found it.
    pub(crate) rule: Option<&'m str>,
    pub(crate) what: &'m str,
    /// The file as the reader knows it.
    pub(crate) file: String,
    /// Its text, if it can be shown.
    pub(crate) text: Option<&'m str>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) fix: Option<&'m str>,
}

impl Mistake<'_> {
    /// Writes it with the line in which it stands.
    pub(crate) fn write(&self, out: &mut dyn Write) -> Result<()> {
        let Self { severity, rule, what, file, text, line, column, fix } = self;
        let what = shown_lines(what);
        let title = level(*severity).primary_title(&what);
        let title = match rule {
            Some(rule) => title.id(*rule),
            None => title,
        };
        let shown_line = text.and_then(|text| line_of(text, (*line)?, column.unwrap_or(1)));
        let group = match (&shown_line, line) {
            (Some((source, range)), Some(line)) => title.element(
                Snippet::source(source.as_str())
                    .line_start(*line)
                    .path(file.as_str())
                    .annotation(AnnotationKind::Primary.span(range.clone())),
            ),
            (None, Some(line)) => {
                let origin = Origin::path(file.as_str()).line(*line);
                title.element(match column {
                    Some(column) => origin.char_column(*column),
                    None => origin,
                })
            }
            (_, None) if !file.is_empty() => title.element(Origin::path(file.as_str())),
            _ => Group::with_title(title),
        };
        let fix = fix.map(shown_lines);
        let group = match &fix {
            Some(fix) => group.element(Level::HELP.message(fix)),
            None => group,
        };
        let renderer = Renderer::styled().decor_style(DecorStyle::Ascii).term_width(width().unwrap_or(100).max(40));
        Ok(writeln!(out, "{}", renderer.render(&[group]))?)
    }
}

/// A line of a text, and the bytes in it that are meant; what a terminal would obey is taken out.
fn line_of(text: &str, line: usize, column: usize) -> Option<(String, Range<usize>)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let source = text.lines().nth(line.checked_sub(1)?)?;
    if source.len() > LONGEST_LINE {
        return None;
    }
    // One character for another, so that columns stay.
    let source: String = source.chars().map(|letter| if is_obeyed(letter) { '\u{FFFD}' } else { letter }).collect();
    let from = source.char_indices().nth(column.checked_sub(1)?).map_or(source.len(), |(at, _)| at);
    let rest = source.get(from..).unwrap_or_default();
    let long = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let mut is_escaped = false;
            let end = rest.char_indices().skip(1).find(|(_, letter)| {
                let ends = *letter == quote && !is_escaped;
                is_escaped = *letter == '\\' && !is_escaped;
                ends
            });
            end.map_or(rest.len(), |(at, _)| at + 1)
        }
        Some('[') if rest.starts_with("[[") => rest.find("]]").map_or(rest.len(), |end| end + 2),
        Some('{' | '[') => 1,
        _ => rest.find([' ', '\t', '=', ',', ':', '}', ']']).unwrap_or(rest.len()).max(1),
    };
    let end = (from + long).min(source.len());
    Some((source, from..end))
}

fn is_obeyed(letter: char) -> bool {
    letter != '\t' && shown(letter.encode_utf8(&mut [0; 4])).len() > letter.len_utf8()
}

/// A mistake in a hooks file, with the line in which it stands.
pub(crate) fn problem(
    out: &mut dyn Write,
    problem: &Problem,
    severity: Severity,
    rule: Option<&str>,
    below: &Path,
) -> Result<()> {
    let text = problem.line.and_then(|_| document::read_text(&problem.file).ok());
    let in_place = with_subject(problem);
    let (what, fix) = match in_place.split_once("; ") {
        Some((what, fix)) => (what, Some(fix)),
        None => (in_place.as_str(), None),
    };
    // Only lint knows how to mend it.
    let mark = if rule.is_some() && problem.fix.is_some() { FIXABLE } else { "" };
    Mistake {
        severity,
        rule,
        what: &format!("{what}{mark}"),
        file: shown(&relative(&problem.file, below)),
        text: text.as_deref(),
        line: problem.line,
        column: problem.column,
        fix,
    }
    .write(out)?;
    Ok(writeln!(out)?)
}

/// What is wrong, with what it is wrong with: a message may leave that to the place.
fn with_subject(problem: &Problem) -> String {
    const VERBS: &[&str] = &["must ", "is ", "says ", "holds ", "names ", "belongs ", "needs ", "has "];
    let message = &problem.message;
    let last = problem.place.rsplit('.').next().unwrap_or_default();
    if last.is_empty() {
        return message.clone();
    }
    if let Some(rest) = message.strip_prefix("unknown field") {
        return format!("unknown field `{last}`{rest}");
    }
    if VERBS.iter().any(|verb| message.starts_with(verb)) { format!("`{last}` {message}") } else { message.clone() }
}

/// Why a command ended.
pub(crate) fn failed(out: &mut dyn Write, failed: &Failed) -> Result<()> {
    match failed {
        Failed::Problems(problems, fix) => {
            for one in problems {
                problem(out, one, Severity::Error, None, Path::new("."))?;
            }
            message(out, fix)
        }
        Failed::Place(place) => {
            let Place { file, text, line, column, what, fix } = &**place;
            let (line, column) = (Some(*line), Some(*column));
            let fix = Some(fix.as_str()).filter(|fix| !fix.is_empty());
            let file = shown(&file.display().to_string());
            Mistake { severity: Severity::Error, rule: None, what, file, text: Some(text), line, column, fix }
                .write(out)
        }
        Failed::Message(_) | Failed::NobodyReads => message(out, &failed.to_string()),
    }
}

fn message(out: &mut dyn Write, what: &str) -> Result<()> {
    let style = crate::screen::BAD.bold();
    Ok(writeln!(out, "{style}error:{style:#} {}", shown_lines(&without_numbers(what)))?)
}

/// A message without the numbers that the system gives its errors, which say nothing beside their words.
fn without_numbers(what: &str) -> String {
    let mut parts = what.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let number = part.find(')').filter(|end| part.bytes().take(*end).all(|digit| digit.is_ascii_digit()));
        match number.and_then(|end| part.get(end + 1..)) {
            Some(rest) => text + rest,
            None => text + " (os error " + part,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_system_are_left_out() {
        assert_eq!(without_numbers("a: no file (os error 2); name one (os error 13)"), "a: no file; name one");
        assert_eq!(without_numbers("a (os error of mine) b"), "a (os error of mine) b");
    }
}
