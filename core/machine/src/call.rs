//! What a tool call runs and names, as its hooks read it: the same texts that matchers look at.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::directory::Directory;
use crate::error::{Code, Error};
use crate::event::{BUILT_IN, EventSpec};
use crate::match_input::MatchInput;
use crate::met::line_of;
use crate::payload::Host;
use crate::tool::KnownTools;

/// The command lines of a tool call as one text, which is empty where there are none.
///
/// # Errors
/// [`Code::InvalidPayload`] where something is there that is no command line: a hook must not take it for nothing.
pub fn command<H: Host>(host: &H, event: &str, payload: &H::Value, tools: &KnownTools) -> Result<String, Error> {
    read(host, event, payload, tools, |input| {
        let unread = "holds a command that is neither a text nor a list of words";
        if input.commands().indeterminate { Err(("command", unread)) } else { Ok(line_of(input).unwrap_or_default()) }
    })
}

/// The paths that a tool call names in its arguments, as they are written.
///
/// # Errors
/// [`Code::InvalidPayload`] where something is there that is no path: a hook must not take it for nothing.
pub fn paths<H: Host>(host: &H, event: &str, payload: &H::Value, tools: &KnownTools) -> Result<Vec<String>, Error> {
    read(host, event, payload, tools, |input| {
        let mut texts = SmallVec::new();
        if input.path_texts(&mut texts) {
            return Err(("paths", "names a file by something that is no text or no plain path"));
        }
        Ok(texts.into_iter().map(Cow::into_owned).collect())
    })
}

/// Reads an event of the catalogue that has arguments; what a custom one calls so are fields of its own.
fn read<H: Host, T: Default>(
    host: &H,
    event: &str,
    payload: &H::Value,
    tools: &KnownTools,
    read: impl FnOnce(&MatchInput<'_, H>) -> Result<T, (&'static str, &'static str)>,
) -> Result<T, Error> {
    let known = BUILT_IN.iter().find(|known| known.name == event || known.aliases.contains(&event));
    let Some(event) = known.map(EventSpec::of).filter(|event| event.may_have("args")) else {
        return Ok(T::default());
    };
    let (tools, directory) = (tools.now(), Directory::default());
    let input = MatchInput::new(host, &event, host.view(payload), &tools, &directory);
    read(&input).map_err(|(what, why)| {
        let tool = input.tool().map(|tool| format!(" of tool `{tool}`")).unwrap_or_default();
        let message = format!("`{what}` of the event cannot be read: {}{tool} {why}", event.name());
        Error::new(Code::InvalidPayload, message)
    })
}
