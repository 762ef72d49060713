//! Large logs are verified quickly and in little memory.

use std::io::Write as _;
use std::time::Instant;

use hookweave::audit::{Kind, Record, verify};

use crate::support::Log;

/// A log of so many records, made without an engine: the chain is public, and this is how others would write it.
fn make(log: &Log, records: u64) {
    use sha2::Digest as _;
    let mut file = std::io::BufWriter::new(std::fs::File::create(&log.path).unwrap());
    let mut prev = "0".repeat(64);
    for seq in 1..=records {
        let mut record = Record { seq, time: "2026-11-22T08:15:00.000Z".into(), ..Record::new(Kind::HookFinished) };
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

#[cfg(target_os = "linux")]
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_hundred_thousand_records_are_verified_in_little_memory() {
    let log = Log::new();
    make(&log, 100_000);
    #[cfg(target_os = "linux")]
    let before = peak_kib();
    let began = Instant::now();
    let report = verify(&log.path, None).unwrap();
    println!("100,000 records verified in {:?}", began.elapsed());
    assert!(report.whole && report.records == 100_000, "{:?}", report.problems);
    // The file has 30 MB; what is kept of it is a buffer and a line.
    #[cfg(target_os = "linux")]
    assert!(peak_kib() - before < 16 * 1024, "{} KiB more", peak_kib() - before);
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
