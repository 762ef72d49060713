//! The variables that hooks leave for tools, and for the hooks that come after them in the same conversation.
//!
//! A tool gets all of them. A hook gets those that a hook of its own trust or more has left, and none that controls how
//! programs run: a variable of one hook must not decide what another one, a guard perhaps, really does.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::counters::Counters;
use super::refused::says_how_programs_run;
use hookweave_machine::hook::Scope;
use hookweave_machine::sessions::{SessionFacts, SessionLookup};

/// How many variables a conversation keeps.
const MAX_VARIABLES: usize = 256;

/// The longest value, in bytes; systems refuse to start a program with one of 128 KiB.
const MAX_VALUE: usize = 32 * 1024;

/// The length of all names and values together, in bytes.
const MAX_TOTAL: usize = 128 * 1024;

/// How many degrees of trust there are.
const DEGREES: usize = 3;

/// Whose word a hook of a scope takes: that of its own degree, and of lower ones.
const fn degree(scope: Scope) -> usize {
    match scope {
        Scope::Managed | Scope::Callback => 0,
        Scope::User => 1,
        Scope::Project | Scope::Local | Scope::Agent => 2,
    }
}

/// What hooks left in one conversation, or in a subagent of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Left([Map<String, Value>; DEGREES]);

impl Left {
    /// Takes in what a hook left; gives the names that there is no room for, or that no program can have.
    pub(super) fn take_in(&mut self, scope: Scope, variables: &Map<String, Value>) -> Vec<String> {
        let mut left_out = Vec::new();
        for (name, value) in variables {
            let Some(value) = value.as_str().filter(|value| is_variable(name, value) && self.has_room(name, value))
            else {
                left_out.push(name.clone());
                continue;
            };
            let degree = degree(scope);
            for less_trusted in self.0.iter_mut().skip(degree + 1) {
                less_trusted.remove(name);
            }
            if let Some(own) = self.0.get_mut(degree) {
                own.insert(name.clone(), value.into());
            }
        }
        left_out
    }

    fn has_room(&self, name: &str, value: &str) -> bool {
        let others = || self.0.iter().flatten().filter(|(known, _)| *known != name);
        let size = |name: &str, value: &str| name.len() + value.len();
        let total: usize = others().map(|(name, value)| size(name, value.as_str().unwrap_or_default())).sum();
        value.len() <= MAX_VALUE && others().count() < MAX_VARIABLES && total + size(name, value) <= MAX_TOTAL
    }

    /// Everything, for tools.
    pub(super) fn all(&self) -> Map<String, Value> {
        self.0.iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// What a hook of a scope is given.
    fn for_hooks(&self, scope: Scope) -> Vec<(String, String)> {
        let mut trusted = Map::new();
        for left in self.0.iter().take(degree(scope) + 1) {
            trusted.extend(left.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        trusted
            .into_iter()
            .filter(|(name, _)| !says_how_programs_run(name))
            .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())))
            .collect()
    }
}

/// Whether a program can be started with it.
fn is_variable(name: &str, value: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !value.contains('\0')
}

/// What hooks may learn of a conversation, or of a subagent of it.
#[derive(Debug)]
pub(super) struct Part {
    left: Mutex<Left>,
    /// Those of the whole conversation.
    counters: Arc<Counters>,
}

impl Part {
    fn lock(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose variables they are: a session's, or those of a subagent in it.
type Key = (String, Option<String>);

/// The conversations of one client that go on now, by their ids.
///
/// Each is here from its beginning to its end, or until its last handle is dropped.
#[derive(Debug, Default)]
pub struct OpenSessions(Mutex<FxHashMap<Key, Vec<Weak<Part>>>>);

impl OpenSessions {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<Key, Vec<Weak<Part>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn join(&self, session: &str, agent: Option<&str>, part: &Arc<Part>) {
        let key = (session.to_owned(), agent.map(str::to_owned));
        let mut open = self.lock();
        let same = open.entry(key).or_default();
        same.retain(|known| known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), Arc::as_ptr(part)));
        same.push(Arc::downgrade(part));
    }

    pub(super) fn leave(&self, session: &str, agent: Option<&str>, part: &Arc<Part>) {
        let key = (session.to_owned(), agent.map(str::to_owned));
        let mut open = self.lock();
        if let Some(same) = open.get_mut(&key) {
            same.retain(|known| known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), Arc::as_ptr(part)));
            if same.is_empty() {
                open.remove(&key);
            }
        }
    }

    /// What hooks left for a hook of a scope, in the conversation or the subagent that an event belongs to.
    #[must_use]
    pub fn variables(&self, session: Option<&str>, agent: Option<&str>, scope: Scope) -> Vec<(String, String)> {
        let part = session.and_then(|session| self.part(session, agent));
        part.map_or_else(Vec::new, |part| part.lock().for_hooks(scope))
    }

    fn part(&self, session: &str, agent: Option<&str>) -> Option<Arc<Part>> {
        let newest = |agent: Option<&str>| {
            let open = self.lock();
            let same = open.get(&(session.to_owned(), agent.map(str::to_owned)));
            same.and_then(|same| same.iter().rev().find_map(Weak::upgrade))
        };
        // An agent that the host names without having begun it as a subagent works in the conversation itself.
        agent.and_then(|agent| newest(Some(agent))).or_else(|| newest(None))
    }
}

impl SessionLookup for OpenSessions {
    fn facts(&self, session: &str, agent: Option<&str>) -> Option<SessionFacts> {
        self.part(session, agent).map(|part| part.counters.facts())
    }
}

/// What a session has of its environment: what was left, and where hooks find it.
#[derive(Debug)]
pub(super) struct Environment {
    part: Arc<Part>,
    open: OnceLock<Arc<OpenSessions>>,
}

impl Environment {
    /// That of a conversation.
    pub(super) fn new(counters: Counters) -> Self {
        Self::of(Left::default(), Arc::new(counters))
    }

    fn of(left: Left, counters: Arc<Counters>) -> Self {
        Self { part: Arc::new(Part { left: Mutex::new(left), counters }), open: OnceLock::new() }
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.part.counters
    }

    /// Lets the hooks of a client find the variables.
    pub(super) fn show_to(&self, open: &Arc<OpenSessions>) {
        self.open.get_or_init(|| Arc::clone(open));
    }

    /// What a subagent begins with.
    pub(super) fn for_subagent(&self) -> Self {
        let left = self.part.lock().clone();
        Self { open: self.open.clone(), ..Self::of(left, Arc::clone(&self.part.counters)) }
    }

    pub(super) fn take_in(&self, scope: Scope, variables: &Map<String, Value>) -> Vec<String> {
        self.part.lock().take_in(scope, variables)
    }

    pub(super) fn all(&self) -> Map<String, Value> {
        self.part.lock().all()
    }

    pub(super) fn join(&self, session: &str, agent: Option<&str>) {
        if let Some(open) = self.open.get() {
            open.join(session, agent, &self.part);
        }
    }

    pub(super) fn leave(&self, session: &str, agent: Option<&str>) {
        if let Some(open) = self.open.get() {
            open.leave(session, agent, &self.part);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(left: &Left, scope: Scope) -> Vec<String> {
        let mut given: Vec<_> =
            left.for_hooks(scope).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        given.sort();
        given
    }

    fn leave(left: &mut Left, scope: Scope, variables: &Value) -> Vec<String> {
        left.take_in(scope, variables.as_object().unwrap_or(&Map::new()))
    }

    #[test]
    fn a_hook_hears_those_whom_it_trusts() {
        let mut left = Left::default();
        leave(&mut left, Scope::User, &json!({"A": "user", "B": "user"}));
        leave(&mut left, Scope::Project, &json!({"A": "project", "C": "project"}));
        leave(&mut left, Scope::Managed, &json!({"C": "managed"}));
        assert_eq!(given(&left, Scope::Managed), ["C=managed"]);
        assert_eq!(given(&left, Scope::User), ["A=user", "B=user", "C=managed"]);
        assert_eq!(given(&left, Scope::Agent), ["A=project", "B=user", "C=managed"]);
        assert_eq!(Value::Object(left.all()), json!({"A": "project", "B": "user", "C": "managed"}));
    }

    #[test]
    fn what_no_program_can_have_and_what_has_no_room_is_left_out() {
        let mut left = Left::default();
        let odd = json!({"A=B": "x", "": "x", "1A": "x", "NUL": "a\0b", "N": 1, "LONG": "x".repeat(MAX_VALUE + 1)});
        assert_eq!(leave(&mut left, Scope::Callback, &odd).len(), 6);
        let many: Map<String, Value> = (0..300).map(|number| (format!("V{number}"), "x".into())).collect();
        assert_eq!(left.take_in(Scope::User, &many).len(), 300 - MAX_VARIABLES);
        assert!(leave(&mut left, Scope::User, &json!({"V0": "a name that is there has room"})).is_empty());
        let mut left = Left::default();
        let large: Map<String, Value> =
            (0..8).map(|number| (format!("V{number}"), "x".repeat(20_000).into())).collect();
        assert_eq!(left.take_in(Scope::User, &large).len(), 2);
    }

    #[test]
    fn conversations_of_one_id_and_agents_do_not_mix() {
        let open = Arc::new(OpenSessions::default());
        let [first, second] = [0; 2].map(|_| Environment::new(Counters::begun()));
        first.show_to(&open);
        second.show_to(&open);
        first.join("s", None);
        first.take_in(Scope::User, json!({"A": "1"}).as_object().unwrap_or(&Map::new()));
        let names = |session, agent| open.variables(Some(session), agent, Scope::Callback).len();
        let user = |session, agent| open.variables(Some(session), agent, Scope::User).len();
        assert_eq!((names("s", None), user("s", None), user("t", None), user("s", Some("x"))), (0, 1, 0, 1));
        let child = first.for_subagent();
        child.join("s", Some("x"));
        child.take_in(Scope::User, json!({"B": "2"}).as_object().unwrap_or(&Map::new()));
        assert_eq!((user("s", Some("x")), user("s", None)), (2, 1));
        second.join("s", None);
        assert_eq!(user("s", None), 0, "the latest of that id");
        second.leave("s", None);
        assert_eq!(user("s", None), 1);
        drop((first, child));
        assert_eq!((user("s", None), user("s", Some("x"))), (0, 0));
        second.join("s", None);
        assert_eq!(open.lock().get(&("s".to_owned(), None)).map(Vec::len), Some(1));
        assert!(open.variables(None, None, Scope::User).is_empty());
    }
}
