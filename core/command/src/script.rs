//! The commands of a script, each with its place in it.

use std::io::Cursor;
use std::ops::Range;
use std::panic::catch_unwind;

use brush_parser::{ParseError, Parser, ParserOptions, SourceInfo};

use crate::line::is_bearable;

/// How many lines one command may have: each is tried as its end.
const MAX_LINES: usize = 512;

/// The commands of a script, as ranges of whole lines that belong together; empty lines and comments belong to none.
///
/// Lines that never come to an end are a command each, so that nothing of a script is left out.
pub fn commands(text: &str) -> impl Iterator<Item = Range<usize>> {
    let lines = lines(text);
    let text_of = |range: Range<usize>| text.get(range).unwrap_or_default();
    // The next line, and up to which line each is a command of its own.
    let (mut at, mut alone) = (0, 0);
    std::iter::from_fn(move || {
        loop {
            let first = lines.get(at)?.clone();
            let start = at;
            at += 1;
            if is_blank(text_of(first.clone())) {
                continue;
            }
            if start < alone {
                return Some(first);
            }
            for (last, line) in lines.iter().enumerate().skip(start).take(MAX_LINES) {
                match end_of(text_of(first.start..line.end)) {
                    End::Here => {
                        at = last + 1;
                        return Some(first.start..line.end);
                    }
                    End::Later => alone = last + 1,
                    End::Unknown => {
                        alone = last + 1;
                        break;
                    }
                }
            }
            return Some(first);
        }
    })
}

/// The lines of a text, without what ends them.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let line = |line: &str| {
        let start = at;
        at += line.len();
        start..start + line.trim_end_matches(['\n', '\r']).len()
    };
    text.split_inclusive('\n').map(line).collect()
}

fn is_blank(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// Where the command ends with which a text begins.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// With the text.
    Here,
    /// Behind the text.
    Later,
    /// The parser does not understand the text, or cannot bear it.
    Unknown,
}

fn end_of(text: &str) -> End {
    let slashes = text.len() - text.trim_end_matches('\\').len();
    if slashes % 2 == 1 {
        return End::Later;
    }
    if !is_bearable(text) {
        return End::Unknown;
    }
    let parse = || Parser::new(Cursor::new(text), &ParserOptions::default(), &SourceInfo::default()).parse_program();
    match catch_unwind(parse) {
        Ok(Err(ParseError::ParsingAtEndOfInput)) => End::Later,
        Ok(Err(ParseError::Tokenizing { inner, .. })) if inner.is_incomplete() => End::Later,
        Ok(Ok(_)) => End::Here,
        Ok(Err(_)) | Err(_) => End::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::commands;

    fn texts(text: &str) -> Vec<&str> {
        commands(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn a_command_has_all_of_its_lines() {
        for command in [
            "ls -l",
            "cp a \\\n  b",
            "echo 'one\ntwo'",
            "cat <<EOF\nrm -rf /\nEOF",
            "if test -f a; then\n  rm a\nelse\n  # no\n  ls\nfi",
            "for i in a b\ndo\n  echo $i\ndone",
            "case $1 in\n  a) ls ;;\n  *) exit 1 ;;\nesac",
            "f() {\n  ls\n}",
            "a &&\n  b",
            "a |\n  b",
            "x=$(ls\n)",
            "(\n  cd a\n  ls\n)",
            "list=(\n  a\n  b\n)",
            "[[ -f a &&\n  -f b ]]",
        ] {
            assert_eq!(texts(&format!("#!/bin/sh\n\npwd\n{command}\n  # last\npwd\r\n")), ["pwd", command, "pwd"]);
        }
    }

    #[test]
    fn nothing_is_left_out() {
        assert_eq!(texts("if x\nrm a\n\nrm b"), ["if x", "rm a", "rm b"]);
        assert_eq!(texts("echo 'a\nrm b"), ["echo 'a", "rm b"]);
        assert_eq!(texts("fi\nrm b"), ["fi", "rm b"]);
        let deep = format!("{}\nrm b", "(".repeat(1000));
        assert_eq!(texts(&deep).last(), Some(&"rm b"));
        let long = format!("echo '{}\nrm b", "a\n".repeat(20_000));
        assert_eq!(texts(&long).last(), Some(&"rm b"));
        assert_eq!(texts(""), Vec::<&str>::new());
    }
}
