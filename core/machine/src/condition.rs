//! Conditions that a person writes as an expression: `session.tool_calls > 50 && event.tool == "Bash"`.
//!
//! The language is a part of CEL, the Common Expression Language; what stands here means the same there. It has no loops, no
//! functions of one's own and no way out: an expression from a project's file is hostile input. Its length, its depth and
//! the size of what it may look at are bounded, so its work grows with the payload and with nothing else.

mod evaluate;
mod parse;

use std::fmt::Write as _;

use crate::error::did_you_mean;
use crate::event::{COMMON_FIELDS, EventSpec};
use crate::match_input::MatchInput;
use crate::pattern::Pattern;
use crate::payload::{Host, Spelling};

/// The longest expression, in bytes.
pub const MAX_LENGTH: usize = 1024;

/// How deep an expression may nest.
pub const MAX_DEPTH: usize = 32;

/// A compiled expression.
#[derive(Debug, Clone)]
pub(crate) struct Condition(Expression);

#[derive(Debug, Clone)]
enum Expression {
    Literal(Literal),
    List(Vec<Expression>),
    Path(Path),
    /// `has(event.args.path)`: whether it is there.
    Has(Path),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Size(Box<Expression>),
    Text(TextTest, Box<Expression>, Box<Expression>),
    Matches(Box<Expression>, Pattern),
}

#[derive(Debug, Clone)]
enum Literal {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}

/// What is looked at, step by step.
#[derive(Debug, Clone)]
struct Path {
    root: Root,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// The payload.
    Event,
    /// The session of the event.
    Session,
}

#[derive(Debug, Clone)]
enum Step {
    Name(String),
    Index(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextTest {
    StartsWith,
    EndsWith,
    Contains,
}

impl Condition {
    /// Reads an expression; says what is wrong, at which character, and what may stand there.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        parse::parse(text).map(Self)
    }

    /// Whether it holds; else why that cannot be said.
    pub(crate) fn holds<H: Host>(&self, input: &MatchInput<'_, H>) -> Result<bool, String> {
        evaluate::holds(&self.0, input)
    }

    /// Whether it looks at a field of the event, or into it.
    pub(crate) fn reads(&self, field: &[&str]) -> bool {
        let mut reads = false;
        self.0.each_path(&mut |path| {
            let is_step = |(step, name): (&Step, &&str)| matches!(step, Step::Name(written) if written == name);
            reads |= path.root == Root::Event
                && path.steps.len() >= field.len()
                && path.steps.iter().zip(field).all(is_step);
        });
        reads
    }

    /// What it looks at of an event that such an event does not have; the text says what it has.
    pub(crate) fn unknown_field(&self, event: &EventSpec, spelling: Spelling) -> Option<String> {
        let known = event.built_in()?;
        let fields: Vec<&str> = known.fields.iter().chain(COMMON_FIELDS).map(|field| field.name).collect();
        let mut unknown = None;
        self.0.each_path(&mut |path| {
            let Some(Step::Name(name)) = path.steps.first().filter(|_| path.root == Root::Event) else { return };
            let own = spelling.canonical(name);
            if unknown.is_none() && !fields.contains(&&*own) {
                unknown = Some(name.clone());
            }
        });
        let name = unknown?;
        let fields: Vec<_> = fields.iter().map(|field| spelling.local(field)).collect();
        let hint = did_you_mean(&name, fields.iter().map(|field| &**field));
        Some(format!(
            "{} has no field `{name}`{hint}; it has {}, and fields of your own belong into `metadata`",
            known.name,
            fields.join(", ")
        ))
    }

    /// The values of what it looks at, for a person: `session.tool_calls = 3`.
    pub(crate) fn values<H: Host>(&self, input: &MatchInput<'_, H>) -> String {
        let mut shown = String::new();
        self.0.each_path(&mut |path| {
            let value = evaluate::shown(path, input);
            let separator = if shown.is_empty() { "" } else { ", " };
            let entry = format!("{path} = {value}");
            if !shown.split(", ").any(|known| known == entry) {
                // Writing to a string cannot fail.
                let _ = write!(shown, "{separator}{entry}");
            }
        });
        shown
    }
}

impl Expression {
    fn each_path(&self, see: &mut impl FnMut(&Path)) {
        match self {
            Self::Literal(_) => {}
            Self::Path(path) | Self::Has(path) => see(path),
            Self::Not(inner) | Self::Negative(inner) | Self::Size(inner) | Self::Matches(inner, _) => {
                inner.each_path(see);
            }
            Self::List(parts) | Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.each_path(see);
                }
            }
            Self::Binary(_, left, right) | Self::Text(_, left, right) => {
                left.each_path(see);
                right.each_path(see);
            }
        }
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.root {
            Root::Event => "event",
            Root::Session => "session",
        })?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Name(name) if parse::is_name(name) => write!(f, ".{name}"),
            Step::Name(name) => write!(f, "[{name:?}]"),
            Step::Index(index) => write!(f, "[{index}]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::Directory;
    use crate::event::Catalogue;
    use crate::json::Json;
    use crate::sessions::{SessionFacts, SessionLookup, Sessions};
    use crate::tool::Tools;
    use serde_json::json;
    use std::sync::Arc;

    #[derive(Debug)]
    struct Known;

    impl SessionLookup for Known {
        fn facts(&self, session: &str, _: Option<&str>) -> Option<SessionFacts> {
            (session == "s1").then_some(SessionFacts { turn: 2, tool_calls: 51, ..SessionFacts::default() })
        }
    }

    fn holds(text: &str) -> Result<bool, String> {
        let payload = json!({
            "session_id": "s1", "tool": "Bash", "args": {
                "command": "git push --force", "timeout": 1.5, "list": ["a", 1, null], "a b": true, "none": null,
                "nested": {"deep": [10, {"x": "y"}]}
            }
        });
        let event = Catalogue::default().resolve("PreToolUse").unwrap();
        let (tools, directory, sessions) = (Tools::default(), Directory::default(), Sessions::default());
        sessions.set(Arc::new(Known));
        let input = MatchInput::new(&Json, &event, &payload, &tools, &directory).with_sessions(&sessions);
        Condition::new(text)?.holds(&input)
    }

    #[test]
    fn an_expression_means_what_it_means_in_cel() {
        for text in [
            "session.tool_calls > 50",
            "session.turn == 2 && session.id == 's1'",
            r#"event.tool == "Bash" && event.args.command.startsWith("git")"#,
            "event.args.command.endsWith('force') || false",
            "event.args.command.contains('push') && !event.args.command.contains('pull')",
            r"event.args.command.matches('--?f(orce)?\\b')",
            r"event.args.command.matches(r'\bpush\b')",
            "event.args.timeout * 2.0 == 3",
            "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && -7 / 2 == -3 && 7 % 4 == 3",
            "event.tool in ['Bash', 'Edit'] && !(event.tool in ['Write'])",
            "'a' in event.args.list && 1.0 in event.args.list && null in event.args.list",
            "'command' in event.args && !('nothing' in event.args)",
            "has(event.args.command) && !has(event.args.nothing) && has(event.args.none) && !has(event.nothing.at.all)",
            "event.args['a b'] && event.args.nested.deep[1].x == 'y'",
            "size(event.args.list) == 3 && event.args.command.size() == 16 && size('é') == 1",
            "event.args.none == null && event.tool != null && 'x' != 1",
            "'a' < 'b' && 2 >= 2 && 1 <= 1.5",
            // What decides does not wait for what cannot be evaluated.
            "event.nothing == 1 || true",
            "!(event.nothing == 1 && false)",
        ] {
            assert_eq!(holds(text), Ok(true), "{text}");
        }
        assert_eq!(holds("session.tool_calls > 51"), Ok(false));
    }

    #[test]
    fn what_cannot_be_evaluated_says_why() {
        for (text, why) in [
            ("event.nothing == 1", "event.nothing is not there"),
            ("event.args.nested.deep[7] == 1", "event.args.nested.deep[7] is not there"),
            ("event.tool > 5", "cannot compare"),
            ("event.tool", "is no truth value"),
            ("event.args == event.args", "cannot compare"),
            ("9223372036854775807 + 1 > 0", "too large"),
            ("1 / 0 == 1", "division by zero"),
            ("event.args.timeout.contains('x')", "is no text"),
            ("size(1) == 1", "no size"),
            ("event.tool && true", "is no truth value"),
        ] {
            let told = holds(text).unwrap_err();
            assert!(told.contains(why), "{text}: {told}");
        }
    }

    #[test]
    fn a_session_that_is_not_open_is_unknown() {
        let event = Catalogue::default().resolve("PreToolUse").unwrap();
        let (tools, directory) = (Tools::default(), Directory::default());
        let payload = json!({"session_id": "other"});
        let input = MatchInput::new(&Json, &event, &payload, &tools, &directory);
        let condition = Condition::new("session.turn > 1").unwrap();
        assert!(condition.holds(&input).unwrap_err().contains("no open session"));
        assert_eq!(condition.values(&input), "session.turn = unknown");
        assert_eq!(Condition::new("session.id == 'other'").unwrap().holds(&input), Ok(true));
    }

    #[test]
    fn what_is_no_expression_is_refused_with_its_place() {
        for (text, why) in [
            ("", "empty"),
            ("session.tool_calls >", "character 21"),
            ("session.tool_cals > 5", "tool_calls"),
            ("session", "session"),
            ("sesion.turn > 5", "session"),
            ("event.tool = 'Bash'", "`==`"),
            ("event.tool == 'Bash", "character 15"),
            ("(1 == 1", "`)`"),
            ("1 == 1)", "character 7"),
            ("event.args.x.map(y, y)", "map"),
            ("[1, 2].all(x, x > 0)", "all"),
            ("event.tool.matches('(')", "regular expression"),
            ("event.tool.matches(event.tool)", "text in quotes"),
            ("has(1)", "has"),
            ("event..tool == 1", "character 7"),
            ("99999999999999999999 > 1", "too large"),
            ("event.tool == 'a' 'b'", "character 19"),
            ("true and false", "`&&`"),
            ("\u{1F600} == 1", "character 1"),
            ("event.tool == '\\q'", "escape"),
            ("true ? 1 : 2", "character 6"),
        ] {
            let told = Condition::new(text).map(|_| ()).unwrap_err();
            assert!(told.contains(why), "{text}: {told}");
        }
    }

    #[test]
    fn a_hostile_expression_is_refused_before_it_costs_anything() {
        for text in [
            "(".repeat(1024),
            "!".repeat(1024),
            "-".repeat(1024),
            "[".repeat(1024),
            "size(".repeat(200),
            format!("{}1{}", "(".repeat(100), ")".repeat(100)),
            "1+".repeat(600),
        ] {
            assert!(Condition::new(&text).is_err());
        }
        let sum = format!("{}1 > 1", "1+".repeat(500));
        assert_eq!(holds(&sum), Ok(true));
        let chain = format!("{}false", "true && ".repeat(120));
        assert_eq!(holds(&chain), Ok(false));
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn no_text_panics(text in r#"[a-z().&|!<>=+*/%'" \[\],0-9\\-]{0,60}|(event|session|\.|tool|size|has|in|\(|\)|\[|\]|==|&&|1|'x'| ){0,20}"#) {
                let _ = holds(&text);
            }
        }
    }
}
