//! A Mermaid flowchart.

use std::fmt::Write as _;

use super::{Graph, GraphEvent, GraphHook};
use crate::screen::shown;

/// How much of a text a box shows.
const MOST: usize = 60;

/// The flowchart: each event leads to its hooks in their order.
pub(crate) fn mermaid(graph: &Graph) -> String {
    let mut text = "flowchart LR\n".to_owned();
    for (at, event) in graph.events.iter().enumerate() {
        draw(&mut text, at, event);
    }
    text.push_str("  classDef gate stroke-width:3px\n  classDef out stroke-dasharray:4 4,opacity:0.6\n  classDef observes stroke-dasharray:2 2\n");
    if graph.unapproved > 0 {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "  %% {} not approved and left out", graph.unapproved);
    }
    text
}

fn draw(text: &mut String, at: usize, event: &GraphEvent) {
    let class = if event.gate { ":::gate" } else { "" };
    let _ = writeln!(text, "  e{at}([\"{}\"]){class}", escaped(&event.name));
    let mut before = format!("e{at}");
    for (number, hook) in event.hooks.iter().enumerate() {
        let id = format!("e{at}h{number}");
        let (open, close) = if hook.mandatory { ("{{", "}}") } else { ("[", "]") };
        let class = match hook {
            hook if !hook.is_in() => ":::out",
            hook if !hook.enforced => ":::observes",
            _ => "",
        };
        let _ = writeln!(text, "  {id}{open}\"{}\"{close}{class}", label(number, hook));
        // One that is left out, that nothing waits for, or whose decision counts for nothing stands beside the way.
        let beside = hook.detached || !hook.is_in() || !hook.enforced;
        let _ = writeln!(text, "  {before} {} {id}", if beside { "-.->" } else { "-->" });
        if !beside {
            before = id;
        }
    }
    if let Some(outcome) = &event.outcome {
        let _ = writeln!(text, "  e{at}o([\"{}\"])", escaped(outcome));
        let _ = writeln!(text, "  {before} --> e{at}o");
    }
}

fn label(number: usize, hook: &GraphHook) -> String {
    let mut lines = vec![format!("{}. {}", number + 1, escaped(&hook.name))];
    let matcher = if hook.matcher.is_empty() { "everything" } else { &hook.matcher };
    lines.push(format!("for {}", escaped(matcher)));
    if let Some(why) = &hook.why_not {
        lines.push(format!("not run: {}", escaped(why)));
    }
    let flags = hook.flags();
    if !flags.is_empty() {
        lines.push(escaped(&flags.join(", ")));
    }
    lines.join("<br/>")
}

/// Text in a box: every character that Markdown, HTML or Mermaid could read as more is written as its number.
fn escaped(text: &str) -> String {
    let line = shown(text);
    let short: String = line.chars().take(MOST).collect();
    let cut = if short.len() < line.len() { "…" } else { "" };
    let mut safe = String::new();
    for letter in short.chars() {
        if letter.is_alphanumeric() || " .,_-/…".contains(letter) {
            safe.push(letter);
        } else {
            let _ = write!(safe, "#{};", u32::from(letter));
        }
    }
    safe + cut
}

#[cfg(test)]
mod tests {
    use super::super::hostile;
    use super::*;

    #[test]
    fn hostile_texts_stay_text() {
        let drawn = mermaid(&hostile());
        let boxes: Vec<&str> = drawn.lines().filter(|line| line.contains('"')).collect();
        assert_eq!(boxes.len(), 28, "{drawn}");
        for line in boxes {
            let inner = line.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"')).unwrap().0;
            let plain = inner.replace("<br/>", "");
            assert!(
                !plain.contains(['"', '<', '>', '`', '&', '%', '\'', '(', ')', '[', ']', '{', '}', '\\']),
                "{line}"
            );
        }
        assert!(!drawn.lines().any(|line| line.trim().starts_with("click")), "{drawn}");
        assert!(!drawn.contains("%%{") && !drawn.contains('\u{1b}'), "{drawn}");
    }
}
