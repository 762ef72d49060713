//! Calls of the model in halves: what is said at the wrong time.

use hookweave::{Event, HookResponse, ModelResponse};

use crate::support::patient;

#[tokio::test]
async fn a_call_of_the_model_is_ended_once_and_has_an_outcome_then() {
    let engine = patient();
    let session = engine.session().open().unwrap();
    let early = session.begin_model("hi", None, Vec::new()).await.unwrap().outcome().unwrap_err();
    assert!(early.to_string().contains("has no outcome yet"), "{early}");
    let mut call = session.begin_model("hi", None, vec!["Bash".into()]).await.unwrap();
    assert_eq!(call.request().map(|request| (&*request.prompt, request.tools.len())), Some(("hi", 1)));
    call.answered(ModelResponse::new("hello")).await.unwrap();
    let twice = call.failed("late").await.unwrap_err();
    assert!(twice.to_string().contains("the model is not to be called"), "{twice}");
    let outcome = call.outcome().unwrap();
    assert_eq!((&*outcome.status, &*outcome.text, outcome.outcomes.len()), ("done", "hello", 2));
    engine.on("GenerateStart").run(|_: &Event| HookResponse::block("no")).unwrap();
    let refused = session.begin_model("hi", None, Vec::new()).await.unwrap();
    assert!(refused.request().is_none());
    assert_eq!(refused.outcome().unwrap().reason.as_deref(), Some("no"));
}
