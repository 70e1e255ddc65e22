"""One cluster on its way to a summary: what is known of its pieces, and how a choice of them is written down."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from libra.compaction import choose as choosing
from libra.compaction import header, units
from libra.compaction.candidates import CandidateParams, candidates, speaker_words
from libra.compaction.fidelity import centre, holds
from libra.compaction.lexical import content_words
from libra.compaction.pieces import join
from libra.compaction.source import Source
from libra.compaction.turns import Embed
from libra.ground.vectors import Vector
from libra.text.tokens import estimate


@dataclass(frozen=True, slots=True)
class DraftParams:
    """How a draft is made.

    Attributes:
        ledger_share: Share of a text that the list of lost terms may take where not all of them fit.
        large_from: A cluster of more tokens than this is large: its pieces stand at their turns' vectors, which are known,
            and what may be embedded goes into whole texts.
        effort_tokens: Tokens that may be embedded for a small draft, pieces and whole texts together. Of this the
            turns' own tokens are taken off: where there is less to choose from, each choice is looked at harder.
        most_effort_tokens: The same for a large draft that somebody waits for. A text is always judged.
        patient_effort_tokens: The same for a large one that nobody waits for.
        piece_share: Share of a small draft's that pieces may take.
        header_turns: With so many turns the text begins with what they are about.
        most_words: Content words by which a choice's matter is measured.
        most_names: Exact terms that are looked after; of a flood the first ones.
        choose, large: The search in a small and in a large cluster.

    Source: measured by ``bench/compaction.py``. In talks of twenty turns a text's nearness to the centre correlates with
    the mean of its pieces' own vectors at 0.14, with that of their turns' at 0.27. With three texts a cluster the talks lie
    where they lay with four before the search learnt from each text.
    """

    ledger_share: float = 0.75
    large_from: int = 250
    effort_tokens: int = 1100
    most_effort_tokens: int = 420
    patient_effort_tokens: int = 4500
    piece_share: float = 0.6
    header_turns: int = 8
    most_words: int = 160
    most_names: int = 300
    candidates: CandidateParams = field(default_factory=CandidateParams)
    choose: choosing.ChooseParams = field(default_factory=choosing.ChooseParams)
    large: choosing.ChooseParams = field(
        default_factory=lambda: choosing.ChooseParams(
            worst_weight=0.1, words_weight=0.5, judged_share=0.0, seeds=0
        )
    )
    units: units.UnitParams = field(default_factory=units.UnitParams)


_GAP_TOKENS = 0.25
_ENDS = (".", "!", "?", "…", "。", "！", "？", ":", ";", "`", ")", "]", "}")


class Draft:
    """The pieces of one cluster, cut and embedded once.

    Args:
        source: The cluster.
        embed: The retrieval space.
        params: How it is made.
    """

    def __init__(self, source: Source, embed: Embed, params: DraftParams) -> None:
        self.turns, self.texts, self.vectors = source.turns, source.texts, source.vectors
        self.names, self.labels, self.params = source.names, source.labels, params
        self._embed = embed
        self._known: dict[str, Vector] = {}
        self.centre = centre(source.vectors)
        self._large = source.tokens > params.large_from
        self.choosing = params.large if self._large else params.choose
        self.effort = float(
            params.most_effort_tokens if self._large else params.effort_tokens - source.tokens
        )
        most_tokens = params.candidates.most_tokens if self._large else int(self.effort * params.piece_share)
        self.pieces = candidates(self.turns, self.texts, replace(params.candidates, most_tokens=most_tokens))
        self.header = header.header(self.turns, self.texts) if len(self.turns) >= params.header_turns else ""
        # A turn of one sentence has its vector already, unless something was taken out of it.
        told = zip(self.turns, self.texts, self.vectors, strict=True)
        self._known |= {text.strip(): v for turn, text, v in told if text.strip() == turn.text.strip()}
        self.piece_vectors = self._piece_vectors()
        self.closure = units.closure(self.pieces, self.turns, params.units)
        held = [[holds(p.text, name) for name in self.names] for p in self.pieces]
        self.piece_names = np.array(held, dtype=np.bool_).reshape(len(self.pieces), len(self.names))
        self.words, self.word_weights = self._matter()

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return the vectors of texts, ``(n, dims)``; none is embedded twice."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def _piece_vectors(self) -> Vector:
        """Return the pieces' vectors, ``(p, dims)``: their own, or those of the turns that they stand in."""
        if self._large:
            return np.stack([self.vectors[piece.turn] for piece in self.pieces])
        self.effort -= sum(estimate(p.text) for p in self.pieces if p.text not in self._known)
        return self.embed([p.text for p in self.pieces])

    def _matter(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float32]]:
        """Return which content words each piece holds, and how much the cluster is about each of them."""
        speakers = speaker_words(self.turns)
        by_piece = [set(content_words(p.text, speakers)) for p in self.pieces]
        counts = Counter(word for words in by_piece for word in words)
        top = sorted(counts, key=lambda word: (-counts[word], word))[: self.params.most_words]
        held = np.array([[word in words for word in top] for words in by_piece], dtype=np.bool_)
        weights = np.array([math.log1p(counts[word]) for word in top], dtype=np.float32)
        total = np.float32(weights.sum())
        return held.reshape(len(self.pieces), len(top)), weights / total if total else weights

    def best_piece(self) -> str:
        """Return the piece nearest to the centre."""
        near = np.round(self.piece_vectors @ self.centre, 6)
        return self.pieces[int(np.argmax(near))].text.strip()

    def text_within(self, budget: int) -> str:
        """Return the best text of at most ``budget`` tokens; it is larger only if each single piece is."""
        listed = self._listed(budget)
        known = self._field(listed)
        chosen = choosing.choose(
            known,
            budget - estimate(self.header),
            _Writing(self, known, listed, budget),
            self.choosing,
            self.effort,
        )
        return self.filled(chosen, listed, budget)

    def filled(self, chosen: choosing.Mask, listed: Sequence[int], budget: int) -> str:
        """Return the text of a choice, with further lost terms listed as long as there is room."""
        text, listed = self.write(chosen, listed), list(listed)
        room = budget - estimate(text)
        for k in sorted(set(range(len(self.names))) - set(listed), key=self._rank):
            cost = listed_tokens(self.names[k])
            if cost > room or holds(text, self.names[k]):
                continue
            longer = self.write(chosen, [*listed, k])
            if estimate(longer) <= budget:
                text, listed = longer, [*listed, k]
                room = budget - estimate(text)
        return text

    def _rank(self, k: int) -> tuple[int, int]:
        """Return the order in which terms are listed: the telling ones first."""
        return -telling_weight(self.names[k]), k

    def _listed(self, budget: int) -> list[int]:
        """Return which terms may be listed when lost: all if they fit, else the telling ones as far as the share goes."""
        whole = sum(map(listed_tokens, self.names))
        room = budget * (1.0 if whole <= budget else self.params.ledger_share)
        out: list[int] = []
        for k in sorted(range(len(self.names)), key=self._rank):
            room -= listed_tokens(self.names[k])
            if room < 0:
                break
            out.append(k)
        return out

    def _field(self, listed: Sequence[int]) -> choosing.Field:
        """Return the pieces as the search sees them."""
        costs = np.zeros(len(self.names), dtype=np.float32)
        for k in listed:
            costs[k] = listed_tokens(self.names[k])
        return choosing.Field(
            vectors=self.piece_vectors,
            tokens=np.array([max(estimate(p.text), 1) for p in self.pieces], dtype=np.float32),
            turns=self.vectors,
            closure=self.closure,
            names=self.piece_names,
            name_tokens=costs,
            words=self.words,
            word_weights=self.word_weights,
        )

    def write(self, chosen: choosing.Mask, listed: Sequence[int]) -> str:
        """Write a choice down: pieces in order, who said them, and the listed terms that they lost.

        Args:
            chosen: At least one piece.
            listed: Indexes into ``names``.
        """
        by_turn: dict[int, list[int]] = {}
        for k in np.flatnonzero(chosen):
            by_turn.setdefault(self.pieces[k].turn, []).append(int(k))
        lines: list[str] = []
        last = ""
        for turn, group in by_turn.items():
            part = _closed(join([self.pieces[k] for k in group], self.texts))
            label = self.labels[turn] if self.labels else ""
            if label and label == last:
                lines[-1] += f" {part}"
            else:
                lines.append(f"{label}: {part}" if label else part)
            last = label
        text = self.header + ("\n" if self.labels else " ").join(lines)
        missing = self._missing(text, listed)
        return f"{text} [{' '.join(missing)}]" if missing else text

    def _missing(self, text: str, listed: Sequence[int]) -> list[str]:
        """Return the listed terms that a text lost, in order; of a path and its parts only the path."""
        out: list[int] = []
        for k in sorted(listed, key=lambda k: -len(self.names[k])):
            name = self.names[k]
            if not holds(text, name) and not any(holds(self.names[other], name) for other in out):
                out.append(k)
        return [self.names[k] for k in sorted(out)]


class _Writing:
    """How choices of one draft read: what ``choose`` asks for."""

    def __init__(self, draft: Draft, known: choosing.Field, listed: Sequence[int], budget: int) -> None:
        self._draft, self._known, self._listed, self._budget = draft, known, listed, budget

    def fits(self, chosen: choosing.Mask) -> bool:
        """Return True if the text of a choice is within the budget."""
        return estimate(self._draft.write(chosen, self._listed)) <= self._budget

    def judged(self, choices: Sequence[choosing.Mask]) -> tuple[list[float], Vector]:
        """Return nearness to the centre, least nearness to a turn, and matter held, weighted, of whole texts."""
        draft, params = self._draft, self._draft.choosing
        vectors = draft.embed([draft.filled(mask, self._listed, self._budget) for mask in choices])
        worst = (vectors @ draft.vectors.T).min(axis=1)
        matter = choosing.matter_held(self._known, np.stack(choices))
        beside = params.worst_weight * worst + params.words_weight * matter
        total = vectors @ draft.centre + params.judged_share * beside
        return [float(x) for x in total], vectors


def listed_tokens(name: str) -> float:
    """Return the tokens that a term costs in the list of lost ones."""
    return estimate(name) + _GAP_TOKENS


def telling_weight(name: str) -> int:
    """Return how much a term says on its own: names and codes before plain numbers."""
    if not any(c.isalpha() for c in name):
        return 0
    return 2 if any(c in "/._:#" or c.isupper() or c.isdigit() for c in name) else 1


def _closed(part: str) -> str:
    """Return a turn's part with an ellipsis where it breaks off within a sentence."""
    return part if part.endswith(_ENDS) else f"{part} …"
