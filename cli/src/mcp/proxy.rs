//! Both sides of a conversation: what is passed on as it came, and what is judged.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookweave_host::clock::new_id;
use hookweave_host::session::{self, ApprovalRequest, Reply};
use serde_json::{Map, Value, json};

use super::calls::{Heard, Requests, Whose};
use super::judge::{Caller, Judge, Judged, Made, say};
use super::lines;
use super::message::{CALL, Kind, Message, id_text};
use super::result::{Answer, add_notes, changed, refusal};
use super::to_server::{ToServer, write_line};
use crate::clock::now;
use crate::drive::DECIDING_STACK;

/// How many calls are judged or made at once.
const MOST_CALLS: usize = 128;

/// The protocol's code for what a server cannot do.
const SERVER_ERROR: i32 = -32000;

/// Who answers the questions of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    Nobody,
    /// The client's user.
    Client,
}

/// How one side of the conversation ended.
#[derive(Debug)]
pub(crate) enum End {
    /// It has no more to say.
    Over,
    /// It breaks the protocol, or cannot be read.
    Broken(String),
}

/// A conversation.
pub(crate) struct Proxy {
    /// The server's name, as its tools have it.
    name: String,
    /// The hooks, or why nothing can be decided.
    judge: Result<Judge, String>,
    asks: Asks,
    longest: u64,
    to_client: Mutex<Box<dyn Write + Send>>,
    /// Held while a call is sent, so that its cancellation cannot come before it. Taken before `requests`.
    to_server: Mutex<ToServer>,
    /// A place in the order has become free.
    moved: Condvar,
    requests: Mutex<Requests>,
    /// The questions that the client's user has not answered.
    asked: Mutex<HashMap<String, Sender<Map<String, Value>>>>,
    can_ask: AtomicBool,
    running: Mutex<usize>,
    one_over: Condvar,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Proxy {
    /// A conversation of a server's; lines beyond `longest` bytes end it.
    pub(crate) fn new(
        name: String,
        judge: Result<Judge, String>,
        asks: Asks,
        longest: u64,
        to_client: impl Write + Send + 'static,
        to_server: impl Write + Send + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            name,
            judge,
            asks,
            longest,
            to_client: Mutex::new(Box::new(to_client)),
            to_server: Mutex::new(ToServer::new(to_server)),
            moved: Condvar::new(),
            requests: Mutex::default(),
            asked: Mutex::default(),
            can_ask: AtomicBool::new(false),
            running: Mutex::new(0),
            one_over: Condvar::new(),
        })
    }

    /// The server's name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The hooks that judge, if there are any.
    pub(crate) fn judge(&self) -> Option<&Judge> {
        self.judge.as_ref().ok()
    }

    /// Reads what the client says until its end; then, when all calls are over, the server gets no more.
    pub(crate) fn read_client(self: &Arc<Self>, mut from: impl BufRead) -> End {
        let broken = |what: &str| End::Broken(format!("a line of the client {what}"));
        loop {
            match lines::next(&mut from, self.longest) {
                Ok(None) => break,
                Ok(Some(line)) if line.trim_ascii().is_empty() => self.tell_server(&line),
                Ok(Some(line)) => match Message::read(&line).and_then(|message| self.of_client(&line, message)) {
                    Ok(()) => {}
                    Err(what) => return broken(&what),
                },
                Err(why) => return End::Broken(format!("the client cannot be read: {why}")),
            }
        }
        self.can_ask.store(false, Ordering::Release);
        lock(&self.asked).clear();
        self.wait_for_calls(None);
        lock(&self.to_server).close();
        End::Over
    }

    /// Reads what the server says until it has no more to say.
    pub(crate) fn read_server(&self, mut from: impl BufRead) -> End {
        loop {
            match lines::next(&mut from, self.longest) {
                Ok(None) => break,
                Ok(Some(line)) if line.trim_ascii().is_empty() => self.tell_client(&line),
                // Many servers print a greeting or a log where only messages belong. It is none, and no client needs it.
                Ok(Some(line))
                    if !line.trim_ascii_start().starts_with(b"{") && !line.trim_ascii_start().starts_with(b"[") =>
                {
                    say(&format!("{} prints what is no message: {}", self.name, String::from_utf8_lossy(&line).trim()));
                }
                Ok(Some(line)) => match Message::read(&line) {
                    Ok(message) => self.of_server(line, message),
                    Err(what) => return End::Broken(format!("a line of {} {what}", self.name)),
                },
                Err(why) => return End::Broken(format!("{} cannot be read: {why}", self.name)),
            }
        }
        self.give_up(&format!("the server {} ended before it answered", self.name));
        End::Over
    }

    /// No answer comes any more: open requests get an error.
    pub(crate) fn give_up(&self, why: &str) {
        let passed = lock(&self.requests).give_up(why);
        lock(&self.asked).clear();
        for id in passed {
            self.tell_client(&line_of(&error_of(&id, why)));
        }
    }

    /// No answer comes to one request: who waits for it gets an error.
    pub(super) fn fail(&self, id: &str, why: &str) {
        let error = error_of(id, why);
        let whose = lock(&self.requests).answered(id);
        match (whose, &error) {
            (Whose::Client, _) => self.tell_client(&line_of(&error)),
            (Whose::Call(call), Value::Object(fields)) => {
                let _ = call.send(Heard::Answer { line: line_of(&error), fields: fields.clone() });
            }
            _ => {}
        }
    }

    /// Waits until no call is under way, or the time is up.
    pub(crate) fn wait_for_calls(&self, limit: Option<Duration>) {
        let running = lock(&self.running);
        match limit {
            None => drop(self.one_over.wait_while(running, |running| *running > 0)),
            Some(limit) => drop(self.one_over.wait_timeout_while(running, limit, |running| *running > 0)),
        }
    }

    fn of_client(self: &Arc<Self>, line: &[u8], message: Message) -> Result<(), String> {
        match &message.kind {
            Kind::Response { id } => {
                let asked = id.as_ref().and_then(|id| lock(&self.asked).remove(id));
                match asked {
                    Some(asked) => _ = asked.send(message.fields),
                    None => self.tell_server(line),
                }
            }
            Kind::Notification { method } if method == "notifications/cancelled" => self.cancel(line, &message),
            Kind::Notification { .. } => lock(&self.to_server).pass(None, line),
            Kind::Request { id, method } if method == CALL => {
                let Some(heard) = lock(&self.requests).begin(id) else { return Err(used_twice(id)) };
                lock(&self.to_server).line_up(id);
                let call =
                    Call { proxy: Arc::clone(self), id: id.clone(), line: line.to_vec(), message, heard, last: None };
                self.start(call);
            }
            Kind::Request { id, method } => {
                if method == "initialize" {
                    let elicits = message.param("capabilities").and_then(|able| able.get("elicitation")?.as_object());
                    // Without a word about the forms of asking it is this one.
                    let by_form = elicits.is_some_and(|forms| forms.is_empty() || forms.contains_key("form"));
                    self.can_ask.store(by_form, Ordering::Release);
                }
                if !lock(&self.requests).pass(id) {
                    return Err(used_twice(id));
                }
                if method == "ping" {
                    // It asks whether the server lives, not what it has done: a question to a person must not delay it.
                    self.tell_server(line);
                } else {
                    lock(&self.to_server).pass(Some(id), line);
                }
            }
        }
        Ok(())
    }

    /// Passes on what the server says.
    pub(super) fn of_server(&self, line: Vec<u8>, message: Message) {
        let Kind::Response { id: Some(id) } = &message.kind else { return self.tell_client(&line) };
        let whose = lock(&self.requests).answered(id);
        match whose {
            Whose::Client => self.tell_client(&line),
            Whose::Call(call) => _ = call.send(Heard::Answer { line, fields: message.fields }),
            Whose::Nobody => {
                say(&format!("{} answers {id}, which is no open request; the answer is dropped", self.name));
            }
        }
    }

    /// Passes a cancellation on where the server has got what is cancelled, by the id that the server knows.
    fn cancel(&self, line: &[u8], message: &Message) {
        let Some(Ok(Some(id))) = message.param("requestId").map(id_text) else { return self.tell_server(line) };
        let mut server = lock(&self.to_server);
        let known = lock(&self.requests).cancel(&id);
        let Some(known) = known else {
            server.leave(&id);
            return self.moved.notify_all();
        };
        if known == id {
            if server.holds(&id) {
                return server.pass(None, line);
            }
            let _ = server.write(line);
            return;
        }
        let mut fields = message.fields.clone();
        if let Some(Value::Object(params)) = fields.get_mut("params") {
            params.insert("requestId".to_owned(), serde_json::from_str(&known).unwrap_or_default());
        }
        let _ = server.write(&line_of(&Value::Object(fields)));
    }

    /// A call needs its place in the order no more.
    fn leave(&self, call: &str) {
        lock(&self.to_server).leave(call);
        self.moved.notify_all();
    }

    /// Judges and makes a call on a thread of its own.
    fn start(self: &Arc<Self>, call: Call) {
        let mut running = lock(&self.running);
        if *running >= MOST_CALLS {
            drop(running);
            self.leave(&call.id);
            return call.refuse(&format!("{MOST_CALLS} calls are under way; make it again when one is over"));
        }
        *running += 1;
        drop(running);
        let (key, id) = (call.id.clone(), call.message.fields.get("id").cloned());
        let over = Over { proxy: Arc::clone(self), call: key.clone() };
        let thread = std::thread::Builder::new().name("hookweave-call".to_owned()).stack_size(DECIDING_STACK);
        let started = thread.spawn(move || {
            let _over = over;
            call.make();
        });
        if let Err(why) = started
            && lock(&self.requests).end(&key)
        {
            let result = refusal(&format!("the call was not made: the system has no thread for it: {why}"));
            self.tell_client(&line_of(&json!({"jsonrpc": "2.0", "id": id, "result": result})));
        }
    }

    fn tell_client(&self, line: &[u8]) {
        // A side that does not read any more is noticed by what it says, or by its end.
        let _ = write_line(&mut **lock(&self.to_client), line);
    }

    /// Tells the server at once what has no place in the order.
    fn tell_server(&self, line: &[u8]) {
        let _ = lock(&self.to_server).write(line);
    }

    /// Asks the client's user, by the protocol.
    fn elicit(&self, question: &ApprovalRequest) -> Reply {
        let failed = |why: &str| Reply::Failed { why: why.to_owned() };
        if self.asks == Asks::Nobody {
            return failed("no person is asked here; start `hookweave mcp-proxy` with --approval client");
        }
        let id = Value::String(format!("hookweave-{}", new_id()));
        let (sender, receiver) = channel();
        lock(&self.asked).insert(id.to_string(), sender);
        // Behind the entry: a client that goes now takes it away.
        if !self.can_ask.load(Ordering::Acquire) {
            lock(&self.asked).remove(&id.to_string());
            return failed("the client cannot ask its user (it has no `elicitation`)");
        }
        let shown = question.shown.as_deref().unwrap_or_default();
        let asker = question.hook.as_ref().map(|hook| format!("hook {hook}"));
        let asked: Vec<&str> = asker.iter().chain(&question.why).map(String::as_str).collect();
        let asked = if asked.is_empty() { "the host".to_owned() } else { asked.join(": ") };
        let met = question.command.iter().filter(|part| part.met).map(|part| format!("for the sake of: {}", part.text));
        let mut lines = vec![question.prompt.clone(), format!("{} {shown}", question.tool)];
        lines.extend(met.chain([format!("asked by {asked}")]).chain(question.reason.clone()));
        let message = lines.join("\n");
        let decision = json!({"type": "string", "enum": question.options, "title": "Decision"});
        let schema = json!({"type": "object", "properties": {"decision": decision}, "required": ["decision"]});
        let params = json!({"message": message, "requestedSchema": schema});
        self.tell_client(&line_of(&json!({
            "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params
        })));
        let said = receiver.recv_timeout(Duration::from_millis(question.timeout_ms));
        let was_open = lock(&self.asked).remove(&id.to_string()).is_some();
        match said {
            Ok(fields) => Reply::Chosen(session::Answer::of(chosen(&fields))),
            Err(_) if was_open => {
                let params = json!({"requestId": id, "reason": "no answer in time"});
                self.tell_client(&line_of(&json!({
                    "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params
                })));
                Reply::TimedOut
            }
            Err(_) => failed("the client is gone"),
        }
    }
}

/// What the client's user chose; anything but a choice denies.
fn chosen(fields: &Map<String, Value>) -> String {
    let said = fields.get("result").filter(|result| result.get("action").and_then(Value::as_str) == Some("accept"));
    let decision = said.and_then(|said| said.get("content")?.get("decision")?.as_str());
    decision.unwrap_or("Deny").to_owned()
}

fn used_twice(id: &str) -> String {
    format!("uses the id {id} again; an answer to it could be that to another request")
}

/// An error as the answer to a request.
fn error_of(id: &str, why: &str) -> Value {
    let id: Value = serde_json::from_str(id).unwrap_or_default();
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": SERVER_ERROR, "message": why}})
}

/// A message as a line.
fn line_of(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// A call that is over when it is dropped.
struct Over {
    proxy: Arc<Proxy>,
    call: String,
}

impl Drop for Over {
    fn drop(&mut self) {
        self.proxy.leave(&self.call);
        *lock(&self.proxy.running) -= 1;
        self.proxy.one_over.notify_all();
    }
}

/// A call under way.
struct Call {
    proxy: Arc<Proxy>,
    id: String,
    line: Vec<u8>,
    message: Message,
    heard: Receiver<Heard>,
    /// What the server answered at last.
    last: Option<Last>,
}

/// An answer of the server.
struct Last {
    line: Vec<u8>,
    fields: Map<String, Value>,
    answer: Answer,
}

impl Call {
    /// Judges the call, makes it if it may be made, and answers the client.
    fn make(mut self) {
        let judged = catch_unwind(AssertUnwindSafe(|| self.judged()));
        let answer = match judged.unwrap_or_else(|_| Err("internal error; please report it".to_owned())) {
            Ok(Some(judged)) => self.answer(judged),
            // The server asks for something; a call that was cancelled has no answer.
            Ok(None) => {
                let Some(last) = self.last.take() else {
                    lock(&self.proxy.requests).end(&self.id);
                    return;
                };
                self.as_it_came(last)
            }
            Err(why) => self.with_result(&refusal(&format!("hookweave could not decide: {why}"))),
        };
        self.reply(&answer);
    }

    fn judged(&mut self) -> Result<Option<Judged>, String> {
        let proxy = Arc::clone(&self.proxy);
        let judge = proxy.judge.as_ref().map_err(Clone::clone)?;
        let Some(Value::String(tool)) = self.message.param("name") else {
            return Err("the call names no tool".to_owned());
        };
        let tool = format!("mcp__{}__{tool}", proxy.name);
        let args = match self.message.param("arguments") {
            None => json!({}),
            Some(args) if args.is_object() => args.clone(),
            Some(_) => return Err("`arguments` is no object".to_owned()),
        };
        if self.message.param("task").is_some() {
            return Err(
                "the result of a task comes later, where hooks do not see it; make the call without `task`".to_owned()
            );
        }
        judge.call(&tool, args, self).map_err(|why| why.to_string())
    }

    /// The line for the client.
    fn answer(&mut self, judged: Judged) -> Vec<u8> {
        let Judged { refusal: refused, output, is_error, notes } = judged;
        let last = self.last.take();
        let mut result = match (refused, last) {
            (Some(why), _) => refusal(&why),
            (None, Some(last)) => match &last.answer {
                Answer::Result { output: old, is_error: was_error, .. } if *old == output && *was_error == is_error => {
                    if notes.is_empty() {
                        return self.as_it_came(last);
                    }
                    let Answer::Result { whole, .. } = last.answer else { return self.as_it_came(last) };
                    whole
                }
                Answer::Result { whole, .. } => changed(Some(whole), &output, is_error),
                Answer::Error(old) if *old == output && notes.is_empty() => return self.as_it_came(last),
                Answer::Error(_) | Answer::Asks | Answer::Unseen(_) => changed(None, &output, is_error),
            },
            (None, None) => changed(None, &output, is_error),
        };
        add_notes(&mut result, &notes);
        self.with_result(&result)
    }

    /// An answer of the server, under the id of the client.
    fn as_it_came(&self, last: Last) -> Vec<u8> {
        let id = self.message.fields.get("id");
        if last.fields.get("id") == id {
            return last.line;
        }
        let mut fields = last.fields;
        fields.insert("id".to_owned(), id.cloned().unwrap_or_default());
        line_of(&Value::Object(fields))
    }

    fn with_result(&self, result: &Map<String, Value>) -> Vec<u8> {
        line_of(&json!({"jsonrpc": "2.0", "id": self.message.fields.get("id"), "result": result}))
    }

    fn refuse(&self, why: &str) {
        self.reply(&self.with_result(&refusal(&format!("the call was not made: {why}"))));
    }

    fn reply(&self, line: &[u8]) {
        if lock(&self.proxy.requests).end(&self.id) {
            self.proxy.tell_client(line);
        }
    }

    /// The request as the server gets it: as it came, unless hooks changed the arguments or it is made again.
    fn request(&self, args: &Value, id: &Value) -> Vec<u8> {
        let empty = json!({});
        let is_same = self.message.param("arguments").unwrap_or(&empty) == args;
        if is_same && self.message.fields.get("id") == Some(id) {
            return self.line.clone();
        }
        let mut fields = self.message.fields.clone();
        fields.insert("id".to_owned(), id.clone());
        if let (Some(Value::Object(params)), false) = (fields.get_mut("params"), is_same) {
            params.insert("arguments".to_owned(), args.clone());
        }
        line_of(&Value::Object(fields))
    }
}

impl Caller for Call {
    fn run(&mut self, args: &Value) -> Option<Made> {
        // An id of its own for each run but the first: the server has used that one up.
        let id = match (&self.last, self.message.fields.get("id")) {
            (None, Some(id)) => id.clone(),
            _ => Value::String(format!("hookweave-{}", new_id())),
        };
        self.last = None;
        let request = self.request(args, &id);
        let began = now();
        let failed = |why: String| {
            Some(Made { output: why.into(), is_error: true, took: now().saturating_duration_since(began) })
        };
        {
            let server = lock(&self.proxy.to_server);
            let waited = self.proxy.moved.wait_while(server, |server| server.is_behind(&self.id));
            let mut server = waited.unwrap_or_else(PoisonError::into_inner);
            if !lock(&self.proxy.requests).sent(&self.id, &id.to_string()) {
                return None;
            }
            let sent = server.write(&request);
            server.leave(&self.id);
            self.proxy.moved.notify_all();
            if sent.is_err() {
                return failed(format!("the server {} does not read any more", self.proxy.name));
            }
        }
        let (line, fields) = match self.heard.recv() {
            Ok(Heard::Answer { line, fields }) => (line, fields),
            Ok(Heard::Cancelled) => return None,
            Ok(Heard::Gone(why)) => return failed(why),
            Err(_) => return failed("the server is gone".to_owned()),
        };
        let took = now().saturating_duration_since(began);
        let answer = Answer::of(&fields);
        let made = match &answer {
            Answer::Result { output, is_error, .. } => Made { output: output.clone(), is_error: *is_error, took },
            Answer::Error(why) | Answer::Unseen(why) => Made { output: why.clone().into(), is_error: true, took },
            Answer::Asks => {
                self.last = Some(Last { line, fields, answer });
                return None;
            }
        };
        self.last = Some(Last { line, fields, answer });
        Some(made)
    }

    fn ask(&mut self, question: &ApprovalRequest) -> Reply {
        self.proxy.elicit(question)
    }
}

#[cfg(test)]
mod tests;
