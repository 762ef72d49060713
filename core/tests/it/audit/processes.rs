//! Several processes, and processes that end in the middle of a write.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hookweave::audit::{AuditOptions, AuditProblemKind, Fsync, Kind, Rotation, verify};
use hookweave::{Engine, Event, HookResponse};

use crate::audit::support::{LONG, Log, dispatch, records, until};

/// What the test's own program does when it is started as one of those processes.
const ROLE: &str = "HOOKWEAVE_AUDIT_ROLE";

fn start(role: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["audit::processes::role", "--exact", "--nocapture", "--ignored"])
        .env(ROLE, format!("{role}:{}", path.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits for a line that the process prints; what the test harness prints is passed over.
fn wait_for(child: &mut Child, word: &str) {
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains(word)), "the process says {word}");
}

/// Runs such a process to its good end.
pub(crate) fn ends_well(role: &str, path: &Path) {
    let mut child = start(role, path);
    wait_for(&mut child, "ended well");
    assert!(child.wait().unwrap().success());
}

fn engine(config: AuditOptions) -> Engine {
    let engine = Engine::builder().audit(config).build().unwrap();
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
    engine
}

/// No file of this process becomes larger.
fn limit_files(bytes: libc::rlim_t) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: plain calls with valid arguments.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
    }
}

/// Whatever this thread and those that it starts want to be on the disk does not get there.
#[cfg(target_os = "linux")]
fn refuse_to_sync() {
    let step = |code: u32, jt: u8, k: libc::c_long| libc::sock_filter {
        code: code.try_into().unwrap(),
        jt,
        jf: 0,
        k: k.try_into().unwrap(),
    };
    let equals = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let gives = libc::BPF_RET | libc::BPF_K;
    let mut steps = [
        // The number of the system call stands first.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        step(equals, 2, libc::SYS_fdatasync),
        step(equals, 1, libc::SYS_fsync),
        step(gives, 0, libc::SECCOMP_RET_ALLOW.into()),
        step(gives, 0, (libc::SECCOMP_RET_ERRNO | libc::EIO.cast_unsigned()).into()),
    ];
    let program = libc::sock_fprog { len: steps.len().try_into().unwrap(), filter: steps.as_mut_ptr() };
    // SAFETY: the program and its steps outlive the calls, which copy them.
    let refused = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    };
    assert!(refused, "{}", std::io::Error::last_os_error());
}

/// A disk that takes bytes and cannot promise them.
#[cfg(target_os = "linux")]
fn without_sync(path: &str, fsync: Fsync) {
    refuse_to_sync();
    let engine = engine(AuditOptions::file(path).required().fsync(fsync));
    for _ in 0..3 {
        let outcome = dispatch(&engine, "ls");
        assert_eq!(outcome.blocked(), fsync != Fsync::Never, "{:?}", outcome.reason());
        assert!(!outcome.blocked() || outcome.reason().unwrap().starts_with("audit: "));
    }
    say("ended well");
}

/// Forks, and gives what the child ends with: it leaves without running anything that a program runs at its end.
fn in_child(work: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child uses what is made to be used in one, and leaves without cleaning up.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(99);
        // SAFETY: ends the process.
        unsafe { libc::_exit(end) };
    }
    let mut status = 0;
    // SAFETY: waits for the child above.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -1 }
}

/// Its file cannot grow any more when the first hook is asked.
fn full_from_the_beginning(path: &str) {
    let engine = engine(AuditOptions::file(path).required());
    assert!(engine.flush_audit(LONG));
    limit_files(std::fs::metadata(path).unwrap().len());
    let first = dispatch(&engine, "ls");
    assert!(first.blocked() && first.reason().unwrap().starts_with("audit: "), "{:?}", first.reason());
    limit_files(libc::RLIM_INFINITY);
    assert!(engine.flush_audit(LONG) && !dispatch(&engine, "ls").blocked());
    say("ended well");
}

/// Children that decide something and leave without a word, as workers do.
fn children_that_leave(path: &str, required: bool) {
    let config = AuditOptions::file(path);
    let engine = engine(if required { config.required() } else { config });
    for _ in 0..8 {
        let exit = in_child(|| {
            (0..20).for_each(|number| assert!(!dispatch(&engine, &number.to_string()).blocked()));
            0
        });
        assert_eq!(exit, 0);
    }
    say("ended well");
}

/// A child whose log cannot be opened, until it can.
fn a_child_without_a_log(path: &Path, required: bool) {
    let (folder, config) = (path.parent().unwrap(), AuditOptions::file(path));
    let engine = engine(if required { config.required() } else { config });
    dispatch(&engine, "parent");
    assert!(engine.flush_audit(LONG));
    std::fs::rename(folder, folder.with_extension("away")).unwrap();
    std::fs::write(folder, "no folder").unwrap();
    let exit = in_child(|| {
        let blocked = (0..3).filter(|_| dispatch(&engine, "ls").blocked()).count();
        let is_reported = engine.audit().trouble().is_some_and(|why| why.contains("this process has no log"));
        std::fs::remove_file(folder).unwrap();
        std::fs::rename(folder.with_extension("away"), folder).unwrap();
        let goes_on = !dispatch(&engine, "ls").blocked() && engine.audit().trouble().is_none();
        i32::from(blocked != if required { 3 } else { 0 }) + i32::from(!is_reported) * 2 + i32::from(!goes_on) * 4
    });
    assert_eq!(exit, 0);
    say("ended well");
}

fn say(word: &str) {
    println!("\n{word}");
    std::io::stdout().flush().unwrap();
}

#[test]
#[ignore = "a part of other tests, which start it as a process of its own"]
fn role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let (role, path) = role.split_once(':').unwrap();
    match role {
        // Writes as fast as it can until it is killed, which is long before its end.
        "busy" => {
            let rotation = Rotation::default().max_bytes(200_000);
            let engine = engine(AuditOptions::file(path).rotation(rotation));
            say("busy");
            for number in 0..1_000_000 {
                dispatch(&engine, &format!("echo {number}"));
            }
        }
        // Holds the log until its input ends.
        "holds" => {
            let engine = engine(AuditOptions::file(path));
            dispatch(&engine, "ls");
            assert!(engine.flush_audit(LONG));
            say("holds");
            std::io::stdin().read_line(&mut String::new()).unwrap();
            dispatch(&engine, "ls");
            assert!(engine.audit().close(LONG));
            say("done");
        }
        // Runs into the largest size that a file may have.
        "full" => {
            limit_files(20_000);
            let engine = engine(AuditOptions::file(path).required().queue(64).wait(Duration::from_millis(50)));
            let mut blocked = 0;
            for number in 0..400 {
                blocked += usize::from(dispatch(&engine, &format!("echo {number}")).blocked());
                std::thread::sleep(Duration::from_micros(500));
            }
            assert!(blocked > 0, "what cannot be recorded is blocked");
            assert!(engine.audit().trouble().unwrap().contains("audit"), "{:?}", engine.audit().trouble());
            assert!(!engine.flush_audit(Duration::from_millis(100)));
            limit_files(libc::RLIM_INFINITY);
            assert!(engine.flush_audit(LONG));
            assert_eq!(engine.audit().trouble(), None);
            assert!(!dispatch(&engine, "ls").blocked());
            assert!(engine.audit().close(LONG));
            say("ended well");
        }
        // Ends while its file cannot grow.
        "ends full" => {
            limit_files(40_000);
            let engine = engine(AuditOptions::file(path));
            (0..2000).for_each(|number| drop(dispatch(&engine, &format!("echo {number}"))));
            assert!(!engine.audit().close(LONG), "what was told is not written");
            let anchor = engine.audit().anchor().unwrap();
            assert!(verify(Path::new(path), Some(&anchor)).unwrap().whole);
            say("ended well");
        }
        #[cfg(target_os = "linux")]
        "no sync never" => without_sync(path, Fsync::Never),
        #[cfg(target_os = "linux")]
        "no sync grouped" => without_sync(path, Fsync::Grouped),
        #[cfg(target_os = "linux")]
        "no sync record" => without_sync(path, Fsync::Record),
        "full from the beginning" => full_from_the_beginning(path),
        "leaves" | "leaves required" => children_that_leave(path, role != "leaves"),
        "no log" | "no log required" => a_child_without_a_log(Path::new(path), role != "no log"),
        // Forks while it writes.
        "forks" => {
            let engine = engine(AuditOptions::file(path));
            dispatch(&engine, "parent");
            assert!(engine.flush_audit(LONG), "the child knows where the parent's log stands");
            // SAFETY: the child uses what is made to be used in one, and leaves without cleaning up.
            let child = unsafe { libc::fork() };
            if child == 0 {
                dispatch(&engine, "child");
                let fine = engine.flush_audit(LONG) && engine.audit().close(LONG);
                // SAFETY: ends the process.
                unsafe { libc::_exit(i32::from(!fine)) };
            }
            let mut status = 0;
            // SAFETY: waits for the child above.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!(status, 0, "the child has written its log");
            dispatch(&engine, "parent");
            assert!(engine.audit().close(LONG));
            say("ended well");
        }
        // Verifies a log of 30 MB, of which a buffer and a line are held.
        #[cfg(target_os = "linux")]
        "verifies" => {
            let more = crate::audit::size::kib_to_verify(Path::new(path));
            assert!(more < 8 * 1024, "{more} KiB more");
            say("ended well");
        }
        _ => unreachable!("{role}"),
    }
}

#[test]
fn a_process_that_is_killed_in_the_middle_of_a_write_loses_nothing_before_it() {
    let log = Log::new();
    let mut before = 0;
    for round in 0..8 {
        let size = || std::fs::metadata(&log.path).map_or(0, |found| found.len());
        let began = size();
        let mut child = start("busy", &log.path);
        wait_for(&mut child, "busy");
        // However slow the machine is: it is killed while it writes, and has written something.
        assert!(until(|| size() != began), "round {round}");
        std::thread::sleep(Duration::from_millis(40 + round * 13));
        child.kill().unwrap();
        child.wait().unwrap();
        let report = verify(&log.path, None).unwrap();
        assert!(report.whole, "round {round}: {:?}", report.problems);
        assert!(report.records > before, "round {round}");
        before = report.records;
    }
    let engine = engine(log.config());
    assert!(engine.audit().close(LONG));
    let report = log.verify();
    assert!(report.whole && report.torn.iter().all(|torn| torn.confirmed), "{report:?}");
}

#[test]
fn a_torn_line_is_closed_confirmed_and_everything_before_it_stays() {
    let whole = Log::written(3).text();
    let last = whole.trim_end().rfind('\n').unwrap() + 1;
    // Wherever in the last line the writer was killed, and twice over.
    for cut in [last + 1, last + 8, last + 40, whole.len() - 100, whole.len() - 2] {
        let log = Log::new();
        std::fs::write(&log.path, &whole[..cut]).unwrap();
        assert!(!log.verify().torn[0].confirmed);
        for again in [false, true] {
            if again {
                let mut file = std::fs::File::options().append(true).open(&log.path).unwrap();
                file.write_all(b"{\"seq\":9,\"time\":\"2026").unwrap();
            }
            let engine = engine(log.config());
            assert!(engine.audit().close(LONG));
            assert!(log.text().starts_with(&whole[..cut]), "nothing is taken away");
            let report = log.verify();
            assert!(report.whole, "{report:?}");
            assert_eq!(report.torn.len(), if again { 2 } else { 1 });
            assert!(report.torn.iter().all(|torn| torn.confirmed));
        }
        // What the record saw is that very line: neither another one of its length nor one beside it is excused.
        let text = log.text();
        let (torn, rest) = text[last..].split_once('\n').unwrap();
        for forged in [format!("{}\n{rest}", "x".repeat(torn.len())), format!("{torn}\n{{}}\n{rest}")] {
            std::fs::write(&log.path, format!("{}{forged}", &text[..last])).unwrap();
            assert!(!log.verify().whole, "{forged}");
        }
    }
    // Only the line feed is missing: nothing is torn.
    let log = Log::new();
    std::fs::write(&log.path, whole.trim_end()).unwrap();
    drop(engine(log.config()));
    assert!(log.verify().whole && log.verify().torn.is_empty());
}

#[test]
fn a_first_line_that_was_never_finished_is_no_obstacle() {
    for begun in ["{", "{\"seq\":1,\"ti"] {
        let log = Log::new();
        std::fs::write(&log.path, begun).unwrap();
        drop(engine(log.config()));
        let report = log.verify();
        assert!(report.whole && report.torn.len() == 1, "{report:?}");
    }
}

#[test]
fn a_second_process_has_a_log_of_its_own_and_the_third_goes_on_with_the_first() {
    let log = Log::new();
    let mut first = start("holds", &log.path);
    wait_for(&mut first, "holds");
    let second = engine(log.config());
    dispatch(&second, "ls");
    let own = second.audit().file().unwrap();
    assert!(own.file_name().unwrap().to_str().unwrap().starts_with(&format!("audit.pid-{}-", std::process::id())));
    assert!(second.audit().close(LONG));
    first.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    wait_for(&mut first, "done");
    first.wait().unwrap();
    let opened = &records(&own)[0];
    assert_eq!(opened.details["beside"].as_str(), Some(log.path.to_str().unwrap()));
    let report = log.verify();
    assert!(report.whole && report.others.len() == 1, "{report:?}");
    // What is changed in the other's log is found from here too.
    let text = std::fs::read_to_string(&own).unwrap();
    std::fs::write(&own, text.replacen("quiet", "quit!", 1)).unwrap();
    assert!(!log.verify().whole);
    let third = engine(log.config());
    assert_eq!(third.audit().file(), Some(log.path.clone()));
}

#[test]
fn a_copy_of_a_log_is_no_log_of_another_process() {
    let log = Log::new();
    let (first, second) = (engine(log.config()), engine(log.config()));
    dispatch(&first, "ls");
    let own = second.audit().file().unwrap();
    assert!(first.audit().close(LONG) && second.audit().close(LONG));
    assert!(log.verify().whole);
    let elsewhere = Log::new();
    drop(engine(elsewhere.config()));
    let process = std::process::id();
    for (original, name, found) in [
        (&log.path, format!("audit.pid-{process}-1.jsonl"), "it begins with the first record of"),
        (&own, format!("audit.pid-{process}-1.jsonl"), "it begins with the first record of"),
        (&elsewhere.path, "audit.pid-1-1.jsonl".to_owned(), "its name says process 1, and process"),
    ] {
        let copy = log.folder().join(name);
        std::fs::copy(original, &copy).unwrap();
        let report = log.verify();
        let problem = report.others.iter().flat_map(|other| &other.problems).next().unwrap();
        assert!(!report.whole && problem.kind == AuditProblemKind::Misplaced, "{report:?}");
        assert!(problem.what.contains(found), "{problem:?}");
        std::fs::remove_file(copy).unwrap();
    }
    assert!(log.verify().whole);
}

#[test]
fn two_logs_of_one_process_do_not_mix() {
    let log = Log::new();
    let (first, second) = (engine(log.config()), engine(log.config()));
    dispatch(&first, "ls");
    dispatch(&second, "ls");
    assert_ne!(first.audit().file(), second.audit().file());
    assert!(first.audit().close(LONG) && second.audit().close(LONG));
    let report = log.verify();
    assert!(report.whole && report.others.len() == 1, "{report:?}");
    let report = verify(&log.path, report.last.as_ref()).unwrap();
    assert!(report.whole && report.anchored == Some(true) && report.others[0].anchored.is_none(), "{report:?}");
}

#[test]
fn a_full_disk_blocks_what_is_required_and_is_got_over() {
    let log = Log::new();
    ends_well("full", &log.path);
    let report = log.verify();
    assert!(report.whole && report.lost > 0 && report.torn.is_empty(), "{report:?}");
}

#[test]
fn who_ends_while_the_disk_is_full_is_told_that_not_all_is_written() {
    let log = Log::new();
    ends_well("ends full", &log.path);
    drop(engine(log.config()));
    let report = log.verify();
    assert!(report.whole && report.torn.iter().all(|torn| torn.confirmed), "{report:?}");
}

#[test]
fn a_forked_child_has_a_log_of_its_own() {
    let log = Log::new();
    ends_well("forks", &log.path);
    let report = log.verify();
    assert!(report.whole && report.others.len() == 1, "{report:?}");
    let of_child = records(&report.others[0].files[0]);
    assert!(of_child[0].details["parent"].is_number() && of_child[0].details["parent_last"].is_string());
    assert_eq!(of_child.iter().filter(|record| record.kind == Kind::HookFinished).count(), 1);
    assert_eq!(log.kinds().iter().filter(|kind| **kind == Kind::HookFinished).count(), 2);
}
