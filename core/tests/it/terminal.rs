//! `TerminalApprover` at a terminal of its own: what is on the screen, what is typed, and that nothing is left behind.
#![allow(unsafe_code, reason = "forks and limits of the process are what is tested")]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::FromRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookweave::{Engine, Event, HookResponse, TerminalApprover};
use serde_json::json;

use crate::support::{LONG, until};

const INVITES: &str = "? for all; denied in";

/// What the program at the terminal does; it is this test program once more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the other tests start it at a terminal of its own"]
async fn program() {
    let seconds: f64 = std::env::var("ASKS_FOR").expect("started by another test").parse().unwrap();
    let engine = Engine::new();
    let ask = move |_: &Event| {
        let prompt = "really\u{1b}[2K\u{202e}?\n  1) Deny";
        HookResponse::ask(prompt).ask_with(json!({"timeout_ms": seconds * 1000.0}))
    };
    engine.on("PreToolUse").name("gu\u{1b}ard").run(ask).unwrap();
    let session = engine.session().approver(TerminalApprover).open().unwrap();
    let args =
        json!({"command": "\u{6f22}\u{5b57} e\u{301}\u{301} \u{202e}txt.exe \u{1f469}\u{200d}\u{1f4bb}".repeat(8)});
    let outcome = session.run_tool("Bash", args, |_| async { Ok("ran it") }).await.unwrap();
    // The thread of the question puts the screen in order meanwhile.
    tokio::time::sleep(Duration::from_millis(500)).await;
    println!("outcome ran={} by={:?} reason={:?}", outcome.ran, outcome.by, outcome.reason);
    // A question whose time is over is not waited for: where it must still be seen the other test ends this program.
    if seconds < 10.0 {
        tokio::time::sleep(LONG).await;
    }
}

/// A program at a terminal, and who sits before it.
struct Person {
    program: Child,
    keyboard: File,
    screen: Arc<Mutex<String>>,
}

impl Person {
    fn at(columns: u16, seconds: f64) -> Self {
        Self::before(columns, 200, seconds)
    }

    fn before(columns: u16, rows: u16, seconds: f64) -> Self {
        let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let (mut near, mut far) = (0, 0);
        // SAFETY: both numbers are written to before they are used, and the other pointers may be null.
        let made = unsafe {
            libc::openpty(&raw mut near, &raw mut far, std::ptr::null_mut(), std::ptr::null(), &raw const size)
        };
        assert_eq!(made, 0, "a terminal");
        // SAFETY: these descriptors were just made and have no other owner.
        let (near, far) = unsafe { (File::from_raw_fd(near), File::from_raw_fd(far)) };
        let side = || Stdio::from(far.try_clone().unwrap());
        let mut command = itself(seconds);
        command.stdin(side()).stdout(side()).stderr(side()).env("TERM", "xterm");
        // SAFETY: both calls may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                let owned = libc::setsid() != -1 && libc::ioctl(0, libc::TIOCSCTTY, 0) == 0;
                if owned { Ok(()) } else { Err(std::io::Error::last_os_error()) }
            });
        }
        let program = command.spawn().unwrap();
        drop((command, far));
        let (screen, mut reading) = (Arc::new(Mutex::new(String::new())), near.try_clone().unwrap());
        let shown = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut rest = Vec::new();
            let mut part = [0; 4096];
            while let Ok(length @ 1..) = reading.read(&mut part) {
                rest.extend_from_slice(&part[..length]);
                let whole = rest.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
                shown.lock().unwrap().push_str(std::str::from_utf8(&rest[..whole]).unwrap());
                rest.drain(..whole);
            }
        });
        Self { program, keyboard: near, screen }
    }

    fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    /// Waits until a text is on the screen; gives all of it.
    fn until(&self, text: &str) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if screen.contains(text) {
                return screen;
            }
            assert!(began.elapsed() < LONG, "`{text}` did not come: {screen}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// What is left on the screen when the program has ended.
    fn leaves(mut self) -> String {
        let screen = self.until("outcome ran=");
        assert!(self.program.wait().unwrap().success(), "{screen}");
        self.until("outcome ran=")
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // It has ended already where the test went well.
        _ = self.program.kill();
        _ = self.program.wait();
    }
}

fn itself(seconds: f64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "terminal::program", "--ignored", "--nocapture"]).env("ASKS_FOR", seconds.to_string());
    command
}

#[test]
fn a_person_allows_by_a_number_and_sees_what_the_terminal_would_obey() {
    let mut person = Person::at(80, 600.0);
    let question = person.until(INVITES);
    person.types("7\r");
    person.until("There is no such number: they go from 1 to 3.");
    person.types("x2\u{7f}\u{7f}1\r");
    let screen = person.leaves();
    assert!(screen.contains("outcome ran=true by=None"), "{screen}");
    for text in [
        "    hook | gu\\u{1b}ard\r\n",
        "question | really\\u{1b}[2K\\u{202e}?\r\n",
        "         |   1) Deny\r\n",
        " 1 allow | Allow once\r\n",
    ] {
        assert!(question.contains(text), "{text:?}: {question}");
    }
    assert!(!question.contains(['\u{1b}', '\u{202e}', '\u{200d}']), "{question:?}");
}

#[test]
fn a_person_denies_by_a_word_and_by_the_end_of_the_input() {
    for (keys, reason) in [("deny\r", "user denied"), ("\u{4}", "the approval failed")] {
        let mut person = Person::at(80, 600.0);
        person.until(INVITES);
        person.types(keys);
        let screen = person.leaves();
        assert!(screen.contains("outcome ran=false"), "{keys:?}: {screen}");
        assert!(screen.contains(reason), "{keys:?}: {screen}");
    }
}

#[test]
fn a_question_ends_with_its_time() {
    let person = Person::at(80, 1.5);
    person.until("This question is over.");
    person.until("outcome ran=false by=Some(\"timeout\")");
}

#[test]
fn no_row_is_wider_than_the_terminal_and_the_bar_stands_in_each() {
    for columns in [20, 40, 80, 200] {
        let mut person = Person::at(columns, 600.0);
        let screen = person.until(INVITES);
        person.types("3\r");
        person.leaves();
        let (_, question) = screen.split_once("hookweave asks for your decision\r\n").unwrap();
        let (question, _) = question.rsplit_once("\r\n").unwrap();
        for row in question.split("\r\n") {
            let wide: usize = row.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
            assert!(wide <= usize::from(columns), "{columns} columns, {wide} taken: {row}");
            assert!(row.is_ascii() || row.chars().nth(9).is_some_and(|bar| "|:".contains(bar)), "{row}");
        }
    }
}

#[test]
fn a_question_stands_on_the_screen_that_there_is() {
    let mut person = Person::before(60, 16, 600.0);
    let question = person.until(INVITES);
    let rows = question.split_once("hookweave asks").map_or(0, |(_, question)| question.lines().count());
    assert!((2..16).contains(&rows), "{question}");
    assert!(question.contains("    hook | gu") && question.contains("question | really"), "{question}");
    assert!(question.contains("Not all of it is shown."), "{question}");
    person.types("1\r");
    person.until("Not all of it has been shown.");
    person.types("?\r");
    person.until("All of it stands above.");
    person.types("1\r");
    assert!(person.leaves().contains("outcome ran=true"));
}

#[test]
fn a_countdown_that_does_not_fit_stands_still() {
    let mut person = Person::at(40, 600.0);
    person.until(INVITES);
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(person.screen().matches("and Enter").count(), 1, "{}", person.screen());
    person.types("3\r");
    person.leaves();
    // Where it fits it goes on, whichever seconds are shown.
    let wide = Person::at(80, 600.0);
    assert!(until(|| {
        let screen = wide.screen();
        let shown: BTreeSet<_> = screen.split("denied in ").skip(1).map(|rest| rest.split(':').next()).collect();
        shown.len() > 1
    }));
}

#[test]
fn without_a_terminal_everything_is_denied() {
    let mut command = itself(600.0);
    command.stdin(Stdio::null());
    // SAFETY: the call may be made between fork and exec.
    unsafe {
        command.pre_exec(|| if libc::setsid() == -1 { Err(std::io::Error::last_os_error()) } else { Ok(()) });
    }
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("outcome ran=false") && printed.contains("there is no terminal to ask at"), "{printed}");
}
