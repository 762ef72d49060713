//! What goes wrong between an agent and a worker: each call ends once, by its hook's failure rule, and nobody else notices.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use hookweave_host::remote::frames::{Frames, frame};
use hookweave_host::remote::wire::{Hello, HookEvent, HookResponse, Ping};
use hookweave_host::remote::{MAX_MESSAGE, Message as _, VERSION};
use serde_json::{Value, json};

use super::bad_line::BadLine;
use super::programs::{LANGUAGES, Language, Program};
use crate::nats_server::NatsServer;
use crate::support::{LONG, until};
use crate::{SHORT, USUAL, by_guard, pairs, tests_all};

/// A connection that says what it likes.
struct Stranger {
    stream: UnixStream,
    frames: Frames,
}

impl Stranger {
    fn at(address: &str) -> Self {
        let stream = UnixStream::connect(address.strip_prefix("unix://").unwrap()).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        Self { stream, frames: Frames::new(MAX_MESSAGE as usize) }
    }

    /// Also what the agent does not read any more.
    fn write(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    fn send(&mut self, response: &HookResponse) -> bool {
        self.write(&frame(&response.encode_to_vec()).unwrap())
    }

    fn hello(&mut self, version: u32) {
        let hello = Hello { version, worker: "other".to_owned(), instance: "one".to_owned(), ..Hello::default() };
        self.send(&HookResponse { hello: Some(hello), ..HookResponse::default() });
    }

    /// What the agent says next; nothing when it has closed the connection.
    fn next(&mut self) -> Option<HookEvent> {
        let mut part = [0; 4096];
        loop {
            if let Some(message) = self.frames.next_message().unwrap() {
                return Some(HookEvent::decode(&*message).unwrap());
            }
            let length = self.stream.read(&mut part).ok().filter(|length| *length > 0)?;
            self.frames.push(&part[..length]);
        }
    }

    /// Why it is refused; nothing says so where the connection ends before.
    fn refusal(&mut self) -> Option<String> {
        std::iter::from_fn(|| self.next()).find_map(|event| event.refusal).map(|refusal| refusal.code)
    }
}

fn ping(number: u64) -> HookResponse {
    HookResponse { ping: Some(Ping { number }), ..HookResponse::default() }
}

/// The workers of the log's refusals, and their codes.
fn refusals(log: &Path) -> Vec<Value> {
    let log = std::fs::read_to_string(log).unwrap();
    let records = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["kind"] == "worker_refused").map(|mut record| record["details"].take()).collect()
}

#[test]
fn strangers_are_refused_and_neither_workers_nor_calls_notice() {
    for language in LANGUAGES {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("audit.jsonl");
        let mut agent = Program::agent(language, &format!("unix://{}/s", folder.path().display()), &log, USUAL);
        let address = agent.line();
        let mut worker = Program::worker(Language::Rust, &address, "guards");
        agent.say("1 Bash wait");
        worker.says("waits");

        // Answers for the worker's call, with whatever number it has.
        let mut other = Stranger::at(&address);
        other.hello(VERSION);
        for dispatch_id in 0..100 {
            for hook in ["hook-1", "hook-2", "guards/guard", ""] {
                let answer = Some(br#"{"action":"continue"}"#.to_vec());
                let hook_id = hook.to_owned();
                other.send(&HookResponse { dispatch_id, hook_id, answer, ..HookResponse::default() });
            }
        }
        other.send(&ping(1));
        assert!(std::iter::from_fn(|| other.next()).any(|event| event.pong.is_some()), "{language:?}");

        let refused = |begin: &dyn Fn(&mut Stranger)| {
            let mut stranger = Stranger::at(&address);
            begin(&mut stranger);
            stranger.refusal().unwrap_or_default()
        };
        assert_eq!(refused(&|stranger| stranger.hello(VERSION + 1)), "unknown_version", "{language:?}");
        assert_eq!(refused(&|stranger| _ = stranger.write(b"\0\0\0\x02\xff\xff")), "unreadable", "{language:?}");
        assert_eq!(refused(&|stranger| _ = stranger.send(&ping(1))), "no_hello", "{language:?}");
        // A hundred megabytes, of which it reads no more than it must.
        let large = |stranger: &mut Stranger| {
            stranger.write(&100_000_000_u32.to_be_bytes());
            let chunk = vec![b'x'; 1_000_000];
            (0..100).take_while(|_| stranger.write(&chunk)).for_each(drop);
        };
        let said = refused(&large);
        assert!(said == "unreadable" || said.is_empty(), "{language:?}: {said}");
        // The other one goes on until it is refused too.
        let mut hears =
            Stranger { stream: other.stream.try_clone().unwrap(), frames: Frames::new(MAX_MESSAGE as usize) };
        let hearing = std::thread::Builder::new().spawn(move || hears.refusal()).unwrap();
        let pings = frame(&ping(2).encode_to_vec()).unwrap().repeat(1000);
        while !hearing.is_finished() && other.write(&pings) {}
        let said = hearing.join().unwrap().unwrap_or_default();
        assert!(said == "flood" || said.is_empty(), "{language:?}: {said}");

        // The call still waits for its own worker.
        worker.kill();
        let lost = agent.answer()[0].take();
        assert_eq!(lost, by_guard("block", lost[1].as_str(), "wait", Some("lost")), "{language:?}");
        let _worker = Program::worker(Language::Rust, &address, "guards");
        assert_eq!(agent.call("Bash rm x"), by_guard("block", Some("no rm"), "rm x", None), "{language:?}");
        agent.end();
        let of_unknown = |code: &str| json!({"worker": "unknown", "code": code});
        let mut expected = ["unknown_version", "unreadable", "no_hello", "unreadable"].map(of_unknown).to_vec();
        expected.push(json!({"worker": "other", "code": "flood"}));
        assert_eq!(refusals(&log), expected, "{language:?}");
    }
}

/// Calls, through a bad line and around it; `near` is a worker of the agent that has a line of its own.
fn behind_a_bad_line(language: Language, agent: Language, address: &str, keepalive_ms: u32) {
    let folder = tempfile::tempdir().unwrap();
    let case = format!("{agent:?} with {language:?} at {address}");
    let mut agent = Program::agent(agent, address, &folder.path().join("audit.jsonl"), keepalive_ms);
    let address = agent.line();
    let _near = Program::worker(Language::Rust, &address, "near");
    let line = BadLine::to(&address, folder.path());
    let _worker = Program::worker(language, &line.address, "guards");
    let has_both = |agent: &mut Program| agent.ask("list").as_array().is_some_and(|hooks| hooks.len() == 4);
    assert!(until(|| has_both(&mut agent)), "{case}");
    assert!(until(|| {
        let outcomes = agent.ask("20 Bash ls");
        for outcome in outcomes.as_array().unwrap() {
            let failed = |hook: &str| {
                let runs = outcome[3].as_array().unwrap();
                let mut runs = runs.iter().filter(|run| run[0] == hook).map(|run| run[1].as_str());
                let run = runs.next();
                assert!(runs.next().is_none(), "{case}: {outcome}");
                run.flatten()
            };
            if !address.starts_with("nats:") {
                assert_eq!(failed("near/guard"), None, "{case}: {outcome}");
            }
            let expected = match failed("guards/guard").or_else(|| failed("near/guard")) {
                None => "continue",
                Some("lost" | "unreachable" | "not_started") => "block",
                Some(other) => panic!("{case}: {other}: {outcome}"),
            };
            assert_eq!(outcome[0], expected, "{case}: {outcome}");
        }
        line.cuts() >= 3
    }));
    line.heal();
    // Each of them has added a `nice`.
    let mut healed = Value::Null;
    assert!(
        until(|| {
            healed = agent.call("Bash ls");
            healed[2] == "nice nice ls"
        }),
        "{case}: {healed}"
    );
}

/// A worker in this language and an agent of another one; with `HOOKWEAVE_TEST_ALL=1` workers in each.
fn behind_bad_lines(worker: Language, address: impl Fn(&Path) -> String, keepalive_ms: u32) {
    for (language, agent) in pairs(1).filter(|(language, _)| *language == worker || tests_all()) {
        let folder = tempfile::tempdir().unwrap();
        behind_a_bad_line(language, agent, &address(folder.path()), keepalive_ms);
    }
}

#[test]
fn calls_end_behind_a_socket_that_delays_halves_doubles_and_cuts() {
    behind_bad_lines(Language::Node, |folder| format!("unix://{}/s", folder.display()), USUAL);
}

#[test]
fn calls_end_behind_grpc_that_delays_halves_and_cuts() {
    behind_bad_lines(Language::Python, |_| "grpc://127.0.0.1:0".to_owned(), USUAL);
}

#[test]
fn calls_end_behind_nats_that_delays_halves_and_cuts() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    behind_bad_lines(Language::Rust, |_| server.address(), SHORT);
}

#[test]
fn a_worker_whose_clock_jumps_is_lost_and_comes_back() {
    for (language, of_agent) in pairs(2) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("audit.jsonl");
        let mut agent = Program::agent(of_agent, &format!("unix://{}/s", folder.path().display()), &log, 2 * SHORT);
        let worker = Program::worker(language, &agent.line(), "guards");
        agent.say("1 Bash wait");
        worker.says("waits");
        // As a machine that sleeps: to the worker no time passes.
        worker.signal("STOP");
        let lost = agent.answer()[0].take();
        assert_eq!(lost, by_guard("block", lost[1].as_str(), "wait", Some("lost")), "{language:?}");
        worker.signal("CONT");
        worker.says("cancelled");
        let guarded = by_guard("block", Some("no rm"), "rm x", None);
        assert!(until(|| agent.call("Bash rm x") == guarded), "{language:?}");
        agent.end();
        assert_eq!(refusals(&log)[0], json!({"worker": "guards", "code": "silent"}), "{language:?}");
    }
}
