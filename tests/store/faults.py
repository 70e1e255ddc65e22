"""A file system that fails on command: a shim between SQLite and the real one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import apsw


@dataclass
class Fault:
    """What fails now.

    Attributes:
        call: The method of a file (``xWrite``, ``xSync``, ``xRead``, ``xTruncate``); empty for none.
        end: Of names of files that it fails on.
        error: Raised.
        after: So many calls go well before.
    """

    call: str = ""
    end: str = ""
    error: type[apsw.Error] = apsw.IOError
    after: int = 0
    hits: int = 0

    def meet(self, call: str, name: str) -> None:
        """Raise if this call on this file is to fail."""
        if call != self.call or not name.endswith(self.end):
            return
        if self.after > 0:
            self.after -= 1
            return
        self.hits += 1
        raise self.error("a fault was injected")

    def clear(self) -> None:
        """Nothing fails any more."""
        self.call = ""


@contextmanager
def failing() -> Iterator[Fault]:
    """Put the shim under all connections that are opened within the block."""
    fault = Fault()

    class File(apsw.VFSFile):
        def __init__(self, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
            self.name = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
            super().__init__("unix", name, flags)  # type: ignore[arg-type]

        def xRead(self, amount: int, offset: int) -> bytes:
            fault.meet("xRead", self.name)
            return super().xRead(amount, offset)

        def xWrite(self, data: bytes, offset: int) -> None:  # type: ignore[override]
            fault.meet("xWrite", self.name)
            super().xWrite(data, offset)

        def xLock(self, level: int) -> None:
            try:
                super().xLock(level)
            except apsw.IOError:
                # A connection that only reads may not lock for writing when it is closed; without a shim nobody hears of it.
                raise apsw.BusyError("not for a reader") from None

        def xSync(self, flags: int) -> None:
            fault.meet("xSync", self.name)
            super().xSync(flags)

        def xTruncate(self, newsize: int) -> None:
            fault.meet("xTruncate", self.name)
            super().xTruncate(newsize)

    class Shim(apsw.VFS):
        def __init__(self) -> None:
            super().__init__("faulty", "unix", makedefault=True)

        def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> File:
            if isinstance(name, apsw.URIFilename):
                fault.meet("xOpen", name.filename())
            return File(name, flags)

    shim = Shim()
    try:
        yield fault
    finally:
        shim.unregister()
