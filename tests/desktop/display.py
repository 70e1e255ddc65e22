"""A virtual X server for tests of what stands on a display."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

WAIT_S = 20.0


@contextmanager
def virtual_display() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Yield the name of a display and the process of its server, which ends with the block."""
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("needs Xvfb (Debian package xvfb)")
    read, write = os.pipe()
    process = subprocess.Popen(
        [server, "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        process.wait(WAIT_S)
        pytest.skip("Xvfb did not start here")
    try:
        yield f":{number}", process
    finally:
        process.terminate()
        process.wait(WAIT_S)
