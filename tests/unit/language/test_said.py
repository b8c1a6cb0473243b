"""A stored sentence is its pattern and values, and reads as it is worded today."""

import pytest

from dpgov.language import reworded
from dpgov.language.said import as_values, from_values, said

OLD = "The limit of “{name}” was {before} and is {after}."
NEW = "“{name}” has another limit: {after}."


def test_what_is_stored_holds_no_sentence_but_its_pattern() -> None:
    told = said(OLD, name="Visits", before=1, after=said("{rows:,} rows", rows=2000))
    kept = as_values(told)
    assert (kept["pattern"], kept["values"]["name"]) == (OLD, {"value": "Visits"})
    assert kept["values"]["after"]["pattern"] == "{rows:,} rows"
    assert from_values(kept) == told == "The limit of “Visits” was 1 and is 2,000 rows."


def test_what_was_stored_before_it_was_worded_anew_reads_as_what_is_stored_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = as_values(said(OLD, name="Visits", before=1, after=2))
    monkeypatch.setitem(reworded.REWORDED, OLD, NEW)
    assert from_values(kept) == said(NEW, name="Visits", after=2)


def test_a_person_s_own_words_stay_as_they_are() -> None:
    assert from_values(as_values("A disk was lost {here}.")) == "A disk was lost {here}."
    assert from_values({}) == ""
