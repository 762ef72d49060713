//! Texts that a person decides by, with nothing in them that a screen would obey.

use std::fmt::Write;

/// The text with control characters, escape sequences and marks that turn the reading direction written out.
///
/// Line breaks and tabs stay: a question may have several lines.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\n' | '\t') || !obeyed(letter) {
            shown.push(letter);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
        }
    }
    shown
}

/// Whether a terminal or a text layout acts on a character instead of showing it.
fn obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{13455}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_a_screen_would_obey_is_written_out() {
        assert_eq!(escaped("rm\u{1b}[2K -rf\r"), "rm\\u{1b}[2K -rf\\u{d}");
        assert_eq!(escaped("a\u{202e}b\u{200b}c\u{e0041}"), "a\\u{202e}b\\u{200b}c\\u{e0041}");
        assert_eq!(escaped("two\nlines\tand ünïcode 🦀"), "two\nlines\tand ünïcode 🦀");
    }
}
