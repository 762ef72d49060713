//! The parts of a question, in rows.

/// Rows of what it is about, on a screen that is high enough.
pub(super) const ABOUT_ROWS: usize = 40;

/// One row of the screen, right of the label.
pub(super) type Row = (char, String);

/// What a part of a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A name, of which a few rows do.
    Name,
    /// The words of the question.
    Prompt,
    /// What it is about.
    About,
    /// Something that can be chosen, and whether it allows.
    Option(bool),
}

/// A part of a question, in rows.
pub(super) struct Section {
    pub(super) part: Part,
    pub(super) label: String,
    pub(super) rows: Vec<Row>,
    /// How many rows it takes to say that some are left out.
    pub(super) cut: usize,
    /// Notes about it, which are never left out.
    pub(super) notes: Vec<Row>,
}

impl Section {
    pub(super) const fn part(&self) -> Part {
        self.part
    }

    /// How many of its rows are left out where so many are shown: none where to say so takes as many.
    pub(super) fn left_out(&self, most: usize) -> usize {
        let left_out = self.rows.len().saturating_sub(most);
        if left_out > self.cut { left_out } else { 0 }
    }

    /// How many rows it takes where so many of its own are shown, with the notes.
    pub(super) fn height(&self, most: usize) -> usize {
        let left_out = self.left_out(most);
        self.rows.len() - left_out + if left_out > 0 { self.cut } else { 0 } + self.notes.len()
    }
}
