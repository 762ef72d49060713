//! How the core reads values that live in a host.
//!
//! A payload stays where it was made: a Python dict, a JavaScript object, a [`serde_json::Value`]. The core looks at
//! the few fields that matchers need, checks answers and merges modifications through [`Host`], and never converts
//! a value that it only passes on.

use std::borrow::Cow;

use crate::error::Code;

/// How deep containers may nest in a value that the engine copies.
pub const MAX_NESTING: usize = 128;

/// How many values a value that the engine copies or writes down may hold, one that stands in several places counted in each.
pub const MAX_VALUES: usize = 1_000_000;

/// What a value is, as far as the core distinguishes kinds.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind<'a> {
    /// The host's way to say that nothing is there although the name is (`undefined`).
    Absent,
    /// `None`, `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// A larger integer, in decimal digits.
    BigInt(String),
    /// A number with a fraction, or NaN or an infinity.
    Float(f64),
    /// Text that is valid Unicode.
    Text(Cow<'a, str>),
    /// Text with lone surrogates, which no UTF-8 and no JSON can carry.
    BadText,
    /// A list (or tuple) of this length.
    List(usize),
    /// A mapping with named fields.
    Object,
    /// Anything else, with the name of its type.
    Other(Cow<'a, str>),
}

impl Kind<'_> {
    /// The kind in words, for messages: "a string", "a list".
    #[must_use]
    pub fn words(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Absent => "undefined",
            Self::Null => "null",
            Self::Bool(true) => "`true`",
            Self::Bool(false) => "`false`",
            Self::Int(_) | Self::BigInt(_) => "an integer",
            Self::Float(_) => "a number",
            Self::Text(_) | Self::BadText => "a string",
            Self::List(_) => "a list",
            Self::Object => "an object",
            Self::Other(name) => return Cow::Owned(format!("a value of type {name}")),
        })
    }

    /// Whether the value says nothing at all.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        matches!(self, Self::Absent | Self::Null)
    }
}

/// How a host language spells the engine's own names and counts time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Spelling {
    /// `delay_ms`, milliseconds: every wire format, and Rust.
    #[default]
    Wire,
    /// `fail_behavior`, seconds.
    Python,
    /// `failBehavior`, milliseconds.
    TypeScript,
}

impl Spelling {
    /// The engine's name for what the host calls `name`: `failBehavior` is `fail_behavior` in TypeScript.
    #[must_use]
    pub fn canonical(self, name: &str) -> Cow<'_, str> {
        if self != Self::TypeScript || !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Cow::Borrowed(name);
        }
        let mut snake = String::with_capacity(name.len() + 4);
        for letter in name.chars() {
            if letter.is_ascii_uppercase() {
                snake.push('_');
            }
            snake.push(letter.to_ascii_lowercase());
        }
        Cow::Owned(snake)
    }

    /// The host's name for what the engine calls `name`, in messages and for field look-ups.
    #[must_use]
    pub fn local(self, name: &str) -> Cow<'_, str> {
        if self != Self::TypeScript || !name.contains('_') {
            return Cow::Borrowed(name);
        }
        let mut camel = String::with_capacity(name.len());
        let mut raise = false;
        for letter in name.chars() {
            if letter == '_' && !camel.is_empty() {
                raise = true;
            } else {
                camel.push(if raise { letter.to_ascii_uppercase() } else { letter });
                raise = false;
            }
        }
        Cow::Owned(camel)
    }

    /// How a program defines a tool with one field in this language, for messages: `define_tool("sh", same_as="Bash")`.
    #[must_use]
    pub fn define_tool(self, tool: &str, field: &str, value: &str) -> String {
        let several = field == "paths";
        let list = if several { format!("[\"{value}\"]") } else { format!("\"{value}\"") };
        match self {
            Self::Python => format!("define_tool(\"{tool}\", {field}={list})"),
            Self::TypeScript => format!("defineTool(\"{tool}\", {{ {}: {list} }})", self.local(field)),
            Self::Wire => {
                let method = if several { "path" } else { field };
                format!("define_tool(ToolDefinition::new(\"{tool}\").{method}(\"{value}\"))")
            }
        }
    }

    /// What the host calls the absence of a value, in messages.
    #[must_use]
    pub const fn null(self) -> &'static str {
        match self {
            Self::Wire | Self::TypeScript => "null",
            Self::Python => "None",
        }
    }

    /// What the host calls an object with fields, in messages.
    #[must_use]
    pub const fn object(self) -> &'static str {
        match self {
            Self::Wire | Self::TypeScript => "an object",
            Self::Python => "a dict",
        }
    }

    /// A kind of value in the host's words, for messages.
    #[must_use]
    pub fn words<'k>(self, kind: &Kind<'k>) -> Cow<'k, str> {
        match (self, kind) {
            (Self::Python, Kind::Null) => Cow::Borrowed(self.null()),
            (Self::Python, Kind::Bool(true)) => Cow::Borrowed("`True`"),
            (Self::Python, Kind::Bool(false)) => Cow::Borrowed("`False`"),
            (Self::Python, Kind::Object) => Cow::Borrowed(self.object()),
            _ => Cow::Owned(kind.words().into_owned()),
        }
    }

    /// How many milliseconds one unit of a host's duration is.
    #[must_use]
    pub const fn unit_ms(self) -> f64 {
        match self {
            Self::Wire | Self::TypeScript => 1.0,
            Self::Python => 1000.0,
        }
    }
}

/// A value is more than the engine copies or writes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// It nests deeper than [`MAX_NESTING`].
    #[error("nested deeper than {MAX_NESTING} levels")]
    Depth,
    /// It holds more values than [`MAX_VALUES`].
    #[error("holds more than {MAX_VALUES} values")]
    Size,
}

impl Excess {
    /// The error as a host gets it.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            Self::Depth => Code::PayloadTooDeep,
            Self::Size => Code::PayloadTooLarge,
        }
    }
}

/// How much of a value may still be copied: asked at each container.
#[derive(Debug)]
pub struct Room {
    values: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { values: MAX_VALUES }
    }
}

impl Room {
    /// Goes into a container of so many values, below so many levels that are left; gives those that are left inside.
    pub fn enter(&mut self, levels: usize, values: usize) -> Result<usize, Excess> {
        self.values = self.values.checked_sub(values).ok_or(Excess::Size)?;
        levels.checked_sub(1).ok_or(Excess::Depth)
    }
}

/// A mapping has a key that is not a string.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("key {0} is not a string")]
pub struct BadKey(pub String);

/// A value that the engine itself puts into an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made<'a> {
    /// A text.
    Text(&'a str),
    /// The number 0.
    Zero,
    /// The truth value that is false.
    False,
    /// An empty list.
    List,
    /// An empty object.
    Object,
}

impl Made<'_> {
    /// The value as JSON.
    #[must_use]
    pub fn to_json(self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.into(),
            Self::Zero => 0.into(),
            Self::False => false.into(),
            Self::List => serde_json::Value::Array(Vec::new()),
            Self::Object => serde_json::Value::Object(serde_json::Map::new()),
        }
    }
}

/// Who owns the values: the core's window on one host language.
///
/// Reading a value may run user code (a getter, a trap of a `Proxy`, `__eq__`), which may register hooks or dispatch again. Nothing
/// is locked or borrowed meanwhile; implementations avoid such code where the language lets them.
pub trait Host {
    /// An owned value.
    type Value;
    /// A borrowed look at a value.
    type View<'v>: Clone
    where
        Self: 'v;

    /// Looks at an owned value.
    fn view<'v>(&'v self, value: &'v Self::Value) -> Self::View<'v>;
    /// Keeps the same value, owned.
    fn keep(&self, view: &Self::View<'_>) -> Self::Value;
    /// Copies containers and shares leaves, so that changes to the original do not reach the copy.
    fn copy(&self, view: &Self::View<'_>) -> Result<Self::Value, Excess>;
    /// What the value is.
    fn kind<'a>(&'a self, view: &'a Self::View<'_>) -> Kind<'a>;
    /// The field of an object; `None` when it is not there.
    fn get<'v>(&'v self, object: &Self::View<'v>, key: &str) -> Option<Self::View<'v>>;
    /// The element of a list; `None` past its end.
    fn item<'v>(&'v self, list: &Self::View<'v>, index: usize) -> Option<Self::View<'v>>;
    /// The names of an object's fields, in order.
    fn keys(&self, object: &Self::View<'_>) -> Result<Vec<String>, BadKey>;
    /// Whether two values are equal all the way down.
    fn same(&self, a: &Self::View<'_>, b: &Self::View<'_>) -> bool;
    /// A shallow copy of an object with fields set, or removed where the value is `None`.
    fn with(&self, object: &Self::View<'_>, changes: Vec<(String, Option<Self::Value>)>) -> Self::Value;
    /// A value that the engine itself puts into an event.
    fn made(&self, made: Made<'_>) -> Self::Value;
    /// How the host spells names and counts time.
    fn spelling(&self) -> Spelling;

    /// A duration in milliseconds, read in the host's unit; `None` when the value is no duration.
    fn duration_ms<'v>(&'v self, view: &Self::View<'v>) -> Option<f64> {
        match self.kind(view) {
            #[expect(clippy::cast_precision_loss, reason = "a delay beyond 2^53 ms is refused as too long anyway")]
            Kind::Int(number) => Some(number as f64 * self.spelling().unit_ms()),
            Kind::Float(number) => Some(number * self.spelling().unit_ms()),
            _ => None,
        }
    }

    /// Hands out the text of a value without owning it; `None` when the value is not valid text.
    fn text<'v, R>(&'v self, view: &Self::View<'v>, take: impl FnOnce(&str) -> R) -> Option<R> {
        match self.kind(view) {
            Kind::Text(text) => Some(take(&text)),
            _ => None,
        }
    }

    /// The text of a value for as long as the host is looked at; `None` when the value is not valid text.
    fn long_text<'v>(&'v self, view: &Self::View<'v>) -> Option<Cow<'v, str>> {
        self.text(view, |text| Cow::Owned(text.to_owned()))
    }

    /// The fields of an object that have these names, in the order of the names.
    ///
    /// The names are the program's own, so that a host can keep what it makes of them.
    fn pick<'v, const N: usize>(
        &'v self,
        object: &Self::View<'v>,
        names: &'static [&'static str; N],
    ) -> [Option<Self::View<'v>>; N] {
        names.map(|name| self.get(object, name))
    }

    /// The payload fields of these names of the engine's, in the order of the names.
    fn pick_fields<'v, const N: usize>(
        &'v self,
        payload: &Self::View<'v>,
        names: &'static [&'static str; N],
    ) -> [Option<Self::View<'v>>; N] {
        match self.spelling() {
            // What is spelled as the engine does needs no look at each name.
            Spelling::Wire | Spelling::Python => self.pick(payload, names),
            Spelling::TypeScript => names.map(|name| self.field(payload, name)),
        }
    }

    /// A payload field by the engine's name for it.
    fn field<'v>(&'v self, payload: &Self::View<'v>, name: &str) -> Option<Self::View<'v>> {
        self.get(payload, &self.spelling().local(name))
    }
}
