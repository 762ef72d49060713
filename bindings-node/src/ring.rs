//! The memory in which JavaScript writes quiet dispatches down for the log.

#![expect(unsafe_code, reason = "one buffer whose memory is the core's; it says why that is sound")]

use std::sync::Arc;

use hookweave::host::present;
use napi::Env;
use napi::bindgen_prelude::ArrayBuffer;
use napi_derive::napi;

use crate::error::{Refusal, broken};
use crate::hooks::NativeHooks;

/// Memory of the log, and the time on its clock.
#[napi(object, object_from_js = false)]
pub struct AuditRing<'env> {
    /// What quiet dispatches are written into.
    pub memory: ArrayBuffer<'env>,
    /// The nanoseconds now on the clock of what is written there.
    pub now: f64,
}

#[napi]
impl NativeHooks {
    /// Memory for quiet dispatches until the log is configured anew or its level changes; nothing where they have to be told
    /// one by one.
    #[napi]
    pub fn audit_ring<'env>(&self, env: &'env Env) -> Result<Option<AuditRing<'env>>, Refusal> {
        // JavaScript writes words by their halves, the low one first.
        if cfg!(target_endian = "big") {
            return Ok(None);
        }
        let Some(ring) = self.audit().ring() else { return Ok(None) };
        let words = ring.words();
        let (data, length) = (words.as_ptr().cast_mut().cast::<u8>(), size_of_val(words));
        // SAFETY: the memory lives as long as the ring, which the buffer holds until it is let go of. It is made of atomics, so
        // that it may be written through a shared reference, and the core reads it as such while JavaScript writes.
        let memory = unsafe { ArrayBuffer::from_external(env, data, length, Arc::clone(&ring), |_, ring| drop(ring)) };
        let memory = memory.map_err(broken)?;
        // A platform without buffers of foreign memory gives a copy, which nobody would read.
        if memory.as_ptr() != data.cast_const() {
            return Ok(None);
        }
        #[expect(clippy::cast_precision_loss, reason = "below 2^53 for a hundred days")]
        let now = present().ticks as f64;
        Ok(Some(AuditRing { memory, now }))
    }

    /// Wakes the log up, where its memory says that it sleeps.
    #[napi]
    pub fn wake_audit(&self) {
        self.audit().wake();
    }
}
