"""The protocol's messages, compiled from `proto/hooks.proto` or from another text of it."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from grpc_tools import protoc

PROTO = Path(__file__).resolve().parents[2] / "proto" / "hooks.proto"


def compiled(text: str, name: str) -> ModuleType:
    """The messages of a protocol; each text needs a name of its own."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{name}.proto").write_text(text, encoding="utf-8")
        assert protoc.main(["protoc", f"-I{folder}", f"--python_out={folder}", f"{name}.proto"]) == 0
        module = f"{name}_pb2"
        spec = importlib.util.spec_from_file_location(module, Path(folder) / f"{module}.py")
        assert spec is not None and spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        sys.modules[module] = made
        spec.loader.exec_module(made)
        return made


def message(kind: Any, fields: dict[str, Any]) -> Any:
    """A message of its fields as the vectors write them: bytes are texts, an object without fields is set."""
    made = kind()
    for name, value in fields.items():
        field = kind.DESCRIPTOR.fields_by_name[name]
        if field.type == field.TYPE_MESSAGE:
            inner = getattr(made, name)
            inner.SetInParent()
            inner.CopyFrom(message(type(inner), value))
        elif field.type == field.TYPE_BYTES:
            setattr(made, name, value.encode())
        elif isinstance(value, list):
            getattr(made, name).extend(value)
        else:
            setattr(made, name, value)
    return made


def fields(made: Any) -> dict[str, Any]:
    """The fields of a message that say something, as the vectors write them."""
    shown: dict[str, Any] = {}
    for field, value in made.ListFields():
        if hasattr(value, "ListFields"):
            shown[field.name] = fields(value)
        elif field.type == field.TYPE_BYTES:
            shown[field.name] = value.decode()
        elif isinstance(value, str | int):
            if value:
                shown[field.name] = value
        else:
            shown[field.name] = [fields(item) if hasattr(item, "ListFields") else item for item in value]
    return shown
