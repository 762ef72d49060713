//! Reads one file by name, and collects the results of loading.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::entry::in_full;
use super::places::{project_of, sure_project_of};
use super::recognise::{Recognised, recognise};
use super::scripts::{Named, Roots};
use super::tree::MAX_FILE;
use super::trust::{TrustedHook, covers, fingerprint};
use super::variables::{plugin_of, refuse_unfilled};
use super::{Declared, Directories, Guard, Loaded, Problem, Source, merge, readers};
use crate::open::open_file;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::event::Catalogue;
use hookweave_machine::hook::Scope;

/// How one file is loaded.
#[derive(Debug, Clone)]
pub struct LoadOptions<'o> {
    /// Whose format it is; recognised by name, place and shape unless given.
    pub dialect: Option<&'o str>,
    /// A file with any mistake is refused.
    pub strict: bool,
    /// Entries that make no sense are left out; else the file is refused.
    pub partial: bool,
    /// As whose hooks they run.
    pub scope: Scope,
    /// The project; found from the file's place unless given.
    pub project_dir: Option<PathBuf>,
    /// Directories of the user.
    pub directories: Directories,
    /// The events of the client that will run the hooks.
    pub catalogue: Option<&'o Catalogue>,
}

impl Default for LoadOptions<'_> {
    fn default() -> Self {
        Self {
            dialect: None,
            strict: false,
            partial: false,
            scope: Scope::Project,
            project_dir: None,
            directories: Directories::of_this_user(),
            catalogue: None,
        }
    }
}

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

/// Loads one file; naming it makes it trusted.
///
/// [`Code::InvalidConfig`] when it cannot be read, when its format is unknown, when an entry makes no sense and `partial`
/// does not leave it out, or with `strict` when anything in it is wrong.
pub fn load(file: &Path, options: &LoadOptions<'_>) -> Result<Configuration, Error> {
    let file = std::path::absolute(file).map_err(|error| unreadable(file, &error))?;
    let text = read_text(&file).map_err(|error| unreadable(&file, &error))?;
    let Recognised { format, because } = recognise(&file, &text, options.dialect)?;
    let project = options.project_dir.clone().or_else(|| project_of(&file, options.directories.home.as_deref()));
    let source = Source {
        file: file.clone(),
        scope: options.scope,
        dialect: format.dialect()?,
        project_dir: project.clone(),
        plugin: plugin_of(&file),
        catalogue: options.catalogue,
    };
    let mut loaded = readers::read(format, &text, &source);
    refuse_unfilled(&mut loaded, source.dialect);
    let sure = options.project_dir.clone().or_else(|| sure_project_of(&file, &options.directories));
    for declared in &mut loaded.hooks {
        declared.project.clone_from(&sure);
    }
    let found = FoundFile {
        file: file.clone(),
        dialect: format.dialect_name(),
        scope: options.scope,
        hooks: loaded.hooks.len(),
        broken: loaded.broken,
        note: because,
    };
    if loaded.broken || options.strict && !loaded.problems.is_empty() {
        return Err(refused(&loaded.problems));
    }
    if !options.partial {
        refuse_left_out(&loaded.problems)?;
    }
    let piece = Piece { file: file.clone(), dialect: format.dialect_name(), scope: options.scope, project, loaded };
    let mut configuration = Configuration {
        found: vec![found],
        watched: vec![file],
        project_dir: piece.project.clone(),
        ..Configuration::default()
    };
    merge::merge(vec![piece], &options.directories, None, &mut configuration);
    if options.strict && !configuration.problems.is_empty() {
        return Err(refused(&configuration.problems));
    }
    Ok(configuration)
}

/// An error that a file cannot be read, with what to do about it.
pub(super) fn unreadable(file: &Path, error: &std::io::Error) -> Error {
    use std::io::ErrorKind;
    let fix = match error.kind() {
        ErrorKind::NotFound => "; name one that exists",
        ErrorKind::PermissionDenied => "; let yourself read it (chmod u+r), or name another one",
        _ => "",
    };
    Error::new(Code::InvalidConfig, format!("{}: cannot be read: {error}{fix}", file.display()))
}

/// An error that names every entry that would be left out, if there is one: what was to guard may be among them.
pub(crate) fn refuse_left_out(problems: &[Problem]) -> Result<(), Error> {
    let left_out: Vec<Problem> = problems.iter().filter(|problem| problem.fatal).cloned().collect();
    if left_out.is_empty() {
        return Ok(());
    }
    let mut message = refused(&left_out).message().to_owned();
    message.push_str("\nfix it, or load the other entries with `partial` (on the command line --partial)");
    Err(Error::new(Code::InvalidConfig, message))
}

/// An error that names every problem.
pub(super) fn refused(problems: &[Problem]) -> Error {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Error::new(Code::InvalidConfig, lines.join("\n"))
}

/// The text of a file that is no larger than any that is read; never waits for a pipe.
pub(super) fn read_text(file: &Path) -> std::io::Result<String> {
    use std::io::{Error, ErrorKind};
    let meta = std::fs::metadata(file)?;
    if !meta.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no file; name one"));
    }
    // In one go, unless it grows meanwhile.
    let expected = usize::try_from(meta.len()).unwrap_or(MAX_FILE).min(MAX_FILE);
    let mut bytes = Vec::with_capacity(expected + 1);
    open_file(file)?.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_FILE {
        return Err(Error::new(
            ErrorKind::InvalidData,
            format!("it has more than {MAX_FILE} bytes, the most that is read"),
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(ErrorKind::InvalidData, format!("it is no UTF-8 (byte {at}); save it as UTF-8"))
    })
}

impl Ready {
    /// Makes a hook ready: its scripts as they are now, and what an approval of them is for.
    pub(super) fn new(declared: Declared, project: Option<&Path>, home: Option<&Path>) -> (Self, Option<String>) {
        let named = Named::of(&declared, Roots { project, home });
        let listing = named.as_ref().map(|named| named.list(None));
        let (guard, complete, unsure) = match named.zip(listing) {
            Some((named, listing)) => (Guard::of(named, &listing), listing.complete, listing.unsure),
            None => (Guard::default(), Ok(()), None),
        };
        let (fingerprint, unreadable) = match complete.and_then(|()| fingerprint(&declared, project, &guard)) {
            Ok(fingerprint) => (fingerprint, None),
            Err(why) => (String::new(), Some(why)),
        };
        (Self { declared, fingerprint, guard: Arc::new(guard), unsure }, unreadable)
    }

    /// What a person approves.
    pub(super) fn approval(&self, project: Option<&Path>) -> TrustedHook {
        let origin = self.declared.spec.origin.as_deref();
        TrustedHook {
            fingerprint: self.fingerprint.clone(),
            project: project.map(|dir| dir.display().to_string()).unwrap_or_default(),
            file: origin.map(|origin| origin.file.display().to_string()).unwrap_or_default(),
            place: origin.map(|origin| origin.place.clone()).unwrap_or_default(),
            dialect: self.declared.dialect.name().to_owned(),
            event: self.declared.declared_event.clone(),
            runs: in_full(&self.declared.run),
            approved_at: 0,
            covers: covers(&self.declared, &self.guard),
            replaces: Vec::new(),
        }
    }
}
