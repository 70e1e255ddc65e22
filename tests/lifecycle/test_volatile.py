"""What is true for a while only: recalled later without its date it would mislead (lessons.md C34, C42)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.lifecycle import volatile
from libra.lifecycle.volatile import VolatileKind, is_volatile, says_impossible, volatile_kind

K = VolatileKind

VOLATILE = [
    (K.VERSION, "Server A runs Postgres 15."),
    (K.VERSION, "The plugin is at version 2.4."),
    (K.VERSION, "We are on Python 3.11 in production."),
    (K.VERSION, "The latest release is 1.18.2."),
    (K.VERSION, "服务器的版本是 15.2"),
    (K.VERSION, "Phiên bản hiện hành là 3.2"),
    (K.VERSION, "El servidor usa Node 22"),
    (K.PORT, "Our staging host is zeta-9, port 7443."),
    (K.PORT, "The relay listens on 5671."),
    (K.PORT, "The dashboard is at localhost:3000."),
    (K.PORT, "Mail goes through zeta-9:2525."),
    (K.PORT, "The build box has the address 10.0.3.17."),
    (K.PORT, "测试环境的端口是 7443"),
    (K.PORT, "Cổng của máy thử là 7443"),
    (K.PORT, "サーバーのポートは 7443 です"),
    (K.STATUS, "The staging server is down."),
    (K.STATUS, "The nightly build is failing again."),
    (K.STATUS, "Mara is on leave."),
    (K.STATUS, "The disk is 93 % full."),
    (K.STATUS, "We currently deploy by hand."),
    (K.STATUS, "目前由小林负责发布"),
    (K.STATUS, "Máy chủ đang bảo trì"),
    (K.STATUS, "Der Server ist derzeit offline."),
    (K.STATUS, "Le serveur est en panne."),
    (K.STATUS, "El servidor está caído."),
    (K.STATUS, "サーバーは停止しています"),
    (K.IMPOSSIBLE, "The SDK does not support streaming yet."),
    (K.IMPOSSIBLE, "Exporting to PDF is not possible."),
    (K.IMPOSSIBLE, "There is no way to rename a branch in the web view."),
    (K.IMPOSSIBLE, "The importer can't handle zipped logs."),
    (K.IMPOSSIBLE, "这个接口不支持分页"),
    (K.IMPOSSIBLE, "Ứng dụng chưa hỗ trợ chế độ tối"),
    (K.IMPOSSIBLE, "Dunkles Design wird noch nicht unterstützt."),
    (K.IMPOSSIBLE, "Le mode sombre n'est pas disponible."),
    (K.IMPOSSIBLE, "No es posible exportar a PDF."),
    (K.IMPOSSIBLE, "このプラグインは暗い画面に未対応です"),
]


@pytest.mark.parametrize(("kind", "text"), VOLATILE)
def test_what_changes_soon_is_seen(kind: VolatileKind, text: str) -> None:
    """An old version, port, state or "cannot" would be told as present truth."""
    assert volatile_kind(text) is kind
    assert is_volatile(text)
    assert says_impossible(text) is (kind is K.IMPOSSIBLE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "My sister Linh lives in Da Nang.",
        "I prefer tabs over spaces.",
        "My name is Anil and I maintain the parser.",
        "I am allergic to peanuts.",
        "We decided to keep the store in one file.",
        "Always use port 7443 for staging.",
        "Never call the API of version 1.2.3 directly.",
        "The party is at 7:30 on 12.5.2024.",
        "I have 500 ideas and two dogs.",
        "My grandmother was born in 1931.",
        "The museum costs 12.50 euros.",
        "I don't support my old club any more.",
        "We do not eat meat.",
        "I can't stand loud music.",
        "She cannot swim.",
        "He left port at dawn.",
        "The server room is in the cellar.",
        "My grandfather is dead.",
        "The museum is closed on Mondays.",
        "The server was down in March.",
        "The bug was in queue.py:214.",
        "Her favourite verse is Ruth 1:16.",
        "The build up to the concert was long.",
        "Our daughter's first version of the song was in C.",
        "我喜欢喝茶",
        "Tôi thích cà phê sữa đá",
        "Ich mag keine Pilze.",
        "Je déteste les champignons.",
        "Me gusta el té.",
        "私は京都に住んでいます",
    ],
)
def test_what_lasts_is_left_alone(text: str) -> None:
    """A preference or a fact of life that expired by mistake would be forgotten."""
    assert volatile_kind(text) is None


@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    """No input raises; the three readers agree."""
    kind = volatile_kind(text)
    assert is_volatile(text) is (kind is not None)
    assert says_impossible(text) is (kind is K.IMPOSSIBLE)


_PIECES = sorted(
    {word for _, text in VOLATILE for word in text.split()}
    | {
        piece
        for sort in volatile._TABLE
        for piece in re.findall(r"[a-zäöüßéàáíóúñ]{2,}", sort.pattern.pattern)
    }
    | {
        "can't",
        "can’t",
        "can not",
        "cannot",
        "don't",
        "does not",
        "doesn’t",
        "no",
        "not",
        "n't",
        "is",
        "are",
        "'s",
        "has been",
    }
    | {
        "v1.2",
        "15",
        "2.4.1",
        ":8080",
        "localhost:3000",
        "10.0.3.17",
        "93 %",
        "half-done",
        "next.js",
        "k8s",
        "ver.",
        "done",
    }
)


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=7))
def test_what_is_looked_at_first_hides_nothing(pieces: list[str]) -> None:
    """A kind that is passed over for want of its words would be told as present truth: its pattern may never match."""
    text = " ".join(pieces)
    passed_over = {sort.kind for sort in volatile._TABLE} - {sort.kind for sort in volatile._likely(text)}
    assert not [s.kind for s in volatile._TABLE if s.kind in passed_over and s.pattern.search(text)]
