//! Webhooks: an event goes to a URL as JSON, and what comes back is a hook's answer.
//!
//! A request blocks the thread that sends it and ends at its deadline, whatever the server does, or when it is
//! cancelled. What it may reach is bounded: only http and https, only allowed URLs, no link-local or metadata
//! addresses, no redirect to another origin. Loopback and private networks are allowed, since most webhooks are
//! programs nearby; [`WebPolicy::allow_private`] changes that. Proxies named by the environment (`HTTP_PROXY` and the
//! like) are not used: a proxy would connect to addresses that nobody checked.
//!
//! How an answer is read is a dialect's business, so an answer here is a status, a content type and bytes.

#[cfg(feature = "native")]
mod allow;
#[cfg(feature = "native")]
mod call;
#[cfg(feature = "native")]
mod client;
#[cfg(feature = "native")]
mod error;
#[cfg(feature = "native")]
mod exchange;
#[cfg(feature = "native")]
mod guard;
#[cfg(feature = "native")]
mod headers;
#[cfg(feature = "native")]
mod resolve;
#[cfg(feature = "native")]
mod roots;
mod spec;
#[cfg(feature = "native")]
mod target;
mod variables;
#[cfg(feature = "native")]
mod wire;

#[cfg(feature = "native")]
pub use self::client::WebClient;
#[cfg(feature = "native")]
pub use self::error::WebhookError;
#[cfg(feature = "native")]
pub use self::resolve::{Resolve, SystemResolver};
pub(crate) use self::spec::shown_segment;
pub use self::spec::{Method, RESPONSE_CAP, UnsetVariable, WebPolicy, WebhookSpec};
pub use crate::dialects::WebAnswer;
