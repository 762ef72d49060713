//! Who the two ends of `grpcs://` are: certificates and keys from files.

use std::path::Path;

use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

use super::address::refused;
use super::options::Tls;
use hookweave_host::error::Error;

impl Tls {
    /// What an agent at an address shows and wants.
    pub(super) fn of_agent(&self, address: &str) -> Result<ServerTlsConfig, Error> {
        let identity = self.identity(address)?.ok_or_else(|| pair_is_missing(address))?;
        let config = ServerTlsConfig::new().identity(identity);
        Ok(match self.ca(address)? {
            Some(ca) => config.client_ca_root(ca),
            None => config,
        })
    }

    /// What a worker of an agent at an address shows and trusts.
    pub(super) fn of_worker(&self, address: &str) -> Result<ClientTlsConfig, Error> {
        let config = match self.ca(address)? {
            Some(ca) => ClientTlsConfig::new().ca_certificate(ca),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        Ok(match self.identity(address)? {
            Some(identity) => config.identity(identity),
            None => config,
        })
    }

    fn identity(&self, address: &str) -> Result<Option<Identity>, Error> {
        match (&self.cert, &self.key) {
            (None, None) => Ok(None),
            (Some(cert), Some(key)) => Ok(Some(Identity::from_pem(read(address, cert)?, read(address, key)?))),
            _ => Err(pair_is_missing(address)),
        }
    }

    fn ca(&self, address: &str) -> Result<Option<Certificate>, Error> {
        self.ca.as_deref().map(|ca| read(address, ca).map(Certificate::from_pem)).transpose()
    }
}

/// Refuses files where nothing uses them.
pub(super) fn refuse(address: &str, tls: Option<&Tls>) -> Result<(), Error> {
    match tls {
        None => Ok(()),
        Some(_) => Err(refused(address, "`tls` is for grpcs:// addresses; write one, or leave it out")),
    }
}

fn pair_is_missing(address: &str) -> Error {
    refused(address, "tls: give `cert` and `key`, the files of the own certificate and its key")
}

fn read(address: &str, file: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(file).map_err(|error| refused(address, format!("tls: {}: {error}", file.display())).because(error))
}
