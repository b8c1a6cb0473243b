"""M71: a join in SQL is a question on the dataset that was derived from both, or refused.

What could leak: that there is a dataset which the asker may not see, or one derived from it. Both
are refused in the words, and by the reads, of what there never was. Nothing is spent by reading.
"""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.datasets.services import change_audience
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.datasets.derived.family import derived

ApiFor = Callable[[Membership], APIClient]
JOIN = "SELECT AVG(paid), COUNT(*) FROM {} JOIN {} USING ({}) WITH EPSILON 0.5"


def _sent(api: APIClient, to: str, *names: str) -> Any:
    text = JOIN.format(*names) if names[1:] else names[0]
    return api.post(f"/api/v1/datasets/{to}/sql/", {"sql": text}, format="json")


def test_a_join_is_priced_and_asked_of_the_derived_dataset(
    analyst: Membership, both: Dataset, api_for: ApiFor, client_for: Callable[[Membership], Client]
) -> None:
    """From the door of either parent, or its own; in any order."""
    api = api_for(analyst)
    for to, first, second in (
        ("visits", "visits", "costs"),
        ("costs", "Costs", "visits"),
        (both.slug, "costs", "visits"),
    ):
        found = _sent(api, to, first, second, "ID")
        assert found.status_code == 200, found.json()
        assert found.json()["plan"]["dataset"] == both.slug
    text = "SELECT AVG(c.paid) FROM visits v JOIN costs c USING (id) WHERE v.days > 3"
    page = client_for(analyst).post("/datasets/visits/ask/sql/", {"sql": text, "epsilon": "0.5"})
    assert page.context["dataset"] == both
    assert f'action="/datasets/{both.slug}/' in page.text
    assert not Query.objects.exists()


def test_what_is_not_seen_is_refused_as_what_there_is_not(
    analyst: Membership,
    owner: Membership,
    both: Dataset,
    visits_and_costs: tuple[Dataset, Dataset],
    api_for: ApiFor,
) -> None:
    """With as many statements, too."""
    change_audience(dataset=visits_and_costs[1], named_only=True, named=[], user=owner.user)
    api, told = api_for(analyst), set()
    # The first call of a token notes that it was used.
    _sent(api, "visits", "visits", "costs", "id")
    for other in ("costs", "there-never-was-one", "visits"):
        with CaptureQueriesContext(
            connection,
        ) as statements:
            found = _sent(api, "visits", "visits", other, "id")
        assert found.status_code == 400
        (error,) = found.json()["errors"]
        told.add((error["detail"], len(statements)))
    ((words, _number),) = told
    assert "A data owner makes one" in words


def test_a_join_that_means_no_one_dataset_is_refused(
    analyst: Membership, owner: Membership, both: Dataset, api_for: ApiFor
) -> None:
    """By another column than the unit, or of a pair of which there are two; each says the way."""
    api = api_for(analyst)
    wrong = _sent(api, "visits", "visits", "costs", "ward").json()["errors"][0]["detail"]
    assert "USING (id)" in wrong
    second = derived(owner, name="Once more")
    several = _sent(api, "visits", "visits", "costs", "id").json()["errors"][0]["detail"]
    assert f"{second.slug}, {both.slug}" in several
    mine = _sent(api, second.slug, "visits", "costs", "id").json()
    assert mine["plan"]["dataset"] == second.slug
