"""What every verb works with: the store, the model if there is one, the settings, the time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from libra.assembly.diversity import DiversityParams
from libra.assembly.fusion import FusionParams
from libra.assembly.packer import PackParams
from libra.assembly.ranker import RankParams
from libra.compaction.params import CompactionParams
from libra.engine.admission import Admission, AdmissionParams
from libra.engine.cleaning import Cleaner
from libra.engine.exact import Exact
from libra.engine.kept import Kept
from libra.engine.rerank import Reranker, RerankParams
from libra.engine.shown import Shown
from libra.engine.summariser import Summariser, SummarizerParams
from libra.exchange.dreams import DreamParams
from libra.gate.admission import GateParams
from libra.gate.calibration import CalibrationParams
from libra.ground.errors import NotReady
from libra.ground.records import Clock
from libra.inference.protocol import EmbedderLike
from libra.lifecycle.confidence import ConfidenceParams
from libra.lifecycle.consolidate import ConsolidateParams
from libra.lifecycle.decay import DecayParams
from libra.lifecycle.episodes import EpisodeParams
from libra.lifecycle.intents import IntentParams
from libra.lifecycle.prune import PruneParams
from libra.lifecycle.usage import UsageParams
from libra.lifecycle.weibull import WeibullParams
from libra.store.journal import JournalParams
from libra.store.rule_history import RuleHistoryParams
from libra.store.store import Store


@dataclass(frozen=True, slots=True)
class RecallParams:
    """How many candidates each search brings. Source: memory model §5 (k1 ≥ 64 a pool)."""

    pool: int = 96
    search_pool: int = 1000
    """Pool of ``search``: at least its largest k, so that a larger k only extends the ranking."""
    neighbours_of: int = 48
    """Best candidates whose session neighbours join the pool."""
    reach: int = 2
    repeat_after: int = 8
    """What was recalled for one of so many questions before is not recalled again, unless it is asked for."""


@dataclass(frozen=True, slots=True)
class GuidanceParams:
    """What guidance goes first where not all fits: the sum of the nearness to the question and these shares.

    Attributes:
        priority: Weight of the priority, 0 to 100 taken as 0 to 1.
        confidence: Weight of the confidence.
    """

    priority: float = 0.5
    confidence: float = 0.2


@dataclass(frozen=True, slots=True)
class DocumentParams:
    """Load bounds of authored documents.

    ``reference_budget_tokens`` is the budget that a document's hard rules are measured against when it is
    loaded: above the hard share of it, the document is loaded degraded (memory model §3, §6). ``history``: how much of what
    became of their lines is kept.
    """

    reference_budget_tokens: int = 8000
    history: RuleHistoryParams = field(default_factory=RuleHistoryParams)


@dataclass(frozen=True, slots=True)
class LifecycleParams:
    """What becomes of memories.

    Attributes:
        impossible_days: A statement that something is not possible or does not exist moves to the archive after this
            time, whatever its type. Source: lessons.md C42.
    """

    confidence: ConfidenceParams = field(default_factory=ConfidenceParams)
    decay: DecayParams = field(default_factory=DecayParams)
    consolidate: ConsolidateParams = field(default_factory=ConsolidateParams)
    episodes: EpisodeParams = field(default_factory=EpisodeParams)
    usage: UsageParams = field(default_factory=UsageParams)
    journal: JournalParams = field(default_factory=JournalParams)
    prune: PruneParams = field(default_factory=PruneParams)
    weibull: WeibullParams = field(default_factory=WeibullParams)
    impossible_days: int = 30


@dataclass(frozen=True, slots=True)
class RuleParams:
    """Reply rules.

    Attributes:
        most: So many one person may have; with 0 there are none. Source: reference-systems.md LV-27.
    """

    most: int = 20


@dataclass(frozen=True, slots=True)
class CardParams:
    """Cards of people.

    Attributes:
        most: So many one person may have.
        shown: So many stand in one prompt at most: the main card and those of who speaks.
    """

    most: int = 500
    shown: int = 3


@dataclass(frozen=True, slots=True)
class SessionMemoryParams:
    """Memories of whole sessions.

    Attributes:
        automatic: Keep one of each session that has rested; else only when somebody asks. Summaries say more, so it is off.
        quiet_ms: A session rests when nothing was said for so long.
        least_turns: Shorter sessions are not worth it.
    """

    automatic: bool = False
    quiet_ms: int = 1_800_000
    least_turns: int = 4


@dataclass(frozen=True, slots=True)
class MirrorParams:
    """Where memories are mirrored.

    Attributes:
        folder: Memories stand there as Markdown that may be changed by hand; none if it is not set.
    """

    folder: str | None = None


@dataclass(frozen=True, slots=True)
class AlwaysParams:
    """What matters most stands in every prompt, whatever the question; cut by the budget like all that is recalled.

    Attributes:
        enabled: Do it. A question brings what it needs by itself, so it is off.
        priority: What has at least this priority.
        most: So many at most, what matters most and is newest first.
        days: Told within so many days; 0 for any time.

    Source: reference-systems.md NO-13.
    """

    enabled: bool = False
    priority: int = 75
    most: int = 20
    days: int = 30


@dataclass(frozen=True, slots=True)
class AuditParams:
    """How much is kept of what was not learnt, and of what hosts say.

    Attributes:
        kept: Turns that became no memory, with the gate's signals; 0 for none.
        hints: What hosts said of their sessions' lives. Source: reference-systems.md LV-23.
    """

    kept: int = 5_000
    hints: int = 500


@dataclass(frozen=True, slots=True)
class NoiseParams:
    """What is not learnt because it is near what was called noise.

    Attributes:
        cosine: So near.
        learn: Take what stood in many prompts and never helped for noise, too.
        most: So many examples are held against. Source: reference-systems.md LP-20.
    """

    cosine: float = 0.82
    learn: bool = False
    most: int = 200


@dataclass(frozen=True, slots=True)
class CanaryParams:
    """How often the canary flies.

    Attributes:
        every_h: Hours between two flights; 0 for never.
    """

    every_h: float = 6.0


@dataclass(frozen=True, slots=True)
class EngineParams:
    """Settings of the verbs, handed down by the configuration."""

    pack: PackParams = field(default_factory=PackParams)
    rank: RankParams = field(default_factory=RankParams)
    fusion: FusionParams = field(default_factory=FusionParams)
    diversity: DiversityParams = field(default_factory=DiversityParams)
    recall: RecallParams = field(default_factory=RecallParams)
    gate: GateParams = field(default_factory=GateParams)
    calibration: CalibrationParams = field(default_factory=CalibrationParams)
    lifecycle: LifecycleParams = field(default_factory=LifecycleParams)
    documents: DocumentParams = field(default_factory=DocumentParams)
    compaction: CompactionParams = field(default_factory=CompactionParams)
    summarizer: SummarizerParams = field(default_factory=SummarizerParams)
    rerank: RerankParams = field(default_factory=RerankParams)
    access: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Scopes that an agent may see beyond its own, by agent."""
    guidance: GuidanceParams = field(default_factory=GuidanceParams)
    mirror: MirrorParams = field(default_factory=MirrorParams)
    rules: RuleParams = field(default_factory=RuleParams)
    cards: CardParams = field(default_factory=CardParams)
    intents: IntentParams = field(default_factory=IntentParams)
    dreams: DreamParams = field(default_factory=DreamParams)
    always: AlwaysParams = field(default_factory=AlwaysParams)
    audit: AuditParams = field(default_factory=AuditParams)
    noise: NoiseParams = field(default_factory=NoiseParams)
    canary: CanaryParams = field(default_factory=CanaryParams)
    tenants: Mapping[str, str] = field(default_factory=dict)
    """By agent, the user whose memory it writes and reads, where the caller names none."""
    session_memory: SessionMemoryParams = field(default_factory=SessionMemoryParams)
    admission: AdmissionParams = field(default_factory=AdmissionParams)
    deadline_ms: int = 2000
    """Hard limit of an assemble whose caller names none (lessons C109)."""
    default_user: str = "user"
    default_agent: str = "main"


class ModelSlot:
    """Holds the embedding model once it is there; until then says why not.

    States: ``loading``, ``ready``, ``missing`` (with a reason for people).
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._embedder: EmbedderLike | None = None
        self._settled = threading.Event()
        self.state = "loading"
        self.reason = "the embedding model is still being loaded"

    def get(self) -> EmbedderLike | None:
        """Return the model, or None while there is none."""
        return self._embedder

    def ready(self, embedder: EmbedderLike) -> None:
        """Put the model in."""
        with self._lock:
            self._embedder, self.state, self.reason = embedder, "ready", ""
        self._settled.set()

    def missing(self, reason: str) -> None:
        """Say that there will be no model, and why: text search goes on without it."""
        with self._lock:
            self._embedder, self.state, self.reason = None, "missing", reason
        self._settled.set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until the model is ready or known to be missing."""
        return self._settled.wait(timeout_s)

    def close(self) -> None:
        """Let the model go."""
        with self._lock:
            embedder, self._embedder, self.state = self._embedder, None, "missing"
        if embedder is not None:
            embedder.close()


def _nothing() -> None:
    return None


def _unknown_project(_cwd: str) -> str | None:
    return None


CHOSEN_MODEL = "model.profile"
"""Under this key the database keeps which model a person chose by ``reembed`` (lessons.md C84)."""


def _no_trial(_changes: Mapping[str, Any]) -> EngineParams:
    raise NotReady("this libra has no file of settings", reason="no_settings")


def _no_model(_name: str) -> EmbedderLike:
    raise NotReady("this libra cannot load another model", reason="no_model")


def _ignore_folder(_cwd: str) -> bool:
    return False


@dataclass(slots=True)
class Deps:
    """The parts that the verbs share. Built once by the app, or by a test.

    Attributes:
        store: The open database.
        model: The embedding model's place.
        params: Settings.
        clock: Now in epoch ms.
        zone: The person's time zone, for days and shown times.
        summariser: The model that writes summaries, if one is set.
        reranker: The model that judges the best candidates, if one is set.
        shown: The latest prompts' lines.
        exact: The latest prompts word for word.
        kept: Small tables in memory.
        in_vain: By uid, until when something is held back that stood in prompts and never helped.
        project_of: Project key of a folder, None if it has none.
        saw_folder: Told each folder that a caller works in, so that its instruction files become known.
        params_with: Returns the settings as they would be with some keys changed.
        open_model: Loads a model by its profile's name or its folder.
        wake: Called after turns or documents were stored: the background worker has something to do.
        resting: Why background work rests or goes slowly; empty while it does not.
        troubles: What was asked for in the settings and could not be had, in words for a person.
    """

    store: Store
    model: ModelSlot
    params: EngineParams
    clock: Clock
    zone: tzinfo
    summariser: Summariser = field(default_factory=Summariser)
    reranker: Reranker = field(default_factory=Reranker)
    shown: Shown = field(default_factory=Shown)
    exact: Exact = field(default_factory=Exact)
    kept: Kept = field(default_factory=Kept)
    in_vain: dict[str, int] = field(default_factory=dict)
    project_of: Callable[[str], str | None] = _unknown_project
    saw_folder: Callable[[str], bool] = _ignore_folder
    wake: Callable[[], None] = _nothing
    resting: str = ""
    open_model: Callable[[str], EmbedderLike] = _no_model
    params_with: Callable[[Mapping[str, Any]], EngineParams] = _no_trial
    troubles: list[str] = field(default_factory=list)
    cleaner: Cleaner = field(init=False)
    """Takes secrets and scrubbed words out of what comes in."""
    admission: Admission = field(init=False)
    """Lets answers in, few at once."""

    def __post_init__(self) -> None:
        """Make what follows from the store and the settings."""
        self.cleaner = Cleaner(self.store)
        self.admission = Admission(self.params.admission)
