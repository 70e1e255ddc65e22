"""Standing intents: "when X comes up, remind me of Y"; when one is due, and what becomes of it. No clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from libra.text.wholewords import found

_HOUR_MS = 3_600_000
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class IntentParams:
    """How often a standing intent reminds.

    Attributes:
        cooldown_hours: After a reminder it is silent for so long.
        times: It reminds so often.
        days: It waits for its words for so long.
        most: Reminders in one prompt.
        kept: Intents of one person.

    Source: reference-systems.md 2.5, Standing intents.
    """

    cooldown_hours: int = 24
    times: int = 3
    days: int = 90
    most: int = 3
    kept: int = 100


class State(StrEnum):
    """Where an intent stands."""

    ARMED = "armed"
    RESTING = "resting"
    FIRED = "fired"
    DONE = "done"
    EXPIRED = "expired"


def state(intent: Mapping[str, Any], now_ms: int) -> State:
    """Return where an intent stands at a time.

    Args:
        intent: ``when`` (words and phrases), ``remind``, ``cooldown_ms``, ``times``, ``expires``, ``fired``, ``last``, ``done``.
        now_ms: Now, epoch ms.
    """
    if intent["done"]:
        return State.DONE
    if now_ms >= intent["expires"]:
        return State.EXPIRED
    if intent["fired"] >= intent["times"]:
        return State.FIRED
    last = intent["last"]
    return State.RESTING if last is not None and now_ms < last + intent["cooldown_ms"] else State.ARMED


def due(intents: Sequence[Mapping[str, Any]], text: str, asked: str, now_ms: int, most: int) -> list[int]:
    """Return the places of the intents that this text brings up, the first ``most``.

    An intent that has just reminded at the same question does so again: a host may ask twice, and gets the same answer.

    Args:
        intents: See :func:`state`; ``asked`` is the digest of the question that brought it up last.
        text: What the person says.
        asked: Its digest.
        now_ms: Now, epoch ms.
        most: So many.
    """
    out = []
    for place, intent in enumerate(intents):
        again = intent["asked"] == asked and state({**intent, "fired": 0}, now_ms) is State.RESTING
        if (again or state(intent, now_ms) is State.ARMED) and found(text, intent["when"]):
            out.append(place)
        if len(out) == most:
            break
    return out


def armed(
    when: Sequence[str], remind: str, set_ms: int, params: IntentParams, **wish: int | None
) -> dict[str, Any]:
    """Return a new intent.

    Args:
        when: Words and phrases that bring it up.
        remind: What to be reminded of.
        set_ms: Now, epoch ms.
        params: What holds where the person says nothing.
        **wish: ``times``, ``cooldown_hours`` and ``days`` as the person wants them.
    """

    def chosen(name: str) -> int:
        asked = wish.get(name)
        return int(getattr(params, name)) if asked is None else asked

    return {
        "when": list(when),
        "remind": remind,
        "times": chosen("times"),
        "cooldown_ms": chosen("cooldown_hours") * _HOUR_MS,
        "expires": set_ms + chosen("days") * _DAY_MS,
        "fired": 0,
        "last": None,
        "asked": None,
        "done": False,
    }
