//! The ways to an agent: what it listens at, and how a worker connects.

use std::io;
use std::path::PathBuf;

use tokio::net::UnixStream;

use super::address::{Address, refused};
use super::connection::{Connection, Inbox, Ready};
#[cfg(feature = "grpc")]
use super::grpc;
#[cfg(feature = "nats")]
use super::nats;
use super::options::{ConnectOptions, ServeOptions};
#[cfg(any(feature = "grpc", feature = "nats"))]
use super::tls;
use super::unix::{self, Socket};
use hookweave_host::error::Error;

#[cfg(feature = "nats")]
const ONLY_NATS: &str = "groups of workers are for nats:// addresses; write one, or leave them out";

/// What an agent listens at.
#[derive(Debug)]
pub(super) enum Listener {
    Unix(Socket),
    #[cfg(feature = "grpc")]
    Grpc(grpc::Port),
    #[cfg(feature = "nats")]
    Nats(Box<nats::Fleet>),
}

/// A connection that came, before it has a number.
#[derive(Debug)]
pub(super) enum Accepted {
    Unix(UnixStream),
    #[cfg(feature = "grpc")]
    Grpc(Box<grpc::Arrived>),
    #[cfg(feature = "nats")]
    Nats(nats::Arrived),
}

impl Listener {
    /// Listens; gives the address too, with the port that the system chose.
    pub(super) fn open(address: &str, read: Address, options: &ServeOptions) -> Result<(Self, String), Error> {
        #[cfg(feature = "nats")]
        if !options.groups.is_empty() && !matches!(read, Address::Nats(_)) {
            return Err(refused(address, ONLY_NATS));
        }
        match read {
            Address::Unix(path) => {
                #[cfg(any(feature = "grpc", feature = "nats"))]
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
            #[cfg(feature = "nats")]
            Address::Nats(broker) => {
                let (fleet, address) = nats::Fleet::open(address, broker, options)?;
                Ok((Self::Nats(Box::new(fleet)), address))
            }
        }
    }

    /// The next connection. An error concerns one connection only.
    pub(super) async fn accept(&mut self) -> io::Result<Accepted> {
        match self {
            Self::Unix(socket) => socket.accept().await.map(Accepted::Unix),
            #[cfg(feature = "grpc")]
            Self::Grpc(port) => Ok(Accepted::Grpc(Box::new(port.next().await))),
            #[cfg(feature = "nats")]
            Self::Nats(fleet) => Ok(Accepted::Nats(fleet.groups.next().await)),
        }
    }

    /// What says whether it can be used, where only time tells.
    pub(super) fn ready(&self) -> Option<Ready> {
        match self {
            Self::Unix(_) => None,
            #[cfg(feature = "grpc")]
            Self::Grpc(_) => None,
            #[cfg(feature = "nats")]
            Self::Nats(fleet) => Some(fleet.ready()),
        }
    }

    /// Takes no more connections, and waits until the last messages have left.
    pub(super) async fn close(&mut self) {
        match self {
            Self::Unix(_) => {}
            #[cfg(feature = "grpc")]
            Self::Grpc(port) => port.close().await,
            #[cfg(feature = "nats")]
            Self::Nats(fleet) => fleet.groups.close().await,
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
            #[cfg(feature = "nats")]
            Self::Nats(arrived) => arrived.carry(number, inbox),
        }
    }
}

/// How a worker connects.
#[derive(Debug, Clone)]
pub(super) enum Connector {
    Unix(PathBuf),
    #[cfg(feature = "grpc")]
    Grpc(Box<grpc::Agent>),
    #[cfg(feature = "nats")]
    Nats(Box<nats::Member>),
}

impl Connector {
    pub(super) fn to(address: &str, read: Address, options: &ConnectOptions) -> Result<Self, Error> {
        #[cfg(feature = "nats")]
        if options.group.is_some() && !matches!(read, Address::Nats(_)) {
            return Err(refused(address, ONLY_NATS));
        }
        match read {
            Address::Unix(path) => {
                #[cfg(any(feature = "grpc", feature = "nats"))]
                tls::refuse(address, options.tls.as_ref())?;
                Ok(Self::Unix(path))
            }
            #[cfg(feature = "grpc")]
            Address::Grpc(host) => grpc::Agent::at(address, &host, options).map(|agent| Self::Grpc(Box::new(agent))),
            #[cfg(feature = "nats")]
            Address::Nats(broker) => {
                nats::Member::at(address, broker, options).map(|member| Self::Nats(Box::new(member)))
            }
        }
    }

    /// Connects; `Err` says why not.
    pub(super) async fn connect(&self, number: u64, inbox: Inbox) -> Result<Connection, String> {
        match self {
            Self::Unix(path) => unix::connect(path, number, inbox).await,
            #[cfg(feature = "grpc")]
            Self::Grpc(agent) => agent.connect(number, inbox).await,
            #[cfg(feature = "nats")]
            Self::Nats(member) => member.connect(number, inbox).await,
        }
    }
}
