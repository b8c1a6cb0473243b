"""M60, M61: an owner joins a public table to a file before its columns are declared.

What could leak: how many rows find their key, to the owner or anybody else; somebody else's file.
What could overspend: the same people once more with another public table beside them, and rows of
people passed off as a public table. Each has its test below.
"""

import json
from collections.abc import Callable

from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import engine_for
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from dpgov.tenants.models import Membership
from tests.eager import arrived
from tests.integration.datasets.joins.public import (
    AREA,
    OTHER,
    is_there,
    joined_upload,
    registered,
)
from tests.integration.datasets.registering import declared, register, uploaded

SignIn = Callable[[Membership], Client]
ROWS = (Measure(MeasureKind.ROWS),)


def test_each_row_has_the_area_of_its_city(browser: Client) -> None:
    """M60: three of four rows have a city, two Basel and one Bern; rows stay as many."""
    version = current_version(registered(browser))
    assert [column.name for column in version.columns.all()] == ["age", "sex", "area"]
    by_area = ExactRequest((), (CodeGrouping(2, ((0, 0), (1, 1))),), ROWS)
    assert engine_for(version).answer(by_area) == ((2,), (1,), (1,))
    rows = ExactRequest((), (), ROWS)
    assert engine_for(version).answer(rows) == ((4,),)


def test_the_version_names_the_table_and_its_fingerprint(
    browser: Client, analyst: Membership, client_for: SignIn, api_for: Callable[..., APIClient]
) -> None:
    """M61: on the label, in the log and in the API, and for everybody who may ask."""
    dataset = registered(browser)
    joined = current_version(dataset).joined
    assert (joined["name"], joined["key"], joined["columns"]) == ("towns.csv", "city", ["area"])
    page = client_for(analyst).get(reverse("datasets:detail", args=[dataset.slug]))
    told = " ".join(page.content.decode().split())
    assert "area from towns.csv, joined by city (there town)" in told
    assert joined["sha256"] in told
    entry = AuditEntry.objects.filter(action="DATASET_REGISTERED").get()
    assert json.loads(entry.detail)["public_table"] == joined
    found = api_for(analyst).get(f"/api/v1/datasets/{dataset.slug}/").json()
    assert found["public_table"] == joined


def test_another_public_table_is_another_version_of_the_same_people(browser: Client) -> None:
    """M61: the same file with other areas: a version, whose budget is the one there was."""
    dataset = registered(browser)
    upload = joined_upload(browser, OTHER)
    address = reverse("datasets:add_version", args=[dataset.slug, upload.pk])
    response = arrived(browser, browser.post(address, declared(**AREA)))
    assert response.status_code == 302, response.content.decode()
    one, two = DatasetVersion.objects.order_by("number")
    assert one.joined["sha256"] != two.joined["sha256"]
    assert one.file_seal != two.file_seal
    entry = AuditEntry.objects.latest("sequence")
    assert json.loads(entry.detail)["public_table"] == two.joined


def test_the_same_people_keep_one_budget_whatever_is_joined(browser: Client) -> None:
    """M61: registered anew with another public table, or none, the same file shares its budget."""
    first = registered(browser)
    second = registered(browser, OTHER, name="Again")
    register(browser, uploaded(browser), name="Plain")
    third = Dataset.objects.get(name="Plain")
    assert first.budget_id == second.budget_id == third.budget_id


def test_the_raw_table_is_gone_once_it_is_registered(browser: Client) -> None:
    """M60: like the file itself; and neither can be registered once more."""
    registered(browser)
    assert set(Upload.objects.values_list("state", flat=True)) == {"used"}
    assert not any(map(is_there, Upload.objects.all()))


def test_a_table_without_its_file_goes_with_it(browser: Client) -> None:
    """Discarding the file discards the table."""
    upload = joined_upload(browser)
    both = list(Upload.objects.all())
    browser.post(reverse("datasets:discard", args=[upload.pk]))
    assert not Upload.objects.exists()
    assert len(both) == 2
    assert not any(map(is_there, both))


def test_a_public_table_is_no_file_to_register(browser: Client) -> None:
    """It is seen beside its file alone: by its own address there is nothing."""
    upload = joined_upload(browser)
    public = upload.public_tables.get()
    for page in ("datasets:register", "datasets:file", "datasets:join", "datasets:reading"):
        assert browser.get(reverse(page, args=[public.pk])).status_code == 404
    listed = browser.get(reverse("datasets:upload")).content.decode()
    assert str(public.pk) not in listed
