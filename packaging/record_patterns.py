"""Write down how every regular expression of ours is compiled by the Python that a program is built with (libra.ground.patterns).

python packaging/record_patterns.py patterns.bin
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from libra.ground import patterns

OTHERS = (
    "argparse",
    "difflib",
    "logging.handlers",
    "numpy",
    "onnxruntime",
    "tokenizers",
    "watchdog.observers",
    "zipfile",
)
"""What a start loads besides."""


def main() -> None:
    """Import everything that a start may import, and write the table into the file that is named."""
    import libra

    with patterns.recorded() as table:
        for found in pkgutil.walk_packages(libra.__path__, "libra."):
            importlib.import_module(found.name)
        for name in OTHERS:
            importlib.import_module(name)
    content = patterns.dumped(table)
    Path(sys.argv[1]).write_bytes(content)
    print(f"{len(table)} expressions, {len(content) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
