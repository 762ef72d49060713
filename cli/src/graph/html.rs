//! One page of HTML that needs nothing beside itself: no network, no script.

use std::fmt::Write as _;

use super::{Graph, GraphEvent, GraphHook, GraphSample};
use crate::html::{escaped, page};
use crate::mark::Mark;
use crate::screen::count;

/// The signs, as the legend has them.
const MARKS: [Mark; 5] = [Mark::Mandatory, Mark::Decides, Mark::Observes, Mark::Waits, Mark::Off];

/// The page: first the way of a tool call, then typical calls, then every event.
pub(crate) fn html(graph: &Graph) -> String {
    let title = format!("Hooks of {}", graph.project);
    let hooks: usize = graph.events.iter().map(|event| event.hooks.len()).sum();
    let (hooks, events) = (count(hooks, "hook"), count(graph.events.len(), "event"));
    let mut body = format!("<header>\n<h1>{}</h1>\n<p>{hooks} on {events}.</p>\n", escaped(&title));
    if graph.unapproved > 0 {
        let what = count(graph.unapproved, "hook");
        let fix = "<code>hookweave trust approve</code>";
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(body, "<p class=\"note\">{what} not approved and left out until you run {fix}.</p>");
    }
    legend(&mut body, graph);
    body.push_str("</header>\n");
    links(&mut body, graph);
    body.push_str("<main>\n");
    way(&mut body, graph);
    samples(&mut body, &graph.samples);
    for (at, event) in graph.events.iter().enumerate() {
        let (name, what) = (escaped(&event.name), what_stops(event));
        let id = format!("e{at}");
        let _ = writeln!(body, "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{name} <small>{what}</small></h2>");
        hooks_of(&mut body, event);
        body.push_str("</section>\n");
    }
    body.push_str("</main>\n");
    page(&title, &body)
}

const fn what_stops(event: &GraphEvent) -> &'static str {
    if event.gate { "a block stops it" } else { "it cannot be blocked, only observed" }
}

/// The signs that stand on the page, with what they mean.
fn legend(body: &mut String, graph: &Graph) {
    let hooks = || graph.events.iter().flat_map(|event| &event.hooks);
    body.push_str("<ul class=\"legend\" aria-label=\"Legend\">\n");
    for mark in MARKS.into_iter().filter(|mark| hooks().any(|hook| hook.mark == *mark)) {
        let _ = writeln!(body, "<li>{} {}</li>", sign(mark), mark.meaning());
    }
    body.push_str("</ul>\n");
}

fn sign(mark: Mark) -> String {
    format!("<i class=\"{}\">{}</i>", class(mark), mark.sign().1)
}

const fn class(mark: Mark) -> &'static str {
    match mark {
        Mark::Mandatory => "mandatory",
        Mark::Decides => "decides",
        Mark::Observes => "observes",
        Mark::Waits => "waits",
        Mark::Off => "off",
    }
}

fn links(body: &mut String, graph: &Graph) {
    if graph.events.len() < 2 {
        return;
    }
    body.push_str("<nav aria-label=\"Events\">\n<ul>\n");
    for (at, event) in graph.events.iter().enumerate() {
        let (name, hooks) = (escaped(&event.name), event.hooks.len());
        let _ = writeln!(body, "<li><a href=\"#e{at}\">{name}</a> <span>{hooks}</span></li>");
    }
    body.push_str("</ul>\n</nav>\n");
}

/// The way of a tool call past the hooks.
fn way(body: &mut String, graph: &Graph) {
    let (before, after) = (["PreToolUse", "PermissionRequest"], ["PostToolUse", "PostToolUseFailure"]);
    let is_step = |event: &GraphEvent| before.iter().chain(&after).any(|name| event.name == *name);
    // Typical calls stand where all events are drawn; a picture of one event is none of a call.
    if graph.samples.is_empty() || !graph.events.iter().any(is_step) {
        return;
    }
    body.push_str(
        "<section aria-labelledby=\"way\">\n<h2 id=\"way\">The way of a tool call</h2>\n<ol class=\"way\">\n",
    );
    body.push_str("<li class=\"end\">the model calls a tool</li>\n");
    way_steps(body, graph, &before);
    body.push_str("<li class=\"end\">the tool runs</li>\n");
    way_steps(body, graph, &after);
    body.push_str("<li class=\"end\">the model reads the result</li>\n</ol>\n</section>\n");
}

fn way_steps(body: &mut String, graph: &Graph, names: &[&str]) {
    for (at, event) in graph.events.iter().enumerate().filter(|(_, event)| names.contains(&event.name.as_str())) {
        way_step(body, at, event);
    }
}

fn way_step(body: &mut String, at: usize, event: &GraphEvent) {
    let able = event.hooks.iter().filter(|hook| hook.can_stop()).count();
    let what = match able {
        0 if event.gate => "nothing can stop it here".to_owned(),
        0 => "it cannot be blocked, only observed".to_owned(),
        able => format!("{} can stop it", count(able, "hook")),
    };
    let name = escaped(&event.name);
    let _ = writeln!(body, "<li>\n<a href=\"#e{at}\">{name}</a> <small>{what}</small>\n<ul>");
    for hook in &event.hooks {
        let _ = writeln!(body, "<li>{} {}</li>", sign(hook.mark), escaped(&hook.name));
    }
    body.push_str("</ul>\n</li>\n");
}

/// Typical calls as tabs, which radio buttons are: they need no script.
fn samples(body: &mut String, samples: &[GraphSample]) {
    if samples.is_empty() {
        return;
    }
    body.push_str(
        "<section aria-labelledby=\"samples\">\n<h2 id=\"samples\">Typical calls</h2>\n<div class=\"tabs\">\n",
    );
    for (at, sample) in samples.iter().enumerate() {
        let (label, checked) = (escaped(&sample.label), if at == 0 { " checked" } else { "" });
        let _ = writeln!(
            body,
            "<input type=\"radio\" name=\"sample\" id=\"s{at}\"{checked}><label for=\"s{at}\">{label}</label>"
        );
    }
    for sample in samples {
        let _ = writeln!(body, "<article>\n<h3>{}</h3>", escaped(&sample.label));
        hooks_of(body, &sample.event);
        body.push_str("</article>\n");
    }
    body.push_str("</div>\n</section>\n");
}

/// The hooks of an event in their order, those that do not look apart, and what becomes of it.
fn hooks_of(body: &mut String, event: &GraphEvent) {
    let (looking, apart): (Vec<&GraphHook>, Vec<&GraphHook>) =
        event.hooks.iter().partition(|hook| hook.why_not.is_none());
    if event.hooks.is_empty() {
        body.push_str("<p>No hook is registered for it.</p>\n");
    }
    if let Some(outcome) = &event.outcome {
        let _ = writeln!(body, "<p class=\"outcome\">{}</p>", escaped(outcome));
    }
    list(body, &looking);
    if !apart.is_empty() {
        let hooks = if apart.len() == 1 { "1 hook does".to_owned() } else { format!("{} hooks do", apart.len()) };
        let _ = writeln!(body, "<details>\n<summary>{hooks} not look at it</summary>");
        list(body, &apart);
        body.push_str("</details>\n");
    }
}

fn list(body: &mut String, hooks: &[&GraphHook]) {
    if hooks.is_empty() {
        return;
    }
    body.push_str("<ol class=\"hooks\">\n");
    for hook in hooks {
        draw_hook(body, hook);
    }
    body.push_str("</ol>\n");
}

fn draw_hook(body: &mut String, hook: &GraphHook) {
    let (name, mark) = (escaped(&hook.name), sign(hook.mark));
    let class = if hook.is_in() { class(hook.mark) } else { "apart" };
    let _ = writeln!(body, "<li class=\"{class}\">\n<h4>{mark} {name}</h4>");
    let flags = hook.flags();
    if !flags.is_empty() {
        let flags: Vec<String> = flags.iter().map(|flag| format!("<b>{}</b>", escaped(flag))).collect();
        let _ = writeln!(body, "<p class=\"flags\">{}</p>", flags.join(" "));
    }
    let matcher = if hook.matcher.is_empty() { "everything".to_owned() } else { escaped(&hook.matcher) };
    let _ = writeln!(body, "<dl>\n<dt>for</dt><dd><code>{matcher}</code></dd>");
    if hook.why_not.is_none() && hook.runs != hook.name && !hook.runs.is_empty() {
        let _ = writeln!(body, "<dt>runs</dt><dd><code>{}</code></dd>", escaped(&hook.runs));
    }
    if let Some(why) = &hook.why_not {
        let _ = writeln!(body, "<dt>why not</dt><dd>{}</dd>", escaped(why));
    }
    if let Some(stage) = hook.stage {
        let _ = writeln!(body, "<dt>stage</dt><dd>{}</dd>", stage + 1);
    }
    let _ = writeln!(body, "<dt>from</dt><dd>{} ({})</dd>\n</dl>\n</li>", escaped(&hook.place), hook.scope);
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
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}') && !page.contains("<title>Hooks of <b>"));
        assert!(page.contains("<title>Hooks of &lt;b&gt;&quot;</title>"), "{page}");
        assert!(body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        // Every tag of the body is one of the page's own.
        let own = [
            "header", "h1", "p", "nav", "ul", "li", "a", "span", "main", "section", "h2", "h3", "h4", "small", "ol",
            "b", "i", "dl", "dt", "dd", "code", "body", "html", "div", "input", "label", "article", "details",
            "summary",
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

    #[test]
    fn hooks_that_do_not_look_stand_apart() {
        let page = html(&hostile());
        assert!(!page.contains("line-through"));
        for part in page.split("<details>").skip(1) {
            let apart = part.split("</details>").next().unwrap();
            assert_eq!(apart.matches("<dt>why not</dt>").count(), apart.matches("<h4>").count());
        }
        let outside: String = page.split("<details>").map(|part| part.rsplit("</details>").next().unwrap()).collect();
        assert!(!outside.contains("<dt>why not</dt>"));
    }
}
