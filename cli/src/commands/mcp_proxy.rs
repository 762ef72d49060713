//! `hookweave mcp-proxy`: a server of the Model Context Protocol with hooks around its tools.

use std::ffi::OsString;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::{Args, Parser, ValueEnum};

use crate::auditing::AuditArgs;
use crate::clock::now;
use crate::commands::guarding::{Guarding, refuse_brought_along, weakened, with_own_files};
use crate::commands::run::FAREWELL;
use crate::failed::{Failed, Result};
use crate::mcp::{Address, Asks, End, Judge, MAX_LINE, Proxy, Remote, of_command, outbox, plain, say};
use crate::mcp_servers::ENTRY;
use crate::policy::Which;
use crate::program::{Running, command_of, ended_as, start_group};
use crate::recording::RecordArgs;

/// How long is waited before it is looked again whether the server has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

const MIB: u64 = 1024 * 1024;

/// Run an MCP server with hooks around its tools
#[derive(Debug, Args)]
#[command(after_help = "\
`hookweave install --mcp FILE` puts it in front of the servers of a client's configuration.

Calls of tools are judged as mcp__NAME__TOOL; all other messages pass as they are. A call that is refused has the reason
as its result. If the policy is invalid, every call is refused. Messages that break the protocol end the server.
Exits as the server does.

With --url the server is a remote one (Streamable HTTP). Values of headers and the URL may hold ${NAME} of the environment.

  hookweave mcp-proxy --name github -- npx -y @modelcontextprotocol/server-github
  hookweave mcp-proxy --name github --url https://api.githubcopilot.com/mcp --header 'Authorization: Bearer ${TOKEN}'")]
pub(crate) struct McpProxy {
    /// The server's name in the names of its tools; by default as the program that is started
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// A remote server in place of one that is started; plain http only to this machine
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// A header of each request, for example with a key
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url")]
    headers: Vec<String>,

    /// The remote server is the entry in the variable `HOOKWEAVE_MCP_ENTRY`, which `install --mcp` writes
    #[arg(long, conflicts_with = "url")]
    entry: bool,

    /// How long an answer of a remote server may take
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// Who answers when a hook asks
    #[arg(long, value_enum, default_value_t)]
    approval: Approval,

    /// Longest message; a longer one ends the server
    #[arg(long, value_name = "MIB", default_value_t = MAX_LINE / MIB, value_parser = clap::value_parser!(u64).range(1..=1024))]
    max_message: u64,

    #[command(flatten)]
    guarding: Guarding,

    #[command(flatten)]
    which: Which,

    #[command(flatten)]
    record: RecordArgs,

    #[command(flatten)]
    audit: AuditArgs,

    /// The server and its arguments
    #[arg(required_unless_present_any = ["url", "entry"], conflicts_with_all = ["url", "entry"], last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Approval {
    /// No person: the call is refused.
    #[default]
    Deny,
    /// The client's user, if the client can ask (`elicitation`).
    Client,
}

/// What a person reads who put the proxy before a server and has no policy.
const NO_POLICY: &str = "there is no policy here, so every call passes; `hookweave init` writes one, and --require-policy \
                         refuses every call without one";

/// The words after the program's name in a client's configuration.
#[derive(Debug, Parser)]
struct Alone {
    #[command(flatten)]
    proxy: McpProxy,
}

impl McpProxy {
    /// What lets calls pass where a client's configuration starts the proxy with these words.
    pub(crate) fn faults(words: &[String], is_of_project: bool, asked: &Which) -> Vec<String> {
        let Ok(Alone { proxy }) = Alone::try_parse_from(words) else {
            return vec!["its options are not understood, so it does not start; install it again".to_owned()];
        };
        let mut faults = weakened(&proxy.which, is_of_project, asked);
        if is_of_project && !proxy.guarding.requires_policy() && proxy.which.files.is_empty() {
            faults
                .push("`--require-policy` is missing, so every call passes once the policy is gone; add it".to_owned());
        }
        faults
    }

    /// Runs the command; gives the server's exit code.
    pub(crate) fn run(&self) -> Result<u8> {
        let judge = self.judge().map_err(|why| why.to_string());
        if let Err(why) = &judge {
            say(&format!("every call is refused: {why}"));
        }
        match self.address()? {
            Some(address) => self.reach(address, judge),
            None => self.start(judge),
        }
    }

    /// Starts the server, and stands before it until it ends.
    fn start(&self, judge: std::result::Result<Judge, String>) -> Result<u8> {
        let mut command = command_of(&self.command)?;
        let mut server = start_group(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let (Some(to_server), Some(from_server)) = (server.child.stdin.take(), server.child.stdout.take()) else {
            return Err(Failed::new("the server has no standard streams"));
        };
        let words = || self.command.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>();
        let name = self.name.as_deref().map_or_else(|| of_command(&words()), plain);
        let proxy = Proxy::new(name, judge, self.asks(), self.longest(), std::io::stdout(), to_server);
        let reader = Arc::clone(&proxy);
        let broken = until_over(&proxy, move || reader.read_server(BufReader::new(from_server)))?;
        if let Some(why) = &broken {
            server.kill_group();
            proxy.give_up(why);
        }
        proxy.wait_for_calls(Some(FAREWELL));
        let status = wait(server)?;
        if let Some(judge) = proxy.judge() {
            judge.end(FAREWELL)?;
        }
        broken.map_or_else(|| Ok(ended_as(status)), |why| Err(Failed::new(format!("{why}; the server was ended"))))
    }

    /// Stands before a remote server until the client has no more to say.
    fn reach(&self, address: Address, judge: std::result::Result<Judge, String>) -> Result<u8> {
        let name = plain(self.name.as_deref().unwrap_or_else(|| address.host()));
        let (outbox, messages) = outbox();
        let proxy = Proxy::new(name, judge, self.asks(), self.longest(), std::io::stdout(), outbox);
        let remote = Remote::new(address, self.longest(), Arc::clone(&proxy)).map_err(Failed::new)?;
        let server = Arc::clone(&remote);
        let broken = until_over(&proxy, move || server.serve(&messages))?;
        if let Some(why) = &broken {
            proxy.give_up(why);
            remote.end();
        }
        proxy.wait_for_calls(Some(FAREWELL));
        if let Some(judge) = proxy.judge() {
            judge.end(FAREWELL)?;
        }
        broken.map_or(Ok(0), |why| Err(Failed::new(format!("{why}; the session was ended"))))
    }

    /// The address of a remote server, if it is one.
    fn address(&self) -> Result<Option<Address>> {
        let timeout = Duration::from_secs(self.timeout);
        let address = match &self.url {
            Some(url) => Address::new(url, &self.headers, timeout),
            None if self.entry => match std::env::var(ENTRY) {
                Ok(entry) => Address::of_entry(&entry, timeout),
                Err(_) => return Err(Failed::new(format!("{ENTRY} is not set; install again with `install --mcp`"))),
            },
            None => return Ok(None),
        };
        address.map(Some).map_err(Failed::new)
    }

    fn asks(&self) -> Asks {
        match self.approval {
            Approval::Deny => Asks::Nobody,
            Approval::Client => Asks::Client,
        }
    }

    fn longest(&self) -> u64 {
        self.max_message * MIB
    }

    /// The hooks that judge; without what the policy must have every call is refused.
    fn judge(&self) -> Result<Judge> {
        let which = self.which();
        let directory = std::path::absolute(which.directory()).map_err(|why| Failed::file(&which.directory(), why))?;
        refuse_brought_along(&which, &directory)?;
        let (policy, waiting) = self.guarding.load(&which)?;
        match waiting {
            Some(waiting) => say(&waiting),
            // What guards the policy alone is no policy.
            None if !policy.registry.list().iter().any(|hook| hook.origin.is_some()) => say(NO_POLICY),
            None => {}
        }
        let audit = self.audit.below(&directory).open()?;
        Judge::new(policy, which, audit, self.record.clone(), &directory)
    }

    fn which(&self) -> Which {
        let mut which = self.which.clone();
        which.cwd.get_or_insert_with(|| PathBuf::from("."));
        with_own_files(which)
    }
}

/// Reads both sides until the server's is over, or one of them breaks the protocol: then the text says how.
fn until_over(proxy: &Arc<Proxy>, read_server: impl FnOnce() -> End + Send + 'static) -> Result<Option<String>> {
    let (sender, ended) = channel();
    let no_thread = |why: std::io::Error| Failed::new(format!("the system has no thread to read on: {why}"));
    let (reader, of_client) = (Arc::clone(proxy), sender.clone());
    let read = move || drop(of_client.send((false, reader.read_client(BufReader::new(std::io::stdin())))));
    std::thread::Builder::new().name("hookweave-client".to_owned()).spawn(read).map_err(no_thread)?;
    let read = move || drop(sender.send((true, read_server())));
    std::thread::Builder::new().name("hookweave-server".to_owned()).spawn(read).map_err(no_thread)?;
    loop {
        match ended.recv() {
            // The server may finish what it has begun.
            Ok((false, End::Over)) => {}
            Ok((true, End::Over)) | Err(_) => return Ok(None),
            Ok((_, End::Broken(why))) => return Ok(Some(why)),
        }
    }
}

/// Waits for a server that has nothing more to say, and ends what it leaves behind.
fn wait(mut server: Running) -> Result<ExitStatus> {
    let until = now() + FAREWELL;
    while !server.has_ended() {
        if now() >= until {
            server.kill_group();
            break;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    server.end_group()
}
