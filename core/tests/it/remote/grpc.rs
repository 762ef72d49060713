//! Workers over gRPC: what differs from a Unix socket.

use std::path::PathBuf;

use hookweave::audit::AuditOptions;
use hookweave::remote::{Backoff, ConnectOptions, Limits, RemoteState, ServeOptions, Tls};
use hookweave::{Event, HookResponse};
use serde_json::json;

use super::{bash, connect, dispatch, identity, identity_of, until};
use crate::support::{LONG, patient};

const LOCAL: &str = "grpc://127.0.0.1:0";

#[tokio::test]
async fn a_worker_comes_goes_and_comes_back_over_grpc() {
    let worker = patient();
    worker
        .on("PreToolUse")
        .tool("Bash")
        .run(|event: &Event| HookResponse::block(format!("no {}", event.args()["command"])))
        .unwrap();
    let agent = patient();
    let serving = agent.serve(LOCAL, ServeOptions::default()).unwrap();
    let address = serving.address().to_owned();
    assert!(!address.ends_with(":0"), "{address}");
    let backoff = Backoff { first_ms: 10, most_ms: 20 };
    let options = ConnectOptions { name: Some("w".to_owned()), backoff, ..ConnectOptions::default() };
    let mut connection = worker.connect(&address, options).unwrap();
    tokio::time::timeout(LONG, connection.ready()).await.unwrap().unwrap();
    // Longer than a frame of HTTP/2, and than its first window.
    for length in [1, 100_000, 900_000] {
        let event = Event::pre_tool_use("Bash", json!({"command": "x".repeat(length)}));
        let reason = dispatch(&agent, event).await.reason().map(str::len);
        assert_eq!(reason, Some(length + "no \"\"".len()));
    }
    // The port is free again, and the worker finds the agent that takes it.
    serving.close().await;
    assert!(agent.list_hooks().is_empty());
    until(|| connection.state() != RemoteState::Ready).await;
    let agent = patient();
    let serving = agent.serve(&address, ServeOptions::default()).unwrap();
    tokio::time::timeout(LONG, connection.ready()).await.unwrap().unwrap();
    assert!(dispatch(&agent, bash()).await.blocked());
    connection.close().await;
    // The agent was told, so that it does not wait for the worker.
    until(|| agent.list_hooks().is_empty() && serving.workers().is_empty()).await;
    serving.close().await;
}

#[tokio::test]
async fn a_worker_without_the_token_is_refused_over_grpc() {
    let (agent, worker) = (patient(), patient());
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    agent.configure_audit(AuditOptions::file(&log)).unwrap();
    worker.on("PreToolUse").run(|_: &Event| ()).unwrap();
    let token = Some("secret".to_owned());
    let serving = agent.serve(LOCAL, ServeOptions { token: token.clone(), ..ServeOptions::default() }).unwrap();
    let mut refused = worker.connect(serving.address(), ConnectOptions::default()).unwrap();
    let why = tokio::time::timeout(LONG, refused.ready()).await.unwrap().unwrap_err();
    assert!(why.message().contains("the agent wants a token"), "{why}");
    let mut connection =
        worker.connect(serving.address(), ConnectOptions { token, ..ConnectOptions::default() }).unwrap();
    tokio::time::timeout(LONG, connection.ready()).await.unwrap().unwrap();
    assert_eq!(agent.list_hooks().len(), 1);
    connection.close().await;
    serving.close().await;
    assert!(agent.close(LONG).await);
    let records = std::fs::read_to_string(&log).unwrap();
    let refusals: Vec<&str> = records.lines().filter(|line| line.contains(r#""kind":"worker_refused""#)).collect();
    let [refusal] = refusals.as_slice() else { panic!("{records}") };
    assert!(refusal.contains(r#""details":{"worker":"unknown","code":"bad_token"}"#), "{refusal}");
}

#[tokio::test]
async fn what_is_no_stream_of_messages_disturbs_no_worker() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let (agent, worker) = (patient(), patient());
    worker.on("PreToolUse").run(|_: &Event| HookResponse::block("no")).unwrap();
    let serving = agent.serve(LOCAL, ServeOptions::default()).unwrap();
    let connection = connect(&worker, serving.address(), "w").await;
    let mut stream = tokio::net::TcpStream::connect(serving.address().trim_start_matches("grpc://")).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    // It is closed: that the rest was not read may be an error of the socket.
    _ = tokio::time::timeout(LONG, stream.read_to_end(&mut Vec::new())).await.unwrap();
    // A connection that says nothing does not keep the address open.
    let _silent = tokio::net::TcpStream::connect(serving.address().trim_start_matches("grpc://")).await.unwrap();
    assert!(dispatch(&agent, bash()).await.blocked());
    connection.close().await;
    tokio::time::timeout(LONG, serving.close()).await.unwrap();
}

#[tokio::test]
async fn over_tls_each_end_proves_who_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let [(agent_cert, agent_key), (worker_cert, worker_key), (other_cert, other_key)] =
        ["agent", "worker", "other"].map(|name| identity(folder.path(), name));
    let of_worker = |cert: Option<(PathBuf, PathBuf)>, ca: Option<&PathBuf>| {
        let (cert, key) = cert.unzip();
        let tls = Some(Tls { cert, key, ca: ca.cloned() });
        ConnectOptions { tls, backoff: Backoff { first_ms: 10, most_ms: 20 }, ..ConnectOptions::default() }
    };
    let worker_pair = || Some((worker_cert.clone(), worker_key.clone()));
    for is_mutual in [false, true] {
        let (agent, worker) = (patient(), patient());
        worker.on("PreToolUse").run(|_: &Event| HookResponse::block("no")).unwrap();
        let ca = is_mutual.then(|| worker_cert.clone());
        let tls = Some(Tls { cert: Some(agent_cert.clone()), key: Some(agent_key.clone()), ca });
        let serving = agent.serve("grpcs://127.0.0.1:0", ServeOptions { tls, ..ServeOptions::default() }).unwrap();
        let mut strangers = vec![of_worker(worker_pair(), None), of_worker(worker_pair(), Some(&other_cert))];
        if is_mutual {
            strangers.push(of_worker(None, Some(&agent_cert)));
            strangers.push(of_worker(Some((other_cert.clone(), other_key.clone())), Some(&agent_cert)));
        }
        for stranger in strangers {
            let tls = stranger.tls.clone();
            let refused = worker.connect(serving.address(), stranger);
            let Ok(refused) = refused else {
                // A machine without roots of its own trusts nobody.
                assert!(refused.unwrap_err().message().contains("tls:") && tls.unwrap().ca.is_none());
                continue;
            };
            until(|| matches!(refused.state(), RemoteState::Waiting(_))).await;
            refused.close().await;
            assert!(agent.list_hooks().is_empty(), "{tls:?}");
        }
        let friend = of_worker(is_mutual.then(worker_pair).flatten(), Some(&agent_cert));
        let mut connection = worker.connect(serving.address(), friend).unwrap();
        tokio::time::timeout(LONG, connection.ready()).await.unwrap().unwrap();
        assert!(dispatch(&agent, bash()).await.blocked());
        connection.close().await;
        serving.close().await;
    }
}

#[tokio::test]
async fn certificates_of_another_host_or_time_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let good = identity(folder.path(), "good");
    let elsewhere = identity_of(folder.path(), "elsewhere", &["elsewhere.example"], 4096);
    let expired = identity_of(folder.path(), "expired", &["localhost", "127.0.0.1"], 2001);
    // A worker needs no name.
    for (of_agent, of_worker) in [(&elsewhere, &good), (&expired, &good), (&good, &expired)] {
        let (agent, worker) = (patient(), patient());
        worker.on("PreToolUse").run(|_: &Event| ()).unwrap();
        let tls = |own: &(PathBuf, PathBuf), ca: &(PathBuf, PathBuf)| {
            Some(Tls { cert: Some(own.0.clone()), key: Some(own.1.clone()), ca: Some(ca.0.clone()) })
        };
        let options = ServeOptions { tls: tls(of_agent, of_worker), ..ServeOptions::default() };
        let serving = agent.serve("grpcs://127.0.0.1:0", options).unwrap();
        let options = ConnectOptions { tls: tls(of_worker, of_agent), ..ConnectOptions::default() };
        let refused = worker.connect(serving.address(), options).unwrap();
        until(|| matches!(refused.state(), RemoteState::Waiting(_))).await;
        assert!(agent.list_hooks().is_empty() && serving.workers().is_empty());
        refused.close().await;
    }
}

#[tokio::test]
async fn a_message_that_grpc_itself_does_not_take_is_refused() {
    let (agent, worker, other) = (patient(), patient(), patient());
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    agent.configure_audit(AuditOptions::file(&log)).unwrap();
    other.on("PreToolUse").run(|_: &Event| HookResponse::block("no")).unwrap();
    worker.on("PreToolUse").command_pattern("x".repeat(16_000)).run(|_: &Event| ()).unwrap();
    let limits = Limits { max_message: 4000, ..Limits::default() };
    let serving = agent.serve(LOCAL, ServeOptions { limits, ..ServeOptions::default() }).unwrap();
    let connection = connect(&other, serving.address(), "other").await;
    let options = ConnectOptions { name: Some("large".to_owned()), ..ConnectOptions::default() };
    let mut refused = worker.connect(serving.address(), options).unwrap();
    let why = tokio::time::timeout(LONG, refused.ready()).await.unwrap().unwrap_err();
    assert!(why.message().contains("over the limit of 4000"), "{why}");
    assert!(dispatch(&agent, bash()).await.blocked());
    connection.close().await;
    serving.close().await;
    assert!(agent.close(LONG).await);
    let records = std::fs::read_to_string(&log).unwrap();
    assert!(records.contains(r#""details":{"worker":"large","code":"unreadable"}"#), "{records}");
}

#[tokio::test]
async fn addresses_that_are_not_safe_are_refused_over_grpc() {
    let folder = tempfile::tempdir().unwrap();
    let engine = patient();
    let (cert, key) = identity(folder.path(), "agent");
    let pair = Tls { cert: Some(cert.clone()), key: Some(key), ca: None };
    let missing = Tls { cert: Some(folder.path().join("none")), ..pair.clone() };
    let token = Some("secret".to_owned());
    let plain = ServeOptions::default();
    let unix = format!("unix://{}/x", folder.path().display());
    for (address, options, why) in [
        ("grpc://0.0.0.0:0", ServeOptions { token: token.clone(), ..plain.clone() }, "read and change"),
        ("grpc://0.0.0.0:0", ServeOptions { insecure: true, ..plain.clone() }, "could register hooks"),
        ("grpcs://0.0.0.0:0", ServeOptions { tls: Some(pair.clone()), ..plain.clone() }, "could register hooks"),
        ("grpcs://127.0.0.1:0", plain.clone(), "give `cert` and `key`"),
        (
            "grpcs://127.0.0.1:0",
            ServeOptions { tls: Some(Tls { key: None, ..pair.clone() }), ..plain.clone() },
            "give `cert`",
        ),
        ("grpcs://127.0.0.1:0", ServeOptions { tls: Some(missing), ..plain.clone() }, "/none: "),
        ("grpc://127.0.0.1:0", ServeOptions { tls: Some(pair.clone()), ..plain.clone() }, "for grpcs://"),
        (&unix, ServeOptions { tls: Some(pair.clone()), ..plain.clone() }, "for grpcs://"),
        ("grpc://127.0.0.1", plain.clone(), "write `unix://`"),
        ("grpc://127.0.0.1:70000", plain.clone(), "write `unix://`"),
        ("grpc://a b:1", plain.clone(), "write `unix://`"),
        ("grpc://::1:1", plain.clone(), "write `unix://`"),
        ("grpc://127.example.org:1", plain.clone(), "read and change"),
    ] {
        let error = engine.serve(address, options).unwrap_err();
        assert!(error.code().as_str() == "invalid_option" && error.message().contains(why), "{address}: {error}");
    }
    let far = engine.connect("grpc://agent.example:1", ConnectOptions::default()).unwrap_err();
    assert!(far.message().contains("read and change"), "{far}");
    let serving = engine.serve("grpc://[::1]:0", ServeOptions::default());
    if let Ok(serving) = &serving {
        assert!(serving.address().starts_with("grpc://[::1]:"), "{}", serving.address());
    }
    let wide = ServeOptions { token, insecure: true, ..plain };
    let serving = engine.serve("grpc://0.0.0.0:0", wide).unwrap();
    let taken = engine.serve(
        serving.address(),
        ServeOptions { token: Some("x".to_owned()), insecure: true, ..ServeOptions::default() },
    );
    assert!(taken.unwrap_err().message().contains("in use"));
}
