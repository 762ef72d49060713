//! Claims of `once` hooks under many orders of threads' steps: run with `--cfg shuttle`.

use std::sync::Arc;

use serde_json::json;
use shuttle::thread;

use super::claims::Claims;
use crate::hook::HookSpec;
use crate::json::Json;
use crate::options::Options;
use crate::registry::Registry;

const ORDERS: usize = 5_000;

/// Dispatches meet at a hook; some end before its handler starts. It runs once at most, and is there for the next dispatch where
/// it has not run.
#[test]
fn a_hook_runs_once_and_is_given_back_by_who_does_not_run_it() {
    crate::sync::check_random(
        || {
            let registry = Registry::new(Options::default());
            let spec = HookSpec::read(&Json, "PreToolUse", &&json!({"once": true})).expect("a hook");
            let id = registry.register(spec, ()).expect("registered");
            let entry = registry.entry(id).expect("listed");
            let dispatching: Vec<_> = (0..3)
                .map(|number| {
                    let entry = Arc::clone(&entry);
                    thread::spawn(move || {
                        let mut claims = Claims::default();
                        let runs = claims.take(&entry) && number != 0;
                        if runs {
                            claims.spend(&entry);
                        }
                        runs
                    })
                })
                .collect();
            let runs = dispatching.into_iter().map(|thread| thread.join().expect("no panic"));
            let runs = runs.filter(|runs| *runs).count();
            assert!(runs <= 1, "it ran {runs} times");
            assert_eq!(entry.is_spent(), runs == 1);
            assert_eq!(Claims::default().take(&entry), runs == 0, "given back by who did not run it");
        },
        ORDERS,
    );
}
