//! What TLS trusts: the authorities of the operating system.
//!
//! Webhooks often go to a company's own servers, whose authority only its own machines know, and an
//! administrator who removes an authority wants it gone from every program. Machines without any list, such as
//! slim containers, fall back to the list that Mozilla publishes, unless the environment names a list: then that one
//! counts, even when it cannot be read.

use std::sync::Arc;

use ureq::tls::{Certificate, RootCerts};

/// The roots of the machine, and those that the policy adds.
pub(super) fn roots(extra: &[Vec<u8>]) -> RootCerts {
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::debug!(%error, "a list of trusted authorities cannot be read");
    }
    let named = ["SSL_CERT_FILE", "SSL_CERT_DIR"].iter().any(|name| std::env::var_os(name).is_some());
    if found.certs.is_empty() && extra.is_empty() && !named {
        return RootCerts::WebPki;
    }
    let native = found.certs.iter().map(AsRef::as_ref);
    let certificates = native.chain(extra.iter().map(Vec::as_slice));
    RootCerts::Specific(Arc::new(certificates.map(|der: &[u8]| Certificate::from_der(der).to_owned()).collect()))
}
