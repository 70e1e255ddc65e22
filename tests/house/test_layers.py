"""The house rules that can be checked: layers, sizes, names, and what an import may cost."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path

import pytest

MODULE_LINES = 400
"""No module is longer (architecture.md, Packages)."""

VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "stuff"}

HEAVY = {
    "onnxruntime",
    "tokenizers",
    "pystray",
    "PIL",
    "mistletoe",
    "watchdog",
    "huggingface_hub",
    "zstandard",
    "grpc",
    "google",
}

PURE = ("text", "gate", "lifecycle", "assembly", "compaction", "exchange")


def modules(root: Path) -> list[Path]:
    """Return the package's modules."""
    return sorted((root / "libra").rglob("*.py"))


def test_import_contracts_hold(root: Path) -> None:
    """Layers point down, pure packages know no I/O, only store/ knows SQL: the contracts in pyproject.toml."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stdout + out.stderr


def test_modules_are_short(root: Path) -> None:
    """A module that grows past the limit is two modules."""
    long = {p.name: n for p in modules(root) if (n := len(p.read_text("utf-8").splitlines())) > MODULE_LINES}
    assert long == {}


def test_names_say_something(root: Path) -> None:
    """No module is called utils, helpers, common, manager."""
    assert [p for p in modules(root) if p.stem in VAGUE] == []


def test_no_module_is_named_like_a_standard_one(root: Path) -> None:
    """A module named like a top-level one of Python would confuse readers and tools."""
    own = {p.name for p in (root / "libra").iterdir() if p.is_dir() or p.suffix == ".py"}
    assert {name.removesuffix(".py") for name in own} & set(sys.stdlib_module_names) <= {
        "__init__",
        "__main__",
    }


def test_packaging_is_no_package(root: Path) -> None:
    """packaging/__init__.py would shadow PyPI's packaging."""
    assert not (root / "packaging" / "__init__.py").exists()


def test_nothing_unfinished(root: Path) -> None:
    """No to-do marks in comments and no stubs in the package."""
    mark = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    found = []
    for path in modules(root):
        with tokenize.open(path) as file:
            tokens = list(tokenize.generate_tokens(file.readline))
        found += [
            f"{path.name}:{token.start[0]}"
            for token in tokens
            if (token.type == tokenize.COMMENT and mark.search(token.string))
            or (token.type == tokenize.NAME and token.string == "NotImplementedError")
        ]
    assert found == []


def test_no_machine_paths(root: Path) -> None:
    """Nothing committed names a folder of the machine that it was written on."""
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("needs the git checkout")
    pattern = re.compile(r"(?<![\w.~-])/(work|farm|root)/[a-z.]")
    found = []
    for name in listed.stdout.splitlines():
        path = root / name
        if (
            path.suffix in {".onnx", ".png", ".ico", ".db", ".sqlite"}
            or "tests/data" in name
            or not path.is_file()
        ):
            continue
        if path != Path(__file__).resolve() and pattern.search(path.read_text("utf-8", errors="replace")):
            found.append(name)
    assert found == []


def test_no_clock_in_pure_packages(root: Path) -> None:
    """Pure code asks nobody for the time: no now(), today() or utcnow()."""
    bad = []
    for package in PURE:
        for path in (root / "libra" / package).rglob("*.py"):
            bad += [
                f"{path.name}:{node.lineno}"
                for node in ast.walk(ast.parse(path.read_text("utf-8")))
                if isinstance(node, ast.Attribute) and node.attr in {"now", "today", "utcnow"}
            ]
    assert bad == []


@pytest.mark.parametrize(
    "module", ["libra.cli", "libra.app", "libra.rpc.client", "libra.engine", "libra.cli.mcp"]
)
def test_importing_loads_nothing_heavy(module: str, root: Path) -> None:
    """``libra status`` answers without loading a model runtime, a Markdown parser or a tray."""
    code = f"import sys, {module}; print(*sorted({HEAVY!r} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert out.stdout.split() == []


def test_every_requirement_is_explained(root: Path) -> None:
    """README's table has a line for each dependency of pyproject.toml."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    readme = (root / "README.md").read_text("utf-8")
    for requirement in project["dependencies"] + project["optional-dependencies"]["grpc"]:
        name = re.split(r"[<>=;\[ ]", requirement)[0]
        assert re.search(rf"^\| `{re.escape(name)}`", readme, re.MULTILINE), name


def test_links_in_documents_lead_somewhere(root: Path) -> None:
    """A relative link in README, CONTRIBUTING, CHANGELOG or docs/ names a file that is there."""
    for path in [*root.glob("*.md"), *(root / "docs").glob("*.md")]:
        text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not target.startswith("mailto:"):
                assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_changelog_names_what_is_unreleased(root: Path) -> None:
    """Every change has a place to be told."""
    assert "## Unreleased" in (root / "CHANGELOG.md").read_text("utf-8")
