"""When nothing is recalled, and why: in seven languages (memory model §5, Adaptive)."""

import pytest

from libra.assembly.temporal import skip_reason

SKIPPED = {
    "greeting": [
        "hi again", "Good morning!", "你好", "早上好", "xin chào", "Chào buổi sáng!", "Guten Morgen!", "Moin", "Bonsoir !",
        "salut", "¡Hola!", "buenas tardes", "おはようございます", "こんにちは！",
    ],
    "confirmation": [
        "ok, thanks", "sounds good", "好的", "没问题", "cảm ơn", "được rồi", "Danke schön!", "alles klar", "D'accord.",
        "merci beaucoup", "¡Muchas gracias!", "de acuerdo", "了解しました", "ありがとうございます。",
    ],
    "no words": ["👍", "🎉🎉"],
    "empty query": ["", "  \n", "..."],
    "slash command": ["/compact", "/help me"],
    "heartbeat": ["HEARTBEAT_OK"],
}  # fmt: skip


@pytest.mark.parametrize(("reason", "query"), [(r, q) for r, queries in SKIPPED.items() for q in queries])
def test_small_talk_recalls_nothing_and_says_why(reason: str, query: str) -> None:
    """Old matters in the answer to a greeting are noise, and without a reason nobody could tell why none came (C50)."""
    assert skip_reason(query) == reason


@pytest.mark.parametrize(
    "query",
    [
        "do you remember?", "last time?", "上次呢", "你记得吗", "lần trước", "nhớ không", "erinnerst du dich?", "letztes Mal?",
        "tu te souviens ?", "la dernière fois ?", "¿recuerdas?", "¿la última vez?", "覚えてる？", "前回は？",
        "where is the staging host?", "Wo steht der Server?", "où est le serveur ?", "¿dónde está el servidor?", "サーバーはどこ？", "port?",
    ],
)  # fmt: skip
def test_questions_are_answered(query: str) -> None:
    """Who asks about earlier talk, in whatever language, must not be told that there is nothing."""
    assert skip_reason(query) is None
