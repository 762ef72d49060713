//! The policies that come with the engine, all at once.

use std::future::ready;

use hookweave::{Action, Engine};

use super::{Variant, event};

const POLICIES: [&str; 13] = [
    "agent-files",
    "cloud",
    "containers",
    "databases",
    "download-and-run",
    "exfiltration",
    "filesystem",
    "git",
    "interpreters",
    "packages",
    "permissions",
    "processes",
    "secrets",
];

/// Lines that no rule is about. No two calls in a row have the same one, which would be read once.
pub(crate) fn passing() -> Result<Variant, hookweave::Error> {
    judging(["npm test", "npm run lint"], Action::Continue)
}

/// Lines that a rule refuses.
pub(crate) fn stopping() -> Result<Variant, hookweave::Error> {
    judging(["git reset --hard", "git push --force"], Action::Block)
}

fn judging(lines: [&'static str; 2], expected: Action) -> Result<Variant, hookweave::Error> {
    let engine = Engine::new();
    engine.use_policies(POLICIES)?;
    Ok(Box::new(move |times| {
        let (engine, events) = (engine.clone(), lines.map(event));
        Box::pin(async move {
            for event in events.iter().cycle().take(times as usize) {
                let outcome = engine.dispatch(event.clone()).await;
                assert_eq!(outcome.ok().map(|outcome| outcome.decision()), Some(expected), "a policy judges otherwise");
            }
        })
    }))
}

/// A client that uses them, made anew.
pub(crate) fn using() -> Result<Variant, hookweave::Error> {
    Engine::new().use_policies(POLICIES)?;
    Ok(Box::new(|times| {
        for _ in 0..times {
            std::hint::black_box(Engine::new().use_policies(POLICIES).ok());
        }
        Box::pin(ready(()))
    }))
}
