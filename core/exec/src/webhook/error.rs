//! Why a webhook gave no answer.

use std::net::IpAddr;
use std::time::Duration;

/// A webhook that failed, with what to do about it. URLs are named without their secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WebhookError {
    /// The URL is none that a webhook can be sent to.
    #[error("webhook URL `{url}`: {why}")]
    BadUrl {
        /// The URL.
        url: String,
        /// What is wrong, and what to write instead.
        why: String,
    },
    /// A client's settings for webhooks cannot be read.
    #[error("webhook policy: {0}")]
    BadPolicy(String),
    /// The list of allowed URLs has no pattern for this one.
    #[error("webhook `{url}`: no pattern of the allowed webhook URLs matches it; add one, or take the hook out")]
    NotAllowed {
        /// The URL.
        url: String,
    },
    /// The host's addresses are ones that webhooks may not reach.
    #[error(
        "webhook `{url}`: {address} is {kind}, which webhooks may not reach; use another host, or add `{address}` to \
         the allowed networks"
    )]
    Refused {
        /// The URL.
        url: String,
        /// The address that the host stands for.
        address: IpAddr,
        /// What kind of address it is.
        kind: &'static str,
    },
    /// A header's name or value cannot be sent.
    #[error("webhook `{url}`: header `{header}` {why}")]
    BadHeader {
        /// The URL.
        url: String,
        /// The header's name.
        header: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A header names a variable that has no value here.
    #[error("webhook `{url}`: header `{header}` names the variable `{variable}`, which {why}")]
    UnsetVariable {
        /// The URL.
        url: String,
        /// The header's name.
        header: String,
        /// The variable's name.
        variable: String,
        /// Whether it is not set or not allowed, and what to do.
        why: &'static str,
    },
    /// The host has no address.
    #[error("webhook `{url}`: the host's name cannot be looked up: {why}; check the name and the network")]
    Unresolved {
        /// The URL.
        url: String,
        /// The system's words.
        why: String,
    },
    /// No connection came about.
    #[error("webhook `{url}`: cannot connect: {why}; check that the server runs and listens there")]
    Unreachable {
        /// The URL.
        url: String,
        /// The system's words.
        why: String,
    },
    /// The connection could not be secured.
    #[error(
        "webhook `{url}`: TLS failed: {why}; check that the port speaks https and that its certificate is valid for \
         the host and signed by an authority that this machine trusts"
    )]
    Tls {
        /// The URL.
        url: String,
        /// What failed.
        why: String,
    },
    /// The time was over before the answer was complete.
    #[error("webhook `{url}`: no complete answer within {after:?}; make the server faster, or raise the timeout")]
    TimedOut {
        /// The URL.
        url: String,
        /// The timeout.
        after: Duration,
    },
    /// The dispatch was cancelled.
    #[error("webhook `{url}`: cancelled before its answer was complete")]
    Cancelled {
        /// The URL.
        url: String,
    },
    /// What came back is no complete HTTP answer.
    #[error("webhook `{url}`: broken answer: {why}; check the server's log")]
    Broken {
        /// The URL.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The answer exceeds the cap. It is not cut, since half an answer may say the opposite.
    #[error("webhook `{url}`: the answer exceeds {limit} bytes; answer less, or raise the response cap")]
    TooLarge {
        /// The URL.
        url: String,
        /// The cap in bytes.
        limit: usize,
    },
    /// The answer is compressed, although that was not accepted.
    #[error("webhook `{url}`: the answer is encoded as `{encoding}`; hookweave accepts no compression, switch it off")]
    Encoded {
        /// The URL.
        url: String,
        /// The encoding.
        encoding: String,
    },
    /// A redirect that is not followed.
    #[error("webhook `{url}`: redirects with status {status} to `{to}`: {why}")]
    Redirected {
        /// The URL.
        url: String,
        /// The status.
        status: u16,
        /// Where to.
        to: String,
        /// Why it is not followed, and what to do.
        why: &'static str,
    },
}

impl WebhookError {
    /// What it says where the request was no hook's.
    #[must_use]
    pub fn of_a_server(&self) -> String {
        let text = self.to_string();
        text.strip_prefix("webhook ").map_or_else(|| text.clone(), str::to_owned)
    }
}
