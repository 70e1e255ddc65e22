"""One tree of errors; foreign errors are translated into it once, where they enter.

    LibraError                 -32603
    ├── NotReady               -32001  a part is still starting or missing
    ├── StoreError             -32002
    │   ├── StoreFull                  the disk or quota is full
    │   ├── StoreReadOnly              the folder or file cannot be written
    │   ├── StoreBusy                  another process held the lock too long
    │   └── StoreDamaged               the database is corrupt; opened read-only
    ├── NotFound               -32003
    ├── OverLimit              -32004
    ├── Forbidden              -32005  a scope the caller may not see
    ├── Conflict               -32006
    │   └── AlreadyRunning             another libra holds the data folder
    ├── DeadlinePassed         -32007
    ├── InvalidParams          -32602  names the field and what was expected
    ├── ConfigError            -32603  names file and key
    ├── ModelError             -32001
    │   ├── ModelMissing
    │   ├── ModelDamaged               a file's hash differs from its manifest
    │   └── EndpointError              a model server gave no answer that can be used
    ├── SourceError            -32603  a host's file or database could not be read
    └── NotRunning             -32001  no libra answers on the socket (client side)

Messages never hold what a person said: ids, counts, paths, field names only.
"""

from __future__ import annotations


class LibraError(Exception):
    """Base of every error that Libra raises on purpose.

    Args:
        message: One sentence for a person.
        reason: A short, stable word for programs (``"disk_full"``).
        hint: What the person can do about it.
        where: The file, field or place that it is about.
    """

    code: int = -32603
    default_reason: str = "internal"

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        hint: str | None = None,
        where: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason or self.default_reason
        self.hint = hint
        self.where = where

    def data(self) -> dict[str, str]:
        """Return the ``data`` object of a JSON-RPC error: reason, and hint and where if known."""
        out = {"reason": self.reason}
        if self.hint:
            out["hint"] = self.hint
        if self.where:
            out["where"] = self.where
        return out


class NotReady(LibraError):
    """A part that is needed has not started yet, or is missing."""

    code = -32001
    default_reason = "not_ready"


class StoreError(LibraError):
    """The database refused: nothing of the call was stored."""

    code = -32002
    default_reason = "store"


class StoreFull(StoreError):
    """The disk or a quota is full."""

    default_reason = "disk_full"


class StoreFailing(StoreError):
    """The disk refuses to read or write."""

    default_reason = "disk_error"


class StoreReadOnly(StoreError):
    """The data folder or the database cannot be written."""

    default_reason = "read_only"


class StoreBusy(StoreError):
    """Another process held the database longer than the busy time-out."""

    default_reason = "busy"


class StoreDamaged(StoreError):
    """The database file is corrupt; it is opened read-only and never overwritten."""

    default_reason = "damaged"


class NotFound(LibraError):
    """There is no record with that id that the caller may see."""

    code = -32003
    default_reason = "not_found"


class OverLimit(LibraError):
    """A size, count or depth is over its stated limit."""

    code = -32004
    default_reason = "over_limit"


class Forbidden(LibraError):
    """The caller named a scope that it may not see."""

    code = -32005
    default_reason = "forbidden_scope"


class Conflict(LibraError):
    """The request contradicts the present state."""

    code = -32006
    default_reason = "conflict"


class AlreadyRunning(Conflict):
    """Another libra already owns this data folder."""

    default_reason = "already_running"


class DeadlinePassed(LibraError):
    """The caller's deadline passed before there was anything to answer."""

    code = -32007
    default_reason = "deadline"


class InvalidParams(LibraError):
    """A parameter is missing, unknown or of the wrong type; ``where`` names the field."""

    code = -32602
    default_reason = "invalid_params"


class ConfigError(LibraError):
    """The configuration file cannot be used; ``where`` names file and key."""

    default_reason = "config"


class ModelError(LibraError):
    """A model cannot be used; what it would have made better goes on without it."""

    code = -32001
    default_reason = "model"


class ModelMissing(ModelError):
    """The model folder, its manifest or one of its files is not there."""

    default_reason = "model_missing"


class ModelDamaged(ModelError):
    """A model file is not the one that its manifest names."""

    default_reason = "model_damaged"


class EndpointError(ModelError):
    """A model server gave no answer that can be used.

    Args:
        message: See :class:`LibraError`.
        reason: See :class:`LibraError`.
        where: The server.
        status: The HTTP status, if it answered with another than 200.
    """

    default_reason = "endpoint"

    def __init__(
        self, message: str, *, reason: str | None = None, where: str | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, reason=reason, where=where)
        self.status = status


class SourceError(LibraError):
    """A host's file or database could not be read; nothing that was learnt is touched."""

    default_reason = "source"


class NotRunning(LibraError):
    """No libra answers on the socket (raised by the client)."""

    code = -32001
    default_reason = "not_running"
