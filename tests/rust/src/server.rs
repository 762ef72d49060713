//! A web server that answers as a case says and remembers what it was asked.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value, json};

/// A server on a port of its own.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    /// Starts a server that answers these paths.
    #[expect(clippy::disallowed_methods, reason = "the server stands outside of the engine")]
    pub(crate) fn start(answers: Map<String, Value>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, answers) = (Arc::<Mutex<Vec<Value>>>::default(), Arc::new(answers));
        let remembers = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, remembers) = (Arc::clone(&answers), Arc::clone(&remembers));
                std::thread::spawn(move || answer(stream, &answers, &remembers));
            }
        });
        Self { address, asked }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it was asked since the last look.
    pub(crate) fn asked(&self) -> Value {
        Value::Array(std::mem::take(&mut *self.asked.lock().unwrap()))
    }
}

/// One request and its answer; a disconnected caller is no fault.
fn answer(stream: TcpStream, answers: &Map<String, Value>, remembers: &Mutex<Vec<Value>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Map::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().into());
    }
    let length = headers.get("content-length").and_then(Value::as_str).map_or(0, |text| text.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    remembers.lock().unwrap().push(json!({"method": method, "path": path, "headers": headers, "body": body}));

    let nothing = json!({"status": 404});
    let written = answers.get(&path).unwrap_or(&nothing);
    std::thread::sleep(Duration::from_millis(written["delay_ms"].as_u64().unwrap_or(0)));
    let body = match written.get("body") {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let status = written["status"].as_u64().unwrap_or(200);
    let mut head = format!("HTTP/1.1 {status} Answer\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in written["headers"].as_object().into_iter().flatten() {
        write!(head, "{name}: {}\r\n", value.as_str().unwrap()).unwrap();
    }
    reader.get_mut().write_all(format!("{head}\r\n{body}").as_bytes()).ok()
}
