//! Terminal control sequences, taken out of what a hook printed.

use std::borrow::Cow;

/// A text without terminal control sequences (colours, titles, cursor movements).
#[must_use]
pub fn without_ansi(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\u{9b}']) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{9b}' => skip_csi(&mut letters),
            '\u{1b}' => match letters.next() {
                Some('[') => skip_csi(&mut letters),
                Some(']' | 'P' | '^' | '_' | 'X') => skip_string(&mut letters),
                // A two-letter sequence may have intermediate bytes, such as `ESC ( B`.
                Some(' '..='/') => _ = letters.find(|letter| !(' '..='/').contains(letter)),
                _ => {}
            },
            letter => plain.push(letter),
        }
    }
    Cow::Owned(plain)
}

type Letters<'t> = std::iter::Peekable<std::str::Chars<'t>>;

/// Parameters up to the final byte of a control sequence.
fn skip_csi(letters: &mut Letters<'_>) {
    while let Some(letter) = letters.next_if(|letter| matches!(letter, ' '..='~')) {
        if matches!(letter, '@'..='~') {
            return;
        }
    }
}

/// A string such as a window title, up to BEL or `ESC \`; a line's end ends it too, so that no text is lost to an
/// unclosed one.
fn skip_string(letters: &mut Letters<'_>) {
    while let Some(letter) = letters.next_if(|letter| *letter != '\n') {
        match letter {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                letters.next_if(|letter| *letter == '\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_vanish_and_text_stays() {
        assert_eq!(without_ansi("\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;title\u{7}x\u{1b}(By"), "red xy");
        assert_eq!(without_ansi("\u{1b}]0;unclosed\nstays"), "\nstays");
        assert_eq!(without_ansi("\u{9b}2Jtext\u{1b}"), "text");
    }
}
