"""The composition root: builds the parts, starts them in order, stops them in reverse (architecture.md)."""

from __future__ import annotations

import functools
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from libra.config import Config
from libra.config.settings import Settings
from libra.desktop.menu import OFF_RECORD_MINUTES
from libra.engine.core import Engine
from libra.engine.deps import CHOSEN_MODEL, Deps, ModelSlot
from libra.engine.rerank import Reranker
from libra.engine.summariser import Summariser
from libra.ground import collector, logs, program
from libra.ground.errors import LibraError
from libra.ground.paths import Places, flags_of
from libra.ground.records import Who
from libra.inference.protocol import EmbedderLike
from libra.rpc.door import Door, make_private
from libra.rpc.libravdb_grpc import GrpcServer
from libra.rpc.methods import Methods
from libra.sources.canary import read_back
from libra.sources.progress import Progress
from libra.sources.projects import Projects
from libra.sources.service import SourceService
from libra.store import meta
from libra.store.store import Store

if TYPE_CHECKING:
    from libra.desktop.desk import Desktop
    from libra.desktop.page_server import Page
    from libra.desktop.tray import Actions

_LOG = logging.getLogger(__name__)
_MODEL_ENDS_S = 10.0
_NEW_FOLDER_WAIT_S = 0.25
"""The first assemble from a folder waits so long for its instruction files, so that its rules are in it."""


_SIGNALS_SEEN_S = 1.0
"""A wait without a time-out would keep a signal from being seen: on Windows always; elsewhere where the system hands it to
another thread, or in the moment in which the wait begins (a Libra that had just taken over then never ended)."""


def now_ms() -> int:
    """Return the time in epoch ms: the clock of the running app."""
    return time.time_ns() // 1_000_000


class App:
    """One running Libra on one data folder.

    Args:
        places: Where its things are.
        config: Settings.
        on_progress: Told how far the back-fill of history is.
        door: Its lock and sockets, if they are open already.
    """

    def __init__(
        self,
        places: Places,
        config: Config,
        on_progress: Callable[[Progress], None] | None = None,
        door: Door | None = None,
    ) -> None:
        self._door = door or Door(places, Path.home())
        self.places = places
        self.user = config.user
        self._config = config
        self._on_progress = on_progress
        self._parts = ExitStack()
        self._stop = threading.Event()
        self._stopping: list[Callable[[], None]] = []
        self.engine: Engine | None = None

    def start(self) -> None:
        """Start everything; health answers as soon as the socket is there, the model comes later.

        Raises:
            AlreadyRunning: Another Libra owns the data folder or the socket.
            StoreError: The database cannot be opened.
        """
        try:
            self._start()
        except BaseException:
            self._parts.close()
            raise

    def _start(self) -> None:
        places, config = self.places, self._config
        self._door.open()
        self._parts.callback(self._door.close)
        self._door.answer()
        methods = Methods(config.user)
        self._door.lead_to(methods, config.server)
        store = Store.open(places.database, config.store, now_ms)
        self._parts.callback(store.close)
        model = ModelSlot()
        self._parts.callback(model.close)
        projects = Projects()
        deps = Deps(
            store=store,
            model=model,
            params=config.engine,
            clock=now_ms,
            zone=config.zone,
            summariser=Summariser(config.engine.summarizer),
            reranker=Reranker(config.engine.rerank),
            project_of=projects.key,
            troubles=list(self._door.troubles),
        )
        engine = Engine(deps, config.background, on_shutdown=self.stop_soon)
        self.engine = engine
        sources = SourceService(engine, config.sources, now_ms, self._on_progress, projects=projects)
        deps.saw_folder = lambda cwd: sources.add_folder(cwd, _NEW_FOLDER_WAIT_S)
        engine.read_with(sources.status, sources.wait_idle, sources.follow)
        engine.canary.read_with(lambda text: read_back(places.data / "canary", text, now_ms))
        engine.paused.also(sources.pause, sources.resume)
        loading = threading.Thread(target=self._load_model, args=(engine,), name="libra-model", daemon=True)
        loading.start()
        # A thread that is still inside a foreign runtime when Python ends would abort the process.
        self._parts.callback(loading.join, _MODEL_ENDS_S)
        engine.start()
        self._parts.callback(engine.stop)
        self._prepare_page(engine, methods)
        settings = Settings(places.config, config)
        engine.settle_with(settings.listed, settings.change)
        deps.params_with = settings.with_changes
        methods.attach(engine)
        self._parts.callback(methods.detach)
        if not store.read_only:
            sources.start()
            self._parts.callback(sources.stop)
        if config.compat.grpc:
            self._serve_grpc(engine)
        self._renew_client()

    def _prepare_page(self, engine: Engine, methods: Methods) -> None:
        """Let ``open_page`` make the page's server: until then nothing of it is loaded, and no port is open."""

        @functools.cache
        def page() -> Page:
            from libra.desktop.page_server import Page

            made = Page(methods, self._config.page)
            self._parts.callback(made.close)
            return made

        engine.show_page_with(lambda: page().open())

    def _serve_grpc(self, engine: Engine) -> None:
        """Serve LibraVDB's gRPC generation; where that cannot be, the rest of Libra goes on."""
        secret = self.places.data / "libravdb.secret"
        server = GrpcServer(engine, self._config.user, Path.home(), secret, self._config.server)
        try:
            server.start()
        except LibraError as error:
            more = error.hint or error.where
            trouble = f"compat.grpc: LibraVDB's gRPC clients are not served: {error.message}"
            engine.deps.troubles.append(f"{trouble} ({more})" if more else trouble)
            _LOG.warning("%s", engine.deps.troubles[-1])
        else:
            self._parts.callback(server.stop)

    def _renew_client(self) -> None:
        """Let hosts start the client of this version, if one was laid out by an earlier one."""
        from libra.hosts import client

        if not (self.places.data / client.FOLDER).exists():
            return
        try:
            client.ready(self.places.data)
        except LibraError as error:
            _LOG.warning("hosts go on with the client of an earlier version: %s", error.message)

    def _load_model(self, engine: Engine) -> None:
        """Load the embedding model beside everything else; without it text search goes on."""
        from libra.inference.embedder import Embedder
        from libra.inference.profiles import find

        model = self._config.model

        def opened(name: str) -> EmbedderLike:
            return Embedder.open(
                find(name), dims=model.dims, providers=model.providers, threads=model.threads
            )

        engine.deps.open_model = opened
        try:
            engine.use_model(opened(self._model_name(engine)))
            # A million vectors take seconds to read: before the first question, where nobody waits for them.
            engine.deps.store.vectors.begin()
            collector.settle()
        except LibraError as error:
            engine.deps.model.missing(error.message)
            _LOG.warning("no embedding model: %s (%s)", error.message, error.where or error.reason)
        except Exception:  # noqa: BLE001 - see below
            # Whatever a foreign runtime raises: the memory goes on by words, and says so.
            engine.deps.model.missing("the embedding model could not be loaded; see the log")
            _LOG.exception("the embedding model could not be loaded")

    def _model_name(self, engine: Engine) -> str:
        """Return the model to load: the one of the settings; where they leave the default, the one chosen by ``reembed``."""
        model = self._config.model
        if model.folder is None and model.profile == type(model)().profile:
            with engine.deps.store.snapshot() as snapshot:
                return str(meta.get(snapshot, CHOSEN_MODEL) or model.profile)
        return model.folder or model.profile

    def stop_soon(self) -> None:
        """Ask for the end; :meth:`wait` returns."""
        self._stop.set()
        for hook in self._stopping:
            hook()

    def when_stopping(self, hook: Callable[[], None]) -> None:
        """Call ``hook`` as soon as somebody asks for the end, also if that was before."""
        self._stopping.append(hook)
        if self._stop.is_set():
            hook()

    @property
    def stopping(self) -> bool:
        """Whether somebody asked for the end."""
        return self._stop.is_set()

    def open_page(self) -> None:
        """Show the page in the person's browser."""
        from libra.desktop.browser import show

        if self.engine is None:
            return
        url: str = self.engine.open_page()["url"]
        if not show(url, self.places.run):
            _LOG.warning("no browser could be started; `libra open` prints the page's address")

    def open_folder(self) -> None:
        """Show the data folder in the system's file manager."""
        self.show(self.places.data)

    def show(self, path: Path) -> None:
        """Show a folder or a text of ours with the system's own program for it."""
        opener = {"win32": "explorer", "darwin": "open"}.get(sys.platform, "xdg-open")
        try:
            words = [opener, str(path)]
            subprocess.Popen(words, env=program.environment_outside(os.environ))  # noqa: S603 - our own path
        except OSError as error:
            _LOG.warning("%s cannot be shown: %s", path, error.strerror)

    def wait(self) -> None:
        """Wait until somebody asks for the end."""
        while not self._stop.wait(_SIGNALS_SEEN_S):
            pass

    def stop(self) -> None:
        """Stop everything in reverse order of its start."""
        self._stop.set()
        self._parts.close()


@dataclass(frozen=True, slots=True)
class Shown:
    """What a person sees of it.

    Attributes:
        tray: Show an icon if there is a display.
        progress: Draw a progress bar for the back-fill on stderr.
        greeting: A file to show with the icon: what the first start says.
    """

    tray: bool = False
    progress: bool = False
    greeting: Path | None = None


def serve(
    places: Places,
    config: Config,
    shown: Shown | None = None,
    *,
    verbose: bool = False,
    door: Door | None = None,
) -> int:
    """Run until told to stop; return the exit code.

    Args:
        places: Where its things are.
        config: Settings.
        shown: What a person sees of it; nothing if absent.
        verbose: Log more.
        door: Its lock and sockets, if they are open already.
    """
    from libra.desktop.progress import Bar

    shown = shown or Shown()
    make_private(places.data)
    logs.setup(places.logs, verbose=verbose, stderr=not shown.progress)
    bar = Bar(sys.stderr) if shown.progress else None
    app = App(places, config, bar.show if bar is not None else None, door)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        app.stop_soon()

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_signal)
    app.start()
    try:
        _LOG.info("libra is running on %s", places.data)
        if shown.tray:
            _show_tray(app, shown.greeting)
        app.wait()
    finally:
        app.stop()
        _LOG.info("libra has stopped")
    return 0


def _show_tray(app: App, greeting: Path | None) -> None:
    """Show the tray on the main thread until the end, or as long as there is a display."""
    from libra.desktop import tray as trays
    from libra.desktop.autostart import autostart
    from libra.desktop.desk import Desktop

    there, why = trays.available()
    if not there or app.engine is None:
        _LOG.info("no tray: %s", why)
        return
    missing = trays.advice(os.environ, host=trays.host_there())
    if missing is not None:
        _LOG.warning("nothing shows the icon here: %s", missing)
    desktop = Desktop(autostart(Path.home(), os.environ), _own(app, "run"), lambda: _agents(app), page=True)
    icon = trays.Tray(app.engine.status, _actions(app, app.engine, desktop), desktop.desk)
    app.when_stopping(icon.stop)
    if greeting is not None:
        app.show(greeting)
    try:
        icon.run()
    except Exception as error:  # noqa: BLE001 - whatever a desktop raises, memory goes on without an icon
        _LOG.warning("the icon failed: %s", type(error).__name__)
    if not app.stopping:
        _LOG.warning("the icon is gone: the display has ended; everything else goes on")


def _actions(app: App, engine: Engine, desktop: Desktop) -> Actions:
    """Return what the tray's lines do."""
    from libra.desktop.tray import Actions

    return Actions(
        pause=lambda seconds, project: engine.pause(seconds=seconds, project=project),
        resume=lambda project: engine.resume(project=project),
        off_record=lambda session: engine.off_record(
            who=Who(user=app.user), minutes=None if session else OFF_RECORD_MINUTES, session=session
        ),
        compact=engine.compact_all,
        open_page=app.open_page,
        open_folder=app.open_folder,
        at_login=lambda wanted: desktop.start_at_login(wanted=wanted),
        connect=lambda: subprocess.Popen(  # noqa: S603 - this very program
            _own(app, "connect"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=program.environment(),
        ),
        quit=app.stop_soon,
    )


def _own(app: App, command: str) -> list[str]:
    """Return the words of a command of this very Libra, at the same places."""
    return [*program.words(), command, *flags_of(app.places)]


def _agents(app: App) -> tuple[tuple[str, bool], ...]:
    """Return the agents that are here, and whether each is connected."""
    from libra.hosts import here

    found = here.connected(here.surroundings(), here.program_of(app.places))
    return tuple((host.title, whole) for host, whole in found)
