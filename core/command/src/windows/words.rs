//! Words of the languages of Windows, and how a shell says them.

use crate::plain;

/// Stands for what is filled in when the line runs.
const FILLED: &str = "\"${_}\"";

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// A text, and whether it stands in quotes.
    Text(String, bool),
    /// A variable, by its name in a shell.
    Variable(String),
    /// What these commands print.
    Output(String),
}

/// A word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
    /// It is any number of words.
    pub(super) is_spread: bool,
}

/// How a word is said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// It is a path.
    pub(super) is_path: bool,
    /// Patterns of files count within quotes too.
    pub(super) matches: bool,
    /// What its commands print is said by these, once in a line.
    pub(super) runs: bool,
}

impl Style {
    /// A path of a cmdlet.
    pub(super) const PATH: Self = Self { is_path: true, matches: true, runs: true };
    /// A word of a program.
    pub(super) const WORD: Self = Self { is_path: false, matches: false, runs: true };
    /// A word that has been said before.
    pub(super) const AGAIN: Self = Self { is_path: false, matches: false, runs: false };
}

impl Word {
    pub(super) fn of(text: &str) -> Self {
        Self { parts: vec![Part::Text(text.to_owned(), false)], is_spread: false }
    }

    pub(super) fn unknown() -> Self {
        Self { parts: vec![Part::Variable("_".to_owned())], is_spread: false }
    }

    pub(super) fn output(commands: String) -> Self {
        Self { parts: vec![Part::Output(commands)], is_spread: false }
    }

    pub(super) fn push(&mut self, text: &str, is_quoted: bool) {
        if let Some(Part::Text(last, quoted)) = self.parts.last_mut()
            && *quoted == is_quoted
        {
            last.push_str(text);
        } else {
            self.parts.push(Part::Text(text.to_owned(), is_quoted));
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.is_spread |= other.is_spread;
        self.parts.extend(other.parts);
    }

    /// What it is, if nothing of it is filled in.
    pub(super) fn fixed(&self) -> Option<String> {
        let text = |part: &Part| if let Part::Text(text, _) = part { Some(text.clone()) } else { None };
        self.parts.iter().map(text).collect::<Option<Vec<_>>>().map(|texts| texts.concat())
    }

    /// The text that it begins with.
    pub(super) fn start(&self) -> &str {
        if let Some(Part::Text(text, _)) = self.parts.first() { text } else { "" }
    }

    /// The commands whose output is a part of it.
    pub(super) fn commands(&self) -> impl Iterator<Item = &String> {
        self.parts.iter().filter_map(|part| if let Part::Output(commands) = part { Some(commands) } else { None })
    }

    /// The name of the parameter that it begins with, and what stands behind its colon.
    pub(super) fn parameter(&self) -> Option<(String, Option<Self>)> {
        let Some(Part::Text(text, false)) = self.parts.first() else { return None };
        let name =
            text.strip_prefix('-').filter(|name| name.starts_with(|letter: char| letter.is_ascii_alphabetic()))?;
        match name.split_once(':') {
            None if self.parts.len() == 1 => Some((name.to_owned(), None)),
            None => None,
            Some((name, rest)) => {
                let mut value = Self { parts: self.parts.get(1..)?.to_vec(), is_spread: false };
                if !rest.is_empty() {
                    value.parts.insert(0, Part::Text(rest.to_owned(), false));
                }
                Some((name.to_owned(), Some(value).filter(|value| !value.parts.is_empty())))
            }
        }
    }

    /// It as a shell says it.
    pub(super) fn say(&self, style: Style) -> String {
        let mut out = String::new();
        let mut parts = self.parts.iter();
        let first = self.start();
        let is_path = style.is_path || looks_like_path(first);
        if is_path {
            // Quotes within a path change nothing of where it leads.
            let texts = self.parts.iter().take_while(|part| matches!(part, Part::Text(..)));
            let count = texts.clone().count();
            let start: String =
                texts.map(|part| if let Part::Text(text, _) = part { text.as_str() } else { "" }).collect();
            if count > 0 {
                let matches = style.matches || self.parts.iter().any(|part| matches!(part, Part::Text(_, false)));
                out.push_str(&said_path(&path(&start), matches));
                parts = self.parts.get(count..).unwrap_or_default().iter();
            }
        }
        for part in parts {
            match part {
                Part::Text(text, is_quoted) => {
                    let matches = style.matches || !is_quoted;
                    let text = if is_path || text.starts_with('\\') { text.replace('\\', "/") } else { text.clone() };
                    out.push_str(&quoted(&text, matches));
                }
                Part::Variable(name) if self.is_spread => out.extend(["${", name, "}"]),
                Part::Variable(name) => out.extend(["\"${", name, "}\""]),
                Part::Output(commands) if style.runs => out.extend(["\"$(", commands, ")\""]),
                Part::Output(_) => out.push_str(FILLED),
            }
        }
        if out.is_empty() { "''".to_owned() } else { out }
    }
}

/// A text as a shell says it, patterns of files as such or as text.
pub(super) fn quoted(text: &str, matches: bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.find(['*', '?']).filter(|_| matches).unwrap_or(rest.len());
        let (before, behind) = rest.split_at(at);
        if !before.is_empty() {
            out.push_str(&plain::quoted(before));
        }
        rest = behind;
        if let Some(sign) = rest.chars().next() {
            out.push(sign);
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    out
}

fn said_path(path: &str, matches: bool) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{}", quoted(rest, matches)),
        _ => quoted(path, matches),
    }
}

/// Whether a text begins as paths of Windows do, and nothing else.
fn looks_like_path(text: &str) -> bool {
    let letters = text.as_bytes();
    let is_drive = letters.first().is_some_and(u8::is_ascii_alphabetic)
        && letters.get(1) == Some(&b':')
        && letters.get(2).is_none_or(|letter| matches!(letter, b'\\' | b'/'));
    is_drive || [".\\", "..\\", "~\\", "\\\\"].iter().any(|start| text.starts_with(start))
}

/// The name that rules know for a path: the root for a drive, the folders of a Unix machine for those that mean the same.
pub(super) fn path(text: &str) -> String {
    let text = text.rsplit_once("::").map_or(text, |(provider, rest)| {
        if provider.to_ascii_lowercase().ends_with("filesystem") { rest } else { text }
    });
    let text = text.replace('\\', "/");
    let text = ["//?/", "//./"].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(&text);
    if text.to_ascii_lowercase().starts_with("physicaldrive") {
        return "/dev/sda".to_owned();
    }
    // `\\host\c$` is a drive too, and the drive of the home folder stands before it.
    let shared = text.strip_prefix("//").and_then(|text| {
        let (drive, rest) = text.split_once('/')?.1.split_once('$')?;
        (drive.len() == 1).then(|| format!("{drive}:{rest}"))
    });
    let text = shared.as_deref().unwrap_or(text);
    let text = text.strip_prefix("C:~").map_or_else(|| text.to_owned(), |rest| format!("~{rest}"));
    let Some((drive, rest)) = text.split_once(':') else { return text };
    let is_drive = drive.len() == 1 && drive.starts_with(|letter: char| letter.is_ascii_alphabetic());
    if !is_drive || !(rest.is_empty() || rest.starts_with('/')) {
        return text;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let lower: Vec<String> = parts.iter().map(|part| part.to_ascii_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let (start, behind) = match lower.as_slice() {
        [] => ("/", 0),
        ["*" | "*.*"] => ("/*", 1),
        ["windows", "system32", "drivers", "etc", ..] => ("/etc", 4),
        ["windows", "system32" | "syswow64", ..] => ("/lib", 2),
        ["windows", ..] => ("/System", 1),
        ["program files" | "program files (x86)", ..] => ("/Applications", 1),
        ["programdata", ..] => ("/Library", 1),
        ["users"] | ["users", "*"] => ("/Users", 1),
        ["users", _] | ["users", _, "*" | "documents" | "desktop" | "downloads" | "pictures"] => ("~", 2),
        // What is hidden there are settings and keys.
        ["users", _, hidden, ..] if hidden.starts_with('.') => ("~", 2),
        _ => return format!("{drive}:/{}", parts.join("/")),
    };
    let rest = parts.get(behind..).unwrap_or_default();
    rest.iter().fold(start.to_owned(), |path, part| format!("{path}/{part}"))
}
