//! Webhooks against real servers on this machine, well-behaved ones and others.

mod addresses;
mod answers;
mod cancellation;
mod failures;
mod redirects;
mod server;
mod tls;

use std::time::{Duration, Instant};

use hookweave_exec::cancel::Cancel;
use hookweave_exec::webhook::{Method, UnsetVariable, WebClient, WebPolicy, WebResponse, WebhookError, WebhookSpec};

/// Long enough that only what should hang reaches it, on the busiest machine.
const AMPLE: Duration = Duration::from_secs(120);

/// Tries until something holds; false where it never does.
fn until(mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + AMPLE;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

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

fn send_to(client: &WebClient, url: &str) -> Result<WebResponse, WebhookError> {
    send_within(client, url, AMPLE)
}

fn send_within(client: &WebClient, url: &str, timeout: Duration) -> Result<WebResponse, WebhookError> {
    client.send(&hook(url), br#"{"event":"PreToolUse"}"#, &|_| None, timeout, &Cancel::new())
}

fn send(url: &str) -> Result<WebResponse, WebhookError> {
    send_to(&client(), url)
}
