//! Webhooks: an event goes to a URL as JSON, and what comes back is a hook's answer.
//!
//! A request blocks the thread that sends it and ends at its deadline, even if the server hangs, or when it is
//! cancelled. What it may reach is bounded: only http and https, only allowed URLs, no link-local or metadata
//! addresses, no redirect to another origin. Loopback and private networks are allowed, since most webhooks are
//! programs nearby; [`WebPolicy::allow_private`] changes that. Proxies named by the environment (`HTTP_PROXY` and the
//! like) are not used: a proxy would connect to addresses that were not checked.
//!
//! How an answer is read is a dialect's business, so an answer here is a status, a content type and bytes.

mod allow;
mod call;
mod client;
mod error;
mod exchange;
mod guard;
mod headers;
mod resolve;
mod roots;
mod rules;
mod spec;
mod stream;
mod target;
mod variables;
mod wire;

pub use self::client::WebClient;
pub use self::error::WebhookError;
pub use self::resolve::{Resolve, SystemResolver};
pub use self::spec::shown_segment;
pub use self::spec::{Method, RESPONSE_CAP, UnsetVariable, WebPolicy, WebhookSpec};
pub use self::stream::{StreamRequest, WebStream};
pub use hookweave_machine::handler_output::WebResponse;
