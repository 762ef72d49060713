//! What an approver answers: an option, or an object with more about it.

use hookweave_machine::error::{Code, Error};
use hookweave_machine::payload::{Host, Kind};
use hookweave_machine::read::Reader;

/// An approver's answer, with its own form of the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<A> {
    /// The option.
    pub option: String,
    /// A sentence for the model and the record.
    pub reason: Option<String>,
    /// The arguments that the tool is to be called with.
    pub args: Option<A>,
}

impl<A> Answer<A> {
    /// An option alone.
    #[must_use]
    pub const fn of(option: String) -> Self {
        Self { option, reason: None, args: None }
    }

    /// The same with the arguments in another form.
    pub fn with_args<B, E>(self, form: impl FnOnce(A) -> Result<B, E>) -> Result<Answer<B>, E> {
        let Self { option, reason, args } = self;
        Ok(Answer { option, reason, args: args.map(form).transpose()? })
    }
}

/// Reads an approver's answer: an option, or an object of `option`, `reason` and `args`.
///
/// Errors name kinds, not values: what a person types may be a secret.
pub fn read_answer<'v, H: Host>(host: &'v H, answer: &H::View<'v>) -> Result<Answer<H::View<'v>>, Error> {
    match host.kind(answer) {
        Kind::Text(option) => return Ok(Answer::of(option.into_owned())),
        Kind::Object => {}
        kind => {
            let spelling = host.spelling();
            let (given, object) = (spelling.words(&kind).into_owned(), spelling.object());
            let why = format!("the approver gave {given}; it must give one of the options, or {object} with `option`");
            return Err(Error::new(Code::InvalidOption, why));
        }
    }
    let reader = Reader::new(host, answer, Code::InvalidOption, "the approver's answer")?;
    reader.only(&["option", "reason", "args"])?;
    let reason = reader.text("reason")?.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
    Ok(Answer { option: reader.required_text("option")?, reason, args: reader.value("args") })
}
