//! Large logs are verified quickly and in little memory.

use std::io::Write as _;
use std::time::Instant;

use hookweave::audit::{AuditRecord, Kind, verify};

use crate::audit::support::Log;

/// A log of so many records, made without an engine: the chain is public, and this is how others would write it.
fn make(log: &Log, records: u64) {
    use sha2::Digest as _;
    let mut file = std::io::BufWriter::new(std::fs::File::create(&log.path).unwrap());
    let mut prev = "0".repeat(64);
    for seq in 1..=records {
        let mut record = AuditRecord::new(Kind::HookFinished);
        (record.seq, record.time) = (seq, "2026-11-22T08:15:00.000Z".into());
        record.session = Some("session-1".into());
        record.event = Some("PreToolUse".into());
        record.hook = Some("guard".into());
        record.duration_us = Some(12.5);
        record.prev.clone_from(&prev);
        let text = serde_json::to_string(&record).unwrap();
        let body = text.strip_suffix(r#","hash":""}"#).unwrap();
        let digest = sha2::Sha256::digest(format!("{body}}}").as_bytes());
        prev = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(file, r#"{body},"hash":"{prev}"}}"#).unwrap();
    }
    file.into_inner().unwrap().sync_all().unwrap();
}

/// How much more memory the process has held at most since a log was verified than before.
#[cfg(target_os = "linux")]
pub(crate) fn kib_to_verify(path: &std::path::Path) -> u64 {
    let peak = || -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let before = peak();
    assert!(verify(path, None).unwrap().whole);
    peak() - before
}

#[test]
fn a_hundred_thousand_records_are_verified_in_little_memory() {
    let log = Log::new();
    make(&log, 100_000);
    let began = Instant::now();
    let report = verify(&log.path, None).unwrap();
    println!("100,000 records verified in {:?}", began.elapsed());
    assert!(report.whole && report.records == 100_000, "{:?}", report.problems);
    // Other tests of this process hold memory too: it is measured in one of its own.
    #[cfg(target_os = "linux")]
    crate::audit::processes::ends_well("verifies", &log.path);
}

#[test]
#[ignore = "writes 300 MB; run it with --release --ignored for the time that the documentation names"]
fn a_million_records_are_verified_in_seconds() {
    let log = Log::new();
    make(&log, 1_000_000);
    let began = Instant::now();
    let report = verify(&log.path, None).unwrap();
    println!("1,000,000 records verified in {:?}", began.elapsed());
    assert!(report.whole && report.records == 1_000_000);
}
