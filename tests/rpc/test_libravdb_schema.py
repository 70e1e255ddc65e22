"""The messages of LibraVDB's gRPC generation as we describe them: every served method has them, and they are what clients send."""

from __future__ import annotations

from typing import Any

import pytest

from libra.engine.libravdb_kernel import KERNEL
from libra.rpc.libravdb_messages import call_name, fields_of, params_of
from libra.rpc.libravdb_schema import METHODS, Field, classes, fields


@pytest.fixture(scope="module")
def made() -> dict[str, tuple[Any, Any]]:
    """Return the classes, or skip."""
    pytest.importorskip("google.protobuf", reason="needs protobuf")
    return classes()


def test_every_served_method_has_its_messages() -> None:
    """A method without a description would be UNIMPLEMENTED for clients that need it."""
    assert {call_name(name) for name in METHODS} == set(KERNEL)


def test_a_line_says_numbers_types_and_lists() -> None:
    """A field that nothing reads keeps its number, or all behind it would be read as something else."""
    assert list(fields("a - b:Hit* c:{Names} d:int32")) == [
        Field(1, "a", "string"),
        Field(3, "b", "Hit", several=True),
        Field(4, "c", "Names", mapped=True),
        Field(5, "d", "int32"),
    ]


def test_what_is_not_described_is_passed_over(made: dict[str, tuple[Any, Any]]) -> None:
    """A client of a later version sends more fields: it would be refused."""
    asked, _ = made["SearchTextCollections"]
    more = asked(
        collections=["user:u"], text="relay", k=3, exclude_by_collection={"global": {"values": ["x"]}}
    )
    raw = more.SerializeToString() + b"\x2a\x04kind"  # field 5, a text
    assert params_of(asked.FromString(raw)) == {
        "collections": ["user:u"],
        "text": "relay",
        "k": 3,
        "excludeByCollection": {"global": ["x"]},
    }


def test_answers_fill_their_messages(made: dict[str, tuple[Any, Any]]) -> None:
    """Metadata and scores of a hit would be lost on the way."""
    _, answered = made["SearchText"]
    hit = {"id": "a", "score": 0.5, "text": "t", "metadata": {"ts": 1}, "version": 1, "more": 2}
    message = answered(**fields_of(answered.DESCRIPTOR, {"results": [hit]}))
    back = answered.FromString(message.SerializeToString()).results[0]
    assert (back.id, back.score, back.text, back.metadata_json) == ("a", 0.5, "t", b'{"ts":1}')


@pytest.mark.parametrize("name", METHODS)
def test_they_are_what_the_clients_package_says(made: dict[str, tuple[Any, Any]], name: str) -> None:
    """A wrong number or type: a client's text would arrive as another field, or its call break."""
    theirs = pytest.importorskip(
        "libravdb.ipc.v1.rpc_pb2", reason="needs LibraVDB's own package: pip install libravdb-contracts"
    )
    method = theirs.DESCRIPTOR.services_by_name["LibravDB"].methods_by_name[name]
    for ours, other in zip(made[name], (method.input_type, method.output_type), strict=True):
        _same(ours.DESCRIPTOR, other)


def _same(ours: Any, theirs: Any) -> None:
    for field in ours.fields:
        other = theirs.fields_by_number[field.number]
        assert (field.name, field.type, field.is_repeated, field.json_name) == (
            other.name,
            other.type,
            other.is_repeated,
            other.json_name,
        ), f"{theirs.name}.{other.name}"
        if field.message_type is not None:
            assert field.message_type.GetOptions().map_entry == other.message_type.GetOptions().map_entry
            _same(field.message_type, other.message_type)
