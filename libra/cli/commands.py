"""The commands: what each takes. Help comes from the verbs' own declarations where there is one."""

from __future__ import annotations

import argparse

from libra.cli.browse_commands import ASKS, CHANGES
from libra.cli.desktop_commands import DESKTOP
from libra.cli.flags import doc_of, help_of, many, one, who_flags
from libra.cli.parser import Command, duration, mcp_flags, words
from libra.cli.plain_commands import PLAIN
from libra.cli.scrub_commands import HOUSE
from libra.exchange.recognise import SYSTEMS

_REMOTE = "libra.cli.remote"
_MEMORY = "libra.cli.memory"
_HISTORY = "libra.cli.history"
_PIPES = "libra.cli.pipes"
_COPIES = "libra.cli.copies"
_MOVING = "libra.cli.moving"
_SERVICE = "libra.cli.service"
_CONNECT = "libra.cli.connect"


def _deep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--deep",
        action="store_true",
        help="have the running app look over itself, too, and mend what it finds",
    )


def _nothing(_parser: argparse.ArgumentParser) -> None:
    return


def _explain(parser: argparse.ArgumentParser, verb: str) -> None:
    parser.add_argument("--explain", action="store_true", help=help_of(verb, "explain"))
    parser.add_argument("--as-of", metavar="TIME", help=help_of(verb, "as_of"))


def _assemble(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", help=help_of("assemble", "query"))
    parser.add_argument(
        "-b", "--budget-tokens", "--budget", type=int, default=2_000, metavar="N",
        help=f"{help_of('assemble', 'budget_tokens')}; default 2,000",
    )  # fmt: skip
    parser.add_argument("--have", type=words, metavar="TIER,…", help=help_of("assemble", "have"))
    parser.add_argument("--deadline-ms", type=int, metavar="MS", help=help_of("assemble", "deadline_ms"))
    parser.add_argument("--text", action="store_true", help="print the text alone, as a prompt gets it")
    _explain(parser, "assemble")
    who_flags(parser)


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", help=help_of("search", "query"))
    parser.add_argument("-k", type=int, metavar="N", help=help_of("search", "k"))
    for name in ("kinds", "types", "scopes"):
        parser.add_argument(f"--{name}", type=words, metavar="WORD,…", help=help_of("search", name))
    for name, value in (("project", "KEY"), ("agent", "NAME")):
        parser.add_argument(f"--in-{name}", metavar=value, help=help_of("search", name))
    for name in ("since", "until"):
        parser.add_argument(f"--{name}", metavar="TIME", help=help_of("search", name))
    parser.add_argument("--archive", action="store_true", help=help_of("search", "archive"))
    parser.add_argument("--min-score", type=float, metavar="X", help=help_of("search", "min_score"))
    _explain(parser, "search")
    who_flags(parser)


def _get(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help=help_of("get", "id"))
    who_flags(parser)


def _expand(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help=help_of("expand", "id"))
    parser.add_argument("--depth", type=int, metavar="N", help=help_of("expand", "depth"))
    parser.add_argument(
        "--budget-tokens", "--budget", type=int, metavar="N", help=help_of("expand", "budget_tokens")
    )
    who_flags(parser)


def _describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help=help_of("describe", "id"))
    parser.add_argument(
        "--budget-tokens", "--budget", type=int, metavar="N", help=help_of("describe", "budget_tokens")
    )
    who_flags(parser)


def _grep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pattern", help=help_of("grep", "pattern"))
    parser.add_argument("-k", type=int, metavar="N", help=help_of("grep", "k"))
    parser.add_argument("-e", "--regex", action="store_true", help=help_of("grep", "regex"))
    parser.add_argument("--kinds", type=words, metavar="WORD,…", help=help_of("grep", "kinds"))
    parser.add_argument("--here", action="store_true", help=help_of("grep", "here"))
    parser.add_argument(
        "--budget-tokens", "--budget", type=int, metavar="N", help=help_of("grep", "budget_tokens")
    )
    who_flags(parser)


def _compaction(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("report",), help="report: what each level of each session costs")
    parser.add_argument("-k", type=int, metavar="N", help=help_of("compaction_report", "k"))
    who_flags(parser)


def _compact(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help=help_of("compact", "force"))
    parser.add_argument(
        "--budget-tokens", "--budget", type=int, metavar="N", help=help_of("compact", "budget_tokens")
    )
    who_flags(parser)


def _wish(parser: argparse.ArgumentParser, verb: str) -> None:
    for name in ("type", "origin"):
        parser.add_argument(f"--{name}", metavar="WORD", help=help_of(verb, name))
    parser.add_argument("--priority", type=int, metavar="N", help=help_of(verb, "priority"))
    parser.add_argument("--ttl-ms", type=int, metavar="MS", help=help_of(verb, "ttl_ms"))
    who_flags(parser)


def _remember(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", help=help_of("remember", "text"))
    _wish(parser, "remember")


def _update(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help=help_of("update", "id"))
    parser.add_argument("text", nargs="?", help=help_of("update", "text"))
    _wish(parser, "update")


def _flush(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", help=help_of("flush", "path"))


def _undo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("change", help="the change's number in the journal, or last")
    who_flags(parser)


def _journal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=int, metavar="N", help=help_of("journal", "limit"))
    parser.add_argument("--since", metavar="TIME", help=help_of("journal", "since"))
    who_flags(parser)


def _forget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="id", help="ids of records")
    parser.add_argument("--kinds", type=words, metavar="WORD,…", help=help_of("forget", "kinds"))
    many(parser, "forget")
    parser.add_argument("--confirm", type=int, metavar="N", help=help_of("forget", "confirm"))
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask before deleting")
    who_flags(parser)


def _mine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mine", action="store_true", help="only what this caller sees; by default all users and scopes"
    )
    who_flags(parser)


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", help="the file to write; standard output without one or for -")
    parser.add_argument("--vectors", action="store_true", help=help_of("export", "vectors"))
    _mine(parser)


def _import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "step", choices=("check", "run", "verify"), help="look at the file, take it in, compare afterwards"
    )
    parser.add_argument(
        "path", help="an export, a zip, a database, a Markdown file, a folder of them, or one of LanceDB"
    )
    parser.add_argument(
        "--from", dest="system", choices=SYSTEMS, help="whose file it is; by default found from the file"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="with run: say what would be done, and do nothing"
    )
    _mine(parser)


def _backup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--label", metavar="WORD", help=help_of("backup", "label"))


def _restore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="a name from `libra backups`, or latest")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask before replacing the database")


def _ingest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--request-id", metavar="ID", help=help_of("ingest", "request_id"))
    who_flags(parser)


def _drain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timeout-ms", type=int, metavar="MS", help=help_of("drain", "timeout_ms"))


def _pause(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "seconds", nargs="?", type=duration, metavar="duration", help="30m, 2h, 1d; without one until resumed"
    )
    _project(parser, "pause")


def _project(parser: argparse.ArgumentParser, verb: str) -> None:
    parser.add_argument("--project", metavar="KEY", help=help_of(verb, "project"))
    parser.add_argument("--here", action="store_true", help="the project of the present folder only")


def _resume(parser: argparse.ArgumentParser) -> None:
    _project(parser, "resume")


def _partition(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="a Markdown file, or - for standard input")


def _classify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("texts", nargs="*", metavar="text", help="paragraphs; without any, use --jsonl")
    parser.add_argument(
        "--jsonl", action="store_true", help="read {id, text} a line, write the verdict a line"
    )


def _summarize(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jsonl", action="store_true", required=True, help="read {id, turns} a line")
    parser.add_argument(
        "--budget-tokens", "--budget", type=int, metavar="N", help=help_of("summarize", "budget_tokens")
    )


def _gate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jsonl", action="store_true", required=True, help="read {id, text} a line")
    parser.add_argument("--role", default="user", help="who speaks, where a line does not say; default user")


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-tray", action="store_true", help="no icon, even where there is a display")
    _replace(parser)


def _replace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--replace",
        action="store_true",
        help="take the place of a Libra that runs already; an earlier version makes room without being told",
    )


def _serve(parser: argparse.ArgumentParser) -> None:
    _replace(parser)
    parser.add_argument(
        "--stop-with-stdin",
        action="store_true",
        help="end when standard input closes: for programs that start Libra and must not leave it behind",
    )


def _open(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-browser", action="store_true", help="print the address, and start no browser")


def _connect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("hosts", nargs="*", metavar="host", help="by default every host that is installed")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")


def _hook(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("host", help="the host that calls, such as claude-code")
    parser.add_argument("event", nargs="?", help="the host's name of the event; by default the input says it")


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", metavar="FOLDER", help="leave everything in this folder to look at")


COMMANDS = (
    Command("run", "app", "Start Libra, with its tray icon if there is a display.",
            "libra run            # stays; Ctrl-C or the icon's menu ends it", _run, _SERVICE, "run"),
    Command("serve", "app", "Start Libra without an icon (servers, service managers).",
            "libra serve --data-dir /srv/libra", _serve, _SERVICE, "serve"),
    Command("open", "app", "Show what Libra knows, in the browser: the page is there while somebody looks at it.",
            "libra open --no-browser", _open, "libra.cli.page", "open_"),
    Command("connect", "app", "Connect agents to Libra: shows the change, keeps a copy, writes it.",
            "libra connect --dry-run", _connect, _CONNECT, "connect"),
    Command("disconnect", "app", "Take out again what connect wrote.",
            "libra disconnect claude-code", _connect, _CONNECT, "disconnect"),
    *DESKTOP,
    Command("hook", "app", "What hosts call at their hooks; prints nothing if Libra is away.",
            "libra hook claude-code < event.json", _hook, "libra.cli.remote", "hook"),
    Command("mcp", "app", "Serve an agent over MCP on standard input and output; starts Libra if it is not running.",
            "claude mcp add libra -- libra mcp", mcp_flags, "libra.cli.mcp", "mcp"),
    Command("status", "app", doc_of("status"),
            "libra status --json | jq .queue", who_flags, _REMOTE, "status"),
    Command("sources", "app", "List what Libra reads: agents' transcripts and instruction files.",
            "libra sources", _nothing, _REMOTE, "sources"),
    Command("pause", "app", doc_of("pause"),
            "libra pause 2h", _pause, _REMOTE, "pause"),
    Command("resume", "app", doc_of("resume"),
            "libra resume", _resume, _REMOTE, "resume"),
    Command("shutdown", "app", doc_of("shutdown"),
            "libra shutdown", _nothing, _REMOTE, "shutdown"),
    Command("doctor", "app", "Check this machine, the data folder and the model; works without a running app.",
            "libra doctor", _deep, "libra.cli.doctor", "doctor"),
    Command("demo", "app", "Show the main job in under 20 seconds, in a throw-away folder.",
            "libra demo", _demo, "libra.cli.demo", "demo"),
    Command("assemble", "ask", doc_of("assemble"),
            'libra assemble "When do we deploy?" --budget 2000', _assemble, _REMOTE, "assemble"),
    Command("search", "ask", doc_of("search"),
            'libra search "deploy day" -k 5 --kinds memory,turn --since 2026-04-01', _search, _REMOTE, "search"),
    Command("get", "ask", doc_of("get"),
            "libra get 3f9a0c1e", _get, _REMOTE, "get"),
    Command("explain", "ask", doc_of("explain"),
            "libra explain 3f9a0c1e", one("explain"), _MEMORY, "explain"),
    Command("journal", "ask", doc_of("journal"),
            "libra journal --limit 5", _journal, _MEMORY, "journal"),
    Command("calibrate", "ask", doc_of("calibrate"),
            "libra calibrate", _nothing, _MEMORY, "calibrate"),
    *ASKS,
    Command("expand", "ask", doc_of("expand"),
            "libra expand 3f9a0c1e --depth 2", _expand, _REMOTE, "expand"),
    Command("describe", "ask", doc_of("describe"),
            "libra describe 3f9a0c1e", _describe, _HISTORY, "describe"),
    Command("grep", "ask", doc_of("grep"),
            "libra grep ETIMEDOUT -k 5", _grep, _HISTORY, "grep"),
    Command("compaction", "ask", doc_of("compaction_report"),
            "libra compaction report -k 5", _compaction, _HISTORY, "compaction"),
    Command("partition", "ask", doc_of("partition"),
            "libra partition CLAUDE.md", _partition, _REMOTE, "partition"),
    Command("compact", "change", doc_of("compact"),
            "libra compact --session claude-code:7c0f2b9a --force", _compact, _REMOTE, "compact"),
    Command("remember", "change", doc_of("remember"),
            'libra remember "We deploy on Fridays."', _remember, _REMOTE, "remember"),
    Command("update", "change", doc_of("update"),
            'libra update 3f9a0c1e "We deploy on Thursdays."', _update, _REMOTE, "update"),
    Command("confirm", "change", doc_of("confirm"),
            "libra confirm 3f9a0c1e", one("confirm"), _MEMORY, "confirm"),
    Command("correct", "change", doc_of("correct"),
            'libra correct 3f9a0c1e "We deploy on Thursdays."', one("correct", "text"), _MEMORY, "correct"),
    *CHANGES,
    *PLAIN,
    Command("undo", "change", doc_of("undo"),
            "libra undo last", _undo, _MEMORY, "undo"),
    Command("forget", "change", doc_of("forget"),
            'libra forget --query "my old address" --dry-run', _forget, _REMOTE, "forget"),
    *HOUSE,
    Command("export", "ask", "Write everything that is kept to a file, one JSON record a line.",
            "libra export memory.ndjson", _export, _MOVING, "export"),
    Command("import", "change", "Take in an export of Libra or of another memory: each thing once, nothing that was forgotten.",
            "libra import run memory.ndjson --dry-run", _import, _MOVING, "import_"),
    Command("backup", "app", doc_of("backup"),
            "libra backup --label before-move", _backup, _COPIES, "backup"),
    Command("backups", "app", "List the copies of the database, the newest first; works without a running app.",
            "libra backups", _nothing, _COPIES, "backups"),
    Command("restore", "app", "Go back to a copy of the database, Libra being stopped; what you had forgotten since stays forgotten.",
            "libra shutdown; libra restore latest", _restore, _COPIES, "restore"),
    Command("ingest", "change", "Store turns from standard input, one JSON object a line: {role, content, ts?, id?, …}.",
            "libra ingest --session notes-1 < turns.jsonl", _ingest, _REMOTE, "ingest"),
    Command("flush", "change", doc_of("flush"),
            "libra flush ~/.claude/projects/-home-dev-harbor/7c0f2b9a.jsonl", _flush, _REMOTE, "flush"),
    Command("drain", "change", doc_of("drain"),
            "libra drain --timeout-ms 60000", _drain, _REMOTE, "drain"),
    Command("classify", "pipe", doc_of("classify"),
            'libra classify "Never commit to main."', _classify, _PIPES, "classify"),
    Command("summarize", "pipe", doc_of("summarize"),
            "libra summarize --jsonl < clusters.jsonl", _summarize, _PIPES, "summarize"),
    Command("gate", "pipe", "Say of texts whether they are worth keeping, with every signal.",
            "libra gate --jsonl < texts.jsonl", _gate, _PIPES, "gate"),
)  # fmt: skip
"""Every command, in the order of the overview."""
