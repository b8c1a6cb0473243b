"""F12: what stored answers already say is offered for nothing, and taken only by choice."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge, Reservation
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.queries.asking.quote import priced_blueprint
from dpgov.queries.free.finding import Origin, reusable_for
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership, Role
from tests.cast import answer_query, join, publish_now
from tests.integration.queries.reusing import BY_SEX, FEMALE, body_of, free, plan, taken, ways

pytestmark = pytest.mark.django_db
Asking = Callable[..., Query]


def test_an_identical_question_in_other_words_gets_the_same_numbers(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: whatever it would cost, and under the asker's own plan."""
    first = stored(plan(where=[FEMALE]))
    again = plan(where=[{"not": {"not": FEMALE}}], epsilon=1.5)
    assert ways(dataset, again) == [Origin.IDENTICAL]
    query = taken(analyst, dataset, again)
    body, paid = body_of(query), body_of(first)
    assert body["statistics"][0]["cells"] == paid["statistics"][0]["cells"]
    assert body["plan"]["epsilon"] == 1.5
    assert (body["made_from"], body["guarantee"]["epsilon"]) == ([str(first.pk)], 0)


def test_a_stored_plan_is_read_once_and_a_new_answer_counts_at_once(
    dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: what was asked never changes; which answers there are is looked up for every price."""
    version, asked = current_version(dataset), priced_blueprint(dataset, plan())

    def looked_up() -> tuple[set[str], int]:
        with CaptureQueriesContext(connection) as statements:
            found = reusable_for(version, asked).free
        return {source for one in found for source in one.sources}, len(statements)

    first = stored(BY_SEX)
    assert [looked_up(), looked_up()] == [({str(first.pk)}, 2), ({str(first.pk)}, 1)]
    second = stored(BY_SEX | {"epsilon": 1})
    assert looked_up() == ({str(first.pk), str(second.pk)}, 2)


def test_taking_it_spends_holds_and_charges_nothing_and_is_logged_once(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12, G1: one row, one release, one entry that names the sources."""
    first = stored(BY_SEX)
    before = _ledger()
    entries = AuditEntry.objects.count()
    query = taken(analyst, dataset, plan())
    assert _ledger() == before
    assert (query.state, query.cost_nano, query.reuse) == (Query.State.RELEASED, 0, True)
    assert query.sources == [str(first.pk)]
    assert AuditEntry.objects.count() == entries + 1
    entry = AuditEntry.objects.get(action="QUERY_REUSED")
    detail = json.loads(entry.detail)
    assert detail["sources"] == [str(first.pk)]
    assert detail["release_sha256"] == Release.objects.get(query=query).sha256
    assert detail["epsilon"] == "0"


def _ledger() -> tuple[Any, ...]:
    return (
        list(Budget.objects.values_list("limit_nano", "reserved_nano", "spent_nano")),
        Reservation.objects.count(),
        Charge.objects.count(),
    )


def test_a_total_is_made_of_a_histogram_with_a_wider_interval(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: three cells of noise are added up, and the statement says so."""
    first = stored(BY_SEX)
    assert ways(dataset, plan()) == [Origin.DERIVED]
    (cell,) = body_of(taken(analyst, dataset, plan()))["statistics"][0]["cells"]
    cells = body_of(first)["statistics"][0]["cells"]
    assert cell["value"] == sum(one["value"] for one in cells)
    assert cell["accuracy"][1]["value"] > cells[0]["accuracy"][1]["value"]


def test_several_answers_are_put_together_where_that_is_better(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: the most exact first, and the identical one after it."""
    one, two = stored(plan(epsilon=0.4)), stored(plan(epsilon=0.5))
    offers = free(dataset, plan())
    assert [offer.origin for offer in offers] == [Origin.COMBINED, Origin.IDENTICAL]
    assert set(offers[0].sources) == {str(one.pk), str(two.pk)}
    assert offers[1].sources == (str(two.pk),)
    errors = [offer.expected[0][1][1]["value"] for offer in offers]
    assert errors[0] < errors[1]
    query = taken(analyst, dataset, plan(), choice=offers[0].choice)
    accuracy = body_of(query)["statistics"][0]["cells"][0]["accuracy"]
    assert accuracy[1]["value"] == errors[0]


def test_a_better_way_is_told_even_when_it_has_to_be_asked_for(
    dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: what asking again and putting both together would give."""
    stored(plan(epsilon=0.5))
    blueprint = priced_blueprint(dataset, plan(epsilon=0.5))
    known = reusable_for(current_version(dataset), blueprint)
    assert known.with_new is not None
    alone = blueprint.expected(None)[0][2][1]["value"]
    assert known.with_new[0][1][1]["value"] < alone


def test_answers_of_a_live_table_are_put_together_with_none_of_another_moment(
    dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: one stored answer is free as it was; an average of two moments is true of neither."""
    stored(plan(epsilon=0.4)), stored(plan(epsilon=0.5))
    blueprint = priced_blueprint(dataset, plan())
    live = replace(blueprint, schema=replace(blueprint.schema, is_live=True))
    known = reusable_for(current_version(dataset), live)
    assert [offer.origin for offer in known.free] == [Origin.IDENTICAL]
    assert len(known.free[0].sources) == 1
    assert known.with_new is None


def test_nothing_is_offered_where_nothing_is_stored_or_fits(
    dataset: Dataset, stored: Callable[..., Query]
) -> None:
    assert free(dataset, plan()) == ()
    stored(plan())
    assert free(dataset, plan({"statistic": "median", "column": "age"})) == ()
    assert free(dataset, plan(where=[FEMALE])) == ()


def test_an_answer_counts_once_it_is_published(
    analyst: Membership, dataset: Dataset, ask: Asking
) -> None:
    """E6, L4: before that its being there must not be told."""
    assert answer_query(ask(analyst).pk)
    assert free(dataset, plan()) == ()
    publish_now()
    assert free(dataset, plan()) != ()


def test_everybodys_answers_count_and_nobody_is_named(
    tenant: Any, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: released to the tenant; the offer and the answer show no person."""
    other = join(tenant, Role.ANALYST, "ben")
    stored(plan())
    query = taken(other, dataset, plan())
    assert query.analyst_id == other.user_id
    assert "anna" not in Release.objects.get(query=query).body


def test_an_answer_made_of_others_is_no_source_again(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: its noise is that of its sources and must not count twice."""
    first = stored(BY_SEX)
    taken(analyst, dataset, plan())
    (offer,) = free(dataset, plan())
    assert (offer.origin, offer.sources) == (Origin.DERIVED, (str(first.pk),))


def test_answers_from_before_forms_were_kept_are_not_used(
    dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: they may have been drawn and stored otherwise."""
    stored(plan())
    Query.objects.update(canonical_sha256="")
    assert free(dataset, plan()) == ()
