//! Running a command on systems with sessions.

mod leader;
mod pipes;
mod room;
mod session;
mod why;

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use smallvec::SmallVec;

use self::leader::{Ended, Leader};
use self::pipes::{Input, Output};
use self::room::{Room, Started};
use super::program::{self, Program};
use super::{CommandError, CommandOutput, CommandRun, OUTPUT_ENDS, Stream, directory, environment};
use crate::cancel::{Cancel, Watch};
use hookweave_clock::now;

/// How often a program is tried again that another thread was still writing.
const BUSY_TRIES: u32 = 6;

/// How often a system without a descriptor for it is asked whether the command has exited.
const ASK_AGAIN: Duration = Duration::from_millis(5);

/// One thing that the run waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Cancel,
    Exit,
    Stdin,
    Out(Stream),
}

pub(super) fn run(run: &CommandRun<'_>, cancel: &Cancel) -> Result<CommandOutput, CommandError> {
    if cancel.is_cancelled() {
        return Err(CommandError::cancelled(run));
    }
    let not_started = |reason: String| CommandError::not_started(&run.spec.line, reason);
    let directory = directory::choose(run)?;
    let environment = environment::startable(&run.env);
    let program = program::resolve(run).map_err(not_started)?;
    let mut room = Room::new(run.timeout);
    loop {
        match begin(run, cancel, &program, directory.as_deref(), &environment) {
            Ok(running) => return running.follow(),
            Err(error) if room::is_exhausted(&error) => {
                if !room.wait(&error, cancel) {
                    return Err(CommandError::no_room(run, error.to_string(), room.waited()));
                }
            }
            Err(error) => return Err(not_started(why::explain(&error, &program, directory.as_deref()))),
        }
        if cancel.is_cancelled() {
            return Err(CommandError::cancelled(run));
        }
    }
}

/// Starts the program with all that it needs; what was opened is closed again when it does not start.
fn begin<'a>(
    run: &'a CommandRun<'a>,
    cancel: &Cancel,
    program: &Program,
    directory: Option<&Path>,
    environment: &[(OsString, OsString)],
) -> io::Result<RunningCommand<'a>> {
    let (woken, wake) = pipes::wake()?;
    // A byte and not a closed end: a process that the host forks meanwhile keeps the end open.
    let watch = cancel.watch(move || wake.ring());
    let (child_stdin, input) = Input::new(&run.stdin)?;
    let (stdout, child_stdout) = Output::new(Stream::Stdout)?;
    let (stderr, child_stderr) = Output::new(Stream::Stderr)?;
    let (report, child_report) = if leader::is_forgotten() { pipes::report()? } else { (None, None) };
    let start = |program: &Program| {
        let report;
        let program = if child_report.is_some() {
            report = program.reported(run.leave_children);
            &report
        } else {
            program
        };
        hookweave_spawn::start(&hookweave_spawn::Start {
            program: &program.file,
            arguments: &program.arguments,
            environment,
            directory,
            stdin: child_stdin.as_fd(),
            stdout: child_stdout.as_fd(),
            stderr: child_stderr.as_fd(),
            report: child_report.as_ref().map(AsFd::as_fd),
        })
    };
    let started = start_patiently(|| start(program)).or_else(|error| {
        if why::is_script(&error, program, directory) { start(&program.as_script()) } else { Err(error) }
    });
    let leader = Leader::new(started?, report, run.leave_children)?;
    let deadline = run.timeout.and_then(|limit| now().checked_add(limit));
    let started = Started::new();
    Ok(RunningCommand {
        run,
        leader,
        woken,
        _watch: watch,
        _started: started,
        input,
        stdout,
        stderr,
        deadline,
        ended: None,
        output_ends: None,
    })
}

/// A program file that is still open for writing anywhere, also in a child of another thread that is about to start its own
/// program, cannot be started for that moment.
fn start_patiently(start: impl Fn() -> io::Result<i32>) -> io::Result<i32> {
    let mut tries = 0;
    loop {
        match start() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES => {
                std::thread::sleep(Duration::from_millis(1 << tries));
                tries += 1;
            }
            outcome => return outcome,
        }
    }
}

/// A command that was started.
struct RunningCommand<'a> {
    run: &'a CommandRun<'a>,
    leader: Leader,
    /// Readable when the run is cancelled.
    woken: Arc<OwnedFd>,
    _watch: Watch,
    _started: Started,
    input: Input<'a>,
    stdout: Output,
    stderr: Output,
    deadline: Option<Instant>,
    ended: Option<Ended>,
    /// When reading ends, after the command has exited.
    output_ends: Option<Instant>,
}

impl RunningCommand<'_> {
    /// Waits, writes and reads; an error on the way drops the leader, which kills all that is left.
    fn follow(mut self) -> Result<CommandOutput, CommandError> {
        loop {
            if self.ended.is_some() && !self.stdout.is_open() && !self.stderr.is_open() {
                break;
            }
            let time = now();
            if self.output_ends.is_some_and(|ends| time >= ends) {
                break;
            }
            if self.ended.is_none() && self.deadline.is_some_and(|deadline| time >= deadline) {
                return Err(CommandError::timed_out(self.run));
            }
            for part in self.wait(time)? {
                self.attend(part)?;
            }
            if self.ended.is_none() && !self.leader.reports_exit() {
                self.attend(Part::Exit)?;
            }
        }
        let ended = self.leader.finish().or(self.ended);
        if let Some(Ended { code, signal, known: true, .. }) = ended {
            return Ok(CommandOutput {
                code,
                signal,
                stdout: self.stdout.into_bytes(),
                stderr: self.stderr.into_bytes(),
            });
        }
        leader::forgotten();
        Err(CommandError::lost(self.run, "another part of the program has waited for it"))
    }

    /// Blocks until something is to be done, or the time for it is up.
    fn wait(&self, time: Instant) -> Result<SmallVec<[Part; 5]>, CommandError> {
        let mut parts = SmallVec::<[Part; 5]>::new();
        let mut polled = SmallVec::<[PollFd<'_>; 5]>::new();
        let mut watch = |part, descriptor, flags| {
            parts.push(part);
            polled.push(PollFd::from_borrowed_fd(descriptor, flags));
        };
        watch(Part::Cancel, self.woken.as_fd(), PollFlags::IN);
        if self.ended.is_none() {
            if let Some(exit) = self.leader.exit() {
                watch(Part::Exit, exit, PollFlags::IN);
            }
            if let Some(stdin) = self.input.open() {
                watch(Part::Stdin, stdin, PollFlags::OUT);
            }
        }
        for output in [&self.stdout, &self.stderr] {
            if let Some(open) = output.open() {
                watch(Part::Out(output.stream()), open, PollFlags::IN);
            }
        }
        let mut until = if self.ended.is_some() { self.output_ends } else { self.deadline };
        if self.ended.is_none() && !self.leader.reports_exit() {
            let again = time + ASK_AGAIN;
            until = Some(until.map_or(again, |until| until.min(again)));
        }
        let left = until.map(|until| until.saturating_duration_since(time));
        let timeout = left.map(|left| Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        });
        match poll(&mut polled, timeout.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(SmallVec::new()),
            Err(error) => return Err(CommandError::lost(self.run, io::Error::from(error).to_string())),
        }
        Ok(polled.iter().zip(parts).filter(|(fd, _)| !fd.revents().is_empty()).map(|(_, part)| part).collect())
    }

    fn attend(&mut self, part: Part) -> Result<(), CommandError> {
        match part {
            Part::Cancel => return Err(CommandError::cancelled(self.run)),
            Part::Exit => {
                self.ended = self.leader.ended();
                if self.ended.is_some() {
                    self.input.close();
                    self.take_the_rest()?;
                    self.output_ends = now().checked_add(OUTPUT_ENDS);
                }
            }
            Part::Stdin => self.input.write(),
            Part::Out(stream) => {
                let output = if stream == Stream::Stdout { &mut self.stdout } else { &mut self.stderr };
                output.read();
                return self.check_cap();
            }
        }
        Ok(())
    }

    /// Reads what the command left in its pipes. All that it printed lies there when it has exited, so that however late
    /// this thread gets its turn afterwards, no answer is cut.
    fn take_the_rest(&mut self) -> Result<(), CommandError> {
        for output in [&mut self.stdout, &mut self.stderr] {
            output.read_all(self.run.output_cap);
        }
        self.check_cap()
    }

    fn check_cap(&self) -> Result<(), CommandError> {
        let over = [&self.stdout, &self.stderr].into_iter().find(|output| output.len() > self.run.output_cap);
        over.map_or(Ok(()), |output| Err(CommandError::over_cap(self.run, output.stream())))
    }
}
