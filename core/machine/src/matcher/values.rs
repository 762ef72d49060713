//! What a word may be when the line runs: variables that the line sets to constants are these, braces are each of their
//! parts, and of the rest it is not known what stands there.

use hookweave_command::{Line, Word};

/// Stands for what is not known.
pub(super) const UNKNOWN: char = '\u{1}';

/// How many texts a word may become before nothing is known of what is filled in.
const MAX_TEXTS: usize = 32;

/// How deep variables may be set to variables.
const MAX_DEPTH: usize = 4;

/// The texts that a word may become.
pub(super) fn texts(word: &Word, line: &Line) -> Vec<String> {
    let mut texts = if word.is_filled_in() { filled(&unescaped(word), line, 0) } else { vec![word.plain.clone()] };
    if texts.len() > MAX_TEXTS {
        texts = vec![unknown(&word.plain)];
    }
    if word.plain.contains('{') {
        let split: Vec<String> = texts.iter().flat_map(|text| braces(text)).take(MAX_TEXTS).collect();
        texts.extend(split);
    }
    texts
}

/// Whether nothing of a text is known.
pub(super) fn is_unknown(text: &str) -> bool {
    text.contains(UNKNOWN) && text.chars().all(|letter| letter == UNKNOWN || letter == '/')
}

/// Whether a text fits one in which parts are not known.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split(UNKNOWN);
    let Some(mut rest) = parts.next().and_then(|start| text.strip_prefix(start)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((end, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(end)
}

/// A text in which nothing that is filled in is known.
fn unknown(text: &str) -> String {
    pieces(text)
        .into_iter()
        .map(|piece| if let Piece::Text(text) = piece { text.to_owned() } else { UNKNOWN.into() })
        .collect()
}

enum Piece<'t> {
    Text(&'t str),
    /// A variable, and what is done with its value.
    Variable(&'t str, &'t str),
}

/// The parts of a text that are filled in, and those that are not.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, behind) = rest.split_at(at);
        pieces.push(Piece::Text(before));
        let behind = behind.get(1..).unwrap_or_default();
        let length = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        if let Some((inside, after)) = behind.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            let (name, operator) = inside.split_at(length(inside));
            pieces.push(Piece::Variable(name, operator));
            rest = after;
        } else {
            // `$1`, `$@`
            let length = length(behind).max(behind.chars().next().map_or(0, char::len_utf8).min(1));
            let (name, after) = behind.split_at_checked(length).unwrap_or((behind, ""));
            pieces.push(Piece::Variable(name, ""));
            rest = after;
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

fn filled(text: &str, line: &Line, depth: usize) -> Vec<String> {
    let mut texts = vec![String::new()];
    for piece in pieces(text) {
        let values = match piece {
            Piece::Text(text) => vec![text.to_owned()],
            Piece::Variable(name, operator) => values(name, operator, line, depth),
        };
        texts = texts.iter().flat_map(|text| values.iter().map(move |value| format!("{text}{value}"))).collect();
        if texts.len() > MAX_TEXTS {
            return vec![unknown(text)];
        }
    }
    texts
}

/// The values that a variable may have.
fn values(name: &str, operator: &str, line: &Line, depth: usize) -> Vec<String> {
    let nothing_known = || vec![UNKNOWN.to_string()];
    if depth >= MAX_DEPTH || name.is_empty() || name == "_" {
        return nothing_known();
    }
    let mut values = Vec::new();
    for (_, value) in line.assigned.iter().filter(|(known, _)| known == name) {
        match value {
            Some(word) if word.is_filled_in() => values.extend(filled(&unescaped(word), line, depth + 1)),
            Some(word) => values.push(word.plain.clone()),
            None => values.push(UNKNOWN.to_string()),
        }
    }
    if values.is_empty() {
        values = match name {
            "PWD" => vec![".".to_owned()],
            "HOME" => vec!["~".to_owned()],
            _ => nothing_known(),
        };
    }
    let word = operator.trim_start_matches(':');
    match word.chars().next() {
        None => values,
        Some('-' | '=' | '+') => {
            values.push(word.get(1..).unwrap_or_default().to_owned());
            values
        }
        Some(_) => values.iter().map(|value| changed(value, operator)).collect(),
    }
}

/// A value as an operator leaves it: without a start or an end that is a plain text, or not known.
fn changed(value: &str, operator: &str) -> String {
    let is_plain = |text: &str| !text.contains(['*', '?', '[', UNKNOWN]);
    let taken = operator.trim_start_matches(['#', '%']);
    match operator.chars().next() {
        _ if !is_plain(taken) || !is_plain(value) => UNKNOWN.to_string(),
        Some('#') => value.strip_prefix(taken).unwrap_or(value).to_owned(),
        Some('%') => value.strip_suffix(taken).unwrap_or(value).to_owned(),
        _ => UNKNOWN.to_string(),
    }
}

/// The text of a word in which `$'…'` is read: `$'\x2e'` is a dot.
fn unescaped(word: &Word) -> String {
    if !word.raw().contains("$'") {
        return word.plain.clone();
    }
    let mut text = String::new();
    let mut rest = word.plain.as_str();
    while let Some((before, behind)) = rest.split_once('\\') {
        text.push_str(before);
        let (letter, length) = escape(behind);
        text.extend(letter);
        rest = behind.get(length..).unwrap_or_default();
    }
    text + rest
}

/// The letter that stands behind a backslash, and how much of the text says so.
fn escape(behind: &str) -> (Option<char>, usize) {
    let number = |from: usize, most: usize, radix: u32| {
        let digits: String = behind.chars().skip(from).take(most).take_while(|digit| digit.is_digit(radix)).collect();
        let letter = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32);
        (letter, from + digits.len())
    };
    match behind.chars().next() {
        Some('x') => number(1, 2, 16),
        Some('u') => number(1, 4, 16),
        Some('U') => number(1, 8, 16),
        Some(digit) if digit.is_digit(8) => number(0, 3, 8),
        Some(letter) => (Some(letter), letter.len_utf8()),
        None => (None, 0),
    }
}

/// The texts that the first braces of a text stand for: `a{b,c}` is `ab` and `ac`.
fn braces(text: &str) -> Vec<String> {
    let parts = text.split_once('{').and_then(|(before, rest)| {
        let (inside, behind) = rest.split_once('}')?;
        inside.contains(',').then_some((before, inside, behind))
    });
    let Some((before, inside, behind)) = parts else { return Vec::new() };
    inside
        .split(',')
        .flat_map(|part| {
            let text = format!("{before}{part}{behind}");
            let more = braces(&text);
            if more.is_empty() { vec![text] } else { more }
        })
        .take(MAX_TEXTS)
        .collect()
}
