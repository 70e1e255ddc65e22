"""Execution providers: one is used only if it proves itself; CPU always works."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from libra.ground.errors import ConfigError, ModelError
from libra.ground.vectors import Vector
from libra.inference.providers import ORT_NAMES, Choice, ProbeParams, Tried, candidates, choose
from libra.inference.session import Ids

ALL = list(ORT_NAMES.values())
Rows = Sequence[Sequence[int]]


class FakeClock:
    """Time passes only when a fake model runs."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        """Return the seconds that have passed."""
        return self.now_s


class FakeModel:
    """A session whose speed, precision and health a test chooses."""

    def __init__(
        self,
        clock: FakeClock,
        *,
        run_s: float = 1.0,
        noise: float = 0.0,
        spoil: Callable[[Vector], Vector] = lambda x: x,
        fails: Exception | None = None,
        width: int = 16,
    ) -> None:
        self.clock = clock
        self.run_s = run_s
        self.noise = noise
        self.spoil = spoil
        self.fails = fails
        self.width = width
        self.runs = 0

    def run(self, rows: Rows) -> tuple[Vector, Ids]:
        """Return rows that follow from the ids, disturbed as the test wants."""
        self.runs += 1
        self.clock.now_s += self.run_s
        if self.fails:
            raise self.fails
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        hidden = np.zeros((len(rows), int(lengths.max()), self.width), dtype=np.float32)
        for number, row in enumerate(rows):
            for place, token in enumerate(row):
                rng = np.random.default_rng(token)
                hidden[number, place] = rng.normal(1, 1, self.width) + self.noise * rng.normal(
                    0, 1, self.width
                )
        return self.spoil(hidden), lengths


def pick(
    models: dict[str, FakeModel | Exception],
    clock: FakeClock,
    order: Sequence[str],
    available: Sequence[str] = ALL,
) -> tuple[FakeModel, Choice, list[str]]:
    """Choose among fakes; also return what was opened, in order."""
    opened: list[str] = []

    def open_on(name: str) -> FakeModel:
        opened.append(name)
        model = models[name]
        if isinstance(model, Exception):
            raise model
        return model

    chosen, choice = choose(
        order, available, open_on, lambda m: m.run, vocabulary=1000, params=ProbeParams(), clock=clock
    )
    return chosen, choice, opened


@pytest.mark.parametrize(
    ("platform", "wanted", "expected"),
    [
        ("win32", None, ("directml", "cuda", "cpu")),
        ("darwin", None, ("coreml", "cpu")),
        ("linux", None, ("cuda", "cpu")),
        ("freebsd14", None, ("cuda", "cpu")),
        ("win32", ["cpu"], ("cpu",)),
        ("win32", ["cuda"], ("cuda", "cpu")),
        ("linux", ["cuda", "cpu", "directml"], ("cuda", "cpu")),
    ],
)
def test_order(platform: str, wanted: list[str] | None, expected: tuple[str, ...]) -> None:
    """Each platform has its own order, a user's own wins, and CPU is always last."""
    assert candidates(platform, wanted) == expected


def test_unknown_provider_is_refused() -> None:
    """A misspelt provider is an error that names the key, not a silent CPU."""
    with pytest.raises(ConfigError, match="'cudaa'") as caught:
        candidates("linux", ["cudaa"])
    assert caught.value.where == "model.providers"


def test_fast_and_right_is_used() -> None:
    """A provider that agrees and is faster is used, with the factor in the reason."""
    clock = FakeClock()
    gpu = FakeModel(clock, run_s=0.25)
    chosen, choice, _ = pick({"cpu": FakeModel(clock), "directml": gpu}, clock, ("directml", "cpu"))
    assert chosen is gpu
    assert choice.provider == "directml"
    assert choice.reason == "agrees with CPU and is 4.0 times as fast"


def test_slower_is_not_used() -> None:
    """A provider that is slower than CPU is not used, and the reason says so."""
    clock = FakeClock()
    cpu = FakeModel(clock)
    chosen, choice, _ = pick({"cpu": cpu, "cuda": FakeModel(clock, run_s=1.5)}, clock, ("cuda", "cpu"))
    assert chosen is cpu
    assert choice == Choice(
        "cpu",
        "cuda: slower than CPU (1.5 times its time)",
        (Tried("cuda", "slower than CPU (1.5 times its time)"),),
    )


def test_other_vectors_are_not_used() -> None:
    """A provider whose vectors differ is not used, however fast it is."""
    clock = FakeClock()
    models: dict[str, FakeModel | Exception] = {
        "cpu": FakeModel(clock),
        "cuda": FakeModel(clock, run_s=0.1, noise=0.5),
    }
    chosen, choice, _ = pick(models, clock, ("cuda", "cpu"))
    assert chosen is models["cpu"]
    assert "differ from CPU's (cosine 0." in choice.reason


@pytest.mark.parametrize(
    "spoil",
    [
        lambda x: np.full_like(x, np.nan),
        lambda x: np.full_like(x, np.inf),
        np.zeros_like,
        lambda x: x[:, :, :8],
    ],
    ids=["nan", "inf", "zero", "narrow"],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_broken_output_is_not_used(spoil: Callable[[Vector], Vector]) -> None:
    """NaN, infinity, zeros or another shape put a provider out."""
    clock = FakeClock()
    _, choice, _ = pick(
        {"cpu": FakeModel(clock), "cuda": FakeModel(clock, run_s=0.1, spoil=spoil)}, clock, ("cuda", "cpu")
    )
    assert choice.provider == "cpu"
    assert choice.reason.startswith("cuda: its vectors")


def test_failures_fall_through_to_the_next() -> None:
    """A provider that cannot open and one that fails in the run are passed over; the third is used."""
    clock = FakeClock()
    models: dict[str, FakeModel | Exception] = {
        "cpu": FakeModel(clock),
        "directml": RuntimeError("no device of yours: C:/secret"),
        "cuda": FakeModel(clock, fails=ModelError("x", reason="model_run")),
        "coreml": FakeModel(clock, run_s=0.5),
    }
    chosen, choice, opened = pick(models, clock, ("directml", "cuda", "coreml", "cpu"))
    assert chosen is models["coreml"]
    assert choice.tried[:2] == (Tried("directml", "failed: RuntimeError"), Tried("cuda", "failed: model_run"))
    assert opened == ["cpu", "directml", "cuda", "coreml"]


def test_nothing_else_installed_costs_nothing() -> None:
    """Where the runtime has CPU only, nothing is probed."""
    clock = FakeClock()
    cpu = FakeModel(clock)
    _, choice, opened = pick({"cpu": cpu}, clock, ("cuda", "cpu"), available=["CPUExecutionProvider"])
    assert opened == ["cpu"]
    assert cpu.runs == 0
    assert choice.reason == "the installed ONNX Runtime has no cuda"


def test_cpu_alone() -> None:
    """A user who asks for CPU gets it without a probe."""
    clock = FakeClock()
    cpu = FakeModel(clock)
    _, choice, _ = pick({"cpu": cpu}, clock, ("cpu",))
    assert (choice, cpu.runs) == (Choice("cpu", "CPU was asked for", ()), 0)


def test_cpu_that_fails_is_an_error() -> None:
    """If CPU itself cannot open the model, that is the caller's to know."""
    clock = FakeClock()
    with pytest.raises(RuntimeError, match="broken"):
        pick({"cpu": RuntimeError("broken")}, clock, ("cuda", "cpu"))
