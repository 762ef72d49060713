//! Finds the configuration files of every system at their usual places and loads what may be loaded.

use std::path::{Path, PathBuf};

use super::load::{Configuration, FoundFile, Piece, read_text, refuse_left_out, refused};
use super::merge::{self, Approvals};
use super::places::{self, CandidateFile, is_absent};
use super::recognise::Format;
use super::trust::{Trust, TrustStore};
use super::variables::refuse_unfilled;
use super::{Directories, Problem, Source, readers};
use hookweave_dialects::named;
use hookweave_machine::error::{Code, Error, did_you_mean};
use hookweave_machine::event::Catalogue;
use hookweave_machine::hook::Scope;

/// Words for scopes among the sources.
pub const SCOPES: &[(&str, Scope)] = &[
    ("managed", Scope::Managed),
    ("user", Scope::User),
    ("project", Scope::Project),
    ("local", Scope::Local),
    ("agent", Scope::Agent),
];

/// What is looked for, where, and what counts.
#[derive(Debug, Clone)]
pub struct Discovery<'d> {
    /// The working directory.
    pub cwd: PathBuf,
    /// Names of dialects and of scopes; all of each kind of which none is named.
    pub sources: Vec<String>,
    /// Directories of the machine and its user.
    pub directories: Directories,
    /// Which hooks from the project's files run.
    pub trust: Trust,
    /// Where approvals are kept; the user's own store unless given.
    pub store: Option<TrustStore>,
    /// A file with any mistake is refused, and all with it.
    pub strict: bool,
    /// Entries that make no sense are left out also in files that are trusted; else those are refused, and all with them.
    pub partial: bool,
    /// A hook without approval is an error.
    pub refuse_untrusted: bool,
    /// The agent whose own files count too.
    pub agent: Option<String>,
    /// Plugins whose hooks count too; the program names them, which makes them trusted.
    pub plugins: Vec<PathBuf>,
    /// The events of the client that will run the hooks.
    pub catalogue: Option<&'d Catalogue>,
}

impl Discovery<'_> {
    /// Everything that stands at its usual place, project hooks only when approved.
    #[must_use]
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            sources: Vec::new(),
            directories: Directories::of_this_user(),
            trust: Trust::default(),
            store: None,
            strict: false,
            partial: false,
            refuse_untrusted: false,
            agent: None,
            plugins: Vec::new(),
            catalogue: None,
        }
    }
}

/// Finds, reads and merges.
///
/// Missing files are no errors. [`Code::InvalidConfig`] for an unknown source, for an entry that makes no sense in a
/// file that is trusted, unless `partial` leaves it out, and, with `strict`, for any mistake in a file;
/// [`Code::UntrustedHook`] with `refuse_untrusted`. In a file that is not trusted such an entry is listed, like one
/// that is not approved.
pub fn discover(discovery: &Discovery<'_>) -> Result<Configuration, Error> {
    let wanted = Wanted::new(&discovery.sources)?;
    let cwd = std::path::absolute(&discovery.cwd)
        .map_err(|error| Error::new(Code::InvalidConfig, format!("{}: {error}", discovery.cwd.display())))?;
    // By their real names, so that an approval holds for every path that leads here.
    let cwd = real(&cwd);
    let discovery = &Discovery { directories: discovery.directories.with_real_home(), ..discovery.clone() };
    let project = places::project_levels(&cwd, discovery.directories.home.as_deref()).into_iter().next();
    let mut configuration = Configuration { project_dir: project.clone(), ..Configuration::default() };
    configuration.watched = places::folders(&discovery.directories, &cwd);

    let plugins = plugins(&discovery.plugins)?;
    let mut seen = rustc_hash::FxHashSet::default();
    let mut pieces = Vec::new();
    for place in places::all(&discovery.directories, &cwd, discovery.agent.as_deref(), &plugins) {
        if !wanted.takes(&place) {
            continue;
        }
        configuration.watched.push(place.file.clone());
        let text = match read_text(&place.file) {
            Err(error) if is_absent(&error) => continue,
            text => text,
        };
        // The same file may stand at two places, as when the working directory is the user's home.
        if seen.insert(real(&place.file)) {
            pieces.extend(read_place(place, text, project.as_ref(), discovery, &mut configuration)?);
        }
    }
    if !discovery.partial {
        refuse_trusted(discovery, &pieces, &configuration)?;
    }
    let approvals = approvals(discovery, &mut configuration);
    merge::merge(pieces, &discovery.directories, Some(&approvals), &mut configuration);
    note_untrusted(&mut configuration);

    if discovery.strict && !configuration.problems.is_empty() {
        return Err(refused(&configuration.problems));
    }
    if discovery.refuse_untrusted && !discovery.partial {
        refuse_left_out(&configuration.problems)?;
    }
    if discovery.refuse_untrusted && !configuration.untrusted.is_empty() {
        let lines: Vec<String> = configuration.untrusted.iter().map(ToString::to_string).collect();
        return Err(Error::new(Code::UntrustedHook, lines.join("\n")));
    }
    Ok(configuration)
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The dialects and scopes that the caller asked for.
struct Wanted {
    dialects: Vec<&'static str>,
    scopes: Vec<Scope>,
}

impl Wanted {
    fn new(sources: &[String]) -> Result<Self, Error> {
        let (mut dialects, mut scopes) = (Vec::new(), Vec::new());
        for source in sources {
            if let Some((_, scope)) = SCOPES.iter().find(|(word, _)| word == source) {
                scopes.push(*scope);
            } else if let Ok(dialect) = named(source) {
                dialects.push(dialect.name());
            } else {
                let known =
                    || SCOPES.iter().map(|(word, _)| *word).chain(hookweave_dialects::ALL.iter().map(|d| d.name()));
                let hint = did_you_mean(source, known());
                let all: Vec<_> = known().collect();
                let message = format!("unknown source `{source}`{hint}; known are {}", all.join(", "));
                return Err(Error::new(Code::InvalidConfig, message));
            }
        }
        Ok(Self { dialects, scopes })
    }

    fn takes(&self, place: &CandidateFile) -> bool {
        (self.dialects.is_empty() || self.dialects.contains(&place.format.dialect_name()))
            && (self.scopes.is_empty() || self.scopes.contains(&place.scope))
    }
}

fn read_place(
    place: CandidateFile,
    text: std::io::Result<String>,
    project: Option<&PathBuf>,
    discovery: &Discovery<'_>,
    configuration: &mut Configuration,
) -> Result<Option<Piece>, Error> {
    let CandidateFile { file, format, scope, plugin } = place;
    let dialect = format.dialect_name();
    let mut found = FoundFile { file: file.clone(), dialect, scope, hooks: 0, broken: false, note: None };
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            configuration.problems.push(Problem::of_file(file, format!("cannot be read: {error}"), true));
            found.broken = true;
            configuration.found.push(found);
            return Ok(None);
        }
    };
    let within = !matches!(scope, Scope::Managed | Scope::User);
    let source = Source {
        file: file.clone(),
        scope,
        dialect: format.dialect()?,
        project_dir: project.filter(|_| within).cloned(),
        plugin,
        catalogue: discovery.catalogue,
    };
    let mut loaded = readers::read(format, &text, &source);
    refuse_unfilled(&mut loaded, source.dialect);
    for declared in &mut loaded.hooks {
        declared.project = project.cloned();
    }
    // Codex's and Gemini's settings hold much else; a file without hooks is not worth a line.
    let silent = loaded.hooks.is_empty() && loaded.problems.is_empty() && loaded.switches.is_empty();
    if silent && !matches!(format, Format::HookweaveToml | Format::HookweaveJson) {
        found.note = Some("it declares no hooks".to_owned());
    }
    found.hooks = loaded.hooks.len();
    found.broken = loaded.broken;
    configuration.found.push(found);
    Ok(Some(Piece { file, dialect, scope, project: project.cloned(), loaded }))
}

/// The roots of plugins; one that is misspelt would leave its hooks out without a word.
fn plugins(roots: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let refuse = |root: &Path, why: String| Error::new(Code::InvalidConfig, format!("{}: {why}", root.display()));
    let absolute = |root: &PathBuf| {
        let root = std::path::absolute(root).map_err(|error| refuse(root, error.to_string()))?;
        if root.is_dir() {
            Ok(root)
        } else {
            Err(refuse(&root, "is no directory of a plugin; name one that exists".to_owned()))
        }
    };
    roots.iter().map(absolute).collect()
}

/// Refuses trusted files of which anything would be left out. An entry of another file has no effect before it is
/// approved, and an invalid one cannot be.
fn refuse_trusted(discovery: &Discovery<'_>, pieces: &[Piece], configuration: &Configuration) -> Result<(), Error> {
    let trusted = |scope: Scope| merge::by_place(scope) || discovery.trust == Trust::All;
    let unread = configuration
        .problems
        .iter()
        .filter(|problem| configuration.found.iter().any(|found| found.file == problem.file && trusted(found.scope)));
    let read = pieces.iter().filter(|piece| trusted(piece.scope)).flat_map(|piece| &piece.loaded.problems);
    refuse_left_out(&unread.chain(read).cloned().collect::<Vec<_>>())
}

fn approvals(discovery: &Discovery<'_>, configuration: &mut Configuration) -> Approvals {
    let trust = discovery.trust;
    let store = discovery.store.clone().or_else(|| TrustStore::usual(&discovery.directories));
    let approved = match store.filter(|_| trust == Trust::Approved).map(|store| (store.approved(), store)) {
        None => std::collections::BTreeMap::new(),
        Some((Ok(approved), _)) => approved,
        Some((Err(error), store)) => {
            configuration.problems.push(Problem::of_file(store.path().to_path_buf(), error.message(), false));
            std::collections::BTreeMap::new()
        }
    };
    Approvals { trust, approved }
}

/// Says with each file how many of its hooks wait for an approval.
fn note_untrusted(configuration: &mut Configuration) {
    for found in &mut configuration.found {
        let file = found.file.display().to_string();
        let waiting = configuration.untrusted.iter().filter(|untrusted| untrusted.approval.file == file).count();
        if waiting > 0 {
            found.note = Some(format!("{waiting} of it not approved"));
        }
    }
}

impl std::fmt::Display for super::load::UntrustedHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.approval.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        let event = if self.approval.event.is_empty() { "switch" } else { &self.approval.event };
        write!(f, ": {event} `{}` does not count: {}", self.approval.runs, self.why)
    }
}

/// The name of a scope for the event that says that configuration changed.
#[must_use]
pub const fn change_source(scope: Scope) -> &'static str {
    match scope {
        Scope::Managed => "policy_settings",
        Scope::Project | Scope::Agent => "project_settings",
        Scope::Local => "local_settings",
        Scope::User | Scope::Callback => "user_settings",
    }
}

/// The project of a working directory: its repository's root, or the directory itself.
#[must_use]
pub fn project_dir(cwd: &Path, home: Option<&Path>) -> PathBuf {
    places::project_levels(cwd, home).into_iter().next().unwrap_or_else(|| cwd.to_path_buf())
}
