"""A cluster's summary in a model's own words, where one is set, the cluster is worth it, and the words stand up."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from libra.compaction.abstractive import Prompt, Refusal, Written, judged, prompt, tidied
from libra.compaction.extract import Summary, usual_tokens
from libra.compaction.params import CompactionParams
from libra.compaction.source import Source
from libra.compaction.turns import Embed
from libra.engine.deps import Deps
from libra.gate.admission import GateInput, score
from libra.ground.errors import ModelError
from libra.inference.protocol import Generated
from libra.store import memories, summaries
from libra.store.rows import ItemRow
from libra.text.redact import redact
from libra.text.tokens import estimate

_LOG = logging.getLogger(__name__)

NOT_WORTH_IT = "gate"
NO_TIME = "out_of_time"


class Rewriter:
    """Has the clusters of one compaction rewritten, within the time that the settings give it.

    Args:
        deps: Shared parts.
        params: Settings.
    """

    def __init__(self, deps: Deps, params: CompactionParams) -> None:
        self._deps, self._params = deps, params
        self._until: float | None = None

    def better(
        self, rows: Sequence[ItemRow], level: int, source: Source, extractive: Summary, embed: Embed
    ) -> tuple[Summary, str | None]:
        """Return the summary that stands, and why it is not a model's, if one is set.

        Args:
            rows: What is summarised: turns, or summaries of the level below.
            level: Level of the summary.
            source: The same, prepared.
            extractive: The summary that stands if no model writes a better one.
            embed: The retrieval space; where it fails, nothing is judged and the extractive summary stands.
        """
        if not self._deps.summariser.wanted:
            return extractive, None
        params = self._params.abstractive
        scores = self._gates(rows)
        if not sum(scores) >= params.min_gate * len(scores):
            return extractive, NOT_WORTH_IT
        earlier = self._earlier(rows[0], level)
        most = max(min(usual_tokens(source, self._params.extract), source.tokens_in - 1), 1)
        try:
            written = self._written(source, earlier, most)
            made = judged(written, source, extractive, earlier, most, embed, params)
        except ModelError as error:
            _LOG.info("no model wrote a summary: %s", error.reason)
            return extractive, error.reason
        return (extractive, made.value) if isinstance(made, Refusal) else (made, None)

    def _written(self, source: Source, earlier: str | None, most: int) -> Written:
        """Ask; if the answer is too large, ask once more for half the size.

        Raises:
            ModelError: There is no answer.
        """
        written = Written("", 0.0, finished=True)
        for tokens in dict.fromkeys((most, max(most // 2, 1))):
            made = self._asked(source, earlier, tokens)
            written = Written(redact(made.text).text, made.confidence, made.finished)
            if estimate(tidied(written)) <= most:
                break
        return written

    def _asked(self, source: Source, earlier: str | None, tokens: int) -> Generated:
        settings = self._deps.summariser.params
        if self._until is None:
            self._until = time.monotonic() + settings.run_s
        left_s = min(settings.timeout_s, self._until - time.monotonic())
        if left_s <= 0:
            raise ModelError("the model has had its time in this compaction", reason=NO_TIME)

        def compose(window_tokens: int) -> Prompt:
            return prompt(source, earlier, tokens, window_tokens, self._params.abstractive)

        return self._deps.summariser.write(compose, tokens, left_s)

    def _gates(self, rows: Sequence[ItemRow]) -> list[float]:
        """Return each row's gate score: the one that was stored with its memory, else what its text alone tells.

        Without neighbours a text is new (H = 1) and was not said before (R = 0).
        """
        with self._deps.store.snapshot() as snapshot:
            known = memories.gates(snapshot, [row.id for row in rows])
        params = self._deps.params.gate
        return [known[row.id] if row.id in known else score(GateInput(row.text), params).g for row in rows]

    def _earlier(self, first: ItemRow, level: int) -> str | None:
        """Return the summary of the same level right before a row, None if there is none."""
        with self._deps.store.snapshot() as snapshot:
            found = summaries.of_session(snapshot, str(first.session_key), level=level)
        return next((row.text for row in reversed(found) if row.ts_ms <= first.ts_ms), None)
