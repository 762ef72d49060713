//! Webhooks against real servers on this machine, well-behaved ones and others.

#![cfg(feature = "native")]
#![expect(clippy::disallowed_methods, reason = "servers are threads, and the tests measure time")]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what goes wrong fails the test")]

mod addresses;
mod answers;
mod cancellation;
mod failures;
#[cfg(feature = "engine")]
mod hostile;
mod redirects;
mod server;
mod tls;

use std::time::Duration;

use hookweave::handlers::cancel::Cancel;
use hookweave::handlers::webhook::{Method, UnsetVariable, WebAnswer, WebClient, WebPolicy, WebhookError, WebhookSpec};

/// Long enough that only what should hang reaches it.
const AMPLE: Duration = Duration::from_secs(20);

fn hook(url: &str) -> WebhookSpec {
    WebhookSpec {
        url: url.to_owned(),
        method: Method::Post,
        headers: Vec::new(),
        allowed_env: Vec::new(),
        unset: UnsetVariable::Empty,
    }
}

fn client() -> WebClient {
    WebClient::new(WebPolicy::default())
}

fn send_to(client: &WebClient, url: &str) -> Result<WebAnswer, WebhookError> {
    send_within(client, url, AMPLE)
}

fn send_within(client: &WebClient, url: &str, timeout: Duration) -> Result<WebAnswer, WebhookError> {
    client.send(&hook(url), br#"{"event":"PreToolUse"}"#, &|_| None, timeout, &Cancel::new())
}

fn send(url: &str) -> Result<WebAnswer, WebhookError> {
    send_to(&client(), url)
}
