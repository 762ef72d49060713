//! Where the commands of a line stand in its text.

use std::ops::Range;

use crate::line::{Simple, Word};
use crate::memo::Reading;

/// Stands before what is filled in, in words whose text is elsewhere.
const FILLED: [&str; 2] = ["${_}", "${#}"];

impl Reading {
    /// Where in the text the words of its commands stand in a row, those of one command as often as they do.
    ///
    /// A command whose words are put together when the line runs stands nowhere; a comment may look like a command.
    #[must_use]
    pub fn spans(&self) -> Vec<Range<usize>> {
        let commands = self.seen().commands.iter();
        let mut spans: Vec<Range<usize>> = commands.flat_map(|command| places(self.text(), command)).collect();
        spans.sort_by_key(|span| (span.start, span.end));
        spans.dedup();
        spans
    }
}

fn places<'t>(text: &'t str, command: &'t Simple) -> Vec<Range<usize>> {
    let words: Vec<&str> = command.words().iter().map(Word::raw).collect();
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    if words.iter().any(|word| word.is_empty() || FILLED.iter().any(|filled| word.contains(filled))) {
        return Vec::new();
    }
    let begins = text.match_indices(first).filter(|(at, _)| !text[..*at].ends_with(is_of_word));
    let span = |(at, _): (usize, &str)| {
        let end = rest.iter().try_fold(at + first.len(), |end, word| follow(text, end, word))?;
        (!text[end..].starts_with(is_of_word)).then_some(at..end)
    };
    begins.filter_map(span).collect()
}

/// Where a word ends that stands next in a text, behind blanks.
fn follow(text: &str, from: usize, word: &str) -> Option<usize> {
    let rest = text.get(from..)?;
    let mut behind = rest;
    loop {
        let trimmed = behind.trim_start_matches([' ', '\t']);
        // A line break that is escaped stands between words as a blank does.
        behind = trimmed.strip_prefix("\\\n").unwrap_or(trimmed);
        if behind.len() == trimmed.len() {
            break;
        }
    }
    let at = from + (rest.len() - behind.len());
    (at > from && behind.starts_with(word)).then(|| at + word.len())
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || "_-./~:+@%,*?\\".contains(letter)
}

#[cfg(test)]
mod tests {
    use crate::read;

    fn spans(line: &str) -> Vec<&str> {
        read(line).spans().into_iter().map(|span| &line[span]).collect()
    }

    #[test]
    fn each_command_is_found_where_it_stands() {
        assert_eq!(spans("cd /tmp && rm -rf  x | cat"), ["cd /tmp", "rm -rf  x", "cat"]);
        assert_eq!(spans("bash -c 'rm -rf x'"), ["bash -c 'rm -rf x'", "rm -rf x"]);
        assert_eq!(spans("rm x; rm x"), ["rm x", "rm x"]);
        assert_eq!(spans("A=b rm \\\n x"), ["rm \\\n x"]);
    }

    #[test]
    fn a_longer_word_is_another_one() {
        assert_eq!(spans("rm -rf /; rm -rf /tmp; perform -rf /"), ["rm -rf /", "rm -rf /tmp", "perform -rf /"]);
    }

    #[test]
    fn what_is_put_together_stands_nowhere() {
        assert_eq!(spans("rm $(ls)"), ["ls"]);
        assert_eq!(spans("bash -c \"rm \\\"x\\\"\""), ["bash -c \"rm \\\"x\\\"\""]);
    }
}
