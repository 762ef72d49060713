//! The servers in the configuration of a client of the Model Context Protocol, started through `hookweave mcp-proxy`.
//!
//! All that is written stands before what was there, so that taking it out again leaves the file as it was, to the byte.

use serde_json::{Value, json};

use crate::mcp::plain;
use crate::splice::Step::{Field, Item};
use crate::splice::{JsonText, Step};

/// The fields that hold servers: of most clients, and of VS Code.
const FIELDS: &[&str] = &["mcpServers", "servers"];

const PROXY: &str = "mcp-proxy";

/// A configuration about to be changed.
pub(crate) struct Servers {
    text: JsonText,
}

/// What became of the servers, by their names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wrapped {
    /// Their tools are judged.
    pub(crate) judged: Vec<String>,
    /// They are reached by an address, and their tools are not judged.
    pub(crate) left: Vec<String>,
}

impl Servers {
    /// Reads a configuration. The error says what it cannot be changed for.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let text = JsonText::read(text).map_err(|why| format!("is no JSON: {why}; fix it first"))?;
        let servers = Self { text };
        if servers.all().is_empty() {
            let known = FIELDS.join("` or `");
            return Err(format!("has no servers in `{known}`; name the configuration of an MCP client"));
        }
        for (field, name) in servers.all() {
            servers.refuse_doubles(&[Field(field)])?;
            servers.refuse_doubles(&[Field(field), Field(&name)])?;
        }
        servers.refuse_doubles(&[])?;
        Ok(servers)
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        self.text.text()
    }

    /// Starts each server through the proxy, with these options; one that is, with these options from now on.
    pub(crate) fn wrap(&mut self, program: &str, options: &[String]) -> Result<Wrapped, String> {
        let mut wrapped = Wrapped::default();
        self.unwrap();
        for (field, name) in self.all() {
            let server = [Field(field), Field(&name)];
            let value = self.text.value(&server).unwrap_or_default();
            let steps = [server.as_slice(), &[Field("command")]].concat();
            let Some(command) = self.text.source(&steps).filter(|_| value.get("command").is_some_and(Value::is_string))
            else {
                wrapped.left.push(name);
                continue;
            };
            let list = [server.as_slice(), &[Field("args")]].concat();
            match value.get("args") {
                // Joined where there was no list, which is so known when it is taken out.
                None => {
                    let mut words = vec![PROXY.to_owned(), format!("--name={}", plain(&name))];
                    words.extend(options.iter().cloned().chain(["--".to_owned(), String::new()]));
                    self.text.put(&server, Some("args"), &json!(words));
                    self.text.replace(&[list.as_slice(), &[Item(words.len() - 1)]].concat(), &command);
                }
                Some(Value::Array(_)) => {
                    let mut words = vec![PROXY.to_owned(), "--name".to_owned(), plain(&name)];
                    words.extend(options.iter().cloned().chain(["--".to_owned()]));
                    let words = words.into_iter().map(|word| Value::from(word).to_string());
                    let words: Vec<String> = words.chain([command]).collect();
                    self.text.put_first(&list, &words.join(", "));
                }
                Some(_) => return Err(format!("`{field}.{name}.args` must be a list; fix it first")),
            }
            self.text.replace(&steps, &Value::from(program).to_string());
            wrapped.judged.push(name);
        }
        Ok(wrapped)
    }

    /// Starts the servers themselves again; gives how many were started through the proxy.
    pub(crate) fn unwrap(&mut self) -> usize {
        let mut number = 0;
        for (field, name) in self.all() {
            let server = [Field(field), Field(&name)];
            let Some(words) = self.text.value(&server).as_ref().and_then(own_words) else { continue };
            let list = [server.as_slice(), &[Field("args")]].concat();
            let command = self.text.source(&[list.as_slice(), &[Item(words.len())]].concat());
            let Some(command) = command else { continue };
            if words.iter().any(|word| word == "--name") {
                self.text.take_first(&list, words.len() + 1);
            } else if let Some(at) = self.text.names(&server).iter().position(|field| field == "args") {
                self.text.take(&server, at);
            }
            self.text.replace(&[server.as_slice(), &[Field("command")]].concat(), &command);
            number += 1;
        }
        number
    }

    /// The names of the servers that are started through the proxy, and of the others.
    pub(crate) fn standing(&self) -> (Vec<String>, Vec<String>) {
        let is_judged = |(field, name): &(&'static str, String)| {
            let server = self.text.value(&[Field(field), Field(name)]).unwrap_or_default();
            let words = server.get("args").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let program = server.get("command").and_then(Value::as_str).unwrap_or_default();
            is_program(program) && words.first().and_then(Value::as_str) == Some(PROXY)
        };
        let (judged, others): (Vec<_>, Vec<_>) = self.all().into_iter().partition(is_judged);
        let names = |all: Vec<(&str, String)>| all.into_iter().map(|(_, name)| name).collect();
        (names(judged), names(others))
    }

    /// The servers: the field that they stand in, and their names.
    fn all(&self) -> Vec<(&'static str, String)> {
        let names = |field: &&'static str| {
            let field = *field;
            self.text.names(&[Field(field)]).into_iter().map(move |name| (field, name))
        };
        FIELDS.iter().flat_map(names).collect()
    }

    /// Of two fields with one name a client reads the last, and a change of the first would guard nothing.
    fn refuse_doubles(&self, steps: &[Step<'_>]) -> Result<(), String> {
        let names = self.text.names(steps);
        let double = names.iter().enumerate().find(|(at, name)| names.iter().take(*at).any(|other| other == *name));
        double.map_or(Ok(()), |(_, name)| Err(format!("has `{name}` twice, and only the last counts; fix it first")))
    }
}

/// Whether a server's program is this one.
fn is_program(program: &str) -> bool {
    program.rsplit(['/', '\\']).next().unwrap_or(program).starts_with("hookweave")
}

/// The words up to the server's own command, if a server is started through the proxy.
fn own_words(server: &Value) -> Option<Vec<String>> {
    let program = server.get("command")?.as_str()?;
    let words = server.get("args")?.as_array()?;
    let is_own = is_program(program) && words.first()?.as_str()? == PROXY;
    let end = words.iter().position(|word| word.as_str() == Some("--"))?;
    let own = words.iter().take(end + 1).map(|word| word.as_str().map(str::to_owned));
    own.collect::<Option<Vec<_>>>().filter(|own| is_own && own.len() < words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str) -> (String, Wrapped) {
        let mut servers = Servers::read(text).unwrap();
        let wrapped = servers.wrap("hookweave", &["--require-policy".to_owned()]).unwrap();
        (servers.text(), wrapped)
    }

    #[test]
    fn what_is_put_in_is_taken_out_to_the_byte() {
        for text in [
            r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x"]}}}"#,
            r#"{"servers":{"a":{"type":"stdio","command":"npx","args":[]}}}"#,
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"C:\\\\x\\/\\u0061\"\r\n\t\t}\r\n\t}\r\n}",
            "{\n  // mine\n  \"mcpServers\": {\n    \"a b\": {\n      \"args\": [ // its words\n        \"-y\",\n        \"x\",\n      ],\n      \"command\": \"npx\", \"env\": {},\n    },\n  },\n}\n",
            r#"{"mcpServers": {"a": {"command": "x", "args": [ ]}, "b": {"env": {}, "command": "y"}}}"#,
        ] {
            let (text_with, wrapped_servers) = wrapped(text);
            assert!(!wrapped_servers.judged.is_empty() && text_with != *text, "{text_with}");
            assert_eq!(wrapped(&text_with), (text_with.clone(), wrapped_servers), "once more changes nothing");
            let mut servers = Servers::read(&text_with).unwrap();
            assert!(servers.unwrap() > 0);
            assert_eq!(servers.text(), text);
        }
    }

    #[test]
    fn a_server_is_started_with_its_own_words() {
        let (text, _) = wrapped(r#"{"mcpServers": {"my fs": {"command": "npx", "args": ["-y", "x"]}}}"#);
        let value: Value = serde_json::from_str(&text).unwrap();
        let words = json!(["mcp-proxy", "--name", "my_fs", "--require-policy", "--", "npx", "-y", "x"]);
        assert_eq!(value["mcpServers"]["my fs"], json!({"command": "hookweave", "args": words}));
    }

    #[test]
    fn servers_with_an_address_are_left_and_others_programs_too() {
        let text = r#"{"mcpServers": {"far": {"url": "https://x.test/mcp"}, "a": {"command": "x"}}}"#;
        let names = Wrapped { judged: vec!["a".to_owned()], left: vec!["far".to_owned()] };
        assert_eq!(wrapped(text).1, names);
        let other = r#"{"mcpServers": {"a": {"command": "uvx", "args": ["mcp-proxy", "--", "x"]}}}"#;
        assert_eq!(Servers::read(other).unwrap().unwrap(), 0);
    }

    #[test]
    fn what_cannot_be_changed_is_refused() {
        let why = |text: &str| Servers::read(text).map(|_| ()).unwrap_err();
        assert!(why("{").contains("no JSON"));
        assert!(why("{}").contains("no servers"));
        assert!(why(r#"{"servers": {"a": {"command": "x"}, "a": {"command": "y"}}}"#).contains("`a` twice"));
        assert!(why(r#"{"servers": {"a": {"command": "x", "command": "y"}}}"#).contains("`command` twice"));
    }
}
