//! Webhooks over TLS: verified, bounded, and never cut short unnoticed.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use hookweave_exec::webhook::{WebClient, WebPolicy, WebhookError};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::server::{Server, answer, drip, hang, read_request};
use super::{client, send, send_to, send_within, until};

/// A server with a certificate for one name, and that certificate.
fn secured(name: &str, bytes: &'static str, farewell: bool) -> (Server, Vec<u8>) {
    let identity = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let certificate = identity.cert.der().to_vec();
    let key = identity.signing_key.serialize_der().try_into().unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![identity.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let server = Server::raw(move |stream, requests| {
        let session = ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = StreamOwned::new(session, stream.try_clone().unwrap());
        while let Some(request) = read_request(&mut stream) {
            requests.lock().unwrap().push(request);
            stream.write_all(bytes.as_bytes()).unwrap();
            stream.flush().unwrap();
            if !bytes.contains("Content-Length") {
                break;
            }
        }
        if farewell {
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
        let _ = stream.sock.shutdown(std::net::Shutdown::Write);
        let _ = stream.sock.read(&mut [0]);
    });
    (server, certificate)
}

fn trusting(certificate: Vec<u8>) -> WebClient {
    WebClient::new(WebPolicy { extra_roots: vec![certificate], ..WebPolicy::default() })
}

fn url(server: &Server) -> String {
    format!("https://localhost:{}/hook", server.address.port())
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let (server, _) = secured("localhost", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true);
    let error = send(&url(&server)).unwrap_err();
    assert!(matches!(error, WebhookError::Tls { .. }) && error.to_string().contains("certificate"), "{error}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_trusted_one_is_accepted_and_its_connection_used_again() {
    // It is kept for seconds, which may be over on a busy machine.
    assert!(until(|| {
        let (server, certificate) = secured("localhost", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true);
        let client = trusting(certificate);
        for _ in 0..3 {
            assert_eq!(send_to(&client, &url(&server)).unwrap().body, b"{}");
        }
        assert_eq!(server.requests()[0].line(), "POST /hook HTTP/1.1");
        (server.connections(), server.requests().len()) == (1, 3)
    }));
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    let (server, certificate) = secured("other.example", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true);
    let error = send_to(&trusting(certificate), &url(&server)).unwrap_err();
    assert!(matches!(error, WebhookError::Tls { .. }), "{error}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_port_without_tls_is_said_so() {
    let server = Server::raw(|stream, _| {
        let _ = stream.write_all(answer("400 Bad Request", "", "").as_bytes());
        hang(stream);
    });
    let error = send(&url(&server)).unwrap_err();
    assert!(matches!(error, WebhookError::Tls { .. }), "{error}");
}

#[test]
fn a_handshake_cannot_outlast_the_timeout() {
    let silent = Server::raw(|stream, _| hang(stream));
    // The beginning of a long record, byte by byte.
    let slow = Server::raw(|stream, _| drip(stream, [22, 3, 3, 60, 0].into_iter().chain(std::iter::repeat(1))));
    for server in [silent, slow] {
        let result = send_within(&client(), &url(&server), Duration::from_millis(300));
        assert!(matches!(result, Err(WebhookError::TimedOut { .. })), "{result:?}");
    }
}

#[test]
fn an_answer_that_ends_with_the_connection_needs_its_farewell() {
    let (complete, certificate) = secured("localhost", "HTTP/1.1 200 OK\r\n\r\nhello", true);
    assert_eq!(send_to(&trusting(certificate), &url(&complete)).unwrap().body, b"hello");
    let (cut, certificate) = secured("localhost", "HTTP/1.1 200 OK\r\n\r\nhello", false);
    let result = send_to(&trusting(certificate), &url(&cut));
    assert!(matches!(result, Err(WebhookError::Broken { .. })), "{result:?}");
}
