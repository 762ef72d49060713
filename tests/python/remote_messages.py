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


def compiled(text: str, name: str) -> tuple[ModuleType, ModuleType]:
    """The messages of a protocol and its service. A process can compile one text."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{name}.proto").write_text(text, encoding="utf-8")
        outputs = [f"--python_out={folder}", f"--grpc_python_out={folder}"]
        assert protoc.main(["protoc", f"-I{folder}", *outputs, f"{name}.proto"]) == 0
        messages, service = (_load(Path(folder), f"{name}_{suffix}") for suffix in ("pb2", "pb2_grpc"))
        return messages, service


def _load(folder: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def message(kind: Any, fields: dict[str, Any]) -> Any:
    """A message of its fields as the vectors write them: bytes are texts, an object without fields is set."""
    made = kind()
    for name, value in fields.items():
        field = kind.DESCRIPTOR.fields_by_name[name]
        if field.type == field.TYPE_MESSAGE and isinstance(value, list):
            for item in value:
                inner = getattr(made, name).add()
                inner.CopyFrom(message(type(inner), item))
        elif field.type == field.TYPE_MESSAGE:
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
