//! The `hookweave` command: see, test, explain and install hooks for AI agents.

mod agent_approval;
mod agent_shell;
mod agents;
mod auditing;
mod call;
mod cases;
mod change;
mod cli;
mod clock;
mod commands;
mod delegates;
mod document;
mod drive;
mod entry_faults;
mod failed;
mod foreign;
mod graph;
mod hook_command;
mod hook_file;
mod html;
mod input;
mod left_variables;
mod mark;
mod mcp;
mod mcp_servers;
mod own_program;
mod plugins;
mod policy;
mod program;
mod progress;
mod reach;
mod recording;
mod sarif;
mod scan;
mod screen;
mod settings;
mod snippet;
mod splice;

use std::process::ExitCode;

use crate::cli::Cli;
use crate::commands::Hook;
use crate::failed::{BROKEN, Failed};
use crate::screen::Unread;

/// Makes a write beyond the size that a file may have an error: the signal would end the command without an answer, and an
/// agent reads that as consent. Programs that are started meet the signal as ever.
#[cfg(unix)]
fn survive_full_files() {
    // Where a signal cannot be had, there is nothing to be done about it.
    let _ = signal_hook::flag::register(
        signal_hook::consts::SIGXFSZ,
        std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false)),
    );
}

#[cfg(not(unix))]
const fn survive_full_files() {}

fn main() -> ExitCode {
    survive_full_files();
    let done = match Hook::of_this_process() {
        Some(hook) => hook.run(),
        // Not locked for all of its time: a command may write from other threads.
        None => Cli::of_this_process().run(&mut Unread::new(anstream::stdout())),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        // The reader needs no more output, as with `head`.
        Err(Failed::NobodyReads) => ExitCode::SUCCESS,
        Err(failed) => {
            let mut err = anstream::stderr().lock();
            let _ = snippet::failed(&mut err, &failed);
            ExitCode::from(BROKEN)
        }
    }
}
