"""B05: parts of a Chinese sentence find it by their characters, without a model too."""

from __future__ import annotations

import pytest

from tests.e2e.running import Running

pytestmark = [pytest.mark.e2e, pytest.mark.model]

TEXT = "用户身份验证改用 Passkey，下周上线"
OTHERS = ("数据库连接池最多五十个连接", "部署脚本在每周五运行", "前端改用 Svelte，下月开始")


@pytest.mark.parametrize("model", [True, False], ids=["model", "words only"])
def test_each_phrase_finds_it_first(running: Running, model: bool) -> None:  # noqa: FBT001 - a table of two
    """Two characters are a word there: a phrase from the middle of the sentence is found at rank 1."""
    if not model:
        running.configure('[model]\nfolder = "nowhere"\n')
    running.start()
    for text in (*OTHERS, TEXT):
        running.call("remember", text=text)
    running.drain()
    assert (running.call("status")["model"]["state"] == "ready") is model
    for phrase in ("身份验证", "上线", "验证改用"):
        hits = running.search(phrase, kinds=["memory"], k=10)
        assert hits[0]["text"] == TEXT, phrase
        answer = running.call("assemble", query=f"{phrase}是什么时候?", budget_tokens=1000)
        assert TEXT in answer["text"], phrase
