"""A pytest plugin that puts hookweave's classes in the places of amplifier-core's, for amplifier-core's own tests."""

import amplifier_core
import amplifier_core._engine as engine
import amplifier_core.approval as approval
import amplifier_core.hooks as hooks
import amplifier_core.models as models
from hookweave.compat import amplifier

engine.RustHookRegistry = hooks.HookRegistry = amplifier_core.HookRegistry = amplifier.HookRegistry
engine.RustCoordinator = amplifier_core.ModuleCoordinator = amplifier.ModuleCoordinator
models.HookResult = hooks.HookResult = amplifier_core.HookResult = amplifier.HookResult
approval.ApprovalTimeoutError = amplifier.ApprovalTimeoutError
