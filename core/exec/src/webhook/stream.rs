//! A request whose answer is read as it comes, such as one to a server of tools.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use ureq::http::{HeaderMap, Response};
use ureq::{Body, BodyReader};

use super::call::Call;
use super::error::WebhookError;
use super::exchange::{failure, text};
use crate::cancel::Watch;

/// A request: `POST` where it has a body, else `GET`, or `DELETE` where it ends a session.
#[derive(Clone, Copy)]
pub struct StreamRequest<'a> {
    /// Where to.
    pub url: &'a str,
    /// Headers, sent as they stand.
    pub headers: &'a [(String, String)],
    /// What is sent, as JSON.
    pub body: Option<&'a [u8]>,
    /// Whether what is at the URL is to be given up.
    pub ends_session: bool,
    /// How long a lookup and a connection may take.
    pub connect: Duration,
    /// How long everything may take, to the answer's last byte.
    pub timeout: Duration,
}

impl fmt::Debug for StreamRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Headers hold keys, and so may the URL.
        f.debug_struct("StreamRequest").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// An answer that is read as it comes, on one thread at a time.
pub struct WebStream {
    url: String,
    status: u16,
    headers: HeaderMap,
    body: BodyReader<'static>,
    call: Arc<Call>,
    timeout: Duration,
    _watches: Vec<Watch>,
}

impl WebStream {
    pub(super) fn new(
        url: String,
        response: Response<Body>,
        call: Arc<Call>,
        timeout: Duration,
        watches: Vec<Watch>,
    ) -> Self {
        let (parts, body) = response.into_parts();
        let (status, headers, body) = (parts.status.as_u16(), parts.headers, body.into_reader());
        Self { url, status, headers, body, call, timeout, _watches: watches }
    }

    /// The URL for messages, without its secrets.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// A header, if the answer has it.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name).map(text)
    }
}

impl Read for WebStream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let entered = self.call.enter();
        let read = self.body.read(into);
        drop(entered);
        let fails = |why: WebhookError| io::Error::other(why.of_a_server());
        match read {
            // Cancelling closes the connection, which looks like the end of an answer without a length.
            Ok(0) if self.call.is_cancelled() => Err(fails(WebhookError::Cancelled { url: self.url.clone() })),
            Ok(read) => Ok(read),
            Err(error) => Err(fails(failure(&self.call, self.timeout, self.url.clone(), ureq::Error::Io(error)))),
        }
    }
}

impl fmt::Debug for WebStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebStream").field("url", &self.url).field("status", &self.status).finish_non_exhaustive()
    }
}
