"""The build script, loaded as a module."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def builder(root: Path) -> ModuleType:
    """Return ``models/build.py`` as it runs: with its own folder on the path."""
    folder = str(root / "models")
    spec = importlib.util.spec_from_file_location("libra_models_build", root / "models" / "build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module
