"""Extractive summaries: smaller, in order, of the speakers' own words, with what was lost."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libra.compaction.extract import ClusterTurn, ExtractParams, summarise, verbatim
from libra.compaction.fidelity import exact_terms, holds
from libra.compaction.lexical import lexical_vectors
from libra.compaction.params import CompactionParams
from libra.ground.records import Role
from libra.ground.vectors import Vector
from libra.inference.embedder import Embedder
from libra.inference.fake import FakeEmbedder
from libra.text.tokens import estimate

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FAKE = FakeEmbedder(dims=128)

TALK = [
    ("user", "The upload of large files fails with ETIMEDOUT in src/net/upload.py since yesterday."),
    (
        "assistant",
        "I looked at it. The socket timeout is 30 s, which is too short for files over 200 MB on slow lines.",
    ),
    (
        "user",
        "Thanks! Can you raise it? I think 120 s would do, because our slowest customer needs about 90 s for a file.",
    ),
    (
        "assistant",
        "Done: I raised upload_timeout to 120 s and added a regression test in tests/test_upload.py. All 48 tests pass.",
    ),
    (
        "user",
        "Great. Then let's deploy it on Friday, and tell the support team that the workaround is no longer needed.",
    ),
]


def _turns(talk: Sequence[tuple[str, str]] = TALK) -> list[ClusterTurn]:
    return [ClusterTurn(text, Role(role)) for role, text in talk]


def test_a_summary_is_smaller_and_keeps_exact_terms() -> None:
    """Each term is in the text or in the list at its end."""
    made = summarise(_turns(), FAKE.embed_texts)
    assert made is not None
    assert made.method == "extractive"
    assert made.tokens_out == estimate(made.text) < made.tokens_in
    assert made.tokens_out <= 0.6 * made.tokens_in
    assert made.identifiers_kept == 1.0
    for term in exact_terms("\n".join(text for _, text in TALK)):
        assert holds(made.text, term), term


def test_every_word_was_said_and_by_whom() -> None:
    """Parts are slices of the turns in order, under their speaker's name."""
    made = summarise(_turns(), FAKE.embed_texts)
    assert made is not None
    body = re.sub(r" \[[^\[\]]*\]$", "", made.text)
    at = dict.fromkeys(("User", "Assistant"), 0)
    whole = {who: " ".join(text for role, text in TALK if role == who.lower()) for who in at}
    for line in body.split("\n"):
        speaker, _, said = line.partition(": ")
        for word in said.replace("…", "").split():
            at[speaker] = whole[speaker].index(word, at[speaker]) + len(word)


def test_the_same_input_gives_the_same_text() -> None:
    """Deterministic, also with the turns' vectors known beforehand."""
    once = summarise(_turns(), FAKE.embed_texts)
    vectors = FAKE.embed_texts([text for _, text in TALK])
    known = [ClusterTurn(t.text, t.role, vector=v) for t, v in zip(_turns(), vectors, strict=True)]
    assert once == summarise(_turns(), FAKE.embed_texts)
    assert once is not None
    again = summarise(known, FAKE.embed_texts)
    assert again is not None
    assert again.text == once.text


def test_a_callers_budget_holds() -> None:
    """The summary is never larger than asked for."""
    for budget in (1, 5, 12, 30, 1000):
        made = summarise(_turns(), FAKE.embed_texts, budget)
        assert made is None or made.tokens_out <= budget
    generous = summarise(_turns(), FAKE.embed_texts, 1000)
    assert generous is not None
    assert generous.tokens_out <= ExtractParams().share * generous.tokens_in + 1


def test_large_clusters_stay_under_the_cap() -> None:
    """Twenty long turns make at most 256 tokens."""
    talk = [(role, f"{text} Step {i} of it changed module_{i}.") for i in range(8) for role, text in TALK]
    made = summarise(_turns(talk), FAKE.embed_texts)
    assert made is not None
    assert made.tokens_out <= 256


def _embedded_tokens(params: ExtractParams) -> tuple[int, float]:
    """Return what is embedded for a long talk whose turns have their vectors, and how near its summary is."""
    talk = [(role, f"{text} Step {i} of it changed module_{i}.") for i in range(4) for role, text in TALK]
    vectors = FAKE.embed_texts([text for _, text in talk])
    known = [ClusterTurn(text, Role(role), vector=v) for (role, text), v in zip(talk, vectors, strict=True)]
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> Vector:
        seen.extend(texts)
        return FAKE.embed_texts(texts)

    made = summarise(known, embed, None, params)
    assert made is not None
    assert len(seen) == len(set(seen))
    return sum(map(estimate, seen)), made.align


def test_a_long_talk_whose_vectors_are_known_costs_little_of_the_model() -> None:
    """Whoever waits for a compaction would wait for the model: so few tokens are embedded, and no text twice."""
    quick = ExtractParams()
    tokens, near = _embedded_tokens(quick)
    assert tokens <= quick.draft.most_effort_tokens + quick.most_tokens
    # Where nobody waits, more is looked at, and the words are never further away for it.
    slow = CompactionParams().unhurried(20).extract
    more, nearer = _embedded_tokens(slow)
    assert tokens < more <= slow.draft.most_effort_tokens + slow.most_tokens
    assert nearer >= near


def test_the_models_time_of_a_run_is_shared_by_its_clusters() -> None:
    """A very long session would keep new turns from their vectors for minutes."""
    params = CompactionParams()
    usual = params.extract.draft.most_effort_tokens
    for turns in (1, 20, 100, 2_000, 100_000):
        each = params.unhurried(turns).extract.draft.most_effort_tokens
        clusters = -(-turns // params.clusters.target)
        assert usual <= each <= params.extract.draft.patient_effort_tokens
        assert each == usual or each * clusters <= params.patient_run_tokens


def test_chatter_is_left_out() -> None:
    """Of thanks and facts the facts are kept."""
    talk = [
        ("user", "Thanks, that's great!"),
        ("user", "The harbour server moved to rack nine."),
        ("user", "Wow, awesome!"),
    ] * 2
    made = summarise(_turns(talk), FAKE.embed_texts)
    assert made is not None
    assert "rack nine" in made.text
    assert "awesome" not in made.text


def test_nothing_shorter_is_declined() -> None:
    """Nothing at all, and turns that count as one token, have no summary."""
    assert summarise([], FAKE.embed_texts) is None
    assert summarise([ClusterTurn("  \n")], FAKE.embed_texts) is None
    assert summarise([ClusterTurn("ok", tokens=1)], FAKE.embed_texts) is None
    assert verbatim([ClusterTurn("ok"), ClusterTurn("go")]).text == "ok\ngo"


def test_own_token_counts_force_a_tighter_text() -> None:
    """Where the caller counts few tokens, the summary is still smaller than that count."""
    made = summarise([ClusterTurn(text, Role(role), tokens=6) for role, text in TALK], FAKE.embed_texts)
    assert made is not None
    assert made.tokens_out < 30


def test_without_a_model_words_are_counted() -> None:
    """The lexical space gives a summary of the same form."""
    made = summarise(_turns(), lexical_vectors)
    assert made is not None
    assert made.tokens_out < made.tokens_in
    assert made.identifiers_kept == 1.0
    assert 0.0 < made.align <= 1.0


def test_chinese_and_vietnamese() -> None:
    """Texts without English words or spaces are summarised, too."""
    talk = [
        ("user", "我们决定下周把数据库从 Postgres 换成 SQLite，因为部署更简单。上线时间是星期五下午三点。"),
        ("assistant", "好的，我会先备份现有的数据库，然后在测试环境里运行迁移脚本 migrate_all。"),
        (
            "user",
            "Chúng tôi đã chuyển máy chủ sang Đà Nẵng, vì đường truyền ở đó nhanh hơn nhiều so với trước đây.",
        ),
    ]
    made = summarise(_turns(talk), lexical_vectors)
    assert made is not None
    assert made.tokens_out < made.tokens_in
    assert "migrate_all" in made.text


def _broken(texts: Sequence[str]) -> Vector:
    return np.zeros((len(texts), 8), dtype=np.float32)


def test_zero_vectors_are_survived() -> None:
    """An embedder that only gives zeros still leads to a summary, with no confidence."""
    made = summarise(_turns(), _broken)
    assert made is not None
    assert (made.align, made.confidence) == (0.0, 0.0)


WORD = st.sampled_from(
    [
        *(
            "alpha",
            "beta",
            "gamma",
            "delta",
            "because,",
            "and",
            "so.",
            "but!",
            "the",
            "of",
            "to",
            "is",
            "we",
            "run",
            "fix",
            "use",
        ),
        "a/b.py",
        "E_CODE",
        "12 ms",
        "我们用",
        "…",
        "\n",
    ]
)
TURN = st.builds(ClusterTurn, st.lists(WORD, max_size=30).map(" ".join), st.sampled_from([*Role, None]))


@settings(max_examples=60, deadline=None)
@given(st.lists(TURN, max_size=8), st.one_of(st.none(), st.integers(1, 80)))
def test_laws_of_a_summary(turns: list[ClusterTurn], budget: int | None) -> None:
    """Strictly smaller, within the budget, figures in their ranges, for any turns."""
    made = summarise(turns, FAKE.embed_texts, budget)
    if made is None:
        return
    assert 0 < made.tokens_out < made.tokens_in
    assert budget is None or made.tokens_out <= budget
    assert made.text.strip() == made.text
    assert 0.0 <= made.confidence <= 1.0
    assert 0.0 <= made.identifiers_kept <= 1.0
    assert -1.0 <= made.worst <= made.align + 1e-6 <= 1.0 + 1e-6 or made.worst <= 1.0


@pytest.mark.model
@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not here")
def test_figures_on_the_compaction_clusters(embedder: Embedder) -> None:
    """Align ≥ 0.82, worst ≥ 0.35, identifiers 1.00, ratio ≤ 0.55 on average (benchmarks.md §6)."""
    clusters = json.loads((DATA / "compaction" / "clusters.json").read_text(encoding="utf-8"))
    figures = []
    for cluster in clusters:
        made = summarise([ClusterTurn(turn["text"]) for turn in cluster["turns"]], embedder.embed_texts)
        assert made is not None
        ratio = embedder.count(made.text) / embedder.count(
            " ".join(turn["text"] for turn in cluster["turns"])
        )
        figures.append((made.align, made.worst, made.identifiers_kept, ratio))
    align, worst, kept, ratio = np.mean(figures, axis=0)
    assert align >= 0.82
    assert worst >= 0.35
    assert kept == 1.0
    assert ratio <= 0.55
