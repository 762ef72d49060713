//! Texts that a shell runs, with the lines of the file in which they stand.

/// The tool that stands for a line of a shell.
pub(crate) const SHELL: &str = "Bash";

/// The tool that stands for a line of PowerShell.
pub(crate) const POWER_SHELL: &str = "PowerShell";

/// A text that one shell runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    /// The tool that stands for its shell.
    pub(crate) tool: &'static str,
    pub(crate) text: String,
    /// The file's line, from 1, of each line of the text.
    pub(crate) lines: Vec<usize>,
}

impl Script {
    /// Lines that follow each other in the file.
    pub(crate) fn following(first: usize, text: String) -> Self {
        let lines = (first..).take(text.split('\n').count()).collect();
        Self { tool: SHELL, text, lines }
    }

    /// A text of one line of the file, even if it has lines itself.
    pub(crate) fn in_line(line: usize, text: String) -> Self {
        let lines = vec![line; text.split('\n').count()];
        Self { tool: SHELL, text, lines }
    }

    /// A text with no line yet.
    pub(crate) const fn empty() -> Self {
        Self { tool: SHELL, text: String::new(), lines: Vec::new() }
    }

    /// Adds the lines of another one behind its own.
    pub(crate) fn add(&mut self, other: &Self) {
        if !self.lines.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&other.text);
        self.lines.extend(&other.lines);
    }

    /// The file's line of a place in the text.
    pub(crate) fn line_at(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default().matches('\n').count();
        self.lines.get(before).or_else(|| self.lines.last()).copied().unwrap_or(1)
    }
}

/// What a file holds.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) scripts: Vec<Script>,
    /// What is not understood: the line, why, and what to do.
    pub(crate) unread: Vec<(usize, String)>,
}
