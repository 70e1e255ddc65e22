"""Secrets: gone in every certain format and in prose; ordinary sentences stay as they are."""

from __future__ import annotations

import pytest

from libra.text.redact import redact

_40 = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5f"

SECRETS = {
    "github": ("push with ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2, "ghp_A1b2"),
    "github fine-grained": ("github_pat_11ABCDEFG0" + "x" * 12 + "_" + "A1b2C3d4" * 7, "github_pat_11"),
    "aws id": ("AKIAIOSFODNN7EXAMPLA is the key id", "AKIAIOSFODNN7EXAMPLA"),
    "slack": ("xoxb-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx", "xoxb-1234"),
    "openai": ("the key sk-proj-" + _40 + " works", "sk-proj-aB3"),
    "stripe": ("sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "sk_live_4eC"),
    "jwt": (
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "dozjgNryP4J3",
    ),
    "bearer": ("Authorization: Bearer " + _40, _40),
    "url": ("postgres://app:Tr0ub4dor3x@db.local:5432/app", "Tr0ub4dor3x"),
    "env": ("export API_KEY=" + _40, _40),
    "yaml": ("password: Tr0ub4dor&3x", "Tr0ub4dor"),
    "json": ('{"client_secret": "' + _40 + '"}', _40),
    "prose": ("the prod DB password is Tr0ub4dor&3x and nothing else", "Tr0ub4dor"),
    "prose key": ("and the API key is sk-test_" + _40, _40),
    "card": ("my card 4111 1111 1111 1111 expires soon", "4111 1111"),
    "pem": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nq8Zk\n-----END RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA7",
    ),
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_gone(name: str) -> None:
    """The value is nowhere in the result, which says that something was there."""
    text, secret = SECRETS[name]
    found = redact(text)
    assert secret not in found.text
    assert "[redacted:" in found.text
    assert found.kinds


@pytest.mark.parametrize("name", SECRETS)
def test_redacting_twice_changes_nothing(name: str) -> None:
    """What was redacted is no secret."""
    once = redact(SECRETS[name][0]).text
    assert redact(once).text == once


@pytest.mark.parametrize(
    "text",
    [
        "the password is required",
        "the token is expired, ask for another",
        "the key is to keep calm",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed it",
        "session 7c0f2b9a-3d54-4f6e-8a1b-2c3d4e5f6a7b is closed",
        "export API_KEY=$OPENAI_API_KEY",
        'api_key = os.environ["API_KEY"]',
        "password: string",
        "def login(user: str, password: str) -> Token: ...",
        "reset your password on the settings page",
        "password = getpass()",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "1234 5678 9012 3456 is no card",
        "https://example.org/path?page=2",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    """Hashes, ids, references and sentences about passwords are no secrets."""
    assert redact(text).text == text


def test_b26_the_sentence_stays() -> None:
    """The statement is kept without its values (field case B26)."""
    said = f"Remember: the prod DB password is Tr0ub4dor&3x and the API key is sk-test_{_40}."
    kept = redact(said).text
    assert kept.startswith("Remember: the prod DB password is [redacted")
    assert "API key is [redacted" in kept
