//! The words of a command line.

/// A piece of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    /// An operator after which a new command begins.
    End(Join),
    /// An operator after which the file is named that output goes into.
    Into,
}

/// How a command is joined to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// `;` or the end of a line: the next runs in any case.
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|`.
    Pipe,
    /// Anything else.
    Other,
}

/// Splits a line as shells do, leniently: an open quote ends with the line.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let mut open = false;
    let mut chars = text.chars().peekable();
    let mut quote: Option<char> = None;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(mark), c) if c == mark => {
                quote = None;
                end_variable(&mut word, chars.peek());
            }
            (Some('"') | None, '\\') => {
                // A line that goes on in the next is one line.
                if let Some(next) = chars.next().filter(|&next| next != '\n') {
                    word.push(next);
                    open = true;
                }
            }
            (None, '\'' | '"') => {
                // `$'x'` and `$"x"` are x.
                if word.ends_with('$') {
                    word.pop();
                }
                end_variable(&mut word, chars.peek());
                quote = Some(c);
                open = true;
            }
            (None, c) if c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '<' | '>' | '`') => {
                // `$(` begins a command; the `$` before it is no word.
                if c == '(' && word == "$" {
                    word.clear();
                }
                if open || !word.is_empty() {
                    tokens.push(Token::Word(std::mem::take(&mut word)));
                    open = false;
                }
                match c {
                    // `2>&1` names no file.
                    '>' if chars.next_if_eq(&'&').is_some() => {}
                    '>' => {
                        while chars.next_if(|next| matches!(next, '>' | '|')).is_some() {}
                        tokens.push(Token::Into);
                    }
                    '&' if chars.peek() == Some(&'>') => {}
                    ';' | '\n' => tokens.push(Token::End(Join::Then)),
                    '&' if chars.next_if_eq(&'&').is_some() => tokens.push(Token::End(Join::And)),
                    '|' if chars.next_if_eq(&'|').is_some() => tokens.push(Token::End(Join::Or)),
                    '|' if chars.peek() != Some(&'&') => tokens.push(Token::End(Join::Pipe)),
                    '&' | '|' | '(' | ')' | '`' => tokens.push(Token::End(Join::Other)),
                    _ => {}
                }
            }
            (_, c) => word.push(c),
        }
    }
    if open || !word.is_empty() {
        tokens.push(Token::Word(word));
    }
    tokens
}

/// Puts braces around the variable that a word ends with where a letter follows behind a quote: `"$A"b` is not `$Ab`.
fn end_variable(word: &mut String, next: Option<&char>) {
    let is_letter = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let Some((_, name)) = word.rsplit_once('$') else { return };
    if next.is_some_and(is_letter) && !name.is_empty() && name.chars().all(|c| is_letter(&c)) {
        let begin = word.len() - name.len();
        word.insert(begin, '{');
        word.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokens(text)
            .into_iter()
            .filter_map(|token| match token {
                Token::Word(word) => Some(word),
                Token::End(_) | Token::Into => None,
            })
            .collect()
    }

    #[test]
    fn lines_are_split_as_shells_do() {
        assert_eq!(words("a 'b c'\"d\" \\e;f&&g|h >i"), ["a", "b cd", "e", "f", "g", "h", "i"]);
        assert_eq!(words("\"$CLAUDE_PROJECT_DIR\"/x.sh"), ["$CLAUDE_PROJECT_DIR/x.sh"]);
        assert_eq!(words("'open"), ["open"]);
        assert_eq!(words("$'a'b \"$A\"b $A\"b\" $A'/b'"), ["ab", "${A}b", "${A}b", "$A/b"]);
    }
}
