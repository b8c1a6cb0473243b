"""L29: where only ready-made questions may be asked, every entrance refuses all others."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules
from dpgov.datasets.services import change_policy
from dpgov.queries.asking.policy import OnlyReadyMade
from tests.integration.queries.asking.test_closed import COUNT, SERVICES, WEB, Doors
from tests.integration.queries.asking.test_closed import doors as doors

Unchanged = Callable[[], AbstractContextManager[None]]


def _only_ready_made(dataset: Dataset) -> None:
    rules = Rules(dataset.per_query_limit_nano, only_ready_made=True)
    change_policy(dataset=dataset, rules=rules, user=dataset.owner)


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_refuses_what_is_not_ready_made(
    doors: Doors, unchanged: Unchanged, service: str
) -> None:
    """L29: free answers too, and also when the dataset was read before its owner said so."""
    _only_ready_made(doors.dataset)
    with unchanged(), pytest.raises(OnlyReadyMade, match="Only ready-made questions"):
        SERVICES[service](doors)


@pytest.mark.parametrize(
    ("door", "status"),
    [
        ("the form", 422),
        ("several", 422),
        ("rows per person", 422),
        ("a free answer", 422),
        ("the API", 409),
        ("its batches", 409),
        ("free in the API", 409),
    ],
)
def test_every_door_refuses_what_is_not_ready_made(
    doors: Doors, unchanged: Unchanged, door: str, status: int
) -> None:
    """L29: the form, SQL, several, the API and free answers; the owner's own question too."""
    _only_ready_made(doors.dataset)
    with unchanged():
        assert WEB[door](doors) == status


def test_prices_say_that_only_ready_made_questions_may_be_asked(doors: Doors) -> None:
    """L29: no amount fits, no permit helps, and no free answer is offered."""
    _only_ready_made(doors.dataset)
    quote = doors.api.post("/api/v1/datasets/visits/quote/", COUNT, format="json").json()
    assert "Only ready-made questions" in quote["refusal"]
    assert (quote["largest_fit_epsilon"], quote["needs_permit"], quote["free"]) == (0, False, [])


def test_the_database_takes_no_other_question_where_only_ready_made_ones_may_be_asked(
    doors: Doors,
) -> None:
    """L29: whoever writes the row, and however the service was got round."""
    asked = doors.submit()
    _only_ready_made(doors.dataset)
    asked.pk, asked.idempotency_key = uuid4(), "by hand"
    with pytest.raises(DatabaseError, match="nothing but ready-made"), transaction.atomic():
        asked.save(force_insert=True)
