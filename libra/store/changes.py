"""What a transaction did to the vectors, collected for the mirror and handed over only after COMMIT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from libra.ground.vectors import Vector


class AddedChunk(NamedTuple):
    """A vector that became searchable."""

    chunk_id: int
    item_id: int
    kind: int
    type: str | None
    scope_id: int
    ts_ms: int
    active: bool
    vector: Vector


@dataclass(slots=True)
class IndexChanges:
    """Changes in the order in which the mirror must apply them: new model, removals, additions, marks.

    Attributes:
        model: Fingerprint and dims of a model that began; everything before it is void.
        removed_items: Items whose vectors are gone (deleted, or about to be replaced).
        added: New vectors.
        active: New active marks by item.
        scopes: New scopes by item (turns re-homed to another session).
        types: New memory types by item.
    """

    model: tuple[str, int] | None = None
    removed_items: list[int] = field(default_factory=list)
    added: list[AddedChunk] = field(default_factory=list)
    active: dict[int, bool] = field(default_factory=dict)
    scopes: dict[int, int] = field(default_factory=dict)
    types: dict[int, str | None] = field(default_factory=dict)

    def extend(self, later: IndexChanges) -> None:
        """Add the changes of a later job of the same transaction."""
        if later.model is not None:
            self.model = later.model
            self.added.clear()
            self.removed_items.clear()
        self.remove(later.removed_items)
        self.added.extend(later.added)
        self.active.update(later.active)
        self.scopes.update(later.scopes)
        self.types.update(later.types)

    def remove(self, item_ids: Sequence[int]) -> None:
        """Note that the vectors of these items are gone, those added before in this transaction too."""
        if not item_ids:
            return
        gone = set(item_ids)
        self.added = [chunk for chunk in self.added if chunk.item_id not in gone]
        self.removed_items.extend(item_ids)

    @property
    def empty(self) -> bool:
        """Whether the mirror has nothing to do."""
        return not (
            self.model or self.removed_items or self.added or self.active or self.scopes or self.types
        )
