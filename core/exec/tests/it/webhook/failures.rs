//! Servers that are slow, silent, broken or too talkative.

use std::io::{Read, Write};
use std::iter::repeat;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use hookweave_exec::cancel::Cancel;
use hookweave_exec::webhook::{WebClient, WebPolicy, WebhookError};

use super::server::{Server, answer, deaf, drip, hang, read_head};
use super::{AMPLE, client, hook, send, send_to, send_within};

const SHORT: Duration = Duration::from_millis(300);

/// Sends with a short timeout; it must hold, and nothing else may go wrong before.
fn assert_times_out(url: &str, body: &[u8]) {
    let begin = Instant::now();
    let result = client().send(&hook(url), body, &|_| None, SHORT, &Cancel::new());
    let took = begin.elapsed();
    assert!(matches!(result, Err(WebhookError::TimedOut { after, .. }) if after == SHORT), "{result:?}");
    assert!(took >= SHORT, "took {took:?}");
}

fn broken(server: &Server) {
    let result = send(&server.url("/"));
    assert!(matches!(result, Err(WebhookError::Broken { .. })), "{result:?}");
}

#[test]
fn a_server_that_does_not_take_the_connection() {
    let (address, ..) = &deaf();
    assert_times_out(&format!("http://{address}/"), b"{}");
}

#[test]
fn a_server_that_never_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    assert_times_out(&format!("http://{}/", listener.local_addr().unwrap()), b"{}");
    let server = Server::new(|_, stream| {
        hang(stream);
        false
    });
    assert_times_out(&server.url("/"), b"{}");
}

#[test]
fn a_server_that_sends_its_headers_byte_by_byte() {
    let server = Server::new(|_, stream| {
        drip(stream, b"HTTP/1.1 200 OK\r\nX-Long: ".iter().copied().chain(repeat(b'x')));
        false
    });
    assert_times_out(&server.url("/"), b"{}");
}

#[test]
fn a_server_that_sends_its_body_byte_by_byte() {
    for head in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9999\r\n",
        // Nothing but the name of a chunk's extension.
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
    ] {
        let server = Server::new(move |_, stream| {
            stream.write_all(head.as_bytes()).unwrap();
            drip(stream, repeat(b' '));
            false
        });
        assert_times_out(&server.url("/"), b"{}");
    }
}

#[test]
fn a_server_that_hangs_after_its_headers() {
    let server = Server::new(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel").unwrap();
        hang(stream);
        false
    });
    assert_times_out(&server.url("/"), b"{}");
}

#[test]
fn a_server_that_never_ends_its_preliminaries() {
    let server = Server::new(|_, stream| {
        while stream.write_all(b"HTTP/1.1 102 Processing\r\n\r\n").is_ok() {
            thread::sleep(Duration::from_millis(5));
        }
        false
    });
    assert_times_out(&server.url("/"), b"{}");
}

#[test]
fn a_server_that_takes_the_request_byte_by_byte() {
    let event = vec![b' '; 32 * 1024 * 1024];
    let silent = Server::raw(|_, _| thread::sleep(AMPLE));
    assert_times_out(&silent.url("/"), &event);
    let slow = Server::raw(|stream, _| {
        while stream.read(&mut [0; 16 * 1024]).is_ok_and(|amount| amount > 0) {
            thread::sleep(Duration::from_millis(5));
        }
    });
    assert_times_out(&slow.url("/"), &event);
}

#[test]
fn no_time_at_all_is_over_at_once() {
    let server = Server::fixed(answer("200 OK", "", ""));
    let result = send_within(&client(), &server.url("/"), Duration::ZERO);
    assert!(matches!(result, Err(WebhookError::TimedOut { .. })), "{result:?}");
    assert!(send_within(&client(), &server.url("/"), Duration::MAX).is_ok());
}

#[test]
fn nobody_listens() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = send(&format!("http://{address}/hook?key=hunter2")).unwrap_err();
    assert!(matches!(error, WebhookError::Unreachable { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains(&format!("`http://{address}/hook?…`")) && !text.contains("hunter2"), "{text}");
}

#[test]
fn what_is_no_http() {
    for bytes in [
        "",
        "\r\n\r\n",
        "hello\r\n\r\n",
        "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 99999 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: y",
        "HTTP/9.9 200 OK\r\n\r\n",
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\nhello",
    ] {
        broken(&Server::closing(bytes));
    }
}

#[test]
fn an_answer_that_ends_too_early() {
    for bytes in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello",
    ] {
        broken(&Server::closing(bytes));
    }
}

#[test]
fn a_reset_connection_is_no_end_of_an_answer() {
    // Closing while the request's body is unread resets the connection.
    let server = Server::raw(|stream, _| {
        read_head(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhalf").unwrap();
        thread::sleep(Duration::from_millis(100));
    });
    broken(&server);
}

#[test]
fn headers_without_end() {
    let server = Server::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream
            .write_all(b"X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n")
            .is_ok()
        {}
        false
    });
    broken(&server);
    let server = Server::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX: ");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
        false
    });
    broken(&server);
}

#[test]
fn headers_over_their_cap() {
    broken(&Server::closing(answer("200 OK", &format!("X: {}\r\n", "x".repeat(17 * 1024)), "")));
    let server = Server::closing(answer("200 OK", &format!("X: {}\r\n", "x".repeat(15 * 1024)), ""));
    assert_eq!(send(&server.url("/")).unwrap().status, 200);
}

#[test]
fn an_answer_over_the_cap_is_a_failure() {
    let heads = [
        // Says so beforehand, and never sends it.
        ("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", ""),
        ("HTTP/1.1 500 Oops\r\nContent-Length: 99999999999\r\n\r\n", ""),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "64\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n",
        ),
        ("HTTP/1.1 200 OK\r\n\r\n", "endless "),
    ];
    for (head, more) in heads {
        let server = Server::new(move |_, stream| {
            stream.write_all(head.as_bytes()).unwrap();
            while !more.is_empty() && stream.write_all(more.as_bytes()).is_ok() {}
            hang(stream);
            false
        });
        let client = WebClient::new(WebPolicy { response_cap: 1000, ..WebPolicy::default() });
        let result = send_to(&client, &server.url("/"));
        assert!(matches!(result, Err(WebhookError::TooLarge { limit: 1000, .. })), "{head:?}: {result:?}");
    }
}

#[test]
fn an_answer_as_large_as_the_cap_is_none() {
    let client = WebClient::new(WebPolicy { response_cap: 1000, ..WebPolicy::default() });
    let body = "x".repeat(1000);
    for bytes in [
        answer("200 OK", "", &body),
        format!("HTTP/1.1 200 OK\r\n\r\n{body}"),
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n{body}\r\n0\r\n\r\n"),
    ] {
        let server = Server::closing(bytes);
        assert_eq!(send_to(&client, &server.url("/")).unwrap().body, body.as_bytes());
    }
    assert_eq!(WebPolicy::default().response_cap, 1024 * 1024);
}

#[test]
fn a_compressed_answer_is_not_read() {
    let server = Server::fixed(answer("200 OK", "Content-Encoding: gzip\r\n", "\u{1f}"));
    let error = send(&server.url("/")).unwrap_err();
    assert!(matches!(&error, WebhookError::Encoded { encoding, .. } if encoding == "gzip"), "{error:?}");
    let server = Server::fixed(answer("200 OK", "Content-Encoding: identity\r\nContent-Encoding: br\r\n", "x"));
    assert!(matches!(send(&server.url("/")), Err(WebhookError::Encoded { .. })));
    let server = Server::fixed(answer("200 OK", "Content-Encoding: identity\r\n", "x"));
    assert_eq!(send(&server.url("/")).unwrap().body, b"x");
}
