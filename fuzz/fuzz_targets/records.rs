//! Any bytes as a log and as a line of a recording: readers end, and what was read is written and read alike.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use hookweave_audit::recording::Recorded;
use hookweave_audit::{AuditRecord, read, tail, verify};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

fuzz_target!(|bytes: &[u8]| {
    if let Ok(recorded) = serde_json::from_slice::<Recorded>(bytes) {
        let text = serde_json::to_string(&recorded).expect("it came from JSON");
        let again: Recorded = serde_json::from_str(&text).expect("it was just written");
        assert_eq!(again, recorded);
        _ = recorded.is_redacted();
    }
    _ = AuditRecord::read(bytes);
    let file = FOLDER.path().join("log");
    fs::write(&file, bytes).expect("the folder is there");
    if let Ok(report) = verify(&file, None) {
        let lines = read(&file).expect("it was just read").filter_map(Result::ok);
        let records = lines.filter(|line| line.record().is_ok()).count();
        assert!(tail(&file, usize::MAX).map_or(0, |records| records.len()) <= records);
        drop(report);
    }
});
