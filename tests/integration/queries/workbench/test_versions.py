"""Answers of one question over the versions of its data: as one line, to whom they are shown."""

import json
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client

from dpgov.datasets.models import DatasetVersion
from dpgov.queries.models import Query
from dpgov.queries.workbench.versions import over_versions
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.dashboards.reading import figure

Ask = Callable[..., Query]
ClientFor = Callable[[Membership], Client]
MEAN = ({"statistic": "mean", "column": "age"},)


@pytest.fixture
def second(analyst: Membership, ask: Ask, answer_now: Callable[[], int]) -> list[Query]:
    """A count of version 1, asked twice, the same of version 2 at another price, and a mean."""
    queries = [
        ask(analyst, epsilon=0.25),
        ask(analyst, epsilon=0.5),
        ask(analyst, epsilon=1),
        ask(analyst, statistics=MEAN, epsilon=1),
    ]
    answer_now()
    later = DatasetVersion.objects.get()
    later.pk, later.number = uuid4(), 2
    later.save(force_insert=True)
    Query.objects.filter(pk__in=[queries[2].pk, queries[3].pk]).update(version=later)
    return [Query.objects.select_related("version").get(pk=one.pk) for one in queries]


def test_the_newest_answer_of_each_version_makes_the_line(
    second: list[Query], analyst: Membership, client_for: ClientFor
) -> None:
    """E13: every mark leads to its answer, as the table beside it does; the mean has no line."""
    html = client_for(analyst).get(f"/queries/{second[1].pk}/").text
    (line,) = figure(html, "versions")["data"]
    answers = [Query.objects.get(pk=second[place].pk).release for place in (1, 2)]
    assert line["meta"]["links"] == [f"/queries/{one.pk}/" for one in answers]
    assert line["y"] == [_value(one.body) for one in answers]
    for link in line["meta"]["links"]:
        assert f'<a href="{link}">' in html
    assert len(line["error_y"]["array"]) == 2
    assert over_versions(analyst, second[3]) is None


def test_an_older_answer_stands_for_its_version_on_its_own_page(
    second: list[Query], analyst: Membership
) -> None:
    found = over_versions(analyst, second[0])
    assert found is not None
    assert [row[0].query_id for row in found.rows] == [second[0].pk, second[2].pk]


def test_nobody_is_shown_answers_that_they_may_not_see(
    second: list[Query], analyst: Membership, owner: Membership, stranger: Membership
) -> None:
    """H1: a colleague's answer of version 2 makes no line for an analyst; an owner sees all."""
    colleague = join(analyst.tenant, Role.ANALYST, "carla")
    Query.objects.filter(pk=second[2].pk).update(analyst=colleague.user)
    assert over_versions(analyst, second[1]) is None
    assert over_versions(owner, second[1]) is not None
    assert over_versions(stranger, second[1]) is None


def test_what_waits_or_failed_has_no_number_on_the_line(
    second: list[Query], analyst: Membership, ask: Ask
) -> None:
    waiting = ask(analyst, epsilon=0.125)
    Query.objects.filter(pk=waiting.pk).update(version=second[2].version)
    found = over_versions(analyst, second[1])
    assert found is not None
    assert [row[0].query_id for row in found.rows] == [second[1].pk, second[2].pk]


def _value(body: str) -> float:

    value: float = json.loads(body)["statistics"][0]["cells"][0]["value"]
    return value
