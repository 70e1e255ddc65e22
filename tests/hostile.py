"""Texts made to be slow: a short piece again and again, or one that grows; what is quadratic in them never ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

_PIECES: Final[Mapping[str, str]] = {
    # signs of Markdown and of programs
    "one letter": "a", "lines": "a\n", "blank lines": "\n", "blanks": " ", "blank lines of blanks": "  \n", "returns": "\r\n",
    "tabs": "\t", "stars": "*", "underscores": "_", "tildes": "~", "hashes": "#", "headings": "# a\n", "deep headings": "###### a\n\n",
    "rules": "---\n", "dashes": "-", "equals": "a\n===\n", "brackets": "[", "closing brackets": "]", "both brackets": "[]",
    "nested links": "[a](", "links": "[a](b) ", "images": "![", "references": "[a]: b\n", "notes": "[^1]: a\n", "parentheses": "(",
    "braces": "{", "angles": "<", "both angles": "<>", "back-ticks": "` ", "only back-ticks": "`", "odd back-ticks": "`` ` ",
    "fences": "```\n", "long fences": "`````` x\n", "tilde fences": "~~~\n", "items": "- a\n", "numbers": "1. a\n", "tasks": "- [ ] a\n",
    "items without words": "-\n", "quotes": "> a\n", "quote marks": ">", "tables": "a|b\n-|-\n", "pipes": "|", "wide rows": "|a", "delimiters": "|-",
    "comments": "<!--\n", "comment starts": "<!--", "tags": "<div>", "open tags": "<a ", "attributes": '<a b="', "closing tags": "</a>",
    "entities": "&amp;", "open entities": "&#", "emphasis": "*a **b ", "imports": "@a/b.md ", "at": "@", "front matter": "---\na: b\n",
    "front lists": "---\ntags:\n", "hash tags": "#a ", "quotation": '"', "apostrophes": "'", "open quotation": '"a ', "curly": "“", "guillemets": "«a",
    # JSON and settings
    "JSON lists": "[1,", "JSON objects": '{"a":', "JSON strings": '"a\\', "escapes": "\\u0000", "surrogates": "\\ud800", "backslashes": "\\",
    "JSON lines": '{"type":"user","uuid":"u"}\n', "torn records": '{"type":"', "dotted": "a.", "sections": "[a]\n", "settings": "a = 1\n",
    "keys": "a: \n", "deep keys": " a:\n", "inline tables": "a={", "commas": ",", "colons": ":", "semicolons": ";", "comment lines": "//a\n", "block comments": "/*",
    # words and names
    "must": "must ", "short rules": "x must y. ", "labels": "a: ", "if": "if a, ", "questions": "why? ", "full stops": ".", "exclamations": "!",
    "sentences": "A b. ", "I": "I ", "my": "my ", "my name is": "my name is ", "I use": "I use a ", "we decided": "we decided to ", "remember": "remember that ",
    "not": "not ", "no longer": "no longer ", "instead of": "instead of ", "from to": "from a to ", "is is": "a is b is ", "said": "he said ", "quoted said": '"a" he said ',
    "versions": "1.2.3 ", "cases": "aB", "slashes": "a/b/", "only slashes": "/", "dots": "a.b.", "hyphens": "a-", "camel": "aBcDeF ", "names": "Ab Cd ",
    "files": "a.py ", "paths": "/a/b.c ", "windows paths": "C:\\a\\", "addresses": "://a:", "urls": "http://a.b/c?d=e&", "mails": "a@b.c ", "ports": ":80",
    "hex": "deadbeef", "hashes of commits": "a1b2c3d ", "uuids": "550e8400-e29b-41d4-a716-446655440000 ", "errors": "E_A ", "stack": "  at a.b(c)\n",
    "trace": 'File "a", line 1\n', "digits": "4111 ", "only digits": "7", "grouped digits": "1,", "dates": "2026-01-02 ", "times": "12:34:56 ", "yesterday": "yesterday ",
    "last weeks": "2 weeks ago ", "months": "March ", "years": "in 2024 ", "between": "between May and ", "plus": "+", "one word": "word", "words": "word word2 ",
    "commands": "$ git push\n", "env": "$A", "env braces": "${A", "percent": "%a%", "logs": "2026-01-01T00:00:00Z INFO a\n", "a log": "log:\n  \n",
    # secrets
    "passwords": 'password="', "password is": "password is ", "my password": "my password ", "secret": "secret ", "secrets assigned": "secret=a1B2c3D4 ",
    "pwd": "pwd=a1b2c3 ", "password colon": 'password: "', "password lines": "password\n", "many words away": "my password of a b c d e ", "PIN": "pin ", "capitals": "A",
    "account keys": "accountkey=", "credentials": "credential ", "bots": "MAAAAAAAAAAAAAAAAAAAAAAAA.", "announced numbers": "CCCD ", "pem": "-----BEGIN PRIVATE KEY-----",
    "pem ends": "-----END PRIVATE KEY-----", "tokens": "sk-", "github": "ghp_", "jwt": "eyJ", "jwt dots": "eyJa.eyJ", "bearer": "Bearer ", "auth": "Authorization: Basic ",
    "logins": "//u:p@", "base64": "QUJD", "base64 lines": "QUJDREVGR0hJSktMTU5P\n", "equal signs": "=", "api keys": "api_key=", "xml secrets": "<password>", "flags": "--password ", "aws": "AKIA",
    # other scripts
    "Chinese": "必须", "Chinese lead-ins": "只有把请，先", "Chinese password": "密码", "Chinese password is": "密码是 ", "Chinese stops": "。", "one ideograph": "漢",
    "Vietnamese": "phải không được ", "Vietnamese who": "không ai chỉ có mới được ", "mật khẩu": "mật khẩu ", "German modals": "darf muss nicht ist zu ",
    "German clauses": "wenn keine a, immer alle n ", "French": "ne doit pas il faut les a ", "French clauses": "si a, ne le a jamais ",
    "Spanish": "no debe hay que las a siempre ", "Spanish clauses": "si a, solo nadie puede ", "Japanese": "絶対に必ずしないことを", "Japanese conditions": "前に、場合は使うこと",
    "kana": "あ", "hangul": "가", "jamo": "ᄀ", "Thai": "ก", "Arabic": "ا", "Cyrillic": "ж", "combining marks": "\u0301", "accents": "e\u0301", "stacked": "a\u0301\u0323\u0308",
    "zero width": "\u200b", "joiners": "\u200d", "emoji": "👩‍👩‍👧", "flags of states": "🇩🇪", "direction": "\u202e", "line separators": "\u2028", "full width": "Ａ", "ligature": "ﷺ", "sharp s": "ß",
    "dotted I": "İ", "surrogate like": "\ufffd", "NUL": "\0", "controls": "\x1b[0m", "astral": "𝐀", "mixed scripts": "aあ漢",
    # our own marks and the hosts' wrappers
    "marks": "<libra-context>", "open mark": "<libra-context ", "closing marks": "</libra-context>\n", "split marks": "<lib<libra-context>ra-context>",
    "escaped marks": "&lt;libra-context&gt;", "reminders": "<system-reminder>\n", "hooks": "<hook_context>", "fenced hosts": "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>",
    "referenced": "--- Content from referenced files ---", "blocks": "Sender (untrusted metadata):\n```json\n", "from": "[from: ", "agents file": "# AGENTS.md instructions ",
    "user query": "<user_query>", "stamps": "<timestamp>", "heartbeat": "HEARTBEAT_OK ", "notices": "[System note: ", "mirror ids": "- a <!-- m1 -->\n", "conflicts": "- m1\n  - in the file: a\n",
    "dream figures": "# Dreams\n- a {score=1 ", "only may": "only a may be never requires ", "norms": "every a goes per one ",
}  # fmt: skip


def _growing(make: Callable[[int], str]) -> Callable[[int], str]:
    """Return a text of pieces that grow, each a little longer than the one before."""

    def text(size: int) -> str:
        out, length, n = [], 0, 1
        while length < size:
            piece = make(n)
            out.append(piece)
            length += len(piece)
            n += 1
        return "".join(out)

    return text


def _nested(left: str, right: str) -> Callable[[int], str]:
    def text(size: int) -> str:
        each = size // (len(left) + len(right))
        return left * each + right * each

    return text


def _begun(head: str, piece: str, tail: str = "") -> Callable[[int], str]:
    """Return a text that begins like something and then never ends."""
    return lambda size: head + piece * (size // len(piece)) + tail


_SHAPES: Final[Mapping[str, Callable[[int], str]]] = {
    "deep items": _growing(lambda n: "  " * (n % 400) + "- a\n"), "ever deeper items": _growing(lambda n: "  " * n + "- a\n"),
    "deep quotes": _growing(lambda n: ">" * (n % 400) + " a\n"), "ever deeper quotes": _growing(lambda n: ">" * n + "a\n"),
    "longer fences": _growing(lambda n: "`" * (3 + n % 300) + "\n"), "longer ticks": _growing(lambda n: "`" * n + "a"),
    "other numbers": _growing(lambda n: f"{n} "), "other words": _growing(lambda n: f"w{n} "), "other names": _growing(lambda n: f"Name{n} "),
    "other paths": _growing(lambda n: f"/a/{n}.py "), "other lines": _growing(lambda n: f"line {n}\n"), "other rules": _growing(lambda n: f"Never push {n}. "),
    "other items": _growing(lambda n: f"- never push {n}\n"), "other keys": _growing(lambda n: f"k{n} = {n}\n"), "other sections": _growing(lambda n: f"[s{n}]\n"),
    "other JSON": _growing(lambda n: f'"k{n}":{n},'), "other secrets": _growing(lambda n: f"password=hunter{n} "), "other tags": _growing(lambda n: f"<t{n}>"),
    "other ideographs": _growing(lambda n: chr(0x4E00 + n * 7919 % 20000)), "other letters": _growing(lambda n: chr(0x61 + n * 7919 % 26) * (1 + n % 7) + " "),
    "other identifiers": _growing(lambda n: f"ERR_{n:x} "), "long dotted names": _growing(lambda n: "a." * (n % 200) + " "), "dated": _growing(lambda n: f"on {n % 28 + 1} March "),
    "nested brackets": _nested("[", "]"), "nested parentheses": _nested("(", ")"), "nested braces": _nested('{"a":', "}"), "nested tags": _nested("<a>", "</a>"),
    "nested emphasis": _nested("*a ", " a*"), "nested quotation": _nested("“", "”"), "nested marks": _nested("<libra-context>", "</libra-context>"),
    "front matter that never ends": _begun("---\n", "a: b\n"), "front matter of blank lines": _begun("---\n", "\n"), "front matter of blanks": _begun("---", " \n", "x"),
    "paths that never come": _begun("---\n", "paths\n"), "fence that never ends": _begun("```\n", "a b\n"), "comment that never ends": _begun("<!-- ", "a "),
    "comment of dashes": _begun("<!--", "-"), "quotation that never ends": _begun('"', "a "), "string that never ends": _begun('{"a":"', "b"), "string of escapes": _begun('{"a":"', "\\n"),
    "string in a setting": _begun('a = "', "b"), "list in a setting": _begun("a = [", "1,"), "long key": _begun("", "a.", "a = 1"), "tag that never ends": _begun("<a ", "b=c "),
    "link that never ends": _begun("[", "a "), "target that never ends": _begun("[a](", "b "), "path that never ends": _begun("/", "a/"), "url that never ends": _begun("http://a/", "b"),
    "secret that never ends": _begun('password = "', "aB3$"), "secret of lines": _begun('password = """', "aB3$\n"), "key that never ends": _begun("-----BEGIN PRIVATE KEY-----\n", "QUJD\n"),
    "token that never ends": _begun("sk-", "aB3"), "jwt that never ends": _begun("eyJhbGciOi.", "eyJa"), "number that never ends": _begun("1", "0"), "blanks before a letter": _begun("", " ", "a"),
    "letters before a stop": _begun("", "a", "!"), "rule that never ends": _begun("Never ", "a, "), "condition that never ends": _begun("If ", "a and "), "claim that never ends": _begun("My name is ", "a "),
    "question that never ends": _begun("What ", "a "), "item that never ends": _begun("- ", "a "), "heading that never ends": _begun("# ", "a "), "heading of blanks": _begun("# a", " ", "#x"),
    "table that never ends": _begun("|a|b|\n|-|-|\n", "|c|d|\n"), "row that never ends": _begun("|a|\n|-|\n", "|c"), "wide header": lambda size: "|a" * (size // 4) + "\n" + "|-" * (size // 4) + "\n",
    "reply that never ends": _begun("<system-reminder>", "a "), "record that never ends": _begun('{"type":"user","message":"', "a"), "query that never ends": _begun("<user_query>", "a "),
    "stars around a word": _nested("*", "*"), "blank lines in an item": _begun("- a\n", "\n", "  b"), "blank lines in a quote": _begun("> a\n", ">\n", "> b"), "zero width between": _begun("", "a\u200b"),
    "hard blanks": lambda size: "\xa0 " * (size // 3), "blanks in a setting": _begun('[remote "origin"]\n\turl = x', " ", "y"),
    "marks on one letter": _begun("a", "\u0301"), "section that never ends": _begun("[", "a"), "one long line of code": _begun("```\n", "a=b;", "\n```"), "a paste": _begun("> ", "a b c d e f g\n> "),
}  # fmt: skip

HOSTILE: Final[Mapping[str, Callable[[int], str]]] = {
    **{name: (lambda size, piece=piece: piece * max(size // len(piece), 1)) for name, piece in _PIECES.items()},
    **_SHAPES,
}  # fmt: skip
"""Texts by name, made for a number of characters."""


def megabyte(name: str, size: int = 1_000_000) -> bytes:
    """Return one of them as so many bytes of UTF-8, or hardly fewer."""
    return HOSTILE[name](size).encode()[:size]
