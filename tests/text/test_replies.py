"""Whether somebody asks for what the agent said."""

from __future__ import annotations

import pytest

from libra.text.replies import asks_for_reply


@pytest.mark.parametrize(
    "query",
    [
        "What did you recommend for weaving those terms into my resume?",
        "How did you help me balance my spending?",
        "What was your earlier advice about sleep?",
        "Which library had you suggested?",
        "that book you told me about",
        "Was hast du mir damals für den Garten empfohlen?",
        "Was war dein Vorschlag?",
        "das Rezept, das du mir gestern gezeigt hast",
        "Qu'est-ce que tu m'as conseillé ?",
        "Quels étaient vos conseils ?",
        "¿Qué me recomendaste?",
        "¿Qué has dicho sobre el puerto?",
        "bạn đã gợi ý gì cho tôi?",
        "lời khuyên của bạn là gì",
        "你上次推荐的书是什么？",
        "你给我的建议是什么",
        "前回教えてくれた方法は？",
        "あなたが勧めた本は？",
    ],
)
def test_what_the_agent_said_is_asked_for(query: str) -> None:
    """A person asks again for the advice that they got, and is shown only their own question of then."""
    assert asks_for_reply(query)


@pytest.mark.parametrize(
    "query",
    [
        "What would you suggest?",
        "Can you recommend a book?",
        "What did I tell you about the boat?",
        "Where did I say I met her?",
        "Do you remember what she recommended?",
        "I told you my name, what is it?",
        "How did you sleep?",
        "Wie würdest du das machen?",
        "Was habe ich dir gesagt?",
        "Que me conseilles-tu ?",
        "¿Qué recomiendas?",
        "bạn gợi ý gì?",
        "你能推荐一本书吗？",
        "你有什么建议？",
        "おすすめの本は？",
    ],
)
def test_a_wish_or_the_persons_own_words_are_something_else(query: str) -> None:
    """An agent's long answers would take the room of what the person told."""
    assert not asks_for_reply(query)
