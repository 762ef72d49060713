//! The event object that handlers get: a read-only view of the host's payload.
//!
//! A container is copied when a handler first touches its field, so that no handler can change what others see. The
//! two types are made by hand: the events of the catalogue are Python classes derived from [`EventType`], and pyo3
//! cannot make instances of such classes; a field is read through [`FieldType`] without a call into Python.
#![expect(unsafe_code, reason = "two type objects made with PyType_FromSpec; each use says why it is sound")]

use std::ffi::{c_int, c_uint, c_void};
use std::mem::size_of;
use std::ptr;
use std::sync::Arc;

use hookweave_host::directory::Directory;
use hookweave_host::error::Error;
use hookweave_host::payload::Excess;
use hookweave_host::payload::MAX_NESTING;
use hookweave_host::tool::KnownTools;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use crate::envelope::{self, Fields};
use crate::errors;
use crate::object::{Object, dict_get};
use crate::once::{Once, intern};
use crate::slots::{guarded, guarded_here};
use crate::values::{PyHost, Shape, copy, is_container};

/// An `Event` instance. All zero bytes, as CPython allocates it, is an event without anything.
#[repr(C)]
struct Event {
    base: ffi::PyObject,
    /// The canonical event name, a `str`.
    name: Option<Object>,
    /// The host's dict, which is not changed here.
    payload: Option<Object>,
    /// Values that the engine made up because the payload lacks them; shared by all events of one dispatch.
    filled: Option<Object>,
    /// The client that dispatches it; none outside of a dispatch.
    around: Option<Arc<Around>>,
    /// No dispatch waits for its holder.
    is_silent: bool,
    /// The container that this holder touched first, copied, and the name of its field.
    first_name: Option<Object>,
    first: Option<Object>,
    /// Further ones in a dict by name; most hooks touch one.
    more: Option<Object>,
}

/// What a client knows that its events are read with.
#[derive(Default)]
pub(crate) struct Around {
    /// Where an event happens unless its payload says so.
    pub(crate) directory: Directory,
    /// The tools that the program has defined.
    pub(crate) tools: Arc<KnownTools>,
}

/// A `Field` instance: the descriptor of one payload field.
#[repr(C)]
struct Field {
    base: ffi::PyObject,
    name: Option<Object>,
    shape: Shape,
}

static EVENT: Once<Py<PyType>> = Once::new();
static FIELD: Once<Py<PyType>> = Once::new();

fn class_of(py: Python<'_>, cell: &Once<Py<PyType>>) -> *mut ffi::PyTypeObject {
    cell.get(py).map_or(ptr::null_mut(), |class| class.as_ptr().cast())
}

/// A class of events: `Event`'s own type, or one derived from it.
pub(crate) struct Class(Object);

impl Class {
    /// Takes a class for events by its type, without asking its metaclass.
    pub(crate) fn of(class: &Bound<'_, PyAny>) -> PyResult<Self> {
        let event = class_of(class.py(), &EVENT);
        // SAFETY: both are live types.
        let derives = class
            .cast::<PyType>()
            .is_ok_and(|class| unsafe { !event.is_null() && ffi::PyType_IsSubtype(class.as_type_ptr(), event) != 0 });
        if derives { Ok(Self(Object::of(class))) } else { Err(PyTypeError::new_err("this is no class of events")) }
    }
}

/// An event object that this extension made, so that its layout needs no check.
pub(crate) struct OwnEvent(Object);

impl OwnEvent {
    /// Makes an event of a class that derives from `Event`.
    #[inline]
    pub(crate) fn make(
        py: Python<'_>,
        class: &Class,
        name: &Object,
        payload: &Object,
        filled: Option<&Object>,
        around: Option<&Arc<Around>>,
    ) -> PyResult<Self> {
        // SAFETY: `class` is a `Class`, so its instances begin with this layout; CPython hands out zeroed memory, which is a
        // valid `Event`, and keeps track of it for the garbage collector.
        unsafe {
            let made = ffi::PyType_GenericAlloc(class.0.as_ptr().cast(), 0);
            let Some(made) = Object::from_owned(py, made) else {
                return Err(PyErr::fetch(py));
            };
            let event = made.as_ptr().cast::<Event>();
            (*event).name = Some(name.clone());
            (*event).payload = Some(payload.clone());
            (*event).filled = filled.cloned();
            (*event).around = around.cloned();
            Ok(Self(made))
        }
    }

    #[inline]
    pub(crate) fn view(&self) -> EventRef<'_> {
        EventRef(&self.0)
    }

    pub(crate) const fn object(&self) -> &Object {
        &self.0
    }

    pub(crate) fn into_object(self) -> Object {
        self.0
    }
}

/// An event object, with any holder.
pub(crate) struct EventRef<'a>(&'a Object);

impl<'a> EventRef<'a> {
    /// Looks at an object as an event; `None` if it is something else.
    pub(crate) fn of(py: Python<'_>, object: &'a Object) -> Option<Self> {
        let class = class_of(py, &EVENT);
        // SAFETY: both are live.
        let is_event = !class.is_null() && unsafe { ffi::PyObject_TypeCheck(object.as_ptr(), class) != 0 };
        is_event.then_some(Self(object))
    }

    fn raw(&self) -> *mut Event {
        self.0.as_ptr().cast()
    }

    /// The dict that this is a view of.
    pub(crate) fn payload(&self) -> Option<Object> {
        // SAFETY: `self` is an event, and the reference is cloned before anything else runs.
        unsafe { (*self.raw()).payload.clone() }
    }

    /// Lets its holder see a copy of the payload from now on.
    pub(crate) fn hold(&self, payload: &Object) {
        // SAFETY: `self` is an event; the old value is taken out first, because dropping it may run Python code.
        let old = unsafe { (*self.raw()).payload.replace(payload.clone()) };
        drop(old);
    }

    /// The canonical event name.
    pub(crate) fn name(&self) -> Option<Object> {
        // SAFETY: as above.
        unsafe { (*self.raw()).name.clone() }
    }

    /// What its client knows.
    fn around(&self) -> Arc<Around> {
        // SAFETY: as above.
        unsafe { (*self.raw()).around.clone() }.unwrap_or_default()
    }

    /// Something that the engine reads of the whole payload, by the event's name and the client's tools.
    pub(crate) fn judged<'py, T: Default>(
        &self,
        py: Python<'py>,
        read: impl FnOnce(&PyHost<'py>, &str, &Object, &KnownTools) -> Result<T, Error>,
    ) -> PyResult<T> {
        let (Some(name), Some(payload)) = (self.name(), self.payload()) else { return Ok(T::default()) };
        let name = name.borrow(py).cast::<PyString>()?.to_str()?.to_owned();
        read(&PyHost::new(py), &name, &payload, &self.around().tools).map_err(|error| errors::of(py, &error))
    }

    /// What the engine made up for this event so far.
    #[inline]
    pub(crate) fn filled(&self) -> Option<Object> {
        // SAFETY: as above.
        unsafe { (*self.raw()).filled.clone() }
    }

    /// The dict of made-up values, made now so that another event can share it.
    pub(crate) fn share_filled(&self, py: Python<'_>) -> Object {
        self.filled().unwrap_or_else(|| {
            let made = Object::from_bound(PyDict::new(py));
            // SAFETY: `self` is an event, and there was no value that could be dropped here.
            unsafe { (*self.raw()).filled = Some(made.clone()) };
            made
        })
    }

    /// Forgets what its last holder touched, so that the next one sees the payload again.
    #[inline]
    pub(crate) fn renew(&self) {
        // SAFETY: `self` is an event; the old copies are taken out first, because dropping them may run Python code.
        let old = unsafe { ((*self.raw()).first.take(), (*self.raw()).more.take()) };
        drop(old);
    }

    /// One field as this holder sees it; `None` if the payload lacks it and the engine makes none up.
    pub(crate) fn read(&self, py: Python<'_>, name: &Bound<'_, PyString>, shape: Shape) -> PyResult<Option<Object>> {
        if name.is(intern!(py, "event_type")) {
            return Ok(self.name());
        }
        if let Some(touched) = self.touched(py, name) {
            return Ok(Some(touched));
        }
        let Some(payload) = self.payload() else { return Ok(None) };
        let Some(value) = dict_get(&payload.borrow(py), name) else { return self.fill(py, name) };
        if value.is_none() && envelope::is_made_up(name) {
            return self.fill(py, name).map(|made| made.or_else(|| Some(Object::none(py))));
        }
        if !is_container(&value) {
            return Ok(Some(Object::of(&value)));
        }
        self.check_shown(py, name)?;
        let made = copy(&value, shape, MAX_NESTING).map_err(|excess| {
            let what = format!("{name}: {excess}");
            self.note_unshown(py, &what);
            errors::raise(py, excess.code().as_str(), &format!("{what}; hooks get copies of at most that"))
        })?;
        self.keep_touched(py, name, &made)?;
        Ok(Some(Object::from_bound(made)))
    }

    /// Notes that its holder could not be shown something of it: no hook is to blame for that, and none may be got past by it.
    #[cold]
    pub(crate) fn note_unshown(&self, py: Python<'_>, what: &str) {
        // SAFETY: `self` is an event.
        if !unsafe { (*self.raw()).is_silent } {
            envelope::note_unshown(py, &self.share_filled(py), what);
        }
    }

    /// Refuses a field at once that was too large for another hook of the dispatch: finding out takes its time.
    fn check_shown(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<()> {
        let Some(unshown) = self.filled().and_then(|filled| envelope::unshown(py, &filled)) else { return Ok(()) };
        let what = format!("{name}: {}", Excess::Size);
        if unshown.ends_with(&what) { Err(errors::raise(py, Excess::Size.code().as_str(), &what)) } else { Ok(()) }
    }

    /// Marks that no dispatch waits for its holder: values that it cannot be shown block nothing.
    pub(crate) fn silence(&self) {
        // SAFETY: `self` is an event.
        unsafe { (*self.raw()).is_silent = true };
    }

    /// The copy that this holder got of a field before.
    #[inline]
    fn touched(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> Option<Object> {
        // SAFETY: `self` is an event; every part is cloned before other code runs.
        unsafe {
            let event = self.raw();
            let first = (*event).first.as_ref()?;
            if (*event).first_name.as_ref().is_some_and(|first| first.as_ptr() == name.as_ptr()) {
                return Some(first.clone());
            }
            let more = (*event).more.clone()?;
            dict_get(&more.borrow(py), name).map(Object::from_bound)
        }
    }

    /// Remembers the copy of a field; names are interned, so that an address is as good as a name.
    #[inline]
    fn keep_touched(&self, py: Python<'_>, name: &Bound<'_, PyString>, copy: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: `self` is an event; what is replaced is taken out before it is dropped.
        let more = unsafe {
            let event = self.raw();
            if (*event).first.is_none() {
                let old = ((*event).first_name.replace(Object::of(name)), (*event).first.replace(Object::of(copy)));
                drop(old);
                return Ok(());
            }
            (*event).more.get_or_insert_with(|| Object::from_bound(PyDict::new(py))).clone()
        };
        more.borrow(py).cast::<PyDict>()?.set_item(name, copy)
    }

    /// The whole payload with what the engine made up.
    pub(crate) fn whole<'py>(&self, py: Python<'py>, fields: Fields) -> PyResult<Bound<'py, PyDict>> {
        let (Some(name), Some(payload)) = (self.name(), self.payload()) else { return Ok(PyDict::new(py)) };
        let whole = envelope::whole(py, &name, &payload, &self.share_filled(py), &self.around().directory, fields);
        whole.inspect_err(|error| self.note_unshown(py, &errors::describe(py, error)))
    }

    /// The whole event as canonical JSON text; `payload_not_json` names the path of a value that has none.
    pub(crate) fn json(&self, py: Python<'_>) -> PyResult<String> {
        let whole = self.whole(py, Fields::Shared)?;
        hookweave_host::json::to_json(&PyHost::new(py), whole.as_any()).map_err(|error| {
            self.note_unshown(py, &error.to_string());
            errors::raise(py, "payload_not_json", &error.to_string())
        })
    }

    /// A value that the engine makes up, the same for every hook of the dispatch.
    fn fill(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<Option<Object>> {
        if let Some(filled) = self.filled()
            && let Some(found) = dict_get(&filled.borrow(py), name)
        {
            return Ok(Some(Object::from_bound(found)));
        }
        let Some(event) = self.name() else { return Ok(None) };
        let Some(made) = envelope::value(py, &event, name, &self.around().directory)? else { return Ok(None) };
        if is_container(&made.borrow(py)) {
            self.keep_touched(py, name, &made.borrow(py))?;
            return Ok(Some(made));
        }
        let filled = self.share_filled(py);
        filled.borrow(py).cast::<PyDict>()?.set_item(name, made.borrow(py))?;
        Ok(Some(made))
    }
}

/// How a field read by its name is copied: those whose names belong to the catalogue get attribute access.
pub(crate) fn shape_of(name: &Bound<'_, PyString>) -> Shape {
    let is_record = |name: &str| {
        name == "usage"
            || hookweave_host::event::BUILT_IN
                .iter()
                .flat_map(|event| event.fields)
                .any(|field| field.name == name && field.kind == hookweave_host::event::FieldKind::Record)
    };
    if name.to_str().is_ok_and(is_record) { Shape::Record } else { Shape::Same }
}

extern "C" fn event_new(
    class: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(ptr::null_mut(), |py| {
        // SAFETY: CPython passes the class, a tuple, and a dict or null.
        let (class, args, fields) = unsafe {
            (
                Bound::from_borrowed_ptr(py, class.cast()),
                Bound::from_borrowed_ptr(py, args).cast_into::<pyo3::types::PyTuple>()?,
                Bound::from_borrowed_ptr_or_opt(py, kwargs).map(Bound::cast_into::<PyDict>).transpose()?,
            )
        };
        let own = class.getattr_opt(intern!(py, "event_name"))?.filter(|name| !name.is_none());
        let name = match (own, args.len()) {
            (Some(name), 0) => name.cast_into::<PyString>()?,
            (None, 1) => args.get_item(0)?.cast_into::<PyString>()?,
            (Some(_), _) => {
                return Err(PyTypeError::new_err("an event takes its fields by name: PreToolUseEvent(tool=…, args=…)"));
            }
            (None, _) => {
                return Err(PyTypeError::new_err("Event() takes the event's name: Event(\"deploy:start\", target=…)"));
            }
        };
        let payload = fields.map_or_else(|| Ok(PyDict::new(py)), |fields| fields.copy())?;
        let class = Class::of(class.as_any())?;
        let made = OwnEvent::make(py, &class, &Object::from_bound(name), &Object::from_bound(payload), None, None)?;
        Ok(made.into_object().into_ptr())
    })
}

extern "C" fn event_dealloc(object: *mut ffi::PyObject) {
    // SAFETY: CPython destroys an instance once; the collector forgets it before its parts go, its memory is freed, and the type
    // loses the reference that every instance of a heap type holds.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        event_clear(object);
        free(object);
    }
}

extern "C" fn event_clear(object: *mut ffi::PyObject) -> c_int {
    // SAFETY: CPython passes a live instance. All parts are taken out before the first is dropped, which may run Python code.
    unsafe {
        let event = object.cast::<Event>();
        let parts = ((*event).name.take(), (*event).payload.take(), (*event).filled.take());
        let copies = ((*event).first_name.take(), (*event).first.take(), (*event).more.take());
        drop((parts, copies, (*event).around.take()));
    }
    0
}

extern "C" fn event_traverse(object: *mut ffi::PyObject, visit: ffi::visitproc, arg: *mut c_void) -> c_int {
    // SAFETY: CPython passes a live instance, and what to call with each object that it refers to, its type included.
    unsafe {
        let Event { name, payload, filled, first_name, first, more, .. } = &*object.cast::<Event>();
        let parts = [name, payload, filled, first_name, first, more].into_iter().flatten().map(Object::as_ptr);
        for part in parts.chain([ffi::Py_TYPE(object).cast()]) {
            let result = visit(part, arg);
            if result != 0 {
                return result;
            }
        }
    }
    0
}

/// Frees an instance of a heap type.
///
/// # Safety
/// The instance's parts are dropped and nothing refers to it.
unsafe fn free(object: *mut ffi::PyObject) {
    // SAFETY: as the caller promises; every type has `tp_free` once it is ready.
    unsafe {
        let class = ffi::Py_TYPE(object);
        if let Some(release) = (*class).tp_free {
            release(object.cast::<c_void>());
        }
        ffi::Py_DECREF(class.cast());
    }
}

extern "C" fn event_setattr(object: *mut ffi::PyObject, name: *mut ffi::PyObject, _value: *mut ffi::PyObject) -> c_int {
    guarded(-1, |py| {
        // SAFETY: CPython passes live objects.
        let (event, name) = unsafe { (Bound::from_borrowed_ptr(py, object), Bound::from_borrowed_ptr(py, name)) };
        Err(PyAttributeError::new_err(format!(
            "{}.{name} cannot be assigned: a hook changes an event by its answer, \
             HookResponse.continue_(modified={{\"{name}\": …}})",
            event.get_type().name()?
        )))
    })
}

extern "C" fn field_new(
    class: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(ptr::null_mut(), |py| {
        // SAFETY: CPython passes the class, a tuple, and a dict or null.
        let (args, none) = unsafe { (Bound::from_borrowed_ptr(py, args), kwargs.is_null()) };
        if !none {
            return Err(PyTypeError::new_err("Field() takes no keyword arguments"));
        }
        let (name, record): (Bound<'_, PyString>, bool) =
            args.extract().or_else(|_| args.extract().map(|(name,)| (name, false)))?;
        // SAFETY: the class is `Field` or derives from it; zeroed memory is a valid `Field` but for its shape, set here.
        unsafe {
            let made = Object::from_owned(py, ffi::PyType_GenericAlloc(class, 0)).ok_or_else(|| PyErr::fetch(py))?;
            let field = made.as_ptr().cast::<Field>();
            let mut name = name.into_ptr();
            ffi::PyUnicode_InternInPlace(&raw mut name);
            (*field).name = Object::from_owned(py, name);
            (*field).shape = if record { Shape::Record } else { Shape::Same };
            Ok(made.into_ptr())
        }
    })
}

extern "C" fn field_dealloc(object: *mut ffi::PyObject) {
    // SAFETY: as in `event_dealloc`.
    unsafe {
        let name = (*object.cast::<Field>()).name.take();
        drop(name);
        free(object);
    }
}

extern "C" fn field_get(
    descriptor: *mut ffi::PyObject,
    object: *mut ffi::PyObject,
    _class: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    if object.is_null() {
        // SAFETY: reading the descriptor on the class gives itself.
        unsafe { ffi::Py_INCREF(descriptor) };
        return descriptor;
    }
    // SAFETY: CPython calls a slot attached. The parts are cloned before any Python code runs.
    let (py, event, name, shape) = unsafe {
        let field = descriptor.cast::<Field>();
        ffi::Py_INCREF(object);
        let py = Python::assume_attached();
        (py, Object::from_owned(py, object), (*field).name.clone(), (*field).shape)
    };
    let (Some(event), Some(name)) = (event, name) else { return ptr::null_mut() };
    guarded_here(ptr::null_mut(), || {
        let Some(event) = EventRef::of(py, &event) else {
            return Err(PyTypeError::new_err("this field belongs to hookweave events"));
        };
        let value = event.read(py, name.bind(py).cast::<PyString>()?, shape)?;
        Ok(value.unwrap_or_else(|| Object::none(py)).into_ptr())
    })
}

extern "C" fn field_set(
    _descriptor: *mut ffi::PyObject,
    object: *mut ffi::PyObject,
    _value: *mut ffi::PyObject,
) -> c_int {
    // Reached only through `Field.__set__` itself: the event's own attribute assignment refuses before.
    // SAFETY: CPython passes a live object.
    guarded(-1, |py| {
        Err(PyAttributeError::new_err(format!(
            "{} is read-only",
            unsafe { Bound::from_borrowed_ptr(py, object) }.get_type().name()?
        )))
    })
}

fn make_type(
    py: Python<'_>,
    name: &'static std::ffi::CStr,
    size: usize,
    flags: std::ffi::c_ulong,
    slots: Vec<(c_int, *mut c_void)>,
) -> PyResult<Py<PyType>> {
    let mut slots: Vec<_> = slots.into_iter().map(|(slot, pfunc)| ffi::PyType_Slot { slot, pfunc }).collect();
    slots.push(ffi::PyType_Slot { slot: 0, pfunc: ptr::null_mut() });
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: c_int::try_from(size).unwrap_or(c_int::MAX),
        itemsize: 0,
        flags: c_uint::try_from(ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_BASETYPE | flags).unwrap_or_default(),
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the spec and its slots are well formed and copied by CPython; the name is static.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec)) }?;
    Ok(made.cast_into::<PyType>()?.unbind())
}

/// Makes the two types and adds them to the module.
pub(crate) fn add_types(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let event = EVENT.get_or_make(py, || {
        make_type(
            py,
            c"hookweave._native.EventBase",
            size_of::<Event>(),
            ffi::Py_TPFLAGS_HAVE_GC,
            vec![
                (ffi::Py_tp_new, event_new as *mut c_void),
                (ffi::Py_tp_dealloc, event_dealloc as *mut c_void),
                (ffi::Py_tp_traverse, event_traverse as *mut c_void),
                (ffi::Py_tp_clear, event_clear as *mut c_void),
                (ffi::Py_tp_setattro, event_setattr as *mut c_void),
            ],
        )
    })?;
    let field = FIELD.get_or_make(py, || {
        make_type(
            py,
            c"hookweave._native.Field",
            size_of::<Field>(),
            0,
            vec![
                (ffi::Py_tp_new, field_new as *mut c_void),
                (ffi::Py_tp_dealloc, field_dealloc as *mut c_void),
                (ffi::Py_tp_descr_get, field_get as *mut c_void),
                (ffi::Py_tp_descr_set, field_set as *mut c_void),
            ],
        )
    })?;
    module.add("EventBase", event)?;
    module.add("Field", field)
}
