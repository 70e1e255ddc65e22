"""Text to token ids: questions cut to a bounded length, long passages in overlapping windows.

The packaged tokenizers truncate and pad (MiniLM's to 128 tokens); both are switched off here, or the end of
a long text could never be found (feasibility.md §2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from libra.ground.errors import ModelDamaged
from libra.inference.profiles import Manifest, Prefixes

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_SURROGATES = re.compile("[\ud800-\udfff]")
_SPACE_BEFORE_CUT = re.compile(r"\s(?=\S*\Z)")


@dataclass(frozen=True, slots=True)
class WindowParams:
    """How texts are cut.

    Attributes:
        query_tokens: Tokens of a question, special ones included; of a longer one the first and the last
            half are kept, since what is asked stands before or after what was pasted.
        piece_chars: Long texts are handed to the tokenizer in pieces of about this size, so that its memory
            does not grow with them.
    """

    query_tokens: int = 256
    piece_chars: int = 20_000


@dataclass(frozen=True, slots=True)
class Piece:
    """Token ids of one window, ready for the model, and the characters that they stand for."""

    start: int
    end: int
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """Ids before and after a text: special tokens and the words of a prefix."""

    head: tuple[int, ...]
    tail: tuple[int, ...]

    def __len__(self) -> int:
        """Return how many tokens of a window are not the text's."""
        return len(self.head) + len(self.tail)

    def around(self, ids: Sequence[int]) -> tuple[int, ...]:
        """Return the ids of a text as the model wants them."""
        return (*self.head, *ids, *self.tail)


class TextCutter:
    """A model's tokenizer with our own windows. Safe to use from several threads.

    Args:
        tokenizer: The model's tokenizer; its truncation and padding are switched off.
        prefixes: Put before questions and passages.
        max_tokens: The model's limit, special tokens included.
        window_tokens: Tokens of one window, special tokens and prefix included.
        overlap_tokens: Tokens that neighbouring windows share at least.
        params: Further limits.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        prefixes: Prefixes,
        *,
        max_tokens: int,
        window_tokens: int,
        overlap_tokens: int,
        params: WindowParams,
    ) -> None:
        self._tokenizer = uncut(tokenizer)
        self._query = frame(tokenizer, prefixes.query)
        self._passage = frame(tokenizer, prefixes.passage)
        self._query_room = max(min(params.query_tokens, max_tokens) - len(self._query), 2)
        self._passage_room = max(window_tokens - len(self._passage), 2)
        self._overlap = min(overlap_tokens, self._passage_room - 1)
        self._piece_chars = params.piece_chars

    @classmethod
    def open(cls, file: Path, manifest: Manifest, params: WindowParams) -> TextCutter:
        """Load ``tokenizer.json``.

        Raises:
            ModelDamaged: It is no tokenizer.
        """
        return cls(
            open_tokenizer(file),
            manifest.prefixes,
            max_tokens=manifest.max_tokens,
            window_tokens=manifest.window_tokens,
            overlap_tokens=manifest.overlap_tokens,
            params=params,
        )

    @property
    def vocabulary(self) -> int:
        """Token ids are below this number."""
        return self._tokenizer.get_vocab_size()

    def question(self, text: str) -> tuple[int, ...]:
        """Return the ids of a question, at most ``query_tokens`` of them."""
        room = self._query_room
        if len(text) <= self._piece_chars:
            ids = encode(self._tokenizer, text).ids
        else:
            half = self._piece_chars // 2
            ids = (
                encode(self._tokenizer, text[:half]).ids[:room]
                + encode(self._tokenizer, text[-half:]).ids[-room:]
            )
        if len(ids) > room:
            ids = ids[: room - room // 2] + ids[-(room // 2) :]
        return self._query.around(ids)

    def windows(self, text: str) -> list[Piece]:
        """Return windows that together cover every character of ``text``; none for a white text.

        Windows of one text are about equally long: a last one with three words in it would find nothing.
        """
        if not text.strip():
            return []
        ids, spans = self._tokens(text)
        room, overlap = self._passage_room, self._overlap
        if len(ids) <= room:
            return [Piece(0, len(text), self._passage.around(ids))]
        count = -(-(len(ids) - overlap) // (room - overlap))
        step = -(-(len(ids) - overlap) // count)
        pieces: list[Piece] = []
        for first in range(0, count * step, step):
            last = min(first + step + overlap, len(ids))
            start = min(spans[first][0], pieces[-1].end) if pieces else 0
            end = spans[last - 1][1] if last < len(ids) else len(text)
            pieces.append(Piece(start, end, self._passage.around(ids[first:last])))
            if last == len(ids):
                break
        return pieces

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``, without special ones and prefix."""
        return sum(len(encode(self._tokenizer, part)) for _, part in self._parts(text))

    def _tokens(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        for offset, part in self._parts(text):
            encoding = encode(self._tokenizer, part)
            ids += encoding.ids
            spans += [(start + offset, end + offset) for start, end in encoding.offsets]
        return ids, spans

    def _parts(self, text: str) -> Iterator[tuple[int, str]]:
        offset = 0
        while len(text) - offset > self._piece_chars:
            part = text[offset : offset + self._piece_chars]
            space = _SPACE_BEFORE_CUT.search(part, len(part) // 2)
            if space:
                part = part[: space.start()]
            yield offset, part
            offset += len(part)
        yield offset, text[offset:]


def open_tokenizer(file: Path) -> Tokenizer:
    """Load ``tokenizer.json`` with its truncation and padding switched off.

    Raises:
        ModelDamaged: It is no tokenizer.
    """
    from tokenizers import Tokenizer

    try:
        return uncut(Tokenizer.from_file(str(file)))
    except Exception as error:  # tokenizers raises bare Exception
        raise ModelDamaged(f"{file} is no tokenizer", where=str(file)) from error


def uncut(tokenizer: Tokenizer) -> Tokenizer:
    """Switch a tokenizer's own truncation and padding off, and return it."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encode(tokenizer: Tokenizer, text: str) -> Encoding:
    """Return a text's tokens without special ones; every text has some answer."""
    try:
        return tokenizer.encode(text, add_special_tokens=False)
    except (TypeError, UnicodeEncodeError):
        # Half a surrogate pair (a message that was cut in the middle of an emoji) is no text to the
        # library. Replaced one for one, so that the spans still fit the caller's text.
        return tokenizer.encode(_SURROGATES.sub("\ufffd", text), add_special_tokens=False)


def frame(tokenizer: Tokenizer, prefix: str) -> Frame:
    """Work out what the tokenizer puts around a text.

    A prefix is tokenized apart from its text and without its last space: WordPiece cuts at spaces and
    SentencePiece marks the next word with one, so the ids are those of prefix and text in one.
    """
    bare = tokenizer.encode("a", add_special_tokens=False).ids
    full = tokenizer.encode("a", add_special_tokens=True).ids
    at = next((i for i in range(len(full)) if full[i : i + len(bare)] == bare), 0)
    words = tokenizer.encode(prefix.rstrip(), add_special_tokens=False).ids if prefix.strip() else []
    return Frame((*full[:at], *words), tuple(full[at + len(bare) :]))
