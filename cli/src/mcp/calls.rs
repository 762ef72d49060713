//! The requests of a client, and who gets the answer to each.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Map, Value};

/// What a call waits for.
#[derive(Debug)]
pub(super) enum Heard {
    /// The server's answer: the line, and its fields.
    Answer { line: Vec<u8>, fields: Map<String, Value> },
    /// The client no longer wants one.
    Cancelled,
    /// There will be none.
    Gone(String),
}

/// Whose an answer is.
#[derive(Debug)]
pub(super) enum Whose {
    /// The client's, as it came.
    Client,
    /// A judged call's.
    Call(Sender<Heard>),
    /// Of no call: no such request is open.
    Nobody,
}

#[derive(Debug)]
enum State {
    Passed,
    Call {
        heard: Sender<Heard>,
        /// The id under which the server is at it.
        sent_as: Option<String>,
    },
    /// A call that runs once more, under an id of its own.
    Again {
        call: String,
    },
    Over,
}

/// The requests of a conversation, by their ids: an id is never used twice in it, so that no late answer passes for another.
#[derive(Debug, Default)]
pub(super) struct Requests {
    states: HashMap<String, State>,
    gone: Option<String>,
}

impl Requests {
    /// Takes in a request that is passed on; whether its id is new.
    pub(super) fn pass(&mut self, id: &str) -> bool {
        let is_new = !self.states.contains_key(id);
        if is_new {
            self.states.insert(id.to_owned(), State::Passed);
        }
        is_new
    }

    /// Takes in a call; `None` where its id is not new.
    pub(super) fn begin(&mut self, id: &str) -> Option<Receiver<Heard>> {
        if self.states.contains_key(id) {
            return None;
        }
        let (heard, receiver) = channel();
        if let Some(why) = &self.gone {
            let _ = heard.send(Heard::Gone(why.clone()));
        }
        self.states.insert(id.to_owned(), State::Call { heard, sent_as: None });
        Some(receiver)
    }

    /// A call is about to be sent under an id; false where it is over before.
    pub(super) fn sent(&mut self, call: &str, id: &str) -> bool {
        let Some(State::Call { sent_as, .. }) = self.states.get_mut(call) else { return false };
        *sent_as = Some(id.to_owned());
        if id != call {
            self.states.insert(id.to_owned(), State::Again { call: call.to_owned() });
        }
        true
    }

    /// An answer has come.
    pub(super) fn answered(&mut self, id: &str) -> Whose {
        let call = match self.states.get(id) {
            Some(State::Again { call }) => call.clone(),
            Some(State::Passed) => {
                self.states.insert(id.to_owned(), State::Over);
                return Whose::Client;
            }
            _ => id.to_owned(),
        };
        match self.states.get_mut(&call) {
            Some(State::Call { heard, sent_as }) if sent_as.as_deref() == Some(id) => {
                *sent_as = None;
                Whose::Call(heard.clone())
            }
            _ => Whose::Nobody,
        }
    }

    /// The client cancels a request: the id by which the server knows it; `None` where the server has nothing to cancel.
    pub(super) fn cancel(&mut self, id: &str) -> Option<String> {
        match self.states.get_mut(id) {
            Some(State::Call { heard, sent_as }) => {
                let _ = heard.send(Heard::Cancelled);
                let sent_as = sent_as.take();
                self.states.insert(id.to_owned(), State::Over);
                sent_as
            }
            _ => Some(id.to_owned()),
        }
    }

    /// A call is over; whether the client waits for its answer.
    pub(super) fn end(&mut self, id: &str) -> bool {
        matches!(self.states.insert(id.to_owned(), State::Over), Some(State::Call { .. }))
    }

    /// Nothing is answered any more; gives the ids of the requests that were passed on.
    pub(super) fn give_up(&mut self, why: &str) -> Vec<String> {
        self.gone = Some(why.to_owned());
        let mut passed = Vec::new();
        for (id, state) in &mut self.states {
            match state {
                State::Call { heard, .. } => _ = heard.send(Heard::Gone(why.to_owned())),
                State::Passed => {
                    passed.push(id.clone());
                    *state = State::Over;
                }
                State::Again { .. } | State::Over => {}
            }
        }
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::{Heard, Requests, Whose};

    #[test]
    fn each_answer_is_given_once() {
        let mut requests = Requests::default();
        assert!(requests.pass("1"));
        assert!(matches!(requests.answered("1"), Whose::Client));
        assert!(matches!(requests.answered("1"), Whose::Nobody));
        assert!(!requests.pass("1") && requests.begin("1").is_none());
        let _heard = requests.begin("2").unwrap();
        assert!(matches!(requests.answered("2"), Whose::Nobody), "the server has not been asked");
        assert!(requests.sent("2", "2"));
        assert!(matches!(requests.answered("2"), Whose::Call(_)));
        assert!(matches!(requests.answered("2"), Whose::Nobody));
        assert!(requests.sent("2", "again"));
        assert!(matches!(requests.answered("2"), Whose::Nobody), "it runs under another id");
        assert!(matches!(requests.answered("again"), Whose::Call(_)));
        assert!(requests.end("2") && !requests.end("2"));
    }

    #[test]
    fn a_call_that_is_cancelled_is_not_sent_any_more() {
        let mut requests = Requests::default();
        let heard = requests.begin("1").unwrap();
        assert_eq!(requests.cancel("1"), None);
        assert!(matches!(heard.recv().unwrap(), Heard::Cancelled));
        assert!(!requests.sent("1", "1"));
        requests.begin("2").unwrap();
        assert!(requests.sent("2", "again"));
        assert_eq!(requests.cancel("2").as_deref(), Some("again"));
        assert!(matches!(requests.answered("again"), Whose::Nobody));
        assert_eq!(requests.cancel("3").as_deref(), Some("3"));
    }

    #[test]
    fn who_waits_is_told_that_nothing_comes() {
        let mut requests = Requests::default();
        requests.pass("1");
        let before = requests.begin("2").unwrap();
        assert_eq!(requests.give_up("over"), ["1"]);
        let after = requests.begin("3").unwrap();
        for heard in [before, after] {
            assert!(matches!(heard.recv().unwrap(), Heard::Gone(why) if why == "over"));
        }
    }
}
