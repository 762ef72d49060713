//! Hooks of other systems, written as `hookweave.toml`: each keeps its dialect, so that it is read and answered as before.

use std::fmt::Write as _;
use std::time::Duration;

use hookweave_host::config::permissions::{PermissionList, Ruling};
use hookweave_host::config::{Declared, Run};
use hookweave_host::decision::Decision;
use hookweave_host::exec::command::{CommandLine, CommandSpec, Shell};
use hookweave_host::exec::webhook::{Method, UnsetVariable, WebhookSpec};
use hookweave_host::hook::{FailBehavior, Timeout};
use hookweave_host::registry::HookInfo;
use serde_json::{Map, Value};

/// What the format can say of a time.
const TIMES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(600));

/// One hook's table, and what the format cannot express.
pub(crate) fn table(hook: &Declared) -> (String, Vec<String>) {
    let mut lost = Vec::new();
    let mut out = String::from("[[hooks]]\n");
    let mut put = |name: &str, value: String| _ = writeln!(out, "{name} = {value}");
    if let Some(name) = &hook.spec.name {
        put("name", text(name));
    }
    put("event", text(&hook.declared_event));
    if hook.dialect.name() != "hookweave" {
        put("dialect", text(hook.dialect.name()));
    }
    run(&hook.run, &mut put);
    if let Timeout::After(limit) = hook.spec.timeout {
        let taken = limit.clamp(TIMES.0, TIMES.1);
        if taken != limit {
            lost.push(format!("its time of {limit:?} is out of bounds; {taken:?} is used"));
        }
        put("timeout", taken.as_secs_f64().to_string());
    }
    if hook.spec.priority != 0 {
        put("priority", hook.spec.priority.to_string());
    }
    if let Some(FailBehavior::Block) = hook.spec.fail_behavior {
        put("fail_behavior", text("block"));
    }
    if let Some(enforcement) = hook.spec.enforcement {
        put("enforcement", text(enforcement.as_str()));
    }
    for (name, is_set) in [("once", hook.spec.once), ("detached", hook.spec.detached)] {
        if is_set {
            put(name, "true".to_owned());
        }
    }
    if let Some(mandatory) = hook.spec.mandatory {
        put("mandatory", mandatory.to_string());
    }
    if !hook.spec.enabled {
        put("enabled", "false".to_owned());
    }
    if hook.wakes {
        lost.push("its exit code 2 does not wake the model any more (asyncRewake)".to_owned());
    }
    match matcher(hook) {
        Ok(None) => {}
        Ok(Some(Value::Object(fields))) => put("matcher", inline(&Value::Object(fields))),
        Ok(Some(value)) => put("matcher", inline(&value)),
        Err(why) => lost.push(why),
    }
    (out, lost)
}

/// The table of a guard that does what a permission rule does. One that keeps files from being read or changed keeps
/// command lines from it too, which the rule's system sees to itself.
pub(crate) fn guard(list: &PermissionList, rule: &str) -> String {
    let reason = text(&guard_reason(list, rule));
    let decision = match list.ruling {
        Ruling::Deny => format!("block = {reason}"),
        Ruling::Ask => format!("ask = {reason}"),
        Ruling::Allow => "allow = true".to_owned(),
    };
    if let Some((access, path)) = protected(rule).filter(|_| list.ruling != Ruling::Allow) {
        let asks = if list.ruling == Ruling::Ask { "answer = \"ask\"\n" } else { "" };
        let path = text(path);
        return format!(
            "[[hooks]]\nuse = \"protect-paths\"\npaths = [{path}]\nfor = \"{access}\"\n{asks}reason = {reason}\n"
        );
    }
    let (name, rule) = (text(&guard_name(list, rule)), text(rule));
    format!("[[hooks]]\nname = {name}\nevent = \"PreToolUse\"\nmatcher = {{ rule = {rule} }}\n{decision}\n")
}

/// Whether a hook is the guard that was made of a permission rule, by its reason or its name.
pub(crate) fn is_guard_of(list: &PermissionList, rule: &str, hook: &HookInfo) -> bool {
    let gives = |reason: &str| hook.origin.as_ref().is_some_and(|origin| origin.runs.ends_with(reason));
    hook.name == guard_name(list, rule) || gives(&guard_reason(list, rule))
}

fn guard_reason(list: &PermissionList, rule: &str) -> String {
    format!("{} has {rule}", list.name)
}

fn guard_name(list: &PermissionList, rule: &str) -> String {
    let word = match list.ruling {
        Ruling::Deny => "deny",
        Ruling::Ask => "ask",
        Ruling::Allow => "allow",
    };
    format!("{word} {rule}")
}

/// The files that a permission rule is about, and what is done with them.
fn protected(rule: &str) -> Option<(&'static str, &str)> {
    let (tool, path) = rule.trim().strip_suffix(')')?.split_once('(')?;
    let access = match tool.trim() {
        "Glob" | "Grep" | "LS" | "NotebookRead" | "Read" => "read",
        "Edit" | "MultiEdit" | "NotebookEdit" | "Write" => "write",
        _ => return None,
    };
    let path = path.trim();
    // All files: no command line could be told from another.
    let is_all = path.chars().all(|letter| "*/.".contains(letter));
    (!is_all).then_some((access, path))
}

/// The matcher as the file says it, where one text says it all; else what it came to.
fn matcher(hook: &Declared) -> Result<Option<Value>, String> {
    match hook.entry.get("matcher") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(written)) if written.is_empty() => return Ok(None),
        Some(written @ Value::String(_)) => return Ok(Some(written.clone())),
        Some(_) => {}
    }
    let Ok(Value::Object(fields)) = serde_json::to_value(&hook.spec.matcher) else { return Ok(None) };
    if ["base_name", "subject"].iter().any(|name| fields.contains_key(*name)) {
        return Err("its matcher cannot be expressed beside an `if`; it runs on every event of the kind".to_owned());
    }
    let fields: Map<String, Value> = fields.into_iter().filter(|(name, _)| name != "naming").collect();
    Ok((!fields.is_empty()).then_some(Value::Object(fields)))
}

fn run(run: &Run, put: &mut impl FnMut(&str, String)) {
    match run {
        Run::Command(spec) => command(spec, put),
        Run::Webhook(spec) => put("webhook", webhook(spec)),
        Run::Prompt { text: prompt, model, agent, continue_on_block } => {
            let mut fields = vec![format!("text = {}", text(prompt))];
            fields.extend(model.as_ref().map(|model| format!("model = {}", text(model))));
            for (name, is_set) in [("agent", *agent), ("continue_on_block", *continue_on_block)] {
                fields.extend(is_set.then(|| format!("{name} = true")));
            }
            put("prompt", format!("{{ {} }}", fields.join(", ")));
        }
        Run::McpTool { server, tool, input } => {
            let mut fields = vec![format!("server = {}", text(server)), format!("tool = {}", text(tool))];
            if !input.is_empty() {
                fields.push(format!("input = {}", inline(&Value::Object(input.clone()))));
            }
            put("mcp_tool", format!("{{ {} }}", fields.join(", ")));
        }
        Run::Decision(Decision::Block(reason)) => put("block", text(reason)),
        Run::Decision(Decision::Ask(prompt)) => put("ask", text(prompt.as_deref().unwrap_or_default())),
        Run::Decision(Decision::Allow) => put("allow", "true".to_owned()),
        // Only hookweave's own files have them, which are not converted.
        Run::Computed(_) => {}
    }
}

fn command(spec: &CommandSpec, put: &mut impl FnMut(&str, String)) {
    match &spec.line {
        CommandLine::Shell { text: line, shell } => {
            put("command", text(line));
            let word = match shell {
                Shell::Bash => Some("bash"),
                Shell::PowerShell => Some("powershell"),
                Shell::Login => Some("login"),
                _ => None,
            };
            if let Some(word) = word {
                put("shell", text(word));
            }
        }
        CommandLine::Exec { program, args } => {
            let words = std::iter::once(program).chain(args).map(|word| text(word));
            put("command", format!("[{}]", words.collect::<Vec<_>>().join(", ")));
        }
    }
    if !spec.env.is_empty() {
        put("env", pairs(&spec.env));
    }
    if let Some(directory) = &spec.directory {
        put("directory", text(&directory.to_string_lossy()));
    }
}

fn webhook(spec: &WebhookSpec) -> String {
    let mut fields = vec![format!("url = {}", text(&spec.url))];
    if spec.method == Method::Put {
        fields.push("method = \"PUT\"".to_owned());
    }
    if !spec.headers.is_empty() {
        fields.push(format!("headers = {}", pairs(&spec.headers)));
    }
    if !spec.allowed_env.is_empty() {
        fields.push(format!("allowed_env = {}", inline(&spec.allowed_env.as_slice().into())));
    }
    if spec.unset == UnsetVariable::Empty {
        fields.push("unset = \"empty\"".to_owned());
    }
    format!("{{ {} }}", fields.join(", "))
}

fn pairs(pairs: &[(String, String)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{} = {}", text(name), text(value))).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::String(value) => text(value),
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            // TOML cannot express null, and null means that it is not there.
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            let fields: Vec<String> =
                fields.map(|(name, value)| format!("{} = {}", text(name), inline(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        value => value.to_string(),
    }
}

/// Text as TOML writes it: as it is where that reads best, else with its escapes.
fn text(value: &str) -> String {
    if value.contains(['"', '\\']) && !value.contains('\'') && !value.chars().any(char::is_control) {
        return format!("'{value}'");
    }
    let mut out = String::from("\"");
    for letter in value.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            letter if letter.is_control() => _ = write!(out, "\\u{:04X}", u32::from(letter)),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}
