//! gRPC: each message is one of the stream `HookService.HookStream`, as it is.

use std::convert::Infallible;
use std::error::Error as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf as _, BufMut as _};
use tokio::sync::{mpsc, oneshot};
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder, Streaming};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::codegen::{BoxFuture, Service, http};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Endpoint, Server};
use tonic::{Code, Request, Response, Status};

use super::address::{Host, refused};
use super::connection::{Arrivals, Connection, Inbox, Incoming, Unwritten};
use super::log;
use super::options::{ConnectOptions, ServeOptions, Tls};
use super::tls;
use hookweave_host::error::Error;
use hookweave_host::remote::Level;

const STREAM: &str = "/HookService/HookStream";

/// How long a connection may take until it carries messages.
const PATIENCE: Duration = Duration::from_secs(10);

/// Beyond this gRPC itself ends the stream; up to it the other side is told the limit.
const fn hard_limit(max_message: usize) -> usize {
    2 * max_message + 1024
}

/// Messages are bytes here: both ends read them by themselves.
#[derive(Debug, Clone, Copy)]
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put_slice(&message);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut message = vec![0; from.remaining()];
        from.copy_to_slice(&mut message);
        Ok(Some(message))
    }
}

/// A port that an agent listens at.
pub(super) type Port = Arrivals<Arrived>;

impl Port {
    /// Listens; gives the address too, with the port that the system chose.
    pub(super) fn open(address: &str, host: &Host, options: &ServeOptions) -> Result<(Self, String), Error> {
        check_plain(address, host, options.tls.as_ref(), options.insecure)?;
        let wants_something = options.token.is_some() || options.tls.as_ref().is_some_and(|tls| tls.ca.is_some());
        if !host.is_loopback() && !wants_something {
            let why = "every program that reaches it could register hooks; set a `token`, or `tls.ca` of the workers";
            return Err(refused(address, why));
        }
        // A connection without a stream is asked whether it is there, too.
        let keepalive = Duration::from_millis(options.limits.keepalive_ms).max(Duration::from_secs(1));
        let mut server = Server::builder().http2_keepalive_interval(Some(keepalive));
        if host.is_secure {
            let config = options.tls.clone().unwrap_or_default().of_agent(address)?.timeout(PATIENCE);
            server = server.tls_config(config).map_err(|error| refused(address, format!("tls: {}", chain(&error))))?;
        }
        let listen = || {
            let listener = std::net::TcpListener::bind((&*host.name, host.port))?;
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok((tokio::net::TcpListener::from_std(listener)?, port))
        };
        let (listener, port) = listen().map_err(|error: io::Error| refused(address, &error).because(error))?;
        let max_message = options.limits.max_message as usize;
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let streams = Self::of(|arrivals, stopped| async move {
            let stopped = async { _ = stopped.await };
            let service = HookService { arrivals, max_message };
            if let Err(error) = server.serve_with_incoming_shutdown(service, incoming, stopped).await {
                log(Level::Error, &format!("the agent can be reached no more: {}", chain(&error)));
            }
        });
        let scheme = if host.is_secure { "grpcs" } else { "grpc" };
        Ok((streams, format!("{scheme}://{}", host.authority(port))))
    }
}

/// A stream of a worker, which is answered when its messages are carried.
#[derive(Debug)]
pub(super) struct Arrived {
    messages: Streaming<Vec<u8>>,
    answer: oneshot::Sender<Outgoing>,
}

impl Arrived {
    pub(super) fn carry(self, number: u64, inbox: Inbox) -> Connection {
        let Self { messages, answer } = self;
        Connection::new(|unwritten| {
            let (written, is_written) = oneshot::channel();
            // Where the worker has gone meanwhile, its messages have ended too.
            _ = answer.send(Outgoing { unwritten, _written: written });
            let written = tokio::spawn(async move { _ = is_written.await });
            (tokio::spawn(read(messages, number, inbox)).abort_handle(), written)
        })
    }
}

/// Messages to a worker; gRPC drops it when it has taken the last one.
#[derive(Debug)]
struct Outgoing {
    unwritten: Unwritten,
    _written: oneshot::Sender<()>,
}

impl Stream for Outgoing {
    type Item = Result<Vec<u8>, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.unwritten.poll_recv(context).map(|message| message.map(Ok))
    }
}

/// The service, as far as workers of this version need it: its stream.
#[derive(Debug, Clone)]
struct HookService {
    arrivals: mpsc::Sender<Arrived>,
    max_message: usize,
}

impl Service<http::Request<Body>> for HookService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let Self { arrivals, max_message } = self.clone();
        Box::pin(async move {
            if request.uri().path() != STREAM {
                let why = format!("this agent has no `{}`; workers use `{STREAM}`", request.uri().path());
                return Ok(Status::unimplemented(why).into_http());
            }
            let mut server = tonic::server::Grpc::new(Bytes).max_decoding_message_size(hard_limit(max_message));
            Ok(server.streaming(HookStream(arrivals), request).await)
        })
    }
}

struct HookStream(mpsc::Sender<Arrived>);

impl tonic::server::StreamingService<Vec<u8>> for HookStream {
    type Response = Vec<u8>;
    type ResponseStream = Outgoing;
    type Future = BoxFuture<Response<Outgoing>, Status>;

    fn call(&mut self, request: Request<Streaming<Vec<u8>>>) -> Self::Future {
        let arrivals = self.0.clone();
        Box::pin(async move {
            let (answer, outgoing) = oneshot::channel();
            let arrived = Arrived { messages: request.into_inner(), answer };
            // Where nobody takes it any more, neither does anybody answer.
            _ = arrivals.send(arrived).await;
            let outgoing = outgoing.await;
            outgoing.map(Response::new).map_err(|_| Status::unavailable("the agent no longer serves workers"))
        })
    }
}

/// An agent that a worker connects to.
#[derive(Debug, Clone)]
pub(super) struct Agent(Endpoint);

impl Agent {
    pub(super) fn at(address: &str, host: &Host, options: &ConnectOptions) -> Result<Self, Error> {
        check_plain(address, host, options.tls.as_ref(), options.insecure)?;
        let scheme = if host.is_secure { "https" } else { "http" };
        let unusable = |error| refused(address, chain(&error));
        let endpoint = Endpoint::from_shared(format!("{scheme}://{}", host.authority(host.port)));
        let endpoint = endpoint.map_err(unusable)?.connect_timeout(PATIENCE);
        if !host.is_secure {
            return Ok(Self(endpoint));
        }
        let config = options.tls.clone().unwrap_or_default().of_worker(address)?.timeout(PATIENCE);
        let endpoint = endpoint.tls_config(config);
        endpoint.map(Self).map_err(|error| refused(address, format!("tls: {}", chain(&error))))
    }

    /// Connects; `Err` says why not.
    pub(super) async fn connect(&self, number: u64, inbox: Inbox) -> Result<Connection, String> {
        let channel = self.0.connect().await.map_err(|error| chain(&error))?;
        let mut client = tonic::client::Grpc::new(channel).max_decoding_message_size(hard_limit(inbox.max_message));
        client.ready().await.map_err(|error| chain(&error))?;
        Ok(Connection::new(|unwritten| {
            let carried = tokio::spawn(async move {
                let outgoing = Request::new(ReceiverStream::new(unwritten));
                // The agent answers with its first message, which it sends when it knows the worker.
                match client.streaming(outgoing, PathAndQuery::from_static(STREAM), Bytes).await {
                    Ok(response) => read(response.into_inner(), number, inbox).await,
                    Err(status) => _ = inbox.sender.send(Incoming::Lost(number, said(&status))).await,
                }
            });
            (carried.abort_handle(), carried)
        }))
    }
}

/// Hands on what comes, until the other side ends the stream.
async fn read(mut messages: Streaming<Vec<u8>>, number: u64, inbox: Inbox) {
    let end = loop {
        match messages.message().await {
            // Nobody listens any more where this end was closed meanwhile; what it wrote arrives nevertheless.
            Ok(Some(message)) => _ = inbox.sender.send(Incoming::Message(number, message)).await,
            Ok(None) => break Incoming::Lost(number, "the connection was closed".to_owned()),
            // What gRPC itself says of a message beyond the hard limit.
            Err(status) if status.code() == Code::OutOfRange => {
                let most = inbox.max_message;
                let why =
                    format!("a message is over the limit of {most}; send less, or raise max_message on both ends");
                break Incoming::Unreadable(number, why);
            }
            Err(status) => break Incoming::Lost(number, said(&status)),
        }
    };
    _ = inbox.sender.send(end).await;
}

/// Refuses what others could read or change, and files that nothing uses.
fn check_plain(address: &str, host: &Host, tls: Option<&Tls>, insecure: bool) -> Result<(), Error> {
    if host.is_secure {
        return Ok(());
    }
    tls::refuse(address, tls)?;
    if !insecure && !host.is_loopback() {
        let why = "others could read and change what is sent; write grpcs:// and give `tls`, or set `insecure`";
        return Err(refused(address, why));
    }
    Ok(())
}

/// What gRPC says of a stream's end, for a person.
fn said(status: &Status) -> String {
    format!("{}: {}", status.code(), status.message())
}

/// An error with what caused it.
fn chain(error: &tonic::transport::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
