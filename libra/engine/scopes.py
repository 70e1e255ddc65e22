"""Who sees what: the one place that turns a caller into scopes (memory model §1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from libra.engine.deps import Deps
from libra.ground.errors import Forbidden
from libra.ground.records import Who
from libra.store.visibility import Visible


def complete(deps: Deps, who: Who | None) -> Who:
    """Return the caller with defaults filled in: user, agent, project from its folder, session key.

    A caller that names neither host nor agent is taken for the default agent.
    """
    if who is None:
        who = Who(user=deps.params.default_user)
    who = replace(who, user=tenant(deps, who.user, who.agent))
    agent = who.agent
    if agent is None and who.host is None:
        agent = deps.params.default_agent
    project = who.project
    if who.cwd:
        deps.saw_folder(who.cwd)
        if project is None:
            project = deps.project_of(who.cwd)
    session = session_key(who) if who.session else None
    return replace(who, agent=agent, project=project, session=session)


def tenant(deps: Deps, user: str, agent: str | None) -> str:
    """Return whose memory an agent has: the user that is named, else the one that the settings give this agent."""
    if agent is None or user != deps.params.default_user:
        return user
    return deps.params.tenants.get(agent, user)


def session_key(who: Who) -> str:
    """Return the unique key of the caller's session: ``<host>:<id>``, or ``<user>/<id>`` without a host."""
    session = who.session or "default"
    prefix = f"{who.host}:" if who.host else f"{who.user}/"
    return session if session.startswith(prefix) else prefix + session


def _own(who: Who) -> list[str]:
    """Return the shared scopes that are a completed caller's by themselves."""
    own = [f"user:{who.user}", "global"]
    if who.agent:
        own.append(f"agent:{who.agent}")
    if who.project:
        own.append(f"project:{who.project}")
    return own


def check_own(deps: Deps, who: Who, scopes: Iterable[str]) -> None:
    """Raise where a completed caller would change what it may only read.

    Raises:
        Forbidden: One of the scopes is open to the caller by the configuration alone.
    """
    granted = set(deps.params.access.get(who.agent or "", ())) - {*_own(who), f"session:{who.session}"}
    for scope in scopes:
        if scope in granted:
            raise Forbidden(f"the scope {scope} may be read, not changed, by this caller", where="id")


def readable(deps: Deps, who: Who, only: Iterable[str] | None = None) -> Visible:
    """Return what a completed caller may read: :func:`visible`, and what others have shared with its scopes."""
    return replace(visible(deps, who, only), reader=who.user)


def visible(deps: Deps, who: Who, only: Iterable[str] | None = None) -> Visible:
    """Return what a completed caller may see as its own, to change or to give out; see :func:`readable`.

    Args:
        deps: Shared parts.
        who: From :func:`complete`.
        only: Scopes that the caller asks for; None for all that it may see.

    Raises:
        Forbidden: A scope in ``only`` is not the caller's and not granted by the configuration.
    """
    allowed = dict.fromkeys([*_own(who), *deps.params.access.get(who.agent or "", ())])
    if only is None:
        return Visible(user=who.user, session_key=who.session, scopes=tuple(allowed))
    asked = list(dict.fromkeys(only))
    sessions = {f"session:{who.session}"} if who.session else set()
    for scope in asked:
        if scope not in allowed and scope not in sessions and scope != "session":
            raise Forbidden(f"the scope {scope} is not open to this caller", where="scopes")
    wants_sessions = any(s == "session" or s in sessions for s in asked)
    return Visible(
        user=who.user if wants_sessions else "",
        session_key=who.session if wants_sessions else None,
        scopes=tuple(s for s in asked if s in allowed),
    )
