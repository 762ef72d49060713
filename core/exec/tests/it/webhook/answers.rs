//! Requests as servers see them, and answers as they come.

use std::io::Write;

use hookweave_exec::cancel::Cancel;
use hookweave_exec::webhook::{Method, WebClient, WebPolicy, WebResponse, WebhookError};

use super::server::{Server, answer};
use super::{AMPLE, client, hook, send, send_to, until};

#[test]
fn an_event_is_sent_as_json() {
    let server = Server::fixed(answer("200 OK", "", ""));
    let mut spec = hook(&server.url("/hooks/pre?team=a%20b#part"));
    let body = r#"{"tool":"Bash","input":"ä"}"#.as_bytes();
    client().send(&spec, body, &|_| None, AMPLE, &Cancel::new()).unwrap();
    spec.method = Method::Put;
    client().send(&spec, body, &|_| None, AMPLE, &Cancel::new()).unwrap();

    let [post, put] = <[_; 2]>::try_from(server.requests()).unwrap();
    assert_eq!(post.line(), "POST /hooks/pre?team=a%20b HTTP/1.1");
    assert_eq!(put.line(), "PUT /hooks/pre?team=a%20b HTTP/1.1");
    for request in [post, put] {
        assert_eq!(request.all("content-type"), ["application/json"]);
        assert_eq!(request.all("content-length"), [body.len().to_string()]);
        assert_eq!(request.all("accept-encoding"), ["identity"]);
        assert_eq!(request.all("host"), [server.address.to_string()]);
        assert!(request.header("user-agent").starts_with("hookweave/"));
        assert_eq!(request.body, body);
    }
}

#[test]
fn headers_carry_allowed_variables_and_no_others() {
    let server = Server::fixed(answer("200 OK", "", ""));
    let mut spec = hook(&server.url("/"));
    spec.headers =
        vec![("Authorization".to_owned(), "Bearer ${TOKEN}".to_owned()), ("X-Home".to_owned(), "[$HOME]".to_owned())];
    spec.allowed_env = vec!["TOKEN".to_owned()];
    let environment = |name: &str| Some(format!("value-of-{name}"));
    client().send(&spec, b"{}", &environment, AMPLE, &Cancel::new()).unwrap();
    let policy = WebPolicy { allowed_env: Some(Vec::new()), ..WebPolicy::default() };
    WebClient::new(policy).send(&spec, b"{}", &environment, AMPLE, &Cancel::new()).unwrap();

    let requests = server.requests();
    assert_eq!(requests[0].all("authorization"), ["Bearer value-of-TOKEN"]);
    assert_eq!(requests[0].all("x-home"), ["[]"]);
    assert_eq!(requests[1].all("authorization"), ["Bearer"]);
}

#[test]
fn a_line_break_from_the_environment_sends_nothing() {
    let server = Server::fixed(answer("200 OK", "", ""));
    let mut spec = hook(&server.url("/"));
    spec.headers = vec![("X-Key".to_owned(), "$TOKEN".to_owned())];
    spec.allowed_env = vec!["TOKEN".to_owned()];
    let environment = |_: &str| Some("a\r\nX-Admin: 1".to_owned());
    let error = client().send(&spec, b"{}", &environment, AMPLE, &Cancel::new()).unwrap_err();
    assert!(matches!(error, WebhookError::BadHeader { .. }), "{error}");
    assert_eq!(client().check(&spec, &environment), Err(error));
    assert_eq!(server.connections(), 0);
}

#[test]
fn every_status_is_an_answer() {
    for (head, status, content_type, body) in [
        ("200 OK", 200, None, ""),
        ("204 No Content", 204, None, ""),
        ("200 OK", 200, Some("application/json; charset=utf-8"), r#"{"decision":"block"}"#),
        ("201 Created", 201, Some("text/plain"), "use rg"),
        ("304 Not Modified", 304, None, ""),
        ("400 Bad Request", 400, Some("text/plain"), "no"),
        ("500 Oops", 500, Some("text/html"), "<h1>"),
        ("599 ", 599, None, "x"),
    ] {
        let fields = content_type.map_or_else(String::new, |text| format!("content-type: {text}\r\n"));
        let server = Server::fixed(if status == 204 || status == 304 {
            format!("HTTP/1.1 {head}\r\n\r\n")
        } else {
            answer(head, &fields, body)
        });
        let expected = WebResponse { status, content_type: content_type.map(str::to_owned), body: body.into() };
        assert_eq!(send(&server.url("/")), Ok(expected));
    }
}

#[test]
fn answers_may_be_chunked_or_end_with_the_connection() {
    for bytes in [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\n\r\nhello",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ] {
        let server = Server::closing(bytes);
        assert_eq!(send(&server.url("/")).unwrap().body, b"hello", "{bytes}");
    }
}

#[test]
fn connections_are_used_again() {
    // They are kept for seconds, which may be over on a busy machine.
    assert!(until(|| {
        let server = Server::fixed(answer("200 OK", "", "{}"));
        let client = client();
        (0..5).for_each(|_| _ = send_to(&client, &server.url("/")).unwrap());
        (server.connections(), server.requests().len()) == (1, 5)
    }));
}

#[test]
fn a_connection_that_the_server_closed_is_not() {
    let server = Server::closing(answer("200 OK", "", "{}"));
    let client = client();
    for sent in 1..=3 {
        send_to(&client, &server.url("/")).unwrap();
        assert!(until(|| server.closed() == sent));
    }
    assert_eq!(server.connections(), 3);
}

#[test]
fn what_a_server_sends_unasked_is_no_answer_to_the_next_request() {
    let server = Server::new(|request, stream| {
        let forged = answer("200 OK", "", "forged");
        let real = answer("200 OK", "", request.path());
        stream.write_all(format!("{real}{forged}").as_bytes()).is_ok()
    });
    let client = client();
    for path in ["/a", "/b"] {
        assert_eq!(send_to(&client, &server.url(path)).unwrap().body, path.as_bytes());
    }
    assert_eq!(server.connections(), 2);
}

#[test]
fn proxies_of_the_environment_are_not_used() {
    // The environment of a process cannot be changed safely, so the same test runs in another one.
    let program = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new(program);
    child.args(["--exact", "webhook::answers::an_event_is_sent_as_json"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        child.env(name, "http://127.0.0.1:9");
    }
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn many_threads_share_a_client() {
    let server =
        Server::new(|request, stream| stream.write_all(answer("200 OK", "", request.path()).as_bytes()).is_ok());
    let client = client();
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let (client, server) = (&client, &server);
            scope.spawn(move || {
                for round in 0..20 {
                    let path = format!("/{thread}/{round}");
                    assert_eq!(send_to(client, &server.url(&path)).unwrap().body, path.as_bytes());
                }
            });
        }
    });
    assert_eq!(server.requests().len(), 320);
    assert!(server.connections() < 320, "none is used again");
}
