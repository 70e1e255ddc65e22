"""Secrets: gone in every certain format and in prose; ordinary sentences stay as they are."""

from __future__ import annotations

import pytest

from libra.text.redact import clean, redact
from libra.text.secretflood import MOST_NAMES

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


_A = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5fG7hJ9kM1nP2qR4sT6uV8wX0y"
_HEX = "9fceb02d0ae598e95dc970b74767f19372d61af8e3b0c44298fc1c149afbf4c8"

CERTAIN = {
    "aws_key": "ASIA" + "Q3EGRBKLMNOP2345",
    "github_token": "gho_" + _A[:36],
    "gitlab_token": "glpat-" + _A[:20],
    "slack_token": "xapp-1-" + "A0B1C2D3E4-5678901234-abcdef",
    "slack_webhook": "https://hooks.slack.com/services/" + "T00000000/B00000000/" + _A[:24],
    "discord_webhook": "https://discord.com/api/webhooks/" + "123456789012345678/" + _A[:60],
    "stripe_key": "whsec_" + _A[:32],
    "api_key": "sk-ant-api03-" + _A,
    "google_key": "AIza" + _A[:35],
    "telegram_token": "123456789:AA" + _A[:33],
    "national_id": "219-09-9999",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + _A[:43],
}
TOKENS = {
    "hugging face": "hf_" + _A[:34],
    "npm": "npm_" + _A[:36],
    "pypi": "pypi-" + _A[:60],
    "digital ocean": "dop_v1_" + _HEX,
    "sendgrid": "SG." + _A[:22] + "." + _A[:43],
    "shopify": "shpat_" + _HEX[:32],
    "linear": "lin_api_" + _A[:40],
    "docker": "dckr_pat_" + _A[:27],
    "groq": "gsk_" + _A[:52],
    "figma": "figd_" + _A[:40],
    "postman": "PMAK-" + _HEX[:24] + "-" + _HEX[:34],
    "vault": "hvs." + _A[:24],
    "supabase": "sbp_" + _HEX[:40],
}


@pytest.mark.parametrize("kind", CERTAIN)
def test_each_certain_format_has_its_kind(kind: str) -> None:
    """A key with a known shape goes wherever it stands, and the mark names its kind."""
    found = redact(f"here it is: {CERTAIN[kind]} (keep it safe)")
    assert CERTAIN[kind] not in found.text
    assert f"[redacted:{kind}]" in found.text
    assert found.kinds == (kind,)
    assert found.text.startswith("here it is: ")
    assert found.text.endswith(" (keep it safe)")


@pytest.mark.parametrize("name", TOKENS)
def test_each_service_token_goes(name: str) -> None:
    """The prefixes of services are known one by one."""
    assert redact(f"use {TOKENS[name]} now").text == "use [redacted:token] now"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("DB_PASSWORD=hunter2x", "DB_PASSWORD=[redacted:password]"),
        ("--password 'Tr0ub4dor&3x' --verbose", "--password '[redacted:password]' --verbose"),
        ("curl -u admin:Tr0ub4dor3 https://h/", "curl -u admin:[redacted:password] https://h/"),
        ("mysql -u root -pTr0ub4dor3 app", "mysql -u root -p[redacted:password] app"),
        ("sshpass -p Tr0ub4dor3 ssh dock", "sshpass -p [redacted:password] ssh dock"),
        ("<password>Tr0ub4dor3</password>", "<password>[redacted:password]</password>"),
        ("密码是 Tr0ub4dor&3x。", "密码是 [redacted:password]。"),
        ("mật khẩu là Tr0ub4dor&3x", "mật khẩu là [redacted:password]"),
        ("amqps://app:Tr0ub4dor3@dock:5671/v", "amqps://app:[redacted:url_password]@dock:5671/v"),
    ],
)
def test_only_the_value_goes(text: str, left: str) -> None:
    """Names, hosts, flags and quotation marks stay, so that the statement can still be read."""
    assert redact(text).text == left


def test_private_keys_on_one_line_and_without_an_end() -> None:
    """A key pasted with escapes, or cut off by a host, is a key."""
    body = "MIIEpAIBAAKCAQEA7bq8Zk3Jw2"
    for text in (
        f"key: -----BEGIN PRIVATE KEY-----\\n{body}\\n-----END PRIVATE KEY-----\\n then",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n{body}",
        f"-----BEGIN EC PRIVATE KEY-----\r\n{body}\r\n-----END EC PRIVATE KEY-----\r\n",
    ):
        found = redact(text)
        assert body not in found.text
        assert found.kinds == ("private_key",)


@pytest.mark.parametrize(
    ("number", "is_card"),
    [
        ("4111111111111111", True),
        ("4111-1111-1111-1111", True),
        ("5500 0000 0000 0004", True),
        ("3400 000000 00009", True),
        ("4111111111111112", False),
        ("1775932200000", False),
        ("4444444444444444", False),
        ("0.4111111111111111", False),
    ],
)
def test_cards_need_a_network_and_luhn(number: str, is_card: bool) -> None:  # noqa: FBT001 - a column of the table
    """A wrong check digit, a time stamp or a decimal fraction is no card."""
    assert ("[redacted:card]" in redact(f"it is {number} here").text) is is_card


@pytest.mark.parametrize(
    "text",
    [
        "API_KEY=${API_KEY}",
        "api_key: {{ vault.api_key }}",
        "token = settings.auth.token",
        "token: str | None = None",
        'password = "changeme"',
        'api_key = "<your key here>"',
        "password=********",
        "the token budget is 2000",
        "max_tokens=4096 and tokens=128",
        "the secret is to start early",
        "secretName: relay-tls",
        "what is the password?",
        "my pass to the museum",
        "compass = north",
        "postgres://app@db.local:5432/app",
        "https://user:$TOKEN@example.org/",
        "Bearer tokens are described in RFC 6750",
        "skip-the-line and risk-free and task-123456789012345678901",
        "call 555-12-34 tomorrow",
    ],
)
def test_references_types_and_talk_are_left_alone(text: str) -> None:
    """What stands for a secret, or only speaks of one, stays (lessons C79)."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("pay to DE89370400440532013000 PLEASE", "pay to [redacted:iban] PLEASE"),
        ("DE89 3704 0044 0532 0130 00", "[redacted:iban]"),
        ("DE88 3704 0044 0532 0130 00", "DE88 3704 0044 0532 0130 00"),
        ("CCCD: 001099012345", "CCCD: [redacted:national_id]"),
        ("order 001099012345", "order 001099012345"),
    ],
)
def test_accounts_and_persons_need_their_check_digits_or_name(text: str, left: str) -> None:
    """A typing error or an order number is no account and no person."""
    assert redact(text).text == left


def test_values_of_json_are_cleaned_too() -> None:
    """What a host hands along with a turn may hold a secret as well as the words, alone or under a telling name (C79, C81)."""
    key = "sk-test_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5f"
    value = {
        "password": "Tr0ub4dor&3x",
        "deep": [{"note": f"use {key}"}, 3, None, True],
        key: "x",
        "model": "opus",
    }
    cleaned = clean(value)
    assert "Tr0ub4dor" not in str(cleaned)
    assert key not in str(cleaned)
    assert cleaned["deep"][1:] == [3, None, True]
    assert cleaned["model"] == "opus"
    assert clean(cleaned) == cleaned


def test_a_flood_of_names_hides_no_secret() -> None:
    """Whoever names secrets faster than they can be judged gets everything behind a name cut, and no password through."""
    rows = [f"user{n} pwd=a{n}b2c3" for n in range(3 * MOST_NAMES)]
    once = redact("\n".join(rows)).text
    assert not [n for n, row in enumerate(rows) if row.split("pwd=")[1] in once]
    assert redact(once).text == once


def test_below_a_flood_everything_is_judged() -> None:
    """A long page about tokens stays readable: it is judged to its end, not cut by the look of its names."""
    page = "The token is required in every request.\n" * (MOST_NAMES - 1)
    assert redact(page).text == page


def test_what_is_told_in_a_flood_is_cut() -> None:
    """A PIN behind a hundred thousand words that may begin a name does not come through."""
    assert "hunter2hunter" not in redact("code " * 100_000 + "my password is hunter2hunter").text
