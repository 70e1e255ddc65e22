"""Whether a question wants a name, and whether a text holds one."""

from __future__ import annotations

import pytest

from libra.text.names import asks_for_name, holds_name


@pytest.mark.parametrize(
    "query",
    [
        "Which cities has he been to?",
        "Who came to the party?",
        "  What books did she read?",
        "Where did they camp?",
        "Welche Städte hat er gesehen?",
        "Wie heißt ihr Hund?",
        "Quels livres a-t-elle lus ?",
        "¿Dónde vive ahora?",
        "他去过哪些城市？",
        "你的老师叫什么名字？",
        "どの町に行きましたか？",
        "Cô giáo của bạn là ai?",
    ],
)
def test_a_question_for_a_name_is_known(query: str) -> None:
    """The fourth city somebody visited shares no word with the question, and stays behind small talk about cities."""
    assert asks_for_name(query)


@pytest.mark.parametrize(
    "query", ["How long does it take?", "Is the boat mended?", "Why did it fail?", "多少钱？", ""]
)
def test_other_questions_want_something_else(query: str) -> None:
    """Names would be lifted before the reason or the number that was asked for."""
    assert not asks_for_name(query)


@pytest.mark.parametrize(
    "text",
    [
        "I was in Chicago, it was lovely!",
        'I just finished "A Dance with Dragons" last week.',
        "We flew to the UK on Friday.",
        "Wir fuhren nach Köln.",
        "我昨天读完了《红楼梦》。",
    ],
)
def test_a_name_within_a_sentence_is_seen(text: str) -> None:
    """What names the thing would be worth no more than what talks about it."""
    assert holds_name(text, ())


def test_the_beginning_of_a_sentence_and_the_speakers_are_no_news() -> None:
    """Every line begins with a capital, and half of them call the other one by name."""
    assert not holds_name("Great to hear. It was fun, thanks!", ())
    assert not holds_name("That is great, Maria! We had fun.", {"maria"})
    assert holds_name("That is great, Maria! We were in Rome.", {"maria"})
