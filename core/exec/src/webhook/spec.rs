//! What a webhook is and what a client's webhooks may do: plain data, without the means to send.

use super::variables::variables;

/// The largest answer that is read, in bytes, unless a policy says otherwise.
pub const RESPONSE_CAP: usize = 1024 * 1024;

/// The method of a webhook's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// `POST`, the usual one.
    #[default]
    Post,
    /// `PUT`.
    Put,
}

/// What becomes of a variable in a header that is not set, or not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnsetVariable {
    /// It stands for nothing.
    #[default]
    Empty,
    /// The webhook is refused.
    Refuse,
}

/// A webhook as a hook's definition describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSpec {
    /// Where the event goes.
    pub url: String,
    /// How.
    pub method: Method,
    /// Headers; values may name variables as `$NAME` or `${NAME}`.
    pub headers: Vec<(String, String)>,
    /// The variables that header values may name.
    pub allowed_env: Vec<String>,
    /// What becomes of other variables.
    pub unset: UnsetVariable,
}

impl WebhookSpec {
    /// The variables that the headers name, in order, for dialects that allow every variable that is named.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.headers.iter().flat_map(|(_, value)| variables(value))
    }
}

/// A part of a path for messages: services such as chats put a key there, which is long and mixes letters with digits or capitals.
pub fn shown_segment(segment: &str) -> String {
    let has = |test: fn(&char) -> bool| segment.chars().any(|each| test(&each));
    let mixed = (has(char::is_ascii_digit) && has(char::is_ascii_alphabetic))
        || (has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase));
    if segment.len() >= 16 && mixed {
        format!("{}…", segment.chars().take(4).collect::<String>())
    } else {
        segment.to_owned()
    }
}

/// What the webhooks of one client may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPolicy {
    /// Patterns of allowed URLs, such as `https://hooks.example.com/*` or `http://localhost:*`; none means all, an
    /// empty list means none at all.
    pub allowed_urls: Option<Vec<String>>,
    /// Variables that header values may name, in addition to a hook's own list; none means no further limit.
    pub allowed_env: Option<Vec<String>>,
    /// Addresses and networks that may be reached although they are link-local, metadata services or the like.
    pub allowed_networks: Vec<String>,
    /// Whether loopback and private networks may be reached.
    pub allow_private: bool,
    /// The largest answer that is read, in bytes; a larger one is a failure.
    pub response_cap: usize,
    /// Authorities that TLS trusts beside the machine's own, each a certificate in DER.
    pub extra_roots: Vec<Vec<u8>>,
}

impl Default for WebPolicy {
    fn default() -> Self {
        Self {
            allowed_urls: None,
            allowed_env: None,
            allowed_networks: Vec::new(),
            allow_private: true,
            response_cap: RESPONSE_CAP,
            extra_roots: Vec::new(),
        }
    }
}
