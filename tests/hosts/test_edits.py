"""Settings of other programs: what is ours goes in and out, and not a byte of the person's changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.hosts import jsonc, toml_text, yaml_text
from libra.hosts.edits import Edit, Unreadable, apply, undo

ENTRY = {"command": "/opt/libra", "args": ["mcp", "--host", "x"]}


def done(text: str, edits: list[Edit]) -> str:
    """Return the text after its edits."""
    for edit in edits:
        text = apply(text, edit)
    return text


# ------------------------------------------------------------------ texts as people write them

NAMES = st.sampled_from(["a", "theme", "mcpServers", "libra2", "editor.tab", "测试", "Phạm", "hooks"])
SCALARS = st.sampled_from(
    ['"x"', '"a // b"', '"{\\"k\\": [1, 2}"', "true", "null", "-1.5e3", '"测试"', '"\\u00e9\\n"']
)
COMMENTS = st.sampled_from(["", "", "", " ", '/* note, with } and " */', "// to the end, { ["])


@st.composite
def documents(draw: st.DrawFn, depth: int = 0) -> str:
    """Return an object in JSONC, oddly written: comments, trailing commas, tabs, one line or many."""
    newline = draw(st.sampled_from(["\n", "\r\n"])) if depth == 0 else "\n"
    unit = draw(st.sampled_from(["  ", "    ", "\t", " ", ""]))
    many = draw(st.booleans())
    names = draw(st.lists(NAMES, unique=True, max_size=4))
    parts = []
    for number, name in enumerate(names):
        inner = draw(documents(depth + 1)) if depth < 2 and draw(st.booleans()) else draw(SCALARS)
        if draw(st.booleans()) and depth > 0:
            inner = f"[{draw(SCALARS)}, {inner}]"
        comma = "," if number + 1 < len(names) or draw(st.booleans()) else ""
        comment = draw(COMMENTS)
        line = f"{json.dumps(name, ensure_ascii=False)}{draw(st.sampled_from(['', ' ']))}: {inner}{comma}{comment}"
        many = many or comment.startswith("//")
        parts.append(line)
    gap = "\n" + unit * (depth + 1) if many else draw(st.sampled_from(["", " "]))
    close = "\n" + unit * depth if many else draw(st.sampled_from(["", " "]))
    body = "{" + "".join(gap + p for p in parts) + close + "}"
    if depth > 0:
        return body
    head = draw(st.sampled_from(["", "\ufeff", "// settings\n", "\n"]))
    return (head + body + draw(st.sampled_from(["", "\n", "\n\n// end\n"]))).replace("\n", newline)


PATHS = st.sampled_from([("mcpServers", "libra"), ("libra",), ("a", "b", "libra"), ("hooks", "libra")])


@given(documents(), PATHS, st.sampled_from([ENTRY, True, "libra", [1]]))
def test_in_and_out_is_the_same_text(text: str, path: tuple[str, ...], value: Any) -> None:
    """Whatever the file looks like: after connect the member is there and nothing else changed, after disconnect no byte differs."""
    try:
        edits = jsonc.put(text, path, value)
    except Unreadable:
        # Something that is no object is in the way: the file is left as it is.
        return
    after = done(text, edits)
    found = jsonc.read(after)
    for name in path:
        found = found[name]
    assert found == value
    assert jsonc.put(after, path, value) == []
    assert undo(after, edits) == text
    for comment in ('/* note, with } and " */', "// to the end, { [", "// settings", "// end"):
        assert after.count(comment) == text.count(comment)
    assert ("\r\n" in after) == ("\r\n" in text or ("\n" in after and "\r\n" in after))
    if "\r\n" in text:
        assert after.count("\n") == after.count("\r\n")


@given(documents(), PATHS)
def test_without_its_record_the_member_goes_too(text: str, path: tuple[str, ...]) -> None:
    """Libra's data folder was deleted: disconnect still takes the entry out, and every other value stays."""
    try:
        after = done(text, jsonc.put(text, path, ENTRY))
    except Unreadable:
        return
    left = jsonc.read(done(after, jsonc.cut(after, path)))
    wanted = jsonc.read(text)
    assert _without(left, path) == _without(wanted, path)
    assert jsonc.cut(done(after, jsonc.cut(after, path)), path) == []


def _without(value: Any, path: tuple[str, ...]) -> Any:
    if not isinstance(value, dict) or path[0] not in value:
        return value
    if len(path) == 1:
        return {k: v for k, v in value.items() if k != path[0]}
    inner = _without(value[path[0]], path[1:])
    rest = {k: v for k, v in value.items() if k != path[0]}
    return {**value, path[0]: inner} if inner else rest


@given(documents(), st.sampled_from([("hooks", "Stop"), ("list",)]))
def test_items_of_lists_in_and_out(text: str, path: tuple[str, ...]) -> None:
    """A hook is added to a list beside those of others, once, and goes without a trace."""
    try:
        edits = jsonc.append(text, path, ENTRY)
    except Unreadable:
        return
    after = done(text, edits)
    assert jsonc.append(after, path, ENTRY) == []
    assert undo(after, edits) == text
    if edits:
        assert jsonc.append(done(after, jsonc.drop(after, path, ENTRY)), path, ENTRY) != []


def test_how_it_looks() -> None:
    """The entry is written in the file's own style, behind the comment that belongs to the value before it."""
    text = '{\n\t"theme": "dark" // mine\n}\n'
    after = done(text, jsonc.put(text, ("mcpServers", "libra"), {"command": "x"}))
    assert after == (
        '{\n\t"theme": "dark", // mine\n\t"mcpServers": {\n\t\t"libra": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n'
    )
    assert done("{}", jsonc.put("{}", ("a",), 1)) == '{\n  "a": 1\n}'
    assert done('{"b": 2}', jsonc.put('{"b": 2}', ("a",), 1)) == '{"b": 2, "a": 1}'
    assert json.loads(done("", jsonc.put("", ("a", "b"), 1))) == {"a": {"b": 1}}


def test_json5_of_openclaw() -> None:
    """Unquoted names, single quotes and trailing commas are read and kept."""
    text = "{\n  // gateway\n  plugins: { slots: { memory: 'memory-core', }, allow: ['x',], },\n  port: 0x1F,\n}\n"
    edits = jsonc.put(text, ("plugins", "slots", "memory"), "libra")
    after = done(text, edits)
    assert jsonc.read(after)["plugins"]["slots"] == {"memory": "libra"}
    assert "'memory-core'" not in after
    more = jsonc.append(after, ("plugins", "allow"), "libra")
    assert jsonc.read(done(after, more))["plugins"]["allow"] == ["x", "libra"]
    assert undo(done(after, more), [*edits, *more]) == text


def test_what_others_wrote_since_stays() -> None:
    """The person has added a setting after connect: disconnect takes ours and leaves theirs."""
    text = '{\n  "a": 1\n}\n'
    edits = jsonc.put(text, ("mcpServers", "libra"), ENTRY)
    after = done(text, edits).replace('"a": 1', '"aa": [1, 2]')
    assert undo(after, edits) is None
    back = undo(after, edits, exact=False)
    assert back is not None
    assert jsonc.read(back) == {"aa": [1, 2]}


@pytest.mark.parametrize(
    "text", ["{", '{"a" 1}', '{"a": 1} x', '{"a": 1 "b": 2}', "[1, 2", '{"a": "x}', "{" * 300]
)
def test_broken_settings_are_refused(text: str) -> None:
    """A file that its own program could not read is left alone, with the place of the fault."""
    with pytest.raises(Unreadable):
        jsonc.put(text, ("a",), 1)


# ------------------------------------------------------------------ TOML

TOMLS = [
    "",
    'model = "gpt"\n',
    'model = "gpt"',
    '# mine\r\nmodel = "gpt" # why\r\n\r\n[mcp_servers.other]\r\ncommand = "x"\r\n',
    '\ufeff[mcp_servers]\n\n[mcp_servers.other]\ncommand = "x"\nargs = [\n  "[mcp_servers.libra]", # no head\n]\n',
    'text = """\n[mcp_servers.libra]\ncommand = 1\n"""\n',
    "[profiles.a]\nx = 1\n\n[[list]]\ny = 2\n\n\n",
]


@pytest.mark.parametrize("text", TOMLS)
def test_toml_in_and_out(text: str) -> None:
    """A table of ours at the end; comments, line ends and lookalikes in strings stay."""
    edits = toml_text.put(text, ("mcp_servers", "libra"), ENTRY)
    after = done(text, edits)
    assert toml_text.read(after)["mcp_servers"]["libra"] == ENTRY
    assert after.startswith(text)
    assert toml_text.put(after, ("mcp_servers", "libra"), ENTRY) == []
    assert undo(after, edits) == text
    cut = done(after, toml_text.cut(after, ("mcp_servers", "libra")))
    assert "libra" not in toml_text.read(cut).get("mcp_servers", {})


@given(st.lists(st.sampled_from(TOMLS[1:4] + TOMLS[6:]), max_size=1), st.text(max_size=30))
def test_toml_values_of_any_kind(texts: list[str], word: str) -> None:
    """A path with quotes, backslashes or letters of any script is written so that it reads back the same."""
    text = "".join(texts)
    table = {"command": word, "args": [word, "\\ \"'"]}
    edits = toml_text.put(text, ("mcp_servers", "libra"), table)
    assert toml_text.read(done(text, edits))["mcp_servers"]["libra"] == table
    assert undo(done(text, edits), edits) == text


def test_an_older_toml_entry_is_replaced() -> None:
    """After a move of Libra the entry names the new place, once; the tables around it stay."""
    text = '[mcp_servers.libra]\ncommand = "old"\n[mcp_servers.libra.env]\nA = "1"\n\n[tui]\nx = 1\n'
    edits = toml_text.put(text, ("mcp_servers", "libra"), ENTRY)
    after = toml_text.read(done(text, edits))
    assert after == {"tui": {"x": 1}, "mcp_servers": {"libra": ENTRY}}
    assert undo(done(text, edits), edits) == text


def test_an_inline_table_is_left_to_its_owner() -> None:
    """What cannot be added to without rewriting the person's line is refused, not guessed."""
    with pytest.raises(Unreadable):
        toml_text.put('mcp_servers = { other = { command = "x" } }\n', ("mcp_servers", "libra"), ENTRY)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "[compat]\nlibravdb = true\n"),
        ("[compat]\ngrpc = true # mine\n", "[compat]\nlibravdb = true\ngrpc = true # mine\n"),
        (
            "[compat] # mine\r\nlibravdb = false # no\r\n[tui]\r\n",
            "[compat] # mine\r\nlibravdb = true # no\r\n[tui]\r\n",
        ),
        ("[compat]", "[compat]\nlibravdb = true\n"),
        ("[compat.more]\r\nz = 1", "[compat.more]\r\nz = 1\r\n\r\n[compat]\r\nlibravdb = true\r\n"),
        ('[a]\nx = """\n[compat]\n"""\n', '[a]\nx = """\n[compat]\n"""\n\n[compat]\nlibravdb = true\n'),
    ],
)
def test_a_key_in_a_persons_table(text: str, wanted: str) -> None:
    """What else they have set in that table stays in force."""
    path = ("compat", "libravdb")
    edits = toml_text.put_key(text, path, value=True)
    after = done(text, edits)
    assert after == wanted
    assert toml_text.put_key(after, path, value=True) == []
    assert undo(after, edits) == text
    left = toml_text.read(done(after, toml_text.cut_key(after, path, value=True)))
    assert "libravdb" not in left.get("compat", {})
    assert "grpc" not in text or left["compat"]["grpc"] is True


def test_a_table_in_another_form_is_left_to_its_owner() -> None:
    """A table in one line, or a key with dots, is not guessed at."""
    for text in ("compat = { grpc = true }\n", "compat.grpc = true\n"):
        with pytest.raises(Unreadable):
            toml_text.put_key(text, ("compat", "libravdb"), value=True)


# ------------------------------------------------------------------ YAML


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "memory:\n  provider: libra\n"),
        ("a: 1", "a: 1\nmemory:\n  provider: libra\n"),
        ("a: 1\r\n", "a: 1\r\nmemory:\r\n  provider: libra\r\n"),
        ("memory:\n    x: 1\nb: 2\n", "memory:\n    provider: libra\n    x: 1\nb: 2\n"),
        ("memory: # mine\n\nb: 2\n", "memory: # mine\n  provider: libra\n\nb: 2\n"),
        ("memory:", "memory:\n  provider: libra\n"),
        ("memory:\n  provider: 'mem0'  # old\n", "memory:\n  provider: libra  # old\n"),
        ("memory:\n  provider:\n  x: 1\n", "memory:\n  provider: libra\n  x: 1\n"),
        ("memory:\n  x:\n    provider: no\n", "memory:\n  provider: libra\n  x:\n    provider: no\n"),
    ],
)
def test_yaml_in_and_out(text: str, wanted: str) -> None:
    """One line is set in its block, in the file's own indent and line ends, and set back."""
    edits = yaml_text.put(text, ("memory", "provider"), "libra")
    after = done(text, edits)
    assert after == wanted
    assert yaml_text.put(after, ("memory", "provider"), "libra") == []
    assert undo(after, edits) == text
    assert "provider: libra" not in done(after, yaml_text.cut(after, ("memory", "provider"), "libra"))


def test_yaml_in_another_form_is_refused() -> None:
    """A section in braces is its owner's to change; another provider is not taken out."""
    with pytest.raises(Unreadable):
        yaml_text.put("memory: {provider: x}\n", ("memory", "provider"), "libra")
    assert yaml_text.cut("memory:\n  provider: mem0\n", ("memory", "provider"), "libra") == []
