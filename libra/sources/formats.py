"""The table of hosts whose talk is read; a further host is one more row."""

from __future__ import annotations

import os

from libra.ground.records import Metadata
from libra.sources import claude_code, codex, cursor, gemini, hermes, openclaw, opencode
from libra.sources.cursor_projects import told_of
from libra.sources.events import ParseParams, Parser
from libra.sources.gemini_projects import GeminiProjects
from libra.sources.hermes_sqlite import HermesDatabase
from libra.sources.host_sqlite import DatabaseParams
from libra.sources.openclaw_database import OpenClawDatabase
from libra.sources.openclaw_sessions import SessionFacts, SessionLists, predecessor
from libra.sources.opencode_files import OpencodeFiles
from libra.sources.opencode_sqlite import OpencodeDatabase
from libra.sources.slices import Job, TalkFile
from libra.sources.transcripts import Format


def formats(params: ParseParams) -> dict[str, Format]:
    """Return the formats of all hosts, by host."""
    lists = SessionLists()
    projects = GeminiProjects()

    def claude(file: TalkFile, memory: Metadata | None, left: frozenset[str]) -> Parser:
        return claude_code.ClaudeCodeParser(params, file.parts, memory, left)

    def claw(file: TalkFile, memory: Metadata | None, left: frozenset[str]) -> Parser:
        return openclaw.OpenClawParser(
            params,
            file.parts[0],
            openclaw.named_session(file.parts),
            facts_of=lambda session_id: _facts(lists, file, session_id),
            memory=memory,
            abandoned=left,
        )

    def rollout(file: TalkFile, memory: Metadata | None, left: frozenset[str]) -> Parser:
        return codex.CodexParser(params, file.parts, memory, left)

    def chat(file: TalkFile, memory: Metadata | None, left: frozenset[str]) -> Parser:
        return gemini.GeminiParser(params, file.parts, projects.cwd(file), memory, left)

    def agent(file: TalkFile, memory: Metadata | None, _left: frozenset[str]) -> Parser:
        return cursor.CursorParser(params, file.parts, told_of(file), memory)

    def claw_database(file: TalkFile, database: DatabaseParams) -> Job:
        return OpenClawDatabase(file.path, file.parts[0], params, database)

    def hermes_rows(file: TalkFile, database: DatabaseParams) -> Job:
        return HermesDatabase(file.path, params, database)

    def opencode_rows(file: TalkFile, database: DatabaseParams) -> Job:
        return OpencodeDatabase(file.path, params, database)

    def opencode_files(file: TalkFile, database: DatabaseParams) -> Job:
        return OpencodeFiles(file, params, database)

    known = (
        Format(hermes.HOST, hermes.verdict, database=hermes_rows),
        Format(opencode.HOST, opencode.verdict, database=opencode_rows, whole=opencode_files),
        Format(cursor.HOST, cursor.verdict, agent),
        Format(gemini.HOST, gemini.verdict, chat, gemini.left_in, events_of=gemini.events_of),
        Format(codex.HOST, codex.verdict, rollout, codex.left_in),
        Format(claude_code.HOST, claude_code.verdict, claude, claude_code.abandoned),
        Format(openclaw.HOST, openclaw.verdict, claw, openclaw.left_in, claw_database),
    )
    return {form.host: form for form in known}


def _facts(lists: SessionLists, file: TalkFile, session_id: str) -> SessionFacts | None:
    """Return what the session list says; a live file's parent is the archive that once had its name."""
    known = lists.facts(os.path.dirname(file.path), session_id)  # noqa: PTH120 - a string in, a string out
    before = predecessor(file.path)
    if before is None or before == session_id:
        return known
    known = known or SessionFacts()
    return SessionFacts(known.kind, known.parent or before, known.shared)
