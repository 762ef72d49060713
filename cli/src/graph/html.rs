//! One page of HTML that needs nothing beside itself: no network, no script.

use std::fmt::Write as _;

use super::{Graph, GraphEvent, GraphHook};
use crate::screen::{count, shown};

/// Dark and light, as the reader's system has it; colours are never the only sign.
const STYLE: &str = include_str!("graph.css");

/// The page.
pub(crate) fn html(graph: &Graph) -> String {
    let hooks: usize = graph.events.iter().map(|event| event.hooks.len()).sum();
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Hooks by event</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>Hooks by event</h1>\n\
         <p>{} on {}. They run from top to bottom.</p>\n",
        count(hooks, "hook"),
        count(graph.events.len(), "event"),
    );
    if graph.unapproved > 0 {
        let what = count(graph.unapproved, "hook");
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(page, "<p class=\"note\">{what} not approved and left out.</p>");
    }
    page.push_str("</header>\n");
    if graph.events.len() > 1 {
        page.push_str("<nav aria-label=\"Events\">\n<ul>\n");
        for (at, event) in graph.events.iter().enumerate() {
            let (name, hooks) = (escaped(&event.name), event.hooks.len());
            let _ = writeln!(page, "<li><a href=\"#e{at}\">{name}</a> <span>{hooks}</span></li>");
        }
        page.push_str("</ul>\n</nav>\n");
    }
    page.push_str("<main>\n");
    for (at, event) in graph.events.iter().enumerate() {
        draw(&mut page, at, event);
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn draw(page: &mut String, at: usize, event: &GraphEvent) {
    let what = if event.gate { "a block stops it" } else { "it cannot be blocked, only observed" };
    let name = escaped(&event.name);
    let _ = writeln!(page, "<section aria-labelledby=\"e{at}\">\n<h2 id=\"e{at}\">{name} <small>{what}</small></h2>");
    if event.hooks.is_empty() {
        page.push_str("<p>No hook is registered for it.</p>\n</section>\n");
        return;
    }
    page.push_str("<ol>\n");
    event.hooks.iter().for_each(|hook| draw_hook(page, hook, event.gate));
    page.push_str("</ol>\n</section>\n");
}

fn draw_hook(page: &mut String, hook: &GraphHook, gate: bool) {
    let class = match hook {
        hook if !hook.is_in() => "out",
        hook if hook.mandatory && gate => "mandatory",
        hook if hook.detached || !gate => "observes",
        _ => "decides",
    };
    let matcher = if hook.matcher.is_empty() { "everything".to_owned() } else { escaped(&hook.matcher) };
    let _ = writeln!(page, "<li class=\"{class}\">\n<h3>{}</h3>", escaped(&hook.name));
    let flags = hook.flags();
    if !flags.is_empty() {
        let flags: Vec<String> = flags.iter().map(|flag| format!("<b>{}</b>", escaped(flag))).collect();
        let _ = writeln!(page, "<p class=\"flags\">{}</p>", flags.join(" "));
    }
    let _ = writeln!(page, "<dl>\n<dt>for</dt><dd><code>{matcher}</code></dd>");
    if hook.runs != hook.name && !hook.runs.is_empty() {
        let _ = writeln!(page, "<dt>runs</dt><dd><code>{}</code></dd>", escaped(&hook.runs));
    }
    if let Some(why) = &hook.why_not {
        let _ = writeln!(page, "<dt>not run</dt><dd>{}</dd>", escaped(why));
    }
    if let Some(stage) = hook.stage {
        let _ = writeln!(page, "<dt>stage</dt><dd>{}</dd>", stage + 1);
    }
    let _ = writeln!(page, "<dt>from</dt><dd>{} ({})</dd>\n</dl>\n</li>", escaped(&hook.place), hook.scope);
}

/// Text for HTML, in elements and in attributes.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for letter in shown(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '`' => safe.push_str("&#96;"),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::super::hostile;
    use super::*;

    #[test]
    fn hostile_texts_stay_text() {
        let page = html(&hostile());
        let body = page.split_once("<body>").unwrap().1;
        assert!(!body.contains("<script") && !body.contains("<b>\"") && !body.contains("' onmouseover"), "{body}");
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
        assert!(body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        // Every tag of the body is one of the page's own.
        let own = [
            "header", "h1", "p", "nav", "ul", "li", "a", "span", "main", "section", "h2", "small", "ol", "h3", "b",
            "dl", "dt", "dd", "code", "body", "html",
        ];
        for tag in body.split('<').skip(1) {
            let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            assert!(own.contains(&name.as_str()), "{tag}");
        }
    }

    #[test]
    fn a_page_needs_nothing_beside_itself() {
        let page = html(&hostile());
        assert!(page.contains("default-src 'none'"));
        for word in ["http://", "https://", "url(", "@import", "<link", "<img", "src="] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
