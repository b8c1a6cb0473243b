"""L16: what fits is bound by the tightest limit, wherever it stands among the others."""

from datetime import date

import pytest

from dpgov.budgets.charging import Limit
from dpgov.datasets.fitting import PersonalPolicy, fit, too_exact
from dpgov.datasets.rules import Rules
from dpgov.privacy.accounting.loss import PURE
from tests.unit.privacy.tables import blueprint_of, question, release_of, schema_of

WIDE, TIGHT = 9_000, 700
KINDS = ("dataset", "part", "allocation", "rate", "shared_budget")


def limit(kind: str, remaining: int, factor: int = 1) -> Limit:
    """One that this much is left of."""
    renews = date(2026, 12, 1) if kind == "rate" else None
    return Limit(kind, kind, 10_000, remaining, factor, renews_on=renews)


def terms(most: int = WIDE) -> PersonalPolicy:
    """Of a dataset whose policy asks for nothing but this most."""
    return PersonalPolicy(Rules(per_query_nano=most), PURE)


@pytest.mark.parametrize("place", range(len(KINDS)))
@pytest.mark.parametrize("factor", [1, 2])
def test_each_limit_binds_where_it_is_the_tightest(place: int, factor: int) -> None:
    limits = [limit(kind, WIDE) for kind in KINDS]
    limits[place] = limit(KINDS[place], TIGHT * factor, factor)
    found = fit(terms(), limits)
    assert (found.nano, found.in_all_nano, found.binding) == (TIGHT, TIGHT, limits[place])


def test_the_limit_of_one_question_binds_before_any_of_the_ledger() -> None:
    found = fit(terms(most=TIGHT), [limit(kind, WIDE) for kind in KINDS])
    assert (found.nano, found.in_all_nano, found.binding) == (TIGHT, WIDE, None)


AGES = {"column": "age", "edges": [17, 40, 60]}
HOURS = {"column": "hours", "edges": [1, 20, 40]}


@pytest.mark.parametrize(
    ("statistic", "groups"), [("count", []), ("cdf", [AGES]), ("joint_cdf", [AGES, HOURS])]
)
def test_a_cumulative_count_that_is_too_exact_is_refused_like_a_count(
    statistic: str, groups: list[dict[str, object]]
) -> None:
    """L16: the worst count of a distribution has a larger error than its most exact one."""
    raw = question({"statistic": statistic}, epsilon=0.1, group_by=groups)
    blueprint = blueprint_of(raw, schema_of())
    found = too_exact(Rules(per_query_nano=WIDE, least_error=40), blueprint)
    assert found is not None
    assert found <= 31
    assert too_exact(Rules(per_query_nano=WIDE, least_error=30), blueprint) is None


def test_a_range_of_a_distribution_counts_where_it_is_more_exact_than_its_counts() -> None:
    """L16: it is free afterwards, and so is each of its single bins."""
    fine = {"column": "age", "edges": list(range(17, 90))}
    raw = question({"statistic": "cdf"}, epsilon=0.1, group_by=[fine])
    blueprint = blueprint_of(raw, schema_of())
    cells = release_of(blueprint, [])["statistics"][0]["cells"]
    stated = min(cell["accuracy"][1]["value"] for cell in cells)
    found = too_exact(Rules(per_query_nano=WIDE, least_error=10**6), blueprint)
    assert found is not None
    assert found <= stated
