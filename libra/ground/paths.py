"""Where Libra keeps its own things, on each platform, and where its shipped files are."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs

from libra.ground import unpacking


@dataclass(frozen=True, slots=True)
class Places:
    """Folders and files of one running Libra.

    Attributes:
        data: The data folder; holds ``libra.db``, ``backups/``, ``logs/`` and ``run/``.
        config: The configuration file (may not exist).
        socket: The Unix socket; on Windows the endpoint file beside it is used.
    """

    data: Path
    config: Path
    socket: Path

    @property
    def database(self) -> Path:
        """The one database."""
        return self.data / "libra.db"

    @property
    def backups(self) -> Path:
        """Copies made before migrations."""
        return self.data / "backups"

    @property
    def logs(self) -> Path:
        """Log files."""
        return self.data / "logs"

    @property
    def run(self) -> Path:
        """Lock and endpoint files."""
        return self.data / "run"


def places(
    data_dir: str | None = None,
    socket: str | None = None,
    config: str | None = None,
    env: Mapping[str, str] = os.environ,
) -> Places:
    """Work out the places from flags, then environment, then the platform's defaults.

    Args:
        data_dir: ``--data-dir``, else ``LIBRA_DATA_DIR``, else the platform's data folder.
        socket: ``--socket``, else ``LIBRA_SOCKET``, else ``$XDG_RUNTIME_DIR/libra/libra.sock``, else
            ``<data dir>/run/libra.sock``.
        config: ``--config``, else ``LIBRA_CONFIG``, else ``config.toml`` in the platform's folder (in the
            data folder, if that was named).
        env: The environment.

    Source: protocol.md, Transport.
    """
    dirs = PlatformDirs("libra", appauthor=False)
    named = data_dir or env.get("LIBRA_DATA_DIR")
    data = Path(named).expanduser() if named else Path(dirs.user_data_dir)
    data = Path(os.path.abspath(data))
    sock = socket or env.get("LIBRA_SOCKET")
    runtime = env.get("XDG_RUNTIME_DIR")
    if sock:
        socket_path = Path(os.path.abspath(Path(sock).expanduser()))
    elif runtime and sys.platform != "win32" and Path(runtime).is_dir():
        socket_path = Path(runtime) / "libra" / "libra.sock"
    else:
        socket_path = data / "run" / "libra.sock"
    conf = config or env.get("LIBRA_CONFIG")
    if conf:
        config_path = Path(os.path.abspath(Path(conf).expanduser()))
    elif named:
        config_path = data / "config.toml"
    else:
        config_path = Path(dirs.user_config_dir) / "config.toml"
    return Places(data=data, config=config_path, socket=socket_path)


def flags_of(where: Places) -> tuple[str, ...]:
    """Return the flags that another process needs to find these places, whatever ``LIBRA_*`` is set there."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("LIBRA_")}
    usual = places(env=env)
    out: list[str] = []
    if where.data != usual.data:
        out += ["--data-dir", str(where.data)]
        usual = places(str(where.data), env=env)
    if where.socket != usual.socket:
        out += ["--socket", str(where.socket)]
    if where.config != usual.config:
        out += ["--config", str(where.config)]
    return tuple(out)


def shipped(name: str) -> Path:
    """Return the folder ``name`` (``models``, ``assets``) that came with this Libra.

    Looked for in the one-file build's unpack folder, then inside the installed package, then beside it
    in a source checkout. The first place is returned when none exists, so that errors name it.
    """
    unpacking.bring(name.partition("/")[0])
    package = Path(__file__).resolve().parent.parent
    unpacked = getattr(sys, "_MEIPASS", None)
    candidates = [Path(unpacked) / name] if unpacked else []
    candidates += [package / "_shipped" / name, package.parent / name]
    return next((c for c in candidates if c.is_dir()), candidates[0])
