"""Fixtures that every package's tests may use; a package's own fakes stand in its own folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from libra.inference.embedder import Embedder

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""

START_MS = 1_775_000_000_000
"""2026-03-31T23:33:20Z: the moment at which the fixed clock starts."""


# A busy machine must fail no property: neither how long an example takes nor how long it takes to draw one counts.
settings.register_profile("usual", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("laws", settings.get_profile("usual"), max_examples=1_000, print_blob=True)
settings.load_profile("usual")


def examples(usual: int) -> settings:
    """Return Hypothesis settings for a costly property.

    Args:
        usual: Examples in an ordinary run; ``pytest --hypothesis-profile laws`` tries 1,000 of every property.
    """
    most = settings.default.max_examples
    return settings(max_examples=most if most >= _MANY else usual)


_MANY = 1_000


@dataclass(slots=True)
class FixedClock:
    """A clock that stands still until a test moves it; fits :class:`libra.ground.records.Clock`."""

    now_ms: int = START_MS

    def __call__(self) -> int:
        """Return the time in epoch milliseconds."""
        return self.now_ms

    def advance(self, ms: int) -> int:
        """Move on by ``ms`` and return the new time."""
        self.now_ms += ms
        return self.now_ms


@pytest.fixture
def clock() -> FixedClock:
    """Return a clock of this test's own."""
    return FixedClock()


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Yield an empty folder on a short path: a Unix socket's name may have about 100 bytes only."""
    short = Path("/tmp")  # noqa: S108 - mkdtemp makes a private folder in it
    folder = Path(tempfile.mkdtemp(prefix="lb-", dir=short if short.is_dir() else None))
    yield folder
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the checkout's folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of shared samples and data beside the checkout, or skip."""
    folder = ROOT.parent / "shared"
    if not (folder / "samples").is_dir():
        pytest.skip("needs the shared samples in ../shared, which are not part of this repository")
    return folder


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """Return the folder of the default model, which is part of the repository."""
    return ROOT / "models" / "minilm-l6-v2"


@pytest.fixture(scope="session")
def embedder(model_folder: Path) -> Iterator[Embedder]:
    """Yield the real default embedder, loaded once a test run; mark such tests ``model``."""
    from libra.inference.embedder import Embedder

    opened = Embedder.open(model_folder)
    yield opened
    opened.close()
