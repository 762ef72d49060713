//! What hooks do, and the log of what they did.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use serde_json::Value;

use crate::case::{Hook, Many};
use crate::client::Client;
use crate::pattern::{Missing, compare};
use crate::value::expand;

/// What one run of a hook does.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the variants are explained in tests/vectors/README.md")]
pub enum Do {
    Nothing,
    /// Gives this back, wellformed or not.
    Gives(Value),
    Raises(String),
    Hangs,
    Sleeps(u64, Box<Do>),
    Mutates(Box<Do>),
    ReadsJson(Vec<String>, Box<Do>),
    ReadsCall(Value, Box<Do>),
    Dispatches {
        event: String,
        payload: Value,
        then: Option<Box<Do>>,
    },
    Registers(Box<Hook>, Box<Do>),
    Unregisters(String, Box<Do>),
    Enables(String, bool, Box<Do>),
}

impl Do {
    fn parse(written: &Value) -> Self {
        let Some((deed, value)) = written.as_object().and_then(|fields| fields.iter().find(|(key, _)| *key != "then"))
        else {
            return Self::Nothing;
        };
        let then = || Box::new(written.get("then").map_or(Self::Nothing, Self::parse));
        let text = || value.as_str().unwrap().to_owned();
        match deed.as_str() {
            "answer" | "returns" => expand(value).filter(|value| !value.is_null()).map_or(Self::Nothing, Self::Gives),
            "raises" => Self::Raises(text()),
            "hangs" => Self::Hangs,
            "keeps_and_mutates" => {
                // An answer moves into the engine: nothing of it is left that could be changed later.
                let mut answer = value.as_object().unwrap().clone();
                answer.shift_remove("later");
                Self::Gives(expand(&Value::Object(answer)).unwrap())
            }
            "sleep_ms" => Self::Sleeps(value.as_u64().unwrap(), then()),
            "mutates" => Self::Mutates(then()),
            "reads_json" => {
                let texts = value.as_array().map(|texts| texts.iter().map(|text| text.as_str().unwrap().to_owned()));
                Self::ReadsJson(texts.into_iter().flatten().collect(), then())
            }
            "reads_call" => Self::ReadsCall(value.clone(), then()),
            "dispatches" => Self::Dispatches {
                event: value["event"].as_str().unwrap().to_owned(),
                payload: expand(&value["payload"]).unwrap(),
                then: written.get("then").map(|then| Box::new(Self::parse(then))),
            },
            "registers" => Self::Registers(Box::new(serde_json::from_value(value.clone()).unwrap()), then()),
            "unregisters" => Self::Unregisters(text(), then()),
            "enables" => Self::Enables(text(), true, then()),
            "disables" => Self::Enables(text(), false, then()),
            other => panic!("no hook can do `{other}`"),
        }
    }

    fn next(&self) -> Option<&Self> {
        match self {
            Self::Sleeps(_, then)
            | Self::Mutates(then)
            | Self::ReadsJson(_, then)
            | Self::ReadsCall(_, then)
            | Self::Registers(_, then)
            | Self::Unregisters(_, then)
            | Self::Enables(_, _, then) => Some(then),
            Self::Dispatches { then, .. } => then.as_deref(),
            Self::Nothing | Self::Gives(_) | Self::Raises(_) | Self::Hangs => None,
        }
    }

    /// Whether any step of it fits.
    pub fn any(&self, test: &dyn Fn(&Self) -> bool) -> bool {
        test(self) || self.next().is_some_and(|next| next.any(test))
    }
}

/// An event as a hook is given it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// All of it.
    pub whole: Value,
    /// Its command line.
    pub command: Result<Value, String>,
    /// The paths that it names.
    pub paths: Result<Value, String>,
}

impl From<Value> for Seen {
    /// What a host function is asked is no tool call.
    fn from(whole: Value) -> Self {
        Self { whole, command: Ok(Value::from("")), paths: Ok(Value::Array(Vec::new())) }
    }
}

impl Seen {
    /// Compares what a hook reads of a call; what cannot be read is the hook's failure.
    fn reads(&self, wanted: &Value, faults: &mut Vec<String>) -> Result<(), String> {
        for (name, read) in [("command", &self.command), ("paths", &self.paths)] {
            let Some(wanted) = wanted.get(name) else { continue };
            let read = read.as_ref().map_err(Clone::clone)?;
            if read != wanted {
                faults.push(format!("`{name}` of the event is {read}, expected {wanted}"));
            }
        }
        Ok(())
    }
}

/// Everything that a hook of a case does.
#[derive(Debug)]
pub struct Script {
    name: String,
    does: Vec<Do>,
    sees: Vec<Value>,
    detached: bool,
    runs: AtomicUsize,
}

impl Script {
    /// The script of a hook.
    #[must_use]
    pub fn new(hook: &Hook, name: Option<&str>) -> Self {
        Self {
            name: name.unwrap_or_default().to_owned(),
            does: parse_does(&hook.does),
            sees: hook.sees.clone(),
            detached: hook.options.get("detached") == Some(&Value::Bool(true)),
            runs: AtomicUsize::new(0),
        }
    }

    /// The script of a host function; its start is not awaited.
    #[must_use]
    pub fn answerer(part: &str, written: &Value) -> Self {
        Self {
            name: part.to_owned(),
            does: parse_does(written.get("does").unwrap_or(&Value::Null)),
            sees: written.get("sees").and_then(Value::as_array).cloned().unwrap_or_default(),
            detached: true,
            runs: AtomicUsize::new(0),
        }
    }

    /// Notes the start of a run and says what it does.
    pub fn begin(&self, stage: &Theatre, event: &Seen) -> Do {
        let run = self.runs.fetch_add(1, Ordering::SeqCst);
        let name = self.name.clone();
        if let Some(pattern) = self.sees.get(run) {
            let mut faults = Vec::new();
            compare(&format!("run {run} of {name} sees"), pattern, Some(&event.whole), Missing::IsAFault, &mut faults);
            stage.log().faults.extend(faults);
        }
        let mut log = stage.log();
        *log.runs.entry(name.clone()).or_default() += 1;
        if !self.detached {
            log.started.push(name);
        }
        drop(log);
        self.does.get(run).or(self.does.last()).cloned().unwrap_or(Do::Nothing)
    }
}

/// What a hook does, run by run.
#[must_use]
pub fn parse_does(written: &Value) -> Vec<Do> {
    let does: Many<Value> = serde_json::from_value(written.clone()).unwrap();
    does.all().iter().map(Do::parse).collect()
}

/// What the hooks of a case have done.
#[derive(Debug, Default)]
pub struct Log {
    /// Names in the order of their starts, without detached hooks.
    pub started: Vec<String>,
    /// Whether one hangs or has hung.
    pub hanging: bool,
    /// How often each has run.
    pub runs: BTreeMap<String, usize>,
    /// What hooks saw that they should not have seen.
    pub faults: Vec<String>,
    /// What the callback for late answers got since the last check.
    pub late: Vec<Value>,
    /// What was recorded since the last look.
    pub records: Vec<Value>,
}

/// Where a case plays: its log, its client and the ids of its hooks.
#[derive(Default)]
pub struct Theatre {
    log: Mutex<Log>,
    ids: Mutex<BTreeMap<String, String>>,
    client: OnceLock<Weak<dyn Client>>,
}

impl std::fmt::Debug for Theatre {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Theatre").field("log", &self.log).finish_non_exhaustive()
    }
}

impl Theatre {
    /// The log.
    pub fn log(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes something that must not be.
    pub fn complain(&self, fault: String) {
        self.log().faults.push(fault);
    }

    /// Says which client the hooks act on.
    pub fn enter(&self, client: &Arc<dyn Client>) {
        assert!(self.client.set(Arc::downgrade(client)).is_ok(), "a theatre has one client");
    }

    fn client(&self) -> Arc<dyn Client> {
        self.client.get().and_then(Weak::upgrade).expect("hooks run while their client lives")
    }

    /// Remembers the id of a hook.
    pub fn note_id(&self, name: &str, id: String) {
        self.ids.lock().unwrap().insert(name.to_owned(), id);
    }

    /// The id of the hook with this name; a name that no hook has is taken for an id.
    pub fn id_of(&self, name: &str) -> String {
        self.ids.lock().unwrap().get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Registers a hook, as often as it says.
    pub fn register(&self, client: &dyn Client, hook: &Hook) -> Result<(), crate::client::Fault> {
        match (hook.repeat, &hook.name) {
            (Some(times), Some(name)) => {
                for number in 1..=times {
                    let name = format!("{name}-{number}");
                    let id = client.register(hook, Some(&name))?;
                    self.note_id(&name, id);
                }
            }
            (_, name) => {
                let id = client.register(hook, name.as_deref())?;
                self.note_id(name.as_deref().unwrap_or_default(), id);
            }
        }
        Ok(())
    }

    /// Does what needs no waiting; `None` when the deed needs it.
    fn act(&self, deed: &Do, event: &Seen) -> Option<Result<(), String>> {
        let client = || self.client();
        Some(match deed {
            Do::ReadsJson(texts, _) => {
                match hookweave_host::json::to_json(&hookweave_host::json::Json, &&event.whole) {
                    Ok(json) => match texts.iter().find(|text| !json.contains(text.as_str())) {
                        Some(text) => Err(format!("`{text}` is not in {json}")),
                        None => Ok(()),
                    },
                    Err(why) => Err(why.to_string()),
                }
            }
            Do::ReadsCall(wanted, _) => event.reads(wanted, &mut self.log().faults),
            Do::Registers(hook, _) => self.register(&*client(), hook).map_err(|fault| fault.message),
            Do::Unregisters(name, _) => {
                client().unregister(&self.id_of(name));
                Ok(())
            }
            Do::Enables(name, enabled, _) => {
                client().set_hook_enabled(&self.id_of(name), *enabled).map_err(|fault| fault.message)
            }
            // What a Rust hook is given is shared and cannot be changed.
            Do::Mutates(_) => Ok(()),
            _ => return None,
        })
    }

    /// Does it without waiting on anything but the thread.
    pub fn perform_sync(&self, deed: &Do, event: &Seen) -> Result<Option<Value>, String> {
        match deed {
            Do::Nothing => return Ok(None),
            Do::Gives(value) => return Ok(Some(value.clone())),
            Do::Raises(message) => return Err(message.clone()),
            Do::Sleeps(ms, _) => std::thread::sleep(Duration::from_millis(*ms)),
            Do::Hangs | Do::Dispatches { .. } => panic!("a function that answers at once cannot wait"),
            other => self.act(other, event).expect("every other deed needs no waiting")?,
        }
        self.perform_sync(deed.next().unwrap_or(&Do::Nothing), event)
    }

    /// Does it.
    pub async fn perform(&self, deed: Do, event: Seen, depth: u32) -> Result<Option<Value>, String> {
        let mut deed = &deed;
        loop {
            match deed {
                Do::Nothing => return Ok(None),
                Do::Gives(value) => return Ok(Some(value.clone())),
                Do::Raises(message) => return Err(message.clone()),
                Do::Hangs => {
                    self.log().hanging = true;
                    std::future::pending::<()>().await;
                }
                Do::Sleeps(ms, _) => tokio::time::sleep(Duration::from_millis(*ms)).await,
                Do::Dispatches { event, payload, then } => {
                    let outcome = self.client().dispatch(event, payload.clone(), depth + 1).await;
                    let outcome = outcome.map_err(|fault| format!("{}: {}", fault.code, fault.message))?;
                    if then.is_none() {
                        return Ok(Some(serde_json::json!({ "action": "continue", "reason": outcome["decision"] })));
                    }
                }
                other => self.act(other, &event).expect("every other deed needs no waiting")?,
            }
            deed = deed.next().unwrap_or(&Do::Nothing);
        }
    }
}
