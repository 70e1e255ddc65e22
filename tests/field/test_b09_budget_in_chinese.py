"""B09: a prompt of Chinese, Japanese or Korean keeps to its budget as a provider counts it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from libra.text.tokens import estimate
from tests.e2e.running import Running, minute

pytestmark = [pytest.mark.e2e, pytest.mark.model]

BUDGET = 2000
CASE = {"name": "the case's own", "text": ("記憶體設計文件" * 58)[:400], "times": 1, "cl100k": 628}
"""The case's text, with its true count in the public cl100k vocabulary (tests/text/test_tokens.py)."""


def measured() -> list[dict[str, Any]]:
    """Return texts whose true counts in two public vocabularies were measured beforehand, so that no test loads one."""
    path = Path(__file__).resolve().parents[1] / "data" / "tokens.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    wanted = {
        "zh",
        "zh_trad",
        "zh_rare",
        "zh_same2",
        "ja",
        "ja_kata",
        "ko",
        "ko_same",
        "th",
        "hi",
        "emoji_only",
    }
    return [CASE, *(row for row in rows if row["name"] in wanted)]


@pytest.mark.parametrize("row", measured(), ids=lambda row: str(row["name"]))
def test_the_true_count_keeps_to_the_budget(running: Running, row: dict[str, Any]) -> None:
    """Sixty turns: what a real tokenizer counts of the answer is within the budget, and what Libra says of it is near."""
    text = row["text"] * row["times"]
    turns = [
        {"id": f"t{n}", "role": "user" if n % 2 == 0 else "assistant", "content": text, "ts": minute(n)}
        for n in range(60)
    ]
    running.start()
    running.call("ingest", who={"session": "long"}, turns=turns)
    answer = running.call("assemble", who={"session": "long"}, query=text[:20], budget_tokens=BUDGET)
    words = answer["text"].replace(text, "")
    shown = answer["text"].count(text)
    true = shown * row["cl100k"] + estimate(words)
    assert shown or any("over_budget" in reason or "short" in reason for reason in answer["degraded"])
    assert answer["tokens"] <= BUDGET
    assert true <= BUDGET
    assert 0.95 * true <= answer["tokens"] <= 1.25 * true + 20
