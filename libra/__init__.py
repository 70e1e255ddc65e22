"""Libra: one long-term memory for every AI agent on a person's machine."""

import os

__version__ = "0.1.0"

# Before numpy comes in: on products of a few hundred rows its threads cost more than they save, and they spin
# while they wait, on the very processors that the person's own programs want.
for _name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
