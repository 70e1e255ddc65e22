"""The machine under us: power, our own memory and who hands it out, and the priority of a thread."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass

_NICE = 5
"""Below everything that a person waits for (lessons.md C57), and not by much: a thread that the system puts off while it
holds the interpreter puts off those that answer a person, too."""
_WINDOWS_BACKGROUND = 0x0001_0000
"""``THREAD_MODE_BACKGROUND_BEGIN``: low for processor, disk and memory."""
_MACOS_UTILITY = 0x11
"""``QOS_CLASS_UTILITY``: work that takes long and that a person does not wait for."""

_M_ARENA_MAX = -8
"""``M_ARENA_MAX`` of glibc's ``malloc.h``."""
_ARENAS = 1
"""Threads of ours hold the interpreter while they ask for memory, and so hardly ever ask at once."""
_SET_BY_PERSON = ("MALLOC_ARENA_MAX", "GLIBC_TUNABLES")


@dataclass(frozen=True, slots=True)
class Load:
    """What the machine says.

    Attributes:
        battery_percent: How full the battery is while the machine runs on it; None with mains power or without one.
        memory_bytes: What this process holds in memory.
    """

    battery_percent: float | None = None
    memory_bytes: int = 0


def load() -> Load:
    """Return how things are now; what this system does not tell counts as no strain."""
    import psutil

    percent = None
    # Some systems have no such function, some containers no such files.
    with suppress(Exception):
        battery = psutil.sensors_battery()
        if battery is not None and battery.power_plugged is False:
            percent = float(battery.percent)
    held = 0
    with suppress(Exception):
        held = int(psutil.Process().memory_info().rss)
    return Load(percent, held)


def no_core_dumps() -> None:
    """Have the system keep no image of this process when it crashes: what people said would be in it."""
    if sys.platform != "win32":
        import resource

        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def lower_priority() -> bool:
    """Have the system run the calling thread after those that a person waits for; False where it refuses."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        return bool(kernel.SetThreadPriority(kernel.GetCurrentThread(), _WINDOWS_BACKGROUND))
    if sys.platform == "darwin":
        import ctypes

        with suppress(OSError, AttributeError):
            return ctypes.CDLL(None).pthread_set_qos_class_self_np(_MACOS_UTILITY, 0) == 0
        return False
    with suppress(OSError):
        # On Linux a niceness is a thread's own, by its number. A Libra that was started lower than this stays there.
        own = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, own, max(_NICE, os.getpriority(os.PRIO_PROCESS, own)))
        return True
    return False


def share_memory() -> bool:
    """Have all threads take their memory from the same arena; return whether the C library was told so.

    To be called before there are threads. glibc gives each thread an arena of its own, up to eight a processor; what one thread has
    freed the others then cannot have, so that sixty connections hold several times what they use (docs/performance.md,
    Under load). Other C libraries (macOS, Windows, musl) have no such setting and are left alone, as is one that a person has
    set in the environment.
    """
    if sys.platform != "linux" or any(name in os.environ for name in _SET_BY_PERSON):
        return False
    import ctypes

    with suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS))
    return False


def trim() -> bool:
    """Give what was freed and is still held back to the system; return whether the C library could be told so (glibc alone)."""
    if sys.platform != "linux":
        return False
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
        return True
    return False


def give_back() -> None:
    """Give memory that is not used any more back to the system."""
    import gc

    gc.collect()
    trim()
