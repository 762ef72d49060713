//! Reads the command lines of a shell: which programs a line runs, with which words.
//!
//! Nothing is run or looked up. A line that is not understood whole is not understood at all.

mod base64;
mod code;
mod cursor;
mod handed;
mod line;
mod memo;
mod plain;
mod script;
mod spans;
mod windows;
mod written;

pub use code::{Code, is_interpreter};
pub use line::{Line, Simple, Starts, Word, is_only_checked, is_shell, program_name, summary};
#[doc(hidden)]
pub use memo::lines_read;
pub use memo::{Reading, read, read_as};
pub use plain::quoted;
pub use script::commands;
pub use windows::{Language, is_shell as is_shell_of_windows};
