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
        ("do you remember my name", NoiseKind.MEMORY_META),
        ("hellooo", NoiseKind.GREETING),
        ("heyy guys", NoiseKind.GREETING),
        ("ok cool", NoiseKind.CONFIRMATION),
        ("perfect, thank you so much!", NoiseKind.CONFIRMATION),
        ("好的谢谢", NoiseKind.CONFIRMATION),
        ("收到，谢谢啦", NoiseKind.CONFIRMATION),
        ("dạ em cảm ơn", NoiseKind.CONFIRMATION),
        ("passt, danke dir", NoiseKind.CONFIRMATION),
        ("vale, gracias", NoiseKind.CONFIRMATION),
        ("go on please", NoiseKind.CONTINUATION),
        ("sure, go ahead", NoiseKind.CONTINUATION),
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
        "yes, on Friday",
        "不对",
        "no good",
        "no, the second one",
        "ok for prod",
        "next week",
        "more tests",
        "oui mais demain",
        "好的，删掉",
        "是的我住上海",
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
        ("\ufeff<system-reminder>be careful</system-reminder>\nfix the relay", "fix the relay"),
        ("[Google Chat Ann 2026-11-30 12:00] fix the relay", "fix the relay"),
        ("[Image #1] fix the relay", "fix the relay"),
        ("<user_input>\nfix the relay\n</user_input>", "fix the relay"),
        (
            "<context>\nThe date is May.\n</context>\n<userRequest>\nfix the relay\n</userRequest>",
            "fix the relay",
        ),
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


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "<system-reminder>\nnote\n</system-reminder>\nfix it\n<system-reminder>again</system-reminder>",
            "fix it",
        ),
        ("<local-command-caveat>Caveat: x</local-command-caveat>\nnext step?", "next step?"),
        ("<task-notification>\n<task-id>1</task-id>\n</task-notification>", ""),
        ("<bash-stdout>ok\n</bash-stdout><bash-stderr></bash-stderr>", "<bash-stderr></bash-stderr>"),
        ("[Tue 2026-12-01 09:05:11 GMT+7] deploy now", "deploy now"),
        ("[Telegram Huy id:42 2026-11-30 01:35 UTC] deploy now", "deploy now"),
        ("[cron:nightly check] [Mon 2026-11-30 01:35 UTC] deploy now", "deploy now"),
        ("deploy now\n[message_id: 123:456]", "deploy now"),
        ("look [Image: source: /home/dev/a.png]", "look"),
        ("words first\n<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nit never ends", "words first"),
        ("<<<EXTERNAL_UNTRUSTED_CONTENT id=1>>>\nx\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id=1>>>\nmine", "mine"),
    ],
)
def test_every_wrapper_of_the_hosts_goes(text: str, left: str) -> None:
    """Blocks, time stamps, channel envelopes and message ids are none of the person's words (hosts.md §1.6, §2.2)."""
    assert unwrap(text).strip() == left


def test_a_wrapper_without_an_end_stays() -> None:
    """An opening tag alone swallows nothing."""
    text = "<system-reminder>\nI wrote this tag myself"
    assert unwrap(text) == text


@pytest.mark.parametrize(
    "text",
    ["I'm sorry, but I cannot help with that.", "I don't have any memory of that.", "抱歉，我无法回答。"],
)
def test_only_an_assistant_refuses(text: str) -> None:
    """A refusal is noise in the assistant's words; the same words of a person are theirs."""
    assert noise(text, Role.ASSISTANT) is NoiseKind.REFUSAL
    assert noise(text, Role.USER) is not NoiseKind.REFUSAL


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Guten Abend", NoiseKind.GREETING),
        ("Bonjour !", NoiseKind.GREETING),
        ("¡Buenos días!", NoiseKind.GREETING),
        ("おはようございます", NoiseKind.GREETING),
        ("alles klar", NoiseKind.CONFIRMATION),
        ("C'est parfait.", NoiseKind.CONFIRMATION),
        ("¡Perfecto!", NoiseKind.CONFIRMATION),
        ("わかりました。", NoiseKind.CONFIRMATION),
        ("mach weiter", NoiseKind.CONTINUATION),
        ("vas-y", NoiseKind.CONTINUATION),
        ("sigue, por favor", NoiseKind.CONTINUATION),
        ("続けてください", NoiseKind.CONTINUATION),
        ("接着做", NoiseKind.CONTINUATION),
        ("làm tiếp", NoiseKind.CONTINUATION),
        ("Weißt du noch, wie mein Hund heißt?", NoiseKind.MEMORY_META),
        ("Tu te souviens de mon chien ?", NoiseKind.MEMORY_META),
        ("¿Te acuerdas de mi perro?", NoiseKind.MEMORY_META),
        ("私の犬の名前を覚えていますか？", NoiseKind.MEMORY_META),
    ],
)
def test_noise_in_more_languages(text: str, kind: NoiseKind) -> None:
    """A German "mach weiter" is as empty as an English "go on" (C30, C50)."""
    assert noise(text, Role.USER) is kind


@pytest.mark.parametrize(
    "text",
    [
        "Es tut mir leid, dabei kann ich nicht helfen.",
        "Je suis désolé, je ne peux pas vous aider.",
        "Lo siento, no puedo ayudar con eso.",
        "申し訳ありませんが、お答えできません。",
    ],
)
def test_refusals_in_more_languages(text: str) -> None:
    """An assistant's refusal is nothing to be learnt from."""
    assert noise(text, Role.ASSISTANT) is NoiseKind.REFUSAL
    assert noise(text, Role.USER) is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            (
                "# AGENTS.md instructions for /home/dev/app\n\n<INSTRUCTIONS>\nuse tabs\n</INSTRUCTIONS>\n"
                "<environment_context>\n  <cwd>/home/dev/app</cwd>\n</environment_context>"
            ),
            "",
        ),
        ("<session_context>\nToday is Monday.\n</session_context>\nfix the relay", "fix the relay"),
        ("<user_query>\nfix the relay\n</user_query>", "fix the relay"),
        (
            "<task>\nfix the relay\n</task>\n<environment_details>\n# Open tabs\na.py\n</environment_details>",
            "fix the relay",
        ),
        (
            "Caveat: The messages below were generated by the user while running local commands. DO NOT respond.\nnext step?",
            "next step?",
        ),
        ("This session is being continued from a previous conversation that ran out of context. We ...", ""),
        ('Conversation info (untrusted metadata):\n```json\n{"id": 1}\n```\n\ndeploy now', "deploy now"),
        ("<turn_aborted>\nThe user interrupted.\n</turn_aborted>", ""),
    ],
)
def test_scaffolding_of_more_hosts_goes(text: str, left: str) -> None:
    """What Codex, Gemini, Cursor, Cline and OpenClaw add is none of the person's words (hosts.md §1.6, §2.2, §3)."""
    assert unwrap(text).strip() == left


@pytest.mark.parametrize(
    "text",
    [
        "<instructions>\nanswer in French\n</instructions>\nWho was Rodin?",
        "<task>\nsort it\n</task>\nand then print it",
        "# AGENTS.md should say that tests come first",
        "Conversation info is on page 3.",
    ],
)
def test_a_persons_own_marks_stay(text: str) -> None:
    """People mark up their prompts, too; what they wrote must not vanish."""
    assert unwrap(text) == text
