"""``libra demo``: the main job in one go, with the real app, in a throw-away folder (issue 2, item 9).

A small workspace is laid out there: instruction files, notes, two agents' sessions. The app is started on it as
its own process; a last session is written line by line while the watcher follows; then questions are asked over
the socket, a session is compacted, and one question is asked again. Nothing is left behind.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from libra.cli import EXIT_FAILED, EXIT_OK, output, show
from libra.cli.demo_app import DemoApp
from libra.cli.output import BOLD, DIM, GREEN, RED, paint
from libra.ground.errors import LibraError, NotFound
from libra.ground.paths import shipped

Json = dict[str, Any]

_FOLLOW_S = 6.0
_READ_S = 120.0
_POLL_S = 0.02
_BETWEEN_LINES_S = 0.03
_FEW, _MOST = 2, 6
"""Items shown of a tier, and of recall."""
_REWRITTEN = {".json", ".jsonl"}


@dataclass(slots=True)
class Show:
    """Collects what happened, and prints it as it happens unless it will be one JSON document.

    Attributes:
        quiet: Print nothing.
        steps: What was done, with its figures.
        failed: Sentences about what did not work.
    """

    quiet: bool
    steps: list[Json] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Print a line for the person."""
        if not self.quiet:
            print(text, flush=True)

    def step(self, name: str, text: str, **figures: Any) -> None:
        """Record a step and print its line."""
        self.steps.append({"step": name, **figures})
        if text:
            self.say(text)

    def expect(self, fact: object, otherwise: str) -> bool:
        """Record a failure unless ``fact`` holds."""
        if not fact:
            self.failed.append(otherwise)
            self.say(f"  {paint('✗', RED)} {otherwise}")
        return bool(fact)


def demo(args: argparse.Namespace) -> int:
    """Run the demo; exit code 1 if any part of it does not do what it should."""
    told = Show(quiet=args.json)
    started = time.perf_counter()
    with _folder(args.keep) as root:
        try:
            _play(root, told)
        except LibraError as error:
            told.expect(fact=False, otherwise=error.message)
    if args.keep is None:
        told.expect(not root.exists(), f"{root} could not be removed")
    seconds = time.perf_counter() - started
    if args.json:
        result = {
            "ok": not told.failed,
            "seconds": round(seconds, 2),
            "steps": told.steps,
            "failed": told.failed,
        }
        output.show_json(result)
    else:
        _goodbye(told, seconds, args.keep)
    return EXIT_FAILED if told.failed else EXIT_OK


def _goodbye(told: Show, seconds: float, kept: str | None) -> None:
    left = f"everything is in {kept}" if kept else "nothing was left behind"
    if told.failed:
        print(f"\n{paint('The demo did not work:', BOLD, RED)} {'; '.join(told.failed)}")
    else:
        print(f"\n{paint('That was Libra', BOLD, GREEN)}, in {seconds:.1f} s; {left}.")
        print('Start it on your own sessions with `libra run`, then ask with `libra assemble "…"`.')


@contextmanager
def _folder(keep: str | None) -> Iterator[Path]:
    """Yield the folder that everything happens in; remove it unless it is to be kept."""
    if keep is not None:
        root = Path(keep).expanduser().resolve()
        root.mkdir(parents=True, exist_ok=True)
        if any(root.iterdir()):
            raise LibraError(f"{root} is not empty", hint="name a new folder", where=str(root))
        yield root
        return
    root = Path(tempfile.mkdtemp(prefix="libra-demo-")).resolve()
    try:
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)


# ------------------------------------------------------------------ the play


def _play(root: Path, told: Show) -> None:
    assets = shipped("assets") / "demo"
    if not (assets / "questions.json").is_file():
        raise NotFound("the demo's workspace did not come with this Libra", where=str(assets))
    home = root / "home"
    script = lay_out(assets, home)
    told.say(
        f"{paint('A person, a small web service, two agents, six days', BOLD)}  {paint(str(root), DIM)}\n"
    )
    with DemoApp(root, home) as app:
        _start(app, told)
        _follow(app, told, assets, home, script)
        answers = [
            _ask(app, told, question, number) for number, question in enumerate(script["questions"], 1)
        ]
        _compact(app, told, script, answers)
    told.step("stop", "", exit_code=app.exit_code)
    told.expect(app.exit_code == 0, f"the app did not stop as it should (exit code {app.exit_code})")


def lay_out(assets: Path, home: Path) -> Json:
    """Copy the workspace to ``home`` and return its script, paths in both moved there."""
    script = json.loads((assets / "questions.json").read_text("utf-8"))
    old = script["home"]
    # Inside JSON a Windows path has its backslashes doubled.
    new = json.dumps(str(home))[1:-1]
    for name in ("larder", "claude", "openclaw"):
        shutil.copytree(assets / name, home / name)
    for path in home.rglob("*"):
        if path.suffix in _REWRITTEN:
            path.write_text(path.read_text("utf-8").replace(old, new), "utf-8", newline="\n")
    moved: Json = json.loads(json.dumps(script).replace(old, new))
    return {**moved, "old_home": old}


def _start(app: DemoApp, told: Show) -> None:
    health_ms = app.start()
    told.step("start", f"The app answers after {health_ms:,.0f} ms.", health_ms=round(health_ms))
    started = time.perf_counter()
    app.settle(_READ_S)
    status = app.call("status")
    counts = {kind: n for kind, n in (status.get("counts") or {}).items() if isinstance(n, int)}
    took_ms = (time.perf_counter() - started) * 1000
    text = f"It has read what was there in {took_ms:,.0f} ms: {show.counts(counts)}."
    told.step("read", text, ms=round(took_ms), counts=counts)
    told.expect(counts.get("turn"), "no turn was read")


def _follow(app: DemoApp, told: Show, assets: Path, home: Path, script: Json) -> None:
    """Write the live session line by line; the watcher follows."""
    lines = (assets / script["live"]["file"]).read_bytes().splitlines(keepends=True)
    target = home / script["live"]["target"]
    new = json.dumps(str(home))[1:-1].encode()
    before = app.turns()
    spoken = sum(_is_spoken(line) for line in lines)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("ab") as live:
        for line in lines:
            live.write(line.replace(script["old_home"].encode(), new))
            live.flush()
            # As fast as a very fast talker: the watcher has to keep up with many small writes.
            time.sleep(_BETWEEN_LINES_S)
    written = time.perf_counter()
    while app.turns() - before < spoken and time.perf_counter() - written < _FOLLOW_S:
        time.sleep(_POLL_S)
    learnt = app.turns() - before
    lag_ms = (time.perf_counter() - written) * 1000
    app.settle(_READ_S)
    text = f"A session is written line by line; {learnt} of its {spoken} turns are there {lag_ms:,.0f} ms after the last."
    told.step("follow", text, lines=len(lines), turns=learnt, spoken=spoken, lag_ms=round(lag_ms))
    told.expect(learnt >= spoken, f"the watcher took {learnt} of {spoken} turns")


def _is_spoken(line: bytes) -> bool:
    """Return True for a line of the live session that becomes a turn: words of the person or the agent."""
    value = json.loads(line)
    if value.get("type") not in {"user", "assistant"}:
        return False
    content = (value.get("message") or {}).get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return any(block.get("type") == "text" and str(block.get("text") or "").strip() for block in blocks)


def _ask(app: DemoApp, told: Show, question: Mapping[str, Any], number: int, *, again: bool = False) -> Json:
    """Ask one question and show what a prompt would get."""
    asked = {name: question[name] for name in ("who", "query", "budget_tokens")}
    started = time.perf_counter()
    answer: Json = app.call("assemble", asked)
    took_ms = (time.perf_counter() - started) * 1000
    found = question["must"] in answer["text"]
    who = question["who"]
    title = f"{number}. {question['query']}"
    told.say(f"\n{paint(title, BOLD)}")
    told.say(f"   asked by {who.get('host')}; {question['shows']}")
    told.say(f"   {answer['tokens']:,} of {answer['budget_tokens']:,} tokens in {took_ms:.0f} ms\n")
    told.say(_indented(_items(answer)))
    told.say(
        f"   {paint('✓' if found else '✗', GREEN if found else RED)} the answer holds “{question['must']}”"
    )
    told.step(
        "ask again" if again else "ask",
        "",
        query=question["query"],
        ms=round(took_ms, 1),
        tokens=answer["tokens"],
        budget_tokens=answer["budget_tokens"],
        found=found,
        items=[
            {k: i.get(k) for k in ("id", "tier", "kind", "tokens", "score", "source")}
            for i in answer["items"]
        ],
        degraded=answer["degraded"],
    )
    if not found:
        told.failed.append(f"question {number} was answered without “{question['must']}”")
    told.expect(answer["tokens"] <= answer["budget_tokens"], f"question {number} went over its budget")
    return answer


def _items(answer: Json) -> str:
    """Return the items as a table: of every tier the first, of the tail the newest, of recall the best."""
    shown: list[Json] = []
    for tier in dict.fromkeys(item["tier"] for item in answer["items"]):
        of_tier = [item for item in answer["items"] if item["tier"] == tier]
        shown += of_tier[-_FEW:] if tier == "tail" else of_tier[: _MOST if tier == "recall" else _FEW]
    table = show.items(shown)
    more = len(answer["items"]) - len(shown)
    return f"{table}\n{paint(f'… and {more} more', DIM)}" if more else table


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.split("\n"))


def _compact(app: DemoApp, told: Show, script: Json, answers: list[Json]) -> None:
    """Compact one session and ask one of the questions again."""
    wanted = script["compact"]
    started = time.perf_counter()
    done: Json = app.call("compact", {"who": wanted["who"], "force": True})
    took_ms = (time.perf_counter() - started) * 1000
    told.say(
        f"\n{paint('The first session is compacted', BOLD)} in {took_ms:.0f} ms; its turns stay and can be expanded."
    )
    told.say(_indented(show.compacted(done)))
    figures = {
        k: done.get(k)
        for k in ("did_compact", "tokens_before", "tokens_after", "clusters", "mean_confidence")
    }
    told.step("compact", "", ms=round(took_ms), **figures)
    if not told.expect(done.get("did_compact"), f"nothing was compacted: {done.get('reason')}"):
        return
    number = wanted["ask_again"]
    again = _ask(app, told, script["questions"][number], number + 1, again=True)
    with suppress(KeyError, IndexError):
        before, after = answers[number]["tokens"], again["tokens"]
        told.say(f"   before the compaction it took {before:,} tokens, now {after:,}")
