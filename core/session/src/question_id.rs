//! Ids of questions: digests of what is asked, so that a question that is asked again, also by another process, has its old id.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::Session;
use super::effect::ApprovalRequest;
use super::subject::Subject;
use super::verdict::Asker;
use hookweave_machine::answer::Question;
use hookweave_machine::hex::hex;
use hookweave_machine::json::from_json;

/// How many bytes of a digest are in an id.
const LENGTH: usize = 16;

impl Session {
    /// What the ids of all questions about one call begin with.
    pub(super) fn call_id(&self, subject: &Subject<'_>) -> String {
        let about = subject.text.as_deref().or(subject.shown.as_deref());
        let args = if subject.args.is_some() { about.map(canonical) } else { about.map(str::to_owned) };
        digest(&json!([self.id, self.agent_id(), subject.event, subject.tool, subject.tool_use_id, args]))
    }

    /// The id of a question, before it is numbered.
    pub(super) fn question_id(
        &self,
        subject: &Subject<'_>,
        hook: Option<&Asker>,
        prompt: &str,
        ask: &Question,
    ) -> String {
        let call = self.call_id(subject);
        let question = digest(&json!([call, hook.map(|hook| &hook.name), prompt, ask.options, ask.grants]));
        format!("{call}-{question}")
    }
}

/// Whether an id is that of a question about the call with an id.
pub(super) fn is_about(id: &str, call: &str) -> bool {
    id.strip_prefix(call).is_some_and(|rest| rest.starts_with('-'))
}

/// Whether an id is that of a question, numbered or not.
pub(super) fn is_of(id: &str, question: &str) -> bool {
    id == question || is_about(id, question)
}

fn digest(of: &Value) -> String {
    let whole = Sha256::digest(of.to_string());
    hex(whole.get(..LENGTH).unwrap_or_default())
}

/// The same text for the same arguments, whatever the order of their fields: a database may change it.
fn canonical(args: &str) -> String {
    from_json(args).map_or_else(|_| args.to_owned(), |args| sorted(args).to_string())
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(fields.into_iter().collect())
        }
        other => other,
    }
}

/// The questions of one call so far, by their ids without a number.
#[derive(Debug, Default)]
pub(super) struct Asked(Vec<String>);

impl Asked {
    /// Numbers a question from the second of its kind in the call.
    pub(super) fn number(&mut self, request: &mut ApprovalRequest) {
        let plain = request.id.clone();
        let number = self.0.iter().filter(|asked| **asked == plain).count() + 1;
        if number > 1 {
            request.id = format!("{plain}-{number}");
        }
        self.0.push(plain);
    }
}

/// A question that waits for an answer.
#[derive(Debug)]
pub(super) struct Waiting<'s> {
    session: &'s Session,
    id: String,
}

impl<'s> Waiting<'s> {
    /// Numbers a question past equal ones of the conversation that wait for an answer.
    pub(super) fn begin(session: &'s Session, request: &mut ApprovalRequest) -> Self {
        let mut memory = session.memory();
        let (first, mut number) = (request.id.clone(), 1);
        while !memory.waiting.insert(request.id.clone()) {
            number += 1;
            request.id = format!("{first}-{number}");
        }
        drop(memory);
        Self { session, id: request.id.clone() }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.session.memory().waiting.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_the_same_in_another_order_and_with_other_digits_not() {
        let same = |a: &str, b: &str| canonical(a) == canonical(b);
        assert!(same(r#"{"a":1,"b":[{"c":2,"d":3}]}"#, r#"{"b":[{"d":3,"c":2}],"a":1}"#));
        assert!(!same(r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#));
        assert!(!same(r#"{"a":"1"}"#, r#"{"a":1}"#));
    }

    #[test]
    fn an_id_belongs_to_one_call_and_to_one_question() {
        assert!(is_about("ab-cd", "ab") && is_about("ab-cd-2", "ab"));
        assert!(!is_about("abc-cd", "ab") && !is_about("ab", "ab"));
        assert!(is_of("ab-cd", "ab-cd") && is_of("ab-cd-2", "ab-cd"));
        assert!(!is_of("ab-cde", "ab-cd"));
    }
}
