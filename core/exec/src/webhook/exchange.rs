//! One webhook from request to answer: redirects, caps, and what each failure is called.

use std::io::Read;
use std::time::Duration;

use ureq::http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use ureq::http::{self, HeaderMap, HeaderValue, Response};
use ureq::{Agent, Body};

use super::call::{Call, Fault};
use super::error::WebhookError;
use super::target::Target;
use hookweave_machine::handler_output::WebResponse;

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 5;

/// What stays the same over all redirects of a request.
pub(super) struct Exchange<'a> {
    pub(super) method: http::Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<&'a [u8]>,
    pub(super) timeout: Duration,
    pub(super) call: &'a Call,
}

impl Exchange<'_> {
    /// Sends the request and follows redirects within the origin. Gives the last target and its answer, not yet read.
    ///
    /// `admit` is asked before each request, `agent` gives the agent for http or https.
    pub(super) fn run(
        &self,
        first: Target,
        admit: impl Fn(&Target) -> Result<(), WebhookError>,
        agent: impl Fn(&Target) -> Agent,
    ) -> Result<(Target, Response<Body>), WebhookError> {
        let mut target = first;
        let mut followed = 0;
        loop {
            admit(&target)?;
            let response = self.ask(&agent(&target), &target)?;
            match redirect(&target, &response)? {
                None => {
                    refuse_encoding(&target, &response)?;
                    return Ok((target, response));
                }
                Some(next) if followed == MAX_REDIRECTS => {
                    let (url, to, status) = (target.shown(), next.shown(), response.status().as_u16());
                    let why = "that is one redirect too many; write the final URL";
                    return Err(WebhookError::Redirected { url, status, to, why });
                }
                Some(next) => target = next,
            }
            followed += 1;
        }
    }

    fn ask(&self, agent: &Agent, target: &Target) -> Result<Response<Body>, WebhookError> {
        let request = http::Request::builder().method(self.method.clone()).uri(target.uri().clone());
        let bad = |error: http::Error| WebhookError::BadUrl {
            url: target.shown(),
            why: format!("cannot be put in a request: {error}"),
        };
        let answered = if let Some(body) = self.body {
            let mut request = request.body(body).map_err(bad)?;
            request.headers_mut().clone_from(&self.headers);
            agent.run(request)
        } else {
            let mut request = request.body(()).map_err(bad)?;
            request.headers_mut().clone_from(&self.headers);
            agent.run(request)
        };
        answered.map_err(|error| failure(self.call, self.timeout, target.shown(), error))
    }

    /// Reads an answer of at most so many bytes, whole or not at all.
    pub(super) fn read(
        &self,
        target: &Target,
        response: Response<Body>,
        cap: usize,
    ) -> Result<WebResponse, WebhookError> {
        let (parts, body) = response.into_parts();
        let too_large = || WebhookError::TooLarge { url: target.shown(), limit: cap };
        let limit = u64::try_from(cap).unwrap_or(u64::MAX);
        if body.content_length().is_some_and(|length| length > limit) {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        // One byte beyond the cap distinguishes an answer that fits from one that does not.
        let read = body.into_reader().take(limit.saturating_add(1)).read_to_end(&mut bytes);
        if bytes.len() > cap {
            return Err(too_large());
        }
        read.map_err(|error| failure(self.call, self.timeout, target.shown(), ureq::Error::Io(error)))?;
        // Cancelling closes the connection, which looks like the end of an answer without a length.
        if self.call.is_cancelled() {
            return Err(WebhookError::Cancelled { url: target.shown() });
        }
        let content_type = parts.headers.get(CONTENT_TYPE).map(text);
        Ok(WebResponse { status: parts.status.as_u16(), content_type, body: bytes })
    }
}

/// Compression was not accepted.
fn refuse_encoding(target: &Target, response: &Response<Body>) -> Result<(), WebhookError> {
    for encoding in response.headers().get_all(CONTENT_ENCODING) {
        let encoding = text(encoding);
        if !encoding.trim().eq_ignore_ascii_case("identity") {
            let encoding = encoding.escape_debug().take(80).collect();
            return Err(WebhookError::Encoded { url: target.shown(), encoding });
        }
    }
    Ok(())
}

/// Says what an error of the HTTP library means.
pub(super) fn failure(call: &Call, timeout: Duration, url: String, error: ureq::Error) -> WebhookError {
    if call.is_cancelled() {
        return WebhookError::Cancelled { url };
    }
    if call.is_over() {
        return WebhookError::TimedOut { url, after: timeout };
    }
    match call.fault() {
        Some(Fault::Refused { address, kind }) => WebhookError::Refused { url, address, kind },
        Some(Fault::Unresolved(why)) => WebhookError::Unresolved { url, why },
        Some(Fault::Unreachable(why)) => WebhookError::Unreachable { url, why },
        Some(Fault::Tls(why)) => WebhookError::Tls { url, why },
        None => WebhookError::Broken { url, why: reason(error) },
    }
}

pub(super) fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// The words of an error, without the library's prefixes.
fn reason(error: ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    }
}

/// Where an answer redirects to, if it does and may.
///
/// Only 307 and 308 are followed: after the others a client asks again without the body, and the server would then
/// decide about an event that it has not seen.
fn redirect(target: &Target, response: &Response<Body>) -> Result<Option<Target>, WebhookError> {
    let status = response.status().as_u16();
    let (301 | 302 | 303 | 307 | 308, Some(location)) = (status, response.headers().get(LOCATION)) else {
        return Ok(None);
    };
    let refused = |to: String, why| Err(WebhookError::Redirected { url: target.shown(), status, to, why });
    let Ok(location) = location.to_str() else {
        return refused("?".to_owned(), "its `Location` is no text; write the final URL");
    };
    let next = target.join(location)?;
    if !next.same_origin(target) {
        let why = "another origin is not followed, since what is sent was meant for this one; write the final URL";
        return refused(next.shown(), why);
    }
    if !matches!(status, 307 | 308) {
        let why = "following it would drop what is sent; let the server answer 307 or 308, or write the final URL";
        return refused(next.shown(), why);
    }
    Ok(Some(next))
}
