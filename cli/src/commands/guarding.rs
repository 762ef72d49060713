//! A policy that an agent's calls depend on: what must be there, and what may not be missing without a word.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hookweave_host::config::Directories;
use hookweave_host::files::LoadReport;
use hookweave_host::hook::Scope;
use hookweave_host::registry::HookInfo;

use crate::commands::trust::{lost_texts, store};
use crate::failed::{Failed, Result};
use crate::foreign::ForeignHooks;
use crate::hook_command::is_this_command;
use crate::policy::{Policy, TrustChoice, Which};
use crate::screen::count;

/// When every gate is refused.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Guarding {
    /// What hooks without an approval do
    #[arg(long, value_enum, default_value_t)]
    untrusted: Untrusted,

    /// Refuse every gate while the project has no approved hook, you have none of your own, or the machine has none
    #[arg(long, value_enum, value_name = "WHOSE", num_args = 0..=1, require_equals = true, default_missing_value = "project")]
    require_policy: Option<Required>,
}

/// Whose policy must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Required {
    /// An approved hook of the project.
    Project,
    /// A hook of your own, for all projects.
    User,
    /// A hook of the machine's administrator.
    Managed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Untrusted {
    /// They do not run; a message reports them when a session starts.
    #[default]
    Report,
    /// Every gate is blocked until they are approved.
    Block,
}

impl Guarding {
    /// Whether a policy must be there.
    pub(crate) fn requires_policy(&self) -> bool {
        self.require_policy.is_some()
    }

    /// The policy, and the text about hooks that wait for an approval. Without what it must have every gate is refused.
    pub(crate) fn load(&self, which: &Which) -> Result<(Policy, Option<String>)> {
        let policy = Policy::load(&which.to_look_at().to_act())?;
        // An agent whose own files are a source must not meet this very command again.
        policy.leave_out(|hook| hook.origin.as_ref().is_some_and(|origin| is_this_command(&origin.runs)));
        if !which.partial {
            refuse_broken(&policy.report)?;
        }
        if let Some(required) = self.require_policy {
            require_policy(&policy, required, which)?;
        }
        let waiting = untrusted(&policy.report);
        if let (Some(waiting), Untrusted::Block) = (&waiting, self.untrusted) {
            return Err(Failed::new(waiting.clone()));
        }
        Ok((policy, waiting))
    }
}

/// The same hooks, those of hookweave's own files where none are named.
pub(crate) fn with_own_files(mut which: Which) -> Which {
    if which.files.is_empty() && which.sources.is_empty() {
        which.sources = vec!["hookweave".to_owned()];
    }
    which
}

/// A store below the directory that the agent works in proves nothing: the agent, or the checkout, could have written it.
pub(crate) fn refuse_brought_along(which: &Which, cwd: &Path) -> Result<()> {
    if which.trust == TrustChoice::All || !cwd.is_dir() {
        return Ok(());
    }
    let Ok(store) = store(which) else { return Ok(()) };
    Ok(store.must_not_be_in(cwd, Directories::of_this_user().home.as_deref())?)
}

/// What a command line of settings says by which less is guarded than its project's policy would.
pub(crate) fn weakened(which: &Which, is_of_project: bool, asked: &Which) -> Vec<String> {
    let mut faults = Vec::new();
    if which.trust == TrustChoice::All {
        faults.push("`--trust all` runs hooks of a project without an approval; take it out".to_owned());
    }
    if which.partial {
        let what = "`--partial` decides without the invalid entries of a policy, which guard nothing then; take it out";
        faults.push(what.to_owned());
    }
    faults.extend(elsewhere(which, is_of_project, asked));
    faults
}

/// What a command line of settings names that is not the person's or the project's: another store of approvals, or in
/// settings of a project the policy of another folder. Who asks says which project and which store theirs are.
fn elsewhere(which: &Which, is_of_project: bool, asked: &Which) -> Option<String> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let project = asked.directory();
    let own = store(asked).map(|store| real(store.path()));
    let other = which.trust_store.as_ref().filter(|named| own.as_ref().ok() != Some(&real(&project.join(named))));
    if let Some(other) = other {
        let other = other.display();
        return Some(format!("`--trust-store {other}` has other approvals than yours; take it out"));
    }
    let named = which.cwd.iter().map(|folder| ("--cwd", folder)).chain(which.files.iter().map(|file| ("--file", file)));
    let is_outside = |(_, path): &(&str, &PathBuf)| !real(&project.join(path)).starts_with(real(&project));
    let (option, path) = named.into_iter().filter(|_| is_of_project).find(is_outside)?;
    let path = path.display();
    Some(format!("`{option} {path}` leads out of the project, whose own policy does not decide then; take it out"))
}

/// A policy with an invalid entry lacks what the entry should guard.
fn refuse_broken(report: &LoadReport) -> Result<()> {
    let broken: Vec<String> = report.problems.iter().filter(|problem| problem.fatal).map(ToString::to_string).collect();
    match broken.first() {
        None => Ok(()),
        Some(first) => {
            let more = if broken.len() > 1 { format!(" (and {} more)", broken.len() - 1) } else { String::new() };
            Err(Failed::new(format!("the policy is invalid: {first}{more}; `hookweave lint` shows what to fix")))
        }
    }
}

/// Whether a policy has a hook of a project, or of a user; also one that a wider file declares too.
pub(crate) fn has_hooks_of(policy: &Policy, whose: Required) -> bool {
    let is_one = |scope: Scope| match whose {
        Required::Project => matches!(scope, Scope::Project | Scope::Local | Scope::Agent),
        Required::User => scope == Scope::User,
        Required::Managed => scope == Scope::Managed,
    };
    let declares = |hook: &HookInfo| hook.origin.iter().flat_map(|origin| origin.places()).any(|at| is_one(at.scope));
    // What guards the policy alone is no policy.
    let hooks = policy.registry.list();
    hooks.iter().filter(|hook| hook.origin.is_some()).any(|hook| is_one(hook.scope) || declares(hook))
}

/// Refuses where nothing of those decides whose policy is required: it was taken away before a person approved it, or is
/// elsewhere.
fn require_policy(policy: &Policy, required: Required, which: &Which) -> Result<()> {
    if has_hooks_of(policy, required) {
        return Ok(());
    }
    Err(Failed::new(match required {
        Required::Project => {
            let what = "this project has no policy with approved hooks, and --require-policy in the agent's settings requires one";
            let fix = match (policy.report.untrusted.len(), ForeignHooks::all(&which.directory()).unwrap_or_default()) {
                (0, others) if others.is_empty() => "`hookweave init` writes one".to_owned(),
                (0, others) => {
                    let conversions: Vec<String> = others.iter().map(ForeignHooks::conversion).collect();
                    format!("`hookweave init` writes one, {}", conversions.join(", "))
                }
                (waiting, _) => format!("`hookweave trust approve` shows and approves {}", waits(waiting)),
            };
            return Err(Failed::new(format!("{what}; {fix}")));
        }
        Required::Managed => {
            "this machine has no hook of its administrator, and --require-policy=managed in the agent's settings requires one; \
             put the managed policy back, or install again"
        }
        Required::User => {
            "you have no hook of your own, and --require-policy=user in the agent's settings requires one; put your policy \
             back, or install again"
        }
    }))
}

fn waits(number: usize) -> String {
    let verb = if number == 1 { "waits" } else { "wait" };
    format!("{} that {verb}", count(number, "hook"))
}

/// The text about hooks that are not approved, and about approved ones that are gone.
fn untrusted(report: &LoadReport) -> Option<String> {
    let waiting = report.untrusted.len();
    let gone = lost_texts(&report.lost.iter().filter(|lost| lost.is_gone).collect::<Vec<_>>());
    let waiting = (waiting > 0).then(|| {
        let what = count(waiting, "hook");
        let is_not = if waiting == 1 { "is not approved and does" } else { "are not approved and do" };
        format!(
            "{what} of this project {is_not} not run; review them with `hookweave list`, then `hookweave trust approve`"
        )
    });
    let told: Vec<&str> = waiting.as_deref().into_iter().chain(gone.iter().map(String::as_str)).collect();
    (!told.is_empty()).then(|| told.join("\n"))
}
