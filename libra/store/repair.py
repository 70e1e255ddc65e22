"""What the derived parts lack or have too much of, counted and mended: vectors, bits, full-text entries (lessons C12, C89).

Texts are the truth; whatever is made of them can be missing after a crash of the disk, a half-done repair by hand, or a fault
of ours. A text is never the reason to skip its vector: an item without one is queued again (case B12).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from libra.store import bits, items, vectors
from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx
from libra.text.terms import side_terms

_FLOAT_BYTES = 4
_LOST = (
    "SELECT id, text FROM item WHERE text <> '' AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.item_id = item.id)"
    " ORDER BY id LIMIT ?"
)
_BAD = "state = 1 AND fingerprint = ?1 AND (vector IS NULL OR length(vector) <> ?2)"
_NO_WORDS = (
    "SELECT id, text FROM item WHERE NOT EXISTS (SELECT 1 FROM fts_word_docsize d WHERE d.id = item.id)"
)
_STRAY_SIDE = "SELECT d.id FROM fts_side_docsize d WHERE NOT EXISTS (SELECT 1 FROM item WHERE item.id = d.id)"
_STRAY_WORDS = (
    "SELECT count(*) FROM fts_word_docsize d WHERE NOT EXISTS (SELECT 1 FROM item WHERE item.id = d.id)"
)
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Faults:
    """What was found; all zero in a sound database.

    Attributes:
        without_vector: Items that neither have a vector nor wait for one.
        bad_vectors: Vectors of the present model that are missing or of another length.
        failed: Texts that the model gave no usable vector for.
        bits: Rows of the bit index too many or too few.
        without_words: Items that the word index does not know.
        stray_words, stray_side: Entries of the full-text indexes whose item is gone.
    """

    without_vector: int = 0
    bad_vectors: int = 0
    failed: int = 0
    bits: int = 0
    without_words: int = 0
    stray_words: int = 0
    stray_side: int = 0

    @property
    def any(self) -> bool:
        """Whether anything is to be mended; what the model refused is not."""
        return any(n for name, n in asdict(self).items() if name != "failed")


def look(s: Reader) -> Faults:
    """Count what is wrong: one pass over the items and their indexes."""
    model = vectors.current_model(s)
    fingerprint, size = (model[0], model[1] * _FLOAT_BYTES) if model else ("", 0)
    return Faults(
        without_vector=int(s.value(f"SELECT count(*) FROM ({_LOST})", (-1,))),
        bad_vectors=int(s.value(f"SELECT count(*) FROM chunk WHERE {_BAD}", (fingerprint, size))),
        failed=int(s.value("SELECT count(*) FROM chunk WHERE state = 2")),
        bits=_bits_off(s, fingerprint),
        without_words=int(s.value(f"SELECT count(*) FROM ({_NO_WORDS})")),
        stray_words=int(s.value(_STRAY_WORDS)),
        stray_side=int(s.value(f"SELECT count(*) FROM ({_STRAY_SIDE})")),
    )


def _bits_off(s: Reader, fingerprint: str) -> int:
    if not bits.is_usable(s, vectors=True):
        return 0
    return int(
        s.value(
            "SELECT (SELECT count(*) FROM vec_bits_rowids b WHERE NOT EXISTS (SELECT 1 FROM chunk"
            "  WHERE chunk.id = b.rowid AND chunk.state = 1 AND chunk.fingerprint = ?1))"
            " + (SELECT count(*) FROM chunk WHERE state = 1 AND fingerprint = ?1"
            "  AND NOT EXISTS (SELECT 1 FROM vec_bits_rowids b WHERE b.rowid = chunk.id))",
            (fingerprint,),
        )
    )


def mend(tx: WriteTx) -> Faults:
    """Mend what can be mended at once, some ten thousand of each; return what was found before.

    Vectors are queued, not made: the worker does that. Stray entries of the word index need their old text, which is gone, so
    that index is only made whole by building it again (:mod:`libra.store.reindex`).
    """
    found = look(tx)
    model = vectors.current_model(tx)
    items.add_pending(tx, tx.rows(_LOST, (_MOST,)))
    if model is not None and found.bad_vectors:
        bad = tx.rows(
            f"SELECT DISTINCT item_id FROM chunk WHERE {_BAD} LIMIT {_MOST}",
            (model[0], model[1] * _FLOAT_BYTES),
        )
        ids = [row[0] for row in bad]
        items.drop_vectors(tx, ids)
        items.add_pending(
            tx,
            tx.rows(
                "SELECT id, text FROM item WHERE id IN (SELECT value FROM json_each(?))", (json_list(ids),)
            ),
        )
    if found.bits and tx.vectors:
        bits.rebuild(tx)
    for item, text in tx.rows(f"{_NO_WORDS} LIMIT {_MOST}"):
        tx.run("INSERT INTO fts_word(rowid, text) VALUES(?, ?)", (item, text))
        if terms := side_terms(text):
            tx.run("DELETE FROM fts_side WHERE rowid = ?", (item,))
            tx.run("INSERT INTO fts_side(rowid, text) VALUES(?, ?)", (item, terms))
    tx.many("DELETE FROM fts_side WHERE rowid = ?", tx.rows(f"{_STRAY_SIDE} LIMIT {_MOST}"))
    return found
