//! The ways to an agent: what it listens at, and how a worker connects.

use std::io;
use std::path::PathBuf;

use tokio::net::UnixStream;

use super::address::{Address, refused};
use super::connection::{Connection, Inbox};
use super::options::{ConnectOptions, ServeOptions};
use super::unix::{self, Socket};
#[cfg(feature = "grpc")]
use super::{grpc, tls};
use hookweave_host::error::Error;

/// What an agent listens at.
#[derive(Debug)]
pub(super) enum Listener {
    Unix(Socket),
    #[cfg(feature = "grpc")]
    Grpc(grpc::Port),
}

/// A connection that came, before it has a number.
#[derive(Debug)]
pub(super) enum Accepted {
    Unix(UnixStream),
    #[cfg(feature = "grpc")]
    Grpc(Box<grpc::Arrived>),
}

impl Listener {
    /// Listens; gives the address too, with the port that the system chose.
    pub(super) fn open(address: &str, read: Address, options: &ServeOptions) -> Result<(Self, String), Error> {
        match read {
            Address::Unix(path) => {
                #[cfg(feature = "grpc")]
                tls::refuse(address, options.tls.as_ref())?;
                let socket = Socket::open(&path).map_err(|error| {
                    refused(address, format!("{error}; choose a folder that exists and is yours")).because(error)
                })?;
                Ok((Self::Unix(socket), address.to_owned()))
            }
            #[cfg(feature = "grpc")]
            Address::Grpc(host) => {
                let (port, address) = grpc::Port::open(address, &host, options)?;
                Ok((Self::Grpc(port), address))
            }
        }
    }

    /// The next connection. An error concerns one connection only.
    pub(super) async fn accept(&mut self) -> io::Result<Accepted> {
        match self {
            Self::Unix(socket) => socket.accept().await.map(Accepted::Unix),
            #[cfg(feature = "grpc")]
            Self::Grpc(port) => Ok(Accepted::Grpc(Box::new(port.accept().await))),
        }
    }

    /// Takes no more connections, and waits until the last messages have left.
    pub(super) async fn close(&mut self) {
        match self {
            Self::Unix(_) => {}
            #[cfg(feature = "grpc")]
            Self::Grpc(port) => port.close().await,
        }
    }
}

impl Accepted {
    /// Carries its messages, under a number.
    pub(super) fn carry(self, number: u64, inbox: Inbox) -> Connection {
        match self {
            Self::Unix(stream) => unix::carry(stream, number, inbox),
            #[cfg(feature = "grpc")]
            Self::Grpc(arrived) => arrived.carry(number, inbox),
        }
    }
}

/// How a worker connects.
#[derive(Debug, Clone)]
pub(super) enum Connector {
    Unix(PathBuf),
    #[cfg(feature = "grpc")]
    Grpc(Box<grpc::Agent>),
}

impl Connector {
    pub(super) fn to(address: &str, read: Address, options: &ConnectOptions) -> Result<Self, Error> {
        match read {
            Address::Unix(path) => {
                #[cfg(feature = "grpc")]
                tls::refuse(address, options.tls.as_ref())?;
                Ok(Self::Unix(path))
            }
            #[cfg(feature = "grpc")]
            Address::Grpc(host) => grpc::Agent::at(address, &host, options).map(|agent| Self::Grpc(Box::new(agent))),
        }
    }

    /// Connects; `Err` says why not.
    pub(super) async fn connect(&self, number: u64, inbox: Inbox) -> Result<Connection, String> {
        match self {
            Self::Unix(path) => unix::connect(path, number, inbox).await,
            #[cfg(feature = "grpc")]
            Self::Grpc(agent) => agent.connect(number, inbox).await,
        }
    }
}
