"""L6, L26, L29: what the owners decide after the last look is refused with its own words."""

import pkgutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules
from dpgov.datasets.services import change_policy, set_terms
from dpgov.queries.asking import policy
from dpgov.queries.models import Query
from tests.integration.queries.asking.test_closed import COUNT, TWO, Doors
from tests.integration.queries.asking.test_closed import doors as doors

Unchanged = Callable[[], AbstractContextManager[None]]


def _pause(dataset: Dataset) -> None:
    Dataset.objects.filter(pk=dataset.pk).update(paused_at=timezone.now())


def _only_ready_made(dataset: Dataset) -> None:
    rules = Rules(dataset.per_query_limit_nano, only_ready_made=True)
    change_policy(dataset=dataset, rules=rules, user=dataset.owner)


def _new_terms(dataset: Dataset) -> None:
    set_terms(dataset=dataset, text="For research alone.", user=dataset.owner)


def _for_named_people(dataset: Dataset) -> None:
    Dataset.objects.filter(pk=dataset.pk).update(named_only=True)


REFUSED: dict[Callable[[Dataset], None], tuple[int, str]] = {
    _pause: (409, "paused"),
    _only_ready_made: (409, "only_ready_made"),
    _new_terms: (409, "terms_not_accepted"),
    _for_named_people: (404, "not_found"),
}
ASKING: dict[str, tuple[str, dict[str, Any]]] = {
    "queries": ("submit", COUNT),
    "batches": ("submit", TWO),
    "reuse": ("taking", COUNT),
}


@pytest.mark.parametrize("door", ASKING)
@pytest.mark.parametrize("decide", REFUSED)
def test_what_is_decided_after_the_last_look_is_refused_in_its_own_words(
    doors: Doors,
    unchanged: Unchanged,
    door: str,
    decide: Callable[[Dataset], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The database refuses the row; who asked is told why, and nothing is charged."""
    module, body = ASKING[door]
    room = f"dpgov.queries.asking.{module}"
    allowed = policy.policy_for(doors.dataset, doors.asker.user)
    looks = {f"{room}.refuse_unless_open_to": None, f"{room}.policy_for": allowed}
    # In one transaction all of it would be undone together, so it is decided before, unseen.
    decide(doors.dataset)
    for name, found in looks.items():
        monkeypatch.setattr(name, _once(found, then=pkgutil.resolve_name(name)))
    address, headers = f"/api/v1/datasets/visits/{door}/", {"Idempotency-Key": str(uuid4())}
    before = Query.objects.count()
    with unchanged():
        answer = doors.api.post(address, body, format="json", headers=headers)
    code = answer.json()["errors"][0]["code"]
    assert (answer.status_code, code) == REFUSED[decide]
    assert Query.objects.count() == before


def _once(found: Any, *, then: Callable[..., Any]) -> Callable[..., Any]:
    """The first look finds it as it was."""
    looks = iter([lambda *_: found])
    return lambda *asked: next(looks, then)(*asked)
