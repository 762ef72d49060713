//! What came of a command or a webhook, before a dialect reads it.

/// How a command ended, and what it printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it printed to standard error.
    pub stderr: Vec<u8>,
}

/// The response of a web server to a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebResponse {
    /// The status code.
    pub status: u16,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The whole body.
    pub body: Vec<u8>,
}
