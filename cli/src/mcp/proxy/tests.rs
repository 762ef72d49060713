//! The test is the client and the server: what each of them gets is compared to the byte.

use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Asks, End, Proxy};
use crate::mcp::Judge;
use crate::policy::{Policy, Which};
use crate::recording::RecordArgs;

/// Longer than the busiest machine takes.
const LONG: Duration = Duration::from_secs(120);
const LONGEST: u64 = 4096;

struct Conversation {
    client: Option<PipeWriter>,
    server: Option<PipeWriter>,
    client_gets: Receiver<String>,
    server_gets: Receiver<String>,
    ends: Receiver<End>,
    folder: TempDir,
}

#[expect(clippy::disallowed_methods, reason = "a pipe is read while the test waits with a limit")]
fn lines(from: PipeReader) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = String::new();
        while from.read_line(&mut line).is_ok_and(|read| read > 0) && sender.send(std::mem::take(&mut line)).is_ok() {}
    });
    lines
}

impl Conversation {
    fn new(hooks: &str) -> Self {
        Self::with(hooks, Asks::Nobody)
    }

    #[expect(clippy::disallowed_methods, reason = "as the command starts its readers")]
    fn with(hooks: &str, asks: Asks) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hookweave.toml");
        let hooks = hooks.replace("FOLDER", folder.path().to_str().unwrap());
        std::fs::write(&file, format!("hookweave = 1\n{hooks}")).unwrap();
        let which = Which { cwd: Some(folder.path().to_path_buf()), files: vec![file], ..Which::default() };
        let judge = Policy::load(&which)
            .and_then(|policy| Judge::new(policy, which, None, RecordArgs::default(), folder.path()))
            .map_err(|why| why.to_string());
        let ((from_client, client), (from_server, server)) = (pipe().unwrap(), pipe().unwrap());
        let ((of_client, to_client), (of_server, to_server)) = (pipe().unwrap(), pipe().unwrap());
        let proxy = Proxy::new("srv".to_owned(), judge, asks, LONGEST, to_client, to_server);
        let (sender, ends) = channel();
        let (reader, end) = (Arc::clone(&proxy), sender.clone());
        std::thread::spawn(move || end.send(reader.read_client(BufReader::new(from_client))));
        std::thread::spawn(move || sender.send(proxy.read_server(BufReader::new(from_server))));
        let (client_gets, server_gets) = (lines(of_client), lines(of_server));
        Self { client: Some(client), server: Some(server), client_gets, server_gets, ends, folder }
    }

    fn client_says(&mut self, line: &str) {
        self.client.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    fn server_says(&mut self, line: &str) {
        self.server.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    fn calls(&mut self, id: &Value, arguments: &Value) -> String {
        let params = json!({"name": "run", "arguments": arguments});
        let line = format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        self.client_says(&line);
        line
    }

    fn answers(&mut self, id: &Value, result: &Value) -> String {
        let line = format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "result": result}));
        self.server_says(&line);
        line
    }

    fn client_gets(&self) -> String {
        self.client_gets.recv_timeout(LONG).unwrap()
    }

    fn server_gets(&self) -> String {
        self.server_gets.recv_timeout(LONG).unwrap()
    }

    fn result(&self) -> Value {
        json_of(&self.client_gets())["result"].take()
    }

    fn broken(&self) -> String {
        match self.ends.recv_timeout(LONG).unwrap() {
            End::Broken(why) => why,
            End::Over => panic!("it went on"),
        }
    }

    /// Nothing more has been said to the server, and nothing is.
    fn server_gets_no_more(&mut self) {
        self.client = None;
        let said = self.server_gets.recv_timeout(LONG);
        assert!(said.is_err_and(|why| why == std::sync::mpsc::RecvTimeoutError::Disconnected));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn json_of(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn refusal(why: &str) -> Value {
    json!({"content": [{"type": "text", "text": why}], "isError": true})
}

/// A hook that answers with JSON.
fn hook(event: &str, answer: &Value) -> String {
    format!("[[hooks]]\nevent = \"{event}\"\nmatcher = \"mcp__srv__run\"\ncommand = '''printf '%s' '{answer}' '''\n")
}

#[test]
fn what_no_hook_changes_passes_as_it_came() {
    let mut both = Conversation::new("");
    for line in [
        "{\"jsonrpc\":\"2.0\", \"id\":1,\t\"method\":\"initialize\",\"params\":{\"n\":1.0e0,\"capabilities\":{}}}\r\n",
        "{\"method\":\"notifications/initialized\",\"jsonrpc\":\"2.0\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"x/unknown\",\"params\":[1,\"\\u00e9 é\"],\"more\":{}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"action\":\"accept\"}}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"a\"}}\n",
        "\n",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",  \"params\":{\"name\":\"run\",\"_meta\":{\"progressToken\":3}}}\n",
    ] {
        both.client_says(line);
        assert_eq!(both.server_gets(), line);
    }
    for line in [
        "{\"jsonrpc\":\"2.0\", \"id\":1,\"result\":{\"capabilities\":{}}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\",\"params\":{}}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":3,\"progress\":1}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32601,\"message\":\"no\"}}\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}\n",
        "{\"id\":2, \"jsonrpc\":\"2.0\",\"result\":{\"content\":[],\"x\":1.50},\"y\":null}\n",
    ] {
        both.server_says(line);
        assert_eq!(both.client_gets(), line);
    }
}

#[test]
fn a_refused_call_never_reaches_the_server() {
    let mut both = Conversation::new(&hook("PreToolUse", &json!({"action": "block", "reason": "not here"})));
    both.calls(&json!("x"), &json!({}));
    let answer = json!({"jsonrpc": "2.0", "id": "x", "result": refusal("not here")});
    assert_eq!(json_of(&both.client_gets()), answer);
    both.server_gets_no_more();
}

#[test]
fn hooks_change_arguments_and_results() {
    let before = hook("PreToolUse", &json!({"action": "continue", "modified": {"args": {"b": 2}}}));
    let new = json!({"result": {"success": true, "output": "hidden"}});
    let after = hook("PostToolUse", &json!({"action": "continue", "modified": new}));
    let mut both = Conversation::new(&(before + &after));
    both.calls(&json!(1), &json!({"a": 1}));
    let params = json!({"name": "run", "arguments": {"b": 2}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    assert_eq!(json_of(&both.server_gets()), call);
    let mut old = text("secret");
    old["structuredContent"] = json!({"result": "secret"});
    old["_meta"] = json!({"x": "secret"});
    both.answers(&json!(1), &old);
    let mut new = text("hidden");
    new["structuredContent"] = json!({"result": "hidden"});
    new["isError"] = false.into();
    assert_eq!(both.result(), new);
}

#[test]
fn what_hooks_tell_the_model_stands_behind_the_result() {
    let hooks = hook("PreToolUse", &json!({"action": "continue", "inject": [{"content": "be careful"}]}));
    let mut both = Conversation::new(&hooks);
    both.calls(&json!(1), &json!({}));
    both.server_gets();
    both.answers(&json!(1), &text("done"));
    let parts = json!([{"type": "text", "text": "done"}, {"type": "text", "text": "be careful"}]);
    assert_eq!(both.result(), json!({ "content": parts }));
}

#[test]
fn a_question_is_a_refusal_unless_the_clients_user_allows() {
    let hooks = hook("PreToolUse", &json!({"action": "ask", "ask": {"prompt": "Really?"}}));
    let mut both = Conversation::new(&hooks);
    both.calls(&json!(1), &json!({}));
    let refused = both.result();
    assert_eq!(refused["isError"], true);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("--approval client"), "{refused}");
    both.server_gets_no_more();

    let mut both = Conversation::with(&hooks, Asks::Client);
    both.calls(&json!("early"), &json!({}));
    let refused = both.result();
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("cannot ask its user"), "{refused}");
    both.client_says("{\"id\":0,\"method\":\"initialize\",\"params\":{\"capabilities\":{\"elicitation\":{}}}}\n");
    both.server_gets();
    for (id, action, runs) in [(1, "accept", true), (2, "decline", false)] {
        let call = both.calls(&json!(id), &json!({"n": id}));
        let question = json_of(&both.client_gets());
        assert_eq!(question["method"], "elicitation/create");
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.contains("Really?") && message.contains("mcp__srv__run"), "{message}");
        let said = json!({"action": action, "content": {"decision": "Allow once"}});
        both.client_says(&format!("{}\n", json!({"id": question["id"], "result": said})));
        if runs {
            assert_eq!(both.server_gets(), call);
            let answer = both.answers(&json!(id), &text("ran"));
            assert_eq!(both.client_gets(), answer);
        } else {
            assert_eq!(both.result()["isError"], true);
        }
    }
    both.server_gets_no_more();
}

#[test]
fn a_failed_call_is_made_again_under_an_id_of_its_own() {
    let mut both = Conversation::new(&hook("PostToolUseFailure", &json!({"action": "retry"})));
    both.calls(&json!(1), &json!({}));
    assert_eq!(json_of(&both.server_gets())["id"], 1);
    both.answers(&json!(1), &json!({"content": [{"type": "text", "text": "busy"}], "isError": true}));
    let again = json_of(&both.server_gets())["id"].take();
    assert_ne!(again, json!(1));
    both.answers(&again, &text("done"));
    assert_eq!(json_of(&both.client_gets()), json!({"jsonrpc": "2.0", "id": 1, "result": text("done")}));
    // What is cancelled is the run that the server knows.
    both.calls(&json!(2), &json!({}));
    both.server_gets();
    both.server_says("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1,\"message\":\"busy\"}}\n");
    let again = json_of(&both.server_gets())["id"].take();
    both.client_says("{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}\n");
    let cancelled = json!({"method": "notifications/cancelled", "params": {"requestId": again}});
    assert_eq!(json_of(&both.server_gets()), cancelled);
}

#[test]
fn a_call_that_is_cancelled_while_it_is_judged_is_not_made() {
    let waits = "[[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"mcp__srv__run\"\ntimeout = 120\n\
                 command = \"touch FOLDER/asked; until [ -e FOLDER/go ]; do sleep 0.01; done\"\n";
    let mut both = Conversation::new(waits);
    both.calls(&json!(1), &json!({}));
    both.client_says("{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
    both.client_says("{\"id\":2,\"method\":\"ping\"}\n");
    assert_eq!(both.server_gets(), "{\"id\":2,\"method\":\"ping\"}\n");
    std::fs::write(both.path("go"), "").unwrap();
    both.server_gets_no_more();
    both.server = None;
    let passed = both.client_gets();
    assert_eq!(json_of(&passed)["id"], 2, "a cancelled call has no answer: {passed}");
}

#[test]
fn what_the_client_says_reaches_the_server_in_its_order() {
    let waits = "[[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"mcp__srv__run\"\ntimeout = 120\n\
                 command = \"until [ -e FOLDER/go ]; do sleep 0.01; done\"\n\
                 [[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"mcp__srv__no\"\nblock = \"no\"\n";
    let mut both = Conversation::new(waits);
    let call = |id: u32, tool: &str| {
        let params = json!({"name": tool, "arguments": {}});
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    };
    let cancel = "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}\n".to_owned();
    let lines = [
        call(1, "run"),
        "{\"method\":\"notifications/x\"}\n".to_owned(),
        call(2, "other"),
        "{\"id\":3,\"method\":\"x/y\"}\n".to_owned(),
        cancel,
        call(4, "no"),
        call(5, "run"),
        "{\"method\":\"notifications/z\"}\n".to_owned(),
    ];
    for line in &lines {
        both.client_says(line);
    }
    // An answer to the server is no part of the order: a call that is judged may wait for nothing else.
    let answer = "{\"id\":\"s\",\"result\":{}}\n";
    both.client_says(answer);
    assert_eq!(both.server_gets(), answer);
    assert_eq!(json_of(&both.client_gets())["id"], 4);
    std::fs::write(both.path("go"), "").unwrap();
    for line in lines.iter().filter(|line| !line.contains("\"no\"")) {
        assert_eq!(both.server_gets(), *line);
    }
}

#[test]
fn what_breaks_the_protocol_ends_the_conversation() {
    let long = format!("{{\"id\":1,\"method\":\"ping\",\"params\":{{\"x\":\"{}\"}}}}\n", "x".repeat(4096));
    for (lines, why) in [
        ("{\"id\":1,\"method\":\"ping\"\n", "no JSON"),
        ("[{\"id\":1,\"method\":\"tools/call\"}]\n", "batch"),
        ("{\"method\":\"tools/call\",\"params\":{\"name\":\"run\"}}\n", "without an id"),
        (long.as_str(), "longer than 4096 bytes"),
    ] {
        let mut both = Conversation::new("");
        both.client_says(lines);
        let said = both.broken();
        assert!(said.contains(why) && said.contains("client"), "{said}");
        let mut both = Conversation::new("");
        if lines.starts_with('{') {
            both.server_says(lines);
            let said = both.broken();
            assert!(said.contains(why) && said.contains("srv"), "{said}");
        }
    }
    let mut both = Conversation::new("");
    let first = both.calls(&json!(1), &json!({}));
    assert_eq!(both.server_gets(), first);
    both.calls(&json!(1), &json!({}));
    assert!(both.broken().contains("uses the id 1 again"));
}

#[test]
fn an_answer_that_nobody_waits_for_and_what_is_no_message_are_dropped() {
    let mut both = Conversation::new(&hook("PostToolUse", &json!({"action": "continue"})));
    both.server_says("listening on standard input\n");
    both.answers(&json!(1), &text("before it was asked"));
    // When this has come through, what the server said before was dropped.
    both.server_says("{\"method\":\"notifications/progress\"}\n");
    assert_eq!(both.client_gets(), "{\"method\":\"notifications/progress\"}\n");
    both.calls(&json!(1), &json!({}));
    both.server_gets();
    let first = both.answers(&json!(1), &text("first"));
    assert_eq!(both.client_gets(), first);
    both.answers(&json!(1), &text("second"));
    both.server_says("{\"method\":\"notifications/message\"}\n");
    assert_eq!(both.client_gets(), "{\"method\":\"notifications/message\"}\n");
}

#[test]
fn who_waits_is_told_that_the_server_has_ended() {
    let mut both = Conversation::new("");
    both.client_says("{\"id\":1,\"method\":\"ping\"}\n");
    both.server_gets();
    both.calls(&json!(2), &json!({}));
    both.server_gets();
    both.server = None;
    let mut got = [json_of(&both.client_gets()), json_of(&both.client_gets())];
    got.sort_by_key(|answer| answer["id"].as_i64());
    let why = "the server srv ended before it answered";
    assert_eq!(got[0]["error"]["message"], why);
    assert_eq!(got[1]["result"], refusal(why));
}

#[test]
fn a_broken_policy_refuses_every_call_and_nothing_else() {
    let mut both = Conversation::new("[[hooks]]\nevent = \"Nope\"\ncommand = \"x\"\n");
    both.calls(&json!(1), &json!({}));
    let refused = both.result();
    assert!(refused["content"][0]["text"].as_str().unwrap().starts_with("hookweave could not decide"), "{refused}");
    both.client_says("{\"id\":2,\"method\":\"ping\"}\n");
    assert_eq!(both.server_gets(), "{\"id\":2,\"method\":\"ping\"}\n");
}

#[test]
fn a_result_that_hooks_cannot_look_at_is_kept_back() {
    let mut both = Conversation::new("");
    both.client_says("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"run\",\"task\":{}}}\n");
    assert_eq!(both.result()["isError"], true);
    both.calls(&json!(2), &json!({}));
    both.server_gets();
    both.answers(&json!(2), &json!({"resultType": "task", "taskId": "t"}));
    assert_eq!(both.result(), refusal("hooks cannot look at a result of the type `task`"));
    both.calls(&json!(3), &json!({}));
    both.server_gets();
    let asks = both.answers(&json!(3), &json!({"resultType": "input_required", "inputRequests": {}}));
    assert_eq!(both.client_gets(), asks);
}

#[test]
fn calls_are_counted_over_the_conversation() {
    let mut both = Conversation::new("[[hooks]]\nuse = \"limit-calls\"\ntool = \"mcp__srv__run\"\nmax = 1\n");
    both.calls(&json!(1), &json!({}));
    both.server_gets();
    both.answers(&json!(1), &text("done"));
    both.client_gets();
    both.calls(&json!(2), &json!({}));
    assert_eq!(both.result()["isError"], true);
    both.server_gets_no_more();
}
