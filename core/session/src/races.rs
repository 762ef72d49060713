//! Remembered approvals under many orders of threads' steps: run with `--cfg shuttle`.

use std::sync::Arc;

use serde_json::Map;
use shuttle::thread;

use super::{
    Answer, Called, Client, Effect, Finished, Flow, Permission, Permissions, Reply, Session, Settings, ToolRequest,
    ToolRun,
};
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;
use hookweave_machine::sync::{AtomicBool, Ordering};

const ORDERS: usize = 1_000;

fn session() -> Arc<Session> {
    let client = Client::of(&Registry::<()>::new(Options::default()));
    let settings = Settings { permissions: Permissions::all(Permission::Ask), ..Settings::default() };
    Session::new(Some("s1".to_owned()), settings, client)
}

/// A tool call, the same each time, and whether a person was asked about it.
struct Asking {
    flow: Flow,
    asked: bool,
}

impl Asking {
    fn of(session: &Arc<Session>) -> Self {
        let call = ToolRequest { tool: "Bash".to_owned(), args: 0, tool_use_id: Some("t1".to_owned()), answers: None };
        Self { flow: session.run_tool(call), asked: false }
    }

    /// Goes on until a person is asked, or to the end.
    fn step(&mut self, reply: Reply) -> Option<ToolRun> {
        let mut reply = reply;
        loop {
            reply = match self.flow.step(reply) {
                Effect::Approve(_) => {
                    self.asked = true;
                    return None;
                }
                Effect::Finish { result: Finished::Tool(run) } => return Some(*run),
                effect => answer(effect),
            };
        }
    }

    /// Goes on to the end; a person who is asked answers "Allow always".
    fn finish(mut self, reply: Reply) -> (ToolRun, bool) {
        let mut reply = reply;
        loop {
            match self.step(reply) {
                Some(run) => return (run, self.asked),
                None => reply = always(),
            }
        }
    }
}

/// What a driver does whose hooks say nothing and whose tools succeed.
fn answer(effect: Effect) -> Reply {
    match effect {
        Effect::Dispatch { .. } => Reply::Dispatched { verdict: None, value: None, json: Map::new() },
        Effect::Freeze { value } => {
            let text = Some("{}".to_owned());
            Reply::Frozen { value, text: text.clone(), shown: text }
        }
        Effect::RunTool { .. } => Reply::Ran(Called { result: 1, error: None, duration: 0.0 }),
        _ => Reply::Done,
    }
}

fn always() -> Reply {
    Reply::Chosen(Answer::of("Allow always".to_owned()))
}

fn end(session: &Arc<Session>) {
    let mut flow = session.end("other".to_owned());
    let mut reply = Reply::Begin;
    loop {
        match flow.step(reply) {
            Effect::Finish { .. } => return,
            effect => reply = answer(effect),
        }
    }
}

/// Two questions stand when the session ends: whenever they are answered, nothing of it outlives the end.
#[test]
fn no_answer_to_a_question_of_before_outlives_the_end() {
    hookweave_machine::sync::check_random(
        || {
            let session = session();
            let standing: Vec<Asking> = (0..2)
                .map(|_| {
                    let mut asking = Asking::of(&session);
                    assert!(asking.step(Reply::Begin).is_none());
                    asking
                })
                .collect();
            let answering: Vec<_> =
                standing.into_iter().map(|asking| thread::spawn(move || asking.finish(always()))).collect();
            let ending = thread::spawn({
                let session = Arc::clone(&session);
                move || end(&session)
            });
            ending.join().expect("it ends");
            for thread in answering {
                let (run, _) = thread.join().expect("answered");
                assert!(run.ran, "the person has allowed this call");
            }
            let (run, asked) = Asking::of(&session).finish(Reply::Begin);
            assert!(run.ran && asked, "an answer outlived the end");
        },
        ORDERS,
    );
}

/// A question after the end has returned is not answered from memory, no matter what is asked and answered beside it.
#[test]
fn nothing_is_granted_from_memory_after_the_end() {
    hookweave_machine::sync::check_random(
        || {
            let session = session();
            assert!(Asking::of(&session).finish(Reply::Begin).1);
            let ended = Arc::new(AtomicBool::new(false));
            let asking: Vec<_> = (0..2)
                .map(|_| {
                    let (session, ended) = (Arc::clone(&session), Arc::clone(&ended));
                    thread::spawn(move || {
                        let is_over = ended.load(Ordering::Acquire);
                        let mut asking = Asking::of(&session);
                        let from_memory = asking.step(Reply::Begin).is_some();
                        assert!(!is_over || !from_memory, "granted after the end");
                    })
                })
                .collect();
            end(&session);
            ended.store(true, Ordering::Release);
            asking.into_iter().for_each(|thread| thread.join().expect("asked"));
        },
        ORDERS,
    );
}

/// Two that ask the same at once are both decided, and the next one is not asked again.
#[test]
fn what_two_were_asked_at_once_is_remembered() {
    hookweave_machine::sync::check_random(
        || {
            let session = session();
            let asking: Vec<_> = (0..2)
                .map(|_| {
                    let session = Arc::clone(&session);
                    thread::spawn(move || Asking::of(&session).finish(Reply::Begin))
                })
                .collect();
            let asked = asking
                .into_iter()
                .map(|thread| thread.join().expect("decided"))
                .filter(|(run, asked)| run.ran && *asked);
            assert!(asked.count() >= 1, "no person was asked");
            assert!(!Asking::of(&session).finish(Reply::Begin).1, "it is remembered");
        },
        ORDERS,
    );
}
