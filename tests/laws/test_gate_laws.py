"""The six laws of the admission gate (memory-model.md §4), over arbitrary text and hits."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from libra.gate.admission import GateInput, GateParams, Score, combine, novelty, repetition, score
from libra.gate.signals import Signals, natural

UNIT = st.floats(0, 1)
COSINES = st.lists(st.one_of(st.floats(-1, 1), st.just(math.nan), st.just(math.inf)), max_size=14)
WORDS = st.sampled_from(
    [
        *(
            "I prefer tabs",
            "my sister Linh",
            "on 12 April",
            "we decided",
            "fixed",
            "src/app/main.py",
            "ECONNREFUSED",
            "def f(x):",
        ),
        *(
            "```\nx = 1\n```",
            "https://example.org/a",
            "deadbeef1234",
            "$ git push",
            "3 hours",
            "我喜欢",
            "tôi thích",
            "pytest",
        ),
    ]
)
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(WORDS, max_size=12).map(" ".join),
    st.lists(WORDS, max_size=12).map("\n".join),
)
ANY_WEIGHT = st.one_of(st.floats(-5, 5), st.sampled_from([0.0, 1e30, -1e30, math.nan, math.inf]))
PARAMS = st.builds(
    GateParams, h=ANY_WEIGHT, r=ANY_WEIGHT, d=ANY_WEIGHT, p=ANY_WEIGHT, a=ANY_WEIGHT, s=ANY_WEIGHT
)
INPUTS = st.builds(GateInput, TEXTS, COSINES, COSINES)
SIGNALS = st.builds(Signals, UNIT, UNIT, UNIT, UNIT, UNIT)


@given(TEXTS, COSINES)
def test_law_1_no_hits_is_all_novelty(text: str, turns: list[float]) -> None:
    """No memories: H = 1."""
    assert score(GateInput(text, (), turns), GateParams()).h == 1.0


@given(st.lists(st.floats(0.85, 1), min_size=3, max_size=9), COSINES, COSINES)
def test_law_2_saturated_is_no_repetition(known: list[float], other: list[float], turns: list[float]) -> None:
    """Three memories that say it already: S = 1, so R = 0 however often it was said."""
    assert repetition(GateInput("", [*known, *other], turns), GateParams()) == 0.0


def _bounded(found: Score) -> None:
    low, high = min(found.gconv, found.gtech), max(found.gconv, found.gtech)
    assert 0.0 <= low <= found.g <= high <= 1.0
    assert all(0.0 <= value <= 1.0 for value in found.as_dict().values())


@given(INPUTS, PARAMS)
def test_law_3_g_lies_between_its_branches(inp: GateInput, params: GateParams) -> None:
    """min(Gconv, Gtech) ≤ G ≤ max(Gconv, Gtech), all in [0, 1], whatever the weights."""
    _bounded(score(inp, params))


@given(SIGNALS, UNIT, UNIT, PARAMS)
def test_law_3_for_any_signals(parts: Signals, h: float, r: float, params: GateParams) -> None:
    """The same for every combination of signals, not only those that texts were found for."""
    _bounded(combine(parts, h, r, params))


@given(SIGNALS, UNIT, UNIT, PARAMS)
def test_laws_4_and_5_the_ends_are_exact(parts: Signals, h: float, r: float, params: GateParams) -> None:
    """T = 0 gives exactly Gconv, T = 1 exactly Gtech."""
    conversational = combine(Signals(0.0, parts.d, parts.p, parts.a, parts.dtech), h, r, params)
    assert conversational.g == conversational.gconv
    technical = combine(Signals(1.0, parts.d, parts.p, parts.a, parts.dtech), h, r, params)
    assert technical.g == technical.gtech


@given(TEXTS.filter(lambda t: not any(c in t for c in "/`.:$(")), COSINES, COSINES)
def test_law_4_on_plain_texts(text: str, memories: list[float], turns: list[float]) -> None:
    """A text without technical patterns is judged by the conversational branch alone."""
    found = score(GateInput(text, memories, turns), GateParams())
    if found.t == 0.0:
        assert found.g == found.gconv


NAME = st.from_regex(r"\A[a-z][a-z_]{0,9}\Z")
TYPE = st.from_regex(r"\A[A-Z][a-z]{2,8}\Z")
SAID = st.sampled_from(
    [
        "I prefer tea",
        "my sister Linh lives in Hue",
        "born on 12 April 1990",
        "we use Postgres",
        "200 people",
        "I love cats",
        "yesterday",
    ]
)
NUMBER = st.integers(-9999, 99999)


@st.composite
def code_line(draw: st.DrawFn) -> str:
    """One line of code of some language, with strings and comments that read like talk."""
    a, b, kind, said, n = draw(NAME), draw(NAME), draw(TYPE), draw(SAID), draw(NUMBER)
    line = draw(
        st.sampled_from(
            [
                *(
                    f"def {a}({b}: int) -> str:",
                    f"class {kind}({kind}):",
                    f"{a} = {n}",
                    f'{a} = "{said}"',
                    f"    return {a}",
                ),
                *(
                    f'    print("{said}")',
                    f"    if {a} == {n}:",
                    f"    for {a} in range({n}):",
                    f"import {a}",
                    f"from {a} import {b}",
                ),
                *(
                    f"const {a} = ({b}) => {b} + {n};",
                    f"function {a}({b}) {{",
                    "}",
                    "};",
                    f'  {a}.{b}("{said}");',
                    f"let {a} = {n};",
                ),
                *(
                    f"func {a}({b} int) error {{",
                    f"fn {a}({b}: u32) -> u32 {{",
                    f"struct {kind} {{",
                    f"  {a}: {kind},",
                ),
                *(
                    f"# {said}",
                    f"// {said}",
                    f"    # {said}, {n} times",
                    f"public static void {a}(String {b}) {{",
                    f"#include <{a}.h>",
                ),
                *(
                    f"SELECT {a} FROM {b} WHERE {a} = '{said}';",  # noqa: S608 - test text
                    f'  "{a}": "{said}",',
                    f"{a}[{n}] += {b}",
                    f"raise {kind}Error({n})",
                ),
                *(
                    f"  assert {a} == {n}",
                    f"@{a}",
                    f"    {a} = {b}({n}, '{said}')",
                    f"while ({a} < {n}) {{",
                    "    pass",
                    "else:",
                ),
            ]
        )
    )
    return str(line)


@settings(max_examples=80)
@given(st.lists(code_line(), min_size=1, max_size=14), st.booleans())
def test_law_6_pure_code_tells_nothing_of_the_person(lines: list[str], fenced: bool) -> None:  # noqa: FBT001 - drawn
    """Dnl of pure code is below 0.2, fenced or not, whatever its strings and comments say."""
    code = [line for line in lines if not line.lstrip().startswith(("#", "//"))]
    text = "\n".join(lines if 2 * len(code) > len(lines) else code or ["x = 1"])
    assert natural(f"```\n{text}\n```" if fenced else text) < 0.2


@given(COSINES, COSINES)
def test_novelty_and_repetition_are_bounded(memories: list[float], turns: list[float]) -> None:
    """Also for cosines that are no numbers."""
    inp = GateInput("", memories, turns)
    assert 0.0 <= novelty(inp, GateParams()) <= 1.0
    assert 0.0 <= repetition(inp, GateParams()) <= 1.0
