//! Requests that another thread ends.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hookweave_exec::cancel::Cancel;
use hookweave_exec::webhook::{Resolve, WebClient, WebPolicy, WebhookError};

use super::server::{Server, answer, deaf, drip, hang};
use super::{AMPLE, client, hook, send_to, until};

/// Cancels while the request hangs; it must end as cancelled, and not when its time is over.
fn assert_ends(client: &WebClient, url: &str, body: &[u8]) {
    let cancel = Cancel::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            cancel.cancel();
        });
        let result = client.send(&hook(url), body, &|_| None, AMPLE, &cancel);
        assert!(matches!(result, Err(WebhookError::Cancelled { .. })), "{result:?}");
    });
}

struct Stuck;

impl Resolve for Stuck {
    fn resolve(&self, _: &str, _: u16) -> std::io::Result<Vec<SocketAddr>> {
        thread::sleep(AMPLE);
        Ok(Vec::new())
    }
}

#[test]
fn while_the_name_is_looked_up() {
    let client = WebClient::with_resolver(WebPolicy::default(), Arc::new(Stuck));
    assert_ends(&client, "http://hook.test/", b"{}");
}

#[test]
fn while_connecting() {
    let (address, ..) = &deaf();
    assert_ends(&client(), &format!("http://{address}/"), b"{}");
}

#[test]
fn while_sending() {
    let server = Server::raw(|_, _| thread::sleep(AMPLE));
    assert_ends(&client(), &server.url("/"), &vec![b' '; 32 * 1024 * 1024]);
}

#[test]
fn while_waiting_for_the_answer() {
    let server = Server::new(|_, stream| {
        hang(stream);
        false
    });
    assert_ends(&client(), &server.url("/"), b"{}");
}

#[test]
fn while_securing_the_connection() {
    let server = Server::raw(|stream, _| hang(stream));
    assert_ends(&client(), &server.url("/").replace("http:", "https:"), b"{}");
}

#[test]
fn while_reading_the_answer() {
    for head in
        ["HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n{}", "HTTP/1.1 200 OK\r\nX: "]
    {
        let server = Server::new(move |_, stream| {
            stream.write_all(head.as_bytes()).unwrap();
            drip(stream, std::iter::repeat_n(b'x', 1000));
            false
        });
        assert_ends(&client(), &server.url("/"), b"{}");
    }
}

#[test]
fn before_it_begins() {
    let server = Server::fixed(answer("200 OK", "", ""));
    let client = client();
    let cancel = Cancel::new();
    cancel.cancel();
    // The second time there is a connection that could be used.
    for _ in 0..2 {
        let result = client.send(&hook(&server.url("/cancelled")), b"{}", &|_| None, AMPLE, &cancel);
        assert!(matches!(result, Err(WebhookError::Cancelled { .. })), "{result:?}");
        send_to(&client, &server.url("/fine")).unwrap();
    }
    assert!(server.requests().iter().all(|request| request.path() == "/fine"));
}

#[test]
fn the_server_learns_of_it_and_the_next_request_is_unharmed() {
    let (report, ended) = std::sync::mpsc::channel();
    let server = Server::new(move |request, stream| {
        if request.path() == "/hang" {
            hang(stream);
            let _ = report.send(());
        }
        stream.write_all(answer("200 OK", "", "fine").as_bytes()).is_ok()
    });
    let client = client();
    send_to(&client, &server.url("/")).unwrap();
    assert_ends(&client, &server.url("/hang"), b"{}");
    ended.recv_timeout(AMPLE).unwrap();
    assert_eq!(send_to(&client, &server.url("/")).unwrap().body, b"fine");
}

#[test]
fn after_its_end_it_harms_nobody() {
    // The connection is kept for seconds, which may be over on a busy machine.
    assert!(until(|| {
        let server = Server::fixed(answer("200 OK", "", "fine"));
        let client = client();
        let cancel = Cancel::new();
        client.send(&hook(&server.url("/")), b"{}", &|_| None, AMPLE, &cancel).unwrap();
        cancel.cancel();
        assert_eq!(send_to(&client, &server.url("/")).unwrap().body, b"fine");
        server.connections() == 1
    }));
}
