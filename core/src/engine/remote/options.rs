//! What each end may set.

#[cfg(any(feature = "grpc", feature = "nats"))]
use std::path::PathBuf;

use hookweave_host::remote::{Backoff, Grants, HubSettings, Limits};

/// How an engine takes workers.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The token that workers must have; `None` takes any. At `nats://` the server wants it, of both.
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
    /// For `nats://`: the groups whose workers' hooks are taken.
    #[cfg(feature = "nats")]
    pub groups: Vec<String>,
    /// The files for `grpcs://`; with `ca`, workers need certificates too. At `nats://` those for the server, all of them optional.
    #[cfg(any(feature = "grpc", feature = "nats"))]
    pub tls: Option<Tls>,
    /// Allows `grpc://` where other machines can reach it, and `nats://` to other machines, without encryption.
    #[cfg(any(feature = "grpc", feature = "nats"))]
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
            #[cfg(feature = "nats")]
            groups: Vec::new(),
            #[cfg(any(feature = "grpc", feature = "nats"))]
            tls: None,
            #[cfg(any(feature = "grpc", feature = "nats"))]
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
    /// For `nats://`: the group that the worker is in; its workers share the events of their hooks, and its name is theirs.
    #[cfg(feature = "nats")]
    pub group: Option<String>,
    /// The token that the agent wants; at `nats://` the server.
    pub token: Option<String>,
    /// The bounds of the connection.
    pub limits: Limits,
    /// How long it waits before it connects again.
    pub backoff: Backoff,
    /// The files for `grpcs://` and `nats://`; the system's roots are trusted where it has no `ca`.
    #[cfg(any(feature = "grpc", feature = "nats"))]
    pub tls: Option<Tls>,
    /// Allows `grpc://` and `nats://` to other machines, without encryption.
    #[cfg(any(feature = "grpc", feature = "nats"))]
    pub insecure: bool,
}

/// Files for TLS, all of them PEM.
#[cfg(any(feature = "grpc", feature = "nats"))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// The own certificate; an agent needs one.
    pub cert: Option<PathBuf>,
    /// The certificate's private key.
    pub key: Option<PathBuf>,
    /// Whom to trust. A worker without it trusts the system's roots; an agent with it wants certificates of workers.
    pub ca: Option<PathBuf>,
}
