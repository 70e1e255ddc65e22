"""Writes a ``tokenizer.json`` for a SentencePiece unigram vocabulary, by hand.

By hand, since what ``tokenizers`` itself saves changes with its version, and a recipe must give the same bytes
each time.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .e5_file import Vocabulary

_SPACE_MARK = "\u2581"


def write(vocabulary: Vocabulary, target: Path) -> None:
    """Write the tokenizer of an XLM-R vocabulary.

    SentencePiece's own table of replacements (``nmt_nfkc``) is NMT's clean-up and NFKC in a row: all 4,837
    entries of the file were compared with it and agree.

    Args:
        vocabulary: Pieces, scores and special ids.
        target: The file.
    """
    pieces = vocabulary.pieces
    bos, eos = pieces[vocabulary.bos][0], pieces[vocabulary.eos][0]
    special = sorted({vocabulary.bos, vocabulary.pad, vocabulary.eos, vocabulary.unk})
    metaspace = {"type": "Metaspace", "replacement": _SPACE_MARK, "prepend_scheme": "always", "split": True}
    data: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(number, pieces[number][0]) for number in special],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": metaspace,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_special(bos), {"Sequence": {"id": "A", "type_id": 0}}, _special(eos)],
            "pair": [
                _special(bos),
                {"Sequence": {"id": "A", "type_id": 0}},
                _special(eos),
                {"Sequence": {"id": "B", "type_id": 0}},
                _special(eos),
            ],
            "special_tokens": {
                text: {"id": text, "ids": [number], "tokens": [text]}
                for text, number in ((bos, vocabulary.bos), (eos, vocabulary.eos))
            },
        },
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": vocabulary.unk,
            "vocab": [[text, score] for text, score in pieces],
            "byte_fallback": False,
        },
    }
    target.write_text(
        json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8", newline="\n"
    )


def _special(text: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": text, "type_id": 0}}


def _added(number: int, text: str) -> dict[str, Any]:
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": text, **plain, "special": True}
