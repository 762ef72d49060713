//! A server with an address: messages go out as requests of HTTP, and come back as answers or streams of events.

use std::collections::HashMap;
use std::io::{self, BufReader, Read as _, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use hookweave_host::exec::cancel::Cancel;
use hookweave_host::exec::webhook::{StreamRequest, WebClient, WebPolicy, WebStream};
use serde_json::Value;

use super::address::Address;
use super::events::{self, Position};
use super::judge::say;
use super::message::{Kind, Message, id_text};
use super::proxy::{End, Proxy, lock};
use crate::clock::now;

/// How long a connection, and the receipt of a message without an answer, may take.
const CONNECT: Duration = Duration::from_secs(20);
const RECEIPT: Duration = Duration::from_secs(30);

/// How long the end of the session may take.
const GOODBYE: Duration = Duration::from_secs(5);

/// How long the stream of the server's own messages may last before it is requested again.
const LISTEN: Duration = Duration::from_secs(24 * 60 * 60);

/// How many requests are under way at once.
const MOST_REQUESTS: usize = 128;

/// How often the stream of an answer is asked for again without anything new.
const MOST_TRIES: u32 = 5;

/// How much of an error is read.
const ERROR_BYTES: u64 = 64 * 1024;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Where the messages for the server go, one at each flush.
pub(crate) struct Outbox {
    message: Vec<u8>,
    to: SyncSender<Vec<u8>>,
}

/// An outbox, and what takes the messages out of it.
pub(crate) fn outbox() -> (Outbox, Receiver<Vec<u8>>) {
    let (to, from) = sync_channel(64);
    (Outbox { message: Vec::new(), to }, from)
}

impl Write for Outbox {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.message.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let message = std::mem::take(&mut self.message);
        self.to.send(message).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// What the server gave at the beginning, and gets with each request.
#[derive(Default)]
struct Session {
    id: Option<String>,
    version: Option<String>,
}

/// A conversation's server.
pub(crate) struct Remote {
    client: WebClient,
    address: Address,
    longest: u64,
    proxy: Arc<Proxy>,
    session: Mutex<Session>,
    /// The requests that wait for an answer, by their ids.
    open: Mutex<HashMap<String, Cancel>>,
    one_over: Condvar,
    listening: Mutex<Option<Cancel>>,
    over: Cancel,
}

/// What a request is made for.
#[derive(Clone, Copy)]
enum Sends<'a> {
    Message(&'a [u8]),
    /// The stream that follows an event, or that of the server's own messages.
    Listens(Option<&'a str>),
    Goodbye,
}

impl Remote {
    /// The server at an address, in a conversation.
    ///
    /// # Errors
    ///
    /// Nothing could ever be sent there.
    pub(crate) fn new(address: Address, longest: u64, proxy: Arc<Proxy>) -> Result<Arc<Self>, String> {
        let client = WebClient::new(WebPolicy::default());
        address.check(&client)?;
        Ok(Arc::new(Self {
            client,
            address,
            longest,
            proxy,
            session: Mutex::default(),
            open: Mutex::default(),
            one_over: Condvar::new(),
            listening: Mutex::default(),
            over: Cancel::new(),
        }))
    }

    /// Sends what comes out of the outbox; when no more comes and all is answered, the session is over.
    pub(crate) fn serve(self: &Arc<Self>, from: &Receiver<Vec<u8>>) -> End {
        for line in from {
            let Ok(message) = Message::read(&line) else { continue };
            match message.kind {
                Kind::Request { id, method } if method == "initialize" => {
                    *lock(&self.session) = Session::default();
                    let cancel = Cancel::new();
                    lock(&self.open).insert(id.clone(), cancel.clone());
                    self.request(&line, &id, &cancel, true);
                }
                Kind::Request { id, .. } => self.start(line, id),
                Kind::Notification { ref method } => {
                    if let Err(why) = self.notify(&line) {
                        say(&format!("`{method}` did not reach the server {}: {why}", self.proxy.name()));
                    } else if method == "notifications/initialized" {
                        self.start_listening();
                    }
                    if method == "notifications/cancelled"
                        && let Some(Ok(Some(id))) = message.param("requestId").map(id_text)
                        && let Some(request) = self.close(&id)
                    {
                        request.cancel();
                    }
                }
                Kind::Response { .. } => {
                    if let Err(why) = self.notify(&line) {
                        say(&format!("an answer did not reach the server {}: {why}", self.proxy.name()));
                    }
                }
            }
        }
        let open = lock(&self.open);
        drop(self.one_over.wait_while(open, |open| !open.is_empty()).unwrap_or_else(PoisonError::into_inner));
        self.end();
        self.proxy.give_up(&format!("the conversation with the server {} is over", self.proxy.name()));
        End::Over
    }

    /// Ends what is under way, and the session.
    pub(crate) fn end(&self) {
        self.over.cancel();
        if lock(&self.session).id.is_some() {
            // A server may keep its sessions: then it refuses.
            let _ = self.send(Sends::Goodbye, GOODBYE, &[]);
        }
        *lock(&self.session) = Session::default();
    }

    /// Makes a request on a thread of its own.
    fn start(self: &Arc<Self>, line: Vec<u8>, id: String) {
        let cancel = Cancel::new();
        let number = {
            let mut open = lock(&self.open);
            open.insert(id.clone(), cancel.clone());
            open.len()
        };
        if number > MOST_REQUESTS {
            self.proxy.fail(&id, &format!("{MOST_REQUESTS} requests are under way; ask again when one is over"));
            drop(self.close(&id));
            return;
        }
        let (remote, key) = (Arc::clone(self), id.clone());
        let thread = std::thread::Builder::new().name("hookweave-request".to_owned());
        if let Err(why) = thread.spawn(move || remote.request(&line, &id, &cancel, false)) {
            self.proxy.fail(&key, &format!("the system has no thread for the request: {why}"));
            drop(self.close(&key));
        }
    }

    /// Makes a request. The client gets an answer, if only an error.
    fn request(&self, line: &[u8], id: &str, cancel: &Cancel, begins: bool) {
        let came = self.answered(line, id, cancel, begins);
        // In between the client may have cancelled it, or the answer come before what went wrong.
        let is_waited_for = lock(&self.open).contains_key(id);
        match came {
            Err(why) if is_waited_for => self.proxy.fail(id, &why),
            Err(why) if !cancel.is_cancelled() && !self.over.is_cancelled() => say(&why),
            _ => {}
        }
        drop(self.close(id));
    }

    /// No side waits for an answer any more.
    fn close(&self, id: &str) -> Option<Cancel> {
        let closed = lock(&self.open).remove(id);
        self.one_over.notify_all();
        closed
    }

    fn answered(&self, line: &[u8], id: &str, cancel: &Cancel, begins: bool) -> Result<(), String> {
        let until = now() + self.address.timeout;
        let answer = self.send(Sends::Message(line), self.address.timeout, &[cancel])?;
        let mut answer = self.taken(answer)?;
        if begins {
            lock(&self.session).id = answer.header("mcp-session-id");
        }
        let url = answer.url().to_owned();
        match kind_of(&answer).as_str() {
            JSON => {
                let mut body = Vec::new();
                let read = answer.by_ref().take(self.longest.saturating_add(1)).read_to_end(&mut body);
                read.map_err(|why| why.to_string())?;
                if u64::try_from(body.len()).unwrap_or(u64::MAX) > self.longest {
                    return Err(format!("`{url}`: the answer is longer than {} bytes", self.longest));
                }
                let line = events::one_line(body);
                let message = Message::read(&line).map_err(|what| format!("`{url}`: the answer {what}"))?;
                if !answers(&message, id) {
                    return Err(format!("`{url}`: what comes back is not the answer to the request"));
                }
                self.hear(line, message, begins);
                Ok(())
            }
            EVENTS => self.follow(answer, id, cancel, begins, until),
            kind => {
                let kind: String = kind.escape_debug().take(80).collect();
                let status = answer.status();
                Err(format!("`{url}`: answers with status {status} and `{kind}`, which is neither JSON nor a stream"))
            }
        }
    }

    /// Reads the streams of an answer until it is there.
    fn follow(
        &self,
        first: WebStream,
        id: &str,
        cancel: &Cancel,
        begins: bool,
        until: std::time::Instant,
    ) -> Result<(), String> {
        let (mut stream, mut position, mut tries) = (first, Position::default(), 0);
        loop {
            let before = position.last.clone();
            let url = stream.url().to_owned();
            let (is_answered, why) = self.read(stream, Some(id), begins, &mut position)?;
            if is_answered {
                return Ok(());
            }
            let why = why.unwrap_or_else(|| format!("`{url}`: the stream of the answer ended without it"));
            tries = if position.last == before { tries + 1 } else { 1 };
            let Some(last) = position.last.clone() else { return Err(why) };
            if tries > MOST_TRIES || now() >= until || self.rested(position.retry, &[cancel]) {
                return Err(why);
            }
            let left = until.saturating_duration_since(now());
            let again = self.send(Sends::Listens(Some(&last)), left, &[cancel])?;
            stream = self.taken(again)?;
            if kind_of(&stream) != EVENTS {
                return Err(why);
            }
        }
    }

    /// Reads a stream to its end: whether the answer was in it, and why it broke. The error is that the stream breaks the protocol.
    fn read(
        &self,
        stream: WebStream,
        id: Option<&str>,
        begins: bool,
        position: &mut Position,
    ) -> Result<(bool, Option<String>), String> {
        let url = stream.url().to_owned();
        let mut from = BufReader::new(stream);
        let mut is_answered = false;
        loop {
            let line = match events::next(&mut from, self.longest, position) {
                Ok(Some(line)) => line,
                Ok(None) => return Ok((is_answered, None)),
                Err(why) => return Ok((is_answered, Some(why.to_string()))),
            };
            let message = Message::read(&line).map_err(|what| format!("`{url}`: a message {what}"))?;
            let is_it = id.is_some_and(|id| answers(&message, id));
            self.hear(line, message, begins && is_it);
            if let (true, Some(id)) = (is_it, id) {
                is_answered = true;
                drop(self.close(id));
                if begins {
                    return Ok((true, None));
                }
            }
        }
    }

    /// Takes in a message; the answer to the first request says which version of the protocol is spoken.
    fn hear(&self, line: Vec<u8>, message: Message, begins: bool) {
        if begins {
            let version = message.fields.get("result").and_then(|result| result.get("protocolVersion")?.as_str());
            lock(&self.session).version = version.map(str::to_owned);
        }
        self.proxy.of_server(line, message);
    }

    /// Sends what has no answer.
    fn notify(&self, line: &[u8]) -> Result<(), String> {
        let answer = self.send(Sends::Message(line), RECEIPT.min(self.address.timeout), &[])?;
        self.taken(answer).map(drop)
    }

    fn start_listening(self: &Arc<Self>) {
        let cancel = Cancel::new();
        if let Some(before) = lock(&self.listening).replace(cancel.clone()) {
            before.cancel();
        }
        let remote = Arc::clone(self);
        let thread = std::thread::Builder::new().name("hookweave-listen".to_owned());
        if let Err(why) = thread.spawn(move || remote.listen(&cancel)) {
            say(&format!("messages that the server {} sends by itself do not arrive: {why}", self.proxy.name()));
        }
    }

    /// Listens to what the server says of its own accord, if it does.
    fn listen(&self, cancel: &Cancel) {
        let unheard = |why: &str| {
            say(&format!("messages that the server {} sends by itself do not arrive: {why}", self.proxy.name()));
        };
        let mut position = Position::default();
        let mut failures = 0_u32;
        loop {
            match self.send(Sends::Listens(position.last.as_deref()), LISTEN, &[cancel]) {
                // The server has no such stream.
                Ok(answer) if answer.status() == 405 => return,
                Ok(answer) if answer.status() == 404 && lock(&self.session).id.is_none() => return,
                Ok(answer) => match self.taken(answer) {
                    Ok(stream) if kind_of(&stream) == EVENTS => {
                        failures = 0;
                        if let Err(why) = self.read(stream, None, false, &mut position) {
                            return unheard(&why);
                        }
                    }
                    Ok(_) => return unheard("what comes back is no stream"),
                    Err(why) => return unheard(&why),
                },
                Err(_) if self.over.is_cancelled() || cancel.is_cancelled() => return,
                Err(why) => {
                    if failures == 0 {
                        unheard(&format!("{why}; it is tried again"));
                    }
                    failures = failures.saturating_add(1).min(6);
                }
            }
            if self.rested(position.retry.saturating_mul(1 << failures), &[cancel]) {
                return;
            }
        }
    }

    /// Waits; whether it was cancelled.
    fn rested(&self, time: Duration, cancels: &[&Cancel]) -> bool {
        let (sender, woken) = channel();
        let watch = |cancel: &Cancel| {
            let sender = sender.clone();
            cancel.watch(move || _ = sender.send(()))
        };
        let watches: Vec<_> = cancels.iter().copied().chain([&self.over]).map(watch).collect();
        let is_cancelled = woken.recv_timeout(time).is_ok();
        drop(watches);
        is_cancelled
    }

    fn send(&self, what: Sends<'_>, timeout: Duration, cancels: &[&Cancel]) -> Result<WebStream, String> {
        let mut headers = self.address.headers.clone();
        let mut own = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
        match what {
            Sends::Message(_) => own("accept", &format!("{JSON}, {EVENTS}")),
            Sends::Listens(_) => own("accept", EVENTS),
            Sends::Goodbye => {}
        }
        {
            let session = lock(&self.session);
            session.id.iter().for_each(|id| own("mcp-session-id", id));
            session.version.iter().for_each(|version| own("mcp-protocol-version", version));
        }
        if let Sends::Listens(Some(last)) = what {
            own("last-event-id", last);
        }
        let is_goodbye = matches!(what, Sends::Goodbye);
        let request = StreamRequest {
            url: &self.address.url,
            headers: &headers,
            body: if let Sends::Message(line) = what { Some(line.trim_ascii()) } else { None },
            ends_session: is_goodbye,
            connect: CONNECT,
            timeout,
        };
        let mut cancels = cancels.to_vec();
        if !is_goodbye {
            cancels.push(&self.over);
        }
        self.client.stream(&request, &cancels).map_err(|why| why.of_a_server())
    }

    /// An answer that says yes, or what it says instead.
    fn taken(&self, answer: WebStream) -> Result<WebStream, String> {
        let (status, url) = (answer.status(), answer.url().to_owned());
        match status {
            200..=299 => Ok(answer),
            401 | 403 => Err(format!(
                "`{url}`: refuses access (status {status}); give a valid key, as in --header 'Authorization: Bearer \
                 ${{TOKEN}}': hookweave does not log in by itself"
            )),
            404 if lock(&self.session).id.is_some() => {
                Err(format!("`{url}`: the server has ended the session (status 404); restart it in the client"))
            }
            _ => {
                let mut body = Vec::new();
                let _ = answer.take(ERROR_BYTES).read_to_end(&mut body);
                let said = serde_json::from_slice::<Value>(&body).ok();
                let said = said.as_ref().and_then(|said| said.get("error")?.get("message")?.as_str());
                let said: String = said.unwrap_or_default().escape_debug().take(300).collect();
                let colon = if said.is_empty() { "" } else { ": " };
                Err(format!("`{url}`: answers with status {status}{colon}{said}"))
            }
        }
    }
}

/// The type of an answer's content.
fn kind_of(answer: &WebStream) -> String {
    let kind = answer.header("content-type").unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn answers(message: &Message, id: &str) -> bool {
    matches!(&message.kind, Kind::Response { id: Some(of) } if of == id)
}
