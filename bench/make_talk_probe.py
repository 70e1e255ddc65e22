"""Make ``libra/gate/talk_weights.py``: which meanings are technical talk, learnt from the labelled lines of tests/data/detector.

    python bench/make_talk_probe.py            # writes the module, prints how well it does on the lines it never saw

A logistic regression on the default model's vectors (L2, Newton's method, deterministic), its weights rounded to one byte
each. It learns from every part of the set but the fifth, which stays unseen; the same model gives the same bytes.
"""

from __future__ import annotations

import argparse
import base64
import sys
import textwrap
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ROOT = Path(__file__).resolve().parents[1]
SET = ROOT / "tests" / "data" / "detector"
OUT = ROOT / "libra" / "gate" / "talk_weights.py"
LEARNT = ("", "_later", "_third", "_fourth", "_probe")
UNSEEN = "_fifth"
RIDGE = 0.1
"""Weight of the squared weights; 0.03 to 0.3 differ by one line of the fifth part."""
ROUNDS = 12
MARGIN = 0.6
"""Log odds from which a text is called technical: an alarm costs more than a miss."""
CHARS = 400

Floats = npt.NDArray[np.float64]


def lines(kind: str, part: str) -> list[str]:
    """Return the texts of one label and part that the probe may judge: short ones in plain letters."""
    from libra.gate.talk import may_judge

    blocks = (SET / f"{kind}{part}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n%%%\n")
    return [block for block in blocks if may_judge(block)]


def fit(x: Floats, y: Floats) -> Floats:
    """Return weights and, last, the bias of the regression of ``y`` (0 or 1) on the rows of ``x``."""
    x = np.hstack([x, np.ones((len(x), 1))])
    w = np.zeros(x.shape[1])
    penalty = np.full(x.shape[1], RIDGE)
    penalty[-1] = 0.0
    for _ in range(ROUNDS):
        p = 1.0 / (1.0 + np.exp(-(x @ w)))
        slope = x.T @ (p - y) + penalty * w
        curve = (x * (p * (1.0 - p))[:, None]).T @ x + np.diag(penalty + 1e-9)
        w -= np.linalg.solve(curve, slope)
    return w


def module(fingerprint: str, weights: npt.NDArray[np.int8], scale: float, bias: float) -> str:
    """Return the source of the module."""
    body = textwrap.wrap(base64.b85encode(weights.tobytes()).decode("ascii"), 100)
    rows = "\n".join(f"    {row!r}" for row in body)
    return (
        '"""Weights of the probe for technical talk; made by bench/make_talk_probe.py, not by hand."""\n\n'
        "from __future__ import annotations\n\nfrom typing import Final\n\n"
        f'FINGERPRINT: Final = "{fingerprint}"\n"""Of the model whose vectors these weights are for."""\n'
        f"SCALE: Final = {scale!r}\nBIAS: Final = {bias!r}\nMARGIN: Final = {MARGIN!r}\n"
        f"WEIGHTS: Final = (\n{rows}\n)\n"
    )


def main() -> int:
    """Learn, write, and say how well it does on the unseen part."""
    from libra.inference.embedder import Embedder

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=ROOT / "models" / "minilm-l6-v2")
    args = parser.parse_args()
    embedder = Embedder.open(args.model)
    sets = {
        kind: (
            embedder.embed_texts([t for part in LEARNT for t in lines(kind, part)]),
            embedder.embed_texts(lines(kind, UNSEEN)),
        )
        for kind in ("technical", "prose")
    }
    x = np.vstack([sets["technical"][0], sets["prose"][0]]).astype(np.float64)
    y = np.array([1.0] * len(sets["technical"][0]) + [0.0] * len(sets["prose"][0]))
    found = fit(x, y)
    scale = float(np.abs(found[:-1]).max() / 127)
    weights = np.rint(found[:-1] / scale).astype(np.int8)
    scale, bias = float(f"{scale:.6g}"), float(f"{found[-1]:.6g}")
    OUT.write_text(module(embedder.fingerprint, weights, scale, bias), encoding="utf-8")
    says = {kind: pair[1] @ weights.astype(np.float64) * scale + bias for kind, pair in sets.items()}
    for margin in (0.0, 0.2, MARGIN, 0.6, 0.8):
        right, wrong = int((says["technical"] > margin).sum()), int((says["prose"] > margin).sum())
        print(
            f"{len(y)} learnt; unseen, margin {margin}: precision {right / (right + wrong):.3f}, recall {right / len(says['technical']):.3f}"
        )
    embedder.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
