"""Challenge and response of LibraVDB's gRPC generation: nonces that count once, and the secret that signs them.

A client proves with every call that it can read the secret: it signs the nonce of the last answer (hosts.md §4.6).
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
import sys
import threading
from collections import OrderedDict
from pathlib import Path

from libra.ground.errors import Conflict, StoreError

_MOST = 4_096
"""Nonces that wait for their use: some 0.5 MB. A client holds one; only ``Health``, which is open, adds to them."""
_NONCE_BYTES = 32
_SECRET_BYTES = 32
_MOST_READ = 4_096
_LEAST_CHARS = 16


class Nonces:
    """Gives out nonces and takes each back once, signed; what was never given, was used or was pushed out is refused.

    Args:
        secret: The key.
        most: Nonces that are kept; a newer one pushes the oldest out.
    """

    def __init__(self, secret: bytes, most: int = _MOST) -> None:
        self._secret = secret
        self._most = most
        self._lock = threading.Lock()
        self._open: OrderedDict[str, None] = OrderedDict()

    def fresh(self) -> str:
        """Return a nonce that was never given out."""
        nonce = secrets.token_hex(_NONCE_BYTES)
        with self._lock:
            self._open[nonce] = None
            while len(self._open) > self._most:
                self._open.popitem(last=False)
        return nonce

    def accepts(self, nonce: str, signature: str) -> bool:
        """Return True if the nonce is open and the signature its HMAC-SHA256 in hex; it is used up either way."""
        with self._lock:
            known = nonce in self._open
            self._open.pop(nonce, None)
        wanted = hmac.new(self._secret, nonce.encode(), hashlib.sha256).hexdigest()
        return hmac.compare_digest(wanted.encode(), signature.encode()) and known


def secret_of(file: Path) -> bytes:
    """Return the secret of a file; one that is missing is made, for this user only.

    Raises:
        Conflict: Others may read it, it is no plain file of this user, or it is too short.
        StoreError: It cannot be read or made.
    """
    try:
        with contextlib.suppress(FileExistsError):
            made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(made, "w", encoding="ascii") as stream:
                stream.write(secrets.token_hex(_SECRET_BYTES) + "\n")
        shown = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(shown, "rb") as stream:
            _check(file, os.fstat(stream.fileno()))
            secret = stream.read(_MOST_READ).strip()
    except OSError as error:
        raise StoreError(f"the secret cannot be used: {error.strerror}", where=str(file)) from error
    if len(secret) < _LEAST_CHARS:
        raise Conflict(
            f"the secret has less than {_LEAST_CHARS} characters",
            hint="delete the file: a new one is made at the next start",
            where=str(file),
        )
    return secret


def _check(file: Path, info: os.stat_result) -> None:
    """See that only this user can read the secret."""
    mine = sys.platform == "win32" or info.st_uid == os.geteuid()
    if not (stat.S_ISREG(info.st_mode) and mine) or (os.name == "posix" and info.st_mode & 0o077):
        raise Conflict(
            "others may know the secret: it must be a file of yours with the rights 0600",
            hint="delete it: a new one is made at the next start",
            where=str(file),
        )
