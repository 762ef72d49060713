//! What a policy says of commands, without running any of its hooks.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;

use hookweave_host::action::Action;
use hookweave_host::command::{commands, read};
use hookweave_host::config::policies::{Rule, packs};
use hookweave_host::registry::HookId;
use serde::Serialize;
use serde_json::{Map, Value};

use super::script::{SHELL, Script};
use crate::call::{Call, call_text};
use crate::drive::{dispatch, explained};
use crate::failed::{Failed, Result};
use crate::policy::{Policy, place_text};

/// The event of a call that is about to run.
const EVENT: &str = "PreToolUse";

/// In how many places of one script a rule is named.
const MOST_PLACES: usize = 100;

/// What would become of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// A person would be asked.
    Asks,
    /// It would be refused.
    Blocked,
}

/// A rule that a command meets.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Hit {
    /// The rule's id, or the name of the hook.
    pub(crate) rule: String,
    pub(crate) verdict: Verdict,
    /// Where the policy's file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instead: Option<String>,
}

impl Hit {
    /// The rule of a hook's fixed answer; none if that lets pass.
    fn of(name: &str, rule: Option<&Rule>, place: Option<String>, answer: &Value) -> Option<Self> {
        let verdict = match answer.get("action")?.as_str()? {
            "block" => Verdict::Blocked,
            "ask" => Verdict::Asks,
            _ => return None,
        };
        let reason = answer.get("reason").and_then(Value::as_str);
        let rule = rule.filter(|rule| reason == Some(rule.told().as_str()));
        Some(Self {
            rule: name.to_owned(),
            verdict,
            place,
            reason: rule.map(|rule| rule.reason).or(reason).map(str::to_owned),
            instead: rule.map(|rule| rule.suggest.to_owned()),
        })
    }
}

/// A command that would not pass.
#[derive(Debug)]
pub(crate) struct Found {
    /// The line of its file.
    pub(crate) line: usize,
    pub(crate) tool: String,
    /// The command, or what the call is about.
    pub(crate) command: String,
    /// What says so: the rules that refuse, or else those that ask.
    pub(crate) hits: Vec<Hit>,
}

/// A policy, without the hooks that run something.
#[derive(Debug)]
pub(crate) struct Judge {
    policy: Policy,
    /// What each hook that decides by itself would do, by its id.
    deciders: HashMap<String, Hit>,
    /// The hooks for calls that run programs, or ask others: they are not asked.
    pub(crate) not_asked: Vec<String>,
}

impl Judge {
    /// Takes out of a policy what would run something. Places are shown relative to a directory.
    pub(crate) fn new(policy: Policy, below: &Path) -> Self {
        let (mut deciders, mut not_asked) = (HashMap::new(), Vec::new());
        for hook in policy.registry.list() {
            let Some(id) = HookId::parse(&hook.id) else { continue };
            let entry = policy.registry.entry(id).filter(|_| hook.event == EVENT && hook.enabled);
            let answer = entry.as_ref().and_then(|entry| entry.handler().fixed_answer());
            if let Some(answer) = answer {
                let rule = packs().iter().flat_map(|pack| pack.rules).find(|rule| rule.id == hook.name);
                let place = (hook.origin.is_some() || rule.is_none()).then(|| place_text(&hook, below));
                deciders.extend(Hit::of(&hook.name, rule, place, &answer).map(|hit| (hook.id.clone(), hit)));
                continue;
            }
            if entry.is_some() {
                not_asked.push(hook.name.clone());
            }
            policy.registry.unregister(id);
        }
        not_asked.sort();
        Self { policy, deciders, not_asked }
    }

    /// The rules that may refuse or ask, sorted by their names.
    pub(crate) fn rules(&self) -> Vec<&Hit> {
        let mut rules: Vec<&Hit> = self.deciders.values().collect();
        rules.sort_by(|one, other| one.rule.cmp(&other.rule).then(other.verdict.cmp(&one.verdict)));
        rules.dedup_by(|one, other| one.rule == other.rule);
        rules
    }

    /// Whether a file of its own decides anything here.
    pub(crate) fn has_own_rules(&self) -> bool {
        self.policy.registry.list().iter().any(|hook| hook.origin.is_some() && self.deciders.contains_key(&hook.id))
    }

    /// All rules that a call meets.
    fn all(&self, payload: &Map<String, Value>) -> Result<Vec<Hit>> {
        let (outcome, _) = dispatch(&self.policy, EVENT, payload)?;
        let is_observed = outcome.trace().iter().any(|entry| entry.observed.is_some());
        if !outcome.blocked() && outcome.decision() != Action::Ask && !is_observed {
            return Ok(Vec::new());
        }
        let explained = explained(&self.policy, EVENT, payload)?;
        let met = explained.hooks.iter().filter(|hook| hook.matched);
        let hits: Vec<Hit> = met.filter_map(|hook| self.deciders.get(&hook.id).cloned()).collect();
        if hits.is_empty() && outcome.blocked() {
            let why = outcome.reason().unwrap_or("no reason is given");
            return Err(Failed::new(format!("{} is refused by no rule: {why}", call_text(payload))));
        }
        Ok(hits)
    }

    fn of_line(&self, tool: &str, line: &str) -> Result<Vec<Hit>> {
        self.all(&Call::about(tool, line)?.payload())
    }

    /// Judges a call of a session.
    pub(crate) fn call(&self, line: usize, payload: &Map<String, Value>) -> Result<Option<Found>> {
        let hits = strictest(self.all(payload)?);
        if hits.is_empty() {
            return Ok(None);
        }
        let tool = payload.get("tool").and_then(Value::as_str).unwrap_or_default().to_owned();
        let command = call_text(payload);
        let command =
            command.strip_prefix(&format!("{tool} ")).filter(|_| tool == SHELL).unwrap_or(&command).to_owned();
        Ok(Some(Found { line, tool, command, hits }))
    }

    /// Judges the commands of a script; gives how many there are, and those that would not pass.
    ///
    /// A script that is understood whole is judged whole, because one line sets the variables of the next; its commands
    /// alone only say where a rule is met.
    pub(crate) fn script(&self, script: &Script) -> Result<(usize, Vec<Found>)> {
        let Script { tool, text, .. } = script;
        let is_shell = *tool == SHELL;
        let parts: Vec<Range<usize>> = if is_shell { commands(text).collect() } else { lines(text) };
        let mut met: BTreeMap<usize, Vec<Hit>> = BTreeMap::new();
        if is_shell && read(text).line.is_none() {
            for (at, part) in parts.iter().enumerate() {
                met.insert(at, self.of_line(tool, text_at(text, part))?);
            }
        } else {
            for hit in self.of_line(tool, text)? {
                for at in self.places(script, &parts, &hit)? {
                    met.entry(at).or_default().push(hit.clone());
                }
            }
        }
        met.retain(|_, hits| !hits.is_empty());
        let mut found = Vec::new();
        for (at, hits) in met {
            let part = parts.get(at).cloned().unwrap_or(0..text.len());
            found.extend(self.within(script, &part, strictest(hits))?);
        }
        Ok((parts.len(), found))
    }

    /// The commands with which those before them meet a rule: each is taken out before the next one is looked for.
    fn places(&self, script: &Script, parts: &[Range<usize>], hit: &Hit) -> Result<Vec<usize>> {
        let mut found: Vec<usize> = Vec::new();
        while found.len() < MOST_PLACES {
            let meets = |last: usize| -> Result<bool> {
                let left = parts.iter().enumerate().take(last + 1).filter(|(at, _)| !found.contains(at));
                let lines: Vec<&str> = left.map(|(_, part)| text_at(&script.text, part)).collect();
                Ok(has(&self.of_line(script.tool, &lines.join("\n"))?, hit))
            };
            let (mut low, mut high) = (0, parts.len().saturating_sub(1));
            if !meets(high)? {
                break;
            }
            while low < high {
                let middle = low.midpoint(high);
                (low, high) = if meets(middle)? { (low, middle) } else { (middle + 1, high) };
            }
            found.push(low);
        }
        // What only all of the text meets is named at its beginning.
        Ok(if found.is_empty() { vec![0] } else { found })
    }

    /// Where in a command of several lines its rules are met, as far as they are met by one of its inner commands.
    fn within(&self, script: &Script, part: &Range<usize>, hits: Vec<Hit>) -> Result<Vec<Found>> {
        let text = text_at(&script.text, part);
        let mut inner: Vec<(Range<usize>, Vec<Hit>)> = Vec::new();
        // From the last line on, so that a command comes behind those that it holds.
        for line in lines(text).into_iter().skip(1).rev().filter(|_| script.tool == SHELL) {
            let Some(command) = text.get(line.start..).and_then(|rest| commands(rest).next()) else { continue };
            let range = line.start + command.start..line.start + command.end;
            let line = text_at(text, &range);
            if range.start != line_start(text, range.start) || read(line).line.is_none() {
                continue;
            }
            let mut met = self.of_line(script.tool, line)?;
            let is_held = |hit: &Hit| inner.iter().any(|(held, hits)| held.start < range.end && has(hits, hit));
            met.retain(|hit| has(&hits, hit) && !is_held(hit));
            if !met.is_empty() {
                inner.push((range, met));
            }
        }
        let left: Vec<Hit> = hits.into_iter().filter(|hit| !inner.iter().any(|(_, hits)| has(hits, hit))).collect();
        if !left.is_empty() {
            inner.push((0..text.len(), left));
        }
        let found = inner.into_iter().rev().map(|(range, hits)| Found {
            line: script.line_at(part.start + range.start),
            tool: script.tool.to_owned(),
            command: text_at(text, &range).trim().to_owned(),
            hits,
        });
        Ok(found.collect())
    }
}

fn text_at<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    text.get(range.clone()).unwrap_or_default()
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

/// The lines of a text that are not empty.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let line = |line: &str| {
        let start = at;
        at += line.len();
        start..start + line.trim_end().len()
    };
    text.split_inclusive('\n').map(line).filter(|range| !range.is_empty()).collect()
}

fn has(hits: &[Hit], hit: &Hit) -> bool {
    hits.iter().any(|known| known.rule == hit.rule)
}

/// The rules that refuse, or else those that ask: no person is asked about what is refused.
fn strictest(mut hits: Vec<Hit>) -> Vec<Hit> {
    let most = hits.iter().map(|hit| hit.verdict).max();
    hits.retain(|hit| Some(hit.verdict) == most);
    hits
}
