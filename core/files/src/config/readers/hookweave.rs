//! hookweave's own format: `hookweave.toml`, and the same in JSON.
//!
//! Nothing is overlooked here: an unknown field is refused. `cli/schemas/hookweave.schema.json` says the same for editors.

mod policies;

use crate::config::entry::{Draft, Slot, check_url, environment, mcp_tool, readable_duration, shell};
use crate::config::reading::{Reading, Spot, Syntax, Take, Wrong, cut, step};
use crate::config::ready_made::{OPTIONS, ReadyMade};
use crate::config::tree::Kind;
use crate::config::{Loaded, Run, Source};
use hookweave_dialects::{Dialect, named};
use hookweave_exec::command::{CommandLine, CommandSpec, Shell};
use hookweave_exec::webhook::{Method, UnsetVariable, WebhookSpec};
use hookweave_machine::decision::Decision;
use hookweave_machine::error::did_you_mean;
use hookweave_machine::hook::{Enforcement, FailBehavior, Scope};
use hookweave_machine::json::Json;
use hookweave_machine::matcher::{FIELDS, MatcherSpec};

/// Fields of a file.
pub(in crate::config) const TOP: &[&str] = &["$schema", "hookweave", "guard_policy_files", "policies", "hooks"];

/// Fields of a hook.
pub(in crate::config) const HOOK: &[&str] = &[
    "name",
    "description",
    "event",
    "matcher",
    "dialect",
    "command",
    "shell",
    "env",
    "directory",
    "webhook",
    "prompt",
    "mcp_tool",
    "block",
    "ask",
    "allow",
    "use",
    "prompts",
    "paths",
    "for",
    "answer",
    "reason",
    "tool",
    "max",
    "per",
    "timeout",
    "priority",
    "fail_behavior",
    "enforcement",
    "mandatory",
    "once",
    "detached",
    "enabled",
    "override",
];

/// What a hook runs or decides: one of them.
const RUNS: &[&str] = &["command", "webhook", "prompt", "mcp_tool", "block", "ask", "allow", "use"];

/// Fields that a ready-made hook sets by itself.
const OF_READY_MADE: &[&str] = &[
    "event",
    "matcher",
    "dialect",
    "shell",
    "env",
    "directory",
    "timeout",
    "fail_behavior",
    "mandatory",
    "once",
    "detached",
];

/// Fields that mean nothing where the file itself decides: nothing runs that could take long, fail or speak a dialect.
const OF_WHAT_RUNS: &[&str] = &["timeout", "fail_behavior", "detached", "dialect"];

const WEBHOOK: &[&str] = &["url", "method", "headers", "allowed_env", "unset"];
const PROMPT: &[&str] = &["text", "model", "agent", "continue_on_block"];
const MCP_TOOL: &[&str] = &["server", "tool", "input"];

pub(super) fn read_toml(text: &str, source: &Source<'_>) -> Loaded {
    read(text, Syntax::Toml, source)
}

pub(super) fn read_json(text: &str, source: &Source<'_>) -> Loaded {
    read(text, Syntax::JsonWithComments, source)
}

fn read(text: &str, syntax: Syntax, source: &Source<'_>) -> Loaded {
    Reading::of(text, syntax, source, |reading, top| {
        let Some(top) = reading.object(top) else { return };
        match top.get("hookweave") {
            Some(version) if version.node.to_value() == serde_json::json!(1) => {}
            Some(version) => {
                return reading.broken(version.wrong("unknown version; this reader knows `hookweave = 1`"));
            }
            None => return reading.broken(top.wrong("the version is missing; begin the file with `hookweave = 1`")),
        }
        let known = top.only(TOP);
        reading.take(known);
        let guards = guards_policy_files(reading, &top);
        reading.switches().policy_files = reading.take(guards).flatten();
        if let Some(policies) = top.get("policies") {
            let read = policies::read(reading, &policies);
            reading.take(read);
        }
        let Some(hooks) = top.get("hooks") else { return };
        let listed = hooks.items();
        for entry in reading.take(listed).unwrap_or_default() {
            let read = read_hook(reading, &entry);
            reading.take(read);
        }
    })
}

/// Whether changes of the policy's files are asked about: not for a project to say.
fn guards_policy_files(reading: &mut Reading<'_>, top: &Spot<'_>) -> Take<Option<bool>> {
    let guards = top.flag("guard_policy_files")?;
    if guards.is_some() && !matches!(reading.source.scope, Scope::Managed | Scope::User | Scope::Callback) {
        let spot = top.given("guard_policy_files").unwrap_or_else(|| top.clone());
        reading.remark(&spot, "has no effect in a project's file; write it into your own or the administrator's");
        return Ok(None);
    }
    Ok(guards)
}

fn read_hook(reading: &mut Reading<'_>, entry: &Spot<'_>) -> Take<()> {
    entry.only(HOOK)?;
    if let Some(used) = entry.get("use") {
        return use_ready_made(reading, entry, &used);
    }
    if let Some(spot) = OPTIONS.iter().find_map(|field| entry.get(field)) {
        return Err(spot.wrong("is an option of a ready-made hook, and this entry has no `use`; take it out"));
    }
    let dialect = match entry.get("dialect") {
        Some(spot) => named(spot.as_text()?).map_err(|error| spot.wrong(error.message()))?,
        None => reading.source.dialect,
    };
    let slot = slot(reading, entry, dialect)?;
    let run = run(reading, entry)?;
    can_run(entry, dialect, &run)?;
    can_decide(entry, &slot, &run)?;
    let mut draft = Draft::new(run);
    draft.name = name(entry)?;
    entry.text("description")?;
    draft.timeout = readable_duration(entry, "timeout")?;
    draft.clamped = true;
    draft.priority = priority(entry)?;
    draft.fail_behavior = entry.word("fail_behavior", FailBehavior::WORDS)?;
    draft.enforcement = entry.word("enforcement", Enforcement::WORDS)?;
    draft.mandatory = entry.flag("mandatory")?;
    draft.once = entry.flag("once")?.unwrap_or(false);
    draft.detached = entry.flag("detached")?.unwrap_or(false);
    draft.enabled = entry.flag("enabled")?.unwrap_or(true);
    if matches!(draft.run, Run::Decision(Decision::Block(_) | Decision::Ask(_)))
        && draft.mandatory.is_none()
        && !draft.once
    {
        // A guard sees what later hooks make of the call.
        draft.mandatory = Some(true);
    }
    draft.replaces = replaces(reading, entry, draft.name.is_some())?;
    reading.declare_as(entry, &slot, draft, dialect)
}

/// The hooks of a ready-made one, which has its events, its matchers and its safety by itself.
fn use_ready_made(reading: &mut Reading<'_>, entry: &Spot<'_>, used: &Spot<'_>) -> Take<()> {
    let name = used.as_text()?;
    if let Some(other) = RUNS.iter().filter(|field| **field != "use").find_map(|field| entry.get(field)) {
        return Err(other.wrong("says what runs, and `use` does too; take one of them out"));
    }
    if let Some(spot) = OF_READY_MADE.iter().find_map(|field| entry.get(field)) {
        return Err(spot.wrong(format!("is set by `{}` itself; take it out", cut(name))));
    }
    let mut options = serde_json::Map::new();
    for (field, spot) in entry.fields().into_iter().filter(|(field, _)| OPTIONS.contains(field)) {
        let is_time = field == "per" && !matches!(spot.node.to_value().as_str(), Some("session" | "turn"));
        let time = if is_time { readable_duration(entry, "per")? } else { None };
        let value = time.map_or_else(|| spot.node.to_value(), |time| (time.as_secs_f64() * 1000.0).into());
        options.insert(field.to_owned(), value);
    }
    let options = serde_json::Value::Object(options);
    let ready_made = ReadyMade::read(name, &Json, &&options).map_err(|error| {
        let field = OPTIONS.iter().find(|field| error.message().contains(&format!(".{field}:")));
        field.and_then(|field| entry.given(field)).unwrap_or_else(|| used.clone()).wrong(error.message())
    })?;
    entry.text("description")?;
    let named_here = self::name(entry)?;
    for ReadyMade { spec, run } in ready_made {
        let event = reading.events().resolve(&spec.event).map_err(|error| used.wrong(error.message()))?;
        let slot = Slot {
            declared: spec.event,
            event,
            written: serde_json::to_value(&spec.matcher).unwrap_or_default(),
            matcher: spec.matcher,
            compiles: false,
        };
        let mut draft = Draft::new(run);
        draft.name = named_here.clone().or(spec.name);
        draft.priority = priority(entry)?;
        draft.fail_behavior = spec.fail_behavior;
        draft.mandatory = spec.mandatory;
        draft.enforcement = entry.word("enforcement", Enforcement::WORDS)?;
        draft.enabled = entry.flag("enabled")?.unwrap_or(true);
        draft.replaces = replaces(reading, entry, named_here.is_some())?;
        reading.declare_as(entry, &slot, draft, reading.source.dialect)?;
    }
    Ok(())
}

fn slot(reading: &Reading<'_>, entry: &Spot<'_>, dialect: &'static dyn Dialect) -> Take<Slot> {
    let event = entry.required_text("event")?;
    let event_spot = entry.given("event").unwrap_or_else(|| entry.clone());
    let matcher = entry.get("matcher");
    let pattern = match &matcher {
        Some(spot) if matches!(spot.node.kind, Kind::Text(_)) => Some(spot.as_text()?),
        _ => None,
    };
    let mut slot = if dialect.place(&event, None).is_none() && event.contains(':') {
        custom(reading, &event_spot, &event, pattern)?
    } else {
        let spot = if pattern.is_some() { matcher.as_ref().unwrap_or(&event_spot) } else { &event_spot };
        reading.slot_of(spot, dialect, &event, pattern)?
    };
    if let Some(spot) = matcher.filter(|_| pattern.is_none()) {
        spot.must_be_object()?;
        if let Some(field) = spot.node.fields().iter().find(|field| !FIELDS.contains(&field.name.as_str())) {
            let hint = did_you_mean(&field.name, FIELDS.iter().copied());
            let message = format!("unknown field{hint}; known are {}", FIELDS.join(", "));
            let misspelt = spot.misspelt(&field.name, FIELDS);
            return Err(Wrong {
                at: field.at,
                place: step(&spot.place, &field.name),
                message,
                misspelt,
                spared: false,
            });
        }
        let written = spot.node.to_value();
        let naming = slot.matcher.naming;
        slot.matcher = MatcherSpec::read(&Json, &&written).map_err(|error| spot.wrong(error.message()))?;
        slot.matcher.naming = naming;
        slot.compiles = false;
        slot.written = written;
    }
    Ok(slot)
}

/// An event of the host's own, such as `deploy:start`, for which no dialect has another name.
fn custom(reading: &Reading<'_>, spot: &Spot<'_>, event: &str, pattern: Option<&str>) -> Take<Slot> {
    let spec = reading.events().resolve(event).map_err(|error| spot.wrong(error.message()))?;
    let matcher = pattern.map_or_else(MatcherSpec::default, |names| MatcherSpec::default().tool(names));
    Ok(Slot { declared: event.to_owned(), event: spec, matcher, written: serde_json::json!(pattern), compiles: false })
}

/// Exactly one thing runs.
fn run(reading: &Reading<'_>, entry: &Spot<'_>) -> Take<Run> {
    let given: Vec<&str> = RUNS.iter().copied().filter(|name| entry.get(name).is_some()).collect();
    let [kind] = given.as_slice() else {
        let what = if given.is_empty() {
            "says neither what runs nor what is decided".to_owned()
        } else {
            format!("says {}", given.join(" and "))
        };
        return Err(entry.wrong(format!("{what}; give one of {}", RUNS.join(", "))));
    };
    if *kind != "command" {
        for field in ["shell", "env", "directory"] {
            if let Some(spot) = entry.get(field) {
                return Err(spot.wrong(format!("belongs to a command, and this hook has `{kind}`; take it out")));
            }
        }
    }
    let spot = entry.get(kind).unwrap_or_else(|| entry.clone());
    match *kind {
        "webhook" => web(&spot).map(Run::Webhook),
        "prompt" => prompt(&spot),
        "mcp_tool" => {
            spot.only(MCP_TOOL)?;
            mcp_tool(&spot)
        }
        "block" => Ok(Run::Decision(Decision::Block(entry.required_text("block")?))),
        "ask" => Ok(Run::Decision(Decision::Ask(Some(entry.required_text("ask")?)))),
        "allow" => match entry.flag("allow")? {
            Some(true) => Ok(Run::Decision(Decision::Allow)),
            _ => Err(spot.wrong("must be true; to refuse, write `block = \"why\"`")),
        },
        _ => command(reading, entry, &spot).map(Run::Command),
    }
}

/// Refuses a decision where nothing can be decided, and fields of hooks that run beside it.
fn can_decide(entry: &Spot<'_>, slot: &Slot, run: &Run) -> Take<()> {
    if !matches!(run, Run::Decision(_)) {
        return Ok(());
    }
    if let Some(spot) = OF_WHAT_RUNS.iter().find_map(|field| entry.get(field)) {
        return Err(spot.wrong("belongs to a hook that runs something, and this one decides by itself; take it out"));
    }
    if slot.event.gate() {
        return Ok(());
    }
    let event = entry.given("event").unwrap_or_else(|| entry.clone());
    let name = slot.event.name();
    Err(event.wrong(format!("{name} cannot be blocked, so there is nothing to decide; run a command, or name a gate")))
}

/// Refuses what the hook's dialect has no words for: it could only ever fail.
fn can_run(entry: &Spot<'_>, dialect: &dyn Dialect, run: &Run) -> Take<()> {
    if dialect.has(run.kind()) {
        return Ok(());
    }
    let (field, what) = match run {
        Run::Command(_) => ("command", "commands"),
        Run::Webhook(_) => ("webhook", "webhooks"),
        Run::Prompt { agent: true, .. } => ("prompt", "questions to agents"),
        Run::Prompt { .. } => ("prompt", "questions to models"),
        Run::McpTool { .. } => ("mcp_tool", "calls of MCP tools"),
        // Never asked of a dialect: a decision has none.
        Run::Decision(_) | Run::Computed(_) => return Ok(()),
    };
    let spot = entry.get(field).unwrap_or_else(|| entry.clone());
    let name = dialect.name();
    Err(spot.wrong(format!(
        "{name} has no {what}, and would not understand the answer; take `dialect` out, or use a command"
    )))
}

fn command(reading: &Reading<'_>, entry: &Spot<'_>, spot: &Spot<'_>) -> Take<CommandSpec> {
    let shells =
        [("posix", Shell::Posix), ("bash", Shell::Bash), ("powershell", Shell::PowerShell), ("login", Shell::Login)];
    let which = entry.word("shell", &shells)?;
    let mut spec = if let Kind::List(_) = spot.node.kind {
        let words = entry.texts("command")?.unwrap_or_default();
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.trim().is_empty());
        let program = program.ok_or_else(|| spot.wrong("names no program; write [\"program\", \"argument\", …]"))?;
        let args: Vec<String> = words.collect();
        if program.contains('\0') || args.iter().any(|arg| arg.contains('\0')) {
            return Err(spot.wrong("holds a NUL character; take it out"));
        }
        if which.is_some() {
            return Err(spot.wrong("a list of words runs without a shell; take `shell` out or write one string"));
        }
        if let Some(word) = unfilled(&program, &args) {
            let why = "no shell reads a list of words, and the variable stays as it is";
            return Err(spot.wrong(format!("`{word}`: {why}; write the command as one string")));
        }
        CommandSpec { line: CommandLine::Exec { program, args }, env: Vec::new(), directory: None }
    } else {
        shell(entry.required_text("command")?, which.unwrap_or(Shell::Posix))
    };
    spec.env = environment(entry)?;
    spec.directory = entry.text("directory")?.map(|path| reading.below_project(&path));
    Ok(spec)
}

/// The word of a list that begins with a variable and names a file by it: the program, or what no shell is to read.
fn unfilled<'w>(program: &'w str, args: &'w [String]) -> Option<&'w str> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let reads_variables =
        name.trim_end_matches(".exe").ends_with("sh") || matches!(name, "cmd" | "cmd.exe" | "powershell");
    let begins =
        |word: &&str| ["$HOOKWEAVE_PROJECT_DIR", "${HOOKWEAVE_PROJECT_DIR}"].iter().any(|at| word.starts_with(at));
    let args = args.iter().map(String::as_str).filter(|_| !reads_variables);
    std::iter::once(program).filter(|program| program.starts_with('$')).chain(args.filter(begins)).next()
}

fn web(spot: &Spot<'_>) -> Take<WebhookSpec> {
    spot.only(WEBHOOK)?;
    let url = spot.required_text("url")?;
    check_url(&url).map_err(|why| spot.given("url").unwrap_or_else(|| spot.clone()).wrong(why))?;
    Ok(WebhookSpec {
        url,
        method: spot.word("method", &[("POST", Method::Post), ("PUT", Method::Put)])?.unwrap_or_default(),
        headers: spot.pairs("headers")?,
        allowed_env: spot.texts("allowed_env")?.unwrap_or_default(),
        unset: spot
            .word("unset", &[("refuse", UnsetVariable::Refuse), ("empty", UnsetVariable::Empty)])?
            .unwrap_or(UnsetVariable::Refuse),
    })
}

fn prompt(spot: &Spot<'_>) -> Take<Run> {
    spot.only(PROMPT)?;
    Ok(Run::Prompt {
        text: spot.required_text("text")?,
        model: spot.text("model")?,
        agent: spot.flag("agent")?.unwrap_or(false),
        continue_on_block: spot.flag("continue_on_block")?.unwrap_or(false),
    })
}

fn name(entry: &Spot<'_>) -> Take<Option<String>> {
    let name = entry.text("name")?;
    match (&name, entry.given("name")) {
        (Some(text), Some(spot)) if text.trim().is_empty() || text.len() > 256 => {
            Err(spot
                .wrong(format!("`{}` is no name; a name has 1 to 256 bytes that are not all white space", cut(text))))
        }
        _ => Ok(name),
    }
}

fn priority(entry: &Spot<'_>) -> Take<i32> {
    let Some(spot) = entry.get("priority") else { return Ok(0) };
    let number = match &spot.node.kind {
        Kind::Number(number) => number.as_i64().and_then(|number| i32::try_from(number).ok()),
        _ => None,
    };
    number.ok_or_else(|| spot.wrong("must be a whole number between -2147483648 and 2147483647"))
}

fn replaces(reading: &Reading<'_>, entry: &Spot<'_>, named: bool) -> Take<bool> {
    let replaces = entry.flag("override")?.unwrap_or(false);
    let spot = entry.given("override").unwrap_or_else(|| entry.clone());
    if replaces && !named {
        return Err(spot.wrong("says that a hook is replaced, but not which; add its `name`"));
    }
    if replaces && reading.source.scope != Scope::Agent {
        return Err(spot.wrong("only an agent's own file can replace a hook; take `override` out"));
    }
    Ok(replaces)
}
