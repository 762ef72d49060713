//! An agent works through a list of tool calls, guarded by a policy: the Rust program.
#![allow(clippy::print_stdout, reason = "the table is what the program is for")]
#![allow(clippy::indexing_slicing, reason = "what is indexed is JSON, where a missing member is null")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use hookweave::ArgTest;
use hookweave::FailBehavior::Block;
use hookweave::{Engine, Event, HookError, HookResponse, Outcome};
use regex::Regex;
use serde_json::{Value, json};

const PROJECT: &str = "/home/dev/parcel-api";

// --- the policy ----------------------------------------------------------------------------------

// `curl … | sh` runs what nobody has seen, and meets every rule.
const DANGEROUS: [&str; 6] = [
    "Bash(rm -r / *)",
    "Bash(rm -r ~ *)",
    "Bash(mkfs *)",
    "Bash(mkfs.*)",
    "Bash(dd of=/dev/*)",
    "Bash(chmod -R 777 *)",
];
// It calls nothing but itself: no rule names that.
const FORK_BOMB: &str = r":\(\)\s*\{";
const PUBLISHES: [&str; 2] = ["Bash(git push *)", "Bash(npm publish *)"];
const KEY_IN_FILE: &str = r"(?m)^\s*\w*(KEY|SECRET|TOKEN|PASSWORD)\w*[ \t]*=[ \t]*\S";
const KEY_IN_SHELL: &str = r"(KEY|SECRET|TOKEN|PASSWORD)\w*=\S.*>\s*\S*\.env";
const CHANGES_DATA: &str = r"(?i)\b(drop|truncate|delete|update)\b";
const INSIDE_ADDRESS: &str = r"^https?://(169\.254\.|127\.|10\.|localhost)";
static SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"ck_(live|test)_\w{8,}").ok());
const BASH_TIMEOUT_MS: u64 = 120_000;
const BUDGET: u64 = 500_000;

/// Millionths of a dollar for one token in and one token out.
fn price(model: &str) -> (u64, u64) {
    if model == "agent" { (3, 15) } else { (0, 0) }
}

/// What the hooks count and write.
struct Policy {
    folder: PathBuf,
    journal: Mutex<fs::File>,
    cost: AtomicU64,
    tokens: AtomicU64,
    tidied: AtomicU64,
}

impl Policy {
    fn new(folder: &Path) -> Result<Arc<Self>, Box<dyn Error>> {
        Ok(Arc::new(Self {
            folder: folder.to_owned(),
            journal: Mutex::new(fs::File::create(folder.join("log.jsonl"))?),
            cost: AtomicU64::new(0),
            tokens: AtomicU64::new(0),
            tidied: AtomicU64::new(0),
        }))
    }

    fn register(self: &Arc<Self>, engine: &Engine) -> Result<(), hookweave::Error> {
        let pre = |name: &str| engine.on("PreToolUse").name(name);
        let post = |name: &str| engine.on("PostToolUse").name(name);
        let failed = |name: &str| engine.on("PostToolUseFailure").name(name);
        let regex = |pattern: &str| ArgTest::Regex(pattern.to_owned());

        let this = Arc::clone(self);
        pre("log").priority(-100).run(move |event: &Event| this.log(event, "asked", &subject(event.args())))?;
        pre("danger").rule(DANGEROUS).fail_behavior(Block).run(refuse("dangerous command"))?;
        let bomb = pre("fork-bomb").tool("Bash").command_pattern(FORK_BOMB);
        bomb.fail_behavior(Block).run(refuse("dangerous command"))?;
        let no_keys = || refuse("a key does not belong in a file");
        let env_file = |name: &str, tool: &str| pre(name).tool(tool).path_pattern(".env*").fail_behavior(Block);
        env_file("env-write", "Write").arg("content", regex(KEY_IN_FILE)).run(no_keys())?;
        env_file("env-edit", "Edit").arg("new_string", regex(KEY_IN_FILE)).run(no_keys())?;
        pre("env-shell").tool("Bash").command_pattern(KEY_IN_SHELL).fail_behavior(Block).run(no_keys())?;
        let inside = refuse("this address is inside the network");
        pre("network").tool("WebFetch").arg("url", regex(INSIDE_ADDRESS)).run(inside)?;
        let changes = refuse("the agent may only read the database");
        pre("database").tool("mcp__sqlite__*").arg("sql", regex(CHANGES_DATA)).run(changes)?;
        // What leaves the machine is a person's decision.
        pre("push").rule(PUBLISHES).run(|event: &Event| {
            HookResponse::ask(format!("Run `{}`?", subject(event.args())))
                .ask_with(json!({"options": ["Allow once", "Deny"]}))
        })?;
        pre("limit").tool("Bash").priority(10).run(limit_time)?;
        pre("reading").tool_pattern("^(Read|Glob|Grep)$").run(|_: &Event| HookResponse::allow())?;

        post("redact").tool("Bash|Read|Grep").run(Self::redact)?;
        let this = Arc::clone(self);
        post("tidy").tool("Write|Edit|NotebookEdit").run_async(move |event| {
            let this = Arc::clone(&this);
            async move { this.tidy(event.args()) }
        })?;
        let this = Arc::clone(self);
        post("log")
            .priority(100)
            .run(move |event: &Event| this.log(event, "done", &format!("{} ms", event.field("result")["duration"])))?;
        // A fetch that timed out deserves a second try.
        failed("retry").tool("WebFetch").run(|event: &Event| {
            let timed_out = text(event.field("error")).contains("timed out");
            timed_out.then(|| HookResponse::retry(Duration::from_millis(500)))
        })?;
        let this = Arc::clone(self);
        failed("log")
            .priority(100)
            .run(move |event: &Event| this.log(event, "failed", first_line(text(event.field("error")))))?;
        let this = Arc::clone(self);
        engine.on("GenerateEnd").name("cost").run(move |event: &Event| this.count_cost(event))?;
        Ok(())
    }

    /// Keys in a tool's output do not reach the model.
    fn redact(event: &Event) -> Option<HookResponse> {
        let mut result = event.field("result").clone();
        let clean = without_secrets(text(&result["output"]));
        (clean != text(&result["output"])).then(|| {
            result["output"] = json!(clean);
            HookResponse::continue_().modified(json!({"result": result}))
        })
    }

    /// Formats what was written: no trailing blanks, Unix line ends, one newline at the end.
    fn tidy(&self, args: &Value) -> Result<Option<HookResponse>, HookError> {
        let path = in_folder(&self.folder, args);
        let old = fs::read_to_string(&path)?;
        let lines: Vec<&str> = old.split('\n').map(|line| line.trim_end_matches([' ', '\t', '\r'])).collect();
        let new = format!("{}\n", lines.join("\n").trim_end_matches('\n'));
        let (before, after): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
        let differing = before.iter().zip(&after).filter(|(a, b)| a != b).count();
        let changed = differing + before.len().abs_diff(after.len());
        if changed == 0 {
            return Ok(None);
        }
        fs::write(&path, &new)?;
        self.tidied.fetch_add(changed as u64, Relaxed);
        let name = path.strip_prefix(self.folder.join("files"))?.display();
        Ok(Some(HookResponse::continue_().message(format!("tidied {changed} lines of {name}"))))
    }

    /// Adds up what the model's answers cost and speaks up once when the budget is spent.
    fn count_cost(&self, event: &Event) -> Option<HookResponse> {
        let usage = &event.field("response")["usage"];
        let count = |name: &str| usage[name].as_u64().unwrap_or_default();
        let (tokens_in, tokens_out) = (count("input_tokens"), count("output_tokens"));
        let (price_in, price_out) = price(text(event.field("model")));
        let spent = tokens_in * price_in + tokens_out * price_out;
        self.tokens.fetch_add(tokens_in + tokens_out, Relaxed);
        let before = self.cost.fetch_add(spent, Relaxed);
        let now = before + spent;
        (before <= BUDGET && now > BUDGET)
            .then(|| HookResponse::continue_().message_at("warning", format!("over budget: {}", dollars(now))))
    }

    /// Adds one line to the log of what happened.
    fn log(&self, event: &Event, what: &str, detail: &str) -> Result<(), HookError> {
        let line = json!({"at": event.timestamp(), "tool": event.tool(), "what": what, "detail": detail});
        let mut journal = self.journal.lock().map_err(|_| "the log is broken")?;
        Ok(writeln!(journal, "{line}")?)
    }
}

/// A hook that blocks every call that its matcher selects.
fn refuse(why: &'static str) -> impl Fn(&Event) -> HookResponse + Send + Sync {
    move |event| HookResponse::block(format!("{why}: {}", subject(event.args())))
}

/// Every command gets a timeout, and none a longer one than the policy's.
fn limit_time(event: &Event) -> Option<HookResponse> {
    if matches!(event.args()["timeout"].as_u64(), Some(1..=BASH_TIMEOUT_MS)) {
        return None;
    }
    let mut args = event.args().clone();
    args["timeout"] = json!(BASH_TIMEOUT_MS);
    Some(HookResponse::continue_().modified(json!({"args": args})))
}

// --- the agent -----------------------------------------------------------------------------------

/// Makes the listed calls the way an agent's tool loop makes them.
struct Agent<'a> {
    engine: &'a Engine,
    folder: &'a Path,
}

/// What became of a call, in a word, and the outcomes of its dispatches.
type Worked = (&'static str, Vec<Outcome>);

impl Agent<'_> {
    /// Tells the hooks what happens.
    async fn dispatch(&self, event: &str, call: &Value, payload: Value) -> Result<Outcome, hookweave::Error> {
        let common = Event::new(event, payload).with("session_id", "parcel-318");
        self.engine.dispatch(common.with("timestamp", call["at"].clone()).with("cwd", PROJECT)).await
    }

    /// Makes one call.
    async fn work(&self, call: &Value) -> Result<Worked, Box<dyn Error>> {
        let response = json!({"text": call["text"], "usage": call["usage"], "duration": call["thought_ms"]});
        let generated = json!({"prompt": "", "response": response, "model": call["model"]});
        let mut outcomes = vec![self.dispatch("GenerateEnd", call, generated).await?];
        let mut what = json!({"tool": call["tool"], "args": call["args"], "tool_use_id": call["tool_use_id"]});
        let asked = self.dispatch("PreToolUse", call, what.clone()).await?;
        let (blocked, decision) = (asked.blocked(), asked.decision().as_str());
        what["args"] = asked.event().args().clone();
        outcomes.push(asked);
        if blocked {
            return Ok(("block", outcomes));
        }
        if decision == "ask" && call["answer"] == "Deny" {
            return Ok(("ask: no", outcomes));
        }
        let mut retried = false;
        for result in call["results"].as_array().into_iter().flatten() {
            carry_out(self.folder, call, &what["args"], result)?;
            let mut payload = what.clone();
            if result["success"] == true {
                payload["result"] = result.clone();
                outcomes.push(self.dispatch("PostToolUse", call, payload).await?);
                break;
            }
            (payload["error"], payload["duration"]) = (result["error"].clone(), result["duration"].clone());
            let failed = self.dispatch("PostToolUseFailure", call, payload).await?;
            let again = failed.decision().as_str() == "retry";
            outcomes.push(failed);
            if !again {
                break;
            }
            retried = true;
        }
        let verdict = if retried {
            "retry"
        } else if decision == "ask" {
            "ask: yes"
        } else {
            decision
        };
        Ok((verdict, outcomes))
    }
}

/// Does to the files in the folder what the tool did to the project's.
fn carry_out(folder: &Path, call: &Value, args: &Value, result: &Value) -> Result<(), Box<dyn Error>> {
    let tool = text(&call["tool"]);
    if !["Read", "Write", "Edit", "NotebookEdit"].contains(&tool) || result["success"] != true {
        return Ok(());
    }
    let path = in_folder(folder, args);
    fs::create_dir_all(path.parent().unwrap_or(folder))?;
    let old = if path.exists() { fs::read_to_string(&path)? } else { String::new() };
    let added = args.get("new_string").or_else(|| args.get("new_source")).map_or("", text);
    let new = match tool {
        "Read" if old.is_empty() => text(&result["output"]).to_owned(),
        "Read" => old,
        "Write" => text(&args["content"]).to_owned(),
        "Edit" if old.contains(text(&args["old_string"])) => old.replacen(text(&args["old_string"]), added, 1),
        _ => old + added,
    };
    Ok(fs::write(&path, new)?)
}

/// Where a file of the project lies in this run.
fn in_folder(folder: &Path, args: &Value) -> PathBuf {
    let name = text(args.get("file_path").unwrap_or(&args["notebook_path"]));
    folder.join("files").join(name.trim_start_matches(PROJECT).trim_start_matches('/'))
}

// --- the table -----------------------------------------------------------------------------------

/// A value's text; empty when it is none.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A text up to its first line end.
fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

/// A text without the keys that it shows.
fn without_secrets(text: &str) -> String {
    SECRET.as_ref().map_or_else(|| text.to_owned(), |secret| secret.replace_all(text, "[redacted]").into_owned())
}

/// What a call is about: its command, file, pattern, address or query.
fn subject(args: &Value) -> String {
    let keys = ["command", "file_path", "notebook_path", "pattern", "url", "sql", "description", "ticket"];
    let about = keys.iter().find_map(|key| args.get(*key)).map_or("", |value| first_line(text(value)));
    without_secrets(about)
}

/// A text in exactly so many columns.
fn cut(text: &str, width: usize) -> String {
    let long = text.chars().count() > width;
    let kept: String = text.chars().take(if long { width - 1 } else { width }).collect();
    format!("{:<width$}", if long { kept + "…" } else { kept })
}

/// Millionths of a dollar, for people.
fn dollars(cost: u64) -> String {
    format!("${}.{:04}", cost / 1_000_000, cost % 1_000_000 / 100)
}

/// The members of a list in a record; nothing when it is left out.
fn items<'a>(record: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    record[name].as_array().into_iter().flatten()
}

/// The hooks of one dispatch with a mark for what each said.
fn hooks_that_ran(record: &Value) -> String {
    let names: Vec<String> = items(record, "trace")
        .filter(|entry| entry["status"] != "skipped")
        .map(|entry| {
            let mark = match (text(&entry["status"]), text(&entry["action"])) {
                ("failed", _) => "x",
                (_, "block") => "!",
                (_, "ask") => "?",
                (_, "allow") => "+",
                (_, "retry") => "~",
                _ => "",
            };
            let star = if items(entry, "modified").next().is_some() { "*" } else { "" };
            format!("{}{mark}{star}", text(&entry["hook"]))
        })
        .collect();
    names.join(" ")
}

/// What the hooks of some dispatches took together.
fn microseconds(records: &[Value]) -> f64 {
    records.iter().flat_map(|record| items(record, "trace")).filter_map(|entry| entry["duration_us"].as_f64()).sum()
}

/// One call of the table, with what the hooks had to say about it beneath.
fn row(number: usize, call: &Value, verdict: &str, records: &[Value]) -> Result<String, std::fmt::Error> {
    let parts: Vec<String> = records.iter().map(hooks_that_ran).filter(|part| !part.is_empty()).collect();
    let about = subject(&call["args"]).replacen(&format!("{PROJECT}/"), "", 1);
    let (tool, asked, ran) = (cut(text(&call["tool"]), 9), cut(&about, 31), cut(&parts.join(" | "), 37));
    let mut lines = format!("{number:>3} {tool} {asked} {ran} {verdict:<8} {:>7.1}", microseconds(records));
    for record in records {
        let mut notes: Vec<&str> = record["reason"].as_str().into_iter().collect();
        let prompts: Vec<&str> = items(record, "asks").map(|ask| text(&ask["prompt"])).collect();
        notes.extend(prompts.into_iter().filter(|prompt| Some(*prompt) != record["reason"].as_str()));
        notes.extend(items(record, "messages").map(|message| text(&message["text"])));
        for note in notes {
            let note: String = note.chars().take(92).collect();
            write!(lines, "\n      > {note}")?;
        }
    }
    Ok(lines)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(recorded)) = (arguments.next(), arguments.next()) else {
        return Err("usage: guarded-agent FOLDER CALLS.jsonl".into());
    };
    let folder = PathBuf::from(folder);
    fs::create_dir_all(&folder)?;
    let calls: Vec<Value> =
        fs::read_to_string(recorded)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    println!("{:>3} {:<9} {:<31} {:<37} {:<8} {:>7}", "#", "tool", "asked", "hooks that ran", "decision", "µs");

    let engine = Engine::new();
    let policy = Policy::new(&folder)?;
    policy.register(&engine)?;
    let agent = Agent { engine: &engine, folder: &folder };
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kept = fs::File::create(folder.join("records.jsonl"))?;
    let (mut dispatches, mut total) = (0, 0.0);
    for (call, number) in calls.iter().zip(1..) {
        let (verdict, outcomes) = agent.work(call).await?;
        let records: Vec<Value> = outcomes.iter().map(Outcome::to_json).collect();
        println!("{}", row(number, call, verdict, &records)?);
        *verdicts.entry(verdict).or_default() += 1;
        dispatches += records.len();
        total += microseconds(&records);
        writeln!(kept, "{}", json!({"call": number, "verdict": verdict, "outcomes": records}))?;
    }

    let count = |verdict| verdicts.get(verdict).copied().unwrap_or_default();
    let (blocked, denied, retried) = (count("block"), count("ask: no"), count("retry"));
    println!("\n{} calls: {} ran, {blocked} blocked, {denied} denied,", calls.len(), calls.len() - blocked - denied);
    let (tidied, tokens) = (policy.tidied.load(Relaxed), policy.tokens.load(Relaxed));
    println!("{retried} retried; {tidied} lines tidied; {tokens} tokens, {};", dollars(policy.cost.load(Relaxed)));
    println!("{dispatches} dispatches; their hooks took {total:.0} µs, file work included");
    Ok(())
}
