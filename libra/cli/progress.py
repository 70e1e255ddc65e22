"""The progress bar under the name by which the app asks for it."""

from __future__ import annotations

from libra.desktop.progress import Bar

__all__ = ["Bar"]
