//! What a host asks to be loaded.

use std::path::PathBuf;

use crate::config::trust::Trust;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::hook::Scope;
use hookweave_machine::payload::Host;
use hookweave_machine::read::Reader;

/// What was asked to be loaded; a reload asks the same again.
#[derive(Debug, Clone)]
pub enum LoadRequest {
    /// One file by name, which makes it trusted.
    File {
        /// The file.
        path: PathBuf,
        /// Whose format it is; recognised unless given.
        dialect: Option<String>,
        /// As whose hooks they run.
        scope: Scope,
        /// A file with any mistake is refused.
        strict: bool,
        /// Entries that make no sense are left out; else the file is refused.
        partial: bool,
    },
    /// The usual places of every system.
    Places {
        /// The working directory.
        cwd: PathBuf,
        /// Names of dialects and of scopes; all of each kind of which none is named.
        sources: Vec<String>,
        /// Which hooks from the project's files run.
        trust: Trust,
        /// Where approvals are kept; the user's own store unless given.
        store: Option<PathBuf>,
        /// A hook without approval is an error.
        refuse_untrusted: bool,
        /// A file with any mistake is refused.
        strict: bool,
        /// Entries that make no sense are left out also in trusted files; else those are refused.
        partial: bool,
        /// The agent whose own files count too.
        agent: Option<String>,
        /// Plugins whose hooks count too.
        plugins: Vec<PathBuf>,
    },
}

impl LoadRequest {
    /// One file, as whose format it is recognised.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::File { path: path.into(), dialect: None, scope: Scope::Project, strict: false, partial: false }
    }

    /// The usual places of every system for a working directory; project hooks only when approved.
    pub fn places(cwd: impl Into<PathBuf>) -> Self {
        Self::Places {
            cwd: cwd.into(),
            sources: Vec::new(),
            trust: Trust::Approved,
            store: None,
            refuse_untrusted: false,
            strict: false,
            partial: false,
            agent: None,
            plugins: Vec::new(),
        }
    }

    /// The same, but entries that make no sense are left out and reported, instead of refusing the file with all that it
    /// guards.
    #[must_use]
    pub fn partial(mut self) -> Self {
        match &mut self {
            Self::File { partial, .. } | Self::Places { partial, .. } => *partial = true,
        }
        self
    }

    /// Reads `{dialect?, scope?, strict?, partial?}` of a file from a host's object.
    pub fn read_file<'v, H: Host>(path: &str, host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidOption, "load")?;
        reader.only(&["dialect", "scope", "strict", "partial"])?;
        let (strict, partial) = tolerance(&reader)?;
        Ok(Self::File {
            path: path.into(),
            dialect: reader.text("dialect")?,
            scope: reader.word("scope", Scope::WORDS)?.unwrap_or(Scope::Project),
            strict,
            partial,
        })
    }

    /// Reads `{sources?, trust?, trust_store?, on_untrusted?, strict?, partial?, agent?, plugins?}` of a directory from a host's
    /// object.
    pub fn read_places<'v, H: Host>(cwd: &str, host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        const TRUST: &[(&str, Trust)] = &[("approved", Trust::Approved), ("all", Trust::All)];
        const UNTRUSTED: &[(&str, bool)] = &[("report", false), ("error", true)];
        let reader = Reader::new(host, view, Code::InvalidOption, "discover")?;
        reader.only(&["sources", "trust", "trust_store", "on_untrusted", "strict", "partial", "agent", "plugins"])?;
        let (strict, partial) = tolerance(&reader)?;
        Ok(Self::Places {
            cwd: cwd.into(),
            sources: reader.texts("sources")?.unwrap_or_default(),
            trust: reader.word("trust", TRUST)?.unwrap_or_default(),
            store: reader.text("trust_store")?.map(PathBuf::from),
            refuse_untrusted: reader.word("on_untrusted", UNTRUSTED)?.unwrap_or(false),
            strict,
            partial,
            agent: reader.text("agent")?,
            plugins: reader.texts("plugins")?.unwrap_or_default().into_iter().map(PathBuf::from).collect(),
        })
    }

    /// Whether an entry of a hook of some scope may be left out.
    pub(super) fn may_leave_out(&self, scope: Scope) -> bool {
        match self {
            Self::File { strict, partial, .. } => *partial && !strict,
            Self::Places { strict, partial, trust, .. } => {
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
