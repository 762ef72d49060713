//! One question on the screen, from its first line to its answer.

use std::time::{Duration, Instant};

use super::NoAnswer;
use super::device::{Device, TerminalInput};
use super::question::{Reading, TerminalQuestion};
use super::turn::Turn;
use crate::cancel::Cancel;
use hookweave_clock::now;

/// Between two checks of the clock and of whether a caller still waits.
const PAUSE: Duration = Duration::from_millis(100);
/// No person reads a question and answers it in less: what comes sooner was typed or pasted before.
const QUIET: Duration = Duration::from_millis(250);
/// What follows a line sooner than this was not typed.
const PASTED: Duration = Duration::from_millis(50);

pub(super) fn ask(question: TerminalQuestion, left: Duration, cancel: &Cancel) -> Result<Option<String>, NoAnswer> {
    let deadline = now().checked_add(left);
    let Some(_turn) = Turn::take(cancel, PAUSE) else { return Ok(None) };
    let device = Device::open()?;
    let question = question.for_width(device.columns()).for_height(device.rows());
    let answer = Asking { device: &device, question, deadline, cancel, invited: None }.run();
    if !matches!(answer, Ok(Some(_))) {
        // No caller is left to report the error to.
        let _ = device.write("\nThis question is over.\n", || true);
    }
    answer
}

/// One question on the screen.
struct Asking<'d> {
    device: &'d Device,
    question: TerminalQuestion,
    /// `None` is further away than the clock can say.
    deadline: Option<Instant>,
    cancel: &'d Cancel,
    /// The invitation that stands on the screen.
    invited: Option<String>,
}

impl Asking<'_> {
    fn run(mut self) -> Result<Option<String>, NoAnswer> {
        self.device.forget_input()?;
        self.write(&self.question.text())?;
        self.settle()?;
        let mut typed = String::new();
        while !self.cancel.is_cancelled() {
            self.invite()?;
            let reading = match self.device.read_input(PAUSE)? {
                TerminalInput::Nothing => continue,
                TerminalInput::End => self.question.read(None),
                TerminalInput::Some(text) => {
                    typed.push_str(&text);
                    let Some(line) = typed.strip_suffix(['\n', '\r']) else { continue };
                    if self.device.has_input(PASTED)? { self.question.pasted() } else { self.question.read(Some(line)) }
                }
            };
            typed.clear();
            match reading {
                Reading::Chosen(option) => return Ok(Some(option)),
                Reading::Over(why) => return Err(NoAnswer::new(why)),
                Reading::Again(text) => self.again(&text)?,
            }
        }
        Ok(None)
    }

    fn again(&mut self, text: &str) -> Result<(), NoAnswer> {
        self.settle()?;
        self.write(text)?;
        self.invited = None;
        Ok(())
    }

    /// Forgets what comes in until nothing does.
    fn settle(&self) -> Result<(), NoAnswer> {
        while self.device.has_input(QUIET)? && !self.cancel.is_cancelled() {
            self.device.forget_input()?;
        }
        // The beginning of a line that was not sent yet is no input, and would be in front of the answer.
        self.device.forget_input()
    }

    /// Writes the invitation, or writes the time that is left over the one before.
    fn invite(&mut self) -> Result<(), NoAnswer> {
        let left = self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(now()));
        let invitation = self.question.invitation(u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        match &self.invited {
            Some(standing) if *standing == invitation || !self.device.obeys() => return Ok(()),
            // The cursor goes back to the row's beginning, not to that of a text that takes two.
            Some(_) if !self.question.fits(&invitation) => return Ok(()),
            // What has been typed stays, and the cursor goes back behind it.
            Some(_) => self.write(&format!("\x1b7\r{invitation}\x1b8"))?,
            None => self.write(&invitation)?,
        }
        self.invited = Some(invitation);
        Ok(())
    }

    fn write(&self, text: &str) -> Result<(), NoAnswer> {
        self.device.write(text, || self.cancel.is_cancelled())
    }
}
