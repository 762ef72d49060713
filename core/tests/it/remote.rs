//! Workers in this process and in others: their hooks run as local ones do, and what happens when either side dies.

#[cfg(feature = "grpc")]
mod grpc;
#[cfg(feature = "nats")]
mod nats;
#[cfg(feature = "nats")]
mod nats_server;

use std::path::Path;
#[cfg(any(feature = "grpc", feature = "nats"))]
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hookweave::remote::{Backoff, ConnectOptions, Grants, Limits, RemoteState, ServeOptions, WorkerConnection};
use hookweave::{Action, Engine, Event, FailBehavior, HookResponse, Outcome};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::{LONG, patient, until_async};

/// Names the address in a process that is a worker.
const ADDRESS: &str = "HOOKWEAVE_TEST_ADDRESS";

/// Names the worker there, or at a NATS server its group.
const NAME: &str = "HOOKWEAVE_TEST_NAME";

fn address(folder: &Path) -> String {
    format!("unix://{}", folder.join("hooks.sock").display())
}

fn bash() -> Event {
    Event::pre_tool_use("Bash", json!({"command": "ls"}))
}

async fn dispatch(agent: &Engine, event: Event) -> Outcome {
    tokio::time::timeout(LONG, agent.dispatch(event)).await.unwrap().unwrap()
}

async fn connect(worker: &Engine, address: &str, name: &str) -> WorkerConnection {
    let options = ConnectOptions { name: Some(name.to_owned()), ..ConnectOptions::default() };
    let mut connection = worker.connect(address, options).unwrap();
    tokio::time::timeout(LONG, connection.ready()).await.unwrap().unwrap();
    connection
}

/// A certificate of this machine and its key, in files; each is its own root.
#[cfg(any(feature = "grpc", feature = "nats"))]
fn identity(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
    identity_of(folder, name, &["localhost", "127.0.0.1"], 4096)
}

/// The same of other hosts, until the end of a year.
#[cfg(any(feature = "grpc", feature = "nats"))]
fn identity_of(folder: &Path, name: &str, hosts: &[&str], until: i32) -> (PathBuf, PathBuf) {
    let key_pair = rcgen::KeyPair::generate().unwrap();
    let hosts: Vec<_> = hosts.iter().map(|host| (*host).to_owned()).collect();
    let mut made = rcgen::CertificateParams::new(hosts).unwrap();
    made.not_after = rcgen::date_time_ymd(until, 12, 31);
    let (cert, key) = (folder.join(format!("{name}.crt")), folder.join(format!("{name}.key")));
    std::fs::write(&cert, made.self_signed(&key_pair).unwrap().pem()).unwrap();
    std::fs::write(&key, key_pair.serialize_pem()).unwrap();
    (cert, key)
}

/// Waits until something holds of the agent.
async fn until(holds: impl FnMut() -> bool) {
    assert!(until_async(holds).await);
}

/// Says when it is dropped.
struct Ends(tokio::sync::mpsc::UnboundedSender<&'static str>);
impl Drop for Ends {
    fn drop(&mut self) {
        _ = self.0.send("ends");
    }
}

/// What hooks say of their runs.
struct Told(tokio::sync::mpsc::UnboundedReceiver<&'static str>);
impl Told {
    async fn next(&mut self) -> &'static str {
        tokio::time::timeout(LONG, self.0.recv()).await.unwrap().unwrap()
    }
}

/// A hook that runs until it is cancelled, and says when it begins and ends.
fn endless() -> (impl Fn(Event) -> Pin<Box<dyn Future<Output = ()> + Send>> + Clone + Send + Sync + 'static, Told) {
    let (running, told) = tokio::sync::mpsc::unbounded_channel();
    let hook = move |_: Event| -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let running = running.clone();
        Box::pin(async move {
            let _ends = Ends(running.clone());
            _ = running.send("runs");
            std::future::pending::<()>().await;
        })
    };
    (hook, Told(told))
}

/// Cancels a dispatch while an endless hook runs: the worker's handler ends.
async fn cancel_ends(agent: &Engine, told: &mut Told) {
    let dispatching = {
        let agent = agent.clone();
        tokio::spawn(async move { agent.dispatch(bash()).await })
    };
    assert_eq!(told.next().await, "runs");
    dispatching.abort();
    assert_eq!(told.next().await, "ends");
}

/// Hooks of every kind, in an engine.
fn hooks(engine: &Engine) {
    engine
        .on("PreToolUse")
        .name("changes")
        .tool("Bash")
        .run_mut(|context: &mut hookweave::HookContext| context["args"]["timeout"] = json!(5))
        .unwrap();
    engine
        .on("PreToolUse")
        .name("sees")
        .priority(5)
        .run_async(|event: Event| async move {
            HookResponse::continue_()
                .inject(format!("{} {} {}", event.tool(), event.args(), event.session_id()))
                .share("seen", event.field("shared")["by"].clone())
                .message("looked")
        })
        .unwrap();
    engine
        .on("PreToolUse")
        .name("fails")
        .priority(6)
        .run(|_: &Event| Err::<(), _>(hookweave::HookError::from("no luck")))
        .unwrap();
    engine
        .on("PreToolUse")
        .name("panics")
        .priority(7)
        .run(|_: &Event| -> HookResponse { panic!("a mistake") })
        .unwrap();
    engine
        .on("PreToolUse")
        .name("refuses")
        .priority(8)
        .rule("Bash(rm *)")
        .run(|_: &Event| HookResponse::block("no"))
        .unwrap();
}

/// What an outcome says, without what differs between any two runs.
fn shown(outcome: &Outcome) -> Value {
    let trace: Vec<_> = outcome
        .trace()
        .iter()
        .map(|entry| {
            let name = entry.hook.rsplit('/').next().unwrap().to_owned();
            json!({"hook": name, "status": format!("{:?}", entry.status), "failure": entry.failure.as_ref().map(|failure| (failure.kind.as_str(), failure.message))})
        })
        .collect();
    json!({
        "decision": outcome.decision().as_str(), "args": outcome.event().args(), "shared": outcome.event().field("shared"),
        "context": outcome.injections().iter().map(|from| from.part.clone()).collect::<Vec<_>>(), "trace": trace,
    })
}

#[tokio::test]
async fn a_workers_hooks_are_hooks_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let (local, agent, worker) = (patient(), patient(), patient());
    hooks(&local);
    hooks(&worker);
    let serving = agent.serve(&address(folder.path()), ServeOptions::default()).unwrap();
    let connection = connect(&worker, serving.address(), "w").await;
    for command in ["ls", "rm x"] {
        let event = Event::pre_tool_use("Bash", json!({"command": command}))
            .with("session_id", "s")
            .with("shared", json!({"by": "me"}));
        let (here, there) = (dispatch(&local, event.clone()).await, dispatch(&agent, event).await);
        assert_eq!(shown(&there), shown(&here), "{command}");
    }
    let listed = agent.list_hooks();
    assert!(listed.iter().all(|hook| hook.worker.as_deref() == Some("w") && hook.name.starts_with("w/")), "{listed:?}");
    // Hooks come, are switched and go while the worker is connected.
    let id = worker.on("Stop").run(|_: &Event| ()).unwrap();
    until(|| agent.list_hooks().len() == 6).await;
    worker.disable_hook(&id).unwrap();
    until(|| agent.list_hooks().len() == 5).await;
    connection.close().await;
    until(|| agent.list_hooks().is_empty()).await;
    assert!(serving.workers().is_empty());
    serving.close().await;
    assert!(!folder.path().join("hooks.sock").exists());
}

#[tokio::test]
async fn a_worker_may_what_the_agent_grants() {
    let folder = tempfile::tempdir().unwrap();
    let (agent, worker) = (patient(), patient());
    worker.on("PreToolUse").fail_behavior(FailBehavior::Block).run(|_: &Event| HookResponse::allow()).unwrap();
    worker.on("Stop").run(|_: &Event| ()).unwrap();
    let grants = Grants { events: Some(vec!["PreToolUse".to_owned()]), ..Grants::default() };
    let token = Some("secret".to_owned());
    let options = ServeOptions { grants, token: token.clone(), ..ServeOptions::default() };
    let serving = agent.serve(&address(folder.path()), options).unwrap();
    let mut refused = worker.connect(serving.address(), ConnectOptions::default()).unwrap();
    let why = tokio::time::timeout(LONG, refused.ready()).await.unwrap().unwrap_err();
    assert!(why.message().contains("the agent wants a token"), "{why}");
    let mut connection =
        worker.connect(serving.address(), ConnectOptions { token, ..ConnectOptions::default() }).unwrap();
    tokio::time::timeout(LONG, connection.ready()).await.unwrap().unwrap();
    let [hook] = &agent.list_hooks()[..] else { panic!("{:?}", agent.list_hooks()) };
    assert!(!hook.mandatory && hook.event == "PreToolUse");
    assert_eq!(dispatch(&agent, bash()).await.decision(), Action::Continue);
    connection.close().await;
}

#[tokio::test]
async fn a_workers_hook_is_mandatory_only_if_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (agent, worker) = (patient(), patient());
    let guard = |name: &str| worker.on("PreToolUse").name(name).fail_behavior(FailBehavior::Block);
    guard("closed").run(|_: &Event| ()).unwrap();
    guard("mandatory").mandatory().run(|_: &Event| ()).unwrap();
    let grants = Grants { mandatory: true, ..Grants::default() };
    let serving = agent.serve(&address(folder.path()), ServeOptions { grants, ..ServeOptions::default() }).unwrap();
    let connection = connect(&worker, serving.address(), "w").await;
    let listed: Vec<_> = agent.list_hooks().into_iter().map(|hook| (hook.name, hook.mandatory)).collect();
    assert_eq!(listed, [("w/closed".to_owned(), false), ("w/mandatory".to_owned(), true)]);
    connection.close().await;
}

#[tokio::test]
async fn an_agent_that_restarts_has_the_hooks_again() {
    let folder = tempfile::tempdir().unwrap();
    let worker = patient();
    worker.on("PreToolUse").run(|_: &Event| HookResponse::block("no")).unwrap();
    let backoff = Backoff { first_ms: 10, most_ms: 20 };
    let options = ConnectOptions { backoff, ..ConnectOptions::default() };
    // The worker may come first.
    let mut connection = worker.connect(&address(folder.path()), options).unwrap();
    for _ in 0..3 {
        let agent = patient();
        let serving = agent.serve(&address(folder.path()), ServeOptions::default()).unwrap();
        until(|| agent.list_hooks().len() == 1).await;
        tokio::time::timeout(LONG, connection.ready()).await.unwrap().unwrap();
        assert!(dispatch(&agent, bash()).await.blocked());
        serving.close().await;
        assert!(agent.list_hooks().is_empty());
        until(|| connection.state() != RemoteState::Ready).await;
    }
    connection.close().await;
}

#[tokio::test]
async fn a_cancelled_or_late_dispatch_ends_the_workers_handler() {
    let folder = tempfile::tempdir().unwrap();
    let (agent, worker) = (patient(), patient());
    let (hook, mut told) = endless();
    worker.on("PreToolUse").timeout(None).run_async(hook.clone()).unwrap();
    worker.on("Stop").timeout(Duration::from_millis(50)).fail_behavior(FailBehavior::Block).run_async(hook).unwrap();
    let serving = agent.serve(&address(folder.path()), ServeOptions::default()).unwrap();
    let connection = connect(&worker, serving.address(), "w").await;
    cancel_ends(&agent, &mut told).await;
    let late = dispatch(&agent, Event::new("Stop", json!({}))).await;
    assert!(late.blocked() && late.reason().unwrap().contains("50 ms"), "{late:?}");
    assert_eq!((told.next().await, told.next().await), ("runs", "ends"));
    connection.close().await;
}

#[tokio::test]
async fn addresses_that_cannot_be_used_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = patient();
    for wrong in
        ["http://127.0.0.1:1", "unix://relative", "/tmp/x", &format!("unix://{}/no/x", folder.path().display())]
    {
        let error = engine.serve(wrong, ServeOptions::default()).unwrap_err();
        assert!(error.code().as_str() == "invalid_option" && error.message().contains(wrong), "{error}");
    }
    let serving = engine.serve(&address(folder.path()), ServeOptions::default()).unwrap();
    let taken = engine.serve(serving.address(), ServeOptions::default()).unwrap_err();
    assert!(taken.message().contains("in use"), "{taken}");
    let name = Some("a/b".to_owned());
    let bad = engine.connect(serving.address(), ConnectOptions { name, ..ConnectOptions::default() }).unwrap_err();
    assert!(bad.message().contains("a worker's name"), "{bad}");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(folder.path().join("hooks.sock")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_stream_that_is_none_is_refused_and_other_workers_go_on() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let folder = tempfile::tempdir().unwrap();
    let (agent, worker) = (patient(), patient());
    worker.on("PreToolUse").run(|_: &Event| HookResponse::block("no")).unwrap();
    let serving = agent.serve(&address(folder.path()), ServeOptions::default()).unwrap();
    let connection = connect(&worker, serving.address(), "w").await;
    for (bytes, why) in
        [(&[0xff; 64][..], "over the limit"), (b"\0\0\0\x02\xff\xff", "cannot be read"), (b"\0\0\0\0", "not a hello")]
    {
        let mut stream = tokio::net::UnixStream::connect(folder.path().join("hooks.sock")).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        // What it still sent may be cut off: that it was not read is an error of the socket.
        _ = tokio::time::timeout(LONG, stream.read_to_end(&mut answer)).await.unwrap();
        assert!(String::from_utf8_lossy(&answer).contains(why), "{why}: {answer:?}");
    }
    assert!(dispatch(&agent, bash()).await.blocked());
    connection.close().await;
}

/// Lets this process have files for many connections; some systems give few unless they are asked.
fn with_many_files() {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.map_or(4096, |maximum| maximum.min(4096));
    let current = limit.current.map(|current| current.max(most));
    setrlimit(Resource::Nofile, Rlimit { current, ..limit }).unwrap();
}

/// Addresses of each way that needs no server.
fn addresses(folder: &Path) -> Vec<String> {
    let mut all = vec![address(folder)];
    if cfg!(feature = "grpc") {
        all.push("grpc://127.0.0.1:0".to_owned());
    }
    all
}

#[tokio::test]
async fn a_slow_worker_keeps_no_other_waiting() {
    let folder = tempfile::tempdir().unwrap();
    for address in addresses(folder.path()) {
        let (agent, slow, fast) = (patient(), patient(), patient());
        let (hook, mut told) = endless();
        slow.on("PreToolUse").tool("Bash").timeout(None).fail_behavior(FailBehavior::Block).run_async(hook).unwrap();
        fast.on("PreToolUse").tool("Read").run(|_: &Event| HookResponse::block("fast")).unwrap();
        let serving = agent.serve(&address, ServeOptions { queue: 1, ..ServeOptions::default() }).unwrap();
        let limits = Limits { in_flight: 1, ..Limits::default() };
        let options = ConnectOptions { name: Some("slow".to_owned()), limits, ..ConnectOptions::default() };
        let mut slow = slow.connect(serving.address(), options).unwrap();
        tokio::time::timeout(LONG, slow.ready()).await.unwrap().unwrap();
        let fast = connect(&fast, serving.address(), "fast").await;
        let call = || {
            let agent = agent.clone();
            tokio::spawn(async move { dispatch(&agent, bash()).await })
        };
        let mut calls = vec![call()];
        assert_eq!(told.next().await, "runs");
        calls.extend((0..5).map(|_| call()));
        // One runs and one waits; the others find no room.
        let ended = |calls: &[JoinHandle<Outcome>]| calls.iter().filter(|call| call.is_finished()).count();
        until(|| ended(&calls) == 4).await;
        for _ in 0..100 {
            let event = Event::pre_tool_use("Read", json!({"file_path": "/x"}));
            assert_eq!(dispatch(&agent, event).await.reason(), Some("fast"));
        }
        assert_eq!(ended(&calls), 4);
        drop(slow);
        let mut kinds = Vec::new();
        for call in calls {
            let outcome = tokio::time::timeout(LONG, call).await.unwrap().unwrap();
            assert!(outcome.blocked(), "{outcome:?}");
            kinds.push(outcome.trace()[0].failure.as_ref().unwrap().kind.as_str());
        }
        kinds.sort_unstable();
        assert_eq!(kinds, ["lost", "lost", "not_started", "not_started", "not_started", "not_started"]);
        fast.close().await;
        serving.close().await;
    }
}

#[tokio::test]
async fn two_hundred_workers_are_back_when_their_agent_is() {
    with_many_files();
    let folder = tempfile::tempdir().unwrap();
    for address in addresses(folder.path()) {
        let agent = patient();
        let serving = agent.serve(&address, ServeOptions::default()).unwrap();
        let address = serving.address().to_owned();
        let workers: Vec<_> = (0..200)
            .map(|number| {
                let worker = patient();
                worker.on("PreToolUse").run(|_: &Event| HookResponse::continue_().inject("here")).unwrap();
                let name = Some(format!("w{number}"));
                let connection =
                    worker.connect(&address, ConnectOptions { name, ..ConnectOptions::default() }).unwrap();
                (worker, connection)
            })
            .collect();
        until(|| agent.list_hooks().len() == 200).await;
        serving.close().await;
        until(|| workers.iter().all(|(_, connection)| connection.state() != RemoteState::Ready)).await;
        let agent = patient();
        let serving = agent.serve(&address, ServeOptions::default()).unwrap();
        until(|| workers.iter().all(|(_, connection)| connection.state() == RemoteState::Ready)).await;
        assert_eq!(agent.list_hooks().len(), 200);
        assert_eq!(dispatch(&agent, bash()).await.injections().len(), 200);
        serving.close().await;
    }
}

/// Starts this program as a worker of a name or group.
fn start_worker(address: &str, name: &str) -> Child {
    #[expect(clippy::disallowed_methods, reason = "the worker is a process of its own")]
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "remote::is_a_worker", "--ignored"]).env(ADDRESS, address).env(NAME, name);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A hook that answers and two that never do, until the process is killed.
#[tokio::test]
#[ignore = "it is the worker that other tests start and kill"]
async fn is_a_worker() {
    let (Ok(address), Ok(name)) = (std::env::var(ADDRESS), std::env::var(NAME)) else { return };
    let worker = patient();
    let never = |_: Event| std::future::pending::<()>();
    worker.on("PreToolUse").tool("Bash").run(|_: &Event| HookResponse::block("by the worker")).unwrap();
    let closed = worker.on("PreToolUse").tool("Write").fail_behavior(FailBehavior::Block).timeout(None);
    closed.run_async(never).unwrap();
    worker.on("PreToolUse").tool("Read").fail_behavior(FailBehavior::Continue).timeout(None).run_async(never).unwrap();
    #[cfg(feature = "nats")]
    if address.starts_with("nats://") {
        let _connection = nats::join(&worker, &address, nats::member_of(&name)).await;
        std::future::pending::<()>().await;
    }
    let _connection = connect(&worker, &address, &name).await;
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_worker_that_is_killed_fails_its_hooks_once_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let agent = patient();
    let serving = agent.serve(&address(folder.path()), ServeOptions::default()).unwrap();
    let mut child = start_worker(serving.address(), "killed");
    until(|| agent.list_hooks().len() == 3).await;
    assert_eq!(dispatch(&agent, bash()).await.reason(), Some("by the worker"));
    let call = |tool: &str| {
        let (agent, event) = (agent.clone(), Event::pre_tool_use(tool, json!({"file_path": "/x"})));
        tokio::spawn(async move { dispatch(&agent, event).await })
    };
    let calls: Vec<_> = (0..20).map(|number| call(if number % 2 == 0 { "Write" } else { "Read" })).collect();
    // This one comes back, so that all before it are on their way.
    assert!(dispatch(&agent, bash()).await.blocked());
    child.kill().unwrap();
    child.wait().unwrap();
    for (number, call) in calls.into_iter().enumerate() {
        let outcome = tokio::time::timeout(LONG, call).await.unwrap().unwrap();
        assert_eq!(outcome.blocked(), number % 2 == 0, "{outcome:?}");
        assert_eq!(outcome.trace().iter().filter(|entry| entry.failure.is_some()).count(), 1, "{outcome:?}");
    }
    // While it is away its hooks fail.
    until(|| serving.workers().iter().any(|worker| !worker.connected)).await;
    let away = dispatch(&agent, Event::pre_tool_use("Write", json!({"file_path": "/x"}))).await;
    assert!(away.blocked() && away.reason().unwrap().contains("not connected"), "{away:?}");
    let mut child = start_worker(serving.address(), "killed");
    until(|| serving.workers().iter().any(|worker| worker.connected && worker.hooks == 3)).await;
    until(|| agent.stats().hooks.len() >= 3).await;
    tokio::time::timeout(LONG, async {
        while dispatch(&agent, bash()).await.reason() != Some("by the worker") {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    assert_eq!(agent.list_hooks().len(), 3);
    child.kill().unwrap();
    child.wait().unwrap();
    serving.close().await;
    assert!(agent.list_hooks().is_empty());
}
