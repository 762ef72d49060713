//! The servers in the configuration of a client of the Model Context Protocol, reached through `hookweave mcp-proxy`.
//!
//! All that is written stands before what was there, so that taking it out again leaves the file as it was, to the byte. A
//! server with an address becomes one that is started, and keeps its old entry in a variable: there no other user of the
//! machine sees its keys, as they would in the words of a command.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::hook_command::quoted;
use crate::mcp::plain;
use crate::splice::Step::{Field, Item};
use crate::splice::{JsonText, Step};

/// The fields that hold servers: of most clients, and of VS Code.
const FIELDS: &[&str] = &["mcpServers", "servers"];

const PROXY: &str = "mcp-proxy";

/// The variable that holds the entry of a server with an address, as it was written.
pub(crate) const ENTRY: &str = "HOOKWEAVE_MCP_ENTRY";

/// What the types of servers that speak Streamable HTTP are called, by one client or another.
const HTTP: &[&str] = &["http", "streamable-http", "streamableHttp"];

/// The fields of an entry that say where its server is; the others mean the same of any server.
const OF_ADDRESSES: &[&str] = &["type", "url", "headers"];

/// Fields by which a client itself logs in.
const LOGINS: &[&str] = &["auth", "authProviderType", "headersHelper", "oauth"];

/// A configuration about to be changed.
pub(crate) struct Servers {
    text: JsonText,
}

/// What became of the servers, by their names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wrapped {
    /// Their tools are judged.
    pub(crate) judged: Vec<String>,
    /// Their tools are not judged, for the reason given.
    pub(crate) left: Vec<(String, &'static str)>,
}

/// A server that is started through the proxy.
pub(crate) struct Judged {
    pub(crate) name: String,
    program: String,
    /// The proxy's words, with those of the server's own command.
    pub(crate) words: Vec<String>,
    /// The variables that it is started with.
    pub(crate) env: Option<Value>,
}

impl Judged {
    /// The command line that starts the proxy, up to the server's own command.
    pub(crate) fn line(&self) -> String {
        let own = self.words.iter().take_while(|word| *word != "--");
        let words = std::iter::once(&self.program).chain(own).map(|word| quoted(Path::new(word)));
        words.collect::<Vec<_>>().join(" ")
    }
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
                match self.put_before_address(&server, &name, program, options) {
                    Ok(()) => wrapped.judged.push(name),
                    Err(why) => wrapped.left.push((name, why)),
                }
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

    /// Starts the proxy in front of a server with an address, or says why not.
    fn put_before_address(
        &mut self,
        server: &[Step<'_>],
        name: &str,
        program: &str,
        options: &[String],
    ) -> Result<(), &'static str> {
        let Some(Value::Object(mut entry)) = self.text.value(server) else {
            return Err("has no `command` and no `url`");
        };
        let Some(url) = entry.get("url").and_then(Value::as_str) else { return Err("has no `command` and no `url`") };
        let is_http = match entry.get("type") {
            None => !url.trim_end_matches('/').ends_with("/sse"),
            Some(kind) => kind.as_str().is_some_and(|kind| HTTP.contains(&kind)),
        };
        if !is_http {
            return Err("is reached by another way than Streamable HTTP (type `http`)");
        }
        if LOGINS.iter().any(|field| entry.contains_key(*field)) {
            return Err("needs a login that its client makes");
        }
        let Some(source) = self.text.source(server) else { return Err("has no `command` and no `url`") };
        let mut env = match entry.remove("env") {
            None => Map::new(),
            Some(Value::Object(env)) => env,
            Some(_) => return Err("has an `env` that is no object"),
        };
        env.insert(ENTRY.to_owned(), source.into());
        let mut words = vec![PROXY.to_owned(), "--name".to_owned(), plain(name)];
        words.extend(options.iter().cloned().chain(["--entry".to_owned()]));
        let mut new = Map::new();
        if entry.contains_key("type") {
            new.insert("type".to_owned(), "stdio".into());
        }
        new.insert("command".to_owned(), program.into());
        new.insert("args".to_owned(), json!(words));
        new.insert("env".to_owned(), env.into());
        new.extend(entry.into_iter().filter(|(field, _)| !OF_ADDRESSES.contains(&field.as_str())));
        self.text.set(server, &Value::Object(new));
        Ok(())
    }

    /// Puts the entry of a server with an address back, with what its client has changed of it since.
    fn put_back_address(&mut self, server: &[Step<'_>], source: &str) {
        let Some(Value::Object(now)) = self.text.value(server) else { return };
        self.text.replace(server, source);
        let Some(Value::Object(before)) = self.text.value(server) else { return };
        let is_own = |field: &str| OF_ADDRESSES.contains(&field) || ["command", "args", "env"].contains(&field);
        for (field, value) in now.iter().filter(|(field, _)| !is_own(field)) {
            match before.get(field) {
                Some(old) if old == value => {}
                Some(_) => self.text.set(&[server, &[Field(field)]].concat(), value),
                None => self.text.put(server, Some(field), value),
            }
        }
        for field in before.keys().filter(|field| !is_own(field) && !now.contains_key(*field)) {
            if let Some(at) = self.text.names(server).iter().position(|name| name == field) {
                self.text.take(server, at);
            }
        }
    }

    /// Starts the servers themselves again; gives how many were started through the proxy.
    pub(crate) fn unwrap(&mut self) -> usize {
        let mut number = 0;
        for (field, name) in self.all() {
            let server = [Field(field), Field(&name)];
            let value = self.text.value(&server).unwrap_or_default();
            if let Some(source) = own_entry(&value) {
                self.put_back_address(&server, source);
                number += 1;
                continue;
            }
            let Some(words) = own_words(&value) else { continue };
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

    /// The servers that are started through the proxy, and the names of the others.
    pub(crate) fn standing(&self) -> (Vec<Judged>, Vec<String>) {
        let (mut judged, mut others) = (Vec::new(), Vec::new());
        for (field, name) in self.all() {
            let server = self.text.value(&[Field(field), Field(&name)]).unwrap_or_default();
            let program = server.get("command").and_then(Value::as_str).unwrap_or_default();
            match proxy_words(&server) {
                None => others.push(name),
                Some(words) => judged.push(Judged {
                    program: program.to_owned(),
                    words: words.iter().map(|word| word.as_str().unwrap_or_default().to_owned()).collect(),
                    env: server.get("env").cloned(),
                    name,
                }),
            }
        }
        (judged, others)
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

/// The words of the proxy, if a server is reached through it.
fn proxy_words(server: &Value) -> Option<&Vec<Value>> {
    let program = server.get("command")?.as_str()?;
    let words = server.get("args")?.as_array()?;
    let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
    (program.starts_with("hookweave") && words.first()?.as_str()? == PROXY).then_some(words)
}

/// The old entry of a server with an address, if it is reached through the proxy.
fn own_entry(server: &Value) -> Option<&str> {
    let words = proxy_words(server)?;
    let source = server.get("env")?.get(ENTRY)?.as_str()?;
    let is_entry = words.iter().any(|word| word.as_str() == Some("--entry"));
    (is_entry && JsonText::read(source).is_ok_and(|entry| entry.value(&[]).is_some_and(|value| value.is_object())))
        .then_some(source)
}

/// The words up to the server's own command, if a server is started through the proxy.
fn own_words(server: &Value) -> Option<Vec<String>> {
    let words = proxy_words(server)?;
    let end = words.iter().position(|word| word.as_str() == Some("--"))?;
    let own = words.iter().take(end + 1).map(|word| word.as_str().map(str::to_owned));
    own.collect::<Option<Vec<_>>>().filter(|own| own.len() < words.len())
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
            r#"{"servers": {"far": {"url" :"https://x.test/mcp" , "type":"http","headers": {"A": "\u0062\"${C}"}, "disabled":true}}}"#,
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"far\": {\r\n\t\t\t// mine\r\n\t\t\t\"url\": \"https://x.test/mcp\", // its\r\n\t\t\t\"env\": {\"A\":\"b\"},\r\n\t\t},\r\n\t},\r\n}",
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
    fn a_server_with_an_address_is_started_with_its_old_entry() {
        let entry = r#"{"url": "https://x.test/mcp", "type": "http", "disabled": true, "headers": {"A": "k"}}"#;
        let (text, servers) = wrapped(&format!(r#"{{"mcpServers": {{"far": {entry}}}}}"#));
        assert_eq!(servers.judged, ["far"]);
        let value: Value = serde_json::from_str(&text).unwrap();
        let words = json!(["mcp-proxy", "--name", "far", "--require-policy", "--entry"]);
        assert_eq!(
            value["mcpServers"]["far"],
            json!({"type": "stdio", "command": "hookweave", "args": words, "env": {ENTRY: entry}, "disabled": true})
        );
    }

    #[test]
    fn what_a_client_changes_meanwhile_stays() {
        let before = r#"{"servers": {"far": {"url": "https://x.test/mcp", "disabled": false, "a": 1}}}"#;
        let (text, _) = wrapped(before);
        let text = text.replace(r#""disabled": false"#, r#""disabled": true"#).replace(r#""a": 1"#, r#""b": 2"#);
        let mut servers = Servers::read(&text).unwrap();
        assert_eq!(servers.unwrap(), 1);
        let after = r#"{"servers": {"far": {"url": "https://x.test/mcp", "disabled": true, "b": 2}}}"#;
        assert_eq!(servers.text(), after);
    }

    #[test]
    fn servers_that_the_proxy_cannot_reach_are_left_and_others_programs_too() {
        for (entry, why) in [
            (r#"{"type": "sse", "url": "https://x.test/mcp"}"#, "another way"),
            (r#"{"url": "https://x.test/sse"}"#, "another way"),
            (r#"{"httpUrl": "https://x.test/mcp"}"#, "no `url`"),
            (r#"{"type": "http", "url": "https://x.test/mcp", "oauth": {}}"#, "login"),
        ] {
            let text = format!(r#"{{"mcpServers": {{"far": {entry}, "a": {{"command": "x"}}}}}}"#);
            let (text, servers) = wrapped(&text);
            assert!(text.contains(entry) && servers.judged == ["a"], "{text}");
            assert!(servers.left[0].0 == "far" && servers.left[0].1.contains(why), "{servers:?}");
        }
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
