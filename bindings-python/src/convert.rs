//! Python values as the core reads them.

use std::borrow::Cow;

use hookweave::payload::{BadKey, Excess, Host, Kind, MAX_NESTING, Made, Room, Spelling};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDelta, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use pyo3::{Borrowed, intern};

use crate::keys::{self, usual_key};
use crate::object::{Attached, Object, dict_get, item_get, utf8};

/// The window of the core on Python.
pub(crate) struct PyHost(Attached);

impl PyHost {
    pub(crate) fn new(py: Python<'_>) -> Self {
        Self(Attached::new(py))
    }
}

/// The dict subclass with attribute access that record fields are copied into.
static RECORD: PyOnceLock<Py<PyType>> = PyOnceLock::new();
/// `HookResponse`, whose dict the core reads instead of it.
static RESPONSE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Remembers the Python classes that conversion knows.
pub(crate) fn set_classes(py: Python<'_>, record: &Bound<'_, PyType>, response: &Bound<'_, PyType>) {
    _ = RECORD.set(py, record.clone().unbind());
    _ = RESPONSE.set(py, response.clone().unbind());
}

/// The dict inside a `HookResponse`, also where it stands in a list by mistake; any other value as it is.
pub(crate) fn answer_of(py: Python<'_>, answer: Object) -> Object {
    let given = answer.borrow(py);
    if let Some(inside) = inside_response(&given) {
        return Object::from_bound(inside);
    }
    if given.is_instance_of::<PyTuple>() || given.is_instance_of::<PyList>() {
        let members = given.try_iter().into_iter().flatten().flatten();
        let read = members.map(|member| inside_response(&member).unwrap_or(member));
        if let Ok(list) = PyList::new(py, read.collect::<Vec<_>>()) {
            return Object::from_bound(list.into_any());
        }
    }
    answer
}

fn inside_response<'py>(answer: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let py = answer.py();
    let is_response = RESPONSE.get(py).is_some_and(|class| answer.is_instance(class.bind(py)).unwrap_or(false));
    if is_response { answer.getattr(intern!(py, "_answer")).ok() } else { None }
}

/// How the copy of a mapping is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Every mapping stays what it is: a dict, or a record where it was one.
    Same,
    /// Every mapping becomes a record, with attribute access.
    Record,
    /// Every mapping becomes a plain dict.
    Plain,
}

fn is_record(value: &Bound<'_, PyAny>) -> bool {
    RECORD.get(value.py()).is_some_and(|class| value.get_type_ptr().cast() == class.as_ptr())
}

/// Whether the engine copies this value rather than sharing it.
#[inline]
pub(crate) fn is_container(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>()
        || is_record(value)
}

/// Copies exact containers all the way down and shares everything else.
pub(crate) fn copy<'py>(value: &Bound<'py, PyAny>, shape: Shape, levels: usize) -> Result<Bound<'py, PyAny>, Excess> {
    copy_inside(value, shape, levels, &mut Room::default())
}

fn copy_inside<'py>(
    value: &Bound<'py, PyAny>,
    shape: Shape,
    levels: usize,
    room: &mut Room,
) -> Result<Bound<'py, PyAny>, Excess> {
    let py = value.py();
    let record = is_record(value);
    if record || value.is_exact_instance_of::<PyDict>() {
        let inner = room.enter(levels, value.cast::<PyDict>().map_or(0, |fields| fields.len()))?;
        let class = if shape == Shape::Record || (shape == Shape::Same && record) { RECORD.get(py) } else { None };
        if class.is_none()
            && let Ok(fields) = value.cast_exact::<PyDict>()
            && fields.iter().all(|(_, field)| !is_container(&field))
            && let Ok(copied) = fields.copy()
        {
            // Only leaves: CPython copies the table as it is.
            return Ok(copied.into_any());
        }
        let made = class.and_then(|class| class.bind(py).call0().ok()).and_then(|made| made.cast_into::<PyDict>().ok());
        let made = made.unwrap_or_else(|| PyDict::new(py));
        if let Ok(fields) = value.cast::<PyDict>() {
            for (key, field) in fields.iter() {
                // Setting an existing dict's keys in a new dict hashes nothing new; it cannot fail but for memory.
                _ = made.set_item(key, copy_inside(&field, shape, inner, room)?);
            }
        }
        return Ok(made.into_any());
    }
    if let Ok(items) = value.cast_exact::<PyList>() {
        let inner = room.enter(levels, items.len())?;
        let made = PyList::empty(py);
        for item in items.iter() {
            _ = made.append(copy_inside(&item, shape, inner, room)?);
        }
        return Ok(made.into_any());
    }
    if let Ok(items) = value.cast_exact::<PyTuple>() {
        let inner = room.enter(levels, items.len())?;
        let made = items.iter().map(|item| copy_inside(&item, shape, inner, room)).collect::<Result<Vec<_>, _>>()?;
        return Ok(PyTuple::new(py, made).map_or_else(|_| value.clone(), Bound::into_any));
    }
    Ok(value.clone())
}

/// The decimal digits of an integer; `None` beyond what Python converts (4,300 digits unless set otherwise).
fn digits(number: &Bound<'_, PyAny>) -> Option<String> {
    let plain = number.py().get_type::<PyInt>().call_method1(intern!(number.py(), "__repr__"), (number,)).ok()?;
    plain.extract().ok()
}

fn same(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>, left: usize) -> bool {
    if a.is(b) {
        return true;
    }
    let Some(left) = left.checked_sub(1) else { return false };
    if let (Ok(a), Ok(b)) = (a.cast::<PyDict>(), b.cast::<PyDict>()) {
        return a.len() == b.len()
            && a.iter().all(|(key, field)| {
                key.is_exact_instance_of::<PyString>()
                    && dict_get(b.py(), b.as_any().as_borrowed(), key.as_ptr())
                        .is_some_and(|other| same(&field, &other, left))
            });
    }
    if let (Ok(a), Ok(b)) = (a.cast_exact::<PyList>(), b.cast_exact::<PyList>()) {
        return a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(&a, &b, left));
    }
    if let (Ok(a), Ok(b)) = (a.cast_exact::<PyTuple>(), b.cast_exact::<PyTuple>()) {
        return a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(&a, &b, left));
    }
    // Comparing two values of one built-in type runs no user code.
    let comparable = a.is_exact_instance_of::<PyString>()
        || a.is_exact_instance_of::<PyInt>()
        || a.is_exact_instance_of::<PyFloat>();
    comparable && a.get_type().is(b.get_type()) && a.eq(b).unwrap_or(false)
}

impl Host for PyHost {
    type Value = Object;
    type View<'v> = Borrowed<'v, 'v, PyAny>;

    fn view<'v>(&'v self, value: &'v Object) -> Self::View<'v> {
        value.borrow(self.0.py())
    }

    fn keep(&self, view: &Self::View<'_>) -> Object {
        Object::of(view)
    }

    fn copy(&self, view: &Self::View<'_>) -> Result<Object, Excess> {
        copy(view, Shape::Same, MAX_NESTING).map(Object::from_bound)
    }

    fn kind<'v>(&'v self, view: &Self::View<'v>) -> Kind<'v> {
        if view.is_instance_of::<PyString>() {
            return text_kind(*view);
        }
        if view.is_instance_of::<PyDict>() {
            return Kind::Object;
        }
        if view.is_none() {
            return Kind::Null;
        }
        if let Ok(items) = view.cast::<PyList>() {
            return Kind::List(items.len());
        }
        if let Ok(items) = view.cast::<PyTuple>() {
            return Kind::List(items.len());
        }
        if let Ok(flag) = view.cast::<PyBool>() {
            return Kind::Bool(flag.is_true());
        }
        if let Ok(number) = view.cast::<PyInt>() {
            return number.extract::<i64>().map_or_else(
                |_| digits(view).map_or(Kind::Other(Cow::Borrowed("int with more than 4300 digits")), Kind::BigInt),
                Kind::Int,
            );
        }
        if let Ok(number) = view.cast::<PyFloat>() {
            return Kind::Float(number.value());
        }
        let name = view.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        Kind::Other(Cow::Owned(name))
    }

    fn get<'v>(&'v self, object: &Self::View<'v>, key: &str) -> Option<Self::View<'v>> {
        if !object.is_instance_of::<PyDict>() {
            return None;
        }
        let py = self.0.py();
        match usual_key(py, key) {
            Some(key) => dict_get(py, *object, key.as_ptr()),
            None => dict_get(py, *object, PyString::new(py, key).as_ptr()),
        }
    }

    fn pick<'v, const N: usize>(
        &'v self,
        object: &Self::View<'v>,
        names: &'static [&'static str; N],
    ) -> [Option<Self::View<'v>>; N] {
        if !object.is_instance_of::<PyDict>() {
            return [None; N];
        }
        keys::pick(self.0.py(), *object, names).unwrap_or_else(|| names.map(|name| self.get(object, name)))
    }

    fn text<'v, R>(&'v self, view: &Self::View<'v>, take: impl FnOnce(&str) -> R) -> Option<R> {
        if view.is_instance_of::<PyString>() { utf8(*view).map(take) } else { None }
    }

    fn item<'v>(&'v self, list: &Self::View<'v>, index: usize) -> Option<Self::View<'v>> {
        item_get(self.0.py(), *list, index)
    }

    fn keys(&self, object: &Self::View<'_>) -> Result<Vec<String>, BadKey> {
        let Ok(fields) = object.cast::<PyDict>() else { return Ok(Vec::new()) };
        fields
            .iter()
            .map(|(key, _)| match key.cast::<PyString>().ok().and_then(|key| key.to_str().ok().map(str::to_owned)) {
                Some(key) => Ok(key),
                None => Err(BadKey(describe(&key))),
            })
            .collect()
    }

    fn same(&self, a: &Self::View<'_>, b: &Self::View<'_>) -> bool {
        same(a, b, MAX_NESTING + 1)
    }

    fn with(&self, object: &Self::View<'_>, changes: Vec<(String, Option<Object>)>) -> Object {
        let made = object.cast::<PyDict>().ok().and_then(|fields| fields.copy().ok());
        let made = made.unwrap_or_else(|| PyDict::new(self.0.py()));
        for (key, value) in changes {
            // String keys in an exact dict: neither can fail but for memory, or where the key was absent anyway.
            _ = match value {
                Some(value) => made.set_item(key, value.into_bound(self.0.py())),
                None => made.del_item(key),
            };
        }
        Object::from_bound(made)
    }

    fn made(&self, made: Made<'_>) -> Object {
        let py = self.0.py();
        match made {
            Made::Text(text) => Object::from_bound(PyString::new(py, text)),
            Made::Zero => Object::from_bound(PyInt::new(py, 0)),
            Made::False => Object::of(&PyBool::new(py, false)),
            Made::List => Object::from_bound(PyList::empty(py)),
            Made::Object => Object::from_bound(PyDict::new(py)),
        }
    }

    fn spelling(&self) -> Spelling {
        Spelling::Python
    }

    fn duration_ms(&self, view: &Self::View<'_>) -> Option<f64> {
        let seconds = match self.kind(view) {
            #[expect(clippy::cast_precision_loss, reason = "a duration beyond 2^53 s is refused as too long anyway")]
            Kind::Int(number) => number as f64,
            Kind::Float(number) => number,
            _ => {
                let delta = view.cast::<PyDelta>().ok()?;
                delta.call_method0(intern!(self.0.py(), "total_seconds")).ok()?.extract().ok()?
            }
        };
        Some(seconds * 1000.0)
    }
}

/// Text as UTF-8, which Python keeps inside the string object after the first look.
fn text_kind<'v>(view: Borrowed<'v, '_, PyAny>) -> Kind<'v> {
    utf8(view).map_or(Kind::BadText, |text| Kind::Text(Cow::Borrowed(text)))
}

/// A key that is no string, for a message: its repr if that is a built-in type's, else the name of its type.
fn describe(key: &Bound<'_, PyAny>) -> String {
    let plain = key.is_exact_instance_of::<PyInt>() || key.is_exact_instance_of::<PyFloat>() || key.is_none();
    if plain || key.is_exact_instance_of::<PyBool>() || key.is_exact_instance_of::<PyString>() {
        return key.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
    }
    key.get_type().name().map_or_else(|_| "?".to_owned(), |name| format!("of type {name}"))
}
