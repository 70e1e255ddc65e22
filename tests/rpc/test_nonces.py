"""The challenge that a gRPC client answers, and its secret."""

from __future__ import annotations

import hashlib
import hmac
import stat
from pathlib import Path

import pytest

from libra.ground.errors import Conflict, StoreError
from libra.rpc.nonces import Nonces, secret_of

KEY = b"a secret of some length"


def sign(nonce: str, key: bytes = KEY) -> str:
    """Sign as the client does."""
    return hmac.new(key, nonce.encode(), hashlib.sha256).hexdigest()


def test_a_nonce_counts_once() -> None:
    """Who listened in could send what was signed once more."""
    nonces = Nonces(KEY)
    nonce = nonces.fresh()
    assert nonces.accepts(nonce, sign(nonce))
    assert not nonces.accepts(nonce, sign(nonce))


@pytest.mark.parametrize("signature", ["", "0" * 64, "ä"])
def test_a_wrong_signature_uses_the_nonce_up(signature: str) -> None:
    """A signature could be guessed at leisure."""
    nonces = Nonces(KEY)
    nonce = nonces.fresh()
    assert not nonces.accepts(nonce, signature)
    assert not nonces.accepts(nonce, sign(nonce))


def test_a_nonce_of_ones_own_is_none() -> None:
    """Before a restart, or made up: only what this server gave out counts."""
    nonces = Nonces(KEY)
    assert not nonces.accepts("", sign(""))
    assert not nonces.accepts("ab" * 32, sign("ab" * 32))
    nonce = nonces.fresh()
    assert not nonces.accepts(nonce, sign(nonce, b"another secret of some length"))


def test_nonces_that_nobody_uses_are_bounded() -> None:
    """Asking for Health again and again would fill the memory of the machine."""
    nonces = Nonces(KEY, most=3)
    given = [nonces.fresh() for _ in range(5)]
    assert [nonces.accepts(nonce, sign(nonce)) for nonce in given] == [False, False, True, True, True]


def test_the_secret_is_made_once_and_for_this_user_only(data_dir: Path) -> None:
    """Another user of the machine could read it, or clients would be locked out by each restart."""
    file = data_dir / "libravdb.secret"
    made = secret_of(file)
    assert len(made) == 64
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secret_of(file) == made


def test_a_secret_that_others_may_know_is_not_used(data_dir: Path) -> None:
    """A person would feel safe with a lock whose key hangs beside it."""
    file = data_dir / "libravdb.secret"
    file.write_text("a secret of some length\n")
    file.chmod(0o644)
    with pytest.raises(Conflict, match="0600"):
        secret_of(file)
    file.chmod(0o600)
    assert secret_of(file) == KEY
    link = data_dir / "link"
    link.symlink_to(file)
    with pytest.raises(StoreError):
        secret_of(link)
    file.write_text("short\n")
    with pytest.raises(Conflict, match="characters"):
        secret_of(file)
