"""Our own memory: threads share it, and what a person has set stays."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no arenas")

_COUNT = """
import ctypes, threading
from libra.ground import machine
told = machine.share_memory()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.open_memstream.restype = ctypes.c_void_p
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.fclose.argtypes = [ctypes.c_void_p]
gate = threading.Barrier(9)
def take():
    libc.malloc(100_000)
    gate.wait(60)
threads = [threading.Thread(target=take) for _ in range(8)]
for thread in threads: thread.start()
gate.wait(60)
for thread in threads: thread.join()
text, size = ctypes.c_char_p(), ctypes.c_size_t()
stream = libc.open_memstream(ctypes.byref(text), ctypes.byref(size))
libc.malloc_info(0, stream)
libc.fclose(stream)
print(told, text.value.count(b"<heap nr="))
"""


def _counted(**environment: str) -> list[str]:
    plain = {k: v for k, v in os.environ.items() if k not in {"MALLOC_ARENA_MAX", "GLIBC_TUNABLES"}}
    done = subprocess.run(
        [sys.executable, "-c", _COUNT], env=plain | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@glibc
def test_all_threads_take_their_memory_from_the_same_arena() -> None:
    """Each of sixty connections would keep what another has freed from all others: 450 MB where 250 do."""
    assert _counted() == ["True", "1"]


@glibc
def test_what_a_person_has_set_for_the_allocator_stays() -> None:
    """Somebody who gives each thread its own arena, knowing why, would be overruled."""
    told, arenas = _counted(MALLOC_ARENA_MAX="4")
    assert told == "False"
    assert 1 < int(arenas) <= 4
