//! From a host's name to the addresses that may be connected to.
//!
//! The check comes after the lookup, and the connection goes to the very address that was checked: a name that
//! answers differently the second time gains nothing.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::call::{Call, Fault, cancelled};
use super::rules::Rules;

/// How many lookups may be under way. The system's lookup cannot be interrupted: one that hangs outlives its request.
const MAX_LOOKUPS: usize = 32;

/// How many addresses of a host are tried.
const MAX_ADDRESSES: usize = 16;

/// Looks names up. Called on a thread of its own; it may block.
pub trait Resolve: Send + Sync + 'static {
    /// Gives the addresses of a host.
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// The lookup of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((host, port).to_socket_addrs()?.take(MAX_ADDRESSES).collect())
    }
}

/// A lookup with deadline and guard, as the HTTP library calls it.
pub(super) struct GuardedResolver {
    names: Arc<dyn Resolve>,
    rules: Arc<Rules>,
    running: Arc<AtomicUsize>,
}

impl GuardedResolver {
    pub(super) fn new(names: Arc<dyn Resolve>, rules: Arc<Rules>) -> Self {
        Self { names, rules, running: Arc::default() }
    }

    fn addresses(&self, host: &str, port: u16, call: &Call) -> io::Result<Vec<SocketAddr>> {
        let bare = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host);
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        self.look_up(bare.to_owned(), port, call)
    }

    /// Looks a name up on a thread of its own, since a lookup can be neither timed nor interrupted.
    fn look_up(&self, host: String, port: u16, call: &Call) -> io::Result<Vec<SocketAddr>> {
        let permit = LookupPermit::take(&self.running)
            .ok_or_else(|| io::Error::other(format!("{MAX_LOOKUPS} lookups are under way already")))?;
        let (sender, receiver) = mpsc::channel();
        let wake = sender.clone();
        let names = Arc::clone(&self.names);
        thread::Builder::new().name("hookweave-lookup".to_owned()).spawn(move || {
            let found = names.resolve(&host, port);
            drop(permit);
            // The receiver is gone when the request has ended.
            let _ = sender.send(Some(found));
        })?;
        let left = call.left()?.min(call.patience);
        call.during(
            move || drop(wake.send(None)),
            || match receiver.recv_timeout(left) {
                Ok(Some(found)) => found,
                Ok(None) => Err(cancelled()),
                Err(_) => Err(io::ErrorKind::TimedOut.into()),
            },
        )
    }
}

impl Resolver for GuardedResolver {
    fn resolve(&self, uri: &Uri, _: &ureq::config::Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let call = Call::current()?;
        let usual = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        let port = uri.port_u16().unwrap_or(usual);
        let found = self
            .addresses(uri.host().unwrap_or_default(), port, &call)
            .map_err(|error| call.fail(Fault::Unresolved(error.to_string())))?;
        let mut admitted = self.empty();
        let mut refused = None;
        for address in found.into_iter().take(MAX_ADDRESSES) {
            match self.rules.guard.refuses(address.ip()) {
                None => admitted.push(address),
                Some(kind) => refused = Some(Fault::Refused { address: address.ip(), kind }),
            }
        }
        if admitted.is_empty() {
            let none = || Fault::Unresolved("it has no address".to_owned());
            return Err(call.fail(refused.unwrap_or_else(none)).into());
        }
        Ok(admitted)
    }
}

impl fmt::Debug for GuardedResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedResolver").finish_non_exhaustive()
    }
}

/// One of the places for lookups, held until the lookup returns.
struct LookupPermit(Arc<AtomicUsize>);

impl LookupPermit {
    fn take(running: &Arc<AtomicUsize>) -> Option<Self> {
        let free = |count: usize| (count < MAX_LOOKUPS).then_some(count + 1);
        running.fetch_update(Ordering::AcqRel, Ordering::Acquire, free).ok()?;
        Some(Self(Arc::clone(running)))
    }
}

impl Drop for LookupPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
