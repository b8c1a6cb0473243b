"""Metadata files that want to be more than metadata."""

import pytest

from dpgov.datasets.importing import LARGEST_BYTES, UnreadableMetadata, filled, read_metadata

BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"  \n ", "empty"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"x" * (LARGEST_BYTES + 1), "larger than"),
        (b"[1, 2", "YAML cannot be read"),
        (b"a: b: c", "YAML cannot be read in line 1"),
        (b'{"a": 1', "JSON breaks off in line 1"),
        (b"just text", "does not describe a table"),
        (b"- a\n- b", "does not describe a table"),
        (b"a: 1", "No description of columns"),
        (BOMB.encode(), "aliases"),
        (b"columns: &x\n a: {type: int}\n b: *x", "aliases"),
        (b"columns:\n a: {type: int}\n a: {type: float}", "twice"),
        (b'{"tableSchema": 1, "tableSchema": 2}', "twice"),
        (b'{"tableSchema": {"columns": 3}}', "lists no columns"),
        (b'{"tables": [{}, {}]}', "several tables"),
        (b"s:\n one: {a: {type: int}}\n two: {b: {type: int}}", "several tables"),
        (b"? [a, b]\n: c", "not a plain text"),
        (b"[" * 50_000, "nested too deeply"),
        (b'{"a":' * 30_000, "nested too deeply"),
        (b'{"a":' * 20 + b"1" + b"}" * 20, "nested too deeply"),
        (b"a: \x00", "characters"),
        (b"a: 1\n---\nb: 2", "YAML cannot be read"),
    ],
)
def test_what_is_no_metadata_is_refused_with_what_to_do(content: bytes, said: str) -> None:
    with pytest.raises(UnreadableMetadata, match=said):
        read_metadata(content)


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.system [echo]", "!!python/name:os.system ''", "!!binary aGk="]
)
def test_tags_make_no_objects(tag: str) -> None:
    """J6: whatever a tag asks for, only texts, lists and dictionaries come out."""
    found = read_metadata(f"columns:\n a: {{type: int, lower: {tag}}}".encode())
    assert found.columns[0].fields.get("lower") is None


def test_a_refusal_holds_nothing_of_the_file() -> None:
    with pytest.raises(UnreadableMetadata) as refusal:
        read_metadata(b"secret-name: [unclosed")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("lower", ["abc", "1e999", "nan", "{}", "[1]", "'1; DROP'", ".inf"])
def test_bounds_that_are_no_numbers_are_left_empty(lower: str) -> None:
    found = filled(
        read_metadata(f"columns:\n a: {{type: int, lower: {lower}, upper: 5}}".encode()), ["a"]
    )
    assert "lower" not in found.columns["a"]
    assert any(note.startswith("a: ") for note in found.notes)


def test_names_of_any_length_are_cut_in_notes() -> None:
    name = "n" * 900
    found = filled(read_metadata(f"columns:\n {name}: {{type: int}}".encode()), ["b"])
    assert all(len(note) < 300 for note in found.notes)


@pytest.mark.parametrize("options", ["max_ids: -3", "max_ids: [1]", "max_ids: 1e9", "max_ids: x"])
def test_a_number_of_rows_that_is_none_is_not_believed(options: str) -> None:
    found = read_metadata(f"{options}\ncolumns:\n a: {{type: int}}".encode())
    assert "group_size" not in found.dataset
