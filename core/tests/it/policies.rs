//! Each policy against lines that it must stop and lines that it must let pass (`core/files/policies/tests`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hookweave::{Action, Engine, Event};
use hookweave_host::config::policies::Level;
use serde::Deserialize;
use serde_json::{Value, json};

/// A call, and the rule that stops it.
#[derive(Deserialize)]
struct Case {
    line: Option<String>,
    tool: Option<String>,
    args: Option<Value>,
    stops: Option<String>,
}

impl Case {
    fn call(&self) -> (String, Value) {
        match &self.line {
            Some(line) => ("Bash".to_owned(), json!({"command": line})),
            None => (self.tool.clone().unwrap(), self.args.clone().unwrap()),
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("files/policies/tests")
}

/// Each pack's name with its cases.
fn all() -> Vec<(String, Vec<Case>)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let cases = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (file.file_stem().unwrap().to_str().unwrap().to_owned(), cases)
    };
    files.iter().map(read).collect()
}

/// The reason for which a call is stopped.
fn stopped(engine: &Engine, case: &Case) -> Option<String> {
    let (tool, args) = case.call();
    let outcome = engine.dispatch_sync(Event::pre_tool_use(&tool, args)).unwrap();
    let stops = matches!(outcome.decision(), Action::Block | Action::Ask);
    stops.then(|| outcome.reason().unwrap_or_default().to_owned())
}

fn engine(names: &[String]) -> Engine {
    let engine = Engine::builder().project_dir("/work/shop").build().unwrap();
    engine.use_policies(names.to_vec()).unwrap();
    engine
}

#[test]
fn a_line_that_would_keep_the_guard_busy_is_stopped() {
    let engine = engine(&["secrets".to_owned()]);
    let line = |times: usize| vec!["echo $(echo .env)"; times].join("; ");
    let outcome = |times| engine.dispatch_sync(Event::pre_tool_use("Bash", json!({"command": line(times)}))).unwrap();
    assert!(!outcome(10).blocked());
    assert!(outcome(500).blocked());
}

#[test]
fn every_pack_stops_what_it_is_for_and_nothing_else() {
    let mut wrong = Vec::new();
    for (pack, cases) in all() {
        let engine = engine(std::slice::from_ref(&pack));
        let stops = cases.iter().filter(|case| case.stops.is_some()).count();
        assert!(stops >= 12 && cases.len() - stops >= 12, "{pack} has too few cases");
        for case in &cases {
            let found = stopped(&engine, case);
            let is_right = match (&case.stops, &found) {
                (Some(id), Some(reason)) => reason.contains(&format!("({id})")),
                (None, None) => true,
                _ => false,
            };
            if !is_right {
                wrong.push(format!("{pack}: {:?}\n    wanted {:?}, found {found:?}", case.call(), case.stops));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn all_packs_together_let_pass_what_people_type_all_day() {
    let packs: Vec<String> = all().into_iter().map(|(pack, _)| pack).collect();
    let engine = engine(&packs);
    let mut wrong = Vec::new();
    for (pack, cases) in all() {
        for case in cases.iter().filter(|case| case.stops.is_none()) {
            if let Some(reason) = stopped(&engine, case) {
                wrong.push(format!("{pack}: {:?}: {reason}", case.call()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The page of all rules.
fn page() -> String {
    let mut page = "# Policies\n\n<!-- Written from `core/files/policies` by `UPDATE_DOCS=1 cargo test -p hookweave --test it docs`. -->\n\n\
        A policy is a pack of rules that comes with hookweave. One line uses it:\n\n\
        ```toml\npolicies = [\"git\", \"filesystem\", \"secrets:strict\"]\n```\n\n\
        A program says `client.use(\"git\", \"secrets:strict\")`, in Rust `engine.use_policies([\"git\", \"secrets:strict\"])`. Levels\n\
        are `standard`, `strict` and `paranoid`; each has the rules of those before it. Single rules are set by their ids:\n\n\
        ```toml\n[policies]\nuse = [\"git\", \"secrets:strict\"]\n[policies.rules]\n\"git.push-force\" = \"ask\"     # or \"block\", \"off\"\n```\n\n\
        `enforcement = \"observe\"` beside `use` [tries policies first](failures-and-limits.md#try-a-policy-before-you-enforce-it);\n\
        [`hookweave scan`](command.md#scan-files-and-sessions) shows what they would have stopped in your scripts and sessions.\n\n\
        Files add up: a project's `off` takes nothing from your own file or the administrator's. A policy stops mistakes; it is\n\
        no sandbox. What it goes by is in [`S4.policies`](SEMANTICS.md#4-dispatch).\n"
        .to_owned();
    page.push_str(
        "\nA rule without a level is of level `standard`. `hookweave policies NAME` also shows what each suggests instead.\n",
    );
    for pack in hookweave_host::config::policies::packs() {
        let (name, about) = (&pack.name, &pack.about);
        write!(page, "\n## {name}\n\n{about}\n\n| rule | decides | why |\n|---|---|---|\n").unwrap();
        for rule in pack.rules {
            let (answer, reason) = (rule.answer.as_str(), rule.reason.replace('|', "\\|"));
            let level = match rule.level {
                Level::Standard => String::new(),
                level => format!(", {}", level.as_str()),
            };
            writeln!(page, "| `{}` | {answer}{level} | {reason} |", rule.id).unwrap();
        }
    }
    page + &crate::judged_calls::section()
}

#[test]
fn the_docs_of_policies_say_what_they_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/policies.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), page(), "write it anew with UPDATE_DOCS=1");
}

#[test]
fn every_rule_has_a_case_unless_it_is_of_a_higher_level() {
    let cased: Vec<String> = all().into_iter().flat_map(|(_, cases)| cases).filter_map(|case| case.stops).collect();
    for pack in hookweave_host::config::policies::packs() {
        for rule in pack.rules {
            let is_standard = rule.level == Level::Standard;
            assert!(!is_standard || cased.iter().any(|id| id == rule.id), "{} has no case that it stops", rule.id);
        }
    }
}

#[test]
fn examples_of_files_with_credentials_are_no_keys() {
    let engine = engine(&["secrets:strict".to_owned()]);
    let is_stopped = |line: &&str| {
        let event = Event::pre_tool_use("Bash", json!({"command": line}));
        engine.dispatch_sync(event).unwrap().decision() != Action::Continue
    };
    let lines = ["cat .env.example", "cp .env.example .env.test", "cat .env.dist", "cat .env.shop", "cat a.pem"];
    let stopped: Vec<&str> = lines.into_iter().filter(is_stopped).collect();
    assert_eq!(stopped, ["cat .env.shop", "cat a.pem"]);
}

#[test]
fn the_highest_level_has_all_rules() {
    let engine = Engine::new();
    let packs: Vec<String> = all().into_iter().map(|(pack, _)| format!("{pack}:paranoid")).collect();
    let hooks = engine.use_policies(packs).unwrap();
    assert_eq!(
        hooks.len(),
        hookweave_host::config::policies::packs().iter().map(|pack| pack.rules.len()).sum::<usize>()
    );
}
