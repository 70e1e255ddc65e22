"""Write docs/methods.md from the declarations of the verbs, so that the page cannot differ from the program.

python packaging/methods_page.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "methods.md"

sys.path.insert(0, str(ROOT))

from libra.engine.fields import Param, Struct  # noqa: E402 - the checkout has to be found first
from libra.engine.verbs import TURN, VERBS, WHO, Verb  # noqa: E402

HEAD = """# Methods

Written by `packaging/methods_page.py` from `libra/engine/verbs.py`; change that, not this. How to speak to the socket, and what
answers and errors look like: [protocol.md](protocol.md).
"""


def cell(text: str) -> str:
    """Return the text as it may stand in a table's cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def default(param: Param) -> str:
    """Return what a parameter is if it is left out."""
    if param.required:
        return "**required**"
    value = param.default
    return f"`{json.dumps(value)}`" if isinstance(value, bool | int | float | str) else ""


def kind(param: Param) -> str:
    """Return what a parameter's value must be; the two shared objects are described once."""
    for name, shared in (("who", WHO), ("turn", TURN)):
        if param.kind is shared:
            return f"a [{name}](#{name})"
        if getattr(param.kind, "kind", None) is shared:
            return f"an array of [{name}](#{name})"
    return param.kind.expected


def table(params: Sequence[Param]) -> Iterator[str]:
    """Yield the lines of a table of parameters."""
    yield "| field | value | if absent | |"
    yield "|---|---|---|---|"
    for param in params:
        yield f"| `{param.name}` | {cell(kind(param))} | {default(param)} | {cell(param.doc)} |"


def section(verb: Verb) -> Iterator[str]:
    """Yield the lines about one verb."""
    yield f"## {verb.name}"
    yield ""
    yield verb.doc + (" Changes what is stored." if verb.changes else "")
    yield ""
    if verb.params:
        yield from table(verb.params)
        yield ""
    if verb.any_of:
        yield "At least one of " + ", ".join(f"`{name}`" for name in verb.any_of) + " has to be given."
        yield ""
    yield f"Result: `{verb.result}`"
    yield ""
    call = {"jsonrpc": "2.0", "id": 1, "method": verb.name, "params": dict(verb.example)}
    yield "```json"
    yield json.dumps(call, ensure_ascii=False)
    yield "```"
    yield ""


def struct(name: str, doc: str, shared: Struct) -> Iterator[str]:
    """Yield the lines about an object that several methods take."""
    yield f"## {name}"
    yield ""
    yield doc
    yield ""
    yield from table(shared.members)
    yield ""


def page() -> str:
    """Return the whole page."""
    lines = [HEAD]
    lines.append("| method | |")
    lines.append("|---|---|")
    lines += [f"| [`{verb.name}`](#{verb.name}) | {cell(verb.doc)} |" for verb in VERBS.values()]
    lines.append("")
    for verb in VERBS.values():
        lines += section(verb)
    lines += struct("who", "Who asks. It decides which scopes are visible; all fields are strings.", WHO)
    lines += struct("turn", "One message.", TURN)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    print(f"{PAGE.name}: {len(VERBS)} methods")
