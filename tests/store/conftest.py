"""A store of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from libra.store.store import Store
from libra.store.visibility import Visible
from tests.store.support import QUICK, Handle


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return where this test's database is."""
    return tmp_path / "data" / "libra.db"


@pytest.fixture
def h(db: Path) -> Iterator[Handle]:
    """Yield an open store."""
    store = Store.open(db, QUICK)
    yield Handle(store)
    store.close()


@pytest.fixture
def mine() -> Visible:
    """Return what the user ``u`` sees."""
    return Visible("u", "claude-code:s1", ("user:u", "agent:main", "project:p", "global"))
