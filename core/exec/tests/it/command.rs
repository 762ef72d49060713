//! What a command gets, and what is read of it.

use std::fs;
use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::support::{Place, ended, exec, failed, of, shell, text, until, usual, variable};
use hookweave_exec::cancel::Cancel;
use hookweave_exec::command::{CommandError, CommandLine, CommandRun, CommandSpec, Shell, Stream, run};

#[test]
fn stdin_stdout_stderr_and_the_exit_code_come_through() {
    let spec = shell("cat; echo wrong >&2; exit 3");
    let exited = run(&CommandRun { stdin: b"{\"a\": 1}".to_vec(), ..usual(&spec) }, &Cancel::new()).unwrap();
    assert_eq!((exited.code, exited.signal), (Some(3), None));
    assert_eq!((text(&exited.stdout), text(&exited.stderr)), ("{\"a\": 1}", "wrong\n"));
}

#[test]
fn a_megabyte_goes_in_and_out_without_a_deadlock() {
    let stdin: Vec<u8> = (0..1024 * 1024).map(|at: usize| u8::try_from(at % 251).unwrap()).collect();
    for size in [0, 1, 65_535, 65_536, 65_537, stdin.len()] {
        let spec = shell("cat");
        let given = stdin[..size].to_vec();
        let exited = run(&CommandRun { stdin: given.clone(), ..usual(&spec) }, &Cancel::new()).unwrap();
        assert!(exited.stdout == given, "{size} bytes");
    }
}

#[test]
fn more_than_any_pipe_holds_goes_in_and_out() {
    let spec = shell("cat");
    let stdin = vec![b'x'; 5 * 1024 * 1024];
    let given = CommandRun { stdin: stdin.clone(), output_cap: stdin.len(), ..usual(&spec) };
    assert!(run(&given, &Cancel::new()).unwrap().stdout == stdin);
}

#[test]
fn a_command_that_never_reads_or_stops_reading_is_no_failure() {
    for line in ["exit 0", "exec <&-; exit 0", "head -c 10 >/dev/null; exit 0", "exec <&-; sleep 0.2; exit 0"] {
        for size in [1024 * 1024, 8 * 1024 * 1024] {
            let spec = shell(line);
            let exited = run(&CommandRun { stdin: vec![b'x'; size], ..usual(&spec) }, &Cancel::new()).unwrap();
            assert_eq!(exited.code, Some(0), "{line}, {size} bytes");
        }
    }
}

#[test]
fn stdin_ends_and_can_be_opened_by_its_name() {
    let spec = shell("cat /dev/stdin; cat");
    let given = CommandRun { stdin: b"x".to_vec(), ..usual(&spec) };
    assert_eq!(run(&given, &Cancel::new()).unwrap().stdout, b"x");
}

#[test]
fn a_command_that_prints_nothing_and_closes_everything_is_waited_for() {
    let spec = shell("exec >&- 2>&- <&-; sleep 0.3; exit 4");
    let began = Instant::now();
    assert_eq!(ended(&spec).code, Some(4));
    assert!(began.elapsed() >= Duration::from_millis(300));
}

#[test]
fn output_at_the_cap_is_read_and_one_byte_more_is_a_failure() {
    for (stream, redirect) in [(Stream::Stdout, ""), (Stream::Stderr, " >&2")] {
        let at = shell(format!("head -c 5000 /dev/zero{redirect}"));
        let exited = run(&CommandRun { output_cap: 5000, ..usual(&at) }, &Cancel::new()).unwrap();
        assert_eq!(exited.stdout.len() + exited.stderr.len(), 5000);
        let over = shell(format!("head -c 5001 /dev/zero{redirect}"));
        let error = run(&CommandRun { output_cap: 5000, ..usual(&over) }, &Cancel::new()).unwrap_err();
        let expected = CommandError::OutputOverCap { command: over.line.display(), stream, cap: 5000 };
        assert_eq!(error, expected);
        assert!(error.to_string().contains("5000 bytes"), "{error}");
    }
}

#[test]
fn endless_output_is_stopped() {
    let error = failed(&shell("yes"));
    assert!(matches!(error, CommandError::OutputOverCap { .. }), "{error}");
}

#[test]
fn the_environment_is_exactly_what_was_given() {
    let spec = exec("/usr/bin/env", &[]);
    let given = CommandRun { env: vec![variable("A", "1"), variable("B", "x y=z\nq")], ..CommandRun::new(&spec) };
    assert_eq!(text(&run(&given, &Cancel::new()).unwrap().stdout), "A=1\nB=x y=z\nq\n");
    assert_eq!(run(&CommandRun::new(&spec), &Cancel::new()).unwrap().stdout, b"");
}

#[test]
fn values_from_a_payload_do_not_keep_a_command_from_starting() {
    let spec = exec("/usr/bin/printenv", &["A"]);
    let given = CommandRun { env: vec![variable("A", "x\0y"), variable("B", &"b".repeat(200_000))], ..usual(&spec) };
    assert_eq!(text(&run(&given, &Cancel::new()).unwrap().stdout), "xy\n");
}

#[test]
fn arguments_reach_the_program_as_they_are() {
    let spec = exec("printf", &["%s|", "a b", "$HOME", "`id`", "*", "", "\"q'"]);
    assert_eq!(text(&ended(&spec).stdout), "a b|$HOME|`id`|*||\"q'|");
}

#[test]
fn the_shells_are_the_ones_that_were_asked_for() {
    let bash = |text: &str| of(CommandLine::Shell { text: text.to_owned(), shell: Shell::Bash });
    assert_eq!(text(&ended(&bash("[[ a == a ]] && echo ${BASH_VERSION:+bash}")).stdout), "bash\n");
    assert_eq!(text(&ended(&shell("echo $0")).stdout), "sh\n");
    let login =
        of(CommandLine::Shell { text: "echo $0; shopt -q login_shell && echo login".to_owned(), shell: Shell::Login });
    let with_shell =
        CommandRun { env: vec![variable("SHELL", "/bin/bash"), variable("PATH", "/bin")], ..usual(&login) };
    let exited = run(&with_shell, &Cancel::new()).unwrap();
    assert_eq!(text(&exited.stdout), "bash\nlogin\n");
    assert!(text(&ended(&login).stdout).starts_with("sh\n"), "without SHELL");
}

#[test]
fn bash_is_found_by_path_and_never_in_the_working_directory() {
    let place = Place::new();
    place.script("bash", "#!/bin/sh\necho planted\n");
    let spec = of(CommandLine::Shell { text: "echo real".to_owned(), shell: Shell::Bash });
    let directories = vec![place.path().to_owned()];
    let poisoned = CommandRun {
        env: vec![variable("PATH", ".::/bin:/usr/bin")],
        directories: directories.clone(),
        ..usual(&spec)
    };
    assert_eq!(text(&run(&poisoned, &Cancel::new()).unwrap().stdout), "real\n");
    let chosen = variable("PATH", place.path().to_str().unwrap());
    let own = CommandRun { env: vec![chosen], directories, ..usual(&spec) };
    assert_eq!(text(&run(&own, &Cancel::new()).unwrap().stdout), "planted\n");
}

#[test]
fn a_program_that_cannot_start_says_why() {
    let place = Place::new();
    let plain = place.file("plain");
    fs::write(&plain, "x").unwrap();
    let broken = place.script("broken", "#!/nowhere/interpreter -x\n");
    let windows = place.script("windows", "#!/bin/sh\r\necho\r\n");
    let binary = place.script("binary", "\u{7f}ELF\0\0\0");
    let cases = [
        (exec("/nowhere/at all", &["x"]), "no program `/nowhere/at all`", "No such file"),
        (exec("no-such-program", &[]), "no program `no-such-program` in PATH", "no such file"),
        (exec(plain.to_str().unwrap(), &[]), "is not executable", "Permission denied"),
        (exec(place.path().to_str().unwrap(), &[]), "is a directory", "Permission denied"),
        (exec(&broken, &[]), "names `/nowhere/interpreter` in its first line", "No such file"),
        (exec(&windows, &[]), "names `/bin/sh\\r` in its first line", "No such file"),
        (exec(&binary, &[]), "no program of this system", "Exec format error"),
        (exec("/bin/echo", &["a\0b"]), "NUL", "NUL"),
    ];
    for (spec, why, words) in cases {
        let error = failed(&spec);
        assert!(matches!(error, CommandError::NotStarted { .. }), "{error:?}");
        let message = error.to_string();
        assert!(message.contains(why) && message.contains(words), "{message}");
        assert!(message.starts_with(&format!("`{}` could not be started: ", spec.line.display())), "{message}");
    }
}

#[test]
fn a_script_without_a_first_line_for_it_is_read_by_the_shell() {
    let place = Place::new();
    let script = place.script("bare", "echo \"$0|$1\"\n");
    assert_eq!(text(&ended(&exec(&script, &["a b"])).stdout), format!("{script}|a b\n"));
}

#[test]
fn a_script_that_is_still_being_written_starts_a_little_later() {
    let place = Place::new();
    let script = place.script("late", "#!/bin/sh\necho late\n");
    // On a busy machine the writer may close it later than a command waits for that.
    let starts = || {
        let mut writing = fs::OpenOptions::new().append(true).open(&script).unwrap();
        writing.write_all(b"\n").unwrap();
        let closer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(15));
            drop(writing);
        });
        let outcome = run(&usual(&exec(&script, &[])), &Cancel::new());
        closer.join().unwrap();
        outcome.is_ok_and(|exited| exited.stdout == b"late\n")
    };
    assert!(until(starts));
}

#[test]
fn codes_of_shells_and_deaths_by_signal_are_told_apart() {
    assert_eq!(ended(&shell("no-such-program")).code, Some(127));
    assert_eq!(ended(&shell("/etc/passwd")).code, Some(126));
    assert_eq!(ended(&shell("if")).code, Some(2));
    let killed = ended(&shell("kill -TERM $$"));
    assert_eq!((killed.code, killed.signal), (None, Some(15)));
    let crashed = ended(&shell("kill -SEGV $$"));
    assert_eq!((crashed.code, crashed.signal), (None, Some(11)));
}

#[test]
fn the_first_directory_that_exists_is_taken() {
    let (gone, kept) = (Place::new(), Place::new());
    let first = gone.path().to_owned();
    let spec = shell("pwd -P");
    let both = vec![first.clone(), kept.path().to_owned()];
    let at = |directories| run(&CommandRun { directories, ..usual(&spec) }, &Cancel::new()).unwrap().stdout;
    assert_eq!(text(&at(both.clone())), format!("{}\n", first.display()));
    drop(gone);
    assert_eq!(text(&at(both)), format!("{}\n", kept.path().display()));
    // Elsewhere it would judge something else.
    let directories = vec![first.clone(), "relative".into()];
    let error = run(&CommandRun { directories, ..usual(&spec) }, &Cancel::new()).unwrap_err();
    let gone = format!("the event's directory `{}` is gone", first.display());
    assert!(matches!(error, CommandError::NoDirectory { .. }) && error.to_string().contains(&gone), "{error}");
    // The event names its directory: what a screen would obey in the name is written out.
    let directories = vec![first.join("a\u{202e}b\u{1b}[2Kc")];
    let error = run(&CommandRun { directories, ..usual(&spec) }, &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains(r"a\u{202e}b\u{1b}[2Kc` is gone"), "{error}");
}

#[test]
fn a_directory_of_the_hooks_own_is_below_the_events_and_must_exist() {
    let place = Place::new();
    fs::create_dir(place.file("sub")).unwrap();
    let spec = CommandSpec { directory: Some("sub".into()), ..shell("pwd -P") };
    let given = CommandRun { directories: vec![place.path().to_owned()], ..usual(&spec) };
    assert_eq!(text(&run(&given, &Cancel::new()).unwrap().stdout), format!("{}\n", place.file("sub").display()));
    let missing = CommandSpec { directory: Some("missing".into()), ..shell("pwd") };
    let given = CommandRun { directories: vec![place.path().to_owned()], ..usual(&missing) };
    let message = run(&given, &Cancel::new()).unwrap_err().to_string();
    assert!(message.contains("missing` cannot be entered") && message.contains("No such file"), "{message}");
}

#[test]
fn signals_are_as_at_a_login() {
    // Rust programs ignore SIGPIPE as Python does; a child that did too would not end when its reader does.
    let spec = shell("grep -E '^Sig(Blk|Ign)' /proc/self/status");
    let without = |line: &str| line.split_whitespace().nth(1).unwrap().to_owned();
    let exited = ended(&spec);
    let masks: Vec<String> = text(&exited.stdout).lines().map(without).collect();
    // The C library keeps two numbers for itself, which no program can set.
    let ignored = u64::from_str_radix(&masks[1], 16).unwrap() & !(0b11 << 31);
    assert_eq!((masks[0].as_str(), ignored), ("0000000000000000", 0));
    assert_eq!(ended(&shell("yes | head -n 1; exit 5")).code, Some(5));
    let own = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = own.lines().find(|line| line.starts_with("SigIgn")).map(without).unwrap();
    assert_ne!(ignored, "0000000000000000", "this process ignores a signal, or the test would say nothing");
}

#[test]
fn a_command_has_no_terminal_and_a_session_of_its_own() {
    let spec = shell("(: </dev/tty) 2>/dev/null && echo terminal; cut -d' ' -f1,5,6,7 /proc/$$/stat");
    let exited = ended(&spec);
    let numbers: Vec<&str> = text(&exited.stdout).split_whitespace().collect();
    let [process, group, session, terminal] = numbers[..] else { panic!("{exited:?}") };
    assert_eq!((process, process), (group, session));
    assert_eq!(terminal, "0");
}

#[test]
fn no_descriptor_of_the_host_is_inherited() {
    let leaky = fs::File::open("/etc/passwd").unwrap();
    // Without its mark: what libraries leave behind.
    rustix::io::fcntl_setfd(&leaky, rustix::io::FdFlags::empty()).unwrap();
    let exited = ended(&exec("ls", &["/proc/self/fd"]));
    drop(leaky);
    // The fourth is the directory that is being listed.
    assert_eq!(text(&exited.stdout), "0\n1\n2\n3\n");
}

#[test]
fn messages_show_one_short_line_of_the_command() {
    let spec = shell(format!("  \u{1b}[31mred\nsecond {}", "x".repeat(500)));
    let shown = spec.line.display();
    assert!(shown.starts_with("\\u{1b}[31mred\\nsecond x") && shown.ends_with("x…"), "{shown}");
    assert!(shown.len() < 200);
}
