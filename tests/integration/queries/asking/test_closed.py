"""L6: a dataset that is closed to questions is closed at every entrance, with one refusal."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import schema_of
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.queries.asking.gate import NotOpen, Paused
from dpgov.queries.asking.once import IdempotencyConflict
from dpgov.queries.asking.submit import submit, submit_batch
from dpgov.queries.models import Query
from dpgov.queries.workbench.saved import save_question, saved_questions
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled
from tests.integration.queries.reusing import BY_SEX, plan, taken
from tests.integration.queries.web.test_batch_page import form_of
from tests.made_once import made_once
from tests.triggers import without_triggers

COUNT: dict[str, Any] = plan()
TWO: dict[str, Any] = {"epsilon": 1, "plans": [{"statistics": COUNT["statistics"]}] * 2}
SQL = 'SELECT COUNT(*) FROM "visits" WITH EPSILON 0.5'
Unchanged = Callable[[], AbstractContextManager[None]]


def _hold(dataset: Dataset) -> None:
    reason = Dataset.HeldReason.LIKE_EARLIER_DATA
    Dataset.objects.filter(pk=dataset.pk).update(held_at=timezone.now(), held_reason=reason)


def _archive(dataset: Dataset) -> None:
    Dataset.objects.filter(pk=dataset.pk).update(archived_at=timezone.now())


def _pause(dataset: Dataset) -> None:
    Dataset.objects.filter(pk=dataset.pk).update(paused_at=timezone.now())


def _freeze(dataset: Dataset) -> None:
    Budget.objects.filter(pk=dataset.budget_id).update(frozen_at=timezone.now())


@dataclass(frozen=True, slots=True)
class Doors:
    """Somebody who may ask, with a page that was opened and a dataset that was read before."""

    asker: Membership
    dataset: Dataset
    browser: Client
    owners: Client
    api: APIClient

    def post(self, to: str, body: Any) -> int:
        headers = {"Idempotency-Key": str(uuid4())}
        address = f"/api/v1/datasets/visits/{to}/"
        return int(self.api.post(address, body, format="json", headers=headers).status_code)

    def page(self, to: str, body: dict[str, Any], owner: bool = False) -> int:
        browser = self.owners if owner else self.browser
        return int(browser.post(f"/datasets/visits/{to}/", body).status_code)

    def submit(self) -> Query:
        key = str(uuid4())
        asked = {"membership": self.asker, "dataset": self.dataset, "raw_plan": COUNT}
        return submit(**asked, idempotency_key=key).query  # type: ignore[arg-type]

    def batch(self) -> tuple[Query, ...]:
        asked = submit_batch(
            membership=self.asker,
            dataset=self.dataset,
            raw_batch=TWO,
            idempotency_key=str(uuid4()),
        )
        return asked.queries


@made_once
def doors(
    analyst: Membership,
    owner: Membership,
    dataset: Dataset,
    client_for: Callable[[Membership], Client],
    api_for: Callable[[Membership], APIClient],
    stored: Callable[..., Query],
) -> Doors:
    """With an answer by sex, which a count of all rows is told by for nothing."""
    stored({"group_by": [{"column": "sex"}]})
    seen = Dataset.objects.select_related("budget").get(pk=dataset.pk)
    assert taken(analyst, seen, BY_SEX).reuse
    return Doors(analyst, seen, client_for(analyst), client_for(owner), api_for(analyst))


WEB: dict[str, Callable[[Doors], int]] = {
    "the form": lambda d: d.page("ask", _form().posted(price="0.5")),
    "its price": lambda d: d.page("quote", _form().posted()),
    "SQL on a page": lambda d: d.page("ask/sql", {"sql": SQL}),
    "several": lambda d: d.page("batch", form_of(COUNT, COUNT, price="1")),
    "rows per person": lambda d: d.page("rows-per-person", {"epsilon": "0.1", "key": "k"}, True),
    "a free answer": lambda d: d.page("reuse", _form().posted()),
    "saving": lambda d: d.page("save", _form().posted(name="Mine")),
    "the API": lambda d: d.post("queries", COUNT),
    "its prices": lambda d: d.post("quote", COUNT),
    "its batches": lambda d: d.post("batches", TWO),
    "SQL in the API": lambda d: d.post("sql", {"sql": SQL}),
    "free in the API": lambda d: d.post("reuse", COUNT),
}
SERVICES: dict[str, Callable[[Doors], object]] = {
    "submit": Doors.submit,
    "submit_batch": Doors.batch,
    "take": lambda d: taken(d.asker, d.dataset, BY_SEX),
}


def _form() -> Filled:
    return Filled().add("statistic", kind="count")


@pytest.mark.parametrize("close", [_hold, _archive])
@pytest.mark.parametrize("door", WEB)
def test_every_door_says_that_nothing_is_there(
    doors: Doors, unchanged: Unchanged, door: str, close: Callable[[Dataset], None]
) -> None:
    """L6: held and archived datasets look missing, and nothing is booked."""
    close(doors.dataset)
    with unchanged():
        assert WEB[door](doors) == 404


@pytest.mark.parametrize("close", [_hold, _archive])
@pytest.mark.parametrize("service", SERVICES)
def test_every_service_refuses_in_the_same_words(
    doors: Doors, unchanged: Unchanged, service: str, close: Callable[[Dataset], None]
) -> None:
    """L6: also when the dataset was read before it was closed."""
    close(doors.dataset)
    with unchanged(), pytest.raises(NotOpen, match="are not admitted"):
        SERVICES[service](doors)


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_refuses_while_it_is_paused(
    doors: Doors, unchanged: Unchanged, service: str
) -> None:
    """L26: free answers too, and also when the dataset was read before the pause."""
    _pause(doors.dataset)
    with unchanged(), pytest.raises(Paused, match="are paused by its owners"):
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
def test_every_door_refuses_while_it_is_paused(
    doors: Doors, unchanged: Unchanged, door: str, status: int
) -> None:
    """L26: the page and the body say why."""
    _pause(doors.dataset)
    with unchanged():
        assert WEB[door](doors) == status


def test_prices_say_that_questions_are_paused(doors: Doors) -> None:
    """L26: nothing fits now, whatever remains."""
    _pause(doors.dataset)
    quote = doors.api.post("/api/v1/datasets/visits/quote/", COUNT, format="json").json()
    assert "paused" in quote["refusal"]
    assert doors.api.get("/api/v1/datasets/visits/budget/").json()["paused"] is True
    assert b"are paused" in doors.browser.get("/datasets/visits/ask/").content


@pytest.mark.parametrize("service", ["submit"])
def test_a_key_used_before_the_pause_names_the_question_and_asks_none(
    doors: Doors, unchanged: Unchanged, service: str
) -> None:
    """L26: the same request again is no new question; under the same key another one is refused."""
    asked = {"membership": doors.asker, "dataset": doors.dataset, "idempotency_key": "before"}
    before = submit(**asked, raw_plan=COUNT).query  # type: ignore[arg-type]
    _pause(doors.dataset)
    with unchanged():
        assert submit(**asked, raw_plan=COUNT).query == before  # type: ignore[arg-type]
        with pytest.raises(IdempotencyConflict):
            submit(**asked, raw_plan=BY_SEX)  # type: ignore[arg-type]


def test_the_database_takes_no_question_of_a_paused_dataset(doors: Doors) -> None:
    """L26: whoever writes the row, and however the page was got round."""
    asked = doors.submit()
    _pause(doors.dataset)
    asked.pk, asked.idempotency_key = uuid4(), "by hand"
    with pytest.raises(DatabaseError, match="takes no question"), transaction.atomic():
        asked.save(force_insert=True)


@pytest.mark.parametrize("service", ["submit", "submit_batch"])
def test_a_frozen_budget_refuses_at_every_service(
    doors: Doors, unchanged: Unchanged, service: str
) -> None:
    """L6: whatever would be charged; free answers are charged to nobody."""
    _freeze(doors.dataset)
    with unchanged(), pytest.raises(BudgetFrozen):
        SERVICES[service](doors)
    assert taken(doors.asker, doors.dataset, BY_SEX).cost_nano == 0


@pytest.mark.parametrize(
    ("door", "status"),
    [("the form", 422), ("several", 422), ("the API", 409), ("its batches", 409)],
)
def test_a_frozen_budget_refuses_at_every_door(
    doors: Doors, unchanged: Unchanged, door: str, status: int
) -> None:
    """L6: the page says why."""
    _freeze(doors.dataset)
    with unchanged():
        assert WEB[door](doors) == status


@pytest.mark.parametrize(
    ("door", "status"), [("the form", 404), ("several", 404), ("the API", 409)]
)
def test_a_dataset_that_is_closed_in_this_very_moment_is_refused(
    doors: Doors,
    unchanged: Unchanged,
    door: str,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L6: between the look at the address and the booking."""

    def closes_while_priced(version: DatasetVersion) -> DatasetSchema:
        _hold(doors.dataset)
        return schema_of(version)

    monkeypatch.setattr("dpgov.queries.asking.asked.schema_of", closes_while_priced)
    with unchanged():
        assert WEB[door](doors) in (status, 422)
    assert not Query.objects.filter(state=Query.State.QUEUED).exists()


def test_a_saved_question_is_not_offered_while_its_dataset_is_closed(doors: Doors) -> None:
    """L6: it is there again once the dataset is."""
    saved = save_question(
        membership=doors.asker, dataset=doors.dataset, name="Mine", plan=dict(COUNT)
    )
    _hold(doors.dataset)
    assert not saved_questions(doors.asker).exists()
    with without_triggers():
        Dataset.objects.filter(pk=doors.dataset.pk).update(held_at=None, held_reason="")
    assert list(saved_questions(doors.asker)) == [saved]
