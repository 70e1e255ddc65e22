"""LibraVDB's protobuf messages to the objects of the JSON-RPC methods and back, by the fields' own descriptors.

Names become JSON names (``session_id``: ``sessionId``), ``metadata_json`` becomes the object ``metadata``. Knows neither gRPC nor
the messages' package: what it needs is in every message.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

Json = dict[str, Any]
_METADATA = "metadata_json"
_INT32 = 2**31 - 1


def call_name(method: str) -> str:
    """Return the name of a gRPC method among ours: ``SearchText`` is ``search_text``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", method).lower()


def params_of(message: Any) -> Json:
    """Return the fields of a message that are set."""
    out: Json = {}
    for field, value in message.ListFields():
        if field.name == _METADATA:
            out["metadata"] = _object(value)
        elif field.message_type is not None and field.message_type.GetOptions().map_entry:
            out[field.json_name] = {key: list(value[key].values) for key in value}
        else:
            out[field.json_name] = _plain(value)
    return out


def _plain(value: Any) -> Any:
    if hasattr(value, "ListFields"):
        return params_of(value)
    if isinstance(value, str | bytes | bool | int | float):
        return value
    return [_plain(one) for one in value]


def _object(value: bytes) -> Json:
    """Return an object from its JSON; an empty one if it is none."""
    try:
        found = orjson.loads(value)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def fields_of(descriptor: Any, answer: Json) -> Json:
    """Return the fields with which a message is made; what an answer has beyond them is left out.

    Args:
        descriptor: The message's.
        answer: A method's answer.
    """
    out: Json = {}
    for field in descriptor.fields:
        value = answer.get("metadata" if field.name == _METADATA else field.json_name)
        if value is None:
            continue
        several = isinstance(value, list | tuple)
        out[field.name] = [_filled(field, one) for one in value] if several else _filled(field, value)
    return out


def _filled(field: Any, value: Any) -> Any:
    if field.name == _METADATA:
        return orjson.dumps(value)
    if field.message_type is not None:
        return fields_of(field.message_type, value)
    if field.cpp_type == field.CPPTYPE_INT32:
        return max(-_INT32, min(_INT32, int(value)))
    if field.cpp_type == field.CPPTYPE_INT64:
        return int(value)
    return value
