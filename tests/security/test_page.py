"""The page of docs/security.md is whole, and what it leans on exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_THREATS = 18
"""Rows of the table of threats at least."""


def test_every_threat_names_a_test_that_exists(root: Path) -> None:
    """A test that was renamed or taken out would leave a defence without proof."""
    page = (root / "docs" / "security.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) >= _THREATS
    missing = []
    for row in rows:
        names = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        missing += [] if names else [f"no test: {row[:60]}"]
        for path, test in names:
            there = (root / path).is_file() and test in _tests_of(root / path)
            missing += [] if there else [f"{path}::{test}"]
    assert missing == []


def _tests_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_secrets_are_compared_in_constant_time(root: Path) -> None:
    """A comparison that ends at the first wrong letter tells a stranger how many letters were right."""
    secret = re.compile(r"token|secret|signature|cookie|nonce", re.IGNORECASE)
    found = []
    for path in [*(root / "libra" / "rpc").glob("*.py"), *(root / "libra" / "desktop").glob("page*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
                continue
            sides = [node.left, *node.comparators]
            if any(isinstance(s, ast.Name | ast.Attribute) and secret.search(ast.unparse(s)) for s in sides):
                found.append(f"{path.name}: {ast.unparse(node)}")
    assert found == []


def test_nobody_is_told_of_anything(root: Path) -> None:
    """Telemetry, an update check or a crash reporter would tell others that and how Libra is used."""
    address = re.compile(r"https?://(?!127\.0\.0\.1|localhost|\[|\{)[\w.-]+")
    imports = re.compile(
        r"^\s*(?:import|from) (?:requests|httpx|aiohttp|sentry_sdk|posthog|urllib3)\b", re.MULTILINE
    )
    for path in (root / "libra").rglob("*.py"):
        text = path.read_text("utf-8")
        assert not imports.search(text), path
        if "urlopen" in text or "HTTPSConnection" in text:
            assert not address.search(text), path
