"""L16: what fits is bound by the tightest limit, wherever it stands among the others."""

from datetime import date

import pytest

from dpgov.budgets.charging import Limit
from dpgov.datasets.fitting import Terms, fit
from dpgov.datasets.rules import Rules
from dpgov.privacy.accounting.loss import PURE

WIDE, TIGHT = 9_000, 700
KINDS = ("dataset", "part", "allocation", "rate", "shared_budget")


def limit(kind: str, remaining: int, factor: int = 1) -> Limit:
    """One that this much is left of."""
    renews = date(2026, 12, 1) if kind == "rate" else None
    return Limit(kind, kind, 10_000, remaining, factor, renews_on=renews)


def terms(most: int = WIDE) -> Terms:
    """Of a dataset whose policy asks for nothing but this most."""
    return Terms(Rules(per_query_nano=most), PURE)


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
