"""Answers of one question over the versions of its data: as one line, to whom they are shown."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.datasets.services import add_version, receive_upload
from dpgov.privacy.plan.domains import category_domain, numeric_domain
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, MissingRule
from dpgov.queries.models import Query
from dpgov.queries.workbench import versions
from dpgov.queries.workbench.versions import over_versions
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.dashboards.reading import figure
from tests.small_dataset import COLUMNS, CSV

Ask = Callable[..., Query]
ClientFor = Callable[[Membership], Client]
MEAN = ({"statistic": "mean", "column": "age"},)


@pytest.fixture
def later(dataset: Dataset, owner: Membership) -> Callable[..., None]:
    """The same file handed in as the next version, perhaps declared otherwise."""

    def added(columns: tuple[ColumnSpec, ...] = COLUMNS) -> None:
        upload = receive_upload(
            tenant=owner.tenant, uploader=owner.user, name="visits.csv", chunks=[CSV.encode()]
        )
        add_version(dataset=dataset, upload=upload, columns=columns, user=owner.user)

    return added


@pytest.fixture
def second(
    analyst: Membership, ask: Ask, answer_now: Callable[[], int], later: Callable[[], None]
) -> list[Query]:
    """A count of version 1, asked twice, the same of version 2 at another price, and a mean."""
    first = [ask(analyst, epsilon=0.25), ask(analyst, epsilon=0.5)]
    answer_now()
    later()
    newer = [ask(analyst, epsilon=1), ask(analyst, statistics=MEAN, epsilon=1)]
    answer_now()
    return [Query.objects.select_related("version").get(pk=one.pk) for one in (*first, *newer)]


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


def test_of_many_versions_the_one_that_is_looked_at_is_on_the_line(
    analyst: Membership, ask: Ask, answer_now: Callable[[], int], later: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A live table that is refreshed every night has more than a line shows."""
    asked = [ask(analyst).pk]
    for _ in range(3):
        answer_now()
        later()
        asked.append(ask(analyst).pk)
    answer_now()
    monkeypatch.setattr(versions, "_MOST_VERSIONS", 2)
    for looked_at, shown in ((0, asked[:2]), (1, asked[1:3]), (2, asked[2:]), (3, asked[2:])):
        query = Query.objects.select_related("version").get(pk=asked[looked_at])
        found = over_versions(analyst, query)
        assert found is not None
        assert [row[0].query_id for row in found.rows] == shown


def test_nobody_is_shown_answers_that_they_may_not_see(
    analyst: Membership, owner: Membership, stranger: Membership, ask: Ask,
    answer_now: Callable[[], int], later: Callable[[], None],
) -> None:  # fmt: skip
    """H1: a colleague's answer of version 2 makes no line for an analyst; an owner sees all."""
    asked = ask(analyst)
    answer_now()
    later()
    ask(join(analyst.tenant, Role.ANALYST, "carla"))
    answer_now()
    own = Query.objects.select_related("version").get(pk=asked.pk)
    assert over_versions(analyst, own) is None
    assert over_versions(owner, own) is not None
    assert over_versions(stranger, own) is None


def test_a_version_declared_in_another_order_is_on_the_line_of_the_same_question_alone(
    analyst: Membership, ask: Ask, answer_now: Callable[[], int], later: Callable[..., None]
) -> None:
    """E13: a form is in codes, and where the categories changed places, so did their codes."""
    first = ask(analyst, where=_of("Female"))
    answer_now()
    later(tuple(_turned(column) for column in COLUMNS))
    other, same = ask(analyst, where=_of("Male")), ask(analyst, where=_of("Female"))
    answer_now()
    read = {q.pk: q for q in Query.objects.select_related("version").filter(dataset=first.dataset)}
    assert read[first.pk].canonical_sha256 == read[other.pk].canonical_sha256
    found = over_versions(analyst, read[first.pk])
    assert found is not None
    assert [row[0].query_id for row in found.rows] == [first.pk, same.pk]
    assert over_versions(analyst, read[other.pk]) is None


def test_a_filter_that_once_meant_every_row_is_another_question_where_it_does_not(
    analyst: Membership, ask: Ask, answer_now: Callable[[], int], later: Callable[..., None]
) -> None:
    """E13: both sexes were all that was declared; with a third they are not."""
    first = ask(analyst)
    answer_now()
    more = category_domain(("Female", "Male", "Other"))
    later(tuple(replace(c, domain=more) if c.name == "sex" else c for c in COLUMNS))
    both = ask(analyst, where=[{"column": "sex", "op": "in", "value": ["Female", "Male"]}])
    answer_now()
    for one in Query.objects.select_related("version").filter(pk__in=[first.pk, both.pk]):
        assert over_versions(analyst, one) is None


def _wider(column: ColumnSpec) -> ColumnSpec:
    wider = replace(column, domain=numeric_domain("0", "200", "1"))
    return wider if column.name == "age" else column


def _imputed(column: ColumnSpec) -> ColumnSpec:
    return replace(column, missing=MissingRule.IMPUTE, impute_code=0)


@pytest.mark.parametrize("otherwise", [_wider, _imputed])
def test_answers_within_other_bounds_or_with_another_rule_make_no_line(
    otherwise: Callable[[ColumnSpec], ColumnSpec],
    analyst: Membership,
    ask: Ask,
    answer_now: Callable[[], int],
    later: Callable[..., None],
    client_for: ClientFor,
) -> None:
    """E13: they differ by what was declared, and not by the data."""
    first, counted = ask(analyst, statistics=MEAN), ask(analyst)
    answer_now()
    later(tuple(otherwise(column) if column.name == "age" else column for column in COLUMNS))
    second, counted_again = ask(analyst, statistics=MEAN), ask(analyst)
    answer_now()
    read = {q.pk: q for q in Query.objects.select_related("version").filter(dataset=first.dataset)}
    assert over_versions(analyst, read[first.pk]) is None
    assert over_versions(analyst, read[counted.pk]) is not None

    def compared(*chosen: Query) -> str:
        listed = "&".join(f"answer={one.pk}" for one in chosen)
        return client_for(analyst).get(f"/datasets/visits/compare/?{listed}").text

    assert "Declared otherwise than for A: B." in compared(first, second)
    assert "Declared otherwise" not in compared(counted, counted_again)


def test_no_version_is_lost_behind_the_answers_of_another_one(
    analyst: Membership,
    ask: Ask,
    answer_now: Callable[[], int],
    later: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """E13: as few as are read of versions that were declared otherwise, each has its share."""
    monkeypatch.setattr(versions, "_MOST_READ", 2)
    asked = [ask(analyst, epsilon=0.25)]
    answer_now()
    for columns in (tuple(_turned(column) for column in COLUMNS), COLUMNS):
        later(columns)
        asked += [ask(analyst, epsilon=0.25), ask(analyst, epsilon=0.5)]
        answer_now()
    newest = Query.objects.select_related("version").get(pk=asked[-1].pk)
    found = over_versions(analyst, newest)
    assert found is not None
    assert [row[0].query_id for row in found.rows] == [asked[0].pk, asked[2].pk, asked[4].pk]


def _of(sex: str) -> list[dict[str, str]]:
    return [{"column": "sex", "op": "=", "value": sex}]


def _turned(column: ColumnSpec) -> ColumnSpec:
    if not isinstance(column.domain, CategoryDomain):
        return column
    return replace(column, domain=category_domain(column.domain.categories[::-1]))


def test_what_waits_has_no_number_on_the_line(
    second: list[Query], analyst: Membership, ask: Ask
) -> None:
    ask(analyst, epsilon=0.125)
    found = over_versions(analyst, second[1])
    assert found is not None
    assert [row[0].query_id for row in found.rows] == [second[1].pk, second[2].pk]


def _value(body: str) -> float:

    value: float = json.loads(body)["statistics"][0]["cells"][0]["value"]
    return value
