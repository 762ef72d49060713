//! Agents and workers of different languages, as programs of their own: a worker guards the agent, through kills and restarts.
//!
//! The programs are in `tests/remote`. `HOOKWEAVE_PYTHON` and `HOOKWEAVE_NODE` name other interpreters than the checkout's and `node`.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests end with a message, measure time and start programs"
)]

mod remote_languages {
    mod bad_line;
    mod faults;
    pub(crate) mod programs;
}
#[path = "../../../core/tests/it/remote/nats_server.rs"]
mod nats_server;
#[allow(dead_code, reason = "the tests of the core need all of it")]
#[path = "../../../core/tests/it/support.rs"]
mod support;

use std::path::Path;

use nats_server::NatsServer;
use remote_languages::programs::{LANGUAGES, Language, Program};
use serde_json::{Value, json};
use support::until;

/// How long the agent of a fleet waits for a sign of life; other agents notice the end of a connection.
const SHORT: u32 = 1000;
const USUAL: u32 = 15_000;

/// What comes of a call, and that `guards/guard` decided it, or why it did not.
fn by_guard(decision: &str, reason: Option<&str>, command: &str, failure: Option<&str>) -> Value {
    json!([decision, reason, command, [["guards/guard", failure]]])
}

/// Whether an audit log has a record with these members.
fn is_logged(log: &Path, members: &Value) -> bool {
    let log = std::fs::read_to_string(log).unwrap();
    let mut records = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    records.any(|record| members.as_object().unwrap().iter().all(|(name, value)| record[name] == *value))
}

/// One pair, and the server between them where there is one.
struct Pair {
    case: String,
    agent: Program,
    worker: Program,
    server: Option<NatsServer>,
}

impl Pair {
    /// Asks, of a fleet also again: the machine may be too busy for a sign of life.
    fn expect(&mut self, call: &str, expected: &Value) {
        let Self { case, agent, server, .. } = self;
        let mut outcome = agent.call(call);
        if server.is_some() {
            until(|| {
                if outcome != *expected {
                    outcome = agent.call(call);
                }
                outcome == *expected
            });
        }
        assert_eq!(outcome, *expected, "{case}: {call}");
    }

    fn is_guarded(&mut self) {
        let Self { case, agent, .. } = self;
        let listed = json!([["guards/guard", "guards"], ["guards/note", "guards"]]);
        assert!(until(|| agent.ask("list") == listed), "{case}: {}", agent.ask("list"));
        self.expect("Bash rm x", &by_guard("block", Some("no rm"), "rm x", None));
        self.expect("Bash ls", &by_guard("continue", None, "nice ls", None));
        self.expect("Note x", &json!(["block", "noted", "x", [["guards/note", null]]]));
    }

    /// Ends something while a call is on its way: that and later ones end by their hooks' failure rules.
    fn loses(&mut self, end: impl FnOnce(&mut Self)) {
        self.agent.say("1 Bash wait");
        self.worker.says("waits");
        end(self);
        let Self { case, agent, .. } = self;
        let lost = agent.answer()[0].take();
        let reason = lost[1].as_str().filter(|reason| reason.contains("guards/guard"));
        assert!(reason.is_some(), "{case}: {lost}");
        assert_eq!(lost, by_guard("block", reason, "wait", Some("lost")), "{case}");
        let away = agent.call("Bash ls");
        assert_eq!(away, by_guard("block", away[1].as_str(), "ls", Some("unreachable")), "{case}");
        let open = agent.call("Note x");
        assert_eq!(open, json!(["continue", null, "x", [["guards/note", "unreachable"]]]), "{case}");
    }
}

fn guarded([agent, worker]: [Language; 2], address: &str, server: Option<NatsServer>, folder: &Path) {
    let is_fleet = server.is_some();
    let [first, second] = ["first", "second"].map(|name| folder.join(format!("{name}.jsonl")));
    let start_agent = |address: &str, log| Program::agent(agent, address, log, if is_fleet { SHORT } else { USUAL });
    let serving = start_agent(address, &first);
    let address = serving.line();
    let start_worker = || Program::worker(worker, &address, "guards");
    let case = format!("{agent:?} guarded by {worker:?} at {address}");
    let mut pair = Pair { case, agent: serving, worker: start_worker(), server };
    pair.is_guarded();
    pair.loses(|pair| pair.worker.kill());
    pair.worker = start_worker();
    pair.is_guarded();
    if is_fleet {
        pair.loses(|pair| pair.server.as_mut().unwrap().kill());
        pair.worker.says("cancelled");
        pair.server.as_mut().unwrap().start();
        pair.is_guarded();
    }
    // The worker outlives its agent, and guards the next one. In a fleet nobody tells it, and the hook's timeout ends the call.
    pair.agent.say("1 Bash wait");
    pair.worker.says("waits");
    pair.agent.kill();
    if !is_fleet {
        pair.worker.says("cancelled");
    }
    pair.agent = start_agent(&address, &second);
    assert_eq!(pair.agent.line(), address, "{}", pair.case);
    pair.is_guarded();
    pair.agent.end();
    // Both logs say who decided, and the first one who did not.
    for log in [&first, &second] {
        assert!(is_logged(log, &json!({"hook": "guards/guard", "kind": "hook_finished", "reason": "no rm"})));
    }
    let details = json!({"hook": "guards/guard", "kind": "hook_failed", "outcome": "block"});
    assert!(is_logged(&first, &details), "{}", pair.case);
}

/// Each language as an agent and as a worker; with `HOOKWEAVE_TEST_ALL=1` each with each other one.
fn each_by_each(mut place: impl FnMut(&Path) -> (String, Option<NatsServer>)) {
    let apart = if tests_all() { 1..LANGUAGES.len() } else { 1..2 };
    for (agent, worker) in apart.flat_map(pairs) {
        let folder = tempfile::tempdir().unwrap();
        let (address, server) = place(folder.path());
        guarded([agent, worker], &address, server, folder.path());
    }
}

/// Each language with the one that stands so far from it in the list.
fn pairs(apart: usize) -> impl Iterator<Item = (Language, Language)> {
    LANGUAGES.into_iter().zip(LANGUAGES.into_iter().cycle().skip(apart))
}

fn tests_all() -> bool {
    std::env::var("HOOKWEAVE_TEST_ALL").is_ok_and(|all| all == "1")
}

#[test]
fn each_language_is_guarded_by_another_over_unix_sockets() {
    // A killed agent leaves its socket behind, which the next one takes away.
    each_by_each(|folder| (format!("unix://{}/s", folder.display()), None));
}

#[test]
fn each_language_is_guarded_by_another_over_grpc() {
    each_by_each(|_| ("grpc://127.0.0.1:0".to_owned(), None));
}

#[test]
fn each_language_is_guarded_by_another_over_nats() {
    each_by_each(|folder| {
        let server = NatsServer::run(folder, "");
        (server.address(), Some(server))
    });
}
