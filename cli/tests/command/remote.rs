//! A server of the Model Context Protocol behind an address: the test is the client, and the server too.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Place;

/// Longer than the busiest machine takes.
const LONG: Duration = Duration::from_secs(120);

const HOOKS: &str = "hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\nmatcher = { rule = \"Bash(git push*)\" }\nblock = \"a person pushes\"\n";

const JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "Content-Type: text/event-stream\r\n";

struct Request {
    method: String,
    headers: Vec<(String, String)>,
    body: Value,
}

impl Request {
    fn read(from: &TcpStream) -> Option<Self> {
        let mut from = BufReader::new(from);
        let mut line = String::new();
        from.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let method = line.split(' ').next()?.to_owned();
        let mut headers = Vec::new();
        loop {
            line.clear();
            from.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut request = Self { method, headers, body: Value::Null };
        if let Some(length) = request.header("content-length") {
            let mut body = vec![0; length.parse().unwrap()];
            from.read_exact(&mut body).ok()?;
            request.body = serde_json::from_slice(&body).unwrap_or_default();
        }
        Some(request)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    fn says(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    fn result(&self, result: &Value) -> String {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result}).to_string()
    }

    fn tool_text(&self) -> String {
        self.result(&json!({"content": [{"type": "text", "text": self.body["params"]["arguments"]["command"]}]}))
    }
}

fn answer(to: &mut TcpStream, status: u16, headers: &str, body: &str) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n");
    let _ = to.write_all((head + body).as_bytes());
}

/// Begins a stream that ends with its connection.
fn events(to: &mut TcpStream, text: &str) {
    let _ = to.write_all(format!("HTTP/1.1 200 X\r\n{EVENTS}Connection: close\r\n\r\n{text}").as_bytes());
}

fn event(data: &str) -> String {
    format!("data: {data}\n\n")
}

/// What a server does that does nothing special.
fn usual(request: &Request, to: &mut TcpStream) {
    match (request.method.as_str(), request.says()) {
        ("POST", "initialize") => {
            let body = request.result(&json!({"protocolVersion": "2025-11-25", "capabilities": {}}));
            answer(to, 200, &format!("{JSON}Mcp-Session-Id: s-1\r\n"), &body);
        }
        ("POST", "tools/call") => answer(to, 200, JSON, &request.tool_text()),
        ("POST", method) if method.starts_with("notifications/") => answer(to, 202, "", ""),
        ("POST", _) if request.body.get("id").is_some() && request.body.get("method").is_none() => {
            answer(to, 202, "", "");
        }
        ("POST", _) => answer(to, 200, JSON, &request.result(&json!({}))),
        ("DELETE", _) => answer(to, 200, "", ""),
        _ => answer(to, 405, "", ""),
    }
}

/// A client, the proxy, and what the server has got.
struct Conversation {
    child: Child,
    got: Receiver<String>,
    errors: Receiver<String>,
    seen: Receiver<Request>,
    _place: Place,
}

#[expect(clippy::disallowed_methods, reason = "a pipe is read while the test waits with a limit")]
fn lines(from: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}

#[expect(clippy::disallowed_methods, reason = "each connection is a thread of the test's server")]
fn serve(listener: TcpListener, seen: Sender<Request>, act: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static) {
    let act = Arc::new(act);
    std::thread::spawn(move || {
        for to in listener.incoming() {
            let (mut to, act, seen) = (to.unwrap(), Arc::clone(&act), seen.clone());
            std::thread::spawn(move || {
                let Some(request) = Request::read(&to) else { return };
                act(&request, &mut to);
                let _ = seen.send(request);
            });
        }
    });
}

impl Conversation {
    fn new(act: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static) -> Self {
        Self::with(&[], act)
    }

    fn with(options: &[&str], act: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (sender, seen) = channel();
        serve(listener, sender, act);
        Self::at(&url, options, seen)
    }

    fn at(url: &str, options: &[&str], seen: Receiver<Request>) -> Self {
        Self::started(&[&["--url", url], options].concat(), "", seen)
    }

    #[expect(clippy::disallowed_methods, reason = "the program is tested as a process")]
    fn started(options: &[&str], entry: &str, seen: Receiver<Request>) -> Self {
        let place = Place::empty();
        std::fs::write(place.project.join("servers.toml"), HOOKS).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_hookweave"))
            .args(["mcp-proxy", "-f", "servers.toml", "--name", "far"])
            .args(options)
            .current_dir(&place.project)
            .env_clear()
            .envs([("HOME", place.project.to_str().unwrap()), ("KEY", "hunter2"), ("HOOKWEAVE_MCP_ENTRY", entry)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (got, errors) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Self { child, got, errors, seen, _place: place }
    }

    fn says(&mut self, message: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn asks(&mut self, id: u32, method: &str) -> Value {
        self.says(&json!({"jsonrpc": "2.0", "id": id, "method": method}));
        self.gets()
    }

    fn calls(&mut self, id: u32, command: &str) {
        let params = json!({"name": "run", "arguments": {"command": command}});
        self.says(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    fn gets(&self) -> Value {
        serde_json::from_str(&self.got.recv_timeout(LONG).unwrap()).unwrap()
    }

    /// The text of the error that a call gets.
    fn call_fails(&mut self, id: u32) -> String {
        self.calls(id, "ls");
        let got = self.gets();
        assert_eq!(got["id"], id, "{got}");
        got["error"]["message"].as_str().unwrap_or_else(|| panic!("{got}")).to_owned()
    }

    fn begins(&mut self) {
        assert_eq!(self.asks(0, "initialize")["result"]["protocolVersion"], "2025-11-25");
        self.says(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    fn sees(&self, method: &str, says: &str) -> Request {
        loop {
            let request = self.seen.recv_timeout(LONG).unwrap_or_else(|_| panic!("no {method} {says}"));
            if request.method == method && request.says() == says {
                return request;
            }
        }
    }

    /// Ends the client's side; gives the exit code, and what was said to the person.
    fn ends(mut self) -> (Option<i32>, String) {
        drop(self.child.stdin.take());
        assert_eq!(self.got.recv_timeout(LONG).unwrap_err(), RecvTimeoutError::Disconnected);
        let mut errors = String::new();
        while let Ok(line) = self.errors.recv_timeout(LONG) {
            errors += &(line + "\n");
        }
        (self.child.wait().unwrap().code(), errors)
    }
}

#[test]
fn each_request_has_the_session_its_version_and_the_headers_that_were_given() {
    let mut far = Conversation::with(&["--header", "Authorization: Bearer ${KEY}"], usual);
    far.begins();
    let first = far.sees("POST", "initialize");
    assert_eq!((first.header("mcp-session-id"), first.header("mcp-protocol-version")), (None, None));
    assert_eq!(first.header("accept"), Some("application/json, text/event-stream"));
    far.calls(1, "git push");
    assert_eq!(
        far.gets()["result"],
        json!({"content": [{"type": "text", "text": "a person pushes"}], "isError": true})
    );
    far.calls(2, "git pull");
    assert_eq!(far.gets()["result"]["content"][0]["text"], "git pull");
    let call = far.sees("POST", "tools/call");
    assert_eq!(call.body["params"]["arguments"]["command"], "git pull", "the other call did not get there");
    drop(far.child.stdin.take());
    let last = far.sees("DELETE", "");
    for request in [&call, &last] {
        assert_eq!(request.header("mcp-session-id"), Some("s-1"));
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"));
        assert_eq!(request.header("authorization"), Some("Bearer hunter2"));
    }
    assert_eq!(far.ends(), (Some(0), String::new()));
}

#[test]
fn a_server_is_reached_by_the_entry_that_a_client_had_for_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let headers = json!({"X-Key": "${KEY}", "X-More": "${NONE:-a}"});
    let entry = json!({"url": format!("http://{}/mcp", listener.local_addr().unwrap()), "headers": headers});
    let (sender, seen) = channel();
    serve(listener, sender, usual);
    let mut far = Conversation::started(&["--entry"], &entry.to_string(), seen);
    far.begins();
    let first = far.sees("POST", "initialize");
    assert_eq!((first.header("x-key"), first.header("x-more")), (Some("hunter2"), Some("a")));
    assert_eq!(far.ends(), (Some(0), String::new()));
}

#[test]
fn a_stream_brings_the_servers_messages_and_the_answer() {
    let mut far = Conversation::new(|request, to| match request.says() {
        "tools/call" => {
            let asks = json!({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"}).to_string();
            let text = format!(": hello\nretry: 5\n\nevent: message\n{}", event(&asks));
            events(to, &text);
            let pretty = request.tool_text().replacen(':', ":\ndata: ", 1);
            let _ = to.write_all(event(&pretty).as_bytes());
        }
        _ => usual(request, to),
    });
    far.begins();
    far.calls(1, "ls");
    assert_eq!(far.gets()["method"], "roots/list");
    assert_eq!(far.gets()["result"]["content"][0]["text"], "ls");
    far.says(&json!({"jsonrpc": "2.0", "id": "s1", "result": {"roots": []}}));
    assert_eq!(far.sees("POST", "").body["id"], "s1");
    assert_eq!(far.ends().0, Some(0));
}

#[test]
fn what_the_server_says_of_its_own_accord_is_heard_and_asked_for_again() {
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}).to_string();
    let mut far =
        Conversation::new(move |request, to| match (request.method.as_str(), request.header("last-event-id")) {
            ("GET", None) => events(to, &format!("id: 7\nretry: 1\n{}", event(&changed))),
            ("GET", Some("7")) => {
                events(to, &format!("id: 8\n{}", event(&changed)));
                // Open until the other side ends it.
                let _ = to.read(&mut [0]);
            }
            _ => usual(request, to),
        });
    far.begins();
    for _ in 0..2 {
        assert_eq!(far.gets()["method"], "notifications/tools/list_changed");
    }
    assert_eq!(far.ends(), (Some(0), String::new()));
}

#[test]
fn a_stream_that_breaks_goes_on_behind_its_last_event_or_is_an_error() {
    let answers: Mutex<Vec<String>> = Mutex::default();
    let mut far =
        Conversation::new(move |request, to| match (request.method.as_str(), request.header("last-event-id")) {
            ("GET", Some("a")) => events(to, &event(&answers.lock().unwrap().pop().unwrap())),
            ("POST", _) if request.says() == "tools/call" && request.body["id"] == 1 => {
                answers.lock().unwrap().push(request.tool_text());
                events(to, "id: a\nretry: 1\ndata:\n\n");
            }
            ("POST", _) if request.says() == "tools/call" => events(to, "data: {\"half\":"),
            _ => usual(request, to),
        });
    far.begins();
    far.calls(1, "ls");
    assert_eq!(far.gets()["result"]["content"][0]["text"], "ls");
    assert!(far.call_fails(2).contains("ended without it"));
    assert_eq!(far.ends().0, Some(0));
}

#[test]
fn whatever_goes_wrong_is_the_answer_to_the_call() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    let to_there = format!("Location: http://{}/mcp\r\n", elsewhere.local_addr().unwrap());
    let mut far = Conversation::with(&["--max-message", "1"], move |request, to| match request.body["id"].as_u64() {
        Some(1) => answer(to, 401, "", ""),
        Some(2) => answer(to, 403, "", "no"),
        Some(3) => answer(to, 404, "", ""),
        Some(4) => answer(to, 307, &to_there, ""),
        Some(5) => answer(to, 200, JSON, "[]"),
        Some(6) => answer(to, 200, JSON, &format!("\"{}\"", "x".repeat(1024 * 1024))),
        Some(7) => events(to, &event(&"x".repeat(1024 * 1024))),
        Some(8) => answer(to, 200, "Content-Type: text/html\r\n", "<html>"),
        Some(9) => answer(to, 500, JSON, r#"{"error": {"message": "out of\u001b order"}}"#),
        Some(10) => answer(to, 200, JSON, r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#),
        Some(11) => answer(to, 202, "", ""),
        Some(12) => events(to, &event("{\"id\": 12, \"id\": 12, \"result\": {}}")),
        Some(13) => {}
        _ => usual(request, to),
    });
    far.begins();
    for (id, part) in [
        (1, "refuses access (status 401)"),
        (2, "Bearer ${TOKEN}"),
        (3, "has ended the session"),
        (4, "another origin is not followed"),
        (5, "is a batch"),
        (6, "longer than 1048576 bytes"),
        (7, "longer than 1048576 bytes"),
        (8, "`text/html`, which is neither"),
        (9, "status 500: out of\\u{1b} order"),
        (10, "not the answer to the request"),
        (11, "neither JSON nor a stream"),
        (12, "a key twice"),
        (13, "broken answer"),
    ] {
        let said = far.call_fails(id);
        assert!(said.contains(part), "{id}: {said}");
    }
    assert!(elsewhere.set_nonblocking(true).is_ok() && elsewhere.accept().is_err());
    far.calls(14, "ls");
    assert_eq!(far.gets()["result"]["content"][0]["text"], "ls", "the conversation goes on");
    assert_eq!(far.ends(), (Some(0), String::new()));
}

#[test]
fn a_server_that_is_silent_or_not_there_is_an_error_of_each_request() {
    let mut far = Conversation::with(&["--timeout", "1"], |request, to| match request.body["id"].as_u64() {
        Some(1) => _ = to.read(&mut [0]),
        Some(2) => {
            events(to, ": wait\n");
            let _ = to.read(&mut [0]);
        }
        _ => usual(request, to),
    });
    far.begins();
    for id in [1, 2] {
        let said = far.call_fails(id);
        assert!(said.contains("within 1s"), "{said}");
    }
    assert_eq!(far.ends().0, Some(0));
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let options = ["--header", "X-Key: ${KEY}"];
    let mut far = Conversation::at(&format!("http://{gone}/mcp?key=hunter2"), &options, channel().1);
    let said = far.asks(1, "initialize")["error"]["message"].to_string() + &far.call_fails(2);
    assert!(said.matches("cannot connect").count() == 2 && !said.contains("hunter2"), "{said}");
    far.says(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let (code, errors) = far.ends();
    assert!(code == Some(0) && errors.contains("did not reach the server far"), "{errors}");
    assert!(!errors.contains("hunter2"), "{errors}");
}

#[test]
fn a_call_that_the_client_cancels_ends_its_request() {
    let (sender, under_way) = channel();
    let sender = Mutex::new(sender);
    let mut far = Conversation::new(move |request, to| match request.body["id"].as_u64() {
        Some(1) => {
            sender.lock().unwrap().send(()).unwrap();
            let _ = to.read(&mut [0]);
        }
        _ => usual(request, to),
    });
    far.begins();
    far.calls(1, "ls");
    under_way.recv_timeout(LONG).unwrap();
    let params = json!({"requestId": 1});
    far.says(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    assert_eq!(far.sees("POST", "notifications/cancelled").body["params"], params);
    assert_eq!(far.ends(), (Some(0), String::new()));
}

#[test]
fn a_session_that_was_lost_can_be_begun_again() {
    let sessions = Mutex::new(0);
    let mut far = Conversation::new(move |request, to| {
        let mut sessions = sessions.lock().unwrap();
        let own = format!("s-{}", *sessions);
        match request.says() {
            "initialize" => {
                *sessions += 1;
                let headers = format!("{JSON}Mcp-Session-Id: s-{}\r\n", *sessions);
                answer(to, 200, &headers, &request.result(&json!({"protocolVersion": "2025-11-25"})));
            }
            "ping" => {
                *sessions += 1;
                answer(to, 200, JSON, &request.result(&json!({})));
            }
            "tools/call" if request.header("mcp-session-id") != Some(&own) => answer(to, 404, "", ""),
            _ => usual(request, to),
        }
    });
    far.begins();
    far.asks(1, "ping");
    assert!(far.call_fails(2).contains("has ended the session"));
    far.asks(3, "initialize");
    far.calls(4, "ls");
    assert_eq!(far.gets()["result"]["content"][0]["text"], "ls");
    assert_eq!(far.ends().0, Some(0));
}

#[test]
fn what_could_never_be_sent_is_refused_at_the_start() {
    for (url, options, part) in [
        ("http://far.test/mcp?key=hunter2", vec![], "`http://far.test/mcp?…`: is plain http to another machine"),
        ("ftp://far.test/", vec![], "`ftp`"),
        ("https://far.test/", vec!["--header", "hunter2"], "'NAME: VALUE'"),
        ("https://far.test/", vec!["--header", "A: ${NONE}hunter2"], "`NONE`, which is not set"),
        ("https://far.test/", vec!["--header", "Mcp-Session-Id: hunter2"], "leave it out"),
        ("https://far.test/", vec!["--header", "Host: hunter2"], "leave it out"),
    ] {
        let (code, errors) = Conversation::at(url, &options, channel().1).ends();
        assert!(code == Some(2) && errors.contains(part) && !errors.contains("hunter2"), "{url}: {errors}");
    }
}
