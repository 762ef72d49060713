//! JavaScript values as the core reads them.
//!
//! The values of a dispatch stay in a JavaScript array, and the core holds their indices. Every native call passes the
//! array, so that no native reference outlives the call.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Write as _;

use hookweave_host::payload::{BadKey, Excess, Host, Kind, MAX_NESTING, Made, Spelling};
use napi::bindgen_prelude::{BigInt, FromNapiValue, JsObjectValue, Object, Unknown, Utf16String};
use napi::{Env, JsValue, KeyCollectionMode, KeyConversion, KeyFilter, Property, ValueType};

/// The index of a value in its dispatch's array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) u32);

/// The values of one dispatch during one native call.
pub(crate) struct Values<'env> {
    env: &'env Env,
    array: Object<'env>,
    length: Cell<u32>,
    excess: Cell<Option<Excess>>,
}

impl<'env> Values<'env> {
    /// Over a dispatch's array.
    pub(crate) fn new(env: &'env Env, array: Object<'env>) -> napi::Result<Self> {
        let length = Cell::new(array.get_array_length()?);
        Ok(Self { env, array, length, excess: Cell::new(None) })
    }

    /// For reading values that are in no array.
    pub(crate) fn none(env: &'env Env) -> napi::Result<Self> {
        Self::new(env, env.create_array(0)?.coerce_to_object()?)
    }

    /// Sets whether an answer of this call was too deep or too large to be copied.
    pub(crate) fn set_excess(&self, excess: Option<Excess>) {
        self.excess.set(excess);
    }

    fn push(&self, value: Unknown<'_>) -> Slot {
        let slot = Slot(self.length.get());
        let mut array = self.array;
        // Setting an element of a plain array fails only in an environment that is being torn down.
        _ = array.set_element(slot.0, value);
        self.length.set(slot.0 + 1);
        slot
    }

    fn text_of(view: &Unknown<'_>) -> Result<String, Utf16String> {
        match Utf16String::from_unknown(*view) {
            Ok(text) => String::from_utf16(&text).map_err(|_| text),
            Err(_) => Err(Utf16String::from(String::new())),
        }
    }

    fn object_kind(view: &Unknown<'_>) -> Kind<'static> {
        let Ok(object) = Object::from_unknown(*view) else { return Kind::Other(Cow::Borrowed("unknown")) };
        if object.is_array().unwrap_or(false) {
            return Kind::List(object.get_array_length().unwrap_or(0) as usize);
        }
        match class_of(&object) {
            None => Kind::Object,
            Some(name) => Kind::Other(Cow::Owned(name)),
        }
    }
}

/// The name of the class that an object is an instance of; `None` for object literals and records without prototype.
fn class_of(object: &Object<'_>) -> Option<String> {
    let prototype = object.get_prototype().ok()?;
    if prototype.get_type().ok()? == ValueType::Null {
        return None;
    }
    let prototype = Object::from_unknown(prototype).ok()?;
    // `Object.prototype`, of whichever realm, ends the chain and has these methods.
    let above = prototype.get_prototype().ok()?;
    if above.get_type().ok()? == ValueType::Null && prototype.has_own_property("hasOwnProperty").unwrap_or(false) {
        return None;
    }
    let constructor: Option<Unknown<'_>> = prototype.get_named_property_unchecked("constructor").ok();
    let name = constructor
        .and_then(|class| class.coerce_to_object().ok())
        .and_then(|class| class.get_named_property::<String>("name").ok());
    Some(name.filter(|name| !name.is_empty()).unwrap_or_else(|| "object".to_owned()))
}

/// A number as an integer where it is one that a double can hold exactly; there is no integer -0.
fn number(value: f64) -> Kind<'static> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_minus_zero = value == 0.0 && value.is_sign_negative();
    if value.fract() == 0.0 && value.abs() <= EXACT && !is_minus_zero {
        #[expect(clippy::cast_possible_truncation, reason = "checked to be integral and within 2^53")]
        return Kind::Int(value as i64);
    }
    Kind::Float(value)
}

fn big_integer(value: &BigInt) -> Kind<'static> {
    let (small, lossless) = value.get_i64();
    if lossless { Kind::Int(small) } else { Kind::BigInt(decimal(value)) }
}

/// The decimal digits of an integer that is given in 64-bit words, lowest first.
fn decimal(value: &BigInt) -> String {
    const CHUNK: u128 = 10_000_000_000_000_000_000;
    let mut words = value.words.clone();
    let mut chunks = Vec::new();
    while words.iter().any(|word| *word != 0) {
        let mut rest = 0_u128;
        for word in words.iter_mut().rev() {
            let dividend = (rest << 64) | u128::from(*word);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the rest is below the divisor, so the quotient fits a word"
            )]
            {
                *word = (dividend / CHUNK) as u64;
            }
            rest = dividend % CHUNK;
        }
        chunks.push(rest);
    }
    let mut digits = if value.sign_bit { String::from("-") } else { String::new() };
    digits.push_str(&chunks.pop().unwrap_or(0).to_string());
    for chunk in chunks.iter().rev() {
        _ = write!(digits, "{chunk:019}");
    }
    digits
}

impl Host for Values<'_> {
    type Value = Slot;
    type View<'v>
        = Unknown<'v>
    where
        Self: 'v;

    fn view<'v>(&'v self, slot: &'v Slot) -> Unknown<'v> {
        self.array.get_element(slot.0).unwrap_or_else(|_| self.array.to_unknown())
    }

    fn keep(&self, view: &Unknown<'_>) -> Slot {
        self.push(*view)
    }

    /// The TypeScript layer has copied every answer already.
    fn copy(&self, view: &Unknown<'_>) -> Result<Slot, Excess> {
        self.excess.get().map_or_else(|| Ok(self.keep(view)), Err)
    }

    fn kind<'a>(&'a self, view: &'a Unknown<'_>) -> Kind<'a> {
        match view.get_type() {
            Ok(ValueType::Undefined) => Kind::Absent,
            Ok(ValueType::Null) => Kind::Null,
            Ok(ValueType::Boolean) => Kind::Bool(bool::from_unknown(*view).unwrap_or(false)),
            Ok(ValueType::Number) => number(f64::from_unknown(*view).unwrap_or(f64::NAN)),
            Ok(ValueType::BigInt) => {
                BigInt::from_unknown(*view).map_or(Kind::Other(Cow::Borrowed("bigint")), |value| big_integer(&value))
            }
            Ok(ValueType::String) => Self::text_of(view).map_or(Kind::BadText, |text| Kind::Text(Cow::Owned(text))),
            Ok(ValueType::Object) => Self::object_kind(view),
            Ok(ValueType::Symbol) => Kind::Other(Cow::Borrowed("symbol")),
            Ok(ValueType::Function) => Kind::Other(Cow::Borrowed("function")),
            _ => Kind::Other(Cow::Borrowed("unknown")),
        }
    }

    fn get<'v>(&'v self, object: &Unknown<'v>, key: &str) -> Option<Unknown<'v>> {
        let object = Object::from_unknown(*object).ok()?;
        let value: Unknown<'v> = object.get_named_property_unchecked(key).ok()?;
        if value.get_type().ok()? != ValueType::Undefined {
            // What every object inherits is no field of it.
            return (object.has_own_property(key).unwrap_or(false)).then_some(value);
        }
        None
    }

    fn item<'v>(&'v self, list: &Unknown<'v>, index: usize) -> Option<Unknown<'v>> {
        let list = Object::from_unknown(*list).ok()?;
        let index = u32::try_from(index).ok()?;
        if index >= list.get_array_length().ok()? {
            return None;
        }
        list.get_element(index).ok()
    }

    fn keys(&self, object: &Unknown<'_>) -> Result<Vec<String>, BadKey> {
        let Ok(object) = Object::from_unknown(*object) else { return Ok(Vec::new()) };
        let names = object.get_all_property_names(
            KeyCollectionMode::OwnOnly,
            KeyFilter::Enumerable,
            KeyConversion::NumbersToStrings,
        );
        let Ok(names) = names else { return Ok(Vec::new()) };
        let count = names.get_array_length().unwrap_or(0);
        let mut keys = Vec::with_capacity(count as usize);
        for index in 0..count {
            let Ok(name) = names.get_element::<Unknown<'_>>(index) else { continue };
            if name.get_type().is_ok_and(|kind| kind == ValueType::Symbol) {
                continue;
            }
            keys.push(Self::text_of(&name).map_err(|bad| BadKey(format!("{:?}", String::from_utf16_lossy(&bad))))?);
        }
        Ok(keys)
    }

    fn same(&self, a: &Unknown<'_>, b: &Unknown<'_>) -> bool {
        self.same_within(a, b, MAX_NESTING)
    }

    fn with(&self, object: &Unknown<'_>, changes: Vec<(String, Option<Slot>)>) -> Slot {
        self.changed(object, changes).unwrap_or_else(|_| self.push(*object))
    }

    fn made(&self, made: Made<'_>) -> Slot {
        // Not by way of JSON, whose numbers of any size are objects on the way to JavaScript.
        let value = match made {
            Made::Text(text) => self.env.to_js_value(&text),
            Made::Zero => self.env.to_js_value(&0),
            Made::False => self.env.to_js_value(&false),
            Made::List => self.env.to_js_value(&[0_u32; 0]),
            Made::Object => Object::new(self.env).map(|object| object.to_unknown()),
        };
        // Making a plain value fails only in an environment that is being torn down.
        value.map_or(Slot(u32::MAX), |value| self.push(value))
    }

    fn spelling(&self) -> Spelling {
        Spelling::TypeScript
    }
}

impl Values<'_> {
    fn same_within(&self, a: &Unknown<'_>, b: &Unknown<'_>, levels: usize) -> bool {
        match (self.kind(a), self.kind(b)) {
            (Kind::List(left), Kind::List(right)) => {
                left == right
                    && levels > 0
                    && (0..left).all(|index| match (self.item(a, index), self.item(b, index)) {
                        (Some(left), Some(right)) => self.same_within(&left, &right, levels - 1),
                        (None, None) => true,
                        _ => false,
                    })
            }
            (Kind::Object, Kind::Object) => {
                let (Ok(left), Ok(right)) = (self.keys(a), self.keys(b)) else { return false };
                left.len() == right.len()
                    && levels > 0
                    && left.iter().all(|key| match (self.get(a, key), self.get(b, key)) {
                        (Some(left), Some(right)) => self.same_within(&left, &right, levels - 1),
                        (None, None) => right.contains(key),
                        _ => false,
                    })
            }
            (Kind::Float(left), Kind::Float(right)) if left.is_nan() => right.is_nan(),
            (Kind::BadText | Kind::Other(_), Kind::BadText | Kind::Other(_)) => {
                self.env.strict_equals(*a, *b).unwrap_or(false)
            }
            (left, right) => left == right,
        }
    }

    fn changed(&self, object: &Unknown<'_>, mut changes: Vec<(String, Option<Slot>)>) -> napi::Result<Slot> {
        let mut copy = Object::new(self.env)?;
        let source = Object::from_unknown(*object)?;
        for key in self.keys(object).unwrap_or_default() {
            let change = changes.iter().position(|(name, _)| *name == key).map(|place| changes.remove(place).1);
            let value = match change {
                None => source.get_named_property_unchecked(&key)?,
                Some(Some(slot)) => self.array.get_element(slot.0)?,
                Some(None) => continue,
            };
            set_field(&mut copy, &key, value)?;
        }
        for (key, slot) in changes {
            let Some(slot) = slot else { continue };
            set_field(&mut copy, &key, self.array.get_element(slot.0)?)?;
        }
        Ok(self.push(copy.to_unknown()))
    }
}

/// Sets a field of any name: assigning to `__proto__` would change what the object is.
fn set_field(object: &mut Object<'_>, key: &str, value: Unknown<'_>) -> napi::Result<()> {
    if key != "__proto__" {
        return object.set_named_property(key, value);
    }
    let attributes = napi::PropertyAttributes::Writable
        | napi::PropertyAttributes::Enumerable
        | napi::PropertyAttributes::Configurable;
    object.define_properties(&[Property::new()
        .with_utf8_name(key)?
        .with_value(&value)
        .with_property_attributes(attributes)])
}
