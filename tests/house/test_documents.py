"""Pages that are written from the program are what the program says now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from libra.engine.verbs import VERBS


@pytest.fixture(scope="module")
def methods_page(root: Path) -> ModuleType:
    """Return packaging/methods_page.py as a module."""
    spec = importlib.util.spec_from_file_location(
        "libra_methods_page", root / "packaging" / "methods_page.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.path", __import__("sys").path[:])
        spec.loader.exec_module(module)
    return module


def test_the_page_of_methods_is_fresh(methods_page: ModuleType, root: Path) -> None:
    """A changed verb changes docs/methods.md: run packaging/methods_page.py."""
    assert (root / "docs" / "methods.md").read_text("utf-8") == methods_page.page()


def test_every_verb_is_in_the_protocol(root: Path) -> None:
    """docs/protocol.md, which people read first, names each method."""
    text = (root / "docs" / "protocol.md").read_text("utf-8")
    assert [name for name in VERBS if f"`{name}`" not in text] == []
