//! The results of loading: what one or more files gave, before and after merging.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::trust::TrustedHook;
use super::{Declared, Guard, Loaded, Problem};
use hookweave_machine::hook::Scope;

/// What one or more files gave.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    /// Hooks that may run, in the order in which they are to be registered.
    pub hooks: Vec<Ready>,
    /// Hooks that are not approved, or that changed since.
    pub untrusted: Vec<UntrustedHook>,
    /// Approvals of what changed or is gone since.
    pub lost: Vec<LostApproval>,
    /// The files that were found.
    pub found: Vec<FoundFile>,
    /// What could not be taken, and what will surprise.
    pub problems: Vec<Problem>,
    /// Settings for the client, by the engine's names.
    pub options: Map<String, Value>,
    /// The hook that asks before the policy's own files are changed.
    pub policy_files: Option<Ready>,
    /// Whether files of the administrator or the user want it; both do unless they say otherwise.
    pub guards_policy_files: Option<bool>,
    /// Files that matter to a reload, whether they are there or not.
    pub watched: Vec<PathBuf>,
    /// The project.
    pub project_dir: Option<PathBuf>,
}

impl Configuration {
    /// The hooks that are registered: those that block what an approved one guarded, then those that may run.
    pub fn in_force(&self) -> impl Iterator<Item = &Ready> {
        self.lost.iter().filter_map(|lost| lost.closed.as_ref()).chain(&self.hooks)
    }
}

/// A hook that may run.
#[derive(Debug, Clone)]
pub struct Ready {
    /// The hook.
    pub declared: Declared,
    /// What an approval of it is for.
    pub fingerprint: String,
    /// Is asked before every run.
    pub guard: Arc<Guard>,
    /// Why the files that it runs cannot be determined.
    pub unsure: Option<String>,
}

/// A hook, or a file's switches, that count only when a person approves them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UntrustedHook {
    /// What to approve; without a fingerprint it cannot be.
    pub approval: TrustedHook,
    /// Who would have loaded it.
    pub scope: Scope,
    /// The line, from 1, when it is known.
    pub line: Option<usize>,
    /// The scripts that an approval covers.
    pub scripts: Vec<PathBuf>,
    /// Why it does not count.
    pub why: String,
    /// Why the files that it runs cannot be determined; `why` says it too.
    #[serde(skip)]
    pub unsure: Option<String>,
}

/// An approval of what is not there any more as it was approved.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LostApproval {
    /// The approval.
    pub approval: TrustedHook,
    /// Nothing stands in its place.
    pub is_gone: bool,
    /// Its file can be read and has it no more, which a person may accept.
    #[doc(hidden)]
    pub is_taken_out: bool,
    /// What became of it, and the fix.
    pub why: String,
    /// The hook that blocks what the approved one guarded; `None` where nothing could be stopped.
    #[doc(hidden)]
    pub closed: Option<Ready>,
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FoundFile {
    /// The file.
    pub file: PathBuf,
    /// Its dialect.
    pub dialect: &'static str,
    /// As whose hooks it was loaded.
    pub scope: Scope,
    /// How many hooks it declares.
    pub hooks: usize,
    /// Whether the file as a whole could not be read.
    pub broken: bool,
    /// What a person should know: what it was taken for, or why its hooks do not run.
    pub note: Option<String>,
    /// What a switch in it for all hooks of its system does.
    #[serde(skip)]
    #[doc(hidden)]
    pub switched_off: Option<SwitchedOff>,
}

/// A switch of a file for all hooks, and how many it switches off.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchedOff {
    /// As the file writes it.
    pub switch: &'static str,
    /// Hooks of any file.
    pub hooks: usize,
}

/// One file that was read, before merging.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) file: PathBuf,
    pub(super) dialect: &'static str,
    pub(super) scope: Scope,
    pub(super) project: Option<PathBuf>,
    pub(super) loaded: Loaded,
}
