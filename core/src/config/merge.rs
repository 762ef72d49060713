//! What several files say together: who is trusted, what switches do, which copies are one hook, who replaces whom.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::load::{Configuration, Piece, Ready, Untrusted};
use super::trust::{Approval, Trust, switch_fingerprint};
use super::{Directories, Problem, Run, Switches};
use crate::handlers::webhook::{UnsetVariable, WebClient, WebPolicy};
use crate::hook::{Origin, Scope};

/// What decides whether a project's hooks run.
pub(super) struct Approvals {
    pub(super) trust: Trust,
    pub(super) approved: BTreeMap<String, Approval>,
}

/// A hook on its way, with whether it may run.
struct Candidate {
    ready: Ready,
    project: Option<std::path::PathBuf>,
    /// Why it may not run.
    untrusted: Option<String>,
}

impl Candidate {
    fn scope(&self) -> Scope {
        self.ready.declared.spec.scope
    }

    fn dialect(&self) -> &'static str {
        self.ready.declared.dialect.name()
    }

    fn trusted(&self) -> bool {
        self.untrusted.is_none()
    }
}

/// A file's switches that count.
struct Switched<'p> {
    dialect: &'static str,
    scope: Scope,
    switches: &'p Switches,
}

/// Brings files together; their order is that of their scopes. Without approvals everything is trusted.
pub(super) fn merge(
    pieces: Vec<Piece>,
    directories: &Directories,
    approvals: Option<&Approvals>,
    configuration: &mut Configuration,
) {
    let switched: Vec<bool> = pieces.iter().map(|piece| switches_count(piece, approvals, configuration)).collect();
    let mut candidates = Vec::new();
    let mut switches = Vec::new();
    for (mut piece, counts) in pieces.into_iter().zip(switched) {
        configuration.problems.append(&mut piece.loaded.problems);
        for declared in piece.loaded.hooks {
            candidates.push(candidate(declared, piece.project.as_deref(), directories.home.as_deref(), approvals));
        }
        if counts {
            configuration.options.append(&mut piece.loaded.switches.options);
            switches.push((piece.dialect, piece.scope, piece.loaded.switches));
        }
    }
    let switches: Vec<Switched<'_>> =
        switches.iter().map(|(dialect, scope, switches)| Switched { dialect, scope: *scope, switches }).collect();

    candidates.retain(|candidate| !is_switched_off(candidate, &switches));
    one_of_each(&mut candidates);
    replace(&mut candidates, &mut configuration.problems);
    run_in_sequence(&mut candidates, &switches);
    candidates.retain_mut(|candidate| web_allows(candidate, &switches, &mut configuration.problems));

    for candidate in candidates {
        match candidate.untrusted {
            None => configuration.hooks.push(candidate.ready),
            Some(why) => configuration.untrusted.push(Untrusted {
                approval: candidate.ready.approval(candidate.project.as_deref()),
                scope: candidate.ready.declared.spec.scope,
                line: candidate.ready.declared.spec.origin.as_ref().and_then(|origin| origin.line),
                scripts: candidate.ready.guard.scripts().map(Path::to_path_buf).collect(),
                why,
            }),
        }
    }
}

/// Files of an administrator and of the user are trusted by their place.
const fn by_place(scope: Scope) -> bool {
    matches!(scope, Scope::Managed | Scope::User | Scope::Callback)
}

fn candidate(
    declared: super::Declared,
    project: Option<&Path>,
    home: Option<&Path>,
    approvals: Option<&Approvals>,
) -> Candidate {
    let scope = declared.spec.scope;
    let (ready, unreadable) = Ready::new(declared, project, home);
    let untrusted = match approvals {
        Some(approvals) if !by_place(scope) && approvals.trust == Trust::Approved => match unreadable {
            Some(why) => Some(format!("it cannot be approved: {why}")),
            None => approvals.why_not(&ready.approval(project)),
        },
        _ => None,
    };
    Candidate { ready, project: project.map(Path::to_path_buf), untrusted }
}

impl Approvals {
    fn why_not(&self, wanted: &Approval) -> Option<String> {
        if self.approved.contains_key(&wanted.fingerprint) {
            return None;
        }
        // Another approval for what stands there, or for the same command, means that something changed since.
        let earlier = self.approved.values().any(|known| {
            known.project == wanted.project
                && known.file == wanted.file
                && known.dialect == wanted.dialect
                && (known.place == wanted.place || known.runs == wanted.runs)
        });
        let why = if earlier {
            "it, or a script that it names, changed since it was approved; look at it and approve it anew"
        } else {
            "nobody has approved it; look at it and at its scripts, then approve it"
        };
        Some(why.to_owned())
    }
}

/// Whether a file's switches count; switches that wait for an approval are listed.
fn switches_count(piece: &Piece, approvals: Option<&Approvals>, configuration: &mut Configuration) -> bool {
    let switches = &piece.loaded.switches;
    let mut said: Map<String, Value> = Map::new();
    if switches.disable_all == Some(true) {
        said.insert("disable all hooks".to_owned(), json!(true));
    }
    if !switches.disabled.is_empty() {
        said.insert("disable".to_owned(), json!(switches.disabled));
    }
    if let Some(urls) = &switches.allowed_urls {
        said.insert("allow webhooks to".to_owned(), json!(urls));
    }
    if let Some(variables) = &switches.allowed_env {
        said.insert("allow headers to name".to_owned(), json!(variables));
    }
    if !switches.options.is_empty() {
        said.insert("set".to_owned(), json!(switches.options));
    }
    let Some(approvals) = approvals.filter(|approvals| approvals.trust == Trust::Approved) else { return true };
    if said.is_empty() || by_place(piece.scope) {
        return true;
    }
    let said = Value::Object(said);
    let approval = Approval {
        fingerprint: switch_fingerprint(&piece.file, piece.project.as_deref(), piece.dialect, &said),
        project: piece.project.as_ref().map(|dir| dir.display().to_string()).unwrap_or_default(),
        file: piece.file.display().to_string(),
        place: String::new(),
        dialect: piece.dialect.to_owned(),
        event: String::new(),
        runs: said.to_string(),
        approved_at: 0,
    };
    match approvals.why_not(&approval) {
        None => true,
        Some(why) => {
            configuration.untrusted.push(Untrusted {
                approval,
                scope: piece.scope,
                line: None,
                scripts: Vec::new(),
                why,
            });
            false
        }
    }
}

/// Whether somebody switched a hook off: all hooks of its dialect, all but managed ones, or this one by name.
fn is_switched_off(candidate: &Candidate, switches: &[Switched<'_>]) -> bool {
    if candidate.scope() == Scope::Managed {
        return false;
    }
    let own = || switches.iter().filter(|switched| switched.dialect == candidate.dialect());
    let managed_only =
        own().any(|switched| switched.scope == Scope::Managed && switched.switches.managed_only == Some(true));
    // The administrator's word counts first, then the nearest.
    let word = |scope: Scope| {
        own()
            .filter(|switched| switched.scope == scope)
            .filter_map(|switched| switched.switches.disable_all)
            .next_back()
    };
    let disable_all = [Scope::Managed, Scope::Agent, Scope::Local, Scope::Project, Scope::User, Scope::Callback]
        .into_iter()
        .find_map(word)
        .unwrap_or(false);
    let named = own().flat_map(|switched| &switched.switches.disabled).any(|name| {
        let command = candidate.ready.declared.entry.get("hook").and_then(|hook| hook.get("command"));
        candidate.ready.declared.spec.name.as_deref() == Some(name) || command.and_then(Value::as_str) == Some(name)
    });
    managed_only || disable_all || named
}

/// Whether a system runs the same hook from several of its files once.
fn runs_once(dialect: &str) -> bool {
    matches!(dialect, "claude-code" | "gemini-cli")
}

/// Keeps one of the hooks that are the same in several settings files, where their system does.
///
/// The widest stays, since it is the strictest, unless only a nearer one may run. Copies in plugins stay apart.
fn one_of_each(candidates: &mut Vec<Candidate>) {
    let mut kept: Vec<Candidate> = Vec::with_capacity(candidates.len());
    let mut seen: rustc_hash::FxHashMap<String, usize> = rustc_hash::FxHashMap::default();
    for candidate in candidates.drain(..) {
        let declared = &candidate.ready.declared;
        if !runs_once(declared.dialect.name()) || declared.plugin.is_some() {
            kept.push(candidate);
            continue;
        }
        let key = format!("{} {}", declared.dialect.name(), declared.entry);
        match seen.get(&key).and_then(|index| kept.get_mut(*index)) {
            Some(earlier) if !earlier.trusted() && candidate.trusted() => *earlier = candidate,
            Some(_) => {}
            None => {
                seen.insert(key, kept.len());
                kept.push(candidate);
            }
        }
    }
    *candidates = kept;
}

/// Lets an agent's own hooks take the place of wider ones that have their name, managed ones apart.
fn replace(candidates: &mut Vec<Candidate>, problems: &mut Vec<Problem>) {
    let replacing: Vec<(String, std::sync::Arc<Origin>)> = candidates
        .iter()
        .filter(|candidate| candidate.trusted() && candidate.ready.declared.replaces)
        .filter_map(|candidate| {
            let spec = &candidate.ready.declared.spec;
            Some((spec.name.clone()?, spec.origin.clone()?))
        })
        .collect();
    for (name, origin) in replacing {
        let wider = |candidate: &Candidate| {
            let spec = &candidate.ready.declared.spec;
            spec.scope != Scope::Agent && spec.name.as_deref() == Some(name.as_str())
        };
        let message = if candidates.iter().any(|other| wider(other) && other.scope() == Scope::Managed) {
            Some(format!("the hook `{name}` is managed and cannot be replaced; both run"))
        } else if candidates.iter().any(wider) {
            None
        } else {
            Some(format!("there is no hook `{name}` to replace"))
        };
        candidates.retain(|other| !wider(other) || other.scope() == Scope::Managed);
        if let Some(message) = message {
            problems.push(Problem {
                file: origin.file.clone(),
                place: origin.place.clone(),
                line: origin.line,
                message,
                fatal: false,
            });
        }
    }
}

/// Takes hooks out of their stage whose system runs them one after another.
fn run_in_sequence(candidates: &mut [Candidate], switches: &[Switched<'_>]) {
    for candidate in candidates {
        let declared = &mut candidate.ready.declared;
        let sequential = switches.iter().any(|switched| {
            switched.dialect == declared.dialect.name()
                && switched.switches.sequential.contains(&declared.declared_event)
        });
        if sequential {
            declared.spec.group = None;
        }
    }
}

/// Narrows webhooks to what the lists of their dialect's files allow; one that may go nowhere is left out.
fn web_allows(candidate: &mut Candidate, switches: &[Switched<'_>], problems: &mut Vec<Problem>) -> bool {
    let dialect = candidate.dialect();
    let trusted = candidate.trusted();
    let declared = &mut candidate.ready.declared;
    let Run::Webhook(webhook) = &mut declared.run else { return true };
    let own = || switches.iter().filter(|switched| switched.dialect == dialect).map(|switched| switched.switches);
    let union = |lists: &mut dyn Iterator<Item = &Vec<String>>| {
        lists.fold(None, |all: Option<Vec<String>>, list| {
            let mut all = all.unwrap_or_default();
            all.extend(list.iter().cloned());
            Some(all)
        })
    };
    if let Some(allowed) = union(&mut own().filter_map(|switches| switches.allowed_env.as_ref())) {
        webhook.allowed_env.retain(|name| allowed.contains(name));
    }
    let mut report = |message: String, fatal: bool| {
        if let Some(origin) = &declared.spec.origin {
            let (file, place, line) = (origin.file.clone(), origin.place.clone(), origin.line);
            problems.push(Problem { file, place, line, message, fatal });
        }
    };
    if let Some(allowed_urls) = union(&mut own().filter_map(|switches| switches.allowed_urls.as_ref())) {
        let policy = WebPolicy { allowed_urls: Some(allowed_urls), ..WebPolicy::default() };
        if let Err(error) = WebClient::new(policy).check(webhook, &|_| Some("x".to_owned())) {
            report(error.to_string(), true);
            return false;
        }
    }
    if trusted && webhook.unset == UnsetVariable::Refuse {
        let missing: Vec<&String> =
            webhook.allowed_env.iter().filter(|name| std::env::var_os(name).is_none()).collect();
        if let [first, ..] = missing.as_slice() {
            report(
                format!("the variable `{first}` in its headers is not set; set it, or the hook fails whenever it runs"),
                false,
            );
        }
    }
    true
}
