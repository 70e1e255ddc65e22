"""Results as a person reads them. A field that is absent is left out: the app may be older or newer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from libra.cli import output
from libra.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, count, moment, paint, size
from libra.cli.show_tasks import tasks_line

Json = Mapping[str, Any]

_COUNTED = {
    "turn": "turns",
    "memory": "memories",
    "summary": "summaries",
    "guidance": "guidance",
    "directive": "directives",
    "lore": "lore",
    "session": "sessions",
    "document": "documents",
}
"""What is counted for a person, and its plural."""

_TIER_STYLE = {"hard": RED, "soft": YELLOW, "guidance": YELLOW, "tail": CYAN, "recall": GREEN}


def degraded(result: Json) -> str:
    """Return a line that says what an answer had to do without, or nothing."""
    reasons = [str(reason) for reason in result.get("degraded") or ()]
    return f"{paint('degraded:', YELLOW)} {'; '.join(reasons)}" if reasons else ""


def joined(*parts: str) -> str:
    """Return the parts that are not empty, an empty line between each two."""
    return "\n\n".join(part for part in parts if part)


def origin(source: Json | None) -> str:
    """Return where something comes from, short: file and line, else the session."""
    source = source or {}
    line = f":{source['line']}" if source.get("line") is not None else ""
    if source.get("path"):
        path = Path(str(source["path"]).replace("\\", "/"))
        name = path.name if source.get("session") else "/".join(path.parts[-2:])
        return f"{name}{line}"
    return str(source.get("session") or "–")


def status(result: Json) -> str:
    """Return the status on one screen."""
    model = result.get("model") or {}
    queue = result.get("queue") or {}
    pending = queue.get("pending", queue.get("waiting")) if isinstance(queue, Mapping) else queue
    rows = [
        ("state", _state(result)),
        ("version", result.get("version")),
        ("stored", counts(result.get("counts"))),
        ("waiting", count(pending) if pending else "nothing"),
        ("being done", tasks_line(result)),
        ("model", _model(model)),
        ("sources", _source_sum(result.get("sources"))),
        (
            "size",
            ", ".join(
                f"{name.removesuffix('_bytes')} {size(n)}"
                for name, n in (result.get("sizes") or {}).items()
                if n
            ),
        ),
        ("last learnt", _last(result.get("last_learnt"))),
        ("newest memory", _learnt(result.get("learnt") or {})),
        ("last injected", _last(result.get("last_injected"))),
        ("today", _today(result.get("today") or {})),
        (
            "paused projects",
            ", ".join(f"{p} until {until(u)}" for p, u in (result.get("paused_projects") or {}).items()),
        ),
        ("folder", result.get("data_dir")),
    ]
    return joined(output.pairs(rows), degraded(result))


def _state(result: Json) -> str:
    if result.get("paused"):
        return paint(f"paused until {until(result.get('paused_until'))}", YELLOW)
    if not result.get("ready", True):
        return paint("starting", YELLOW)
    return paint("degraded", YELLOW) if result.get("degraded") else paint("running", GREEN)


def until(end: Any) -> str:
    """Return when a pause ends; the app gives epoch milliseconds, or a word if only a person ends it."""
    return moment(end) if isinstance(end, int) and end else "resumed"


def counts(found: Any) -> str:
    """Return ``12,345 turns, 310 memories``, whatever the nesting of the counts."""
    numbers = found.get("kinds", found) if isinstance(found, Mapping) else {}
    return ", ".join(
        f"{count(n)} {kind if n == 1 else many}"
        for kind, many in _COUNTED.items()
        if isinstance(n := numbers.get(kind), int) and n
    )


def _model(model: Json) -> str:
    name = str(model.get("profile") or model.get("state") or "–")
    provider = f" on {model['provider']}" if model.get("provider") else ""
    why = f" ({model['reason']})" if model.get("reason") else ""
    return f"{name}{provider}{why}"


def _source_sum(found: Any) -> str:
    """Return how much of each host has been read, and what could not be."""
    if not isinstance(found, Mapping):
        return ""
    hosts = found.get("hosts") or {}
    parts = [f"{host} {count(n.get('read'))}/{count(n.get('found'))} files" for host, n in hosts.items()]
    if found.get("unreadable"):
        parts.append(paint(f"{count(len(found['unreadable']))} unreadable", YELLOW))
    return ", ".join(parts)


def _last(value: Any) -> str | None:
    if isinstance(value, Mapping):
        when = value.get("ts") or value.get("created_ms") or value.get("at")
        text = value.get("text") or value.get("id") or value.get("receipt_id") or ""
        return f"{moment(when)}  {output.fit(str(text), 60)}" if when else str(text)
    return moment(value) if isinstance(value, int) and value else value or None


def _learnt(memory: Json) -> str:
    """Return what kind of memory it is, and where it was told."""
    places = [str(memory[name]) for name in ("host", "project") if memory.get(name)]
    return ", ".join([str(memory.get("type") or "memory"), *places]) if memory else ""


def _today(today: Json) -> str:
    if not today:
        return ""
    given = f"{count(today.get('injections'))} injections, {count(today.get('tokens'))} tokens"
    saved = today.get("saved_tokens") or 0
    return f"{given}, {count(saved)} saved by summaries" if saved else given


def sources(result: Any) -> str:
    """Return the sources: what is plain as lines, every list or table of records as a table."""
    if not result:
        return "nothing is read yet"
    rows = [
        (k.replace("_", " "), _cell(k, v))
        for k, v in result.items()
        if v not in ({}, []) and not _is_table(v)
    ]
    parts = [output.pairs(rows)]
    parts += [
        f"{paint(name.replace('_', ' '), BOLD)}\n{_records(_as_records(name, rows))}"
        for name, rows in result.items()
        if _is_table(rows)
    ]
    return joined(*parts)


def _is_table(value: Any) -> bool:
    rows = list(value.values()) if isinstance(value, Mapping) else value
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, Mapping) for row in rows)


def _as_records(name: str, rows: Any) -> list[Json]:
    """Return a table's rows; a table by name gets its names as first column."""
    if isinstance(rows, Mapping):
        return [{name.removesuffix("s"): key, **row} for key, row in rows.items()]
    return list(rows)


def _plain(value: Any) -> str:
    """Return a value on one line; members that say nothing are left out."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{k.replace('_', ' ')} {_cell(k, v)}" for k, v in value.items() if _says(v))
    if isinstance(value, list):
        return ", ".join(str(v) for v in value)
    return count(value) if isinstance(value, int) else str(value)


def _says(value: Any) -> bool:
    return value is not None and value is not False and value not in ("", [], {})


def _records(rows: Sequence[Any]) -> str:
    if not all(isinstance(row, Mapping) for row in rows):
        return "\n".join(str(row) for row in rows)
    head = list(dict.fromkeys(name for row in rows for name in row))
    # The longest text goes last, where a table has room.
    head.sort(key=lambda name: name in {"path", "folder", "error", "reason"})
    cells = [[_cell(name, row.get(name)) for name in head] for row in rows]
    right = [i for i, name in enumerate(head) if all(isinstance(r.get(name), int | None) for r in rows)]
    return output.table([name.removesuffix("_ms").replace("_", " ") for name in head], cells, right=right)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        if name.endswith("_ms"):
            return moment(value)
        if name.startswith("bytes") or name.endswith("_bytes"):
            return size(value)
    return _plain(value)


def assembled(result: Json, took_ms: float, *, explain: bool) -> str:
    """Return the answer's sum, its items as a table, and the text as a prompt gets it."""
    line = f"{count(result['tokens'])} of {count(result['budget_tokens'])} tokens in {took_ms:.0f} ms"
    skipped = result.get("skipped_reason")
    summary = paint(line, BOLD) + (f"   nothing recalled: {skipped}" if skipped else "")
    text = result.get("text", "")
    return joined(summary, items(result.get("items") or [], explain=explain), degraded(result), text.rstrip())


def items(found: Sequence[Json], *, explain: bool = False) -> str:
    """Return assembled items: tier, kind, tokens, score, source."""
    if not found:
        return "nothing to show"
    rows = []
    for item in found:
        score = "" if item.get("score") is None else f"{item['score']:.3f}"
        tier = str(item.get("tier", ""))
        rows.append([tier, item.get("kind"), count(item.get("tokens")), score, _why(item, explain=explain)])
    shown = output.table(["tier", "kind", "tokens", "score", "source"], rows, right=(2, 3))
    head, *lines = shown.split("\n")
    return "\n".join([head, *(_in_colour(line, _TIER_STYLE) for line in lines)])


def _in_colour(line: str, styles: Mapping[str, str]) -> str:
    word, space, rest = line.partition(" ")
    return paint(word, styles[word]) + space + rest if word in styles else line


def _why(item: Json, *, explain: bool) -> str:
    where = origin(item.get("source"))
    why = item.get("why")
    if not explain or not isinstance(why, Mapping):
        return where
    parts = [
        f"{k}={v:.2f}" if isinstance(v, float) else f"{k}={v}" for k, v in why.items() if v not in (None, [])
    ]
    return f"{where}  {' '.join(parts)}"


def hits(result: Json, *, explain: bool) -> str:
    """Return found items: score, kind, when, where, text."""
    found = result.get("hits") or []
    if not found:
        return joined("nothing found", degraded(result))
    rows = [
        [
            f"{h['score']:.3f}",
            h.get("type") or h.get("kind"),
            moment(h.get("ts")),
            str(h.get("id", ""))[:12],
            output.fit(_why(h, explain=explain), 36 if not explain else 90),
            h.get("text", ""),
        ]
        for h in found
    ]
    table = output.table(["score", "kind", "when", "id", "source", "text"], rows, right=(0,))
    return joined(table, degraded(result))


def record(result: Json) -> str:
    """Return one record: its fields, its text, its history."""
    fields = [
        (name.removesuffix("_ms").replace("_", " "), _field(name, value))
        for name, value in result.items()
        if name not in {"text", "history", "source"}
    ]
    history = result.get("history") or []
    return joined(
        output.pairs([*fields, ("source", origin(result.get("source")))]),
        str(result.get("text", "")),
        f"{paint('history', BOLD)}\n{_records(history)}" if history else "",
    )


def _field(name: str, value: Any) -> str:
    if isinstance(value, int) and (name == "ts" or name.endswith("_ms")):
        return moment(value)
    return "" if value in (None, {}, []) else _plain(value)


def kept(result: Json) -> str:
    """Return what ``remember`` or ``update`` did, in a few lines."""
    if result.get("id") is None:
        return "not kept: this was forgotten on request"
    lines = [f"{result.get('outcome') or 'changed'}: {result.get('text', '')}"]
    lines.append(f"  {result['id']}  {result.get('type')}, confidence {result.get('confidence')}")
    for name, doc in (
        ("superseded", "in place of"),
        ("against", "against the person's own"),
        ("redacted", "taken out"),
    ):
        if result.get(name):
            lines.append(f"  {doc}: {', '.join(result[name])}")
    return "\n".join(lines)


def expanded(result: Json) -> str:
    """Return the walk from a summary down to its turns."""
    lines = []
    for item in result.get("items") or []:
        head = f"{item.get('kind', '')} {str(item.get('id', ''))[:12]} {moment(item.get('ts'))}"
        indent = "  " * int(item.get("level") or item.get("depth") or 0)
        lines.append(f"{indent}{paint(head, DIM)}  {output.fit(str(item.get('text', '')), 200)}")
    more = "there is more: raise --depth or --budget-tokens" if result.get("truncated") else ""
    return joined("\n".join(lines) or "nothing below it", more)


def compacted(result: Json) -> str:
    """Return what a compaction did."""
    if not result.get("did_compact"):
        return f"nothing compacted: {result.get('reason') or 'nothing to do'}"
    confidence = result.get("mean_confidence")
    return output.pairs(
        [
            ("tokens", f"{count(result.get('tokens_before'))} → {count(result.get('tokens_after'))}"),
            ("clusters", f"{count(result.get('clusters'))}, {count(result.get('declined') or 0)} declined"),
            ("kept verbatim", _number(result.get("guidance"))),
            ("summaries", _number(result.get("summaries"))),
            ("by a model", by_model(result)),
            ("confidence", None if confidence is None else f"{confidence:.2f}"),
        ]
    )


def by_model(result: Json) -> str | None:
    """Return how many summaries a model wrote, and why not the others; None if none is set."""
    rejected = result.get("rejected") or {}
    if not result.get("abstractive") and not rejected:
        return None
    why = ", ".join(f"{n} {reason}" for reason, n in sorted(rejected.items()))
    return count(result.get("abstractive") or 0) + (f" (not: {why})" if why else "")


def _number(value: Any) -> str:
    """Return a count, be it given as a number or as a list of ids."""
    return count(len(value) if isinstance(value, list) else value or 0)


def forgotten(result: Json) -> str:
    """Return what was or would be deleted."""
    ids = result.get("ids") or []
    number = (
        result.get("would_forget", len(ids)) if result.get("dry_run") else result.get("forgotten", len(ids))
    )
    verb = "would be deleted" if result.get("dry_run") else "deleted"
    of = counts(result.get("counts"))
    lines = [
        f"  {str(i.get('id', ''))[:12]}  {i.get('kind', '')}  {output.fit(str(i.get('text', '')), 70)}"
        for i in result.get("items") or []
    ]
    more = [f"  … and {count(result['more'])} more"] if result.get("more") else []
    return "\n".join([f"{count(number)} records {verb}{f': {of}' if of else ''}", *lines, *more])


def partitioned(result: Json) -> str:
    """Return how a document would be loaded."""
    nodes = result.get("nodes") or []
    rows = [
        [
            n["tier"],
            f"{n['lines'][0]}–{n['lines'][1]}",
            n["kind"],
            count(n["tokens"]),
            " ".join(n["text"].split()),
        ]
        for n in nodes
    ]
    tokens = result.get("tokens") or {}
    table = (
        output.table(["tier", "lines", "kind", "tokens", "text"], rows, right=(3,)) if rows else "no content"
    )
    total = ", ".join(f"{tier} {count(n)}" for tier, n in tokens.items())
    return joined(table, f"tokens: {total}", degraded(result))
