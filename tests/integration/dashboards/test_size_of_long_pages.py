"""E8, E11: a page of a long history stays small, and says where it shows less than there is."""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.budgets.models import Budget, Charge, Reservation
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.dashboards.reading import figure, page
from tests.made_once import made_once

ClientFor = Callable[[Membership], Client]
STEPS = 3_000
LARGEST = 300 * 1024
_NANO = 1_000_000


@made_once
def long_history(dataset: Dataset, analyst: Membership) -> Dataset:
    """So many charged questions, one in ten minutes."""
    version, now = current_version(dataset), timezone.now()
    moments = [now - timedelta(minutes=10 * n) for n in range(STEPS, 0, -1)]
    queries = [_question(dataset, version.pk, analyst, at) for at in moments]
    Query.objects.bulk_create(queries)
    charges = [
        Charge(
            tenant=dataset.tenant,
            budget=dataset.budget,
            query_id=query.pk,
            amount_nano=_NANO,
            spent_after_nano=_NANO * (n + 1),
        )
        for n, query in enumerate(queries)
    ]
    _at_their_moments(charges, moments)
    Reservation.objects.bulk_create(
        Reservation(
            tenant=dataset.tenant,
            budget=dataset.budget,
            query_id=query.pk,
            amount_nano=_NANO,
            state=Reservation.State.SETTLED,
            counted_on=at.date(),
        )
        for query, at in zip(queries, moments, strict=True)
    )
    Budget.objects.filter(pk=dataset.budget_id).update(spent_nano=STEPS * _NANO)
    return dataset


def _question(dataset: Dataset, version: UUID, analyst: Membership, at: datetime) -> Query:
    return Query(
        tenant=dataset.tenant,
        dataset=dataset,
        version_id=version,
        analyst=analyst.user,
        plan={"statistics": [{"statistic": "count"}], "where": [], "group_by": [], "epsilon": 1},
        kind="count-overall",
        cost_nano=_NANO,
        idempotency_key=str(uuid4()),
        body_hash="0" * 64,
        state=Query.State.RELEASED,
        submitted_at=at,
        opened_at=at,
        ended_at=at,
        visible_at=at,
    )


def _at_their_moments(charges: list[Charge], moments: list[datetime]) -> None:
    """Booked then: a charge has the moment of its insertion, and is never changed."""
    field = Charge._meta.get_field("created_at")
    field.auto_now_add = False
    try:
        for charge, at in zip(charges, moments, strict=True):
            charge.created_at = at
        Charge.objects.bulk_create(charges)
    finally:
        field.auto_now_add = True


@pytest.mark.parametrize(
    ("role", "said"), [("owner", "evenly spaced moments"), ("analyst", "older ones day by day")]
)
def test_a_budget_page_of_thousands_of_questions_is_small_and_says_so(
    role: str,
    said: str,
    long_history: Dataset,
    client_for: ClientFor,
    request: pytest.FixtureRequest,
) -> None:
    """E8: the chart has a few hundred points, the last of them exact."""
    member = request.getfixturevalue(role)
    address = reverse("dashboards:budget", args=[long_history.slug]) + "?range=all"
    html = page(client_for(member), address)
    left = next(one for one in figure(html, "over-time")["data"] if one["meta"]["role"] == "spent")
    assert len(html.encode()) < LARGEST
    assert 50 < len(left["y"]) <= 600
    limit = long_history.budget.limit_nano
    assert left["y"][-1] == pytest.approx((limit - STEPS * _NANO) / 10**9)
    assert said in html


def test_a_short_history_is_drawn_whole(
    dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(owner), reverse("dashboards:budget", args=[dataset.slug]))
    assert "than a chart can show" not in html


def test_a_long_list_of_datasets_comes_in_pages(
    dataset: Dataset, owner: Membership, client_for: ClientFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E8: two datasets in pages of one."""
    other = Dataset.objects.get(pk=dataset.pk)
    other.pk, other.slug, other.name = uuid4(), "zoo", "Zoo visits"
    other.save(force_insert=True)
    monkeypatch.setattr("dpgov.datasets.web.registered._DATASETS_PAGE", 1)
    client, path = client_for(owner), reverse("datasets:list")
    assert "Zoo visits" not in page(client, path)
    assert "Zoo visits" in page(client, path + "?page=2")
