"""Every sentence of every page can be said in another language."""

import re

import pytest
from django.db import models

from dpgov.budgets.models import Budget, LimitChange
from dpgov.datasets.models import Column, Dataset
from dpgov.joint.models import JointQuestion
from dpgov.notices.models import Webhook
from dpgov.queries.models import BudgetRequest, ReadyMade, SavedQuestion
from dpgov.surveys.models import Survey
from dpgov.tenants.models import ApiToken, Project, Tenant, User
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import ROLES, Kind, all_routes
from tests.integration.access.world import World
from tests.integration.language.marking import left_in_english, mark

ROOMS = sorted(
    {route.name.split(":")[0].split("_")[0] for route in all_routes()} - {"v1", "metrics"}
)
# Names of things, in every language the same.
_SAME = {
    *("dpgov", "english", "deutsch", "utc", "csv", "json", "sql", "pdf", "yaml", "png", "svg"),
    *("api", "rest"),
}


@pytest.mark.django_db
@pytest.mark.parametrize("room", ROOMS)
def test_every_sentence_of_a_page_can_be_translated(
    world: World, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = _words_of_data()
    mark(monkeypatch)
    left: list[str] = []
    for route in all_routes():
        door = DOORS[route.name]
        if re.split("[:_]", route.name)[0] != room or door.kind is Kind.API:
            continue
        for role in [role for role in ROLES if role in door.roles]:
            answer = world.knock(role, door.kind, "GET", world.url(route, role, "own"))
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                found = left_in_english(answer.text_of_body, known)
                left += [f"{route.name} as {role}: {text}" for text in found]
    assert left == [], "\n".join(left)


def _words_of_data() -> set[str]:
    texts: list[str] = []
    models_and_fields: list[tuple[type[models.Model], tuple[str, ...]]] = [
        (Budget, ("label",)),
        (Tenant, ("name", "slug")),
        (User, ("name", "email")),
        (Dataset, ("name", "slug", "description")),
        (Project, ("name",)),
        (Webhook, ("url",)),
        (ApiToken, ("name",)),
        (SavedQuestion, ("name",)),
        (ReadyMade, ("name", "purpose")),
        (BudgetRequest, ("reason",)),
        (LimitChange, ("reason",)),
        (JointQuestion, ("title",)),
    ]
    for model, fields in models_and_fields:
        for row in model._default_manager.values_list(*fields):
            texts += row
    for column, categories in Column.objects.values_list("name", "categories"):
        texts += [column, *categories]
    for answers in Survey.objects.values_list("answers", flat=True):
        texts += answers
    for parameters in ReadyMade.objects.values_list("parameters", flat=True):
        texts += [parameter["name"] for parameter in parameters]
    words = {word for text in texts for word in re.findall(r"[^\W\d_]{2,}", text.casefold())}
    return words | _SAME
