"""G2: whatever is done to an exported log, a verifier that has only the file finds it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from dpgov.audit.entry import FACT_NAMES, GENESIS, HASH_NAMES, EntryFacts, canonical_json, link_hash
from dpgov.audit.export import UnreadableExport, json_lines, read_json_lines
from dpgov.audit.verifier import Head, verify

Entry = dict[str, Any]
Lines = list[str]


def make_log(length: int = 6) -> list[Entry]:
    entries: list[Entry] = []
    previous = GENESIS
    for number in range(1, length + 1):
        facts = EntryFacts(
            tenant_id="00000000-0000-0000-0000-000000000007",
            sequence=number,
            at=f"2026-11-21T05:00:0{number}.000000+00:00",
            actor_kind="user",
            actor_id="u1",
            actor_label="anna@example.org",
            action="QUERY_SUBMITTED",
            subject=f"query:{number}",
            dataset="visits",
            detail=canonical_json({"epsilon": 0.5, "note": "ε"}),
        )
        own = link_hash(previous, facts)
        entries.append(facts.as_dict() | {"previous_hash": previous, "entry_hash": own})
        previous = own
    return entries


def head_of(entries: list[Entry]) -> Head:
    return Head(entries[-1]["sequence"], entries[-1]["entry_hash"])


def rehashed(entries: list[Entry], *, start: int) -> list[Entry]:
    """What a forger with the code would do: make every later hash fit again."""
    previous = entries[start - 1]["entry_hash"] if start else GENESIS
    for entry in entries[start:]:
        facts = EntryFacts(**{name: entry[name] for name in FACT_NAMES})
        entry["previous_hash"], entry["entry_hash"] = previous, link_hash(previous, facts)
        previous = entry["entry_hash"]
    return entries


def test_an_untouched_log_holds_and_leads_to_its_head() -> None:
    entries = make_log()
    verdict = verify(entries, expected=head_of(entries))
    assert verdict.intact
    assert (verdict.entries, verdict.head) == (6, head_of(entries))


def test_an_empty_log_holds_unless_a_head_was_expected() -> None:
    assert verify([]).intact
    assert not verify([], expected=Head(3, "f" * 64)).intact


@pytest.mark.parametrize("place", [0, 2, 5])
@pytest.mark.parametrize("name", [*FACT_NAMES, *HASH_NAMES])
def test_a_flipped_bit_in_any_field_is_found_where_it_is(name: str, place: int) -> None:
    entries = make_log()
    value = entries[place][name]
    flipped = value ^ 1 if isinstance(value, int) else chr(ord(value[-1]) ^ 1)
    entries[place][name] = flipped if isinstance(value, int) else value[:-1] + flipped
    verdict = verify(entries, expected=head_of(make_log()))
    assert verdict.problem is not None
    # Another tenant in the first entry shows there; a changed first tenant never reaches the next.
    assert verdict.problem.sequence == place + 1
    assert verdict.entries == place


@pytest.mark.parametrize("position", range(0, 2_000, 7))
def test_any_flipped_bit_of_the_file_is_found(position: int) -> None:
    """Also one that makes the line unreadable: then the file is refused by name of the line."""
    text = "".join(json_lines(make_log()))
    raw = bytearray(text.encode())
    raw[position % len(raw)] ^= 1 << (position % 7)
    lines = raw.decode("latin-1").splitlines(keepends=True)
    try:
        verdict = verify(read_json_lines(lines), expected=head_of(make_log()))
    except UnreadableExport as refusal:
        assert str(refusal).startswith("Line ")
    else:
        assert not verdict.intact


def swap(entries: list[Entry]) -> list[Entry]:
    entries[2], entries[3] = entries[3], entries[2]
    return entries


def swap_and_renumber(entries: list[Entry]) -> list[Entry]:
    entries = swap(entries)
    for number, entry in enumerate(entries, start=1):
        entry["sequence"] = number
    return entries


def drop(entries: list[Entry]) -> list[Entry]:
    return entries[:2] + entries[3:]


def drop_and_renumber(entries: list[Entry]) -> list[Entry]:
    kept = drop(entries)
    for number, entry in enumerate(kept, start=1):
        entry["sequence"] = number
    return kept


def drop_first(entries: list[Entry]) -> list[Entry]:
    return entries[1:]


def repeat(entries: list[Entry]) -> list[Entry]:
    return [*entries[:3], dict(entries[2]), *entries[3:]]


def insert_forged(entries: list[Entry]) -> list[Entry]:
    forged = {**entries[2], "sequence": 4, "subject": "query:forged"}
    return entries[:3] + rehashed([entries[2], forged], start=1)[1:] + entries[3:]


def insert_and_renumber(entries: list[Entry]) -> list[Entry]:
    grown = insert_forged(entries)
    for number, entry in enumerate(grown, start=1):
        entry["sequence"] = number
    return grown


def cut_tail(entries: list[Entry]) -> list[Entry]:
    return entries[:-1]


def cut_all(entries: list[Entry]) -> list[Entry]:
    return []


def add_tail(entries: list[Entry]) -> list[Entry]:
    return rehashed([*entries, {**entries[-1], "sequence": 7}], start=6)


def rewrite_the_rest(entries: list[Entry]) -> list[Entry]:
    entries[2]["actor_label"] = "nobody@example.org"
    return rehashed(entries, start=2)


def add_field(entries: list[Entry]) -> list[Entry]:
    entries[2]["comment"] = "harmless"
    return entries


def lose_field(entries: list[Entry]) -> list[Entry]:
    del entries[2]["dataset"]
    return entries


def number_as_text(entries: list[Entry]) -> list[Entry]:
    entries[2]["sequence"] = "3"
    return entries


def true_as_number(entries: list[Entry]) -> list[Entry]:
    entries[0]["sequence"] = True
    return entries


def foreign_entry(entries: list[Entry]) -> list[Entry]:
    entries[2]["tenant_id"] = "00000000-0000-0000-0000-000000000008"
    return rehashed(entries, start=2)


@pytest.mark.parametrize(
    ("tamper", "sequence"),
    [
        (swap, 3),
        (swap_and_renumber, 3),
        (drop, 3),
        (drop_and_renumber, 3),
        (drop_first, 1),
        (repeat, 4),
        (insert_forged, 5),
        (insert_and_renumber, 5),
        (cut_tail, 6),
        (cut_all, 1),
        (add_tail, 7),
        (rewrite_the_rest, 6),
        (add_field, 3),
        (lose_field, 3),
        (number_as_text, 3),
        (true_as_number, 1),
        (foreign_entry, 3),
    ],
)
def test_a_changed_log_is_found_at_the_right_place(
    tamper: Callable[[list[Entry]], list[Entry]], sequence: int
) -> None:
    expected = head_of(make_log())
    verdict = verify(tamper(make_log()), expected=expected)
    assert verdict.problem is not None
    assert verdict.problem.sequence == sequence


def test_an_export_that_was_written_and_read_again_still_holds() -> None:
    entries = make_log()
    lines = list(json_lines(entries))
    assert list(read_json_lines(lines)) == entries
    assert verify(read_json_lines(lines), expected=head_of(entries)).intact


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line[:-1],
        lambda line: line.replace('"action"', '"action":"x","action"', 1),
        lambda line: " " + line,
        lambda line: "\n",
        lambda line: "[]\n",
        lambda line: "NaN\n",
        lambda line: "[" * 100_000 + "\n",
        lambda line: json.dumps("x" * 1_000_001) + "\n",
    ],
)
def test_a_line_that_is_not_as_exported_is_refused_by_number(change: Callable[[str], str]) -> None:
    lines = list(json_lines(make_log()))
    lines[2] = change(lines[2])
    with pytest.raises(UnreadableExport, match="Line 3"):
        verify(read_json_lines(lines))
