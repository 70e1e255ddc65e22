"""The messages of LibraVDB's gRPC generation, described by ourselves: what is served needs nobody else's package.

A message is a line of field names, numbered from 1 in their order; ``-`` is a number that nothing here reads or fills, and what a
client sends there is passed over, as protobuf has it. After a colon stands the type (a text without one), ``*`` means several, ``{…}``
a map from texts. Source: hosts.md §4.5, and the numbers that unmodified clients send; a test holds them against PyPI's
``libravdb-contracts`` 2.0.30 where that is installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

PACKAGE: Final = "libravdb.ipc.v1"
SERVICE: Final = f"{PACKAGE}.LibravDB"

_OK: Final = "ok:bool"

_PARTS: Final[Mapping[str, str]] = {
    "Hit": "id score:double text metadata_json:bytes version:uint64",
    "Message": "role content id",
    "Cursor": "last_processed_index:int64 session_version:int64 manifest_tail_hash",
    "Names": "values*",
    "Accesses": "collection ids*",
    "Dream": "text score:double recall_count:int32 unique_queries:int32 section line:int32 source_line:int32"
    " metadata_json:bytes",
    "Exported": "collection id text metadata_json:bytes",
    "Connected": "record_id text depth:int32",
}
"""Messages within messages."""

METHODS: Final[Mapping[str, tuple[str, str]]] = {
    "Health": ("", f"{_OK} message"),
    "Status": (
        "",
        (
            f"{_OK} message turn_count:int32 memory_count:int32 lifecycle_hint_count:int32 gating_threshold:double"
            " abstractive_ready:bool embedding_profile embedding_backend"
        ),
    ),
    "Flush": ("", _OK),
    "SessionLifecycleHint": (
        (
            "hook reason session_file session_id session_key agent_id workspace_dir message_count:int32 duration_ms:int32"
            " transcript_archived:bool next_session_id next_session_key"
        ),
        f"{_OK} hook session_id reason",
    ),
    "ListLifecycleJournal": ("session_id limit:int32", "entries*"),
    "EnsureCollections": ("collections*", _OK),
    "IngestMarkdownDocument": ("source_doc text tokenizer_id core_doc:bool", _OK),
    "PromoteDreamEntries": (
        "user_id source_doc - - - - - - - - entries:Dream*",
        "promoted:int32 rejected:int32",
    ),
    "DeleteAuthoredDocument": ("source_doc", _OK),
    "InsertText": ("collection id text metadata_json:bytes", _OK),
    "InsertSessionTurn": ("session_id id text metadata_json:bytes", _OK),
    "GatingScalar": (
        "user_id text",
        (
            "g:double t:double h:double r:double d:double input_freq:double mem_saturation:double p:double a:double"
            " dtech:double gconv:double gtech:double"
        ),
    ),
    "SearchText": ("collection text k:int32 exclude_ids*", "results:Hit*"),
    "SearchTextCollections": (
        "collections* text k:int32 exclude_by_collection:{Names}",
        "results:Hit*",
    ),
    "BumpAccessCounts": ("updates:Accesses*", _OK),
    "ListCollection": ("collection", "ids*"),
    "ListByMeta": ("collection key value", "results:Hit*"),
    "ExportMemory": ("user_id namespace", "records:Exported*"),
    "FlushNamespace": ("user_id namespace", _OK),
    "Delete": ("collection id", _OK),
    "DeleteBatch": ("collection ids*", _OK),
    "CompactSession": (
        "session_id force:bool",
        (
            "did_compact:bool clusters_formed:int32 clusters_declined:int32 turns_removed:int32 summary_method"
            " mean_confidence:double"
        ),
    ),
    "ExpandSummary": (
        "session_id summary_id max_depth:int32",
        "summary_id text metadata_json:bytes - - - connected:Connected*",
    ),
    "QueryRawSession": ("session_id text k:int32 exclude_ids*", "messages:Message*"),
    "UpsertUserCard": ("user_id card_json", f"{_OK} card_id previous_hash"),
    "GetUserCard": ("user_id", "card_json updated_at:int64 version:int32"),
    "BootstrapSessionKernel": ("session_id session_key user_id", _OK),
    "IngestMessageKernel": (
        "session_id session_key user_id message:Message is_heartbeat:bool",
        f"{_OK} ingested:int32",
    ),
    "BeforeTurnKernel": (
        (
            "session_id session_key user_id messages:Message* pre_prompt_message_count:int32 is_heartbeat:bool"
            " cursor:Cursor query_hint"
        ),
        f"{_OK} - cursor:Cursor",
    ),
    "AfterTurnKernel": (
        (
            "session_id session_key user_id messages:Message* pre_prompt_message_count:int32 is_heartbeat:bool"
            " cursor:Cursor"
        ),
        f"{_OK} - cursor:Cursor",
    ),
    "AssembleContextInternal": (
        "session_id session_key user_id messages:Message* token_budget:int32 prompt",
        "messages:Message* estimated_tokens:int32 system_prompt_addition",
    ),
}
"""What each method is asked with and answers."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message.

    Attributes:
        number: Its number on the wire.
        name: Its name.
        kind: ``string``, ``bytes``, ``bool``, ``int32``, ``int64``, ``uint64``, ``double``, or a message's name.
        several: True for a list.
        mapped: True for a map from texts to ``kind``.
    """

    number: int
    name: str
    kind: str
    several: bool = False
    mapped: bool = False


def fields(line: str) -> Iterator[Field]:
    """Yield the fields of a message as its line describes them."""
    for number, word in enumerate(line.split(), 1):
        if word == "-":
            continue
        name, _, kind = word.removesuffix("*").partition(":")
        mapped = kind.startswith("{")
        yield Field(number, name, kind.strip("{}") or "string", word.endswith("*"), mapped)


def classes() -> dict[str, tuple[Any, Any]]:
    """Return the classes of each method's request and answer.

    They stand in a pool of their own, so that another description of the same messages in this process is none of theirs.

    Raises:
        ImportError: protobuf is not installed.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="libra/libravdb.proto", package=PACKAGE, syntax="proto3")
    for name, line in _PARTS.items():
        _describe(file, name, line)
    for name, (asked, answered) in METHODS.items():
        _describe(file, f"{name}Request", asked)
        _describe(file, f"{name}Response", answered)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)

    def made(name: str) -> Any:
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))

    return {name: (made(f"{name}Request"), made(f"{name}Response")) for name in METHODS}


def _describe(file: Any, name: str, line: str) -> None:
    """Add a message to a file's description."""
    message = file.message_type.add(name=name)
    for field in fields(line):
        kind = f".{PACKAGE}.{field.kind}"
        if field.mapped:
            entry = message.nested_type.add(name=f"{field.name.title().replace('_', '')}Entry")
            entry.options.map_entry = True
            _field(entry, Field(1, "key", "string"), "")
            _field(entry, Field(2, "value", field.kind), kind)
            kind = f".{PACKAGE}.{name}.{entry.name}"
        _field(message, field, kind)


def _field(message: Any, field: Field, kind: str) -> None:
    several = field.several or field.mapped
    made = message.field.add(number=field.number, name=field.name)
    made.label = made.LABEL_REPEATED if several else made.LABEL_OPTIONAL
    if field.mapped or field.kind[0].isupper():
        made.type, made.type_name = made.TYPE_MESSAGE, kind
    else:
        made.type = getattr(made, f"TYPE_{field.kind.upper()}")
