//! Who the two ends of an encrypted connection are: certificates and keys from files.

use std::path::Path;
#[cfg(feature = "nats")]
use std::sync::Arc;

#[cfg(feature = "nats")]
use rustls::pki_types::pem::PemObject as _;
#[cfg(feature = "nats")]
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
#[cfg(feature = "grpc")]
use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

use super::address::refused;
use super::options::Tls;
use hookweave_host::error::Error;

#[cfg(feature = "grpc")]
impl Tls {
    /// What an agent at an address shows and wants.
    pub(super) fn of_agent(&self, address: &str) -> Result<ServerTlsConfig, Error> {
        let identity = self.identity(address)?.ok_or_else(|| pair_is_missing(address))?;
        let config = ServerTlsConfig::new().identity(identity);
        Ok(match self.roots(address)? {
            Some(ca) => config.client_ca_root(Certificate::from_pem(ca)),
            None => config,
        })
    }

    /// What a worker of an agent at an address shows and trusts.
    pub(super) fn of_worker(&self, address: &str) -> Result<ClientTlsConfig, Error> {
        let config = match self.roots(address)? {
            Some(ca) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(ca)),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        Ok(match self.identity(address)? {
            Some(identity) => config.identity(identity),
            None => config,
        })
    }

    fn identity(&self, address: &str) -> Result<Option<Identity>, Error> {
        Ok(self.pair(address)?.map(|(cert, key)| Identity::from_pem(cert, key)))
    }
}

/// The texts of two files.
type Pair = (Vec<u8>, Vec<u8>);

impl Tls {
    /// The own certificate and its key.
    fn pair(&self, address: &str) -> Result<Option<Pair>, Error> {
        match (&self.cert, &self.key) {
            (None, None) => Ok(None),
            (Some(cert), Some(key)) => Ok(Some((read(address, cert)?, read(address, key)?))),
            _ => Err(pair_is_missing(address)),
        }
    }

    fn roots(&self, address: &str) -> Result<Option<Vec<u8>>, Error> {
        self.ca.as_deref().map(|ca| read(address, ca)).transpose()
    }
}

/// What a program shows to a server at an address, and trusts there: nobody without `tls`.
#[cfg(feature = "nats")]
pub(super) fn of_client(address: &str, tls: Option<&Tls>) -> Result<rustls::ClientConfig, Error> {
    let unusable = |why: &dyn std::fmt::Display| refused(address, format!("tls: {why}"));
    let mut roots = rustls::RootCertStore::empty();
    let mut pair = None;
    if let Some(tls) = tls {
        if let Some(ca) = tls.roots(address)? {
            for root in CertificateDer::pem_slice_iter(&ca) {
                let root = root.map_err(|error| unusable(&error))?;
                roots.add(root).map_err(|error| unusable(&error))?;
            }
            if roots.is_empty() {
                return Err(unusable(&"`ca` has no certificate; give a file of certificates in PEM"));
            }
        } else {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        pair = tls.pair(address)?;
    }
    // Named, because a program may have several.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| unusable(&error))?.with_root_certificates(roots);
    let Some((cert, key)) = pair else { return Ok(config.with_no_client_auth()) };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&cert).collect();
    let key = PrivateKeyDer::from_pem_slice(&key).map_err(|error| unusable(&error))?;
    let chain = chain.map_err(|error| unusable(&error))?;
    config.with_client_auth_cert(chain, key).map_err(|error| unusable(&error))
}

/// Refuses files where nothing uses them.
pub(super) fn refuse(address: &str, tls: Option<&Tls>) -> Result<(), Error> {
    match tls {
        None => Ok(()),
        Some(_) => Err(refused(address, "`tls` is for grpcs:// and nats:// addresses; write one, or leave it out")),
    }
}

fn pair_is_missing(address: &str) -> Error {
    refused(address, "tls: give `cert` and `key`, the files of the own certificate and its key")
}

fn read(address: &str, file: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(file).map_err(|error| refused(address, format!("tls: {}: {error}", file.display())).because(error))
}
