//! Fleets: groups of workers at a NATS server, and what happens when one of them, or the server, goes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookweave::remote::{
    Backoff, ConnectOptions, Limits, RemoteState, ServeOptions, ServingWorkers, Tls, WorkerConnection,
};
use hookweave::{Action, Engine, Event, FailBehavior, FailureKind, HookResponse, Outcome};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::nats_server::NatsServer;
use super::{bash, cancel_ends, dispatch, endless, identity, identity_of, start_worker, until, with_many_files};
use crate::support::{LONG, patient};

const QUICK: Backoff = Backoff { first_ms: 10, most_ms: 20 };

fn guards() -> ServeOptions {
    ServeOptions { groups: vec!["guards".to_owned()], ..ServeOptions::default() }
}

pub(super) fn member_of(group: &str) -> ConnectOptions {
    ConnectOptions { group: Some(group.to_owned()), backoff: QUICK, ..ConnectOptions::default() }
}

fn member() -> ConnectOptions {
    member_of("guards")
}

async fn serve(agent: &Engine, address: &str, options: ServeOptions) -> ServingWorkers {
    let serving = agent.serve(address, options).unwrap();
    tokio::time::timeout(LONG, serving.ready()).await.unwrap().unwrap();
    serving
}

pub(super) async fn join(worker: &Engine, address: &str, options: ConnectOptions) -> WorkerConnection {
    let mut connection = worker.connect(address, options).unwrap();
    tokio::time::timeout(LONG, connection.ready()).await.unwrap().unwrap();
    connection
}

/// A worker that says who it is.
fn worker_named(name: &str) -> Engine {
    let name = name.to_owned();
    let worker = patient();
    let who = worker.on("PreToolUse").name("who").fail_behavior(FailBehavior::Block);
    who.run(move |_: &Event| HookResponse::block(&*name)).unwrap();
    worker
}

/// What failed of an outcome's hooks.
fn failures(outcome: &Outcome) -> Vec<FailureKind> {
    outcome.trace().iter().filter_map(|entry| entry.failure.as_ref().map(|failure| failure.kind)).collect()
}

fn names(agent: &Engine) -> Vec<String> {
    agent.list_hooks().into_iter().map(|hook| hook.name).collect()
}

#[tokio::test]
async fn an_agent_finds_a_group_and_its_workers_share_the_calls() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let agent = patient();
    let serving = serve(&agent, &server.address(), guards()).await;
    assert_eq!(serving.address(), server.address());
    assert!(names(&agent).is_empty());
    let [first, second] = ["one", "two"].map(worker_named);
    let one = join(&first, &server.address(), member()).await;
    let two = join(&second, &server.address(), member()).await;
    until(|| names(&agent) == ["guards/who"]).await;
    let known: Vec<_> = serving.workers().into_iter().map(|worker| (worker.name, worker.connected)).collect();
    assert_eq!(known, [("guards".to_owned(), true)]);
    let mut seen = BTreeSet::new();
    tokio::time::timeout(LONG, async {
        while seen.len() < 2 {
            seen.insert(dispatch(&agent, bash()).await.reason().unwrap().to_owned());
        }
    })
    .await
    .unwrap();
    one.close().await;
    // Whoever left takes nothing new.
    for _ in 0..20 {
        assert_eq!(dispatch(&agent, bash()).await.reason(), Some("two"));
    }
    two.close().await;
    until(|| names(&agent).is_empty()).await;
    serving.close().await;
}

#[tokio::test]
async fn a_worker_that_is_there_first_blocks_modifies_and_asks() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let worker = patient();
    let guard = worker.on("PreToolUse").name("guard").tool("Bash");
    let answer = |event: &Event| match event.args()["command"].as_str() {
        Some("rm x") => HookResponse::block("no rm"),
        Some("dd") => HookResponse::ask("sure?"),
        _ => HookResponse::continue_().modified(json!({"args": {"command": "ls"}})),
    };
    guard.run(answer).unwrap();
    let connection = join(&worker, &server.address(), member()).await;
    let agent = patient();
    let groups = vec!["guards".to_owned(), "others".to_owned()];
    let serving = serve(&agent, &server.address(), ServeOptions { groups, ..ServeOptions::default() }).await;
    // Nothing is to be waited for.
    assert_eq!(names(&agent), ["guards/guard"]);
    let outcome =
        async |command: &str| dispatch(&agent, Event::pre_tool_use("Bash", json!({"command": command}))).await;
    let blocked = outcome("rm x").await;
    assert_eq!((blocked.decision(), blocked.reason()), (Action::Block, Some("no rm")));
    assert_eq!(outcome("cat x").await.event().args(), &json!({"command": "ls"}));
    assert_eq!(outcome("dd").await.decision(), Action::Ask);
    connection.close().await;
    serving.close().await;
}

#[tokio::test]
async fn a_worker_that_leaves_ends_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let (agent, worker) = (patient(), patient());
    let (runs, goes) = (Arc::new(AtomicBool::new(false)), Arc::new(tokio::sync::Notify::new()));
    let slow = worker.on("PreToolUse").name("slow").fail_behavior(FailBehavior::Block);
    let (began, may_end) = (Arc::clone(&runs), Arc::clone(&goes));
    slow.run_async(move |_: Event| {
        let (began, may_end) = (Arc::clone(&began), Arc::clone(&may_end));
        async move {
            began.store(true, Ordering::SeqCst);
            may_end.notified().await;
            HookResponse::block("done")
        }
    })
    .unwrap();
    let connection = join(&worker, &server.address(), member()).await;
    let _serving = serve(&agent, &server.address(), guards()).await;
    let call = {
        let agent = agent.clone();
        tokio::spawn(async move { dispatch(&agent, bash()).await })
    };
    until(|| runs.load(Ordering::SeqCst)).await;
    let leaving = tokio::spawn(connection.close());
    until(|| names(&agent).is_empty()).await;
    goes.notify_one();
    assert_eq!(call.await.unwrap().reason(), Some("done"));
    leaving.await.unwrap();
}

/// What goes to a server passes here, each part of it after a delay: the address, and what has been sent.
async fn overheard(port: u16, delay: Duration) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("nats://{}", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let far = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let ((mut reads, mut writes), (mut answers, mut asks)) = (near.into_split(), far.into_split());
            tokio::spawn(async move { tokio::io::copy(&mut answers, &mut writes).await });
            let kept = Arc::clone(&kept);
            tokio::spawn(async move {
                let mut part = [0; 4096];
                while let Ok(length @ 1..) = reads.read(&mut part).await {
                    tokio::time::sleep(delay).await;
                    kept.lock().unwrap().extend_from_slice(&part[..length]);
                    if asks.write_all(&part[..length]).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, heard)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_worker_that_leaves_while_it_is_asked_loses_no_call() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let agent = patient();
    let _serving = serve(&agent, &server.address(), guards()).await;
    let [stays, leaves] = ["stays", "leaves"].map(worker_named);
    let _stays = join(&stays, &server.address(), member()).await;
    // The server hears late that the worker takes no more, and sends it calls until then.
    let (slow, _) = overheard(server.port, Duration::from_millis(20)).await;
    until(|| !names(&agent).is_empty()).await;
    let (is_over, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let wrong = Arc::new(Mutex::new(Vec::new()));
    let asking: Vec<_> = (0..30)
        .map(|_| {
            let (agent, is_over, asked, wrong) =
                (agent.clone(), Arc::clone(&is_over), Arc::clone(&asked), Arc::clone(&wrong));
            tokio::spawn(async move {
                while !is_over.load(Ordering::SeqCst) {
                    let outcome = dispatch(&agent, bash()).await;
                    asked.fetch_add(1, Ordering::SeqCst);
                    let reason = outcome.reason().unwrap_or_default();
                    if !["stays", "leaves"].contains(&reason) {
                        wrong.lock().unwrap().push(reason.to_owned());
                    }
                }
            })
        })
        .collect();
    for _ in 0..20 {
        let leaves = join(&leaves, &slow, member()).await;
        let before = asked.load(Ordering::SeqCst);
        until(|| asked.load(Ordering::SeqCst) > before + 60).await;
        tokio::time::timeout(LONG, leaves.close()).await.unwrap();
    }
    is_over.store(true, Ordering::SeqCst);
    for one in asking {
        tokio::time::timeout(LONG, one).await.unwrap().unwrap();
    }
    assert_eq!(*wrong.lock().unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_worker_that_leaves_hears_that_the_server_sends_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let (address, heard) = overheard(server.port, Duration::ZERO).await;
    let leaves = worker_named("leaves");
    join(&leaves, &address, member()).await.close().await;
    let sent = String::from_utf8_lossy(&heard.lock().unwrap()).into_owned();
    // The entry goes first; then what the worker takes ends, calls and word that nobody waits for one; then the server is asked
    // for an answer, which it gives when it has done all that.
    let (_, rest) = sent.split_once("KV-Operation: DEL").unwrap();
    let asks = rest.find("PUB _INBOX").unwrap();
    assert_eq!(rest[..asks].matches("UNSUB ").count(), 2, "{rest}");
}

/// Asks until the reason of a refusal has a part; the machine may be too busy for an answer within a keepalive.
async fn asked_until(agent: &Engine, event: impl Fn() -> Event, part: &str) {
    let asking = async {
        while !dispatch(agent, event()).await.reason().is_some_and(|reason| reason.contains(part)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, asking).await.unwrap();
}

#[tokio::test]
async fn a_worker_that_is_killed_in_a_call_fails_it_and_another_takes_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let agent = patient();
    let limits = Limits { keepalive_ms: 1000, ..Limits::default() };
    let _serving = serve(&agent, &server.address(), ServeOptions { limits, ..guards() }).await;
    let mut first = start_worker(&server.address(), "guards");
    until(|| agent.list_hooks().len() == 3).await;
    let call = |tool: &str| {
        let (agent, event) = (agent.clone(), Event::pre_tool_use(tool, json!({"file_path": "/x"})));
        tokio::spawn(async move { dispatch(&agent, event).await })
    };
    let (closed, open) = (call("Write"), call("Read"));
    // It comes back after these, so that they are on their way.
    asked_until(&agent, bash, "by the worker").await;
    first.kill().unwrap();
    first.wait().unwrap();
    for (call, is_closed) in [(closed, true), (open, false)] {
        let outcome = call.await.unwrap();
        assert_eq!(outcome.blocked(), is_closed, "{outcome:?}");
        assert_eq!(failures(&outcome), [FailureKind::Lost]);
    }
    // Nobody is left, and the gate stays shut.
    let write = || Event::pre_tool_use("Write", json!({"file_path": "/x"}));
    asked_until(&agent, write, "no worker of the group `guards`").await;
    let mut second = start_worker(&server.address(), "guards");
    asked_until(&agent, bash, "by the worker").await;
    second.kill().unwrap();
    second.wait().unwrap();
}

#[tokio::test]
async fn a_server_that_comes_back_has_its_workers_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = NatsServer::run(folder.path(), "");
    let agent = patient();
    let serving = serve(&agent, &server.address(), guards()).await;
    let worker = worker_named("one");
    let began = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&began);
    let never = worker.on("Stop").name("never").fail_behavior(FailBehavior::Block).timeout(None);
    never
        .run_async(move |_: Event| {
            seen.store(true, Ordering::SeqCst);
            std::future::pending::<()>()
        })
        .unwrap();
    let connection = join(&worker, &server.address(), member()).await;
    until(|| names(&agent).len() == 2).await;
    for _ in 0..2 {
        began.store(false, Ordering::SeqCst);
        let running = {
            let agent = agent.clone();
            tokio::spawn(async move { dispatch(&agent, Event::new("Stop", json!({}))).await })
        };
        until(|| began.load(Ordering::SeqCst)).await;
        server.kill();
        // What runs ends once, by its hook's rule.
        let lost = running.await.unwrap();
        assert!(lost.blocked(), "{lost:?}");
        assert_eq!(failures(&lost), [FailureKind::Lost]);
        until(|| !serving.workers()[0].connected).await;
        let away = dispatch(&agent, bash()).await;
        assert!(away.blocked() && away.reason().unwrap().contains("the broker is lost"), "{away:?}");
        until(|| connection.state() != RemoteState::Ready).await;
        server.start();
        until(|| serving.workers()[0].connected && connection.state() == RemoteState::Ready).await;
        assert_eq!(dispatch(&agent, bash()).await.reason(), Some("one"));
    }
    connection.close().await;
    serving.close().await;
    assert!(names(&agent).is_empty());
}

#[tokio::test]
async fn hooks_of_workers_that_no_longer_renew_stay_and_fail() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let agent = patient();
    let serving = serve(&agent, &server.address(), guards()).await;
    let limits = Limits { keepalive_ms: 100, ..Limits::default() };
    // Without its runtime nothing of it runs any more, and the server is not told.
    let address = server.address();
    let (ready, is_ready) = tokio::sync::oneshot::channel();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::Builder::new().spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let worker = worker_named("one");
        let connection = runtime.block_on(join(&worker, &address, ConnectOptions { limits, ..member() }));
        ready.send(()).unwrap();
        // Its entry counts for two renewals, and nobody renews it while the thread waits.
        stopped.recv().unwrap_err();
        drop(connection);
    });
    is_ready.await.unwrap();
    until(|| serving.workers().iter().any(|worker| !worker.connected)).await;
    let outcome = dispatch(&agent, bash()).await;
    assert!(outcome.blocked() && outcome.reason().unwrap().contains("none of its workers renewed"), "{outcome:?}");
    drop(stop);
    thread.unwrap().join().unwrap();
}

#[tokio::test]
async fn a_cancelled_call_ends_in_the_worker() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let (agent, worker) = (patient(), patient());
    let (hook, mut told) = endless();
    worker.on("PreToolUse").timeout(None).run_async(hook).unwrap();
    let connection = join(&worker, &server.address(), member()).await;
    let serving = serve(&agent, &server.address(), guards()).await;
    cancel_ends(&agent, &mut told).await;
    connection.close().await;
    serving.close().await;
}

#[tokio::test]
async fn a_slow_group_keeps_no_other_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let (agent, slow, fast) = (patient(), patient(), patient());
    let (hook, mut told) = endless();
    slow.on("PreToolUse").tool("Bash").timeout(None).fail_behavior(FailBehavior::Block).run_async(hook).unwrap();
    fast.on("PreToolUse").tool("Read").run(|_: &Event| HookResponse::block("fast")).unwrap();
    let limits = Limits { in_flight: 1, ..Limits::default() };
    let _slow = join(&slow, &server.address(), ConnectOptions { limits, ..member_of("slow") }).await;
    let _fast = join(&fast, &server.address(), member_of("fast")).await;
    let groups = ["slow", "fast"].map(str::to_owned).into();
    let serving = serve(&agent, &server.address(), ServeOptions { groups, ..ServeOptions::default() }).await;
    let runs = {
        let agent = agent.clone();
        tokio::spawn(async move { dispatch(&agent, bash()).await })
    };
    assert_eq!(told.next().await, "runs");
    let full = dispatch(&agent, bash()).await;
    assert!(full.blocked(), "{full:?}");
    assert_eq!(failures(&full), [FailureKind::NotStarted]);
    for _ in 0..100 {
        let event = Event::pre_tool_use("Read", json!({"file_path": "/x"}));
        assert_eq!(dispatch(&agent, event).await.reason(), Some("fast"));
    }
    assert!(!runs.is_finished());
    serving.close().await;
    assert!(tokio::time::timeout(LONG, runs).await.unwrap().unwrap().blocked());
}

#[tokio::test]
async fn two_hundred_workers_are_back_when_their_server_is() {
    with_many_files();
    let folder = tempfile::tempdir().unwrap();
    let mut server = NatsServer::run(folder.path(), "");
    let agent = patient();
    let serving = serve(&agent, &server.address(), guards()).await;
    let workers: Vec<_> = (0..200)
        .map(|_| {
            let worker = worker_named("here");
            let options = ConnectOptions { group: Some("guards".to_owned()), ..ConnectOptions::default() };
            let connection = worker.connect(&server.address(), options).unwrap();
            (worker, connection)
        })
        .collect();
    let all_are = |ready: bool| workers.iter().all(|(_, worker)| (worker.state() == RemoteState::Ready) == ready);
    until(|| all_are(true)).await;
    server.kill();
    until(|| all_are(false)).await;
    server.start();
    until(|| all_are(true) && serving.workers()[0].connected).await;
    assert_eq!(names(&agent), ["guards/who"]);
    asked_until(&agent, bash, "here").await;
    serving.close().await;
}

#[tokio::test]
async fn what_the_server_does_not_carry_restricts() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "max_payload: 4096");
    let (agent, worker) = (patient(), patient());
    worker.on("PreToolUse").name("says").run(|_: &Event| HookResponse::block("x".repeat(5000))).unwrap();
    let _connection = join(&worker, &server.address(), member()).await;
    let _serving = serve(&agent, &server.address(), guards()).await;
    let large = dispatch(&agent, Event::pre_tool_use("Bash", json!({"command": "x".repeat(5000)}))).await;
    assert!(large.blocked() && large.reason().unwrap().contains("the worker `guards` takes 4032"), "{large:?}");
    let small = dispatch(&agent, bash()).await;
    assert!(small.blocked() && small.reason().unwrap().contains("the agent takes 4032"), "{small:?}");
    // More hooks than an entry has room for.
    let many = patient();
    for number in 0..200 {
        many.on("PreToolUse").name(format!("hook-{number}")).run(|_: &Event| ()).unwrap();
    }
    let mut refused = many.connect(&server.address(), member()).unwrap();
    let why = tokio::time::timeout(LONG, refused.ready()).await.unwrap().unwrap_err();
    assert!(why.message().contains("raise max_payload there"), "{why}");
}

#[tokio::test]
async fn only_who_knows_the_token_or_the_user_of_the_server_is_taken() {
    let secret = |token: &str| Some(token.to_owned());
    for (config, token, login) in [
        ("authorization { token: \"secret\" }", secret("secret"), ""),
        ("authorization { user: \"a b\", password: \"s:e@c\" }", None, "a%20b:s%3Ae%40c@"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = NatsServer::run(folder.path(), config);
        let agent = patient();
        let wrong = agent.serve(&server.address(), ServeOptions { token: secret("wrong"), ..guards() }).unwrap();
        let why = tokio::time::timeout(LONG, wrong.ready()).await.unwrap().unwrap_err();
        assert!(why.code().as_str() == "invalid_option", "{why}");
        assert!(why.message().contains("Authorization Violation; start a server"), "{why}");
        let wrong = format!("nats://a:wrong@127.0.0.1:{}", server.port);
        let worker = worker_named("one");
        let mut stranger = worker.connect(&wrong, member()).unwrap();
        let why = tokio::time::timeout(LONG, stranger.ready()).await.unwrap().unwrap_err();
        assert!(why.message().contains("give the worker a token") && !why.message().contains("wrong"), "{why}");
        let right = format!("nats://{login}127.0.0.1:{}", server.port);
        let serving = serve(&agent, &right, ServeOptions { token: token.clone(), ..guards() }).await;
        assert_eq!(serving.address(), server.address());
        let connection = join(&worker, &right, ConnectOptions { token, ..member() }).await;
        until(|| names(&agent) == ["guards/who"]).await;
        connection.close().await;
        serving.close().await;
    }
}

#[tokio::test]
async fn over_tls_the_server_and_its_clients_prove_who_they_are() {
    for is_mutual in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let [(cert, key), own, other] = ["server", "client", "other"].map(|name| identity(folder.path(), name));
        let proof = if is_mutual { format!(", ca_file: \"{}\", verify: true", own.0.display()) } else { String::new() };
        let config = format!("tls {{ cert_file: \"{}\", key_file: \"{}\"{proof} }}", cert.display(), key.display());
        let server = NatsServer::run(folder.path(), &config);
        let address = format!("nats://localhost:{}", server.port);
        let tls = |pair: Option<&(PathBuf, PathBuf)>, ca: Option<&PathBuf>| {
            let (cert, key) = pair.cloned().unzip();
            Some(Tls { cert, key, ca: ca.cloned() })
        };
        let shows = is_mutual.then_some(&own);
        let worker = worker_named("in secret");
        let mut strangers = vec![None, tls(shows, None), tls(shows, Some(&other.0))];
        if is_mutual {
            strangers.extend([tls(None, Some(&cert)), tls(Some(&other), Some(&cert))]);
        }
        for tls in strangers {
            let refused = patient().serve(&address, ServeOptions { tls: tls.clone(), ..guards() }).unwrap();
            let why = tokio::time::timeout(LONG, refused.ready()).await.unwrap().unwrap_err();
            let part = match &tls {
                None => "the server encrypts; give `tls`",
                Some(tls) if tls.ca.as_ref() != Some(&cert) => "give `ca` in `tls`",
                // The server does not say why it closes the connection.
                Some(_) => "start a server",
            };
            assert!(why.message().contains(part), "{part}: {why}");
            let stranger = worker.connect(&address, ConnectOptions { tls, ..member() }).unwrap();
            until(|| matches!(stranger.state(), RemoteState::Waiting(_))).await;
        }
        let friend = tls(shows, Some(&cert));
        let agent = patient();
        let serving = serve(&agent, &address, ServeOptions { tls: friend.clone(), ..guards() }).await;
        let connection = join(&worker, &address, ConnectOptions { tls: friend, ..member() }).await;
        until(|| !names(&agent).is_empty()).await;
        assert_eq!(dispatch(&agent, bash()).await.reason(), Some("in secret"));
        connection.close().await;
        serving.close().await;
    }
}

#[tokio::test]
async fn a_certificate_of_another_host_or_time_is_refused() {
    for (hosts, year, part) in
        [(["elsewhere.example"].as_slice(), 4096, "not valid for name"), (&["localhost", "127.0.0.1"], 2001, "expired")]
    {
        let folder = tempfile::tempdir().unwrap();
        let (cert, key) = identity_of(folder.path(), "server", hosts, year);
        let config = format!("tls {{ cert_file: \"{}\", key_file: \"{}\" }}", cert.display(), key.display());
        let server = NatsServer::run(folder.path(), &config);
        let tls = Some(Tls { ca: Some(cert), ..Tls::default() });
        for host in ["localhost", "127.0.0.1"] {
            let address = format!("nats://{host}:{}", server.port);
            let refused = patient().serve(&address, ServeOptions { tls: tls.clone(), ..guards() }).unwrap();
            let why = tokio::time::timeout(LONG, refused.ready()).await.unwrap().unwrap_err();
            assert!(why.message().contains("certificate") && why.message().contains(part), "{why}");
        }
    }
}

#[tokio::test]
async fn a_server_without_tls_hears_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run(folder.path(), "");
    let (address, heard) = overheard(server.port, Duration::ZERO).await;
    for (address, token) in
        [(address.clone(), Some("secret".to_owned())), (address.replace("nats://", "nats://user:secret@"), None)]
    {
        let options = ServeOptions { token, tls: Some(Tls::default()), ..guards() };
        let serving = patient().serve(&address, options).unwrap();
        let why = tokio::time::timeout(LONG, serving.ready()).await.unwrap().unwrap_err();
        assert!(why.message().contains("does not encrypt"), "{why}");
    }
    assert!(!String::from_utf8_lossy(&heard.lock().unwrap()).contains("secret"));
}

#[tokio::test]
async fn what_cannot_be_a_fleet_is_refused() {
    let engine = patient();
    let named = |group: &str| ConnectOptions { group: Some(group.to_owned()), ..ConnectOptions::default() };
    let local = "nats://127.0.0.1:4222";
    for (address, options, why) in [
        (local, ConnectOptions::default(), "found by their groups"),
        (local, named("a b"), "a group's name"),
        (local, ConnectOptions { name: Some("b".to_owned()), ..named("a") }, "leave `name` out"),
        ("nats://", named("a"), "a host and a port"),
        ("nats://127.0.0.1:0", named("a"), "a host and a port"),
        ("nats://127.0.0.1:4222/x", named("a"), "a host and a port"),
        ("nats://example.org", named("a"), "others could read"),
        ("nats://me:hidden@example.org", named("a"), "others could read"),
        (
            local,
            ConnectOptions { tls: Some(Tls { cert: Some("x".into()), ..Tls::default() }), ..named("a") },
            "give `cert`",
        ),
        (
            local,
            ConnectOptions { tls: Some(Tls { ca: Some("none".into()), ..Tls::default() }), ..named("a") },
            "none: ",
        ),
        ("unix:///tmp/x", named("a"), "groups of workers are for nats://"),
    ] {
        let error = engine.connect(address, options).unwrap_err();
        assert!(error.code().as_str() == "invalid_option" && error.message().contains(why), "{address}: {error}");
        assert!(!error.message().contains("hidden"), "{error}");
    }
    for (address, options, why) in [
        (local, ServeOptions::default(), "found by their groups"),
        (
            local,
            ServeOptions { groups: vec!["a".to_owned(), String::new()], ..ServeOptions::default() },
            "a group's name",
        ),
        ("unix:///tmp/x", guards(), "groups of workers are for nats://"),
        ("nats://127.0.0.1:1", ServeOptions { token: Some(String::new()), ..guards() }, "an empty token"),
    ] {
        let error = engine.serve(address, options).unwrap_err();
        assert!(error.code().as_str() == "invalid_option" && error.message().contains(why), "{address}: {error}");
    }
    // A server without JetStream has no bucket, and where nobody listens there is none.
    let folder = tempfile::tempdir().unwrap();
    let server = NatsServer::run_without_streams(folder.path(), "");
    let serving = engine.serve(&server.address(), guards()).unwrap();
    let why = tokio::time::timeout(LONG, serving.ready()).await.unwrap().unwrap_err();
    assert!(why.message().contains("turn JetStream on there"), "{why}");
    let serving = engine.serve("nats://127.0.0.1:1", guards()).unwrap();
    let why = tokio::time::timeout(LONG, serving.ready()).await.unwrap().unwrap_err();
    assert!(why.message().contains("refused") && why.message().contains("start a server"), "{why}");
}
