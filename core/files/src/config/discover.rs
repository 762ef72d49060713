//! Finds the configuration files of every system at their usual places and loads what may be loaded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::closed::Expected;
use super::configuration::{Configuration, FoundFile, Piece, Ready};
use super::load::{refuse_left_out, refused};
use super::merge::{self, Approvals};
use super::places::{self, CandidateFile, is_absent};
use super::plugin_files::{self, PluginFiles};
use super::policy_files;
use super::recognise::Format;
use super::tree::read_text;
use super::trust::{Trust, TrustStore, TrustedHook};
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
    let approved = approved(discovery, &cwd)?;
    let roots = Roots::new(&cwd, discovery.directories.home.as_deref(), &approved);
    let mut configuration = Configuration { project_dir: Some(roots.outermost()), ..Configuration::default() };
    configuration.watched = places::folders(&discovery.directories, &roots.levels);
    let mut expected = roots.of_folders(&approved, &configuration.watched, &wanted);

    let plugins = plugins(&discovery.plugins)?;
    note_plugins(&plugins, discovery.partial, &mut configuration)?;
    let mut seen = FxHashSet::default();
    let mut pieces = Vec::new();
    for place in places::all(&discovery.directories, &roots.levels, discovery.agent.as_deref(), &plugins) {
        if !wanted.takes(&place) {
            continue;
        }
        configuration.watched.push(place.file.clone());
        roots.expect(&place.file, place.scope, &approved, &mut expected);
        let text = match read_text(&place.file) {
            Err(error) if is_absent(&error) => continue,
            text => text,
        };
        // The same file may stand at two places, as when the working directory is the user's home.
        if seen.insert(real(&place.file)) {
            pieces.extend(read_place(place, text, &roots, discovery, &mut configuration)?);
        }
    }
    if !discovery.partial {
        refuse_trusted(discovery, &pieces, &configuration)?;
    }
    expected.sort_by(|one, other| {
        (&one.approval.file, &one.approval.place).cmp(&(&other.approval.file, &other.approval.place))
    });
    let texts = store(discovery).map(|store| store.texts());
    let approvals = Approvals { trust: discovery.trust, approved, expected, texts, catalogue: discovery.catalogue };
    merge::merge(pieces, &discovery.directories, Some(&approvals), &mut configuration);
    note_untrusted(&mut configuration);
    guard_policy_files(discovery, &roots, &mut configuration);

    if discovery.strict && !configuration.problems.is_empty() {
        return Err(refused(&configuration.problems));
    }
    if discovery.refuse_untrusted && !discovery.partial {
        refuse_left_out(&configuration.problems)?;
    }
    if discovery.refuse_untrusted {
        refuse_unapproved(&configuration)?;
    }
    Ok(configuration)
}

/// An error that names every hook that is not approved, and every approved one that is gone.
fn refuse_unapproved(configuration: &Configuration) -> Result<(), Error> {
    let gone = configuration.lost.iter().filter(|lost| lost.is_gone).map(|lost| lost.why.clone());
    let lines: Vec<String> = configuration.untrusted.iter().map(ToString::to_string).chain(gone).collect();
    if lines.is_empty() {
        return Ok(());
    }
    Err(Error::new(Code::UntrustedHook, lines.join("\n")))
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
    roots: &Roots,
    discovery: &Discovery<'_>,
    configuration: &mut Configuration,
) -> Result<Option<Piece>, Error> {
    let CandidateFile { file, format, scope, plugin } = place;
    let project = roots.project_of(&file);
    let dialect = format.dialect_name();
    let mut found =
        FoundFile { file: file.clone(), dialect, scope, hooks: 0, broken: false, note: None, switched_off: None };
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            configuration.problems.push(Problem::of_file(file, format!("cannot be read: {error}"), true));
            found.broken = true;
            configuration.found.push(found);
            return Ok(None);
        }
    };
    if scope == Scope::Managed && anyone_can_write(&file) {
        let message = "every user of this machine can write it, an agent too; run `chmod o-w` on it";
        configuration.problems.push(Problem::of_file(file.clone(), message.to_owned(), false));
    }
    let within = !matches!(scope, Scope::Managed | Scope::User);
    let source = Source {
        file: file.clone(),
        scope,
        dialect: format.dialect()?,
        project_dir: within.then(|| project.clone()),
        plugin,
        claude: discovery.directories.claude_directory(),
        catalogue: discovery.catalogue,
    };
    let mut loaded = readers::read(format, &text, &source);
    refuse_unfilled(&mut loaded, source.dialect);
    for declared in &mut loaded.hooks {
        declared.project = Some(project.clone());
    }
    // Codex's and Gemini's settings hold much else; a file without hooks is not worth a line.
    let silent = loaded.hooks.is_empty() && loaded.problems.is_empty() && loaded.switches.is_empty();
    if silent && !matches!(format, Format::HookweaveToml | Format::HookweaveJson) {
        found.note = Some("it declares no hooks".to_owned());
    }
    found.hooks = loaded.hooks.len();
    found.broken = loaded.broken;
    configuration.found.push(found);
    Ok(Some(Piece { file, dialect, scope, project: Some(project), loaded }))
}

#[cfg(unix)]
fn anyone_can_write(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o002 != 0)
}

#[cfg(not(unix))]
const fn anyone_can_write(_file: &Path) -> bool {
    false
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

/// Notes plugins that declare hooks nowhere, and refuses those that name files which are not there.
fn note_plugins(roots: &[PathBuf], partial: bool, configuration: &mut Configuration) -> Result<(), Error> {
    for root in roots {
        let PluginFiles { places, unread } = plugin_files::of(root);
        if unread.is_empty() && !places.iter().any(|(file, _)| file.is_file()) {
            let message = "this plugin declares no hooks: it has no hooks/hooks.json, and no manifest that names one";
            configuration.problems.push(Problem::of_file(root.clone(), message.to_owned(), false));
        }
        configuration.problems.extend(unread.into_iter().map(|(file, why)| Problem::of_file(file, why, true)));
    }
    if partial { Ok(()) } else { refuse_left_out(&configuration.problems) }
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

/// What a person approved; an error when that cannot be known.
///
/// Without its approvals a project's guards would look as if nobody had ever approved them.
fn approved(discovery: &Discovery<'_>, cwd: &Path) -> Result<BTreeMap<String, TrustedHook>, Error> {
    if discovery.trust == Trust::All {
        return Ok(BTreeMap::new());
    }
    let Some(store) = store(discovery) else { return Ok(BTreeMap::new()) };
    let home = discovery.directories.home.as_deref();
    if let Some(project) = places::project_levels(cwd, home).first() {
        store.must_not_be_in(project, home)?;
    }
    store.approved()
}

/// Where approvals are kept; `None` for a user without a home.
fn store(discovery: &Discovery<'_>) -> Option<TrustStore> {
    discovery.store.clone().or_else(|| TrustStore::usual(&discovery.directories))
}

/// The projects that a working directory is in: that of its repository, and those in which a person approved hooks.
struct Roots {
    /// The directories in which files are looked for, the outermost first.
    levels: Vec<PathBuf>,
    /// The repository's root, or the working directory.
    own: PathBuf,
    /// The roots with approvals, the innermost first.
    approved: Vec<PathBuf>,
    /// The files with approvals, with the project of each.
    files: FxHashSet<(PathBuf, PathBuf)>,
}

impl Roots {
    fn new(cwd: &Path, home: Option<&Path>, approved: &BTreeMap<String, TrustedHook>) -> Self {
        let projects: Vec<&Path> = approved.values().map(|approval| Path::new(&approval.project)).collect();
        let levels = places::levels_of_approved(cwd, home, &projects);
        let own = project_dir(cwd, home);
        let has_approvals = |level: &&PathBuf| projects.contains(&level.as_path());
        let approved_roots = levels.iter().rev().filter(has_approvals).cloned().collect();
        let file = |approval: &TrustedHook| (PathBuf::from(&approval.project), PathBuf::from(&approval.file));
        Self { levels, own, approved: approved_roots, files: approved.values().map(file).collect() }
    }

    fn outermost(&self) -> PathBuf {
        self.levels.first().unwrap_or(&self.own).clone()
    }

    /// The project of a file: that for which it was approved, else the nearest.
    fn project_of(&self, file: &Path) -> PathBuf {
        let around = std::iter::once(&self.own).chain(&self.approved).filter(|root| file.starts_with(root));
        let mut around = around.peekable();
        let nearest = around.peek().map(|root| (*root).clone());
        let known = around.find(|root| self.files.contains(&((*root).clone(), file.to_path_buf())));
        known.cloned().or(nearest).unwrap_or_else(|| self.outermost())
    }

    /// Adds the approvals of a file to those for which a hook is to be found.
    fn expect(
        &self,
        file: &Path,
        scope: Scope,
        approved: &BTreeMap<String, TrustedHook>,
        expected: &mut Vec<Expected>,
    ) {
        let project = self.project_of(file);
        let own =
            approved.values().filter(|known| Path::new(&known.file) == file && Path::new(&known.project) == project);
        for approval in own {
            if !expected.iter().any(|known| known.approval.fingerprint == approval.fingerprint) {
                expected.push(Expected { approval: approval.clone(), scope });
            }
        }
    }

    /// The approvals of files in folders whose files are listed: one that is gone is not among them.
    fn of_folders(
        &self,
        approved: &BTreeMap<String, TrustedHook>,
        folders: &[PathBuf],
        wanted: &Wanted,
    ) -> Vec<Expected> {
        let mut expected = Vec::new();
        let is_listed = |file: &&Path| file.parent().is_some_and(|folder| folders.iter().any(|known| known == folder));
        let files: BTreeSet<&Path> = approved.values().map(|known| Path::new(&known.file)).filter(is_listed).collect();
        for file in files {
            let place = CandidateFile::new(file.to_path_buf(), Format::Copilot, Scope::Project);
            if wanted.takes(&place) {
                self.expect(file, Scope::Project, approved, &mut expected);
            }
        }
        expected
    }
}

/// Adds the guard of the policy's own files, unless the administrator or the user has switched it off.
fn guard_policy_files(discovery: &Discovery<'_>, roots: &Roots, configuration: &mut Configuration) {
    if configuration.guards_policy_files == Some(false) {
        return;
    }
    let store = discovery.store.clone().or_else(|| TrustStore::usual(&discovery.directories));
    let places = policy_files::Places {
        directories: &discovery.directories,
        levels: &roots.levels,
        agent: discovery.agent.as_deref(),
        plugins: &discovery.plugins,
        store: store.as_ref().map(TrustStore::path),
        named: &[],
    };
    configuration.policy_files = policy_files::guard(&places, configuration.in_force());
}

/// The guard of the policy's files where a person named the files: they count too, by their whole paths, with the scripts
/// of their hooks. As everywhere, only a file of the administrator or the user switches it off.
pub(crate) fn guard_named<'n>(
    cwd: &Path,
    named: impl Iterator<Item = &'n Configuration> + Clone,
) -> Result<Option<Ready>, Error> {
    let own = Discovery {
        sources: ["hookweave", "managed", "user"].map(str::to_owned).to_vec(),
        // No file of a project is read, so that no approval counts either.
        trust: Trust::All,
        partial: true,
        ..Discovery::new(cwd)
    };
    if discover(&own)?.guards_policy_files == Some(false) {
        return Ok(None);
    }
    let directories = own.directories.with_real_home();
    let store = TrustStore::usual(&directories);
    // Without `..`, which would make a folder that is only passed through one of theirs.
    let place = |file: &Path| match (file.parent(), file.file_name()) {
        (Some(folder), Some(name)) => real(folder).join(name),
        _ => real(file),
    };
    let files: Vec<PathBuf> =
        named.clone().flat_map(|named| named.found.iter().map(|found| place(&found.file))).collect();
    let places = policy_files::Places {
        directories: &directories,
        levels: &places::project_levels(&real(cwd), directories.home.as_deref()),
        agent: None,
        plugins: &[],
        store: store.as_ref().map(TrustStore::path),
        named: &files,
    };
    Ok(policy_files::guard(&places, named.flat_map(Configuration::in_force)))
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
