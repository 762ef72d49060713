//! What stands between the values of a JSON text: blanks, comments and commas.

/// What a gap is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Comma,
    Comment,
}

/// The parts of a gap, with where each ends.
fn parts(text: &str, from: usize, to: usize) -> impl Iterator<Item = (Kind, usize, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..to).filter(|rest| !rest.is_empty())?;
        let first = rest.chars().next()?;
        let (kind, length) = match first {
            ',' => (Kind::Comma, 1),
            '/' if rest.starts_with("//") => (Kind::Comment, rest.find(['\n', '\r']).unwrap_or(rest.len())),
            '/' => (Kind::Comment, rest.find("*/").map_or(rest.len(), |end| end + 2)),
            first => (Kind::Blank, first.len_utf8()),
        };
        let start = at;
        at += length;
        Some((kind, start, at))
    })
}

/// Where the comma of a gap stands.
pub(super) fn comma(text: &str, from: usize, to: usize) -> Option<usize> {
    parts(text, from, to).find(|(kind, ..)| *kind == Kind::Comma).map(|(_, start, _)| start)
}

/// Where the blanks at the end of a gap begin.
pub(super) fn solid_end(text: &str, from: usize, to: usize) -> usize {
    parts(text, from, to).filter(|(kind, ..)| *kind != Kind::Blank).last().map_or(from, |(.., end)| end)
}

/// Where the rest of the same line ends: a comment there belongs to what is before it.
pub(super) fn line_end(text: &str, from: usize, to: usize) -> usize {
    let in_line = parts(text, from, to)
        .take_while(|(_, start, end)| text.get(*start..*end).is_some_and(|part| !part.contains(['\n', '\r'])));
    in_line.filter(|(kind, ..)| *kind == Kind::Comment).last().map_or(from, |(.., end)| end)
}
