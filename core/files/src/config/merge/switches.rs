//! What switches of files do to the hooks of all files, and whether they count.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{Approvals, Candidate, by_place};
use crate::config::configuration::{Configuration, FoundFile, Piece, Ready, SwitchedOff, UntrustedHook};
use crate::config::trust::{Trust, TrustedHook, switch_fingerprint};
use crate::config::{Problem, Run, Switches};
use hookweave_exec::webhook::{UnsetVariable, WebClient, WebPolicy};
use hookweave_machine::hook::Scope;

/// A file's switches that count.
pub(super) struct Switched<'p> {
    pub(super) dialect: &'static str,
    pub(super) scope: Scope,
    pub(super) file: &'p Path,
    pub(super) switches: &'p Switches,
}

/// Whether a file's switches count; switches that wait for an approval are listed.
pub(super) fn switches_count(
    piece: &Piece,
    approvals: Option<&Approvals<'_>>,
    configuration: &mut Configuration,
) -> bool {
    let switches = &piece.loaded.switches;
    let mut settings: Map<String, Value> = Map::new();
    if switches.disable_all == Some(true) {
        settings.insert("disable all hooks".to_owned(), json!(true));
    }
    if !switches.disabled.is_empty() {
        settings.insert("disable".to_owned(), json!(switches.disabled));
    }
    if let Some(urls) = &switches.allowed_urls {
        settings.insert("allow webhooks to".to_owned(), json!(urls));
    }
    if let Some(variables) = &switches.allowed_env {
        settings.insert("allow headers to name".to_owned(), json!(variables));
    }
    if !switches.options.is_empty() {
        settings.insert("set".to_owned(), json!(switches.options));
    }
    let Some(approvals) = approvals.filter(|approvals| approvals.trust == Trust::Approved) else { return true };
    if settings.is_empty() || by_place(piece.scope) {
        return true;
    }
    let settings = Value::Object(settings);
    let approval = TrustedHook {
        fingerprint: switch_fingerprint(&piece.file, piece.project.as_deref(), piece.dialect, &settings),
        project: piece.project.as_ref().map(|dir| dir.display().to_string()).unwrap_or_default(),
        file: piece.file.display().to_string(),
        place: String::new(),
        dialect: piece.dialect.to_owned(),
        event: String::new(),
        runs: settings.to_string(),
        approved_at: 0,
        covers: Vec::new(),
        replaces: Vec::new(),
    };
    match approvals.why_not(&approval) {
        None => true,
        Some(why) => {
            configuration.untrusted.push(UntrustedHook {
                approval,
                scope: piece.scope,
                line: None,
                scripts: Vec::new(),
                why,
                unsure: None,
            });
            false
        }
    }
}

/// Whether a hook is switched off: all hooks of its dialect, all but managed ones, or this one by name.
pub(super) fn is_switched_off(candidate: &Candidate, switches: &[Switched<'_>]) -> bool {
    is_off(&candidate.ready, switches)
}

/// The same of a hook that is ready.
pub(super) fn is_off(ready: &Ready, switches: &[Switched<'_>]) -> bool {
    let declared = &ready.declared;
    if declared.spec.scope == Scope::Managed {
        return false;
    }
    let own = || switches.iter().filter(|switched| switched.dialect == declared.dialect.name());
    let managed_only =
        own().any(|switched| switched.scope == Scope::Managed && switched.switches.managed_only == Some(true));
    let named = own().flat_map(|switched| &switched.switches.disabled).any(|name| {
        let command = declared.entry.get("hook").and_then(|hook| hook.get("command"));
        declared.spec.name.as_deref() == Some(name) || command.and_then(Value::as_str) == Some(name)
    });
    managed_only || switch_for_all(ready, switches).is_some() || named
}

/// The file whose switch for all hooks of its system takes a hook out.
fn switch_for_all<'s, 'p>(ready: &Ready, switches: &'s [Switched<'p>]) -> Option<&'s Switched<'p>> {
    let declared = &ready.declared;
    let file = declared.spec.origin.as_ref().map(|origin| origin.file.as_path());
    // The administrator's word counts first, then the nearest.
    let word = |scope: Scope| {
        switches
            .iter()
            .filter(|switched| switched.dialect == declared.dialect.name() && switched.scope == scope)
            .filter(|switched| !binds_its_file(switched.dialect) || file == Some(switched.file))
            .rfind(|switched| switched.switches.disable_all.is_some())
    };
    let scopes = [Scope::Managed, Scope::Agent, Scope::Local, Scope::Project, Scope::User, Scope::Callback];
    scopes.into_iter().find_map(word).filter(|switched| switched.switches.disable_all == Some(true))
}

/// Says with each file how many hooks its switch for all hooks takes out.
pub(super) fn note_switches(candidates: &[Candidate], switches: &[Switched<'_>], found: &mut [FoundFile]) {
    let is_managed = |candidate: &&Candidate| candidate.ready.declared.spec.scope == Scope::Managed;
    let off: Vec<&Switched<'_>> = candidates
        .iter()
        .filter(|candidate| !is_managed(candidate))
        .filter_map(|candidate| switch_for_all(&candidate.ready, switches))
        .collect();
    for found in found {
        let hooks = off.iter().filter(|switched| switched.file == found.file).count();
        if hooks > 0 {
            let switch = switch_of(found.dialect);
            let what = if hooks == 1 { "1 hook".to_owned() } else { format!("{hooks} hooks") };
            found.note = Some(format!("`{switch}` in it switches {what} of {} off", found.dialect));
            found.switched_off = Some(SwitchedOff { switch, hooks });
        }
    }
}

/// The switch for all hooks, as files of a system write it.
fn switch_of(dialect: &str) -> &'static str {
    match dialect {
        "cocode" => "disable_all_hooks",
        "gemini-cli" => "enabled: false",
        _ => "disableAllHooks",
    }
}

/// Whether a file of this system switches off its own hooks only.
fn binds_its_file(dialect: &str) -> bool {
    dialect == "copilot"
}

/// Takes hooks out of their stage whose system runs them one after another.
pub(super) fn run_in_sequence(candidates: &mut [Candidate], switches: &[Switched<'_>]) {
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
pub(super) fn web_allows(candidate: &mut Candidate, switches: &[Switched<'_>], problems: &mut Vec<Problem>) -> bool {
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
            problems.push(Problem::of_hook(origin, message, fatal));
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
