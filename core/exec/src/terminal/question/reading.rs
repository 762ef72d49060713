//! What a typed line answers.

use unicode_normalization::UnicodeNormalization;

use super::{Choice, TerminalQuestion};

/// Shows all of a question that was too long.
const ALL: &str = "?";

/// What a line means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// This option was chosen.
    Chosen(String),
    /// It was no answer; write this, and read on.
    Again(String),
    /// There will be no answer, for this reason.
    Over(&'static str),
}

impl TerminalQuestion {
    /// Reads a line that was typed; `None` is the end of the terminal's input.
    ///
    /// An option is chosen by its number, or by the beginning of its text where that fits no other. One that a hook calls as
    /// it likes and that allows has to be chosen by its number, which stands beside the word `allow`.
    pub fn read(&mut self, line: Option<&str>) -> Reading {
        let Some(line) = line else { return Reading::Over("the terminal's input ended before there was an answer") };
        let typed = plain(line);
        if typed == ALL {
            (self.whole, self.below) = (true, 0);
            return Reading::Again(self.text());
        }
        match self.meant(&typed).cloned() {
            Ok(choice) if choice.allows && !self.whole && self.lines(false, self.rows()).is_cut() => {
                self.say("Not all of it has been shown. Type ? to see it, then choose.")
            }
            Ok(choice) => Reading::Chosen(choice.option),
            Err(why) => self.say(&why),
        }
    }

    /// Says that several lines came at once: the person pasted or typed ahead, and chose nothing.
    pub fn pasted(&mut self) -> Reading {
        self.say("Several lines came at once. Type one answer.")
    }

    /// Says something below the question; when that pushes the question off the screen, below the question once more.
    fn say(&mut self, why: &str) -> Reading {
        let brief = |rows: usize| {
            let lines = self.lines(false, rows);
            if self.whole { lines.text_after_all() } else { lines.text() }
        };
        let note = self.lines(false, 0).note_text(why);
        let (rows, height) = (self.rows(), note.lines().count());
        let below = self.below + self.invitation_rows() + height;
        if brief(rows).lines().count() + below <= rows {
            self.below = below;
            return Reading::Again(note);
        }
        let again = brief(rows.saturating_sub(height)) + &note;
        self.below = height;
        Reading::Again(again)
    }

    fn meant(&self, typed: &str) -> Result<&Choice, String> {
        let last = self.choices.len();
        if typed.is_empty() {
            return Err(format!("Type a number from 1 to {last}, or the beginning of an option."));
        }
        if typed.bytes().all(|byte| byte.is_ascii_digit()) {
            let place = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let choice = place.and_then(|place| self.choices.get(place));
            return choice.ok_or_else(|| format!("There is no such number: they go from 1 to {last}."));
        }
        let whole = self.choices.iter().zip(1..).filter(|(choice, _)| plain(&choice.option) == typed);
        let begun = self.choices.iter().zip(1..).filter(|(choice, _)| plain(&choice.option).starts_with(typed));
        let mut fitting: Vec<(&Choice, usize)> = whole.collect();
        if fitting.is_empty() {
            fitting = begun.collect();
        }
        match fitting.as_slice() {
            [] => Err("That is no option.".to_owned()),
            [(choice, number)] if choice.allows && !choice.is_usual() => {
                Err(format!("That allows. Type {number} if you mean it."))
            }
            [(choice, _)] => Ok(choice),
            several => {
                let numbers: Vec<String> = several.iter().map(|(_, number)| number.to_string()).collect();
                Err(format!("That could be {}. Type the number.", numbers.join(" or ")))
            }
        }
    }
}

/// A text as it is compared: composed, in lower case, without white space around it.
fn plain(text: &str) -> String {
    text.trim().nfc().collect::<String>().to_lowercase()
}
