//! What a command costs beside the bare start of a process, also from a large parent. A measurement: run it by name with
//! `--ignored --nocapture`.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{exec, usual};
use hookweave_exec::cancel::Cancel;
use hookweave_exec::command::{CommandRun, run};

const ROUNDS: usize = 1500;

/// `posix_spawn` and `waitpid`, and nothing else.
fn bare() -> Duration {
    let began = Instant::now();
    let mut command = Command::new("/bin/true");
    assert!(command.status().unwrap().success());
    began.elapsed()
}

fn engine(stdin: &[u8]) -> Duration {
    let spec = exec("/bin/true", &[]);
    let given = CommandRun { stdin: stdin.to_vec(), directories: vec!["/tmp".into()], ..usual(&spec) };
    let began = Instant::now();
    assert_eq!(run(&given, &Cancel::new()).unwrap().code, Some(0));
    began.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Both, in turns, so that the machine's load is the same for both.
fn measured() -> (Duration, Duration) {
    let stdin = vec![b'x'; 600];
    let (mut floor, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        floor.push(bare());
        ours.push(engine(&stdin));
    }
    (median(floor), median(ours))
}

#[test]
#[ignore = "a measurement, not a test"]
#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
fn command_against_posix_spawn_from_a_small_and_a_large_parent() {
    let ratio = |one: Duration, other: Duration| one.as_nanos() as f64 / other.as_nanos() as f64;
    let (floor, small) = measured();
    println!("small parent: posix_spawn {floor:?}, command {small:?}, ratio {:.2} (bar 1.35)", ratio(small, floor));
    let mut memory = vec![0_u8; 2 * 1024 * 1024 * 1024];
    memory.iter_mut().step_by(4096).for_each(|page| *page = 1);
    let (floor, large) = measured();
    println!("2 GiB parent: posix_spawn {floor:?}, command {large:?}, ratio {:.2}", ratio(large, floor));
    println!("2 GiB parent / small parent: {:.2} (bar 1.3)", ratio(large, small));
    assert_eq!(memory[0], 1);
}
