"""The page's server: what a request has to show before it learns anything, over real connections."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from libra.desktop import browser
from libra.desktop.page_http import HEADERS, MAX_BODY
from libra.desktop.page_keys import Keys, PageParams
from libra.desktop.page_peer import Peer, peer_of
from libra.desktop.page_server import Page
from libra.ground.errors import NotFound

WAIT_S = 20.0


@dataclass(slots=True)
class Hand:
    """A clock that a test moves."""

    now_s: float = 1_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now_s


@dataclass(slots=True)
class Verbs:
    """Notes what was called."""

    calls: list[tuple[str, Any]] = field(default_factory=list)

    def __call__(self, verb: str, params: Any) -> Any:
        """Answer, or fail in one of two ways."""
        self.calls.append((verb, params))
        if verb == "get":
            raise NotFound("there is no record with that id", where="id", hint="look again")
        if verb == "explain":
            raise RuntimeError("what somebody said")
        return {"verb": verb, "params": params}


@pytest.fixture
def verbs() -> Verbs:
    """Return verbs that only answer."""
    return Verbs()


@pytest.fixture
def clock() -> Hand:
    """Return the page's clock."""
    return Hand()


@pytest.fixture
def page(verbs: Verbs, clock: Hand) -> Iterator[Page]:
    """Yield a page whose port is not open yet."""
    made = Page(verbs, PageParams(idle_s=600, link_s=60, visit_s=3_600), now_s=clock)
    yield made
    made.close()


@dataclass(slots=True)
class Answer:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Browser:
    """Sends requests as a browser on the page would; a test changes what it wants to go wrong."""

    def __init__(self, page: Page) -> None:
        self.url = page.open()["url"]
        self.port = page.port
        self.host = f"127.0.0.1:{self.port}"
        self.place = ""
        self.cookie = ""

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str | None) -> Answer:
        """Send one request; a header that is None is left out."""
        sent = {"Host": self.host, **({"Cookie": self.cookie} if self.cookie else {})}
        if method == "POST":
            sent |= {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
            sent["Content-Length"] = str(len(body or b""))
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}  # type: ignore[misc]
        connection = http.client.HTTPConnection("127.0.0.1", self.port or 0, timeout=WAIT_S)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        got = connection.getresponse()
        answer = Answer(got.status, got.headers, got.read())
        connection.close()
        return answer

    def enter(self) -> Answer:
        """Follow the link."""
        answer = self.send("GET", self.url.partition(self.host)[2])
        value, _, attributes = (answer.headers["Set-Cookie"] or "").partition(";")
        self.cookie = value
        self.place = attributes.partition("Path=")[2].partition(";")[0]
        return answer

    def call(self, verb: str, params: Any, **headers: str | None) -> Answer:
        """Carry out a verb."""
        return self.send("POST", f"{self.place}api/{verb}", json.dumps(params).encode(), **headers)


@pytest.fixture
def there(page: Page) -> Browser:
    """Return a browser that was let in."""
    made = Browser(page)
    made.enter()
    return made


def test_no_port_is_open_before_it_is_asked_for(page: Page) -> None:
    """Else every Libra would have a port that nobody asked for."""
    assert page.port is None
    assert page.closed.is_set()


def test_a_link_opens_the_page_once(page: Page) -> None:
    """Else whoever finds the address in a history or a list of processes could look, too."""
    first, second = Browser(page), None
    assert first.enter().status == 200
    assert b"<title>Libra" in first.send("GET", first.place).body
    second = Browser(page)
    second.url = first.url
    refused = second.enter()
    assert refused.status == 403
    assert refused.headers["Set-Cookie"] is None


def test_an_old_link_opens_nothing(page: Page, clock: Hand) -> None:
    """Else a link that was never followed would be a key for ever."""
    late = Browser(page)
    clock.now_s += 61
    assert late.enter().status == 403


def test_a_browser_that_looks_ahead_does_not_use_the_link_up(page: Page) -> None:
    """Else the person would find a link used that they had not followed."""
    person = Browser(page)
    path = person.url.partition(person.host)[2]
    assert person.send("GET", path, Sec_Purpose="prefetch").status == 503
    assert person.enter().status == 200


def test_the_cookie_is_kept_from_scripts_other_sites_and_other_ports(page: Page) -> None:
    """Else another page, or another server on this machine, would be handed the key."""
    cookie = Browser(page).enter().headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    path = cookie.partition("Path=")[2].partition(";")[0]
    assert len(path) > 16, "a cookie goes to every port of an address: only an unknown folder keeps it here"


@pytest.mark.parametrize(
    "cookie",
    [None, "", "libra=", "libra=wrong", "other=1", "libra=\udcff".encode("utf-8", "replace").decode()],
)
@pytest.mark.parametrize("path", ["", "main.js", "api/status"])
def test_without_the_cookie_nothing_is_shown(
    there: Browser, verbs: Verbs, cookie: str | None, path: str
) -> None:
    """Else everybody who finds the port could read the memory."""
    method, body = ("POST", b"{}") if path.startswith("api") else ("GET", None)
    answer = there.send(method, there.place + path, body, Cookie=cookie)
    assert answer.status == 401
    assert verbs.calls == []


def test_the_cookie_of_one_visit_is_no_key_to_the_folder_of_another(page: Page, there: Browser) -> None:
    """Else a stolen folder name and any cookie would do."""
    other = Browser(page)
    other.enter()
    assert there.send("GET", other.place).status == 401


@pytest.mark.parametrize(
    "host", ["libra.example", "localhost", "127.0.0.1", "127.0.0.1:1", "evil.example:80", "", None]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_name_for_this_address_is_refused(
    there: Browser, verbs: Verbs, method: str, host: str | None
) -> None:
    """Else a web page could reach the memory through a name of its own that points here (DNS rebinding)."""
    path = there.place + ("api/status" if method == "POST" else "")
    assert there.send(method, path, b"{}" if method == "POST" else None, Host=host).status in {400, 421}
    assert verbs.calls == []


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1", None]
)
def test_another_page_may_not_ask(there: Browser, verbs: Verbs, origin: str | None) -> None:
    """Else a web page could have the person's browser forget everything."""
    assert there.call("status", {}, Origin=origin).status == 403
    assert verbs.calls == []


def test_a_request_that_the_browser_calls_cross_site_is_refused(there: Browser) -> None:
    """Else a link on another page could carry the person somewhere in here."""
    assert there.send("GET", there.place, Sec_Fetch_Site="cross-site").status == 403


def test_every_answer_says_what_a_browser_may_do(page: Page, there: Browser) -> None:
    """Else what somebody said to an agent could become a script, a frame, a request to elsewhere."""
    policy = HEADERS["Content-Security-Policy"]
    for part in (
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "trusted-types",
    ):
        assert part in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    answers = [
        there.send("GET", there.place), there.send("GET", there.place + "nothing.js"), there.call("status", {}),
        there.call("nothing", {}), there.send("PUT", there.place), Browser(page).enter(),
        there.send("GET", there.place, Host="evil.example"),
    ]  # fmt: skip
    for answer in answers:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert answer.headers["Server"] is None


@pytest.mark.parametrize(
    "path",
    ["../page_server.py", "..%2fpage_server.py", "%2e%2e/page_server.py", "views/../../page_keys.py", "/etc/passwd", "C:%5Cx",
     "....//page_keys.py", "main.js%00.css", "main.js/", "%", "views", "\\..\\page_keys.py"],
)  # fmt: skip
def test_no_file_but_the_pages_own_is_served(there: Browser, path: str) -> None:
    """Else the page would be a way to read any file of the person's."""
    assert there.send("GET", there.place + path).status in {401, 404}


def test_every_file_of_the_page_is_served_with_its_type(there: Browser, page: Page) -> None:
    """Else a view would be missing where the page came with the installed package."""
    assert {"index.html", "main.js", "libra.css", "libra.svg", "views/now.js"} <= set(page.files)
    for name, (kind, content) in page.files.items():
        answer = there.send("GET", there.place + name)
        assert (answer.status, answer.headers["Content-Type"], answer.body) == (200, kind, content)


def test_a_verb_is_carried_out_and_its_error_told(there: Browser, verbs: Verbs) -> None:
    """Else the page could neither show nor say what went wrong."""
    assert json.loads(there.call("status", {"who": {"agent": "main"}}).body) == {
        "result": {"verb": "status", "params": {"who": {"agent": "main"}}}
    }
    told = json.loads(there.call("get", {"id": "x"}).body)["error"]
    assert told == {
        "message": "there is no record with that id",
        "reason": "not_found",
        "hint": "look again",
        "where": "id",
    }
    broken = there.call("explain", {})
    assert b"RuntimeError" in broken.body
    assert b"somebody said" not in broken.body


@pytest.mark.parametrize(
    "verb",
    ["shutdown", "export", "import_records", "ingest", "open_page", "backup", "", "../status", "status/x"],
)
def test_what_the_page_needs_not_it_may_not(there: Browser, verbs: Verbs, verb: str) -> None:
    """Else whoever gets into the page gets all of Libra."""
    assert there.call(verb, {}).status == 404
    assert verbs.calls == []


def test_a_body_that_is_too_large_is_not_read(there: Browser, verbs: Verbs) -> None:
    """Else one request could fill the memory of the machine."""
    path = f"{there.place}api/status"
    for length in (str(MAX_BODY + 1), "9" * 400):
        assert there.send("POST", path, b"{}", Content_Length=length).status == 413
    for length in (None, "-1", "x", "٣"):
        assert (
            there.send("POST", path, b"", Content_Length=length and length.encode().decode("latin-1")).status
            == 411
        )
    assert (
        there.send(
            "POST", path, b"2\r\n{}\r\n0\r\n\r\n", Transfer_Encoding="chunked", Content_Length="2"
        ).status
        == 411
    )
    assert there.send("POST", path, b"{}", Content_Type="text/plain").status == 415
    assert there.send("POST", path, b"{" * 2_000).status == 400
    assert verbs.calls == []


def test_what_is_no_request_gets_no_answer_with_its_words(there: Browser) -> None:
    """Else the server would repeat what a program sends it by mistake."""
    with socket.create_connection(("127.0.0.1", there.port or 0), WAIT_S) as raw:
        raw.sendall(b"secret words HTTP/9.9\r\n\r\n")
        answer = b"".join(iter(lambda: raw.recv(65_536), b""))
    assert b"secret" not in answer


def test_the_port_is_closed_when_nobody_looks(page: Page, there: Browser, clock: Hand) -> None:
    """Else a page that was looked at once would leave a port open for ever."""
    clock.now_s += 599
    assert there.call("status", {}).status == 200
    clock.now_s += 599
    assert page.check_idle() == 1.0
    clock.now_s += 1
    assert page.check_idle() == 0.0
    assert page.closed.wait(WAIT_S)
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", there.port or 0), 5)


def test_a_look_that_nobody_asked_for_keeps_no_port_open(page: Page, there: Browser, clock: Hand) -> None:
    """Else a forgotten tab would keep the port open for ever."""
    clock.now_s += 599
    assert there.call("status", {}, X_Libra_Poll="1").status == 200
    assert page.check_idle() == 1.0


def test_an_idle_port_closes_by_itself(verbs: Verbs) -> None:
    """Else somebody would have to see to it."""
    page = Page(verbs, PageParams(idle_s=0.05))
    page.open()
    assert page.closed.wait(WAIT_S)
    assert page.port is None


def test_the_page_can_be_opened_again_and_old_cookies_are_worth_nothing(page: Page, there: Browser) -> None:
    """Else closing the page would not end what was open."""
    page.close()
    again = Browser(page)
    old = again.send("GET", there.place, Cookie=there.cookie)
    assert old.status == 401
    assert again.enter().status == 200


def test_a_visit_ends_after_its_time(there: Browser, clock: Hand) -> None:
    """Else a cookie in a stolen browser profile would open the page for as long as it is kept open."""
    clock.now_s += 3_601
    assert there.send("GET", there.place).status == 401


def test_only_so_many_links_and_visits_are_kept(clock: Hand) -> None:
    """Else opening the page again and again would fill the memory."""
    keys = Keys(PageParams(), clock)
    links = [keys.link() for _ in range(9)]
    assert keys.enter(links[0]) is None
    visits = [visit for link in links[1:] if (visit := keys.enter(link))]
    assert len(visits) == 8
    assert all(keys.knows(visit.place, visit.secret) for visit in visits)
    keys.enter(keys.link())
    assert not keys.knows(visits[0].place, visits[0].secret)


_TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: {far} {near} 01 00000000:00000000 00:00000000 00000000 {uid:>5}        0 {inode} 1 0 20 4 30 10 -1
   1: {near} 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0 20 4 30 10 -1
"""


@pytest.mark.parametrize(
    ("uid", "inode", "whose"),
    [("me", 77, Peer.OURS), (4_242_424, 77, Peer.FOREIGN), (0, 0, Peer.GONE), (0, 77, Peer.OURS)],
)
def test_another_users_program_is_refused(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, uid: Any, inode: int, whose: Peer
) -> None:
    """Else another user of the machine, who reads the link in the list of processes, would come first."""
    import os
    import sys

    if sys.platform != "linux":
        pytest.skip("Linux tells whose a connection is")
    order = sys.byteorder
    here = f"{int.from_bytes(socket.inet_aton('127.0.0.1'), order):08X}"
    table = data_dir / "tcp"
    owner = os.geteuid() if uid == "me" else uid
    table.write_text(
        _TABLE.format(far=f"{here}:D431", near=f"{here}:1F90", uid=owner, inode=inode), encoding="ascii"
    )
    assert peer_of(("127.0.0.1", 8_080), ("127.0.0.1", 54_321), table) is whose
    assert peer_of(("127.0.0.1", 8_080), ("127.0.0.1", 54_322), table) is Peer.GONE


def test_where_no_table_is_the_link_decides(data_dir: Path) -> None:
    """Else the page would open nowhere but on Linux."""
    assert peer_of(("127.0.0.1", 1), ("127.0.0.1", 2), data_dir / "none") is Peer.OURS
    empty = data_dir / "empty"
    empty.write_text(_TABLE.splitlines()[0] + "\n", encoding="ascii")
    assert peer_of(("127.0.0.1", 1), ("127.0.0.1", 2), empty) is Peer.OURS


def test_the_file_that_leads_to_the_page_is_this_users_alone(data_dir: Path) -> None:
    """Else another user of a Mac could read the link in it."""
    path = browser._leading_to('http://127.0.0.1:1/enter?t=a"b', data_dir / "run")
    assert path.stat().st_mode & 0o777 == 0o600
    assert 'a"b' not in path.read_text("utf-8")


def test_without_a_screen_no_browser_is_started(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a browser for terminals would take over the terminal, or the service's output."""
    import sys

    if sys.platform in {"win32", "darwin"}:
        pytest.skip("there is always a screen")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert browser.show("http://127.0.0.1:1/", data_dir) is False
