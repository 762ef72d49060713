//! Connections: opened to checked addresses only, bounded by the request's deadline, ended by its cancellation.
//!
//! Every wait measures the time that is left anew, so that a server which sends or takes a byte now and then gains
//! none. Proxies play no part: the connection goes to the address that was checked.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use mio::{Events, Interest, Poll, Token, Waker};
use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, RustlsConnector, Transport,
};

use super::call::{Call, Fault, cancelled};
use super::rules::Rules;
use hookweave_clock::now;

/// How long one of several addresses is tried before the next.
const PATIENCE: Duration = Duration::from_secs(3);

/// Opens connections for the HTTP library.
pub(super) struct GuardedConnector {
    rules: Arc<Rules>,
    tls: RustlsConnector,
}

impl GuardedConnector {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        Self { rules, tls: RustlsConnector::default() }
    }

    /// Connects to the first address that answers.
    fn open(&self, addresses: &[SocketAddr], call: &Call) -> io::Result<TcpStream> {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for (index, address) in addresses.iter().enumerate() {
            // The resolver has checked already; a connection must not depend on who calls it.
            if let Some(kind) = self.rules.guard.refuses(address.ip()) {
                return Err(call.fail(Fault::Refused { address: address.ip(), kind }));
            }
            let is_last = index + 1 == addresses.len();
            let patience = if is_last { call.patience } else { PATIENCE };
            match connect(*address, patience, call) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = io::Error::new(error.kind(), format!("{address}: {error}")),
            }
            call.left()?;
        }
        Err(call.fail(Fault::Unreachable(last.to_string())))
    }
}

impl Connector<()> for GuardedConnector {
    type Out = Strict<<RustlsConnector as Connector<Tcp>>::Out>;

    fn connect(&self, details: &ConnectionDetails<'_>, _: Option<()>) -> Result<Option<Self::Out>, Error> {
        let call = Call::current()?;
        let stream = Arc::new(self.open(&details.addrs, &call)?);
        let buffers = LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        let secured = self.tls.connect(details, Some(Tcp { stream, buffers }));
        let secured = secured.map_err(|error| call.fail(Fault::Tls(error.to_string())))?;
        Ok(secured.map(Strict))
    }
}

impl fmt::Debug for GuardedConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedConnector").finish_non_exhaustive()
    }
}

/// Connects to one address in a way that a cancellation can interrupt, which the standard library has not.
fn connect(address: SocketAddr, patience: Duration, call: &Call) -> io::Result<TcpStream> {
    let mut poll = Poll::new()?;
    let waker = Waker::new(poll.registry(), Token(1))?;
    let mut stream = mio::net::TcpStream::connect(address)?;
    poll.registry().register(&mut stream, Token(0), Interest::WRITABLE)?;
    let begin = now();
    let mut events = Events::with_capacity(4);
    call.during(
        move || drop(waker.wake()),
        || loop {
            let waited = now().saturating_duration_since(begin);
            let left = patience.checked_sub(waited).ok_or(io::ErrorKind::TimedOut)?.min(call.left()?);
            match poll.poll(&mut events, Some(left)) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ if call.is_cancelled() => return Err(cancelled()),
                _ => {}
            }
            if let Some(error) = stream.take_error()? {
                return Err(error);
            }
            if stream.peer_addr().is_ok() {
                return Ok(());
            }
        },
    )?;
    poll.registry().deregister(&mut stream)?;
    let stream = TcpStream::from(stream);
    // A port of this machine without a listener can, by chance, be connected with itself.
    if stream.local_addr()? == stream.peer_addr()? {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A connection without encryption.
pub(super) struct Tcp {
    stream: Arc<TcpStream>,
    buffers: LazyBuffers,
}

impl Tcp {
    /// Repeats one read or write until it is done, failed, out of time or cancelled.
    fn wait<T>(
        stream: &Arc<TcpStream>,
        limit: fn(&TcpStream, Option<Duration>) -> io::Result<()>,
        mut step: impl FnMut(&TcpStream) -> io::Result<Option<T>>,
    ) -> io::Result<T> {
        let call = Call::current()?;
        let held = Arc::clone(stream);
        call.during(
            // Shutting down both directions wakes the waiting thread and informs the peer.
            move || drop(held.shutdown(Shutdown::Both)),
            || loop {
                // The system counts in milliseconds at best, and zero would mean for ever.
                limit(stream, Some(call.left()?.max(Duration::from_millis(1))))?;
                match step(stream) {
                    Ok(Some(done)) => return Ok(done),
                    Ok(None) => {}
                    Err(error) if is_pause(&error) => {}
                    Err(error) => return Err(error),
                }
            },
        )
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

impl Transport for Tcp {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        let mut rest = self.buffers.output().get(..amount).unwrap_or_default();
        if rest.is_empty() {
            return Ok(());
        }
        Self::wait(&self.stream, TcpStream::set_write_timeout, |mut stream| {
            let written = stream.write(rest)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            rest = rest.get(written..).unwrap_or_default();
            Ok(rest.is_empty().then_some(()))
        })?;
        Ok(())
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        let free = self.buffers.input_append_buf();
        let amount = Self::wait(&self.stream, TcpStream::set_read_timeout, |mut stream| stream.read(free).map(Some))?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    /// Whether an idle connection can be used again: the server has neither closed it nor sent anything without a request.
    fn is_open(&mut self) -> bool {
        let mut byte = [0];
        let quiet = self.stream.set_nonblocking(true).is_ok()
            && matches!(self.stream.peek(&mut byte), Err(error) if error.kind() == io::ErrorKind::WouldBlock);
        self.stream.set_nonblocking(false).is_ok() && quiet
    }
}

impl fmt::Debug for Tcp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tcp").field("stream", &self.stream).finish_non_exhaustive()
    }
}

/// A connection that distinguishes a clean end from a torn one.
///
/// An answer without a length ends with the connection. The HTTP library takes a reset, or TLS cut without its
/// farewell, for that end; an attacker who can cut the line could then turn a refusal into an empty answer.
#[derive(Debug)]
pub(super) struct Strict<T>(T);

impl<T: Transport> Transport for Strict<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.0.await_input(timeout).map_err(|error| match error {
            Error::Io(error) => Error::Io(io::Error::other(format!("the connection broke: {error}"))),
            other => other,
        })
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}
