"""L2: whatever files enter a divided budget, nobody loses more than is booked.

Random files, versions, missing rules, orders of columns, spellings of ids, undeclared columns and
re-registrations, of two owners, through the real reader and the real services. The true loss is
added up from what the stored files hold: a question about a part touches whoever has a row there,
one about everything everybody.
"""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from dpgov.privacy.plan.schema import Neighbouring
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.examples import examples
from tests.integration.datasets.losing import ORDERS, PEOPLE, WRITTEN, History, Step
from tests.made_once import made_once

_ROWS = st.lists(st.sampled_from(["North", "South", "", "Mars"]), min_size=1, max_size=3)
_STEPS = st.builds(
    Step,
    st.one_of(st.none(), st.integers(0, 2)),
    st.tuples(*[_ROWS.map(tuple)] * PEOPLE),
    st.sampled_from(ORDERS),
    st.sampled_from(["", "North", "South"]),
    st.sampled_from(["visits", "region"]),
    st.lists(st.tuples(st.sampled_from(["North", "South", ""]), st.integers(1, 9)), max_size=4).map(
        tuple
    ),
    st.booleans(),
    st.sampled_from(list(WRITTEN)),
    st.booleans(),
)


_CASES = given(
    steps=st.lists(_STEPS, min_size=2, max_size=4),
    named=st.booleans(),
    neighbouring=st.sampled_from(list(Neighbouring)),
)
_BOTH = (("North", "South"),) * PEOPLE
# A column of which nothing is as declared is refused: one of them is somewhere.
_NOWHERE = (("North",), *((("",),) * (PEOPLE - 1)))
_NORTH, _SOUTH = (("North", 9),), (("South", 9),)


def _two(first: Step, second: Step, *, named: bool) -> example:
    """A history that went wrong once."""
    relation = Neighbouring.ADD_REMOVE
    return example(steps=[first, second], named=named, neighbouring=relation)


_COLUMNS_SWAPPED = _two(
    Step(None, _BOTH, ORDERS[0], "", "visits", _NORTH),
    Step(0, _BOTH, ORDERS[0], "", "region", _SOUTH),
    named=True,
)
_OTHER_RULE = _two(
    Step(None, _NOWHERE, ORDERS[0], "North", "visits", _NORTH),
    Step(None, _NOWHERE, ORDERS[0], "South", "visits", _SOUTH),
    named=False,
)
_MOVED = _two(
    Step(None, (("North",),) * PEOPLE, ORDERS[0], "", "visits", _NORTH),
    Step(None, (("South",),) * PEOPLE, ORDERS[2], "", "visits", _SOUTH),
    named=True,
)
_ADDED = _two(
    Step(None, (("North",),) * PEOPLE, ORDERS[0], "", "visits", _NORTH),
    Step(None, (("South", "North"),) * PEOPLE, ORDERS[0], "", "visits", _SOUTH, adds=True),
    named=True,
)
_ADDED_ROWS = _two(
    Step(None, (("North",), ("South",), ("",), ("Mars",)), ORDERS[0], "", "visits", _NORTH),
    Step(None, _NOWHERE, ORDERS[0], "", "visits", _SOUTH, adds=True),
    named=False,
)
_OTHER_IDS = [
    _two(
        Step(None, _BOTH, ORDERS[0], "", "visits", _NORTH),
        Step(0, _BOTH, ORDERS[0], "", "visits", _SOUTH, ids=ids),
        named=True,
    )
    for ids in ("floats", "exponents", "padded")
]
_MOVED_FLOATS = _two(
    Step(None, (("North",),) * PEOPLE, ORDERS[0], "", "visits", _NORTH),
    Step(None, (("South",),) * PEOPLE, ORDERS[0], "", "visits", _SOUTH, ids="exponents"),
    named=True,
)
_OTHERS_IDS = _two(
    Step(None, _BOTH, ORDERS[0], "", "visits", _NORTH),
    Step(0, _BOTH, ORDERS[0], "", "visits", _SOUTH, ids="padded", by_other=True),
    named=True,
)
_OTHERS_MOVED = _two(
    Step(None, (("North",),) * PEOPLE, ORDERS[0], "", "visits", (*_NORTH, *_SOUTH)),
    Step(None, (*((("North",),) * 3), ("South",)), ORDERS[0], "", "visits", (), by_other=True),
    named=True,
)
_ONE_DATABASE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@made_once
def other(owner: Membership) -> Membership:
    """Another owner of the same organisation."""
    return join(owner.tenant, Role.OWNER, "otto")


def _never_more_than_booked(
    owner: Membership,
    other: Membership,
    analyst: Membership,
    steps: list[Step],
    named: bool,
    neighbouring: Neighbouring,
) -> None:
    history = History(owner, other, analyst, named, neighbouring)
    with transaction.atomic():
        for step in steps:
            history.take(step)
            assert history.worst() <= history.booked()
        transaction.set_rollback(True)


@examples(3, suppress_health_check=_ONE_DATABASE)
@_CASES
@_COLUMNS_SWAPPED
@_OTHER_RULE
@_MOVED
@_ADDED
@_ADDED_ROWS
@_OTHER_IDS[0]
@_OTHER_IDS[1]
@_OTHER_IDS[2]
@_MOVED_FLOATS
@_OTHERS_IDS
@_OTHERS_MOVED
def test_nobody_loses_more_than_is_booked(
    owner: Membership,
    other: Membership,
    analyst: Membership,
    steps: list[Step],
    named: bool,
    neighbouring: Neighbouring,
) -> None:
    """L2: a few histories of two to four files."""
    _never_more_than_booked(owner, other, analyst, steps, named, neighbouring)


@pytest.mark.long
@examples(60, suppress_health_check=_ONE_DATABASE)
@_CASES
def test_nobody_loses_more_than_is_booked_in_many_histories(
    owner: Membership,
    other: Membership,
    analyst: Membership,
    steps: list[Step],
    named: bool,
    neighbouring: Neighbouring,
) -> None:
    """L2: the same, many times."""
    _never_more_than_booked(owner, other, analyst, steps, named, neighbouring)
