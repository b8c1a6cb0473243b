"""G9: what is cut of an entry whose detail is too long, and what never is."""

import hashlib
import json
from typing import Any
from uuid import UUID, uuid4

from dpgov.audit.bounded import LONGEST_DETAIL, LONGEST_TEXT, bounded_json, is_cut
from dpgov.audit.entry import canonical_json, fragments
from dpgov.audit.exported import _LONGEST_LINE
from dpgov.budgets.services import Line, noted_lines
from dpgov.datasets.services import MOST_VIEWERS
from dpgov.privacy.accounting.decimals import MAX_NANO
from dpgov.privacy.accounting.loss import PURE
from dpgov.privacy.plan.domains import MAX_CATEGORIES, MAX_NAME_LENGTH

# Each of its characters takes twelve in ASCII.
LONGEST_NAME = "\N{PILE OF POO}" * MAX_NAME_LENGTH


def kept(detail: dict[str, Any]) -> dict[str, Any]:
    """What an entry with this detail says; the entry is no longer than a verifier reads."""
    text = bounded_json(detail)
    fields = {
        "tenant_id": UUID(int=7),
        "actor_kind": "user",
        "actor_id": "i" * 64,
        "actor_label": "é" * 254,
        "action": "QUERY_SUBMITTED",
        "subject": "é" * 200,
        "dataset": "é" * 200,
        "detail": text,
    }
    line = fragments(fields).line(at="2026-11-27T14:30:00.000000+00:00", sequence=10**12)
    assert len(line) < _LONGEST_LINE
    found: dict[str, Any] = json.loads(text)
    assert canonical_json(found) == text
    return found


def most_lines() -> list[Line]:
    """A derived dataset's: its parts, those of both parents, allocations and shared budgets.

    Each has a part for rows of no category, too.
    """
    parts = [
        Line(uuid4(), MAX_NANO, 2, f"part {LONGEST_NAME[:-4]}{place:04}")
        for place in range(3 * (MAX_CATEGORIES + 1))
    ]
    others = [Line(uuid4(), MAX_NANO, what=what) for what in ("allocation", "shared_budget") * 3]
    return parts + others


def test_the_longest_lines_of_a_question_stand_in_its_entry_whole_beside_any_plan() -> None:
    lines = most_lines()
    plan = {"where": [LONGEST_NAME] * MAX_CATEGORIES}
    found = kept({"epsilon": "0.5", "plan": plan, "lines": noted_lines(lines, PURE)})
    assert [UUID(line["budget"]) for line in found["lines"]] == [line.budget_id for line in lines]
    assert {line["factor"] for line in found["lines"]} == {1, 2}
    assert (found["epsilon"], is_cut(found["plan"])) == ("0.5", True)
    whole = canonical_json(plan)
    assert found["plan"]["sha256"] == hashlib.sha256(whole.encode()).hexdigest()
    assert found["plan"]["beginning"] == whole[:LONGEST_TEXT]
    assert found["plan"]["cut_from_characters"] == len(whole)


def test_a_thousand_parts_of_ordinary_names_are_named_in_the_log() -> None:
    lines = [Line(uuid4(), 5, what=f"part Municipality {n:04}") for n in range(MAX_CATEGORIES)]
    noted = noted_lines(lines, PURE)
    assert [line["what"] for line in noted] == [line.what for line in lines]
    assert kept({"epsilon": "0.5", "lines": noted})["lines"] == noted


def test_who_could_see_a_dataset_stands_in_the_log_however_many_they_are() -> None:
    before, after = (
        [f"{when}{n}@{'x' * 240}.example" for n in range(MOST_VIEWERS)] for when in ("b", "a")
    )
    found = kept({"before_viewers": before, "after_viewers": after, "name": "Visits"})
    assert (found["before_viewers"], found["after_viewers"]) == (before, after)


def test_the_largest_member_is_cut_first_and_no_other_without_need() -> None:
    small = {"request": str(uuid4()), "kind": "refund", "reason": "r" * LONGEST_TEXT}
    found = kept({**small, "payload": ["p" * 100] * 2_000, "note": ["n"] * 10_000})
    assert {name: found[name] for name in small} == small
    assert (is_cut(found["payload"]), is_cut(found["note"])) == (True, False)


def test_very_many_long_members_are_cut_together_and_amounts_stay() -> None:
    found = kept({f"m{n}": "x" * LONGEST_TEXT for n in range(200)} | {"limit_epsilon": "10"})
    assert (is_cut(found), found["limit_epsilon"]) == (True, "10")
    assert len(canonical_json(found)) < LONGEST_DETAIL


def test_very_many_short_members_are_cut_together() -> None:
    found = kept({f"member {n}": "x" * 90 for n in range(5_000)})
    assert set(found) == {"cut_from_characters", "sha256", "beginning"}


def test_what_stays_whole_has_an_end_too() -> None:
    found = kept({"effect": {"names": ["x" * LONGEST_TEXT] * 1_000}, "kind": "refund"})
    assert (is_cut(found["effect"]), found["kind"]) == (True, "refund")
