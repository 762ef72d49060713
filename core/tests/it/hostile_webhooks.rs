//! Servers that send arbitrary answers: each webhook ends, soon, as an answer or as a failure, and never by a panic.
//!
//! What they send is drawn by lot, the same in every run. `HOOKWEAVE_FUZZ_SECONDS` makes it another in every run, for so long.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hookweave::{Engine, Event, Outcome};
use hookweave_exec::cancel::Cancel;
use hookweave_exec::webhook::{Method, UnsetVariable, WebClient, WebPolicy, WebResponse, WebhookError, WebhookSpec};
use rustls::{ServerConfig, ServerConnection};
use serde_json::json;

use server::{Server, hang, read_request};

#[path = "../../exec/tests/it/webhook/server.rs"]
#[allow(dead_code, reason = "the tests of webhooks use all of it")]
mod server;

fn send_within(client: &WebClient, url: &str, timeout: Duration) -> Result<WebResponse, WebhookError> {
    let hook = WebhookSpec {
        url: url.to_owned(),
        method: Method::Post,
        headers: Vec::new(),
        allowed_env: Vec::new(),
        unset: UnsetVariable::Empty,
    };
    client.send(&hook, br#"{"event":"PreToolUse"}"#, &|_| None, timeout, &Cancel::new())
}

/// The largest answer that is read.
const CAP: usize = 64 * 1024;

/// Longer than any server here takes that ends by itself.
const AMPLE: Duration = crate::support::LONG;

/// The limit where a server never ends.
const BRIEF: Duration = Duration::from_millis(30);

/// Draws lots.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// One of several, of which the first are the likeliest.
    fn pick<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        let bound = 1 + self.below(among.len());
        among[self.below(bound)]
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.roll().to_le_bytes()[0]).collect()
    }
}

const STATUS_LINES: [&[u8]; 22] = [
    b"HTTP/1.1 200 OK",
    b"HTTP/1.1 500 Oops",
    b"HTTP/1.0 200 OK",
    b"HTTP/1.1 204 No Content",
    b"HTTP/1.1 304 Not Modified",
    b"HTTP/1.1 307 There",
    b"HTTP/1.1 308 There",
    b"HTTP/1.1 302 There",
    b"HTTP/1.1 100 Continue",
    b"HTTP/1.1 101 Switching",
    b"HTTP/1.1 199 What",
    b"HTTP/1.1 999 Much",
    b"HTTP/1.1 099 Little",
    b"HTTP/1.1 2000 Long",
    b"HTTP/1.1 -20 Below",
    b"HTTP/1.1 200",
    b"HTTP/1.1  200  OK",
    b"http/1.1 200 ok",
    b"HTTP/2 200 OK",
    b"HTTP/1.1 200 \x00\xff\x1b[31m",
    b"ICY 200 OK",
    b"",
];

const HEADERS: [&[u8]; 33] = [
    b"Content-Length: 2",
    b"Content-Type: application/json",
    b"Transfer-Encoding: chunked",
    b"Location: /circle",
    b"Connection: close",
    b"Content-Length: 5",
    b"Content-Length: 0",
    b"Content-Length: 70000",
    b"Content-Length: 18446744073709551615",
    b"Content-Length: 18446744073709551616",
    b"Content-Length: -1",
    b"Content-Length: +2",
    b"Content-Length: 2, 2",
    b"Content-Length: 2, 5",
    b"Content-Length: 0x2",
    b"Content-Length:",
    b"Transfer-Encoding: chunked, chunked",
    b"Transfer-Encoding: gzip, chunked",
    b"Transfer-Encoding: identity",
    b"Transfer-Encoding: \xff",
    b"Content-Encoding: gzip",
    b"Content-Encoding: \x80\x81",
    b"Content-Type: \xc3\x28",
    b"Location: //[::1",
    b"Location: \xff\xfe",
    b"Location: http://user:key@[fe80::1%25eth0]:99999/\x01",
    b"Connection: keep-alive, upgrade",
    b"Set-Cookie: a=b\x00c",
    b"X\x00Y: z",
    b"X\x1b[2J: z",
    b": no name",
    b"no colon",
    b" folded: onto the line before",
];

const CHUNK_SIZES: [&[u8]; 18] = [
    b"2",
    b"02",
    b"0000000000000000000000000002",
    b"0x2",
    b"2;name=value",
    b"2;\x00\xff",
    b"2 ",
    b" 2",
    b"+2",
    b"-2",
    b"g",
    b"",
    b"7fffffffffffffff",
    b"ffffffffffffffff",
    b"fffffffffffffffff",
    b"10000",
    b"10001",
    b"\xef\xbc\x92",
];

/// An answer, which may be one that a well-behaved server gives.
fn answer(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = Vec::new();
    let line_feed: &[u8] =
        if dice.one_in(25) { dice.pick(&[b"\n".as_slice(), b"\r", b"\n\r", b"\r\r\n"]) } else { b"\r\n" };
    let preliminaries = if dice.one_in(8) { dice.below(300) } else { 0 };
    for _ in 0..preliminaries {
        bytes.extend_from_slice(dice.pick(&[b"HTTP/1.1 100 Continue".as_slice(), b"HTTP/1.1 103 Hints\r\nLink: x"]));
        bytes.extend_from_slice(b"\r\n\r\n");
    }
    bytes.extend_from_slice(dice.pick(&STATUS_LINES));
    bytes.extend_from_slice(line_feed);
    let mut is_chunked = false;
    for _ in 0..dice.below(4) {
        let header = dice.pick(&HEADERS);
        is_chunked |= header.ends_with(b": chunked");
        bytes.extend_from_slice(header);
        bytes.extend_from_slice(line_feed);
    }
    if dice.one_in(12) {
        // Many, or a long one.
        let (many, long) = if dice.one_in(2) { (dice.below(3000), 3) } else { (1, dice.below(40_000)) };
        let filler = format!("X-{}: {}", dice.below(9), "x".repeat(long));
        for _ in 0..many {
            bytes.extend_from_slice(filler.as_bytes());
            bytes.extend_from_slice(line_feed);
        }
    }
    bytes.extend_from_slice(line_feed);
    body(dice, is_chunked, &mut bytes);
    mangle(dice, &mut bytes);
    bytes
}

fn body(dice: &mut Dice, is_chunked: bool, bytes: &mut Vec<u8>) {
    if is_chunked {
        for _ in 0..dice.below(4) {
            bytes.extend_from_slice(dice.pick(&CHUNK_SIZES));
            bytes.extend_from_slice(b"\r\n{}\r\n");
        }
        let ends: [&[u8]; 5] = [b"0\r\n\r\n", b"0\r\n\r\n", b"0\r\nTrailer: x\r\n\r\n", b"0\r\n", b""];
        bytes.extend_from_slice(dice.pick(&ends));
    } else if dice.one_in(10) {
        bytes.extend_from_slice(&dice.bytes(2 * CAP));
    } else {
        bytes.extend_from_slice(dice.pick(&[
            b"{}".as_slice(),
            b"",
            b"[[[[",
            b"\xff\xfe{}",
            b"null",
            b"{\"action\":7}",
        ]));
    }
}

/// Sometimes cuts, changes, doubles or puts in something.
fn mangle(dice: &mut Dice, bytes: &mut Vec<u8>) {
    if bytes.is_empty() || !dice.one_in(5) {
        return;
    }
    let at = dice.below(bytes.len());
    match dice.below(4) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << dice.below(8),
        2 => bytes.extend_from_within(at..),
        _ => drop(bytes.splice(at..at, dice.bytes(40)).count()),
    }
}

/// What a server does with each connection until the next script.
#[derive(Debug, Clone)]
struct Script {
    bytes: Vec<u8>,
    /// It waits for the request; otherwise the connection is reset, since the request is never read.
    listens: bool,
    /// It writes in so many pieces.
    pieces: usize,
    end: End,
    /// What befalls the records of TLS.
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The next request may come.
    Stays,
    Closes,
    Hangs,
    /// The end of what it sent comes again and again.
    Floods,
}

impl Script {
    fn new(dice: &mut Dice) -> Self {
        let end = match dice.below(40) {
            0 => End::Hangs,
            1 => End::Floods,
            2..=7 => End::Stays,
            _ => End::Closes,
        };
        let bytes = if dice.one_in(20) { dice.bytes(300) } else { answer(dice) };
        Self { bytes, listens: !dice.one_in(15), pieces: 1 + dice.below(3), end, seed: dice.roll() }
    }

    /// Such a server may keep a webhook waiting until its time is over.
    fn keeps_waiting(&self) -> bool {
        self.end != End::Closes
    }

    fn write(&self, stream: &mut impl Write) -> bool {
        let size = self.bytes.len() / self.pieces + 1;
        self.bytes.chunks(size).all(|piece| stream.write_all(piece).is_ok() && stream.flush().is_ok())
    }

    fn flood(&self, stream: &mut impl Write) {
        let from = self.bytes.len().saturating_sub(40);
        let piece = if self.bytes.is_empty() { b"\r\n".repeat(512) } else { self.bytes[from..].repeat(64) };
        while stream.write_all(&piece).is_ok() {}
    }

    /// Plays it on a connection whose request is read; says whether another may come.
    fn play(&self, stream: &mut TcpStream) -> bool {
        if !self.write(stream) {
            return false;
        }
        match self.end {
            End::Stays => return true,
            End::Closes => {}
            End::Hangs => hang(stream),
            End::Floods => self.flood(stream),
        }
        if self.listens {
            _ = stream.shutdown(Shutdown::Write);
        }
        false
    }

    /// Plays it over TLS, with records that are cut, changed and made up.
    fn play_secured(&self, config: &Arc<ServerConfig>, stream: &mut TcpStream) {
        let mut dice = Dice(self.seed);
        // From then on; most handshakes come to their end.
        let mut whole = dice.below(6);
        let mut session = ServerConnection::new(Arc::clone(config)).unwrap();
        let mut has_answered = false;
        loop {
            while session.wants_write() {
                let mut records = Vec::new();
                _ = session.write_tls(&mut records);
                if whole == 0 {
                    disturb(&mut dice, &mut records);
                    // Behind a record that was cut both sides would wait for each other.
                    stream.set_read_timeout(Some(Duration::from_millis(60))).unwrap();
                }
                whole = whole.saturating_sub(1);
                if stream.write_all(&records).is_err() {
                    return;
                }
            }
            if has_answered {
                break;
            }
            let came = session.read_tls(stream).is_ok_and(|amount| amount > 0);
            let Ok(state) = session.process_new_packets() else { return };
            if !came {
                return;
            }
            if !session.is_handshaking() && state.plaintext_bytes_to_read() > 0 {
                has_answered = true;
                self.write(&mut session.writer());
                if dice.one_in(2) {
                    session.send_close_notify();
                }
            }
        }
        if self.end == End::Hangs {
            hang(stream);
        }
        _ = stream.shutdown(Shutdown::Write);
    }
}

/// Cuts or changes records of TLS, or puts something before them.
fn disturb(dice: &mut Dice, records: &mut Vec<u8>) {
    let at = dice.below(records.len());
    match dice.below(6) {
        0 => records.truncate(at),
        1 if !records.is_empty() => records[at] ^= 1 << dice.below(8),
        // The length of the first record.
        2 if records.len() > 4 => {
            records[3..5].copy_from_slice(&u16::try_from(dice.below(65_536)).unwrap().to_be_bytes());
        }
        // An alert, an empty record, one of a kind that there is not.
        3 => drop(records.splice(0..0, [21, 3, 3, 0, 2, 2, dice.roll().to_le_bytes()[0]]).count()),
        4 => drop(records.splice(0..0, [u8::try_from(20 + dice.below(8)).unwrap(), 3, 3, 0, 0]).count()),
        _ => drop(records.splice(0..0, dice.bytes(20)).count()),
    }
}

/// A server that plays what it is given, and how it is reached.
struct Stage {
    script: Arc<Mutex<Script>>,
    url: String,
    policy: WebPolicy,
    client: WebClient,
}

impl Stage {
    fn plain() -> Self {
        let script = Arc::new(Mutex::new(Script::new(&mut Dice(0))));
        let playing = Arc::clone(&script);
        let server = Server::raw(move |stream, _| {
            let now = || playing.lock().unwrap().clone();
            let mut goes_on = if now().listens { read_request(stream).is_some() } else { true };
            while goes_on {
                goes_on = now().play(stream) && read_request(stream).is_some();
            }
        });
        Self::new(script, server.url("/circle"), WebPolicy::default())
    }

    fn secured() -> Self {
        let identity = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = identity.signing_key.serialize_der().try_into().unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![identity.cert.der().clone()], key)
            .unwrap();
        let (config, script) = (Arc::new(config), Arc::new(Mutex::new(Script::new(&mut Dice(0)))));
        let playing = Arc::clone(&script);
        let server = Server::raw(move |stream, _| {
            let script = playing.lock().unwrap().clone();
            script.play_secured(&config, stream);
            _ = stream.read(&mut [0; 64]);
        });
        let extra_roots = vec![identity.cert.der().to_vec()];
        let url = format!("https://localhost:{}/circle", server.address.port());
        Self::new(script, url, WebPolicy { extra_roots, ..WebPolicy::default() })
    }

    fn new(script: Arc<Mutex<Script>>, url: String, policy: WebPolicy) -> Self {
        let policy = WebPolicy { response_cap: CAP, ..policy };
        Self { script, url, client: WebClient::new(policy.clone()), policy }
    }

    /// Sends one webhook to a server that plays the script.
    fn ask(&self, script: &Script) -> Result<WebResponse, WebhookError> {
        *self.script.lock().unwrap() = script.clone();
        let limit = if script.keeps_waiting() { BRIEF } else { AMPLE };
        // A connection that is kept must not lead to a server that hangs, or the next webhook would.
        let own = (script.keeps_waiting() && script.end != End::Stays).then(|| WebClient::new(self.policy.clone()));
        let client = own.as_ref().unwrap_or(&self.client);
        let began = Instant::now();
        let result = send_within(client, &self.url, limit);
        let took = began.elapsed();
        assert!(took < limit + AMPLE, "{took:?}: {result:?}");
        match &result {
            Ok(answer) => assert!(answer.body.len() <= CAP && (100..1000).contains(&answer.status), "{answer:?}"),
            Err(WebhookError::TimedOut { .. }) => assert!(script.keeps_waiting(), "the server has ended long since"),
            Err(error) => assert!(error.to_string().len() < 2000, "{error}"),
        }
        result
    }
}

/// What came of a webhook, without what is different each time.
fn name(result: &Result<WebResponse, WebhookError>) -> String {
    let text = match result {
        Ok(_) => return "Answer".to_owned(),
        Err(error) => format!("{error:?}"),
    };
    text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

/// Draws as many scripts as are asked for; says which one it was where something goes wrong.
fn each_script(seed: u64, count: usize, mut play: impl FnMut(&Script)) {
    let seconds: Option<u64> = std::env::var("HOOKWEAVE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let time = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let seed = if seconds.is_some() { u64::try_from(time() % 1_000_000_007).unwrap() } else { seed };
    let (began, mut dice) = (Instant::now(), Dice(seed));
    let mut played = 0;
    while seconds.map_or(played < count, |seconds| began.elapsed() < Duration::from_secs(seconds)) {
        let script = Script::new(&mut dice);
        let on_panic = Said { seed, played, script: &script };
        play(&script);
        std::mem::forget(on_panic);
        played += 1;
    }
    println!("{played} scripts of seed {seed}");
}

/// Shows the script when a test panics in it.
struct Said<'s> {
    seed: u64,
    played: usize,
    script: &'s Script,
}

impl Drop for Said<'_> {
    fn drop(&mut self) {
        let Script { bytes, .. } = self.script;
        let shown = bytes[..bytes.len().min(2000)].escape_ascii();
        println!(
            "script {} of seed {}: {:?}\n{shown}",
            self.played,
            self.seed,
            Script { bytes: vec![], ..self.script.clone() }
        );
    }
}

/// At least so many kinds of ends came about.
fn assert_seen(seen: &BTreeMap<String, usize>, wanted: &[&str]) {
    println!("{seen:?}");
    let missing: Vec<_> = wanted.iter().filter(|kind| !seen.contains_key(**kind)).collect();
    assert!(missing.is_empty(), "{missing:?} never came about: {seen:?}");
}

#[test]
fn garbage_ends_as_an_answer_or_a_failure() {
    let (stage, mut seen) = (Stage::plain(), BTreeMap::new());
    each_script(11, 600, |script| *seen.entry(name(&stage.ask(script))).or_default() += 1);
    assert_seen(&seen, &["Answer", "Broken", "Encoded", "Redirected", "TimedOut", "TooLarge"]);
}

#[test]
fn garbage_over_tls_does_too() {
    let (stage, mut seen) = (Stage::secured(), BTreeMap::new());
    each_script(12, 60, |script| *seen.entry(name(&stage.ask(script))).or_default() += 1);
    assert_seen(&seen, &["Answer", "Broken", "Tls"]);
}

/// How the only hook of a dispatch ended: as its failure rule says.
fn judged(outcome: &Outcome, closed: bool) -> &'static str {
    let trace = outcome.trace();
    let [entry] = trace.as_slice() else { panic!("{trace:?}") };
    let Some(failure) = &entry.failure else {
        assert!(!outcome.blocked(), "nothing that is sent blocks: {:?}", outcome.reason());
        return "ran";
    };
    assert!(!failure.message.contains("panicked"), "{failure:?}");
    // What looks like a refusal that cannot be read keeps a gate shut under every failure rule.
    let may_be_shut = failure.kind.as_str() == "invalid_answer";
    assert!(outcome.blocked() == closed || (outcome.blocked() && may_be_shut), "{failure:?}");
    assert!(!closed || outcome.reason().is_some());
    "failed"
}

#[test]
fn a_guard_that_asks_such_a_server_fails_as_it_is_told_to() {
    let stage = Stage::plain();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hookweave.json");
    let engines = [false, true].map(|closed| {
        let fails = if closed { "block" } else { "continue" };
        let hook =
            json!({"event": "PreToolUse", "webhook": {"url": stage.url}, "timeout": 120, "fail_behavior": fails});
        std::fs::write(&path, json!({"hookweave": 1, "hooks": [hook]}).to_string()).unwrap();
        let engine = Engine::new();
        engine.load(&path).unwrap();
        engine
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    each_script(13, 300, |script| {
        // The least limit of a hook from a file is a second.
        if script.keeps_waiting() {
            return;
        }
        *stage.script.lock().unwrap() = script.clone();
        for (closed, engine) in [false, true].into_iter().zip(&engines) {
            let outcome =
                runtime.block_on(engine.dispatch(Event::pre_tool_use("Bash", json!({"command": "ls"})))).unwrap();
            *seen.entry(judged(&outcome, closed).to_owned()).or_default() += 1;
        }
    });
    assert_seen(&seen, &["ran", "failed"]);
}
