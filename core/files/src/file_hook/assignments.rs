//! What a file of shell assignments sets, read without a shell.
//!
//! Hooks write `export NAME="value"` lines for a shell to read. Quotes and variables mean what they mean there; a line that
//! would have to be run (`$(…)`, a command) says nothing.

use std::iter::Peekable;
use std::str::Chars;

use serde_json::{Map, Value};

/// The variables that a text sets, given what is set already.
pub(super) fn read(text: &str, known: impl Fn(&str) -> Option<String>) -> Map<String, Value> {
    let mut set: Map<String, Value> = Map::new();
    let mut reader = Reader { letters: text.chars().peekable() };
    while reader.letters.peek().is_some() {
        let value = |name: &str| set.get(name).and_then(Value::as_str).map(str::to_owned).or_else(|| known(name));
        let statement = reader.statement(&value);
        set.extend(statement.into_iter().flatten().map(|(name, value)| (name, value.into())));
    }
    set
}

/// One word of a statement; without a text it would have to be run.
struct Word {
    text: Option<String>,
    /// Where the first `=` stands that no quote holds.
    equals: Option<usize>,
}

impl Word {
    /// `NAME=value`.
    fn assignment(&self) -> Option<(String, String)> {
        let (text, equals) = (self.text.as_ref()?, self.equals?);
        let (name, value) = (text.get(..equals)?, text.get(equals + 1..)?);
        is_name(name).then(|| (name.to_owned(), value.to_owned()))
    }
}

pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

struct Reader<'t> {
    letters: Peekable<Chars<'t>>,
}

impl Reader<'_> {
    /// What the next statement sets; `None` when it is none that only sets variables.
    fn statement(&mut self, known: &dyn Fn(&str) -> Option<String>) -> Option<Vec<(String, String)>> {
        let words = self.words(known)?;
        let declares = words.first().and_then(|word| word.text.as_deref());
        let declares = matches!(declares, Some("export" | "declare" | "typeset" | "readonly" | "local"));
        if declares {
            return Some(words.iter().skip(1).filter_map(Word::assignment).collect());
        }
        // Assignments before a command are the command's alone.
        words.iter().all(|word| word.equals.is_some()).then(|| words.iter().filter_map(Word::assignment).collect())
    }

    /// The words up to the end of a statement; `None` when a quote is left open.
    fn words(&mut self, known: &dyn Fn(&str) -> Option<String>) -> Option<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            match self.letters.peek().copied() {
                None => return Some(words),
                Some('\n' | ';' | '&' | '|') => {
                    self.letters.next();
                    return Some(words);
                }
                Some('#') => while self.letters.next_if(|letter| *letter != '\n').is_some() {},
                Some(letter) if letter.is_whitespace() => drop(self.letters.next()),
                Some(_) => words.push(self.word(known)?),
            }
        }
    }

    fn word(&mut self, known: &dyn Fn(&str) -> Option<String>) -> Option<Word> {
        let mut text = Some(String::new());
        let mut equals = None;
        // A name that is quoted or put together is none.
        let mut is_plain = true;
        let add = |text: &mut Option<String>, more: Option<String>| match (text.as_mut(), more) {
            (Some(text), Some(more)) => text.push_str(&more),
            _ => *text = None,
        };
        while let Some(letter) =
            self.letters.next_if(|letter| !letter.is_whitespace() && !matches!(letter, ';' | '&' | '|'))
        {
            is_plain &= !matches!(letter, '\'' | '"' | '\\' | '$' | '~');
            match letter {
                '\'' => add(&mut text, Some(self.single()?)),
                '"' => {
                    let inner = self.double(known)?;
                    add(&mut text, inner);
                }
                '\\' => add(
                    &mut text,
                    self.letters
                        .next()
                        .filter(|next| *next != '\n')
                        .map_or(Some(String::new()), |next| Some(next.to_string())),
                ),
                '$' if self.letters.peek() == Some(&'\'') => {
                    self.letters.next();
                    let inner = self.escaped()?;
                    add(&mut text, Some(inner));
                }
                '$' => {
                    let value = self.variable(known);
                    add(&mut text, value);
                }
                '`' | '(' | ')' | '<' | '>' => text = None,
                '~' if text.as_ref().is_some_and(|text| equals == text.len().checked_sub(1) || text.ends_with(':')) => {
                    add(&mut text, known("HOME").or_else(|| Some("~".to_owned())));
                }
                '=' if equals.is_none() && is_plain => {
                    equals = text.as_ref().map(String::len);
                    add(&mut text, Some("=".to_owned()));
                }
                other => add(&mut text, Some(other.to_string())),
            }
        }
        Some(Word { text, equals })
    }

    /// Up to the closing `'`, as it is.
    fn single(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.letters.next()? {
                '\'' => return Some(text),
                letter => text.push(letter),
            }
        }
    }

    /// Up to the closing `"`, with its variables; `Some(None)` when it would have to be run.
    #[expect(clippy::option_option, reason = "an open quote is another thing than an unknown text")]
    fn double(&mut self, known: &dyn Fn(&str) -> Option<String>) -> Option<Option<String>> {
        let mut text = Some(String::new());
        loop {
            let more = match self.letters.next()? {
                '"' => return Some(text),
                '\\' => match self.letters.next()? {
                    '\n' => Some(String::new()),
                    escaped @ ('"' | '\\' | '$' | '`') => Some(escaped.to_string()),
                    other => Some(format!("\\{other}")),
                },
                '$' => self.variable(known),
                '`' => None,
                letter => Some(letter.to_string()),
            };
            text = text.zip(more).map(|(text, more)| text + &more);
        }
    }

    /// Up to the closing `'` of `$'…'`, in which a backslash begins an escape.
    fn escaped(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.letters.next()? {
                '\'' => return Some(text),
                '\\' => text.push(match self.letters.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                }),
                letter => text.push(letter),
            }
        }
    }

    /// What stands for `$NAME` or `${NAME}`; nothing when it is not set, `None` when it would have to be run.
    fn variable(&mut self, known: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let braces = self.letters.next_if_eq(&'{').is_some();
        let mut name = String::new();
        while let Some(letter) = self.letters.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '_') {
            name.push(letter);
        }
        if braces && self.letters.next_if_eq(&'}').is_none() {
            return None;
        }
        if name.is_empty() {
            let is_text = !braces && self.letters.peek().is_none_or(|next| !"(@*#?$!-".contains(*next));
            return is_text.then(|| "$".to_owned());
        }
        is_name(&name).then(|| known(&name).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(text: &str) -> Value {
        Value::Object(read(text, |name| match name {
            "PATH" => Some("/usr/bin".to_owned()),
            "HOME" => Some("/home/me".to_owned()),
            _ => None,
        }))
    }

    #[test]
    fn what_hooks_write_means_what_it_means_to_a_shell() {
        for (text, means) in [
            ("export NODE_ENV=\"production\"\nB='b c'\n", json!({"NODE_ENV": "production", "B": "b c"})),
            ("export PATH=\"$PATH:./node_modules/.bin\"", json!({"PATH": "/usr/bin:./node_modules/.bin"})),
            ("export A=1 B=two\\ words; C=${A}$NONE-", json!({"A": "1", "B": "two words", "C": "1-"})),
            ("declare -x A=\"say \\\"hi\\\" \\$5\"\ntypeset -x B=$'a\\nb'", json!({"A": "say \"hi\" $5", "B": "a\nb"})),
            ("A='$HOME'\nB=~/bin:~/x C=~", json!({"A": "$HOME", "B": "/home/me/bin:/home/me/x", "C": "/home/me"})),
            ("A=1 # a comment\n# B=2\nC=a#b", json!({"A": "1", "C": "a#b"})),
            ("A=\"two\nlines\"\nB=x", json!({"A": "two\nlines", "B": "x"})),
            ("A=$ B=\"100%$\" C=a=b", json!({"A": "$", "B": "100%$", "C": "a=b"})),
            ("export A\nexport A=1 NOVALUE", json!({"A": "1"})),
            ("A=''\nA+=x", json!({"A": ""})),
        ] {
            assert_eq!(set(text), means, "{text}");
        }
    }

    #[test]
    fn what_would_have_to_be_run_says_nothing() {
        for text in [
            "A=$(date)",
            "A=`date`",
            "A=\"$(id)\"",
            "A=\"x`id`\"",
            "A=${B:-x}",
            "A=${!B}",
            "A=$?",
            "A=$1",
            "A=(1 2)",
            "A=<(x)",
            "A=1 make",
            "echo A=1",
            "rm -rf $A=b",
            "1A=b",
            "A-B=c",
            "\"A\"=b",
            "A=\"open",
            "A='open",
            "=b",
            "if [ x = y ]",
        ] {
            assert_eq!(set(text), json!({}), "{text}");
        }
        assert_eq!(set("A=1\nA=$(id)\nB=2"), json!({"A": "1", "B": "2"}), "the others stand");
    }
}
