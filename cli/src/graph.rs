//! Pictures of hooks: which events have which, for what, and in which order.
//!
//! Names, commands and patterns come from files of others: in a picture they are text and nothing else.

mod html;
mod mermaid;

pub(crate) use html::html;
pub(crate) use mermaid::mermaid;

/// What is drawn.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) events: Vec<GraphEvent>,
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
    pub(crate) mandatory: bool,
    pub(crate) detached: bool,
    pub(crate) enabled: bool,
    /// When it would run, from 0, if a call is given.
    pub(crate) stage: Option<usize>,
    /// Why it would not run, if a call is given.
    pub(crate) why_not: Option<String>,
}

impl GraphHook {
    /// Whether it takes part.
    const fn is_in(&self) -> bool {
        self.enabled && self.why_not.is_none()
    }

    /// What is unusual about it.
    fn flags(&self) -> Vec<String> {
        let mut flags: Vec<String> = Vec::new();
        for (flag, is_set) in [("mandatory", self.mandatory), ("background", self.detached), ("off", !self.enabled)] {
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
    let hook = |text: &str| GraphHook {
        name: text.to_owned(),
        matcher: text.to_owned(),
        runs: text.to_owned(),
        place: text.to_owned(),
        scope: "project",
        priority: 0,
        mandatory: true,
        detached: false,
        enabled: true,
        stage: None,
        why_not: Some(text.to_owned()),
    };
    let texts = [
        "<script>alert(1)</script>",
        "\"];click n1 \"javascript:alert(1)\"",
        "end\nsubgraph x",
        "`md` #quot; &lt; %%{init: {}}%%",
        "' onmouseover='x",
        "\u{1b}[2J\u{202e}",
    ];
    Graph {
        events: vec![GraphEvent {
            name: "deploy:<b>\"".to_owned(),
            gate: true,
            hooks: texts.iter().map(|text| hook(text)).collect(),
        }],
        unapproved: 1,
    }
}
