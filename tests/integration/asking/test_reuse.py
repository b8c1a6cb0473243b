"""F12: what stored answers already say is offered for nothing, and taken only by choice."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge, Reservation
from dpgov.dashboards.reconciliation.report import reconcile
from dpgov.dashboards.selectors import outlook
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.privacy.derived import SourceChanged
from dpgov.queries.models import DayTally, Query, Release, Tally
from dpgov.queries.quote import priced_blueprint
from dpgov.queries.receipt import receipt_of
from dpgov.queries.refunding import NotRefundable, request_refund
from dpgov.queries.reuse import FreeAnswer, Way, reusable_for
from dpgov.queries.submit import IdempotencyConflict, InvalidKey
from dpgov.queries.taking import NothingFree, take
from dpgov.queries.tally import tally
from dpgov.tenants.models import Membership, Role
from tests.cast import join

pytestmark = pytest.mark.django_db

COUNT = {"statistic": "count"}
SEX = {"column": "sex"}
FEMALE = {"column": "sex", "op": "=", "value": "Female"}
Asking = Callable[..., Query]


def plan(*statistics: dict[str, Any], epsilon: float = 0.5, **more: Any) -> dict[str, Any]:
    return {"statistics": list(statistics or [COUNT]), "epsilon": epsilon, **more}


BY_SEX = plan(group_by=[SEX])


@pytest.fixture
def stored(
    analyst: Membership, dataset: Dataset, ask: Asking, answer_now: Callable[[], int]
) -> Callable[..., Query]:
    """A paid question whose answer may be seen."""

    def answered(raw: dict[str, Any], by: Membership | None = None) -> Query:
        query = ask(by or analyst, **raw)
        answer_now()
        query.refresh_from_db()
        return query

    return answered


def free(dataset: Dataset, raw: dict[str, Any]) -> tuple[FreeAnswer, ...]:
    blueprint = priced_blueprint(dataset, raw)
    return reusable_for(current_version(dataset), blueprint).free


def ways(dataset: Dataset, raw: dict[str, Any]) -> list[Way]:
    return [one.way for one in free(dataset, raw)]


def taken(
    who: Membership, dataset: Dataset, raw: dict[str, Any], *, choice: str = "", key: str = ""
) -> Query:
    return take(
        membership=who,
        dataset=dataset,
        raw_plan=raw,
        idempotency_key=key or str(uuid4()),
        choice=choice,
    ).query


def body_of(query: Query) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(Release.objects.get(query=query).body)
    return body


def test_an_identical_question_in_other_words_gets_the_same_numbers(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: whatever it would cost, and under the asker's own plan."""
    first = stored(plan(where=[FEMALE]))
    again = plan(where=[{"not": {"not": FEMALE}}], epsilon=1.5)
    assert ways(dataset, again) == [Way.IDENTICAL]
    query = taken(analyst, dataset, again)
    body, paid = body_of(query), body_of(first)
    assert body["statistics"][0]["cells"] == paid["statistics"][0]["cells"]
    assert body["plan"]["epsilon"] == 1.5
    assert (body["made_from"], body["guarantee"]["epsilon"]) == ([str(first.pk)], 0)


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
    assert ways(dataset, plan()) == [Way.DERIVED]
    (cell,) = body_of(taken(analyst, dataset, plan()))["statistics"][0]["cells"]
    cells = body_of(first)["statistics"][0]["cells"]
    assert cell["value"] == sum(one["value"] for one in cells)
    assert cell["accuracy"][1]["value"] > cells[0]["accuracy"][1]["value"]


def test_several_answers_are_put_together_where_that_is_better(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: identical first; then what has a smaller error."""
    one, two = stored(plan(epsilon=0.4)), stored(plan(epsilon=0.5))
    offers = free(dataset, plan())
    assert [offer.way for offer in offers] == [Way.IDENTICAL, Way.COMBINED]
    assert offers[0].sources == (str(two.pk),)
    assert set(offers[1].sources) == {str(one.pk), str(two.pk)}
    errors = [offer.expected[0][1][1]["value"] for offer in offers]
    assert errors[1] < errors[0]
    query = taken(analyst, dataset, plan(), choice=offers[1].choice)
    accuracy = body_of(query)["statistics"][0]["cells"][0]["accuracy"]
    assert accuracy[1]["value"] == errors[1]


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


def test_nothing_is_offered_where_nothing_is_stored_or_fits(
    dataset: Dataset, stored: Callable[..., Query]
) -> None:
    assert free(dataset, plan()) == ()
    stored(plan())
    assert free(dataset, plan({"statistic": "median", "column": "age"})) == ()
    assert free(dataset, plan(where=[FEMALE])) == ()


def test_an_answer_counts_once_its_slot_has_come(
    analyst: Membership, dataset: Dataset, ask: Asking, answer_all: Callable[[], int]
) -> None:
    """E6: before that its being there must not be told."""
    ask(analyst)
    answer_all()
    Query.objects.update(visible_at=timezone.now() + timedelta(hours=1))
    assert free(dataset, plan()) == ()


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
    assert (offer.way, offer.sources) == (Way.DERIVED, (str(first.pk),))


def test_answers_from_before_forms_were_kept_are_not_used(
    dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """F12: they may have been drawn and stored otherwise."""
    stored(plan())
    Query.objects.update(canonical_sha256="")
    assert free(dataset, plan()) == ()


def test_the_same_key_takes_it_once(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    stored(plan())
    first = taken(analyst, dataset, plan(), key="k-1")
    assert taken(analyst, dataset, plan(), key="k-1") == first
    assert AuditEntry.objects.filter(action="QUERY_REUSED").count() == 1
    with pytest.raises(IdempotencyConflict):
        taken(analyst, dataset, plan(epsilon=1), key="k-1")
    with pytest.raises(InvalidKey):
        taken(analyst, dataset, plan(), key="two words")


def test_what_is_not_there_is_refused_and_changes_nothing(
    analyst: Membership,
    dataset: Dataset,
    stored: Callable[..., Query],
    unchanged: Callable[[], Any],
) -> None:
    stored(plan())
    with unchanged(), pytest.raises(NothingFree):
        taken(analyst, dataset, plan(where=[FEMALE]))
    with unchanged(), pytest.raises(NothingFree):
        taken(analyst, dataset, plan(), choice="0" * 16)


@pytest.mark.tampers_with_ledger
def test_a_source_that_was_drawn_otherwise_is_refused(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    first = stored(plan())
    changed = {**first.plan, "epsilon": 0.25}
    Query.objects.filter(pk=first.pk).update(plan=changed)
    with pytest.raises(SourceChanged):
        taken(analyst, dataset, plan())
    assert not Query.objects.filter(reuse=True).exists()


def test_sums_balances_and_refunds_know_that_it_was_free(
    analyst: Membership, owner: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """A8: tallies add nothing, the outlook is not misled, nothing can be given back."""
    stored(plan())
    query = taken(analyst, dataset, plan())
    before = outlook(dataset, analyst)
    taken(analyst, dataset, plan())
    assert outlook(dataset, analyst) == before
    assert tally(dataset.tenant_id) == 3
    assert [t.nano for t in Tally.objects.all()] == [500_000_000]
    assert [t.nano for t in DayTally.objects.all()] == [500_000_000]
    with pytest.raises(NotRefundable):
        request_refund(membership=owner, query=query, reason="never read")


def test_books_agree_and_a_receipt_is_given(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """G8: the reconciliation knows such questions, whatever is done to them afterwards."""
    stored(plan())
    query = taken(analyst, dataset, plan())
    assert list(reconcile(dataset.tenant).findings) == []
    assert receipt_of(query, Release.objects.get(query=query))["query"] == str(query.pk)
    Query.objects.filter(pk=query.pk).update(reuse=False, cost_nano=1)
    assert list(reconcile(dataset.tenant).findings)


@pytest.mark.parametrize("change", [{"cost_nano": 1}, {"state": "queued"}, {"reuse": False}])
def test_the_database_keeps_free_and_paid_apart(
    change: dict[str, Any],
    analyst: Membership,
    dataset: Dataset,
    stored: Callable[..., Query],
) -> None:
    """A1: nothing is free but a reuse, and a reuse costs nothing."""
    stored(plan())
    query = taken(analyst, dataset, plan())
    with pytest.raises(IntegrityError):
        Query.objects.filter(pk=query.pk).update(**change)


def test_offers_are_found_by_index_with_few_statements(
    dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """K: the same number of statements for one stored answer and for several."""
    stored(plan())
    blueprint, version = priced_blueprint(dataset, plan()), current_version(dataset)
    with CaptureQueriesContext(
        connection,
    ) as one:
        reusable_for(version, blueprint)
    stored(BY_SEX)
    stored(plan(epsilon=0.25))
    with CaptureQueriesContext(connection) as three:
        reusable_for(version, blueprint)
    assert len(three) == len(one) <= 4
