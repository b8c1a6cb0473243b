"""A9: a restored database may be older than its last share: workers and openings wait in it.

What could leak: a second share of one party, with the mask of the first and noise of its own. Both
together tell whoever has both databases what two answers would, for the price of one.
"""

import pytest
from django.db import connection

from dpgov.budgets.models import DatabaseMark
from dpgov.budgets.services import freezing
from dpgov.joint.models import JointQuestion, Party, Share
from dpgov.joint.services import joint_round
from dpgov.queries.models import Query
from tests.integration.joint.made import Side, all_joined, look, query_of


def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this were a copy of the database, in another place; nobody has noticed yet."""
    DatabaseMark.objects.update_or_create(pk=1, defaults={"identity": "where it was"})
    monkeypatch.setattr(freezing, "identity", lambda: "another server")
    connection.dpgov_at_home = None  # type: ignore[attr-defined]


def test_no_share_is_drawn_in_a_database_that_moved(
    sides: list[Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: it may have been sent in what the backup lacks; nothing is frozen by then."""
    all_joined(sides)
    look(sides), joint_round()
    _restored(monkeypatch)
    assert look(sides) == 0
    assert Share.objects.count() == 0


def test_nothing_is_opened_and_no_key_goes_out_in_a_database_that_moved(
    sides: list[Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: an opening charges everybody, by balances that may be too low."""
    question = all_joined(sides)
    look(sides[:2])
    _restored(monkeypatch)
    assert look(sides) == 0
    assert Party.objects.filter(public_key="").count() == 1
    Party.objects.filter(public_key="").update(public_key="ab" * 32)
    assert joint_round() == 0
    assert JointQuestion.objects.get(pk=question.pk).opened_at is None
    assert {query_of(one, question).state for one in sides} == {Query.State.RUNNING}
