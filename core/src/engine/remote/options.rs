//! What each end may set.

#[cfg(feature = "grpc")]
use std::path::PathBuf;

use hookweave_host::remote::{Backoff, Grants, HubSettings, Limits};

/// How an engine takes workers.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The token that workers must have; `None` takes any.
    pub token: Option<String>,
    /// What workers may do.
    pub grants: Grants,
    /// The bounds of a connection.
    pub limits: Limits,
    /// Events that wait for a worker that has as many as it takes.
    pub queue: usize,
    /// Hooks of one worker.
    pub max_hooks: usize,
    /// Workers that are known at once, those that are lost included, and connections that said nothing yet.
    pub max_workers: usize,
    /// Messages within a second that nobody asked the worker for.
    pub max_unasked: u32,
    /// The files for `grpcs://`; with `ca`, workers need certificates too.
    #[cfg(feature = "grpc")]
    pub tls: Option<Tls>,
    /// Allows `grpc://` where other machines can reach it, without encryption.
    #[cfg(feature = "grpc")]
    pub insecure: bool,
}

impl Default for ServeOptions {
    fn default() -> Self {
        let HubSettings { token, grants, limits, queue, max_hooks, max_workers, max_unasked } = HubSettings::default();
        Self {
            token,
            grants,
            limits,
            queue,
            max_hooks,
            max_workers,
            max_unasked,
            #[cfg(feature = "grpc")]
            tls: None,
            #[cfg(feature = "grpc")]
            insecure: false,
        }
    }
}

#[cfg_attr(not(unix), expect(dead_code, reason = "remote hooks need a system with Unix sockets"))]
impl ServeOptions {
    /// What of it the agent's end keeps.
    pub(super) fn into_settings(self) -> HubSettings {
        let Self { token, grants, limits, queue, max_hooks, max_workers, max_unasked, .. } = self;
        HubSettings { token, grants, limits, queue, max_hooks, max_workers, max_unasked }
    }
}

/// How an engine connects to its agent.
#[derive(Debug, Clone, Default)]
pub struct ConnectOptions {
    /// The worker's name: the same after a restart, so that the agent knows its hooks again; the program's file name unless
    /// set. One worker of a name is connected at a time.
    pub name: Option<String>,
    /// The token that the agent wants.
    pub token: Option<String>,
    /// The bounds of the connection.
    pub limits: Limits,
    /// How long it waits before it connects again.
    pub backoff: Backoff,
    /// The files for `grpcs://`; the system's roots are trusted where it has no `ca`.
    #[cfg(feature = "grpc")]
    pub tls: Option<Tls>,
    /// Allows `grpc://` to other machines, without encryption.
    #[cfg(feature = "grpc")]
    pub insecure: bool,
}

/// Files for TLS, all of them PEM.
#[cfg(feature = "grpc")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// The own certificate; an agent needs one.
    pub cert: Option<PathBuf>,
    /// The certificate's private key.
    pub key: Option<PathBuf>,
    /// Whom to trust. A worker without it trusts the system's roots; an agent with it wants certificates of workers.
    pub ca: Option<PathBuf>,
}
