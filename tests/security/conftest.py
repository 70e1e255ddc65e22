"""The running app, for the tests of docs/security.md."""

from __future__ import annotations

from tests.e2e.conftest import running

__all__ = ["running"]
