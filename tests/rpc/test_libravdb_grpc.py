"""The gRPC service over a real socket: messages, signatures, errors, limits, the end."""

from __future__ import annotations

import hashlib
import hmac
import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from libra.engine.core import Engine
from libra.ground.errors import AlreadyRunning, LibraError
from libra.rpc.libravdb_grpc import GrpcServer
from libra.rpc.unix_socket import UnixEndpoint
from tests.engine.conftest import deps, engine, settle

__all__ = ["deps", "engine"]

FACT = "We decided that the relay listens on port 7443."


@pytest.fixture
def grpc() -> Any:
    """Return gRPC, or skip."""
    pytest.importorskip("libravdb.ipc.v1.rpc_pb2", reason="needs the extra: pip install 'libra-memory[grpc]'")
    return pytest.importorskip("grpc", reason="needs the extra: pip install 'libra-memory[grpc]'")


@pytest.fixture
def server(grpc: Any, engine: Engine, data_dir: Path) -> Iterator[GrpcServer]:
    """Yield a running service."""
    made = GrpcServer(engine, "me", data_dir, data_dir / "libravdb.secret")
    made.start()
    yield made
    made.stop()


class Caller:
    """Calls as LibraVDB's clients do; ``nonce`` is that of the last answer."""

    def __init__(self, grpc: Any, server: GrpcServer, secret: bytes, agent: str = "") -> None:
        from libravdb.ipc.v1 import rpc_pb2, rpc_pb2_grpc

        options = [("grpc.primary_user_agent", agent)] if agent else []
        self.messages = rpc_pb2
        self.channel = grpc.insecure_channel(f"unix:{server.place}", options=options)
        self.stub = rpc_pb2_grpc.LibravDBStub(self.channel)
        self.secret = secret
        self.nonce = ""

    def signed(self) -> list[tuple[str, str]]:
        """Return the headers of a call."""
        value = hmac.new(self.secret, self.nonce.encode(), hashlib.sha256).hexdigest()
        return [("x-libravdb-auth", value), ("x-libravdb-nonce", self.nonce)] if self.nonce else []

    def __call__(self, method: str, request: Any, metadata: Any = None, timeout: float = 30.0) -> Any:
        """Call a method; raises ``grpc.RpcError``."""
        sent = self.signed() if metadata is None else metadata
        answer, call = getattr(self.stub, method).with_call(request, metadata=sent, timeout=timeout)
        self.nonce = dict(call.initial_metadata())["x-libravdb-nonce"]
        return answer


@pytest.fixture
def client(grpc: Any, server: GrpcServer, data_dir: Path) -> Iterator[Caller]:
    """Yield a client that has asked for Health."""
    made = Caller(grpc, server, (data_dir / "libravdb.secret").read_bytes().strip())
    assert made("Health", made.messages.HealthRequest()).ok
    yield made
    made.channel.close()


def refused(grpc: Any, client: Caller, method: str, request: Any, **more: Any) -> Any:
    """Return the status of a call that is refused."""
    with pytest.raises(grpc.RpcError) as found:
        client(method, request, **more)
    return found.value.code()


def test_a_turn_is_kept_and_found(client: Caller, engine: Engine) -> None:
    """Fields would arrive under other names, or an answer's scores and metadata not at all."""
    pb = client.messages
    said = pb.KernelMessage(role="user", content=FACT)
    request = pb.IngestMessageKernelRequest(session_id="S", session_key="S", user_id="u", message=said)
    assert client("IngestMessageKernel", request).ingested == 1
    settle(engine)
    away = {"global": pb.StringList(values=["x"])}
    found = client(
        "SearchTextCollections",
        pb.SearchTextCollectionsRequest(
            collections=["session:S", "user:u", "global"], text="relay port", k=8, exclude_by_collection=away
        ),
    ).results
    assert found[0].text == FACT
    assert found[0].score >= client("Status", pb.MemoryStatusRequest()).gating_threshold > 0
    assert json.loads(found[0].metadata_json)["collection"] == "session:S"
    gate = client("GatingScalar", pb.GatingScalarRequest(user_id="u", text=FACT))
    assert 0 <= gate.g <= 1
    context = client("AssembleContextInternal", pb.AssembleContextInternalRequest(
        session_id="T", messages=[said], token_budget=8192, prompt="On which port does the relay listen?"))  # fmt: skip
    assert FACT in context.system_prompt_addition
    assert list(context.messages) == [said]


@pytest.mark.parametrize(
    "method",
    ["BootstrapSessionKernel", "BeforeTurnKernel", "AfterTurnKernel", "SessionLifecycleHint", "EnsureCollections",
     "BumpAccessCounts", "Flush", "ListLifecycleJournal", "ExportMemory", "DeleteBatch", "PromoteDreamEntries"],
)  # fmt: skip
def test_each_method_takes_its_message(client: Caller, method: str) -> None:
    """An answer that does not fit its message would be an error for every client."""
    kind = client.messages.DESCRIPTOR.services_by_name["LibravDB"].methods_by_name[method].input_type
    fields = {"session_id": "S"} if "session_id" in kind.fields_by_name else {}
    answer = client(method, getattr(client.messages, kind.name)(**fields))
    assert not hasattr(answer, "ok") or answer.ok


def test_only_who_knows_the_secret_is_served(grpc: Any, client: Caller) -> None:
    """Any program that reaches the socket could read and write the memory."""
    pb, wrong = client.messages, grpc.StatusCode.UNAUTHENTICATED
    request = pb.MemoryStatusRequest()
    assert refused(grpc, client, "Status", request, metadata=[]) is wrong
    headers = client.signed()
    client("Status", request, metadata=headers)
    assert refused(grpc, client, "Status", request, metadata=headers) is wrong, "a nonce counted twice"
    client.secret = b"another secret of some length"
    assert refused(grpc, client, "Status", request) is wrong


def test_errors_have_gprcs_names(grpc: Any, client: Caller) -> None:
    """A client could not tell a wrong request from a broken memory, nor go on after it."""
    pb, codes = client.messages, grpc.StatusCode
    assert refused(grpc, client, "SearchText", pb.SearchTextRequest(text="x")) is codes.INVALID_ARGUMENT
    client("Health", pb.HealthRequest())
    flush = pb.FlushNamespaceRequest(user_id="u")
    assert refused(grpc, client, "FlushNamespace", flush) is codes.FAILED_PRECONDITION
    client("Health", pb.HealthRequest())
    assert refused(grpc, client, "RebuildIndex", pb.RebuildIndexRequest()) is codes.UNIMPLEMENTED
    assert client("Health", pb.HealthRequest()).ok


def test_a_message_that_is_too_long_is_refused(grpc: Any, client: Caller) -> None:
    """One client could take all of the memory of the machine."""
    pb = client.messages
    long = pb.InsertTextRequest(collection="user:u", text="a" * (4 * 1024 * 1024 + 1))
    assert refused(grpc, client, "InsertText", long) is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert client("Health", pb.HealthRequest()).ok


def test_openclaws_plugin_is_told_from_hermes(grpc: Any, server: GrpcServer, data_dir: Path) -> None:
    """Its sessions would not be those that Libra reads from its transcripts."""
    secret = (data_dir / "libravdb.secret").read_bytes().strip()
    node = Caller(grpc, server, secret, "grpc-node-js/1.14.0")
    pb = node.messages
    node("Health", pb.HealthRequest())
    said = pb.KernelMessage(role="user", content=FACT)
    node("IngestMessageKernel", pb.IngestMessageKernelRequest(session_id="S", message=said))
    listed = pb.ListByMetaRequest(collection="session:S", key="sessionId", value="S")
    assert len(node("ListByMeta", listed).results) == 1
    node.channel.close()
    python = Caller(grpc, server, secret)
    python("Health", pb.HealthRequest())
    assert len(python("ListByMeta", listed).results) == 0
    python.channel.close()


def test_many_at_once(grpc: Any, server: GrpcServer, data_dir: Path) -> None:
    """Two clients would use up each other's nonces."""
    secret = (data_dir / "libravdb.secret").read_bytes().strip()
    done: list[int] = []

    def talk(number: int) -> None:
        caller = Caller(grpc, server, secret)
        pb = caller.messages
        caller("Health", pb.HealthRequest())
        for n in range(5):
            said = pb.KernelMessage(role="user", content=f"The relay number {number} has {n} ports.")
            request = pb.IngestMessageKernelRequest(session_id=f"S{number}", message=said)
            done.append(caller("IngestMessageKernel", request).ingested)
        caller.channel.close()

    threads = [threading.Thread(target=talk, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert done == [1] * 30


def test_its_place_is_this_users_and_goes_with_it(grpc: Any, engine: Engine, data_dir: Path) -> None:
    """Another user could connect; a socket that was left behind would keep clients waiting."""
    server = GrpcServer(engine, "me", data_dir, data_dir / "libravdb.secret")
    server.start()
    assert stat.S_IMODE(server.place.stat().st_mode) == 0o600
    assert stat.S_IMODE(server.place.parent.stat().st_mode) == 0o700
    server.stop()
    server.stop()
    assert not server.place.exists()


def test_the_other_memory_is_running_itself(grpc: Any, engine: Engine, data_dir: Path) -> None:
    """Its socket would be taken from it."""
    server = GrpcServer(engine, "me", data_dir, data_dir / "libravdb.secret")
    other = UnixEndpoint(server.place).listen()
    with pytest.raises(AlreadyRunning):
        server.start()
    assert server.place.exists()
    other.close()


def test_without_the_extra_it_says_what_to_install(
    engine: Engine, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person would look for the fault elsewhere."""
    monkeypatch.setitem(__import__("sys").modules, "grpc", None)
    server = GrpcServer(engine, "me", data_dir, data_dir / "libravdb.secret")
    with pytest.raises(LibraError) as found:
        server.start()
    assert "libra-memory[grpc]" in str(found.value.hint)
    server.stop()
