//! Where webhooks may go.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use hookweave_exec::webhook::{Resolve, WebClient, WebPolicy, WebhookError};

use super::server::{Names, Server, answer};
use super::{AMPLE, client, hook, send, send_to, send_within, until};

fn refused(result: &Result<impl std::fmt::Debug, WebhookError>) -> bool {
    matches!(result, Err(WebhookError::Refused { .. }))
}

#[test]
fn metadata_services_are_refused_however_they_are_written() {
    for host in [
        "169.254.169.254",
        "169.254.169.254.",
        "2852039166",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "169.254.43518",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[::a9fe:a9fe]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:a9fe:a9fe::]",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "100.100.100.200",
        "0.0.0.0",
        "0",
        "[::]",
        "255.255.255.255",
        "224.0.0.1",
    ] {
        for scheme in ["http", "https"] {
            let result = send(&format!("{scheme}://{host}/latest/"));
            assert!(refused(&result), "{host}: {result:?}");
        }
    }
}

#[test]
fn a_message_says_which_address_and_how_to_allow_it() {
    let text = send("http://0xa9fea9fe/x").unwrap_err().to_string();
    assert!(text.contains("169.254.169.254 is a link-local address") && text.contains("allowed networks"), "{text}");
}

#[test]
fn a_name_is_judged_by_its_addresses() {
    let server = Server::fixed(answer("200 OK", "", "here"));
    let port = server.address.port();
    let url = format!("http://hook.test:{port}/");
    let ask = |addresses: &[&str]| {
        send_to(&WebClient::with_resolver(WebPolicy::default(), Names::new([addresses], port)), &url)
    };
    assert!(refused(&ask(&["169.254.169.254"])));
    assert!(refused(&ask(&["::ffff:169.254.169.254", "fe80::1", "0.0.0.0"])));
    assert_eq!(ask(&["169.254.169.254", "127.0.0.1"]).unwrap().body, b"here");
    let nowhere = ask(&[]);
    assert!(matches!(nowhere, Err(WebhookError::Unresolved { .. })), "{nowhere:?}");
    assert_eq!(server.requests()[0].header("host"), format!("hook.test:{port}"));
}

#[test]
fn the_next_address_is_tried_when_one_refuses_the_connection() {
    let server = Server::fixed(answer("200 OK", "", "here"));
    let port = server.address.port();
    let names = Names::new([&["127.0.0.2", "127.0.0.1"]], port);
    let client = WebClient::with_resolver(WebPolicy::default(), names);
    assert_eq!(send_to(&client, &format!("http://hook.test:{port}/")).unwrap().body, b"here");
}

#[test]
fn a_name_that_changes_its_mind_gains_nothing() {
    let server = Server::fixed(answer("200 OK", "", "here"));
    let port = server.address.port();
    let url = format!("http://hook.test:{port}/");
    let names = Names::new([&["127.0.0.1"], &["169.254.169.254"]], port);
    let client = WebClient::with_resolver(WebPolicy::default(), names);
    // One lookup for one connection: were there a second one, it would lead elsewhere.
    assert_eq!(send_to(&client, &url).unwrap().body, b"here");
    assert!(refused(&send_to(&client, &url)));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn what_the_policy_allows_is_not_refused() {
    let policy = WebPolicy { allowed_networks: vec!["0.0.0.0/8".to_owned()], ..WebPolicy::default() };
    let server = Server::fixed(answer("200 OK", "", "here"));
    let url = format!("http://0.0.0.0:{}/", server.address.port());
    assert!(refused(&send(&url)));
    let allowed = send_to(&WebClient::new(policy), &url);
    // Linux takes the address for this machine, others do not.
    assert!(!refused(&allowed), "{allowed:?}");
}

#[test]
fn private_addresses_are_allowed_unless_the_policy_refuses_them() {
    let server = Server::fixed(answer("200 OK", "", ""));
    let localhost = format!("http://localhost:{}/", server.address.port());
    assert!(send(&server.url("/")).is_ok() && send(&localhost).is_ok());
    let strict = WebClient::new(WebPolicy { allow_private: false, ..WebPolicy::default() });
    assert!(refused(&send_to(&strict, &server.url("/"))) && refused(&send_to(&strict, &localhost)));
}

#[test]
fn only_listed_urls_are_allowed() {
    let server = Server::fixed(answer("200 OK", "", ""));
    let with = |patterns: &[&str]| {
        let allowed = patterns.iter().map(|each| (*each).to_owned()).collect();
        WebClient::new(WebPolicy { allowed_urls: Some(allowed), ..WebPolicy::default() })
    };
    assert!(send_to(&with(&["https://a.example/*", "http://127.0.0.1:*"]), &server.url("/x")).is_ok());
    for client in [with(&[]), with(&["https://127.0.0.1:*"]), with(&["http://127.0.0.1/*"])] {
        let result = send_to(&client, &server.url("/x"));
        let error = WebhookError::NotAllowed { url: server.url("/x") };
        assert_eq!(result, Err(error.clone()));
        assert_eq!(client.check(&hook(&server.url("/x")), &|_| None), Err(error));
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_policy_that_cannot_be_read_allows_nothing() {
    let server = Server::fixed(answer("200 OK", "", ""));
    for policy in [
        WebPolicy { allowed_urls: Some(vec!["*".to_owned(), "example.com".to_owned()]), ..WebPolicy::default() },
        WebPolicy { allowed_networks: vec!["10.0.0.0/99".to_owned()], ..WebPolicy::default() },
    ] {
        let error = policy.check().unwrap_err();
        assert!(matches!(error, WebhookError::BadPolicy(_)), "{error:?}");
        assert_eq!(send_to(&WebClient::new(policy), &server.url("/")), Err(error));
    }
    assert_eq!(WebPolicy::default().check(), Ok(()));
    assert_eq!(server.connections(), 0);
}

/// Looks nothing up until it is allowed to.
struct Gate(Mutex<mpsc::Receiver<()>>);

impl Resolve for Gate {
    fn resolve(&self, _: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        self.0.lock().unwrap().recv_timeout(AMPLE).map_err(std::io::Error::other)?;
        Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))])
    }
}

#[test]
fn lookups_that_hang_end_in_time_and_do_not_pile_up() {
    let server = Server::fixed(answer("200 OK", "", "here"));
    let url = format!("http://hook.test:{}/", server.address.port());
    let (open, gate) = mpsc::channel();
    let client = WebClient::with_resolver(WebPolicy::default(), Arc::new(Gate(Mutex::new(gate))));
    thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                let result = send_within(&client, &url, Duration::from_millis(200));
                assert!(matches!(result, Err(WebhookError::TimedOut { .. })), "{result:?}");
            });
        }
    });
    let error = send_to(&client, &url).unwrap_err();
    assert!(matches!(error, WebhookError::Unresolved { .. }) && error.to_string().contains("32 lookups"), "{error}");
    for _ in 0..33 {
        open.send(()).unwrap();
    }
    assert!(until(|| send_to(&client, &url).is_ok()));
}

#[test]
fn an_unknown_name_is_said_so() {
    let error = send_to(&client(), "http://no-such-host.invalid/").unwrap_err();
    assert!(matches!(error, WebhookError::Unresolved { .. }), "{error:?}");
}
