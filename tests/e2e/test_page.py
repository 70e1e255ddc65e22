"""The page of the real app: no port before it is asked for, a link that works, none after the end."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys

import psutil
import pytest

from tests.e2e.running import Running

pytestmark = pytest.mark.e2e


def ports(pid: int) -> set[int]:
    """Return the TCP ports that a process listens at."""
    found = psutil.Process(pid).net_connections("tcp")
    return {connection.laddr.port for connection in found if connection.status == psutil.CONN_LISTEN}


def opened(running: Running) -> dict[str, object]:
    """Run ``libra open`` and return what it prints."""
    run = subprocess.run(
        [sys.executable, "-m", "libra", "open", "--no-browser", "--json", "--socket", str(running.socket)],
        env={**running.environment(), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=True,
    )
    printed: dict[str, object] = json.loads(run.stdout)
    return printed


def test_the_port_is_there_only_when_it_was_asked_for(running: Running) -> None:
    """Else every machine with Libra would have a listening port that nobody knows of."""
    running.configure("[page]\nidle_s = 10\n")
    running.start()
    running.call("remember", text="The crane lifts nine tonnes.", origin="owner")
    assert ports(running.pid) == set()
    url = str(opened(running)["url"])
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/enter\?t=[\w-]+)", url)
    assert found is not None
    port = int(found[1])
    assert ports(running.pid) == {port}
    browser = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    browser.request("GET", found[2])
    entered = browser.getresponse()
    entered.read()
    cookie, _, rest = entered.headers["Set-Cookie"].partition("; Path=")
    place = rest.partition(";")[0]
    body = json.dumps({"k": 5})
    headers = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
    browser.request("POST", f"{place}api/list", body, headers)
    answer = json.loads(browser.getresponse().read())
    assert [item["text"] for item in answer["result"]["items"]] == ["The crane lifts nine tonnes."]
    browser.request("POST", f"{place}api/settings", "{}", headers)
    settings = json.loads(browser.getresponse().read())["result"]
    assert settings["file"] == str(running.data / "config.toml")
    browser.close()
    running.until(lambda: ports(running.pid) == set())
    assert running.stop() == 0
