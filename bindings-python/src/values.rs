//! Python values as the core reads them.

use std::borrow::Cow;
use std::cell::RefCell;

use hookweave_host::json::{to_json, to_shown};
use hookweave_host::payload::{BadKey, Excess, Host, Kind, MAX_NESTING, Made, Room, Spelling};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDelta, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};

use crate::errors;
use crate::finalization::Enter as _;
use crate::keys::{self, common_key};
use crate::object::{Gil, Object, dict_get};
use crate::once::{Once, intern};

/// The window of the core on Python.
///
/// A look at a value owns a reference: finding a key may run the `__eq__` of another one, and that may take the value out
/// of where it was found.
pub(crate) struct PyHost<'py>(Python<'py>);

impl<'py> PyHost<'py> {
    pub(crate) const fn new(py: Python<'py>) -> Self {
        Self(py)
    }
}

/// The dict subclass with attribute access that record fields are copied into.
static RECORD: Once<Py<PyType>> = Once::new();
/// `HookResponse`, whose dict the core reads instead of it.
static RESPONSE: Once<Py<PyType>> = Once::new();

/// Remembers the Python classes that conversion knows.
pub(crate) fn set_classes(py: Python<'_>, record: &Bound<'_, PyType>, response: &Bound<'_, PyType>) {
    _ = RECORD.get_or_make(py, || Ok(record.clone().unbind()));
    _ = RESPONSE.get_or_make(py, || Ok(response.clone().unbind()));
}

/// The dict inside a `HookResponse`, also where it stands in a list by mistake, and that of a mapping of another class; any
/// other value as it is. An error means that the answer cannot be read.
pub(crate) fn answer_of(py: Python<'_>, answer: Object) -> PyResult<Object> {
    static READ: Once<Py<PyAny>> = Once::new();
    let given = answer.borrow(py);
    if let Some(inside) = inside_response(&given) {
        return Ok(Object::from_bound(inside));
    }
    let is_dict = given.is_exact_instance_of::<PyDict>() || given.cast::<PyDict>().is_ok_and(|dict| !dict.is_empty());
    if is_dict || is_record(&given) {
        return Ok(answer);
    }
    if given.is_instance_of::<PyTuple>() || given.is_instance_of::<PyList>() {
        let members = given.try_iter().into_iter().flatten().flatten();
        let read = members.map(|member| inside_response(&member).unwrap_or(member));
        return PyList::new(py, read.collect::<Vec<_>>()).map(|list| Object::from_bound(list.into_any()));
    }
    READ.import(py, c"hookweave._values", "read_mapping")?.enter((given,)).map(Object::from_bound)
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
    if value.is_exact_instance_of::<PyString>() {
        return false;
    }
    value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>()
        || is_record(value)
        || is_other_container(value)
}

/// Whether a value of any other class is a container; which are is Python's to say.
fn is_other_container(value: &Bound<'_, PyAny>) -> bool {
    static ASKED: Once<Py<PyAny>> = Once::new();
    let is_plain = value.is_none()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyBytes>();
    if is_plain {
        return false;
    }
    let asked = ASKED.import(value.py(), c"hookweave._values", "is_container");
    asked.and_then(|ask| ask.enter((value.get_type(),))?.is_truthy()).unwrap_or(false)
}

/// What Python's copies of further containers are made with: the room that is left for what is in them.
#[pyclass(frozen, module = "hookweave._native")]
pub(crate) struct Copying(Gil<RefCell<Room>>);

#[pymethods]
impl Copying {
    /// A copy of a value inside, of at most so many levels.
    fn inner<'py>(&self, value: &Bound<'py, PyAny>, levels: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        let mut room = self.0.get(py).take();
        let copied = room.enter(1, 1).and_then(|_| copy_inside(value, Shape::Same, levels, &mut room));
        self.0.get(py).replace(room);
        copied.map_err(|excess| errors::raise(py, excess.code().as_str(), &excess.to_string()))
    }
}

/// A copy of a container of any other class.
fn copy_other<'py>(value: &Bound<'py, PyAny>, levels: usize, room: &mut Room) -> Result<Bound<'py, PyAny>, Excess> {
    static COPIED: Once<Py<PyAny>> = Once::new();
    let py = value.py();
    let inner = room.enter(levels, 0)?;
    let Ok(copying) = Bound::new(py, Copying(Gil::new(RefCell::new(std::mem::take(room))))) else {
        return Err(Excess::Size);
    };
    let copied = COPIED.import(py, c"hookweave._values", "copied");
    let copied = copied.and_then(|copied| copied.enter((value, inner, &copying)));
    *room = copying.get().0.get(py).take();
    copied.map_err(|error| {
        let code = error.value(py).getattr(intern!(py, "code")).and_then(|code| code.extract::<String>());
        if code.is_ok_and(|code| code == Excess::Size.code().as_str()) { Excess::Size } else { Excess::Depth }
    })
}

/// Copies containers all the way down and shares everything else.
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
        let inner = room.enter(levels, value.cast::<PyDict>().map_or(0, PyDictMethods::len))?;
        let class = if shape == Shape::Record || (shape == Shape::Same && record) { RECORD.get(py) } else { None };
        let Ok(Ok(copied)) = value.cast::<PyDict>().map(PyDictMethods::copy) else { return Ok(value.clone()) };
        // Setting a key may run its `__hash__`, which must find no dict being gone through.
        let inside: Vec<_> = copied.iter().filter(|(_, field)| is_container(field)).collect();
        for (key, field) in inside {
            copied.set_item(key, copy_inside(&field, shape, inner, room)?).map_err(|_| Excess::Depth)?;
        }
        let Some(class) = class else { return Ok(copied.into_any()) };
        return Ok(class.bind(py).call1((&copied,)).unwrap_or(copied.into_any()));
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
    if is_other_container(value) { copy_other(value, levels, room) } else { Ok(value.clone()) }
}

/// A payload, or a value of one, whose containers the host cannot change any more.
pub(crate) fn held(py: Python<'_>, value: &Object) -> Object {
    let value = value.borrow(py);
    let Ok(Ok(fields)) = value.cast_exact::<PyDict>().map(|fields| fields.copy()) else {
        return Object::from_bound(copy_if_possible(&value));
    };
    let containers: Vec<_> = fields.iter().filter(|(_, field)| is_container(field)).collect();
    for (name, field) in containers {
        _ = fields.set_item(name, copy_if_possible(&field));
    }
    Object::from_bound(fields.into_any())
}

/// A copy; what nests too deep or holds too much stays, which no hook and no reader of the outcome is given either.
fn copy_if_possible<'py>(value: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    copy(value, Shape::Same, MAX_NESTING).unwrap_or_else(|_| value.clone())
}

/// A copy made of plain containers that nothing else refers to, its JSON text if it has one, and the text that a person is shown.
#[pyfunction]
pub(crate) fn freeze<'py>(value: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Option<String>, String)> {
    let copy = owned(value)?;
    let host = PyHost::new(value.py());
    let text = to_json(&host, &copy).ok();
    let shown = text.clone().unwrap_or_else(|| to_shown(&host, &copy));
    Ok((copy, text, shown))
}

/// A copy made of plain containers that nothing else refers to.
#[pyfunction]
pub(crate) fn owned<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    plain(value, MAX_NESTING, &mut Room::default())
        .map_err(|excess| errors::raise(value.py(), excess.code().as_str(), &excess.to_string()))
}

/// Unlike in copies for hooks, subclasses of containers become plain ones too: their maker may still refer to them.
fn plain<'py>(value: &Bound<'py, PyAny>, levels: usize, room: &mut Room) -> Result<Bound<'py, PyAny>, Excess> {
    let py = value.py();
    if let Ok(fields) = value.cast::<PyDict>() {
        let inner = room.enter(levels, fields.len())?;
        let made = PyDict::new(py);
        for (key, field) in fields.iter() {
            // A key that was in a dict goes into another one; nothing can fail but memory.
            _ = made.set_item(key, plain(&field, inner, room)?);
        }
        return Ok(made.into_any());
    }
    if let Ok(items) = value.cast::<PyList>() {
        let inner = room.enter(levels, items.len())?;
        let made = PyList::empty(py);
        for item in items.iter() {
            _ = made.append(plain(&item, inner, room)?);
        }
        return Ok(made.into_any());
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        let inner = room.enter(levels, items.len())?;
        let made = items.iter().map(|item| plain(&item, inner, room)).collect::<Result<Vec<_>, _>>()?;
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
                key.cast_exact::<PyString>()
                    .is_ok_and(|key| dict_get(b.as_any(), key).is_some_and(|other| same(&field, &other, left)))
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

impl<'py> Host for PyHost<'py> {
    type Value = Object;
    type View<'v>
        = Bound<'py, PyAny>
    where
        Self: 'v;

    fn view<'v>(&'v self, value: &'v Object) -> Bound<'py, PyAny> {
        value.bind(self.0)
    }

    fn keep(&self, view: &Bound<'py, PyAny>) -> Object {
        Object::of(view)
    }

    fn copy(&self, view: &Bound<'py, PyAny>) -> Result<Object, Excess> {
        copy(view, Shape::Same, MAX_NESTING).map(Object::from_bound)
    }

    fn kind<'a>(&'a self, view: &'a Bound<'py, PyAny>) -> Kind<'a> {
        if let Ok(text) = view.cast::<PyString>() {
            return text.to_str().map_or(Kind::BadText, |text| Kind::Text(Cow::Borrowed(text)));
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

    fn get<'v>(&'v self, object: &Bound<'py, PyAny>, key: &str) -> Option<Bound<'py, PyAny>> {
        match common_key(self.0, key) {
            Some(key) => dict_get(object, key),
            None => dict_get(object, &PyString::new(self.0, key)),
        }
    }

    fn pick<'v, const N: usize>(
        &'v self,
        object: &Bound<'py, PyAny>,
        names: &'static [&'static str; N],
    ) -> [Option<Bound<'py, PyAny>>; N] {
        let Ok(fields) = object.cast::<PyDict>() else { return [const { None }; N] };
        keys::pick(fields, names).unwrap_or_else(|| names.map(|name| self.get(object, name)))
    }

    fn text<'v, R>(&'v self, view: &Bound<'py, PyAny>, take: impl FnOnce(&str) -> R) -> Option<R> {
        view.cast::<PyString>().ok()?.to_str().ok().map(take)
    }

    fn item<'v>(&'v self, list: &Bound<'py, PyAny>, index: usize) -> Option<Bound<'py, PyAny>> {
        if let Ok(items) = list.cast::<PyList>() {
            return items.get_item(index).ok();
        }
        list.cast::<PyTuple>().ok()?.get_item(index).ok()
    }

    fn keys(&self, object: &Bound<'py, PyAny>) -> Result<Vec<String>, BadKey> {
        let Ok(fields) = object.cast::<PyDict>() else { return Ok(Vec::new()) };
        fields
            .iter()
            .map(|(key, _)| match key.cast::<PyString>().ok().and_then(|key| key.to_str().ok().map(str::to_owned)) {
                Some(key) => Ok(key),
                None => Err(BadKey(describe(&key))),
            })
            .collect()
    }

    fn same(&self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> bool {
        same(a, b, MAX_NESTING + 1)
    }

    fn with(&self, object: &Bound<'py, PyAny>, changes: Vec<(String, Option<Object>)>) -> Object {
        let made = object.cast::<PyDict>().ok().and_then(|fields| fields.copy().ok());
        let made = made.unwrap_or_else(|| PyDict::new(self.0));
        for (key, value) in changes {
            // String keys in an exact dict: neither can fail but for memory, or where the key was absent anyway.
            _ = match value {
                Some(value) => made.set_item(key, value.into_bound(self.0)),
                None => made.del_item(key),
            };
        }
        Object::from_bound(made)
    }

    fn made(&self, made: Made<'_>) -> Object {
        let py = self.0;
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

    fn duration_ms(&self, view: &Bound<'py, PyAny>) -> Option<f64> {
        let seconds = match self.kind(view) {
            #[expect(clippy::cast_precision_loss, reason = "a duration beyond 2^53 s is refused as too long anyway")]
            Kind::Int(number) => number as f64,
            Kind::Float(number) => number,
            _ => {
                let delta = view.cast::<PyDelta>().ok()?;
                delta.call_method0(intern!(self.0, "total_seconds")).ok()?.extract().ok()?
            }
        };
        Some(seconds * 1000.0)
    }
}

/// A key that is no string, for a message: its repr if that is a built-in type's, else the name of its type.
fn describe(key: &Bound<'_, PyAny>) -> String {
    let plain = key.is_exact_instance_of::<PyInt>() || key.is_exact_instance_of::<PyFloat>() || key.is_none();
    if plain || key.is_exact_instance_of::<PyBool>() || key.is_exact_instance_of::<PyString>() {
        return key.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
    }
    key.get_type().name().map_or_else(|_| "?".to_owned(), |name| format!("of type {name}"))
}
