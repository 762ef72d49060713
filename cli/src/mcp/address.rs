//! Where a server is that nobody starts here, and what each request to it carries.

use std::time::Duration;

use hookweave_host::exec::webhook::{StreamRequest, WebClient};
use serde_json::Value;

use crate::splice::JsonText;

/// Headers that the protocol sets.
const OWN: &[&str] = &["accept", "content-type", "last-event-id", "mcp-protocol-version", "mcp-session-id"];

/// A server's address. Its headers hold keys, so it is never printed.
pub(crate) struct Address {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    /// How long an answer may take.
    pub(super) timeout: Duration,
}

impl Address {
    /// An address of the command line, its headers as `NAME: VALUE`.
    pub(crate) fn new(url: &str, headers: &[String], timeout: Duration) -> Result<Self, String> {
        let split = |header: &String| {
            let (name, value) = header.split_once(':').ok_or("a header is written as 'NAME: VALUE'")?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        };
        Self::of(url, headers.iter().map(split).collect::<Result<_, String>>()?, timeout)
    }

    /// An address as a client's configuration has it.
    pub(crate) fn of_entry(entry: &str, timeout: Duration) -> Result<Self, String> {
        let entry = JsonText::read(entry).ok().and_then(|entry| entry.value(&[]));
        let entry = entry.ok_or("the entry is no JSON; a variable in it may have a quote in its value")?;
        let url = entry.get("url").and_then(Value::as_str).ok_or("the entry has no `url`")?;
        let headers = match entry.get("headers") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(headers)) => {
                let text = |(name, value): (&String, &Value)| {
                    let value =
                        value.as_str().ok_or_else(|| format!("the header `{}` is no text", name.escape_debug()))?;
                    Ok((name.clone(), value.to_owned()))
                };
                headers.iter().map(text).collect::<Result<_, String>>()?
            }
            Some(_) => return Err("the entry's `headers` are no object".to_owned()),
        };
        Self::of(url, headers, timeout)
    }

    fn of(url: &str, headers: Vec<(String, String)>, timeout: Duration) -> Result<Self, String> {
        let variable = |name: &str| std::env::var(name).ok();
        let url = filled(url, &variable).map_err(|why| format!("the URL {why}"))?;
        let fill = |(name, value): (String, String)| {
            let shown = name.escape_debug();
            if OWN.contains(&name.to_ascii_lowercase().as_str()) {
                return Err(format!("the header `{shown}` is set by hookweave itself; leave it out"));
            }
            let value = filled(&value, &variable).map_err(|why| format!("the header `{shown}` {why}"))?;
            Ok((name, value))
        };
        let headers = headers.into_iter().map(fill).collect::<Result<_, _>>()?;
        Ok(Self { url, headers, timeout })
    }

    /// Says what keeps requests from being sent there, as far as that can be known beforehand.
    pub(super) fn check(&self, client: &WebClient) -> Result<(), String> {
        let (connect, timeout) = (self.timeout, self.timeout);
        let request =
            StreamRequest { url: &self.url, headers: &self.headers, body: None, ends_session: false, connect, timeout };
        client.check_stream(&request).map_err(|why| why.of_a_server())
    }

    /// The host, which stands for the server where it has no name.
    pub(crate) fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        rest.split(['/', '?', '#', ':']).next().unwrap_or_default()
    }
}

/// Fills in `${NAME}`, `${NAME:-DEFAULT}` and `${env:NAME}`, as clients write them. What is filled in is not read again.
fn filled(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let (inner, next) = after.split_once('}').ok_or("has a `${` without its `}`")?;
        let inner = inner.strip_prefix("env:").unwrap_or(inner);
        let (name, default) = inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default)));
        let is_name = |name: &str| name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_');
        if name.is_empty() || !is_name(name) {
            return Err("has a `${…}` that names no variable of the environment".to_owned());
        }
        let value = variable(name).or_else(|| default.map(str::to_owned));
        filled.push_str(before);
        filled.push_str(&value.ok_or_else(|| format!("names the variable `{name}`, which is not set; set it"))?);
        rest = next;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Address, filled};

    #[test]
    fn variables_are_filled_in_once() {
        let variable = |name: &str| (name == "A").then(|| "x${B}".to_owned());
        assert_eq!(filled("$A ${A} ${env:A} ${B:-c}!", &variable).unwrap(), "$A x${B} x${B} c!");
        for (text, part) in [("${B}", "`B`"), ("${input:key}", "no variable"), ("${A", "without its")] {
            assert!(filled(text, &variable).unwrap_err().contains(part), "{text}");
        }
    }

    #[test]
    fn an_address_is_read_from_words_and_from_an_entry() {
        let long = Duration::MAX;
        let entry =
            "{ // mine\n \"type\": \"http\", \"url\": \"https://x.test:1/mcp?k\", \"headers\": {\"A\": \"b: c\"}, }";
        let words = Address::new("https://x.test:1/mcp?k", &["A:b: c".to_owned()], long).unwrap();
        for address in [words, Address::of_entry(entry, long).unwrap()] {
            assert_eq!((address.url.as_str(), address.host()), ("https://x.test:1/mcp?k", "x.test"));
            assert_eq!(address.headers, [("A".to_owned(), "b: c".to_owned())]);
        }
        let why = |header: &str| Address::new("https://x.test", &[header.to_owned()], long).err().unwrap();
        assert!(!why("secret").contains("secret") && why("Accept: x").contains("leave it out"));
    }
}
