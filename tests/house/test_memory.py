"""Nothing that is remembered for speed grows for as long as the app runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

_CACHES = {"cache", "lru_cache", "functools.cache", "functools.lru_cache"}


def _caches(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef, ast.expr]]:
    """Yield every function that is cached, with the decorator that says so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for mark in node.decorator_list:
                if ast.unparse(mark.func if isinstance(mark, ast.Call) else mark) in _CACHES:
                    yield node, mark


def _is_bounded(function: ast.FunctionDef, mark: ast.expr) -> bool:
    """A cache of a function without arguments holds one value; any other must say how many it holds."""
    if not (function.args.args or function.args.kwonlyargs or function.args.vararg):
        return True
    sizes = [key.value for key in mark.keywords if key.arg == "maxsize"] if isinstance(mark, ast.Call) else []
    return bool(sizes) and ast.unparse(sizes[0]) != "None"


def test_every_cache_has_a_bound(root: Path) -> None:
    """A Libra that runs for months would hold every word that it ever counted."""
    files = sorted((root / "libra").rglob("*.py"))
    found = [
        (path, function.name, _is_bounded(function, mark))
        for path in files
        for function, mark in _caches(ast.parse(path.read_text("utf-8")))
    ]
    assert found
    assert [f"{path}: {name}" for path, name, bounded in found if not bounded] == []
