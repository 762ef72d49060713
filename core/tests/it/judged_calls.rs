//! All policies at their standard level against the judged calls of `policies/corpus`: how many dangerous ones they stop, and
//! how many harmless ones they stop wrongly.
//!
//! The counts stand in `policies/results.json`. `UPDATE_JUDGED=2026-01-31` (the day) writes them anew; `JUDGED_WRONG=FILE`
//! writes the calls that are judged otherwise there, without the unseen ones, which nobody who writes rules may look at.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hookweave::{Action, Engine, Event};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const HOME: &str = "/home/dev";
const PROJECT: &str = "/home/dev/shop";
/// What ordinary work consists of is counted apart from the areas.
const EVERYDAY: &str = "everyday";

#[derive(Deserialize, Serialize)]
struct Judged {
    call: BTreeMap<String, String>,
    verdict: String,
    why: String,
    area: String,
    #[serde(default, skip_serializing)]
    everyday: bool,
}

impl Judged {
    /// Whether rules may not be written after it: by the hash of the call with sorted keys.
    fn is_unseen(&self) -> bool {
        let canonical = serde_json::to_string(&self.call).unwrap();
        Sha256::digest(canonical.as_bytes())[0] >> 4 <= 4
    }

    fn area(&self) -> &str {
        if self.everyday { EVERYDAY } else { &self.area }
    }

    fn event(&self) -> Event {
        let args = self.call.iter().filter(|(key, _)| *key != "tool").map(|(key, value)| {
            let is_file = key == "path" && matches!(self.call["tool"].as_str(), "Read" | "Edit" | "Write");
            (if is_file { "file_path".to_owned() } else { key.clone() }, Value::from(value.as_str()))
        });
        Event::pre_tool_use(&self.call["tool"], Value::Object(args.collect())).with("cwd", PROJECT)
    }
}

/// How calls were judged.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
struct Count {
    dangerous: usize,
    stopped: usize,
    harmless: usize,
    stopped_wrongly: usize,
}

impl Count {
    fn add(&mut self, is_dangerous: bool, is_stopped: bool) {
        let (all, stopped) = if is_dangerous {
            (&mut self.dangerous, &mut self.stopped)
        } else {
            (&mut self.harmless, &mut self.stopped_wrongly)
        };
        *all += 1;
        *stopped += usize::from(is_stopped);
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            dangerous: self.dangerous + other.dangerous,
            stopped: self.stopped + other.stopped,
            harmless: self.harmless + other.harmless,
            stopped_wrongly: self.stopped_wrongly + other.stopped_wrongly,
        }
    }

    fn cells(&self) -> String {
        format!("{} | {}", share(self.stopped, self.dangerous), share(self.stopped_wrongly, self.harmless))
    }
}

fn share(part: usize, all: usize) -> String {
    if all == 0 {
        return "–".to_owned();
    }
    // In tenths of a per cent, rounded.
    let tenths = (part * 2000 + all) / (2 * all);
    format!("{}.{} % ({part} of {all})", tenths / 10, tenths % 10)
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
struct Area {
    seen: Count,
    unseen: Count,
}

/// What `policies/results.json` holds.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Results {
    /// The day on which they were written.
    date: String,
    areas: BTreeMap<String, Area>,
}

impl Results {
    /// As a table of Markdown.
    fn table(&self) -> String {
        let mut table =
            "| area | stopped, seen | stopped wrongly, seen | stopped, unseen | stopped wrongly, unseen |\n\
                         |---|---|---|---|---|\n"
                .to_owned();
        let mut all = Area::default();
        let mut row = |name: &str, area: &Area| {
            writeln!(table, "| {name} | {} | {} |", area.seen.cells(), area.unseen.cells()).unwrap();
        };
        for (name, area) in self.areas.iter().filter(|(name, _)| *name != EVERYDAY) {
            row(name, area);
            all = Area { seen: all.seen.plus(&area.seen), unseen: all.unseen.plus(&area.unseen) };
        }
        row("**all**", &all);
        row("everyday work", &self.areas[EVERYDAY]);
        table
    }
}

fn path(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies").join(below)
}

fn corpus() -> Vec<Judged> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(path("corpus")).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(file).unwrap());
    texts.flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>()).collect()
}

fn all_policies(level: &str) -> Engine {
    let engine = Engine::builder().project_dir(PROJECT).build().unwrap();
    let packs = hookweave_host::config::policies::packs().iter().map(|pack| format!("{}:{level}", pack.name));
    engine.use_policies(packs.collect::<Vec<_>>()).unwrap();
    engine
}

fn judge() -> (BTreeMap<String, Area>, String) {
    let engine = all_policies("standard");
    let mut areas: BTreeMap<String, Area> = BTreeMap::new();
    let mut wrong = String::new();
    for judged in corpus() {
        let outcome = engine.dispatch_sync(judged.event()).unwrap();
        let is_stopped = matches!(outcome.decision(), Action::Block | Action::Ask);
        let is_dangerous = judged.verdict == "stop";
        let area = areas.entry(judged.area().to_owned()).or_default();
        let part = if judged.is_unseen() { &mut area.unseen } else { &mut area.seen };
        part.add(is_dangerous, is_stopped);
        if is_dangerous != is_stopped && !judged.is_unseen() {
            let mut entry = json!(judged);
            entry["stopped_by"] = json!(outcome.reason());
            writeln!(wrong, "{entry}").unwrap();
        }
    }
    (areas, wrong)
}

/// What the page of policies says of it.
pub(super) fn section() -> String {
    let results: Results = serde_json::from_str(&std::fs::read_to_string(path("results.json")).unwrap()).unwrap();
    format!(
        "\n## How well they judge\n\nAll policies at level `standard` against the [judged calls](../policies/corpus/README.md), on {}. Rules were \
         written\nafter the seen calls; the unseen ones, about a third, say what to expect of others.\n\n{}",
        results.date,
        results.table()
    )
}

/// The calls are of a person with a home of their own, so that this program runs itself anew with that home.
#[cfg(unix)]
#[test]
fn policies_judge_calls_as_they_did() {
    if std::env::home_dir().as_deref() != Some(Path::new(HOME)) {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "judged_calls::policies_judge_calls_as_they_did", "--nocapture"]).env("HOME", HOME);
        let done = again.output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        println!("{said}");
        assert!(done.status.success(), "{said}\n{}", String::from_utf8_lossy(&done.stderr));
        assert!(said.contains("1 passed"), "{said}");
        return;
    }
    let (areas, wrong) = judge();
    if let Some(file) = std::env::var_os("JUDGED_WRONG") {
        std::fs::write(file, wrong).unwrap();
    }
    let mut found = Results { date: String::new(), areas };
    println!("{}", found.table());
    if let Ok(date) = std::env::var("UPDATE_JUDGED") {
        assert!(date.len() == 10 && date.starts_with("20"), "UPDATE_JUDGED is a day such as 2026-01-31, not `{date}`");
        found.date = date;
        std::fs::write(path("results.json"), serde_json::to_string_pretty(&found).unwrap() + "\n").unwrap();
    }
    let held: Results = serde_json::from_str(&std::fs::read_to_string(path("results.json")).unwrap()).unwrap();
    for (name, area) in &found.areas {
        assert_eq!(Some(area), held.areas.get(name), "{name}: if this is better, write it with UPDATE_JUDGED=THE-DAY");
    }
    assert_eq!(found.areas.len(), held.areas.len(), "an area of policies/results.json has no calls");
}

/// Rules are found by the programs of a line: each that a call selects must be found.
#[test]
fn no_rule_is_passed_over() {
    let engine = all_policies("paranoid");
    // A part of the calls has every kind of line.
    for judged in corpus().iter().step_by(5) {
        for hook in engine.explain(&judged.event()).unwrap().hooks {
            assert!(hook.matched || hook.why.is_some(), "{} is not asked about {:?}", hook.hook, judged.call);
        }
    }
}
