"""What is done with a text that names secrets more often than anything that people write.

To judge a name and its value costs some 20 µs. A megabyte of nothing but names would take seconds, and whoever wrote it
means no good: behind the first ``MOST_NAMES`` names nothing is judged any more, and whatever a name can be about goes.
"""

from __future__ import annotations

import re
from typing import Final

from libra.text.secretformats import mark

MOST_NAMES: Final = 8_000
"""Names in one text that are judged. A megabyte of talk has a few hundred, of a log with a token a line 10,000."""
MOST_MARKS: Final = 4_000
"""A text with more secrets than these is gone over once only."""
_FLOOD: Final = re.compile(
    r"((?=[pstkcw密口金令mパ비])(?:pass|pwd|pw\b|secret|token|key|credential|pin\b|code|phrase|wort\b|密码|密碼|口令|密钥|金鑰|令牌|mật khẩu|khóa|mã |パスワード|비밀번호|contraseña)"
    r"[^\W\d]{0,12}+[\"'`*\s]{0,4}(?:[=:：>]{1,3}|(?:is|was|là|est|ist|es)\b|[是为為]|(?<=[\"'`*\s]))[\s\"'`*]{0,4})"
    r"(?!\[redacted:)[^\s\"'`<>]{4,300}",
    re.IGNORECASE,
)


def cut_flood(text: str, kinds: dict[str, None]) -> str:
    """Return ``text`` with all cut that stands behind a name, whatever it looks like."""
    cut, count = _FLOOD.subn(rf"\1{mark('secret')}", text)
    if count:
        kinds.setdefault("secret", None)
    return cut
