//! What of a question is shown where not all of it fits on the screen.
//!
//! What is asked, by whom, and what can be chosen have to stand there together: the person who
//! decides does not see what scrolled away. So each part gives up rows, the least important first, and none of them all.

use std::ops::RangeInclusive;

use super::section::{ABOUT_ROWS, Part, Section};

/// Rows of a name or an option.
const NAME_ROWS: usize = 3;
/// Rows of a question's words.
const PROMPT_ROWS: usize = 12;

/// The rows that there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) rows: usize,
    /// How many of them say that something was left out, if it was, and that options were.
    pub(super) note: usize,
    pub(super) options: usize,
}

/// How many rows of each part are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    name: usize,
    prompt: usize,
    about: usize,
    /// Of all options together, and how many rows more say that some are left out.
    options: usize,
    note: usize,
}

/// Options that are not shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) numbers: RangeInclusive<usize>,
    allow: usize,
}

impl LeftOut {
    /// No longer note about them is written where a person would read it.
    pub(super) const LONGEST: &str = "options 100 to 999 are left out here, 999 of them allow";

    pub(super) fn say(&self) -> String {
        let (first, last) = (self.numbers.start(), self.numbers.end());
        format!("options {first} to {last} are left out here, {} of them allow", self.allow)
    }
}

type Limit = fn(&mut Limits) -> &mut usize;

/// Which part gives up rows, one after the other, and how many it keeps at least.
const STEPS: [(Limit, usize); 7] = [
    (|limits| &mut limits.about, 6),
    (|limits| &mut limits.options, 8),
    (|limits| &mut limits.prompt, 5),
    (|limits| &mut limits.name, 1),
    (|limits| &mut limits.about, 1),
    (|limits| &mut limits.options, 2),
    (|limits| &mut limits.prompt, 1),
];

impl Limits {
    /// What is shown in a room; `None` where all of it fits.
    pub(super) fn of(sections: &[Section], room: Room) -> Option<Self> {
        let mut limits =
            Self { name: NAME_ROWS, prompt: PROMPT_ROWS, about: ABOUT_ROWS, options: usize::MAX, note: room.options };
        let is_too_long = sections.iter().any(|section| section.left_out(limits.most(section.part())) > 0);
        if !is_too_long && limits.height(sections) <= room.rows {
            return None;
        }
        let rows = room.rows.saturating_sub(room.note);
        limits.options = limits.options_height(sections);
        for (limit, least) in STEPS {
            while *limit(&mut limits) > least && limits.height(sections) > rows {
                *limit(&mut limits) -= 1;
            }
        }
        Some(limits)
    }

    /// How many rows of a part are shown.
    pub(super) const fn most(&self, part: Part) -> usize {
        match part {
            Part::Name | Part::Option(_) => self.name,
            Part::Prompt => self.prompt,
            Part::About => self.about,
        }
    }

    fn height(&self, sections: &[Section]) -> usize {
        let others = sections.iter().filter(|section| !matches!(section.part(), Part::Option(_)));
        let others: usize = others.map(|section| section.height(self.most(section.part()))).sum();
        let options = self.options_height(sections);
        others + if self.leaves_out(options) { self.options + self.note } else { options }
    }

    /// Whether options of so many rows are too many; where to say so takes as many rows as they do they are not.
    const fn leaves_out(&self, rows: usize) -> bool {
        rows > self.options.saturating_add(self.note)
    }

    fn options_height(&self, sections: &[Section]) -> usize {
        options(sections).map(|(section, _)| section.height(self.name)).sum()
    }

    /// The options in the middle for which there is no room; the first and the last ones stay.
    pub(super) fn options_left_out(&self, sections: &[Section]) -> Option<LeftOut> {
        if !self.leaves_out(self.options_height(sections)) {
            return None;
        }
        let heights: Vec<(usize, bool)> =
            options(sections).map(|(section, allows)| (section.height(self.name), allows)).collect();
        let fit = |heights: &mut dyn Iterator<Item = &(usize, bool)>, room: usize| {
            let mut used = 0;
            heights
                .take_while(|(height, _)| {
                    used += height;
                    used <= room
                })
                .count()
                .max(1)
        };
        let head = fit(&mut heights.iter(), self.options.div_ceil(2));
        let tail = fit(&mut heights.iter().rev(), self.options / 2);
        let out = heights.get(head..heights.len().saturating_sub(tail)).filter(|out| !out.is_empty())?;
        let allow = out.iter().filter(|(_, allows)| *allows).count();
        Some(LeftOut { numbers: head + 1..=head + out.len(), allow })
    }
}

fn options(sections: &[Section]) -> impl Iterator<Item = (&Section, bool)> {
    sections.iter().filter_map(|section| match section.part() {
        Part::Option(allows) => Some((section, allows)),
        _ => None,
    })
}
