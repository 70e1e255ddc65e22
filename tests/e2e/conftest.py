"""The running app, for end-to-end tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nursery import Nursery
from tests.e2e.running import Running


@pytest.fixture
def running(data_dir: Path) -> Iterator[Running]:
    """Yield a Libra that is not started yet; it ends with the test."""
    app = Running(data_dir)
    try:
        yield app
    finally:
        app.kill()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Yield what starts the app quickly, for tests that start it often."""
    made = Nursery()
    yield made
    made.close()
