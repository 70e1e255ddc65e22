"""A mark of the rules for secrets, noted beside the version that they were noted under.

Run from the checkout after a change of the rules: ``python -m tests.text.redaction_mark``. Under the old version it wants
``--finds-the-same``: who says so has thought about the texts that are stored already.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from libra.text import redact
from libra.text.redact import REDACTION

_FOLDER = Path(redact.__file__).parent
NOTED = Path(__file__).resolve().parent.parent / "data" / "redaction.json"


def mark() -> str:
    """Return a digest of the modules that the rules stand in, without comments, empty lines and the version itself."""
    digest = hashlib.sha256()
    for path in (_FOLDER / "redact.py", *sorted(_FOLDER.glob("secret*.py"))):
        lines = (line.strip() for line in path.read_text("utf-8").splitlines())
        kept = [line for line in lines if line and not line.startswith(("#", "REDACTION:"))]
        digest.update("\n".join([path.name, *kept, ""]).encode())
    return digest.hexdigest()


def main() -> None:
    """Note the rules of today."""
    noted = json.loads(NOTED.read_text("utf-8")) if NOTED.exists() else {}
    if noted.get("version") == REDACTION and noted["mark"] != mark() and "--finds-the-same" not in sys.argv:
        sys.exit("raise REDACTION in libra/text/redact.py, or say --finds-the-same")
    NOTED.write_text(json.dumps({"version": REDACTION, "mark": mark()}) + "\n", "utf-8")


if __name__ == "__main__":
    main()
