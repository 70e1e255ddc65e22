"""From one line in to one line out: calls are carried out, and every error becomes its JSON-RPC form."""

from __future__ import annotations

import logging
import secrets
import traceback
from collections.abc import Callable
from typing import Any

from libra.ground.errors import LibraError, OverLimit
from libra.rpc.protocol import (
    MAX_LINE_BYTES,
    Call,
    Fault,
    Json,
    Message,
    TooLong,
    decode,
    encode,
    failure,
    result,
)

Dispatch = Callable[[str, Json], Any]
"""Carries out a method with its parameters; returns what JSON can hold, or raises LibraError."""

log = logging.getLogger(__name__)


def read(line: bytes | TooLong) -> Message | None:
    """Return what a line says, or None for a blank one. Never raises."""
    if isinstance(line, TooLong):
        error = OverLimit(f"a line may hold at most {MAX_LINE_BYTES:,} bytes", hint="send it in parts")
        return Message((Fault(error),))
    return decode(line)


def answer(message: Message, dispatch: Dispatch) -> bytes | None:
    """Return the answer to a message, newline included, or None if it wants none. Never raises."""
    return _written(message, [a for a in (_part(p, dispatch) for p in message.parts) if a is not None])


def _part(part: Call | Fault, dispatch: Dispatch) -> bytes | None:
    """Return the answer to one call, or None for a notification."""
    if isinstance(part, Fault):
        return encode(failure(part.id, part.error))
    try:
        out = encode(result(part.id, dispatch(part.method, part.params)))
    except LibraError as error:
        out = encode(failure(part.id, error))
    except Exception as error:  # noqa: BLE001 - one call's defect must not end the connection
        out = encode(failure(part.id, internal(part.method, error)))
    if len(out) > MAX_LINE_BYTES:
        limit = OverLimit(f"the answer would be over {MAX_LINE_BYTES:,} bytes", hint="ask for less at once")
        out = encode(failure(part.id, limit))
    return None if part.notification else out


def internal(method: str, error: Exception) -> LibraError:
    """Log a defect under a fresh id and return the error that names only this id.

    The log gets the type and the places in the code; the message of a foreign error may hold what people said.
    """
    number = secrets.token_hex(4)
    places = "".join(traceback.format_tb(error.__traceback__))
    log.error("internal error %s in %s: %s\n%s", number, method, type(error).__name__, places)
    return LibraError(f"internal error {number}", hint="the log has it under this number", where=number)


def _written(message: Message, answers: list[bytes]) -> bytes | None:
    if not answers:
        return None
    if not message.batch:
        return answers[0]
    out = b"[" + b",".join(a.rstrip(b"\n") for a in answers) + b"]\n"
    if len(out) > MAX_LINE_BYTES:
        return encode(failure(None, OverLimit("the answers of this batch are over the limit of a line")))
    return out
