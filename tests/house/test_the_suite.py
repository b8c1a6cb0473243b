"""How the suite itself runs: what the second profile leaves out, and what stays together."""

from pathlib import Path

from tests.both_profiles import ALIKE_EVERYWHERE
from tests.together import Together

_TESTS = Path(__file__).resolve().parents[1]
_SCHEDULER = object.__new__(Together)


def test_what_the_second_profile_leaves_out_is_there() -> None:
    """A name that nothing has leaves nothing out, and nobody would notice."""
    assert [name for name in ALIKE_EVERYWHERE if not (_TESTS / name).exists()] == []


def test_the_second_profile_keeps_the_ledger_the_wall_and_a_journey() -> None:
    left_out = [_TESTS / name for name in ALIKE_EVERYWHERE]
    kept = ("integration/budgets", "integration/audit", "integration/tenants", "integration/access")
    for name in (*kept, "integration/queries/answering", "journeys/test_main_job.py"):
        assert not any((_TESTS / name).is_relative_to(folder) for folder in left_out)


def test_journeys_are_handed_out_as_one_and_modules_whole() -> None:
    """Else each process would start the product and a browser for its share of them."""
    journeys = [f"tests/journeys/{name}::test_it" for name in ("test_one.py", "tasks/test_two.py")]
    modules = [f"tests/unit/{name}::test_it[a::b]" for name in ("test_one.py", "test_two.py")]
    assert len({_SCHEDULER._split_scope(name) for name in journeys}) == 1
    assert len({_SCHEDULER._split_scope(name) for name in modules}) == 2
