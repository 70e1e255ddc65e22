"""Are names found by whoever writes them down again? Kinds of identifiers, and words in scripts that a word splitter loses.

    python bench/identifiers.py [-v]

A store of talk is filled in which every name stands once, beside others that differ from it in a letter or a part. Each is then
looked up in questions of several languages. Prints recall at 1 and 5 by kind; ends with 1 if a kind's recall at 5 is below its floor.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.ground.paths import shipped
from libra.ground.records import Kind, NewTurn, Role, Who
from libra.inference.embedder import Embedder
from libra.store.store import Store, StoreParams

_FLOOR = 0.95
_ASKED = (
    "What was it with {}?",
    "{}",
    "Was war noch mal mit {} los?",
    "Qu'est-ce qu'on a dit de {} ?",
    "¿Qué pasó con {}?",
    "{} 是怎么回事？",
    "{}の件はどうなりましたか？",
    "Chuyện {} thế nào rồi?",
)
_SAID = (
    "I looked at {} this morning and it is done now.",
    "We changed {}, since nobody needed the old one.",
    "Then {} came up, and that took the whole afternoon.",
    "Leave {} alone until next week, please.",
)


@dataclass(frozen=True, slots=True)
class Names:
    """One kind: names that are looked up, and others that are like them."""

    kind: str
    wanted: tuple[str, ...]
    others: tuple[str, ...]


NAMES = (
    Names(
        "path",
        ("src/net/retry.rs", "/etc/nginx/sites.d/api.conf", "~/notes/garden.md", r"C:\work\app\main.cs", "docs/setup.md", "Makefile"),
        ("src/net/reset.rs", "/etc/nginx/sites.d/web.conf", "~/notes/kitchen.md", r"C:\work\app\form.cs", "docs/start.md", "Dockerfile"),
    ),
    Names(
        "hash",
        ("9f3c2ab", "e83c5163316f89bfbde7d9ab23ca2e25604af290", "0xdeadbeef", "550e8400-e29b-41d4-a716-446655440000"),
        ("9f3c2ac", "e83c5163316f89bfbde7d9ab23ca2e25604af291", "0xdeadbeee", "550e8400-e29b-41d4-a716-446655440001"),
    ),
    Names("error code", ("ECONNREFUSED", "E0502", "TS2345", "ORA-00942", "HTTP 429", "SIGSEGV", "C2065"), ("ECONNRESET", "E0503", "TS2346", "ORA-00943", "HTTP 428", "SIGBUS", "C2066")),
    Names("phrase", ('"blue heron"', "“night train”", "「夜の列車」", "«la mesa redonda»"), ("heron of blue", "train at night", "列車の夜", "la redonda mesa")),
    Names("tag", ("proj:harbour", "env:staging", "team:north", "area:billing"), ("proj:harvest", "env:standby", "team:south", "area:building")),
    Names("version", ("2.14.3", "v1.0.0-rc.2", "3.11", "v7"), ("2.14.4", "v1.0.0-rc.3", "3.12", "v8")),
    Names("flag", ("--no-verify", "--max-old-space-size", "-Xmx4g", "--foo=bar"), ("--no-verbose", "--max-new-space-size", "-Xmx8g", "--foo=baz")),
    Names("dotted name", ("os.path.join", "Array.prototype.flat", "std::vector::push_back", "user.profile.avatar_url"), ("os.path.split", "Array.prototype.map", "std::vector::pop_back", "user.profile.avatar_id")),
    Names("variable", ("DATABASE_URL", "$HOME_DIR", "MAX_RETRIES", "${CI_TOKEN_NAME}"), ("DATABASE_URI", "$HOST_DIR", "MAX_REPEATS", "${CI_TOKEN_NOTE}")),
    Names("ticket", ("PROJ-1234", "#4711", "JIRA-88", "GH-1029", "RFC 9110"), ("PROJ-1235", "#4712", "JIRA-89", "GH-1028", "RFC 9111")),
    Names("address", ("https://example.org/a/b?id=7", "mara.lindt@example.org", "10.0.3.17", "db-3.internal:5432", "example.net"), ("https://example.org/a/b?id=8", "mira.lindt@example.org", "10.0.3.18", "db-4.internal:5432", "example.com")),
    Names("call", ("parseConfig()", "getUserById", "train_step", "UserAccountService"), ("parseContext()", "getUserByMail", "train_stop", "UserAccountStore")),
    Names("package", ("@scope/ui-kit", "left-pad", "numpy==1.26.4", "libssl3"), ("@scope/ui-core", "right-pad", "numpy==1.26.3", "libssl1")),
)  # fmt: skip
"""Names of kinds that people and programs use."""


@dataclass(frozen=True, slots=True)
class Words:
    """A line that was said, and ways to ask for it."""

    kind: str
    said: str
    asked: tuple[str, ...]


WORDS = (
    Words("Chinese", "我们把数据库迁移到新的服务器上了", ("数据库迁移", "数据库怎么样了？", "服务器")),
    Words("Chinese", "下周三去牙医那里检查", ("牙医", "什么时候看牙医？")),
    Words("Japanese", "図書館で借りた本は来週返します", ("図書館", "借りた本はいつ返す？")),
    Words("Japanese", "カレーを作るときは玉ねぎを多めに", ("玉ねぎ", "カレーの作り方")),
    Words("Vietnamese", "Đường về quê bị ngập nặng", ("đường về quê", "duong ve que", "Duong bi ngap")),
    Words("Vietnamese", "Bà ngoại nấu phở rất ngon", ("phở bà ngoại", "pho ba ngoai", "nau pho")),
    Words("accents", "Der Käse aus der Höhle schmeckt würzig", ("Käse Höhle", "Kase Hohle", "KÄSE")),
    Words("accents", "L'été dernier, la crêperie était fermée", ("crêperie", "creperie", "CRÊPERIE")),
    Words("NFD", unicodedata.normalize("NFD", "Das Café Größenwahn hat montags zu"), ("Café Größenwahn", unicodedata.normalize("NFD", "Café"), "cafe grossenwahn")),
    Words("NFD", unicodedata.normalize("NFD", "Ông Đặng trồng ổi"), ("Đặng", unicodedata.normalize("NFD", "Đặng trồng ổi"), "dang trong oi")),
)  # fmt: skip
"""Lines in scripts and forms that a word splitter loses."""


def _lines() -> Iterator[tuple[str, str]]:
    """Yield an id and a line for every name, wanted or not, and for every line in words."""
    for names in NAMES:
        for index, name in enumerate((*names.wanted, *names.others)):
            yield f"{names.kind}/{name}", _SAID[index % len(_SAID)].format(name)
    for words in WORDS:
        yield f"{words.kind}/{words.said}", words.said


def _looked_up() -> Iterator[tuple[str, str, str]]:
    """Yield kind, id of what must be found, and the question."""
    for names in NAMES:
        for index, name in enumerate(names.wanted):
            for asked in (_ASKED[0], _ASKED[1], _ASKED[2 + index % (len(_ASKED) - 2)]):
                yield names.kind, f"{names.kind}/{name}", asked.format(name)
    for words in WORDS:
        for asked in words.asked:
            yield words.kind, f"{words.kind}/{words.said}", asked


def _filled(folder: Path, data: Path) -> Engine:
    store = Store.open(data / "libra.db", StoreParams(), lambda: int(time.time() * 1000))
    deps = Deps(store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=lambda: int(time.time() * 1000), zone=UTC)  # fmt: skip
    engine = Engine(deps)
    engine.use_model(Embedder.open(folder))
    engine.start()
    for at, (key, line) in enumerate(_lines()):
        engine.ingest(
            who=Who(user="me", session=f"s{at % 17}"), turns=[NewTurn(Role.USER, line, at * 60_000, key)]
        )
    while engine.drain(timeout_ms=60_000)["pending"]:
        pass
    return engine


def main() -> int:
    """Fill, look up, print, compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-v", "--verbose", action="store_true", help="print what was not found first")
    args = parser.parse_args()
    ranks: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory(prefix="lbench-") as data:
        engine = _filled(shipped("models") / "minilm-l6-v2", Path(data))
        for kind, wanted, asked in _looked_up():
            hits = engine.search(
                who=Who(user="me", session="asking"), query=asked, k=5, kinds=frozenset({Kind.TURN})
            )["hits"]
            found = [hit["external_id"] for hit in hits]
            rank = found.index(wanted) + 1 if wanted in found else 0
            ranks.setdefault(kind, []).append(rank)
            if args.verbose and rank != 1:
                print(f"{rank} {wanted!r} for {asked!r}: first is {found[:1]}", file=sys.stderr)
        engine.stop()
        engine.deps.store.close()
    print("| kind | look-ups | recall@1 | recall@5 |\n| --- | --- | --- | --- |")
    low = []
    for kind, of in ranks.items():
        first, five = sum(r == 1 for r in of) / len(of), sum(r > 0 for r in of) / len(of)
        print(f"| {kind} | {len(of)} | {first:.2f} | {five:.2f} |")
        low += [kind] if five < _FLOOR else []
    print(*(f"{kind}: recall@5 below {_FLOOR}" for kind in low), sep="\n")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
