"""Settings: one TOML file becomes one frozen tree of every package's parameters."""

from __future__ import annotations

from libra.config.tree import Config, ModelParams, load

__all__ = ["Config", "ModelParams", "load"]
