"""Noise and wrappers: what is not a person's words goes, what looks like it stays."""

from __future__ import annotations

import pytest

from libra.ground.records import Role
from libra.text.noise import NoiseKind, noise, unwrap


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", NoiseKind.EMPTY),
        ("  \n", NoiseKind.EMPTY),
        ("Hello!", NoiseKind.GREETING),
        ("早上好", NoiseKind.GREETING),
        ("xin chào", NoiseKind.GREETING),
        ("ok, thanks", NoiseKind.CONFIRMATION),
        ("好的", NoiseKind.CONFIRMATION),
        ("HEARTBEAT", NoiseKind.HEARTBEAT),
        ("HEARTBEAT_OK", NoiseKind.HEARTBEAT),
        ("NO_REPLY", NoiseKind.HEARTBEAT),
        ("/compact", NoiseKind.SLASH_COMMAND),
        ("continue where you left off", NoiseKind.CONTINUATION),
        ("继续", NoiseKind.CONTINUATION),
        ("👍🎉", NoiseKind.EMOJI),
        ("Do you remember my name?", NoiseKind.MEMORY_META),
    ],
)
def test_noise(text: str, kind: NoiseKind) -> None:
    """Each kind is known in the languages that it is spoken in."""
    assert noise(text, Role.USER) is kind


@pytest.mark.parametrize(
    "text",
    [
        "We decided to keep the queue on 5671.",
        "Hello is the name of our staging host.",
        "/etc/hosts needs an entry for dock",
        "Continue the migration only after the backup.",
        "好的方案是用 WAL。",
        "Remember that my locker is 12.",
    ],
)
def test_statements_are_no_noise(text: str) -> None:
    """A sentence that says something is considered."""
    assert noise(text, Role.USER) is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[Mon 2026-11-30 01:35 UTC] where is staging?", "where is staging?"),
        ("<system-reminder>be careful</system-reminder>\nfix the relay", "fix the relay"),
        (
            "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>",
            "",
        ),
        ("<local-command-stdout></local-command-stdout>", ""),
        (
            "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nhello there",
            "hello there",
        ),
        ("[Request interrupted by user]", ""),
    ],
)
def test_wrappers_go(text: str, left: str) -> None:
    """What a host put around the words (hosts.md §1.6, §2.2) is taken off."""
    assert unwrap(text).strip() == left


@pytest.mark.parametrize(
    "text",
    [
        "<div>is the tag I mean",
        "[Monday] is a label in the table",
        "a < b and b > c",
        "use `<system-reminder>` with care",
    ],
)
def test_what_only_looks_like_a_wrapper_stays(text: str) -> None:
    """A person may write about tags and brackets."""
    assert unwrap(text) == text
