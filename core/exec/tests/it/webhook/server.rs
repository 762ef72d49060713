//! A small HTTP server of which a test decides every byte.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hookweave_exec::webhook::Resolve;

/// A request as it arrived.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// `POST /hook HTTP/1.1`.
    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    pub(crate) fn path(&self) -> &str {
        self.line().split(' ').nth(1).unwrap_or_default()
    }

    /// Every value of a header.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let fields = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        fields.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).collect()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.all(name).first().copied().unwrap_or_default()
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers each request with what the function writes; a connection ends when it returns false.
    pub(crate) fn new(answer: impl Fn(&Request, &mut TcpStream) -> bool + Send + Sync + 'static) -> Self {
        Self::raw(move |stream, requests| {
            while let Some(request) = read_request(stream) {
                requests.lock().unwrap().push(request.clone());
                if !answer(&request, stream) {
                    break;
                }
            }
        })
    }

    /// Answers every request with these bytes and keeps the connection.
    pub(crate) fn fixed(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(move |_, stream| stream.write_all(&bytes).is_ok())
    }

    /// Answers every request with these bytes and closes the connection.
    pub(crate) fn closing(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(move |_, stream| stream.write_all(&bytes).is_err())
    }

    /// Gives each connection to the function.
    pub(crate) fn raw(serve: impl Fn(&mut TcpStream, &Mutex<Vec<Request>>) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let [connections, closed] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (count, gone) = (Arc::clone(&connections), Arc::clone(&closed));
        let (seen, serve) = (Arc::clone(&requests), Arc::new(serve));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, seen, serve) = (stream.unwrap(), Arc::clone(&seen), Arc::clone(&serve));
                let gone = Arc::clone(&gone);
                count.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || {
                    serve(&mut stream, &seen);
                    drop(stream);
                    gone.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, connections, closed, requests }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// How many connections this server has ended.
    pub(crate) fn closed(&self) -> usize {
        self.closed.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// Reads one request, or nothing at the end of the connection.
pub(crate) fn read_request(stream: &mut impl Read) -> Option<Request> {
    let head = read_head(stream)?;
    let mut request = Request { head, body: Vec::new() };
    request.body = vec![0; request.header("content-length").parse().unwrap_or(0)];
    stream.read_exact(&mut request.body).ok()?;
    Some(request)
}

/// Reads up to the empty line and leaves the body where it is.
pub(crate) fn read_head(stream: &mut impl Read) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    Some(String::from_utf8(head).unwrap())
}

/// An answer with its length.
pub(crate) fn answer(status: &str, fields: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\n\r\n{body}", body.len())
}

pub(crate) fn redirect(status: u16, location: &str) -> String {
    answer(&format!("{status} Elsewhere"), &format!("Location: {location}\r\n"), "")
}

/// Writes one byte after the other until the peer is gone.
pub(crate) fn drip(stream: &mut TcpStream, bytes: impl IntoIterator<Item = u8>) {
    for byte in bytes {
        if stream.write_all(&[byte]).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Reads until the peer closes.
pub(crate) fn hang(stream: &mut TcpStream) {
    while stream.read(&mut [0; 64]).is_ok_and(|amount| amount > 0) {}
}

/// A listener whose queue is full, so that connecting to it gets no reply. Keep what it returns.
pub(crate) fn deaf() -> (SocketAddr, TcpListener, Vec<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut queued = Vec::new();
    for _ in 0..10_000 {
        match TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
            Ok(stream) => queued.push(stream),
            Err(_) => return (address, listener, queued),
        }
    }
    panic!("the queue does not fill up");
}

/// Names that a test gives addresses to; each lookup takes the next answer, the last one stays.
pub(crate) struct Names(Mutex<Vec<Vec<SocketAddr>>>);

impl Names {
    pub(crate) fn new<const N: usize>(answers: [&[&str]; N], port: u16) -> Arc<Self> {
        let read = |text: &&str| SocketAddr::new(text.parse().unwrap(), port);
        Arc::new(Self(Mutex::new(answers.iter().map(|each| each.iter().map(read).collect()).collect())))
    }
}

impl Resolve for Names {
    fn resolve(&self, host: &str, _: u16) -> std::io::Result<Vec<SocketAddr>> {
        assert_eq!(host, "hook.test");
        let mut answers = self.0.lock().unwrap();
        Ok(if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() })
    }
}
