"""B07: accents tell Vietnamese words apart; who types none finds them all."""

from __future__ import annotations

import pytest

from tests.e2e.running import Running

pytestmark = [pytest.mark.e2e, pytest.mark.model]

SELL, FRIEND, BOARD = "Bán máy ảnh cũ", "Bạn của tôi tên Huy", "Ban quản lý họp thứ ba"


def test_an_accented_word_is_itself_and_a_bare_one_is_all(running: Running) -> None:
    """By words alone: “bạn” finds the friend first, “ban” finds the three."""
    running.configure('[model]\nfolder = "nowhere"\n')
    running.start()
    for text in (SELL, FRIEND, BOARD):
        running.call("remember", text=text)
    running.drain()
    accented = [hit["text"] for hit in running.search("bạn", kinds=["memory"], k=10)]
    assert accented[0] == FRIEND
    bare = [hit["text"] for hit in running.search("ban", kinds=["memory"], k=10)]
    assert set(bare) == {SELL, FRIEND, BOARD}
