"""Libra: one long-term memory for every AI agent on a person's machine."""

__version__ = "0.1.0"
