"""Try a built libra as its user would: start it from an awkward place, connect an agent, show the icon, run the demo.

    python packaging/smoke.py dist/libra [TRIAL …]

Uses nothing of ours but the program that is tried. Ends non-zero with a sentence if something is wrong. Where Xvfb and
python-xlib are not there, the icon is not tried, and that is said.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

START_S = 90.0
DEMO_S = 180.0
CALL_S = 60.0
HOOKS = 11
STOP_S = 30.0
SETTINGS = {
    ".claude/settings.json": b'{\n  // mine\n  "model": "opus",\n}\n',
    ".codex/config.toml": b'model = "gpt"  # mine\r\n',
    ".gemini/settings.json": b'{"theme": "Dark"}',
    ".cursor/mcp.json": b'{\n\t"mcpServers": {}\n}\n',
    ".openclaw/openclaw.json": b"{ agents: { list: [] } }\n",
    ".hermes/config.yaml": b"model: x\n# mine\n",
    ".config/opencode/opencode.json": b"{}\n",
}
"""Settings of agents as people leave them: comments, tabs, line ends of another system, no line end at all."""


def ask(path: Path, method: str) -> dict[str, Any]:
    """Send one request over the Unix socket and return its result."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(10.0)
        client.connect(str(path))
        client.sendall(
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).encode() + b"\n"
        )
        with client.makefile("r", encoding="utf-8") as answers:
            answer = json.loads(answers.readline())
    if "result" not in answer:
        raise SystemExit(f"{method}: {answer}")
    result: dict[str, Any] = answer["result"]
    return result


def wait_for(path: Path, process: subprocess.Popen[bytes], field: str) -> tuple[float, dict[str, Any]]:
    """Ask for health until ``field`` is true; return the seconds since now and the answer."""
    begin = time.monotonic()
    while time.monotonic() - begin < START_S:
        if process.poll() is not None:
            raise SystemExit(f"the program ended with {process.returncode} before it was {field}")
        try:
            answer = ask(path, "health")
        except OSError:
            answer = {}
        if answer.get(field):
            return time.monotonic() - begin, answer
        time.sleep(0.02)
    raise SystemExit(f"not {field} within {START_S:.0f} s")


def bare(folder: Path) -> dict[str, str]:
    """Return an environment without a display, and with a home folder of its own in which an agent is installed."""
    home = folder / "home"
    (home / ".claude").mkdir(parents=True, exist_ok=True)
    dropped = ("LIBRA_", "XDG_", "CLAUDE_", "OPENCLAW_", "CODEX_", "DISPLAY", "WAYLAND_DISPLAY", "PYTHON")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    return {**kept, "HOME": str(home)}


@contextmanager
def awkward(program: Path, folder: Path) -> Iterator[Path]:
    """Yield the program in a folder with spaces and foreign letters that cannot be written.

    With the right to do so the folder is mounted read-only, since nothing else keeps root from writing.
    """
    place = folder / "My Ünpäcked 書 apps"
    place.mkdir()
    shutil.copy2(program, place / program.name)
    place.chmod(0o555)
    mounted = sys.platform == "linux" and all(
        subprocess.run(["mount", *words, str(place)], capture_output=True, check=False).returncode == 0
        for words in (["--bind", str(place)], ["-o", "remount,ro,bind"])
    )
    print(f"started from {'a read-only mount' if mounted else 'a folder without the right to write'}")
    try:
        yield place / program.name
    finally:
        if sys.platform == "linux":
            while subprocess.run(["umount", str(place)], capture_output=True, check=False).returncode == 0:
                pass
        place.chmod(0o755)


class App:
    """A running program; leaving the context ends it with SIGTERM.

    Args:
        words: Program and arguments.
        folder: Its log goes here.
        env: Its environment.
    """

    def __init__(self, words: list[str], folder: Path, env: dict[str, str]) -> None:
        self._log = folder / "log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, cwd="/"
            )

    def log(self) -> str:
        """Return what it has said."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """End it; what it said is shown if something was wrong."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise SystemExit("the program does not end") from None
        finally:
            if kind is not None:
                print(self.log()[-3000:])


def serve(program: Path, folder: Path) -> None:
    """Start the program without a display from an awkward place; an agent then calls it by hook and MCP."""
    sock, env = folder / "s", bare(folder)
    flags = ["--data-dir", str(folder / "my dätä"), "--socket", str(sock)]
    with awkward(program, folder) as placed, App([str(placed), "run", *flags], folder, env) as app:
        first_s, _ = wait_for(sock, app.process, "ok")
        ready_s, health = wait_for(sock, app.process, "ready")
        print(
            f"health after {first_s:.2f} s, ready after {first_s + ready_s:.2f} s: {health.get('message', '')}"
        )
        if health.get("degraded"):
            raise SystemExit(f"degraded: {health['degraded']}")
        if sys.platform == "linux" and "no display" not in app.log():
            raise SystemExit("it does not say why there is no icon")
        page(sock)
        agent([str(placed), "connect", "claude-code", *flags], folder, env)
    if sock.exists():
        raise SystemExit("the socket was left behind")


def page(sock: Path) -> None:
    """Open the local page as a browser does: its files and the descriptions of the settings must be inside."""
    url = urlsplit(ask(sock, "open_page")["url"])
    browser = http.client.HTTPConnection(url.hostname or "", url.port, timeout=CALL_S)

    def get(
        method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None
    ) -> tuple[Message, str]:
        browser.request(method, path, body, headers or {})
        answer = browser.getresponse()
        text = answer.read().decode()
        if answer.status != HTTPStatus.OK:
            raise SystemExit(f"the page answers {answer.status}")
        return answer.headers, text

    headers, _ = get("GET", f"{url.path}?{url.query}")
    cookie, _, rest = headers["Set-Cookie"].partition("; Path=")
    place = rest.partition(";")[0]
    _, index = get("GET", place, None, {"Cookie": cookie})
    get("GET", f"{place}views/memories.js", None, {"Cookie": cookie})
    asked = {"Cookie": cookie, "Origin": f"http://{url.netloc}", "Content-Type": "application/json"}
    _, settings = get("POST", f"{place}api/settings", "{}", asked)
    if "<title>Libra" not in index or not all(
        k["effect"] for s in json.loads(settings)["result"]["sections"] for k in s["keys"]
    ):
        raise SystemExit("the page did not come with this program")
    print("the page opens")


def agent(connect: list[str], folder: Path, env: dict[str, str]) -> None:
    """Connect an agent, then do what it does: call the hook's line and speak MCP."""
    subprocess.run(connect, env=env, check=True, capture_output=True, timeout=CALL_S)
    plugin = folder / "my dätä" / "connect" / "claude-code" / "libra"
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    line = hooks["UserPromptSubmit"][0]["hooks"][0]["command"]
    said = {"session_id": "s", "cwd": "/", "hook_event_name": "UserPromptSubmit", "prompt": "Where is it?"}
    took = []
    for _ in range(HOOKS):
        begin = time.monotonic()
        out = subprocess.run(  # noqa: S602 - a host has a shell read the line, too
            line, shell=True, input=json.dumps(said).encode(), env=env, capture_output=True, timeout=CALL_S,
            check=True,
        )  # fmt: skip
        took.append(1000 * (time.monotonic() - begin))
        if out.stderr:
            raise SystemExit(f"the hook said: {out.stderr.decode(errors='replace')}")
    print(f"hook: {sorted(took)[HOOKS // 2]:.0f} ms from start to exit (median of {HOOKS})")
    server = json.loads((plugin / ".mcp.json").read_text("utf-8"))
    entry = next(iter(server.get("mcpServers", server).values()))
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "smoke", "version": "1"},
    }
    calls = [("initialize", hello), ("tools/list", {})]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": m, "params": p}) for n, (m, p) in enumerate(calls)
    ]
    begin = time.monotonic()
    out = subprocess.run(
        [entry["command"], *entry["args"]], input="\n".join(lines).encode() + b"\n", env=env,
        capture_output=True, timeout=CALL_S, check=True,
    )  # fmt: skip
    answers = {found["id"]: found for found in map(json.loads, out.stdout.splitlines())}
    tools = answers[1]["result"]["tools"]
    print(f"mcp: {len(tools)} tools in {time.monotonic() - begin:.2f} s")
    if not tools:
        raise SystemExit("no tools")


def tray(program: Path, folder: Path) -> None:
    """Show the icon on a virtual display."""
    try:
        from Xlib import X
        from Xlib.display import Display
    except ImportError:
        print("tray: not tried, python-xlib is not here")
        return
    if shutil.which("Xvfb") is None:
        print("tray: not tried, Xvfb is not here")
        return
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "200x200x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as pipe:
        name = f":{pipe.readline().strip()}"
    try:
        display = Display(name)
        root = display.screen().root
        host = root.create_window(0, 0, 64, 64, 0, display.screen().root_depth)
        host.set_selection_owner(display.intern_atom("_NET_SYSTEM_TRAY_S0"), X.CurrentTime)
        display.sync()
        env = {**bare(folder), "DISPLAY": name}
        words = [str(program), "run", "--data-dir", str(folder / "data"), "--socket", str(folder / "s")]
        with App(words, folder, env) as app:
            begin = time.monotonic()
            while time.monotonic() - begin < START_S and app.process.poll() is None:
                if display.pending_events():
                    event = display.next_event()
                    if event.type == X.ClientMessage:
                        print(f"tray: the icon asked for its place after {time.monotonic() - begin:.2f} s")
                        return
                display.sync()
                time.sleep(0.02)
            raise SystemExit("no icon asked for a place in the tray")
    finally:
        server.terminate()
        server.wait(STOP_S)


def demo(program: Path, folder: Path) -> None:
    """Run the demo and check that it says of itself that it worked."""
    begin = time.monotonic()
    out = subprocess.run(
        [str(program), "demo", "--json"],
        env={**os.environ, "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DEMO_S,
        check=False,
    )
    if out.returncode != 0:
        raise SystemExit(f"demo ended with {out.returncode}: {out.stderr.decode(errors='replace')[-2000:]}")
    json.loads(out.stdout)
    print(f"demo in {time.monotonic() - begin:.1f} s")
    left = [path.name for path in folder.iterdir()]
    if left:
        raise SystemExit(f"the demo left behind: {left}")


def uninstall(program: Path, folder: Path) -> None:
    """Connect every agent, start at login, then take all of it out: the home folder must be as it was, to the byte."""
    env = bare(folder)
    home = Path(env["HOME"])
    for name, text in SETTINGS.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text)
    before = tree(home)

    def run(*words: str) -> str:
        out = subprocess.run(
            [str(program), *words],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=CALL_S,
            check=False,
        )
        if out.returncode != 0:
            raise SystemExit(
                f"libra {words[0]} ended with {out.returncode}: {out.stderr.decode(errors='replace')}"
            )
        return out.stdout.decode()

    with App([str(program), "serve"], folder, env) as app:
        wait_for(home / ".local" / "share" / "libra" / "run" / "libra.sock", app.process, "ready")
        run("connect")
        run("autostart", "on")
        changed = {
            name
            for name, content in tree(home).items()
            if before.get(name) != content and not name.startswith(".local") and (home / name).is_file()
        }
        run("uninstall")
        if app.process.wait(STOP_S) != 0:
            raise SystemExit(f"the app that was taken out ended with {app.process.returncode}")
    known = {".local", ".local/share", ".local/share/libra"}
    kept = tree(home).keys() - before.keys() - known
    if odd := [name for name in kept if not name.startswith(".local/share/libra/")]:
        raise SystemExit(f"uninstall left behind: {sorted(odd)}")
    run("uninstall", "--data", "--yes")
    after = {name: content for name, content in tree(home).items() if name not in known}
    if after != before:
        wrong = sorted(n for n in after.keys() | before.keys() if after.get(n) != before.get(n))
        raise SystemExit(f"uninstall did not put back: {wrong}")
    print(
        f"uninstall: {len(changed)} files written or changed for {len(SETTINGS)} agents and at login, all as before"
    )


def tree(folder: Path) -> dict[str, bytes]:
    """Return what is below a folder: the bytes of files, nothing of folders and sockets."""
    found = sorted(folder.rglob("*"))
    return {p.relative_to(folder).as_posix(): p.read_bytes() if p.is_file() else b"" for p in found}


TRIALS = {"serve": serve, "tray": tray, "demo": demo, "uninstall": uninstall}


def main() -> None:
    """Try the program named on the command line."""
    program = Path(sys.argv[1]).resolve()
    print(f"{program.name}: {program.stat().st_size / 1e6:.1f} MB")
    for name in sys.argv[2:] or TRIALS:
        folder = Path(tempfile.mkdtemp(prefix="ls-"))
        try:
            TRIALS[name](program, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
