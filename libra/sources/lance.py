"""Folders of LanceDB, read once for an import: the tables of memories of Noesis, memory-lancedb-pro, memory-lancedb and rabisai-memory.

LanceDB is large and not needed otherwise, so it is an extra (``pip install 'libra-memory[lancedb]'``). Vectors are left out: they are
of another model, and texts are embedded here. A table is read in parts, as it stood when it was opened; nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from libra.ground.errors import SourceError

_ENDING: Final = ".lance"
_ARCHIVE: Final = "_archive"
_PART_ROWS: Final = 500


def is_folder(path: Path) -> bool:
    """Say whether a folder is a database of LanceDB: each of its tables is a folder of that ending."""
    return path.is_dir() and bool(tables(path))


def tables(path: Path) -> list[str]:
    """Return the names of the tables in a folder."""
    return sorted(child.name.removesuffix(_ENDING) for child in path.glob(f"*{_ENDING}") if child.is_dir())


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of all tables, each with its ``table``; those of an archive with ``archived``.

    Raises:
        SourceError: LanceDB is not installed, or a table cannot be read.
    """
    try:
        import lancedb
    except ImportError as error:
        raise SourceError(
            "a LanceDB folder is read with an extra that is not installed",
            reason="no_lancedb",
            hint="pip install 'libra-memory[lancedb]', or export the memories there and import that file",
            where=str(path),
        ) from error
    database = lancedb.connect(str(path))
    for name in tables(path):
        try:
            table = database.open_table(name)
            columns = [field.name for field in table.schema if not _is_vector(field.type)]
            batches = table.search().select(columns).to_batches(_PART_ROWS)
            for batch in batches:
                for row in batch.to_pylist():
                    yield {"table": name, "archived": name.endswith(_ARCHIVE), **row}
        except (OSError, ValueError, RuntimeError) as error:
            raise SourceError(
                f"the table {name} cannot be read: {type(error).__name__}", where=str(path)
            ) from error


def _is_vector(kind: Any) -> bool:
    """Say whether a column holds vectors: lists of fractions, of a fixed length or not."""
    import pyarrow as pa

    is_list = pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return bool(is_list and pa.types.is_floating(kind.value_type))
