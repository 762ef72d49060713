//! Every dialect reads and writes as its table in tests/tables says.
//!
//! A table is a TOML file; `DIALECT=name cargo test -p hookweave-dialects --test it` runs one of them, and
//! `UPDATE_DOCS=1` writes the page that is generated from it.

use std::sync::Arc;

use hookweave_dialects::{CommandOutput, Dialect, Invocation, OutcomeView, Placement, RunKind, WebResponse, WireEvent};
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::event::EventSpec;
use hookweave_machine::hook::HookSpec;
use hookweave_machine::json::Json;
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;
use hookweave_machine::tool::ToolDefinition;
use serde_json::{Map, Value, json};

use crate::reading::{difference, matches};
use crate::table::{Placed, Sample, Table, Wire, json as parse};

/// Fails with everything that is wrong at once.
fn report(what: &str, checked: usize, wrong: &[String]) {
    assert!(wrong.is_empty(), "{} of {checked} {what} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    println!("{checked} {what} hold");
}

fn object(place: &str, text: &str) -> Map<String, Value> {
    match parse(place, text) {
        Value::Object(fields) => fields,
        other => panic!("{place}: an object is wanted, not {other}"),
    }
}

fn tool(place: &str, text: &str) -> ToolDefinition {
    let value = parse(place, text);
    ToolDefinition::read(&Json, &&value).unwrap_or_else(|error| panic!("{place}: {error}"))
}

fn kind(place: &str, name: &str) -> RunKind {
    match name {
        "command" => RunKind::Command,
        "webhook" => RunKind::Webhook,
        "mcp_tool" => RunKind::McpTool,
        "prompt" => RunKind::Prompt,
        "agent" => RunKind::Agent,
        other => panic!("{place}: unknown kind `{other}`"),
    }
}

#[test]
fn every_dialect_has_its_table() {
    if std::env::var_os("DIALECT").is_some() {
        return;
    }
    let tables = crate::table::all();
    for dialect in hookweave_dialects::ALL.iter() {
        let has = tables.iter().any(|table| table.name == dialect.name());
        let described = hookweave_dialects::described::system(dialect.name()).is_some();
        assert!(has || described, "tests/tables/{}.toml is missing", dialect.name());
    }
    for table in &tables {
        table.dialect();
    }
}

#[test]
fn every_exit_code_and_output_means_what_the_tables_say() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for table in crate::table::all() {
        checked += crate::reading::check(&table, &mut wrong);
    }
    report("combinations of event, exit code, stdout and stderr", checked, &wrong);
}

fn decoded(sample: &Sample, dialect: &dyn Dialect, invocation: &Invocation, place: &str) -> HandlerResult<Value> {
    if let Some(status) = sample.status {
        let answer = WebResponse { status, content_type: None, body: sample.body.clone().into_bytes() };
        return hookweave_dialects::answer_of_server(dialect, invocation, &answer);
    }
    if let Some(hosted) = &sample.hosted {
        let answered = parse(place, sample.answered.as_deref().unwrap_or("null"));
        return hookweave_dialects::answer_of_host(dialect, invocation, kind(place, hosted), &answered);
    }
    let exited = CommandOutput {
        code: sample.signal.is_none().then_some(sample.exit.unwrap_or(0)),
        signal: sample.signal,
        stdout: sample.stdout.clone().into_bytes(),
        stderr: sample.stderr.clone().into_bytes(),
    };
    hookweave_dialects::answer_of_command(dialect, invocation, &exited)
}

#[test]
fn every_sample_answers_exactly_as_written() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for table in crate::table::all() {
        let dialect = table.dialect();
        for (index, sample) in table.samples.iter().enumerate() {
            checked += 1;
            let place = format!("{} sample {} ({})", table.name, index + 1, sample.why);
            let payload = sample.payload.as_deref().map(|text| object(&place, text));
            let invocation = crate::subject::invocation(dialect, &sample.event, payload, None);
            let found = decoded(sample, dialect, &invocation, &place);
            let answer = sample.answer.as_deref().map(|text| parse(&place, text));
            if let Some(why) =
                crate::reading::wrong(&invocation.event, &sample.says, sample.expect.as_ref(), answer.as_ref(), found)
            {
                wrong.push(format!("{place}: {why}"));
            }
        }
    }
    report("samples", checked, &wrong);
}

#[test]
fn hooks_read_what_the_tables_say() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for table in crate::table::all() {
        let dialect = table.dialect();
        for (index, stdin) in table.stdin.iter().enumerate() {
            checked += 1;
            let place = format!("{} stdin {} ({})", table.name, index + 1, stdin.event);
            let definition = stdin.tool.as_deref().map(|text| tool(&place, text));
            let payload = object(&place, &stdin.payload);
            let encoded = dialect.encode(&crate::subject::invocation(dialect, &stdin.event, Some(payload), definition));
            let body = parse(&place, &stdin.body);
            if encoded.body != body {
                wrong.push(format!("{place}: {}\n  got {}", difference(&body, &encoded.body), encoded.body));
            }
            for (name, value) in &stdin.env {
                let set: Vec<_> = encoded.env.iter().filter(|(set, _)| set == name).map(|(_, value)| value).collect();
                if set != [value] {
                    wrong.push(format!("{place}: {name} is {set:?}, not {value:?}"));
                }
            }
            for name in &stdin.without_env {
                if encoded.env.iter().any(|(set, _)| set == name) {
                    wrong.push(format!("{place}: {name} is set"));
                }
            }
            if stdin.env_file.is_some() && stdin.env_file.as_deref() != encoded.env_file {
                wrong.push(format!("{place}: the file of variables is named {:?}", encoded.env_file));
            }
        }
    }
    report("bodies", checked, &wrong);
}

/// Whether a matcher selects an event in which a field is this text.
fn selects(place: &Placement, event: &Arc<EventSpec>, field: &str, text: &str) -> Result<bool, String> {
    let registry = Registry::new(Options::default());
    let spec = HookSpec::new(place.event).matcher(place.matcher.clone());
    registry.register(spec, ()).map_err(|error| error.to_string())?;
    let snapshot = registry.snapshot();
    let payload = crate::subject::with_field(event, field, text);
    let index = snapshot.event(place.event).ok_or("the event has no hooks")?;
    Ok(!snapshot.plan(&Json, index, &&payload).plan.calls().is_empty())
}

fn misplaced(dialect: &dyn Dialect, row: &Placed) -> Vec<String> {
    let place = match dialect.place(&row.event, row.matcher.as_deref()) {
        None if row.absent => return Vec::new(),
        None => return vec!["there is no such event".to_owned()],
        Some(Err(why)) if row.refused.as_ref().is_some_and(|words| why.contains(words.as_str())) => return Vec::new(),
        Some(Err(why)) => return vec![format!("refused: {why}")],
        Some(Ok(place)) => place,
    };
    let mut wrong = Vec::new();
    if row.absent || row.refused.is_some() {
        wrong.push(format!("is taken: {place:?}"));
    }
    if row.canonical.as_ref().is_some_and(|canonical| *canonical != place.event) {
        wrong.push(format!("belongs to {}", place.event));
    }
    let event = crate::subject::spec(place.event);
    let has_tool = row.field.is_none() && event.may_have("tool");
    let usual = if has_tool { Some("tool") } else { event.subtype().or(event.path()) };
    for (names, wanted) in [(&row.matches, true), (&row.misses, false)] {
        for name in names {
            let Some(field) = row.field.as_deref().or(usual) else {
                wrong.push(format!("{} has no field to try `{name}` in", place.event));
                continue;
            };
            let text = if has_tool { crate::subject::tool(dialect, name) } else { name.clone() };
            match selects(&place, &event, field, &text) {
                Ok(selected) if selected == wanted => {}
                Ok(selected) => wrong.push(format!("`{name}` {}", if selected { "matches" } else { "does not match" })),
                Err(why) => wrong.push(format!("the matcher is refused: {why}")),
            }
        }
    }
    wrong
}

#[test]
fn matchers_select_what_the_tables_say() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for table in crate::table::all() {
        let dialect = table.dialect();
        for row in &table.places {
            checked += 1 + row.matches.len() + row.misses.len();
            let place = format!("{} {} with {:?}", table.name, row.event, row.matcher);
            wrong.extend(misplaced(dialect, row).into_iter().map(|why| format!("{place}: {why}")));
        }
        for event in dialect.events() {
            checked += 1;
            crate::subject::canonical(dialect, event);
        }
    }
    report("matchers", checked, &wrong);
}

#[test]
fn hooks_may_run_as_long_as_the_tables_say() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for table in crate::table::all() {
        let dialect = table.dialect();
        for row in &table.timeouts {
            let place = format!("{} timeout of {} on {}", table.name, row.kind, row.event);
            let kind = kind(&place, &row.kind);
            let named: Vec<_> = table.timeouts.iter().filter(|other| other.kind == row.kind).collect();
            let events: Vec<_> = if row.event == "*" {
                let own = |event: &&str| !named.iter().any(|other| other.event == **event);
                dialect.events().into_iter().filter(own).collect()
            } else {
                dialect.events().into_iter().filter(|event| **event == *row.event).collect()
            };
            assert!(!events.is_empty(), "{place}: there is no such event");
            for event in events {
                checked += 1;
                let found = dialect.timeout(event, kind).map(|limit| limit.as_secs_f64());
                if found != row.seconds {
                    wrong.push(format!("{place} ({event}): {found:?}, not {:?}", row.seconds));
                }
            }
        }
    }
    report("timeouts", checked, &wrong);
}

fn outcome(place: &str, text: &str) -> Map<String, Value> {
    let whole = json!({
        "decision": "continue", "blocked": false, "reason": null, "modified": [], "votes": [], "injections": [],
        "messages": [], "asks": [], "feedback": [], "delay_ms": 0, "suppress_output": false, "ext": {}, "trace": [],
    });
    let mut whole = whole.as_object().cloned().expect("an object");
    whole.extend(object(place, text));
    whole
}

/// Equal as JSON when both are; as text otherwise.
fn prints(wanted: &str, found: &str) -> bool {
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (json(wanted), json(found)) {
        (Some(wanted), Some(found)) => wanted == found,
        _ => wanted.trim() == found.trim(),
    }
}

fn miswritten(dialect: &dyn Dialect, row: &Wire, place: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let event: WireEvent = match dialect.event_from_wire(&parse(place, &row.event)) {
        Ok(event) => event,
        Err(error) => return vec![error.to_string()],
    };
    if event.event != row.becomes {
        wrong.push(format!("becomes {}", event.event));
    }
    if let Some(payload) = &row.payload {
        let (wanted, found) = (parse(place, payload), Value::Object(event.payload.clone()));
        if wanted != found {
            wrong.push(format!("{}\n  got {found}", difference(&wanted, &found)));
        }
    }
    if let Some(text) = &row.outcome {
        let payload = row.changed.as_deref().map_or_else(|| event.payload.clone(), |text| object(place, text));
        let outcome = outcome(place, text);
        let written =
            dialect.outcome_to_wire(&OutcomeView::read(&event, &payload, &outcome).expect("the decision is known"));
        if written.exit_code != row.exit
            || !prints(&row.stdout, &written.stdout)
            || !prints(&row.stderr, &written.stderr)
        {
            wrong.push(format!("leaves {written:?}"));
        }
        let decoded = |words: &String| written.degraded.iter().any(|remark| remark.contains(words.as_str()));
        if !row.degraded.iter().all(decoded) || row.degraded.is_empty() != written.degraded.is_empty() {
            wrong.push(format!("says of what it cannot express {:?}", written.degraded));
        }
    }
    wrong
}

#[test]
fn agents_are_understood_and_answered_as_the_tables_say() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for table in crate::table::all() {
        for (index, row) in table.wires.iter().enumerate() {
            checked += 1;
            let place = format!("{} wire {} ({})", table.name, index + 1, row.why);
            wrong.extend(miswritten(table.dialect(), row, &place).into_iter().map(|why| format!("{place}: {why}")));
        }
    }
    report("events of agents", checked, &wrong);
}

#[test]
fn tools_have_the_names_that_the_tables_say() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for table in crate::table::all() {
        for tool in &table.tools {
            checked += 1;
            let name = hookweave_machine::tool_names::to_dialect(&table.name, &tool.ours, None);
            if name != tool.theirs {
                wrong.push(format!("{}: {} is {name}, not {}", table.name, tool.ours, tool.theirs));
            }
        }
    }
    report("tools", checked, &wrong);
}

/// Checks a written page, or writes it.
fn page(name: &str, page: &str) {
    let path = crate::page::folder().join(format!("{name}.md"));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page).expect("a page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/{name}.md is stale: UPDATE_DOCS=1 cargo test -p hookweave-dialects --test it");
}

#[test]
fn every_page_is_its_table() {
    let tables: Vec<Table> = crate::table::all();
    for table in tables.iter().filter(|table| hookweave_dialects::described::system(&table.name).is_none()) {
        page(&format!("dialects/{}", table.name), &crate::page::write(table));
    }
    for system in hookweave_dialects::described::SYSTEMS.iter() {
        page(&format!("dialects/{}", system.name), &crate::page::of_system(system));
    }
    if std::env::var_os("DIALECT").is_none() {
        page("compatibility", &crate::compatibility::write(&tables));
    }
}

#[test]
fn the_harness_tells_right_from_wrong() {
    assert!(matches(&json!({"a": 1}), &json!({"a": 1, "b": 2})));
    assert!(!matches(&json!({"a": 1}), &json!({"a": 2})));
    assert!(!matches(&json!([1]), &json!([1, 2])));
    assert!(matches(&json!({"$contains": "or"}), &json!("word")));
    assert!(!matches(&json!({"$absent": true, "a": 1}), &json!({"a": 2})));
    assert!(prints("{\"a\": 1}", "{\"a\":1}\n") && !prints("a", "b"));
}
