"""The running app, for the field cases."""

from __future__ import annotations

from tests.e2e.conftest import running

__all__ = ["running"]
