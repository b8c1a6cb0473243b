"""D6: a column of the file names the people, and all rows of one are protected together."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import engine_for
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.tenants.models import Membership
from tests.eager import arrived, refused
from tests.integration.datasets.registering import declared, register, uploaded
from tests.made_once import made_once

VISITS = b"age,sex,city\n30,f,Ann\n31,f,Ann\n32,m,Ann\n40,m,Bob\n50,f,\n60,x,Cid\n"
NAMED = {"unit": "person", "private_id": "city", "max_rows_per_unit": "2"}


@made_once
def visits(browser: Client) -> Dataset:
    """Six visits of three people and of one that is not named; two rows of each are used."""
    response = register(browser, uploaded(browser, VISITS), **NAMED, max_groups_per_unit="1")
    assert response.status_code == 302, response.content.decode()
    return Dataset.objects.get()


def _exact(version: DatasetVersion, *kinds: MeasureKind) -> tuple[int, ...]:
    bounds = UnitBounds(version.max_rows_per_unit)
    measures = tuple(Measure(kind) for kind in kinds)
    (cell,) = engine_for(version).answer(ExactRequest((), (), measures, bounds))
    return cell


def test_the_unit_is_kept_with_the_dataset_and_with_its_version(visits: Dataset) -> None:
    """G1: and noted in the one entry."""
    version = current_version(visits)
    assert schema_of(version).unit == PrivacyUnit("city", 2, 1)
    assert (version.max_rows_per_unit, version.max_groups_per_unit) == (2, 1)
    assert visits.public_units is None
    detail = json.loads(AuditEntry.objects.get(action="DATASET_REGISTERED").detail)
    assert (detail["unit"], detail["private_id"]) == ("person", "city")
    assert (detail["max_rows_per_unit"], detail["max_groups_per_unit"]) == (2, 1)


def test_rows_over_the_limit_and_rows_of_nobody_are_left_out(visits: Dataset) -> None:
    """D6: two of Ann's three, one of Bob's, one of Cid's."""
    version = current_version(visits)
    assert _exact(version, MeasureKind.ROWS, MeasureKind.UNITS) == (4, 3)


def test_everybody_may_know_the_unit(
    visits: Dataset,
    analyst: Membership,
    client_for: Callable[[Membership], Client],
    api_for: Callable[[Membership], APIClient],
) -> None:
    body = api_for(analyst).get("/api/v1/datasets/people/").json()
    assert (body["privacy_unit"], body["private_id"]) == ("person", "city")
    assert (body["max_rows_per_unit"], body["max_groups_per_unit"]) == (2, 1)
    page = client_for(analyst).get(reverse("datasets:detail", args=["people"])).content.decode()
    assert "each single person, named by city: all their rows" in page
    assert "2 rows at most" in page


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"unit": "person", "max_rows_per_unit": "2"}, "private_id"),
        ({"unit": "person", "private_id": "city"}, "max_rows_per_unit"),
        ({**NAMED, "max_rows_per_unit": "0"}, "max_rows_per_unit"),
        ({**NAMED, "max_rows_per_unit": "2.5"}, "max_rows_per_unit"),
        ({**NAMED, "max_groups_per_unit": "3"}, "max_groups_per_unit"),
        ({**NAMED, "private_id": "nobody"}, "private_id"),
        ({**NAMED, "private_id": "sex"}, "private_id"),
        ({**NAMED, "unit": "row"}, "unit"),
        ({**NAMED, "unit": "household"}, "unit"),
        ({**NAMED, "group_size": "1000", "max_rows_per_unit": "100001"}, "max_rows_per_unit"),
    ],
)
def test_what_cannot_be_kept_is_refused_at_its_field(
    browser: Client, upload: Upload, changes: dict[str, str], field: str
) -> None:
    """D5: nothing is registered."""
    response = register(browser, upload, **changes)
    assert response.status_code == 422
    assert field in response.content.decode().split('id="problems"')[1].split("</ul>")[0]
    assert not Dataset.objects.exists()


def test_the_number_of_people_is_public_where_one_is_changed_and_that_of_rows_is_not(
    browser: Client,
) -> None:
    """D1: another person in the place of one may have more rows or fewer."""
    register(browser, uploaded(browser, VISITS), **NAMED, neighbouring="change_one")
    dataset = Dataset.objects.get()
    assert (dataset.public_rows, dataset.public_units) == (None, 3)
    page = browser.get(reverse("datasets:detail", args=["people"])).content.decode()
    assert "<dt>People</dt> <dd> 3, public </dd>" in " ".join(page.split())


def _add(browser: Client, content: bytes, **changes: str) -> Any:
    upload = uploaded(browser, content)
    url = reverse("datasets:add_version", args=["people", upload.pk])
    return arrived(browser, browser.post(url, declared(**changes)))


def test_a_new_file_keeps_the_unit(browser: Client, visits: Dataset) -> None:
    """F11: whose rows they are never changes, nor how many of each are used."""
    response = _add(browser, VISITS + b"70,f,Dan\n71,f,Dan\n72,m,Dan\n")
    assert response.status_code == 302, response.content.decode()
    version = current_version(visits)
    assert (version.number, schema_of(version).unit) == (2, PrivacyUnit("city", 2, 1))
    assert _exact(version, MeasureKind.ROWS, MeasureKind.UNITS) == (6, 4)


def test_a_file_without_the_column_or_that_asks_about_it_is_no_version(
    browser: Client, visits: Dataset
) -> None:
    other = _add(browser, b"age,sex,town\n30,f,Ann\n")
    assert "The file has no column “city”" in other.content.decode()
    asked = _add(browser, VISITS, city__kind="category", city__categories="Ann\nBob")
    assert "nobody may ask about it" in asked.content.decode()
    assert visits.versions.count() == 1


def test_where_one_person_is_changed_their_number_stays(browser: Client) -> None:
    """F5: more rows of the same people are fine, other people are not."""
    register(browser, uploaded(browser, VISITS), **NAMED, neighbouring="change_one")
    refused = _add(browser, VISITS + b"70,f,Dan\n")
    assert "The number of different ids" in refused.content.decode()
    assert _add(browser, VISITS + b"70,f,Cid\n").status_code == 302


@pytest.mark.parametrize(
    ("changes", "field"),
    [({}, "unit"), ({**NAMED, "private_id": "age", "age__kind": ""}, "private_id")],
)
def test_the_same_data_keeps_the_meaning_of_its_budget(
    browser: Client, visits: Dataset, changes: dict[str, str], field: str
) -> None:
    """F9: losses about rows and losses about people cannot be added up."""
    empty = {f"age__{name}": "" for name in ("lower", "upper", "step")} if changes else {}
    response = register(browser, uploaded(browser, VISITS), name="Again", **changes, **empty)
    assert refused(response)
    assert f'href="#id_{field}' in response.content.decode()
    assert Dataset.objects.count() == 1


def test_a_person_in_two_parts_counts_in_one(browser: Client) -> None:
    """F5: Ann comes as f and as m; only her rows of one of the two are there."""
    register(browser, uploaded(browser, VISITS), **NAMED, partition_column="sex")
    assert _exact(DatasetVersion.objects.get(), MeasureKind.UNITS) == (3,)
    lone = ExactRequest((), (), (Measure(MeasureKind.ROWS),), UnitBounds(3))
    ((rows,),) = engine_for(DatasetVersion.objects.get()).answer(lone)
    assert rows in (3, 4)
