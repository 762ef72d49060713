//! Event × exit code × kind of stdout × kind of stderr: every combination is held against the first row that fits.

use hookweave_dialects::CommandOutput;
use hookweave_machine::answer::{self, Reading as Read};
use hookweave_machine::dispatch::{HandlerResult, HookFailure};
use hookweave_machine::event::EventSpec;
use hookweave_machine::json::Json;
use serde_json::{Value, json};

use crate::subject;
use crate::table::{Reading, Table};

pub const EXITS: &[&str] = &["0", "1", "2", "3", "126", "127", "signal"];
pub const STDOUTS: &[&str] =
    &["empty", "text", "object", "invalid", "array", "banner", "bom", "ansi", "pretty", "double"];
pub const STDERRS: &[&str] = &["empty", "text", "json"];

/// Runs every combination of a table; says how many there were.
pub fn check(table: &Table, wrong: &mut Vec<String>) -> usize {
    let dialect = table.dialect();
    let events = dialect.events();
    for (row, reading) in table.readings.iter().enumerate() {
        wrong.extend(misspelt(table, row, reading, &events));
    }
    let mut used = vec![false; table.readings.len()];
    let mut checked = 0;
    for event in &events {
        let invocation = subject::invocation(dialect, event, None, None);
        for exit in EXITS {
            for stdout in STDOUTS {
                for stderr in STDERRS {
                    checked += 1;
                    let place = format!("{} {event} exit {exit}, stdout {stdout}, stderr {stderr}", table.name);
                    let combination = [(0, *event), (1, *exit), (2, *stdout), (3, *stderr)];
                    let Some(row) = table.readings.iter().position(|row| fits(row, &combination)) else {
                        wrong.push(format!("{place}: no row fits"));
                        continue;
                    };
                    used[row] = true;
                    let (out, err) = (printed(table, event, stdout), printed_to_stderr(table, event, stderr));
                    let result = hookweave_dialects::answer_of_command(dialect, &invocation, &exited(exit, &out, &err));
                    let reading = &table.readings[row];
                    let expect = reading.expect.as_ref().map(|expect| filled(expect, &out, &err));
                    if let Some(why) = self::wrong(&invocation.event, &reading.says, expect.as_ref(), None, result) {
                        wrong.push(format!("{place} (row {}): {why}", row + 1));
                    }
                }
            }
        }
    }
    let dead = used.iter().enumerate().filter(|(_, used)| !**used);
    wrong.extend(dead.map(|(row, _)| format!("{}: row {} is never reached", table.name, row + 1)));
    checked
}

fn misspelt(table: &Table, row: usize, reading: &Reading, events: &[&str]) -> Vec<String> {
    let columns = [
        (&reading.events, events),
        (&reading.exit, EXITS),
        (&reading.stdout, STDOUTS),
        (&reading.stderr, STDERRS),
        (&vec![reading.says.clone()], &["nothing", "answer", "failed"][..]),
    ];
    let unknown = columns.into_iter().flat_map(|(given, known)| {
        given.iter().filter(move |word| *word != "*" && !known.contains(&word.as_str())).cloned().collect::<Vec<_>>()
    });
    unknown.map(|word| format!("{} row {}: unknown word `{word}`", table.name, row + 1)).collect()
}

fn fits(row: &Reading, combination: &[(usize, &str); 4]) -> bool {
    let columns = [&row.events, &row.exit, &row.stdout, &row.stderr];
    combination.iter().all(|(column, word)| columns[*column].iter().any(|given| given == "*" || given == word))
}

fn printed(table: &Table, event: &str, kind: &str) -> String {
    if let Some(text) = table.output(event, kind) {
        return text.to_owned();
    }
    let object = || table.output(event, "object").unwrap_or("{}").to_owned();
    match kind {
        "empty" => String::new(),
        "text" => "Checked 3 files.\n".to_owned(),
        "object" => object(),
        "invalid" => "{\"decision\": 3}".to_owned(),
        "array" => format!("[{}]", object()),
        "banner" => format!("Welcome to the hook\n{}\n", object()),
        "bom" => format!("\u{feff}{}", object()),
        "ansi" => format!("\u{1b}[32m{}\u{1b}[0m\n", object()),
        "pretty" => {
            let value: Value = serde_json::from_str(&object()).expect("`object` is JSON");
            serde_json::to_string_pretty(&value).expect("JSON can be written")
        }
        "double" => json!(object()).to_string(),
        other => panic!("unknown kind of output `{other}`"),
    }
}

fn printed_to_stderr(table: &Table, event: &str, kind: &str) -> String {
    match kind {
        "empty" => String::new(),
        "text" => "src/main.rs is generated\nedit the template\n".to_owned(),
        "json" => table.output(event, "object").unwrap_or("{}").to_owned(),
        other => panic!("unknown kind of stderr `{other}`"),
    }
}

fn exited(exit: &str, stdout: &str, stderr: &str) -> CommandOutput {
    let code = exit.parse().ok();
    CommandOutput {
        code,
        signal: code.is_none().then_some(9),
        stdout: stdout.as_bytes().to_vec(),
        stderr: stderr.as_bytes().to_vec(),
    }
}

/// Puts what was printed in the place of `$stdout` and `$stderr`.
fn filled(expect: &Value, stdout: &str, stderr: &str) -> Value {
    let trim = |text: &str| text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').to_owned();
    match expect {
        Value::String(text) => json!(text.replace("$stdout", &trim(stdout)).replace("$stderr", &trim(stderr))),
        Value::Array(items) => items.iter().map(|item| filled(item, stdout, stderr)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), filled(value, stdout, stderr)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// What is wrong with what a hook is understood to say.
pub fn wrong(
    event: &EventSpec,
    says: &str,
    expect: Option<&Value>,
    exact: Option<&Value>,
    found: HandlerResult<Value>,
) -> Option<String> {
    match (says, found) {
        ("nothing", HandlerResult::Nothing) => None,
        ("answer", HandlerResult::Answer(answer)) => {
            if let Read::Invalid(invalid) = answer::read(&Json, event, &&answer) {
                return Some(format!("{answer} is no valid answer: {}", invalid.message));
            }
            if expect.is_none() && exact.is_none() {
                return Some(format!("the table does not say what is answered: {answer}"));
            }
            if let Some(exact) = exact.filter(|exact| **exact != answer) {
                return Some(format!("{}\n  got {answer}", difference(exact, &answer)));
            }
            let expect = expect?;
            (!matches(expect, &answer)).then(|| format!("{}\n  got {answer}", difference(expect, &answer)))
        }
        ("failed", HandlerResult::Failed(failure)) => {
            let found = failed(&failure);
            let expect = expect?;
            (!matches_failure(expect, &found)).then(|| format!("fails with {found}, not {expect}"))
        }
        (says, found) => Some(format!("`{says}` is wanted, not {found:?}")),
    }
}

fn failed(failure: &HookFailure<Value>) -> Value {
    json!({"kind": failure.kind.as_str(), "message": failure.message, "restricts": failure.meant_to_restrict})
}

fn matches_failure(expect: &Value, found: &Value) -> bool {
    let holds = |(name, wanted): (&String, &Value)| match name.as_str() {
        "contains" => contains(wanted, &found["message"]),
        name => found.get(name) == Some(wanted),
    };
    expect.as_object().is_some_and(|expect| expect.iter().all(holds))
}

fn contains(wanted: &Value, found: &Value) -> bool {
    if let Value::Array(items) = found {
        return items.iter().any(|item| contains(wanted, item));
    }
    let Some(found) = found.as_str() else { return false };
    match wanted {
        Value::String(word) => found.contains(word.as_str()),
        Value::Array(words) => words.iter().all(|word| contains(word, &json!(found))),
        _ => false,
    }
}

/// Whether every member that is written fits; further members do not matter. `{"$contains": …}` is a part of a text,
/// `{"$absent": true}` a member that is not there.
pub fn matches(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), found) if wanted.contains_key("$contains") => contains(&wanted["$contains"], found),
        (Value::Object(wanted), Value::Object(found)) => wanted.iter().all(|(name, wanted)| match found.get(name) {
            Some(found) => matches(wanted, found),
            None => wanted.get("$absent").is_some(),
        }),
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| matches(wanted, found))
        }
        (wanted, found) => wanted == found,
    }
}

/// Where two values differ first, for a person.
pub fn difference(wanted: &Value, found: &Value) -> String {
    if let (Value::Object(left), Value::Object(right)) = (wanted, found) {
        for (name, value) in left {
            match right.get(name) {
                None => return format!("`{name}` is missing"),
                Some(other) if !matches(value, other) => return format!("{name}: {}", difference(value, other)),
                Some(_) => {}
            }
        }
        if let Some(name) = right.keys().find(|name| !left.contains_key(*name)) {
            return format!("`{name}` should not be there");
        }
    }
    format!("wanted {wanted}, found {found}")
}
