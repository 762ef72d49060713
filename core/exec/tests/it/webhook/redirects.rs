//! Redirects: within the origin, and nowhere else.

use std::io::Write;

use hookweave_exec::cancel::Cancel;
use hookweave_exec::webhook::{Method, WebClient, WebPolicy, WebhookError};

use super::server::{Names, Server, answer, redirect};
use super::{AMPLE, client, hook, send, send_to, until};

/// Redirects `/N` to `/N-1` and answers at `/0`.
fn countdown(status: u16) -> Server {
    Server::new(move |request, stream| {
        let bytes = match request.path().trim_start_matches('/').parse::<u32>() {
            Ok(0) | Err(_) => answer("200 OK", "", "there"),
            Ok(left) => redirect(status, &format!("/{}", left - 1)),
        };
        stream.write_all(bytes.as_bytes()).is_ok()
    })
}

fn why(result: Result<impl std::fmt::Debug, WebhookError>) -> String {
    match result {
        Err(WebhookError::Redirected { url, status, to, why }) => format!("{url} {status} {to} {why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn within_the_origin_everything_is_kept() {
    for status in [307, 308] {
        // A connection is kept for seconds, which may be over on a busy machine.
        assert!(until(|| {
            let server = countdown(status);
            let mut spec = hook(&server.url("/2"));
            spec.method = Method::Put;
            spec.headers = vec![("X-Key".to_owned(), "secret".to_owned())];
            let result = client().send(&spec, b"{\"a\":1}", &|_| None, AMPLE, &Cancel::new()).unwrap();
            assert_eq!(result.body, b"there");
            let requests = server.requests();
            assert_eq!(requests.iter().map(super::server::Request::path).collect::<Vec<_>>(), ["/2", "/1", "/0"]);
            for request in &requests {
                assert!(request.line().starts_with("PUT ") && request.body == b"{\"a\":1}");
                assert_eq!(request.all("x-key"), ["secret"]);
            }
            server.connections() == 1
        }));
    }
}

#[test]
fn those_that_would_drop_the_event_are_refused() {
    for status in [301, 302, 303] {
        let server = countdown(status);
        let text = why(send(&server.url("/1")));
        assert!(
            text.contains(&format!("{status} {}", server.url("/0"))) && text.contains("drop what is sent"),
            "{text}"
        );
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn at_most_five_are_followed() {
    let server = countdown(307);
    assert_eq!(send(&server.url("/5")).unwrap().body, b"there");
    assert!(why(send(&server.url("/6"))).contains("too many"));
    let server = Server::fixed(redirect(308, "/"));
    assert!(why(send(&server.url("/"))).contains("too many"));
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn another_origin_is_refused_and_hears_nothing() {
    let other = Server::fixed(answer("200 OK", "", "stolen"));
    for status in [301, 302, 303, 307, 308] {
        let server = Server::fixed(redirect(status, &other.url("/x?token=hunter2")));
        let text = why(send(&server.url("/")));
        assert!(text.contains("another origin") && text.contains(&other.url("/x?…")), "{text}");
        assert!(!text.contains("hunter2"));
    }
    assert_eq!(other.connections(), 0);
    let server = Server::new(|request, stream| {
        let host = request.header("host").to_owned();
        let location = match request.path() {
            "/secure" => format!("https://{host}/"),
            "/name" => format!("http://localhost:{}/", host.rsplit(':').next().unwrap()),
            "/metadata" => "http://169.254.169.254/latest/meta-data/".to_owned(),
            _ => "//example.invalid/".to_owned(),
        };
        stream.write_all(redirect(307, &location).as_bytes()).is_ok()
    });
    for path in ["/secure", "/name", "/metadata", "/relative"] {
        assert!(why(send(&server.url(path))).contains("another origin"));
    }
}

#[test]
fn a_place_that_is_none_is_refused() {
    for location in ["javascript:alert(1)", "file:///etc/passwd", "http://user:hunter2@127.0.0.1/", "http://["] {
        let server = Server::fixed(redirect(307, location));
        let error = send(&server.url("/")).unwrap_err();
        assert!(matches!(error, WebhookError::BadUrl { .. }), "{error:?}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
    let server = Server::fixed(redirect(307, "/\u{fc}"));
    assert!(why(send(&server.url("/"))).contains("no text"));
}

#[test]
fn without_a_place_it_is_an_answer() {
    let server = Server::fixed(answer("307 Temporary Redirect", "", "x"));
    assert_eq!(send(&server.url("/")).unwrap().status, 307);
}

#[test]
fn the_list_of_allowed_urls_holds_for_each_step() {
    let server = Server::fixed(redirect(307, "/admin"));
    let allowed = format!("http://{}/hooks/*", server.address);
    let client = WebClient::new(WebPolicy { allowed_urls: Some(vec![allowed]), ..WebPolicy::default() });
    let error = send_to(&client, &server.url("/hooks/a")).unwrap_err();
    assert_eq!(error, WebhookError::NotAllowed { url: server.url("/admin") });
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn the_address_is_checked_again_at_each_step() {
    // The same origin by its name, which has meanwhile come to mean something else.
    let server = Server::closing(redirect(307, "/again"));
    let names = Names::new([&["127.0.0.1"], &["169.254.169.254"]], server.address.port());
    let client = WebClient::with_resolver(WebPolicy::default(), names);
    let error = send_to(&client, &format!("http://hook.test:{}/", server.address.port())).unwrap_err();
    assert!(matches!(error, WebhookError::Refused { .. }), "{error:?}");
    assert_eq!(server.requests().len(), 1);
}
