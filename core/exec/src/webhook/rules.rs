//! Where a client's webhooks may go.

use super::allow::UrlPattern;
use super::error::WebhookError;
use super::guard::Guard;
use super::spec::WebPolicy;
use super::target::Target;

impl WebPolicy {
    /// Says what in the policy cannot be read, if anything. A client with such a policy sends nothing.
    pub fn check(&self) -> Result<(), WebhookError> {
        Rules::new(self).map(drop)
    }
}

/// A policy, read.
pub(super) struct Rules {
    patterns: Option<Vec<UrlPattern>>,
    pub(super) guard: Guard,
}

impl Rules {
    pub(super) fn new(policy: &WebPolicy) -> Result<Self, WebhookError> {
        let read = |patterns: &Vec<String>| patterns.iter().map(|each| UrlPattern::new(each)).collect();
        let patterns = policy.allowed_urls.as_ref().map(read).transpose().map_err(WebhookError::BadPolicy)?;
        let guard = Guard::new(&policy.allowed_networks, policy.allow_private).map_err(WebhookError::BadPolicy)?;
        Ok(Self { patterns, guard })
    }

    /// Whether a URL is allowed.
    pub(super) fn admit(&self, target: &Target) -> Result<(), WebhookError> {
        match &self.patterns {
            Some(patterns) if !patterns.iter().any(|pattern| pattern.matches(target.url())) => {
                Err(WebhookError::NotAllowed { url: target.shown() })
            }
            _ => Ok(()),
        }
    }
}
