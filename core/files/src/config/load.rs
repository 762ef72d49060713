//! Reads one file by name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::configuration::Piece;
use super::entry::in_full;
use super::places::{project_of, sure_project_of};
use super::recognise::{Recognised, recognise};
use super::scripts::{Named, Roots};
use super::tree::read_text;
use super::trust::{TrustedHook, covers, fingerprint};
use super::variables::{plugin_of, refuse_unfilled};
use super::{Declared, Directories, Guard, Problem, Source, merge, readers};
use hookweave_machine::error::{Code, Error};
use hookweave_machine::event::Catalogue;
use hookweave_machine::hook::Scope;

pub use super::configuration::{Configuration, FoundFile, LostApproval, Ready, SwitchedOff, UntrustedHook};

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
        claude: options.directories.claude_directory(),
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
        switched_off: None,
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
