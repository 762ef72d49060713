//! Reads settings that a host gave as an object, and says exactly what is wrong with them.

use crate::error::{Code, Error, did_you_mean};
use crate::payload::{Host, Kind, Spelling};

/// An object under inspection: whose it is, and which error a mistake in it is.
pub struct Reader<'v, H: Host> {
    host: &'v H,
    object: H::View<'v>,
    keys: Vec<String>,
    code: Code,
    place: String,
}

impl<'v, H: Host> Reader<'v, H> {
    /// Refuses what is no object with string keys.
    pub fn new(host: &'v H, view: &H::View<'v>, code: Code, place: impl Into<String>) -> Result<Self, Error> {
        let place = place.into();
        match host.kind(view) {
            Kind::Object => {
                let keys = host.keys(view).map_err(|bad| Error::new(code, format!("{place}: {bad}")))?;
                Ok(Self { host, object: view.clone(), keys, code, place })
            }
            kind => {
                let spelling = host.spelling();
                let why = format!("{place}: must be {}, is {}", spelling.object(), spelling.words(&kind));
                Err(Error::new(code, why))
            }
        }
    }

    fn spelling(&self) -> Spelling {
        self.host.spelling()
    }

    /// A value in the host's words, for messages.
    fn words(&self, view: &H::View<'v>) -> String {
        self.spelling().words(&self.host.kind(view)).into_owned()
    }

    /// The names of the fields, in the host's order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(String::as_str)
    }

    /// What the host calls the absence of a value, for messages.
    pub fn null(&self) -> &'static str {
        self.spelling().null()
    }

    /// An error about one field.
    pub fn refuse(&self, field: &str, why: impl std::fmt::Display) -> Error {
        Error::new(self.code, format!("{}.{}: {why}", self.place, self.spelling().local(field)))
    }

    /// Refuses fields that are not in the list, and two spellings of one.
    pub fn only(&self, known: &[&str]) -> Result<(), Error> {
        let mut seen: Vec<String> = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let canonical = self.spelling().canonical(key);
            if !known.contains(&&*canonical) {
                let local: Vec<_> = known.iter().map(|name| self.spelling().local(name)).collect();
                return Err(Error::new(
                    self.code,
                    format!(
                        "{}: unknown field `{key}`{}; known are {}",
                        self.place,
                        did_you_mean(key, local.iter().map(|name| &**name)),
                        local.join(", ")
                    ),
                ));
            }
            if seen.iter().any(|other| *other == canonical) {
                return Err(self.refuse(&canonical, "given twice, in two spellings"));
            }
            seen.push(canonical.into_owned());
        }
        Ok(())
    }

    /// The field's value, unless it is missing, undefined or null.
    pub fn value(&self, field: &str) -> Option<H::View<'v>> {
        self.given(field).filter(|view| !self.host.kind(view).is_nothing())
    }

    /// The field's value, null included; `None` only when it is not there.
    pub fn given(&self, field: &str) -> Option<H::View<'v>> {
        let local = self.spelling().local(field);
        self.host
            .get(&self.object, &local)
            .or_else(|| self.host.get(&self.object, field))
            .filter(|view| self.host.kind(view) != Kind::Absent)
    }

    fn typed<T>(
        &self,
        field: &str,
        wanted: &str,
        take: impl FnOnce(&Kind<'_>) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(view) = self.value(field) else { return Ok(None) };
        let kind = self.host.kind(&view);
        take(&kind)
            .map(Some)
            .ok_or_else(|| self.refuse(field, format!("must be {wanted}, is {}", self.spelling().words(&kind))))
    }

    /// A string, when the field is there.
    ///
    /// # Errors
    ///
    /// The field is something else.
    pub fn text(&self, field: &str) -> Result<Option<String>, Error> {
        self.typed(field, "a string", |kind| match kind {
            Kind::Text(text) => Some(text.clone().into_owned()),
            _ => None,
        })
    }

    /// A string that must be there.
    ///
    /// # Errors
    ///
    /// The field is missing or something else.
    pub fn required_text(&self, field: &str) -> Result<String, Error> {
        self.text(field)?.ok_or_else(|| self.refuse(field, "is missing"))
    }

    /// `true` or `false`, when the field is there.
    ///
    /// # Errors
    ///
    /// The field is something else.
    pub fn flag(&self, field: &str) -> Result<Option<bool>, Error> {
        let wanted = if self.spelling() == Spelling::Python { "True or False" } else { "true or false" };
        self.typed(field, wanted, |kind| match kind {
            Kind::Bool(flag) => Some(*flag),
            _ => None,
        })
    }

    /// An integer; a float without a fraction is one, since JavaScript has no other.
    pub fn integer(&self, field: &str) -> Result<Option<i64>, Error> {
        self.typed(field, "an integer", |kind| match kind {
            Kind::Int(number) => Some(*number),
            #[expect(clippy::cast_possible_truncation, reason = "checked to be integral and within 2^53")]
            Kind::Float(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 => {
                Some(*number as i64)
            }
            _ => None,
        })
    }

    /// A list of strings, when the field is there.
    ///
    /// # Errors
    ///
    /// The field is something else.
    pub fn texts(&self, field: &str) -> Result<Option<Vec<String>>, Error> {
        let Some(view) = self.value(field) else { return Ok(None) };
        let Kind::List(length) = self.host.kind(&view) else {
            return Err(self.refuse(field, format!("must be a list of strings, is {}", self.words(&view))));
        };
        let mut texts = Vec::with_capacity(length);
        for index in 0..length {
            let item = self.host.item(&view, index);
            match item.as_ref().map(|item| self.host.kind(item)) {
                Some(Kind::Text(text)) => texts.push(text.into_owned()),
                other => {
                    let kind = other.unwrap_or(Kind::Absent);
                    return Err(self.refuse(
                        field,
                        format!("element {index} must be a string, is {}", self.spelling().words(&kind)),
                    ));
                }
            }
        }
        Ok(Some(texts))
    }

    /// A string or a list of strings, when the field is there; the example is for the error about an empty list.
    pub fn one_or_more(&self, field: &str, example: &str) -> Result<Option<Vec<String>>, Error> {
        let Some(view) = self.value(field) else { return Ok(None) };
        match self.host.kind(&view) {
            Kind::Text(text) => Ok(Some(vec![text.into_owned()])),
            Kind::List(0) => Err(self.refuse(field, format!("is an empty list; write {example}"))),
            Kind::List(_) => self.texts(field),
            kind => {
                let given = self.spelling().words(&kind);
                Err(self.refuse(field, format!("must be a string or a list of strings, is {given}")))
            }
        }
    }

    /// A duration in milliseconds.
    pub fn duration_ms(&self, field: &str) -> Result<Option<f64>, Error> {
        let Some(view) = self.value(field) else { return Ok(None) };
        let unit = if self.spelling() == Spelling::Python { "seconds" } else { "milliseconds" };
        self.host
            .duration_ms(&view)
            .map(Some)
            .ok_or_else(|| self.refuse(field, format!("must be a number of {unit}, is {}", self.words(&view))))
    }

    /// One of some words.
    pub fn word<T: Copy>(&self, field: &str, known: &[(&str, T)]) -> Result<Option<T>, Error> {
        let Some(text) = self.text(field)? else { return Ok(None) };
        known.iter().find(|(name, _)| *name == text).map(|(_, value)| Some(*value)).ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            self.refuse(
                field,
                format!(
                    "unknown value `{text}`{}; known are {}",
                    did_you_mean(&text, names.iter().copied()),
                    names.join(", ")
                ),
            )
        })
    }
}
