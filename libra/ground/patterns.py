"""Regular expressions of a built program, compiled when it was built: more than a third of a start is compiling them anew.

Python compiles an expression to a list of numbers and makes the pattern from that. A build writes those lists down, by
expression and flags; the program that was built makes its patterns from them. They are only right for the very Python that
made them, which a built program carries with it; with any other they are left alone.
"""

from __future__ import annotations

import marshal
import re  # noqa: F401 - its compiler is looked for among the modules that are loaded
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Compile = Callable[[Any, int], Any]
Key = tuple[str | bytes, int]
"""The expression, and the flags that it was compiled with."""
Made = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
"""What the pattern is made from: flags, numbers, groups, and the names of groups in both directions."""

NAME = "patterns.bin"
"""What the table is called in the unpack folder."""


def _engine() -> Any:
    """Return Python's own compiler of expressions, and the module in C that makes patterns; both are private to Python."""
    return sys.modules["re._compiler"], sys.modules["_sre"]


def _mark() -> str:
    return f"{sys.version} {_engine()[1].MAGIC} {array('I').itemsize}"


@contextmanager
def recorded() -> Iterator[dict[Key, Made]]:
    """Yield a table that fills with each expression that is compiled within the block."""
    compiler, engine = _engine()
    table: dict[Key, Made] = {}
    usual: Compile = compiler.compile
    latest: list[Made] = []

    class Recording:
        """Python's module, with a record of what patterns are made from."""

        def __getattr__(self, name: str) -> Any:
            return getattr(engine, name)

        @staticmethod
        def compile(
            pattern: Any,
            flags: int,
            code: list[int],
            groups: int,
            names: dict[str, int],
            numbers: tuple[str | None, ...],
        ) -> Any:
            latest[:] = [(int(flags), array("I", code).tobytes(), groups, dict(names), numbers)]
            return engine.compile(pattern, flags, code, groups, names, numbers)

    def compiled(pattern: Any, flags: int = 0) -> Any:
        found = usual(pattern, flags)
        if isinstance(pattern, str | bytes) and latest:
            table[pattern, int(flags)] = latest.pop()
        return found

    compiler.compile, compiler._sre = compiled, Recording()  # noqa: SLF001
    try:
        yield table
    finally:
        compiler.compile, compiler._sre = usual, engine  # noqa: SLF001


def dumped(table: dict[Key, Made]) -> bytes:
    """Return a table as the built program reads it."""
    return marshal.dumps((_mark(), table))


def begin(file: Path) -> None:
    """Make patterns from a table from now on; those that are not in it are compiled as ever, and so are all of them without it."""
    try:
        mark, table = marshal.loads(file.read_bytes())  # noqa: S302 - a part of this very program
    except (OSError, ValueError, EOFError, TypeError):
        return
    if mark == _mark():
        use(table)


def use(table: dict[Key, Made]) -> Callable[[], None]:
    """Make patterns from this table; return what ends that."""
    compiler, engine = _engine()
    usual: Compile = compiler.compile

    def compiled(pattern: Any, flags: int = 0) -> Any:
        made = table.get((pattern, flags)) if isinstance(pattern, str | bytes) else None
        if made is None:
            return usual(pattern, flags)
        found, numbers, groups, names, order = made
        return engine.compile(pattern, found, array("I", numbers).tolist(), groups, names, order)

    compiler.compile = compiled

    def end() -> None:
        compiler.compile = usual

    return end
