"""Libra with somebody inside who counts its memory.

    PYTHONPATH=. python bench/probe.py counts.jsonl [--every-s 5] -- serve --data-dir … --socket …

Runs the command in this process; a thread beside it writes, every few seconds, one line of what the system, the C library's allocator,
SQLite and Python say they hold, and of the processor's time that each kind of thread has used. Linux with glibc only.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import re
import sys
import threading
import time
from pathlib import Path
from typing import IO

from libra.ground import machine


class Mallinfo2(ctypes.Structure):
    """What ``mallinfo2`` returns, see its manual page; of all arenas."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    ]  # fmt: skip


_ARENA = re.compile(r'<heap nr="(\d+)">.*?</heap>', re.DOTALL)
_SYSTEM = re.compile(r'<system type="current" size="(\d+)"/>')


def allocator() -> dict[str, float]:
    """Return what glibc's allocator holds, in MB: taken from the system, in use, free, mapped one by one; and its arenas."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Mallinfo2
    info = libc.mallinfo2()
    libc.open_memstream.restype = ctypes.c_void_p
    libc.open_memstream.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    text, size = ctypes.c_char_p(), ctypes.c_size_t()
    stream = ctypes.c_void_p(libc.open_memstream(ctypes.byref(text), ctypes.byref(size)))
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    xml = (text.value or b"").decode()
    libc.free(text)
    sizes = [int(_SYSTEM.search(m.group()).group(1)) for m in _ARENA.finditer(xml)]  # type: ignore[union-attr]
    return {
        "arenas": len(sizes),
        "main_arena": sizes[0] / 1e6,
        "taken": info.arena / 1e6,
        "used": info.uordblks / 1e6,
        "free": info.fordblks / 1e6,
        "mapped": info.hblkhd / 1e6,
    }


def resident() -> dict[str, float]:
    """Return resident memory, in MB: all of it, what is no file's, and what is a file's."""
    text = Path("/proc/self/status").read_text()
    kb = {name: int(value) for name, value in re.findall(r"(\w+):\s+(\d+) kB", text)}
    return {"rss": kb["VmRSS"] / 976.6, "anon": kb["RssAnon"] / 976.6, "file": kb["RssFile"] / 976.6}


def python() -> dict[str, float]:
    """Return Python's own: blocks of its small-object allocator, and the threads."""
    return {"blocks": sys.getallocatedblocks(), "threads": threading.active_count()}


def processor() -> dict[str, float]:
    """Return the seconds of processor that each kind of thread has used; of those that are there."""
    spent: dict[str, float] = {}
    for thread in threading.enumerate():
        kind = "cpu " + thread.name.rstrip("-_0123456789")
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/self/task/{thread.native_id}/stat").read_text().rpartition(")")[2].split()
            spent[kind] = spent.get(kind, 0.0) + (int(fields[11]) + int(fields[12])) / os.sysconf(
                "SC_CLK_TCK"
            )
    return spent


def sqlite() -> dict[str, float]:
    """Return what SQLite has taken from the allocator, in MB."""
    import apsw

    return {"sqlite": apsw.memory_used() / 1e6}


def watch(out: IO[str], every_s: float) -> None:
    """Write one line every few seconds, for good."""
    began = time.monotonic()
    while True:
        time.sleep(every_s)
        row = {
            "s": time.monotonic() - began,
            **resident(),
            **allocator(),
            **python(),
            **sqlite(),
            **processor(),
        }
        out.write(json.dumps({name: round(value, 2) for name, value in row.items()}) + "\n")
        out.flush()


def main() -> int:
    """Count and run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("counts", type=Path)
    parser.add_argument("--every-s", type=float, default=5.0)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    machine.share_memory()  # before there is a thread beside the first: what libra does first of all, too
    out = args.counts.open("w")
    threading.Thread(target=watch, args=(out, args.every_s), daemon=True).start()
    sys.argv = ["libra", *args.command]
    from libra.__main__ import main as libra

    return libra()


if __name__ == "__main__":
    sys.exit(main())
