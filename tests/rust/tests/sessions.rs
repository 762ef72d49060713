//! Every vector of sessions, with hooks that answer at once and with hooks that are futures.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it should be")]

use std::path::PathBuf;

use hookweave_vectors::engine::Given;
use hookweave_vectors::session::{read_all, run};

#[test]
fn every_case_holds() {
    let only = std::env::var("VECTORS").unwrap_or_default();
    let cases = read_all();
    let mut faults = Vec::new();
    for case in cases.iter().filter(|case| case.id.starts_with(&only)) {
        for given in [Given::Closure, Given::Future] {
            for fault in run(case, given) {
                faults.push(format!("{} [{}] ({given:?}): {}\n    {fault}", case.id, case.rule, case.why));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let mut lines: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    lines.sort_unstable();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/vectors/sessions-rust.txt");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}
