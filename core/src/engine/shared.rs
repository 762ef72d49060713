//! JSON values behind a reference count, so that a hook can hold an event without copying it.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use hookweave_host::json::Json;
use hookweave_host::json::{member, members};
use hookweave_host::payload::{BadKey, Excess, Host, Kind, Made, Spelling};

/// The engine's host: values are shared, looks are plain references.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shared;

impl Host for Shared {
    type Value = Arc<Value>;
    type View<'v> = &'v Value;

    fn view<'v>(&'v self, value: &'v Arc<Value>) -> &'v Value {
        value
    }

    fn keep(&self, view: &Self::View<'_>) -> Arc<Value> {
        Arc::new((*view).clone())
    }

    fn copy(&self, view: &Self::View<'_>) -> Result<Arc<Value>, Excess> {
        Json.copy(view).map(Arc::new)
    }

    fn kind<'a>(&'a self, view: &'a Self::View<'_>) -> Kind<'a> {
        Json.kind(view)
    }

    fn long_text<'v>(&'v self, view: &Self::View<'v>) -> Option<Cow<'v, str>> {
        Json.long_text(view)
    }

    fn get<'v>(&'v self, object: &Self::View<'v>, key: &str) -> Option<Self::View<'v>> {
        member(object, key)
    }

    fn pick<'v, const N: usize>(
        &'v self,
        object: &Self::View<'v>,
        names: &'static [&'static str; N],
    ) -> [Option<Self::View<'v>>; N] {
        members(object, names)
    }

    fn text<'v, R>(&'v self, view: &Self::View<'v>, take: impl FnOnce(&str) -> R) -> Option<R> {
        view.as_str().map(take)
    }

    fn item<'v>(&'v self, list: &Self::View<'v>, index: usize) -> Option<Self::View<'v>> {
        list.get(index)
    }

    fn keys(&self, object: &Self::View<'_>) -> Result<Vec<String>, BadKey> {
        Json.keys(object)
    }

    fn same(&self, a: &Self::View<'_>, b: &Self::View<'_>) -> bool {
        a == b
    }

    fn with(&self, object: &Self::View<'_>, changes: Vec<(String, Option<Arc<Value>>)>) -> Arc<Value> {
        let changes = changes.into_iter().map(|(key, value)| (key, value.map(Arc::unwrap_or_clone))).collect();
        Arc::new(Json.with(object, changes))
    }

    fn made(&self, made: Made<'_>) -> Arc<Value> {
        Arc::new(made.to_json())
    }

    fn spelling(&self) -> Spelling {
        Spelling::Wire
    }
}
