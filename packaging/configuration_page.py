"""Write docs/configuration.md and effects.json (what each key does) from the tree of settings, so that they cannot differ from it.

python packaging/configuration_page.py
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import sys
import textwrap
import types
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any, Union, get_args, get_origin

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "configuration.md"
EFFECTS = ROOT / "libra" / "config" / "effects.json"

sys.path.insert(0, str(ROOT))

from libra.config.limits import unit  # noqa: E402 - the checkout has to be found first
from libra.config.reader import Key, keys  # noqa: E402
from libra.config.tree import SECTIONS, TOP, Config, Section, defaults, section_keys  # noqa: E402

HEAD = """# Settings

Written by `packaging/configuration_page.py` from the program's own parameters; change those, not this.

Libra needs no settings. What is to differ stands in a TOML file: `config.toml` in the platform's folder for settings
(`~/.config/libra/` on Linux), or in the data folder where `--data-dir` names one, or wherever `--config` or `LIBRA_CONFIG` says. It is read at the
start. A key that does not exist, a value of the wrong type or out of its range: `libra` says which, and does not start.

```toml
user = "me"
time_zone = "Asia/Ho_Chi_Minh"

[access]
ops = ["agent:main"]          # what the agent ops may see beyond its own

[model]
threads = 2

[sources]
hosts = ["claude-code", "openclaw"]

[documents]
instructions = ["~/team/RULES.md"]
notes = ["~/notes"]

[[documents.roots]]
path = "~/handbook"
scope = "user:me"
instructions = false

[assemble]
tail = 0.4
deadline_ms = 1000
```

Nested tables have a dot: `[store.writer]`.
"""


WORDS = {
    "sources.agenda.retry_s": "First waiting time.",
    "sources.agenda.retry_max_s": "Longest waiting time.",
    "documents.reference_budget_tokens": "The budget that a document's hard rules are measured against when it is loaded.",
    "assemble.hard": "Share of the budget for hard rules.",
    "assemble.soft": "Share for soft rules.",
    "assemble.guidance": "Share for protected guidance.",
    "assemble.tail": "Share that the recent turns may grow to.",
    "assemble.keep_back": "Share kept back for errors of the token estimate.",
    "assemble.min_tail_turns": "Recent turns that always stay.",
    "recall.pool": "Candidates of each search of `assemble`.",
    "recall.reach": "How many turns to each side count as neighbours.",
    "rank.alpha": "Weight of relevance.",
    "rank.beta": "Weight of recency.",
    "rank.gamma": "Weight of the scope.",
    "rank.lambda_session": "Decay a second within the session.",
    "rank.lambda_user": "Decay a second for the person's other memory.",
    "rank.lambda_global": "Decay a second for what is global.",
    "rank.confidence_strength": "How much a memory's missing confidence costs.",
    "rank.importance_strength": "How much a memory's missing priority costs.",
    "rank.unpromoted_confidence": "Factor for turns of other sessions that became no memory.",
    "rank.unpromoted_importance": "The same, beside it.",
    "fusion.lexical": "Weight of the words beside the meaning.",
    "fusion.exact": "Weight of an identifier or quoted phrase that is found.",
    "fusion.speaker": "Weight of a speaker who is named in the question.",
    "fusion.role": "Weight of a role that the question asks for.",
    "fusion.window": "Weight of a time that the question names.",
    "fusion.neighbour": "Share of its neighbours' score that a turn gets.",
    "fusion.reach": "How far neighbours reach.",
    "fusion.session": "Share of its session's score that a turn gets.",
    "fusion.prior_cosine": "Cosine that is usual between a question and a turn.",
    "fusion.prior_cosine_spread": "Its standard deviation.",
    "fusion.prior_lexical_spread": "Standard deviation of the word score that is usual.",
    "diversity.relevance_share": "Weight of relevance beside novelty among near-duplicates.",
    "diversity.near_duplicate": "Cosine from which two items are near-duplicates.",
    "diversity.head": "How many of the best are looked at.",
    "background.embed_batch": "Windows embedded in one go.",
    "background.promote_batch": "Turns judged in one go.",
    "background.embeds_per_promotion": "Batches embedded for each batch that is judged.",
    "background.retry_s": "Pause after an error.",
    "background.idle_s": "Longest pause without work.",
}
"""What keys mean whose own dataclass does not say it."""


_ROLE = re.compile(r":[a-z]+:`~?([^`]+)`")
"""How a docstring names another thing of the program; a person reads the name."""


def words_of(kind: type, path: str) -> dict[str, str]:
    """Return what the docstrings of a dataclass and of its bases say of its fields."""
    found = {
        name.removeprefix(f"{path}."): words for name, words in WORDS.items() if name.startswith(f"{path}.")
    }
    for base in reversed(kind.__mro__[:-1]):
        if dataclasses.is_dataclass(base):
            found |= own_words(base)
    return found


def own_words(kind: type) -> dict[str, str]:
    """Return what the docstrings of one class say of its fields."""
    found: dict[str, str] = {}
    doc = inspect.getdoc(kind) or ""
    _, _, attributes = doc.partition("Attributes:\n")
    for match in re.finditer(r"^ {4}([\w, ]+): (.*(?:\n {8,}.*)*)", attributes, re.MULTILINE):
        for name in match[1].split(","):
            found[name.strip()] = " ".join(match[2].split())
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    for before, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(before, ast.AnnAssign)
            and isinstance(before.target, ast.Name)
            and isinstance(after, ast.Expr)
        ):
            value = after.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                found[before.target.id] = " ".join(value.value.split())
    return {name: _ROLE.sub(r"`\1`", text) for name, text in found.items()}


def summary(kind: type) -> str:
    """Return the first sentence of a dataclass's docstring."""
    return " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split())


def value_of(key: Key) -> str:
    """Return what a key's value must be."""
    kind, arguments = key.kind, get_args(key.kind)
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(a for a in arguments if a is not types.NoneType)
    if key.bounds is not None:
        return f"{key.bounds[0]:,g} to {key.bounds[1]:,.0f} {unit(key.name) or ''}".rstrip()
    return {bool: "true or false", str: "text"}.get(kind, "list of texts")


def shown(value: Any) -> str:
    """Return a default as the file would spell it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple | frozenset):
        return "`[" + ", ".join(f'"{v}"' for v in value) + "]`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def cell(text: str) -> str:
    """Return the text as it may stand in a table's cell."""
    return text.replace("|", "\\|").replace("``", "`")


def table(found: list[tuple[Key, str]]) -> Iterator[str]:
    """Yield the lines of a table of keys."""
    yield "| key | value | default | |"
    yield "|---|---|---|---|"
    for key, words in found:
        yield f"| `{key.name}` | {value_of(key)} | {shown(key.default)} | {cell(words)} |"
    yield ""


def nested(kind: type, path: str, default: Any) -> Iterator[str]:
    """Yield the lines of a nested table, and of those in it."""
    yield f"### [{path}]"
    yield ""
    yield summary(kind)
    yield ""
    words = words_of(kind, path)
    own = keys(kind, path, default)
    plain = [(key, words.get(key.name, "")) for key in own if not dataclasses.is_dataclass(key.kind)]
    if plain:
        yield from table(plain)
    for key in own:
        if isinstance(key.kind, type) and dataclasses.is_dataclass(key.kind):
            yield from nested(key.kind, key.path, key.default)


def section_lines(config: Config, section: Section) -> Iterator[str]:
    """Yield the lines of one section."""
    yield f"## [{section.name}]"
    yield ""
    yield section.doc
    yield ""
    for name, doc in section.named.items():
        yield f"- `{name}`: {doc}"
    if section.named:
        yield ""
    plain: list[tuple[Key, str]] = []
    inner: list[Key] = []
    for part, key in section_keys(config, section):
        target: Any = config
        for name in part.target.split("."):
            target = getattr(target, name)
        if dataclasses.is_dataclass(key.kind):
            inner.append(key)
        else:
            plain.append((key, words_of(type(target), section.name).get(key.name, "")))
    if plain:
        yield from table(plain)
    for key in inner:
        yield from nested(key.kind, key.path, key.default)


def page() -> str:
    """Return the whole page."""
    config = defaults("the user", UTC)
    lines = [HEAD, "## At the top", ""]
    lines += [f"- `{name}`: {doc}" for name, doc in TOP.items()]
    lines.append("")
    for section in SECTIONS:
        lines += section_lines(config, section)
    return "\n".join(lines).rstrip() + "\n"


def described(kind: type, path: str, default: Any) -> Iterator[tuple[str, str]]:
    """Yield the keys of a table with what they do, those of the tables in it too."""
    words = words_of(kind, path)
    for key in keys(kind, path, default):
        if isinstance(key.kind, type) and dataclasses.is_dataclass(key.kind):
            yield from described(key.kind, key.path, key.default)
        else:
            yield key.path, words.get(key.name, "")


def effects() -> str:
    """Return effects.json: what each key does, by its full name."""
    config = defaults("the user", UTC)
    found: dict[str, str] = {}
    for section in SECTIONS:
        for part, key in section_keys(config, section):
            if isinstance(key.kind, type) and dataclasses.is_dataclass(key.kind):
                found |= described(key.kind, key.path, key.default)
                continue
            target: Any = config
            for name in part.target.split("."):
                target = getattr(target, name)
            found[key.path] = words_of(type(target), section.name).get(key.name, "")
    plain = {name: words.replace("``", "`") for name, words in found.items()}
    return json.dumps(plain, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    EFFECTS.write_text(effects(), encoding="utf-8", newline="\n")
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    print(f"{PAGE.name}: {len(SECTIONS)} sections")
