//! Pictures of hooks: which events have which, for what, and in which order.
//!
//! Names, commands and patterns come from files of others: in a picture they are text and nothing else.

mod html;
mod mermaid;

pub(crate) use html::html;
pub(crate) use mermaid::mermaid;

use crate::mark::Mark;

/// What is drawn.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Whose hooks they are.
    pub(crate) project: String,
    pub(crate) events: Vec<GraphEvent>,
    /// Typical calls, each with what its hooks would do; none where a call is given.
    pub(crate) samples: Vec<GraphSample>,
    /// How many hooks are left out because they are not approved.
    pub(crate) unapproved: usize,
}

/// An event with its hooks, in their order.
#[derive(Debug)]
pub(crate) struct GraphEvent {
    pub(crate) name: String,
    /// A block stops it.
    pub(crate) gate: bool,
    pub(crate) hooks: Vec<GraphHook>,
    /// What becomes of it, if a call is given.
    pub(crate) outcome: Option<String>,
}

/// A typical call.
#[derive(Debug)]
pub(crate) struct GraphSample {
    /// The call in short.
    pub(crate) label: String,
    pub(crate) event: GraphEvent,
}

/// One hook.
#[derive(Debug, Clone)]
pub(crate) struct GraphHook {
    pub(crate) name: String,
    /// For what; empty for everything.
    pub(crate) matcher: String,
    pub(crate) runs: String,
    pub(crate) place: String,
    pub(crate) scope: &'static str,
    pub(crate) priority: i32,
    pub(crate) mark: Mark,
    pub(crate) mandatory: bool,
    pub(crate) detached: bool,
    /// What it decides is acted on.
    pub(crate) enforced: bool,
    /// When it would run, from 0, if a call is given.
    pub(crate) stage: Option<usize>,
    /// Why it would not run, if a call is given.
    pub(crate) why_not: Option<String>,
}

impl GraphHook {
    /// Whether it takes part.
    const fn is_in(&self) -> bool {
        self.why_not.is_none() && !matches!(self.mark, Mark::Waits | Mark::Off)
    }

    /// Whether it can stop what the agent is about to do.
    pub(crate) const fn can_stop(&self) -> bool {
        self.is_in() && matches!(self.mark, Mark::Mandatory | Mark::Decides)
    }

    /// What is unusual about it.
    fn flags(&self) -> Vec<String> {
        let mut flags: Vec<String> = Vec::new();
        for (flag, is_set) in [
            ("mandatory", self.mandatory),
            ("observes: not enforced", !self.enforced),
            ("background", self.detached),
            ("waits for your approval", self.mark == Mark::Waits),
            ("off", self.mark == Mark::Off),
        ] {
            if is_set {
                flags.push(flag.to_owned());
            }
        }
        if self.priority != 0 {
            flags.push(format!("priority {}", self.priority));
        }
        flags
    }
}

#[cfg(test)]
pub(crate) fn hostile() -> Graph {
    let hook = |text: &str, why_not: Option<&str>| GraphHook {
        name: text.to_owned(),
        matcher: text.to_owned(),
        runs: text.to_owned() + " ",
        place: text.to_owned(),
        scope: "project",
        priority: 0,
        mark: Mark::Mandatory,
        mandatory: true,
        detached: false,
        enforced: true,
        stage: None,
        why_not: why_not.map(str::to_owned),
    };
    let texts = [
        "<script>alert(1)</script>",
        "\"];click n1 \"javascript:alert(1)\"",
        "end\nsubgraph x",
        "`md` #quot; &lt; %%{init: {}}%%",
        "' onmouseover='x",
        "\u{1b}[2J\u{202e}",
    ];
    let event = |name: &str| GraphEvent {
        name: name.to_owned(),
        gate: true,
        hooks: texts.iter().flat_map(|text| [hook(text, None), hook(text, Some(text))]).collect(),
        outcome: Some(texts.join(" ")),
    };
    Graph {
        project: "<b>\"".to_owned(),
        events: vec![event("deploy:<b>\""), event("PreToolUse")],
        samples: texts
            .iter()
            .map(|text| GraphSample { label: (*text).to_owned(), event: event("PreToolUse") })
            .collect(),
        unapproved: 1,
    }
}
