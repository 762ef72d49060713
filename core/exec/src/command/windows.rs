//! Running a command on Windows, where a job object holds all that it starts.

use std::io::{self, Read, Write};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};

use super::{CommandError, CommandOutput, CommandRun, OUTPUT_ENDS, Stream, directory, environment, program};
use crate::cancel::Cancel;
use hookweave_clock::now;

/// How often it is asked whether the command has exited.
const ASK_AGAIN: Duration = Duration::from_millis(5);

/// What the threads beside the run report to it.
enum News {
    Read(Stream, Vec<u8>),
    End,
    Cancelled,
}

pub(super) fn run(run: &CommandRun<'_>, cancel: &Cancel) -> Result<CommandOutput, CommandError> {
    if cancel.is_cancelled() {
        return Err(CommandError::cancelled(run));
    }
    let not_started = |reason: String| CommandError::not_started(&run.spec.line, reason);
    let directory = directory::choose(run)?;
    let program = program::resolve(run).map_err(not_started)?;
    let mut command = CommandWrap::with_new(&program.file, |command| {
        command
            .args(program.arguments.iter().skip(1))
            .env_clear()
            .envs(environment::startable(&run.env).iter().cloned());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &directory {
            command.current_dir(directory);
        }
    });
    let child = command.wrap(JobObject).spawn();
    let child = child.map_err(|error| not_started(format!("`{}`: {error}", program.file.display())))?;
    let mut job = Job { child, leaves_children: false };
    let (sender, news) = channel();
    let on_cancel = sender.clone();
    let _watch = cancel.watch(move || drop(on_cancel.send(News::Cancelled)));
    let threads = job.start_threads(&run.stdin, &sender);
    drop(sender);
    threads.map_err(|error| CommandError::lost(run, error.to_string()))?;
    let exited = follow(run, &mut job, &news)?;
    job.leaves_children = run.leave_children;
    Ok(exited)
}

/// Reads until the command has exited and its output has ended.
fn follow(run: &CommandRun<'_>, job: &mut Job, news: &Receiver<News>) -> Result<CommandOutput, CommandError> {
    let deadline = run.timeout.and_then(|limit| now().checked_add(limit));
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let (mut code, mut output_ends): (Option<i32>, Option<Instant>) = (None, None);
    let mut open = 2;
    while output_ends.is_none() || open > 0 {
        let time = now();
        if output_ends.is_some_and(|ends| time >= ends) {
            break;
        }
        if output_ends.is_none() && deadline.is_some_and(|deadline| time >= deadline) {
            return Err(CommandError::timed_out(run));
        }
        match news.recv_timeout(ASK_AGAIN) {
            Ok(News::Cancelled) => return Err(CommandError::cancelled(run)),
            Ok(News::End) => open -= 1,
            Ok(News::Read(stream, bytes)) => {
                let kept = if stream == Stream::Stdout { &mut stdout } else { &mut stderr };
                kept.extend_from_slice(&bytes);
                if kept.len() > run.output_cap {
                    return Err(CommandError::over_cap(run, stream));
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(ASK_AGAIN),
        }
        if output_ends.is_none() {
            let status = job.child.inner_mut().try_wait();
            if let Some(status) = status.map_err(|error| CommandError::lost(run, error.to_string()))? {
                code = status.code();
                output_ends = now().checked_add(OUTPUT_ENDS);
            }
        }
    }
    Ok(CommandOutput { code, signal: None, stdout, stderr })
}

/// The command and all that it started; killed when it is dropped.
struct Job {
    child: Box<dyn ChildWrapper>,
    leaves_children: bool,
}

impl Job {
    /// Pipes cannot be waited for there, so each has a thread; a thread ends when its pipe does.
    fn start_threads(&mut self, stdin: &[u8], sender: &Sender<News>) -> io::Result<()> {
        if let Some(mut pipe) = self.child.stdin().take() {
            let bytes = stdin.to_vec();
            start_thread(move || drop(pipe.write_all(&bytes)))?;
        }
        if let Some(pipe) = self.child.stdout().take() {
            let sender = sender.clone();
            start_thread(move || read(pipe, Stream::Stdout, &sender))?;
        }
        if let Some(pipe) = self.child.stderr().take() {
            let sender = sender.clone();
            start_thread(move || read(pipe, Stream::Stderr, &sender))?;
        }
        Ok(())
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if !self.leaves_children {
            let _ = self.child.start_kill();
        }
    }
}

fn start_thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new().name("hookweave-pipe".to_owned()).stack_size(128 * 1024);
    builder.spawn(work).map(drop)
}

fn read(mut pipe: impl Read, stream: Stream, sender: &Sender<News>) {
    let mut chunk = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = pipe.read(&mut chunk) {
        let bytes = chunk.get(..length).unwrap_or_default().to_vec();
        if sender.send(News::Read(stream, bytes)).is_err() {
            return;
        }
    }
    let _ = sender.send(News::End);
}
