//! What several files say together: who is trusted, what switches do, which copies are one hook, who replaces whom.

mod rules_of_policies;
mod switches;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use super::closed::{self, Expected, FileNow, Missing, Waiting};
use super::configuration::{Configuration, FoundFile, LostApproval, Piece, Ready, UntrustedHook};
use super::trust::{Texts, Trust, TrustedHook};
use super::{Directories, Problem};
use hookweave_dialects::described::system;
use hookweave_machine::event::Catalogue;
use hookweave_machine::hook::{Origin, Scope};
use switches::{Switched, is_off, is_switched_off, note_switches, run_in_sequence, switches_count, web_allows};

/// What decides whether a project's hooks run.
pub(super) struct Approvals<'a> {
    pub(super) trust: Trust,
    pub(super) approved: BTreeMap<String, TrustedHook>,
    /// The approvals of the files that are looked at: for each a hook is to be found.
    pub(super) expected: Vec<Expected>,
    /// What was approved, word for word.
    pub(super) texts: Option<Texts>,
    /// The events of the client; the built-in ones unless given.
    pub(super) catalogue: Option<&'a Catalogue>,
}

/// A hook on its way, with whether it may run.
struct Candidate {
    ready: Ready,
    project: Option<std::path::PathBuf>,
    /// Why it may not run.
    untrusted: Option<String>,
    /// The approvals of what stood in its place.
    replaces: Vec<String>,
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

/// Brings files together; their order is that of their scopes. Without approvals everything is trusted.
pub(super) fn merge(
    pieces: Vec<Piece>,
    directories: &Directories,
    approvals: Option<&Approvals<'_>>,
    configuration: &mut Configuration,
) {
    let switched: Vec<bool> = pieces.iter().map(|piece| switches_count(piece, approvals, configuration)).collect();
    let mut candidates = Vec::new();
    let mut switches = Vec::new();
    for (mut piece, counts) in pieces.into_iter().zip(switched) {
        note_policy_files(&piece, configuration);
        configuration.problems.append(&mut piece.loaded.problems);
        for declared in piece.loaded.hooks {
            candidates.push(candidate(declared, piece.project.as_deref(), directories.home.as_deref(), approvals));
        }
        if counts {
            configuration.options.append(&mut piece.loaded.switches.options);
            switches.push((piece.dialect, piece.scope, piece.file, piece.loaded.switches));
        }
    }
    let switches: Vec<Switched<'_>> = switches
        .iter()
        .map(|(dialect, scope, file, switches)| Switched { dialect, scope: *scope, file, switches })
        .collect();

    close(&mut candidates, approvals, configuration);
    note_switches(&candidates, &switches, &mut configuration.found);
    candidates.retain(|candidate| !is_switched_off(candidate, &switches));
    configuration.lost.retain(|lost| lost.closed.as_ref().is_none_or(|ready| !is_off(ready, &switches)));
    one_of_each(&mut candidates);
    rules_of_policies::one_of_each(&mut candidates);
    replace(&mut candidates, &mut configuration.problems);
    run_in_sequence(&mut candidates, &switches);
    candidates.retain_mut(|candidate| web_allows(candidate, &switches, &mut configuration.problems));

    for candidate in candidates {
        match candidate.untrusted {
            None => configuration.hooks.push(candidate.ready),
            Some(why) => configuration.untrusted.push(UntrustedHook {
                approval: TrustedHook {
                    replaces: candidate.replaces,
                    ..candidate.ready.approval(candidate.project.as_deref())
                },
                scope: candidate.ready.declared.spec.scope,
                line: candidate.ready.declared.spec.origin.as_ref().and_then(|origin| origin.line),
                scripts: candidate.ready.guard.scripts().map(Path::to_path_buf).collect(),
                why,
                unsure: candidate.ready.unsure,
            }),
        }
    }
}

/// Takes what a file says about the guard of the policy's files; the administrator's word counts first.
fn note_policy_files(piece: &Piece, configuration: &mut Configuration) {
    if by_place(piece.scope) && configuration.guards_policy_files.is_none() {
        configuration.guards_policy_files = piece.loaded.switches.policy_files;
    }
}

/// Files of an administrator and of the user are trusted by their place.
pub(super) const fn by_place(scope: Scope) -> bool {
    matches!(scope, Scope::Managed | Scope::User | Scope::Callback)
}

fn candidate(
    declared: super::Declared,
    project: Option<&Path>,
    home: Option<&Path>,
    approvals: Option<&Approvals<'_>>,
) -> Candidate {
    let scope = declared.spec.scope;
    let (ready, unreadable) = Ready::new(declared, project, home);
    let untrusted = match approvals {
        Some(approvals) if !by_place(scope) && approvals.trust == Trust::Approved => match unreadable {
            Some(why) => Some(format!("it cannot be approved: {why}")),
            None => approvals.why_not(&ready.approval(project)).map(|why| with_doubt(why, ready.unsure.as_deref())),
        },
        _ => None,
    };
    Candidate { ready, project: project.map(Path::to_path_buf), untrusted, replaces: Vec::new() }
}

/// Finds the approvals that no hook has any more, and says of what stands in their place what changed.
fn close(candidates: &mut [Candidate], approvals: Option<&Approvals<'_>>, configuration: &mut Configuration) {
    let Some(approvals) = approvals.filter(|approvals| approvals.trust == Trust::Approved) else { return };
    let (at, waiting): (Vec<usize>, Vec<Waiting<'_>>) = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| !candidate.trusted())
        .map(|(at, Candidate { ready, project, .. })| {
            (at, Waiting { ready, approval: ready.approval(project.as_deref()) })
        })
        .unzip();
    let of_a_switch = |fingerprint: &str| {
        // What switches wait is listed with them.
        approvals.approved.get(fingerprint).is_some_and(|approval| approval.event.is_empty())
    };
    let is_present = |fingerprint: &str| {
        of_a_switch(fingerprint)
            || candidates.iter().any(|candidate| candidate.trusted() && candidate.ready.fingerprint == fingerprint)
    };
    let state = |file: &str| {
        let is_there = |found: &&FoundFile| found.file == Path::new(file);
        let is_broken =
            || configuration.problems.iter().any(|problem| problem.fatal && problem.file == Path::new(file));
        match configuration.found.iter().find(is_there) {
            None => FileNow::Absent,
            Some(found) if found.broken || is_broken() => FileNow::Broken,
            Some(_) => FileNow::Whole,
        }
    };
    let missing = closed::missing(&approvals.expected, approvals.texts.as_ref(), &is_present, &waiting, &state);
    let lost: Vec<LostApproval> =
        missing.iter().map(|missing| missing.lost(&waiting, |event| approvals.is_gate(event))).collect();
    let problems: Vec<Problem> = missing.iter().filter_map(Missing::problem).collect();
    let told: Vec<(usize, String, String)> = missing
        .iter()
        .filter_map(|missing| {
            let candidate = *at.get(missing.by?)?;
            Some((candidate, missing.why(), missing.expected.approval.fingerprint.clone()))
        })
        .collect();
    for (candidate, why, fingerprint) in told {
        let Some(candidate) = candidates.get_mut(candidate) else { continue };
        candidate.replaces.push(fingerprint);
        if !candidate.ready.fingerprint.is_empty() {
            candidate.untrusted = Some(with_doubt(why, candidate.ready.unsure.as_deref()));
        }
    }
    configuration.problems.extend(problems);
    configuration.lost.extend(lost);
}

/// Why a hook waits, with why the files that it runs cannot be determined.
fn with_doubt(why: String, unsure: Option<&str>) -> String {
    match unsure {
        Some(unsure) => format!(
            "{why}; the files that it runs cannot be determined ({unsure}), so a change of any script in its folders needs a \
             new approval"
        ),
        None => why,
    }
}

impl Approvals<'_> {
    fn events(&self) -> &Catalogue {
        static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(Catalogue::default);
        self.catalogue.unwrap_or_else(|| &BUILT_IN)
    }

    /// Whether a block stops an event.
    fn is_gate(&self, event: &str) -> bool {
        self.events().resolve(event).is_ok_and(|event| event.gate())
    }

    fn why_not(&self, wanted: &TrustedHook) -> Option<String> {
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
            "it, or a script that it names, changed since it was approved; review it and approve it again"
        } else {
            "it is not approved; review it and its scripts, then approve it"
        };
        Some(why.to_owned())
    }
}

/// Whether a system runs the same hook from several of its files once.
fn runs_once(dialect: &str) -> bool {
    matches!(dialect, "claude-code" | "gemini-cli") || system(dialect).is_some_and(|system| system.files.runs_once)
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
            problems.push(Problem::of_hook(&origin, message, false));
        }
    }
}
