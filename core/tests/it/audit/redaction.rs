//! Secrets are never written in clear.

use hookweave::audit::{AuditLevel, Inputs, Redaction};
use hookweave::{Event, HookResponse};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::audit::support::{LONG, Log, dispatch_with, run};

/// Secrets in the forms that they have, and the core of each that must not be seen.
fn secret() -> impl Strategy<Value = (String, String)> {
    let form = |before: &'static str, pattern: &'static str| {
        proptest::string::string_regex(pattern).unwrap().prop_map(move |core| (format!("{before}{core}"), core))
    };
    prop_oneof![
        form("ghp_", "[A-Za-z0-9]{36}"),
        form("github_pat_", "[A-Za-z0-9]{40}"),
        form("glpat-", "[A-Za-z0-9]{20}"),
        form("sk-", "[A-Za-z0-9]{40}"),
        form("sk-ant-api03-", "[A-Za-z0-9]{60}"),
        form("sk_live_", "[A-Za-z0-9]{24}"),
        form("AKIA", "[A-Z0-9]{16}"),
        form("AIza", "[A-Za-z0-9]{35}"),
        form("xoxb-", "[A-Za-z0-9]{24}"),
        form("npm_", "[A-Za-z0-9]{36}"),
        form("hf_", "[A-Za-z0-9]{34}"),
        form("eyJhbGciOiJIUzI1NiJ9.", "[A-Za-z0-9]{30}\\.[A-Za-z0-9]{30}"),
        form("Authorization: Bearer ", "[A-Za-z0-9]{24}"),
        form("PASSWORD=", "[A-Za-z0-9]{12}"),
        form("password: ", "[A-Za-z0-9]{12}"),
        form("--token ", "[A-Za-z0-9]{16}"),
        form("API_KEY='", "[A-Za-z0-9]{16}"),
        form("-----BEGIN RSA PRIVATE KEY-----\n", "[A-Za-z0-9]{64}"),
        proptest::string::string_regex("[A-Za-z0-9]{12}")
            .unwrap()
            .prop_map(|core| { (format!("postgres://admin:{core}@db.internal/app"), core) }),
    ]
}

/// Where a secret stands in a payload and in what hooks say.
fn args(place: usize, text: &str, core: &str) -> Value {
    match place {
        0 => json!({"command": format!("run {text}")}),
        1 => json!({"file_path": format!("/tmp/{text}")}),
        2 => json!({"nested": [{"deep": text}]}),
        3 => json!({"headers": {"Authorization": core}}),
        4 => json!({"db_password": core}),
        _ => json!({"credentials": {"user": "me", "value": core}}),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_is_written_in_clear((text, core) in secret(), place in 0_usize..6, full: bool) {
        let log = Log::new();
        let inputs = if full { Inputs::Full } else { Inputs::Redacted };
        let engine = log.engine(log.config().inputs(inputs).level(AuditLevel::Verbose));
        let secret = text.clone();
        engine
            .on("PreToolUse")
            .name("loud")
            .run(move |_: &Event| {
                HookResponse::block(format!("because of {secret}")).inject(secret.clone()).message(secret.clone())
            })
            .unwrap();
        let words = text.clone();
        engine.on("PreToolUse").name("fails").priority(-1).run_async(move |_| {
            let words = words.clone();
            async move { Err::<HookResponse, hookweave::HookError>(words.into()) }
        }).unwrap();
        dispatch_with(&engine, args(place, &text, &core));
        let session = engine.session().set("session_id", text.clone()).open().unwrap();
        let tool = args(place, &text, &core);
        run(session.run_tool("Bash", tool, |_| async { Ok(hookweave::ToolResult::from(Value::Null)) })).unwrap();
        prop_assert!(engine.audit().close(LONG));
        let written = log.text();
        prop_assert!(written.contains("[redacted]"));
        prop_assert!(!written.contains(&core), "{core} in {written}");
    }

    #[test]
    fn what_is_no_secret_stays(words in "[a-z]{3,8}( [a-z]{3,8}){0,5}") {
        prop_assume!(!["token", "secret", "basic", "bearer", "digest", "passw", "pwd", "cookie"].iter().any(|word| words.contains(word)));
        let log = Log::new();
        let engine = log.engine(log.config().inputs(Inputs::Full));
        engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
        dispatch_with(&engine, json!({"command": words, "max_tokens": 7, "author": words}));
        prop_assert!(engine.audit().close(LONG));
        let records = log.records();
        let payload = records.iter().find_map(|record| record.input.as_ref()?.payload.clone()).unwrap();
        prop_assert_eq!(&payload["args"], &json!({"command": words, "max_tokens": 7, "author": words}));
    }
}

#[test]
fn a_secret_at_the_end_of_what_is_digested_is_not_cut_in_half() {
    // Half a secret would not be known for one: what is digested ends with the word before it.
    let log = |secret: &str| {
        let log = Log::new();
        let engine = log.engine(log.config().key("k"));
        engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
        dispatch_with(&engine, json!({"command": format!("{} {secret}", "x ".repeat(2040))}));
        assert!(engine.audit().close(LONG));
        let input = log.records().into_iter().find_map(|record| record.input).unwrap();
        (input.digest, input.cut)
    };
    let one = log(&format!("ghp_{}", "a".repeat(36)));
    assert_eq!(one, log(&format!("ghp_{}", "b".repeat(36))));
    assert!(one.1);
}

#[test]
fn own_rules_come_on_top_and_the_usual_ones_can_be_left_out() {
    let text = |redaction: Redaction| {
        let log = Log::new();
        let engine = log.engine(log.config().inputs(Inputs::Full).redaction(redaction));
        engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
        dispatch_with(
            &engine,
            json!({"command": "deploy customer-4711", "X-Internal": "abc123", "password": "hunter22"}),
        );
        assert!(engine.audit().close(LONG));
        log.text()
    };
    let own = || Redaction::default().key("x_internal").pattern("customer-(?P<secret>[0-9]+)");
    let both = text(own());
    assert!(both.contains("customer-[redacted]") && !both.contains("abc123") && !both.contains("hunter22"));
    let alone = text(own().without_defaults());
    assert!(alone.contains("customer-[redacted]") && !alone.contains("abc123") && alone.contains("hunter22"));
}
