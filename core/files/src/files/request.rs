//! What a host asks to be loaded.

use std::path::PathBuf;

use crate::config::trust::Trust;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::hook::{Enforcement, Scope};
use hookweave_machine::payload::Host;
use hookweave_machine::read::Reader;

/// What is to be loaded; a reload asks for the same again.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum LoadRequest {
    /// One file by name, which makes it trusted.
    File(FileRequest),
    /// The usual places of every system.
    Places(PlacesRequest),
}

/// One file by name, and how it is read.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct FileRequest {
    /// The file.
    pub path: PathBuf,
    /// Whose format it is; recognised unless given.
    pub dialect: Option<String>,
    /// As whose hooks they run; the project's unless given.
    pub scope: Scope,
    /// A file with any mistake is refused.
    pub strict: bool,
    /// Entries that make no sense are left out; else the file is refused.
    pub partial: bool,
    /// Whether what its hooks decide is acted on; the client's setting unless given.
    pub enforcement: Option<Enforcement>,
}

/// The usual places of every system, and which of their hooks count.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct PlacesRequest {
    /// The working directory.
    pub cwd: PathBuf,
    /// Names of dialects and of scopes; all of each kind of which none is named.
    pub sources: Vec<String>,
    /// Which hooks from the project's files run.
    pub trust: Trust,
    /// Where approvals are kept; the user's own store unless given.
    pub store: Option<PathBuf>,
    /// A hook without approval is an error.
    pub refuse_untrusted: bool,
    /// A file with any mistake is refused.
    pub strict: bool,
    /// Entries that make no sense are left out also in trusted files; else those are refused.
    pub partial: bool,
    /// Whether what hooks decide is acted on; the client's setting unless given. Does not concern managed hooks.
    pub enforcement: Option<Enforcement>,
    /// The agent whose own files count too.
    pub agent: Option<String>,
    /// Plugins whose hooks count too.
    pub plugins: Vec<PathBuf>,
}

impl From<FileRequest> for LoadRequest {
    fn from(options: FileRequest) -> Self {
        Self::File(options)
    }
}

impl From<PlacesRequest> for LoadRequest {
    fn from(options: PlacesRequest) -> Self {
        Self::Places(options)
    }
}

impl FileRequest {
    /// Whose format the file has; recognised unless given.
    pub fn dialect(self, dialect: impl Into<String>) -> Self {
        Self { dialect: Some(dialect.into()), ..self }
    }

    /// As whose hooks they run.
    pub fn scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// A file with any mistake is refused, also when it is [`partial`](Self::partial).
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Entries that make no sense are left out and reported, instead of refusing the file with all that it guards.
    pub fn partial(self) -> Self {
        Self { partial: true, ..self }
    }

    /// Whether what the hooks decide is acted on, also if the client says otherwise; not that of managed hooks, and not where a
    /// hook's own entry says it.
    pub fn enforcement(self, enforcement: Enforcement) -> Self {
        Self { enforcement: Some(enforcement), ..self }
    }
}

impl PlacesRequest {
    /// Adds a dialect or a scope whose files count; all of each kind of which none is named.
    pub fn source(mut self, name: impl Into<String>) -> Self {
        self.sources.push(name.into());
        self
    }

    /// Which hooks from the project's files run.
    pub fn trust(self, trust: Trust) -> Self {
        Self { trust, ..self }
    }

    /// Where approvals are kept; the user's own store unless given.
    pub fn store(self, file: impl Into<PathBuf>) -> Self {
        Self { store: Some(file.into()), ..self }
    }

    /// A hook without approval is an error.
    pub fn refuse_untrusted(self) -> Self {
        Self { refuse_untrusted: true, ..self }
    }

    /// A file with any mistake is refused, also when it is [`partial`](Self::partial).
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Entries that make no sense are left out and reported, also in trusted files.
    pub fn partial(self) -> Self {
        Self { partial: true, ..self }
    }

    /// Whether what the hooks decide is acted on, as [`FileRequest::enforcement`].
    pub fn enforcement(self, enforcement: Enforcement) -> Self {
        Self { enforcement: Some(enforcement), ..self }
    }

    /// The agent whose own files count too.
    pub fn agent(self, agent: impl Into<String>) -> Self {
        Self { agent: Some(agent.into()), ..self }
    }

    /// Adds a plugin whose hooks count too.
    pub fn plugin(mut self, folder: impl Into<PathBuf>) -> Self {
        self.plugins.push(folder.into());
        self
    }
}

impl LoadRequest {
    /// One file, as whose format it is recognised.
    pub fn file(path: impl Into<PathBuf>) -> FileRequest {
        FileRequest {
            path: path.into(),
            dialect: None,
            scope: Scope::Project,
            strict: false,
            partial: false,
            enforcement: None,
        }
    }

    /// The usual places of every system for a working directory; project hooks only when approved.
    pub fn places(cwd: impl Into<PathBuf>) -> PlacesRequest {
        PlacesRequest {
            cwd: cwd.into(),
            sources: Vec::new(),
            trust: Trust::Approved,
            store: None,
            refuse_untrusted: false,
            strict: false,
            partial: false,
            enforcement: None,
            agent: None,
            plugins: Vec::new(),
        }
    }

    /// Reads `{dialect?, scope?, strict?, partial?, enforcement?}` of a file from a host's object.
    #[doc(hidden)]
    pub fn read_file<'v, H: Host>(path: &str, host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidOption, "load")?;
        reader.only(&["dialect", "scope", "strict", "partial", "enforcement"])?;
        let (strict, partial) = tolerance(&reader)?;
        Ok(Self::File(FileRequest {
            path: path.into(),
            dialect: reader.text("dialect")?,
            scope: reader.word("scope", Scope::WORDS)?.unwrap_or(Scope::Project),
            strict,
            partial,
            enforcement: reader.word("enforcement", Enforcement::WORDS)?,
        }))
    }

    /// Reads `{sources?, trust?, trust_store?, on_untrusted?, strict?, partial?, enforcement?, agent?, plugins?}` of a directory
    /// from a host's object.
    #[doc(hidden)]
    pub fn read_places<'v, H: Host>(cwd: &str, host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        const TRUST: &[(&str, Trust)] = &[("approved", Trust::Approved), ("all", Trust::All)];
        const UNTRUSTED: &[(&str, bool)] = &[("report", false), ("error", true)];
        let reader = Reader::new(host, view, Code::InvalidOption, "discover")?;
        reader.only(&[
            "sources",
            "trust",
            "trust_store",
            "on_untrusted",
            "strict",
            "partial",
            "enforcement",
            "agent",
            "plugins",
        ])?;
        let (strict, partial) = tolerance(&reader)?;
        Ok(Self::Places(PlacesRequest {
            cwd: cwd.into(),
            sources: reader.texts("sources")?.unwrap_or_default(),
            trust: reader.word("trust", TRUST)?.unwrap_or_default(),
            store: reader.text("trust_store")?.map(PathBuf::from),
            refuse_untrusted: reader.word("on_untrusted", UNTRUSTED)?.unwrap_or(false),
            strict,
            partial,
            enforcement: reader.word("enforcement", Enforcement::WORDS)?,
            agent: reader.text("agent")?,
            plugins: reader.texts("plugins")?.unwrap_or_default().into_iter().map(PathBuf::from).collect(),
        }))
    }

    /// Whether what the hooks decide is acted on, where the request says so.
    pub(super) const fn enforcement(&self) -> Option<Enforcement> {
        match self {
            Self::File(FileRequest { enforcement, .. }) | Self::Places(PlacesRequest { enforcement, .. }) => {
                *enforcement
            }
        }
    }

    /// Whether an entry of a hook of some scope may be left out.
    pub(super) fn may_leave_out(&self, scope: Scope) -> bool {
        match self {
            Self::File(FileRequest { strict, partial, .. }) => *partial && !strict,
            Self::Places(PlacesRequest { strict, partial, trust, .. }) => {
                let trusted = matches!(scope, Scope::Managed | Scope::User) || *trust == Trust::All;
                (*partial || !trusted) && !strict
            }
        }
    }
}

/// How mistakes are taken: whether any refuses a file, and whether entries may be left out.
fn tolerance<H: Host>(reader: &Reader<'_, H>) -> Result<(bool, bool), Error> {
    let (strict, partial) = (reader.flag("strict")?.unwrap_or(false), reader.flag("partial")?.unwrap_or(false));
    if strict && partial {
        return Err(
            reader.refuse("partial", "cannot be set beside `strict`: the one leaves out what the other refuses")
        );
    }
    Ok((strict, partial))
}
