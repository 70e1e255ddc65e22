"""LibraVDB's gRPC generation, served beside Libra's own socket: the optional extra ``grpc`` (hosts.md §4.5–4.6).

A Unix socket of this user only. Every answer brings a nonce, every call but ``Health`` must sign one with the secret of the data
folder, and none counts twice. gRPC and protobuf are imported when it starts, which only the setting ``compat.grpc`` does.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from libra.engine.libravdb_kernel import HERMES, KernelVerbs, LibraVdbKernel
from libra.engine.libravdb_wire import HOST as OPENCLAW
from libra.ground.errors import (
    Conflict,
    DeadlinePassed,
    Forbidden,
    InvalidParams,
    LibraError,
    NotFound,
    NotReady,
    OverLimit,
    StoreError,
)
from libra.rpc.answer import internal
from libra.rpc.libravdb_messages import call_name, fields_of, params_of
from libra.rpc.libravdb_schema import SERVICE, classes
from libra.rpc.nonces import Nonces, secret_of
from libra.rpc.server import ServerParams
from libra.rpc.unix_socket import UnixEndpoint

log = logging.getLogger(__name__)

_OPEN = "Health"
"""The one method that needs no signature: it gives a client its first nonce."""
_NONCE = "x-libravdb-nonce"
_SIGNATURE = "x-libravdb-auth"
_MOST_BYTES = 4 * 1024 * 1024
"""Of one message, either way: what gRPC's clients take if nothing else was agreed."""
_MOST_METADATA_BYTES = 8 * 1024
_THREADS = 8
_NODE = "grpc-node"
"""In the user agent of OpenClaw's plugin, which runs in Node; Hermes's is Python."""
_STATUS: tuple[tuple[type[LibraError], str], ...] = (
    (NotReady, "UNAVAILABLE"),
    (StoreError, "UNAVAILABLE"),
    (NotFound, "NOT_FOUND"),
    (OverLimit, "RESOURCE_EXHAUSTED"),
    (Forbidden, "PERMISSION_DENIED"),
    (Conflict, "FAILED_PRECONDITION"),
    (DeadlinePassed, "DEADLINE_EXCEEDED"),
    (InvalidParams, "INVALID_ARGUMENT"),
)
"""Names of gRPC's status codes for our errors; the others are INTERNAL."""


class GrpcServer:
    """Serves from :meth:`start` to :meth:`stop`.

    Args:
        engine: The verbs.
        user: The person.
        home: The person's home folder: the clients look below it.
        secret: The file with the secret; made if it is missing.
        params: Limits.
    """

    def __init__(
        self, engine: KernelVerbs, user: str, home: Path, secret: Path, params: ServerParams | None = None
    ) -> None:
        self.place = home / ".libravdbd" / "run" / "libravdb.sock"
        self._kernels = {host: LibraVdbKernel(engine, user, host) for host in (HERMES, OPENCLAW)}
        self._secret = secret
        self._params = params or ServerParams()
        self._server: Any = None
        self._pool: ThreadPoolExecutor | None = None

    def start(self) -> None:
        """Listen; clients are served when this returns.

        Raises:
            AlreadyRunning: LibraVDB itself, or another Libra, is there.
            Conflict: On Windows; or the secret is not secret.
            LibraError: The extra is not installed, or the place or the secret cannot be used.
        """
        if sys.platform == "win32":
            raise Conflict("not on Windows, where the clients' port is open to every user")
        try:
            import grpc

            messages = classes()
        except ImportError as error:
            raise LibraError(
                "the extra grpc is not installed", reason="extra", hint="pip install 'libra-memory[grpc]'"
            ) from error
        nonces = Nonces(secret_of(self._secret))
        handlers = {
            name: self._handler(grpc, name, asked, answered, nonces)
            for name, (asked, answered) in messages.items()
        }
        pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="libra-grpc")
        server = grpc.server(
            pool,
            handlers=[grpc.method_handlers_generic_handler(SERVICE, handlers)],
            maximum_concurrent_rpcs=self._params.max_connections,
            options=[
                ("grpc.max_receive_message_length", _MOST_BYTES),
                ("grpc.max_send_message_length", _MOST_BYTES),
                ("grpc.max_metadata_size", _MOST_METADATA_BYTES),
                ("grpc.so_reuseport", 0),
            ],
        )
        try:
            with UnixEndpoint(self.place).taken():
                server.add_insecure_port(f"unix:{self.place}")
        except RuntimeError as error:
            pool.shutdown()
            raise StoreError(f"cannot listen at {self.place}", where=str(self.place)) from error
        except LibraError:
            pool.shutdown()
            raise
        server.start()
        self._server, self._pool = server, pool

    def stop(self) -> None:
        """Take no more calls, let the running ones finish, close; the socket's file goes, too."""
        if self._server is None:
            return
        self._server.stop(self._params.grace_s).wait()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._server = None

    def _handler(self, grpc: Any, name: str, asked: Any, answered: Any, nonces: Nonces) -> Any:
        """Return gRPC's handler of one method, with the classes of its request and answer."""

        def serve(request: Any, context: Any) -> Any:
            told = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
            if name != _OPEN and not nonces.accepts(told.get(_NONCE, ""), told.get(_SIGNATURE, "")):
                context.abort(
                    grpc.StatusCode.UNAUTHENTICATED, "sign the nonce of the last answer with the secret"
                )
            left_s = context.time_remaining()
            if left_s is not None and left_s <= 0:
                context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "the deadline passed before the call's turn")
            context.send_initial_metadata(((_NONCE, nonces.fresh()),))
            kernel = self._kernels[OPENCLAW if _NODE in told.get("user-agent", "") else HERMES]
            params = params_of(request)
            if left_s is not None:
                params["deadlineMs"] = int(left_s * 1000)
            return _carried_out(lambda: _answer(kernel, name, params, answered), name, grpc, context)

        return grpc.unary_unary_rpc_method_handler(
            serve, request_deserializer=asked.FromString, response_serializer=answered.SerializeToString
        )


def _answer(kernel: LibraVdbKernel, name: str, params: Mapping[str, Any], answered: Any) -> Any:
    """Return a method's answer as its message.

    Raises:
        OverLimit: It is larger than clients take.
        LibraError: As the method.
    """
    done = kernel(call_name(name), dict(params))
    message = answered(**fields_of(answered.DESCRIPTOR, done))
    if message.ByteSize() > _MOST_BYTES:
        raise OverLimit(f"the answer would be over {_MOST_BYTES:,} bytes", hint="ask for less at once")
    return message


def _carried_out(call: Callable[[], Any], name: str, grpc: Any, context: Any) -> Any:
    """Return what the call returns; its error becomes gRPC's."""
    try:
        return call()
    except LibraError as error:
        wrong = error
    except Exception as error:  # noqa: BLE001 - one call's defect must not end the service
        wrong = internal(name, error)
    code = next((code for kind, code in _STATUS if isinstance(wrong, kind)), "INTERNAL")
    return context.abort(getattr(grpc.StatusCode, code), wrong.message)
