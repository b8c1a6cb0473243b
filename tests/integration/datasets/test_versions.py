"""D5, F11: a new version of old people never brings new budget, and touches nothing that was."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import engine_for
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.eager import arrived, refused
from tests.integration.datasets.invented import as_csv, people
from tests.integration.datasets.registering import (
    CSV,
    declared,
    register,
    send_file,
    uploaded,
)
from tests.integration.datasets.test_same_data import spend
from tests.made_once import made_once
from tests.triggers import without_triggers

SignIn = Callable[[Membership], Client]
PEOPLE = people(1)
CITY = {"city__lower": "0", "city__step": "0.5", "city__missing": "drop"}
LARGER = as_csv(PEOPLE + people(2, 20))


@made_once
def dataset_of_people(browser: Client) -> Dataset:
    """Sixty invented people with ε 3, of which 2 are spent."""
    register(browser, uploaded(browser, as_csv(PEOPLE)))
    dataset = Dataset.objects.get()
    spend(dataset, 2 * NANO)
    return dataset


def add_version(browser: Client, dataset: Dataset, content: bytes, **changes: str) -> Any:
    """Post the page of a new version."""
    address = reverse("datasets:add_version", args=[dataset.slug, uploaded(browser, content).pk])
    return arrived(browser, browser.post(address, declared(**changes)))


def test_more_rows_make_a_version_and_leave_the_budget_alone(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """F11, G1: version 2 with the same row of the ledger, and one entry."""
    before = current_version(dataset_of_people)
    response = add_version(browser, dataset_of_people, LARGER)
    assert response.headers["Location"] == reverse("datasets:detail", args=["people"])
    newest = current_version(dataset_of_people)
    assert (before.number, newest.number) == (1, 2)
    budget = Budget.objects.get()
    assert (budget.limit_nano, budget.spent_nano) == (3 * NANO, 2 * NANO)
    rows = ExactRequest((), (), (Measure(MeasureKind.ROWS),))
    assert engine_for(before).answer(rows) == ((60,),)
    assert engine_for(newest).answer(rows) == ((80,),)
    actions = AuditEntry.objects.order_by("sequence").values_list("action", flat=True)
    assert list(actions)[-2:] == ["FILE_UPLOADED", "DATASET_VERSION_ADDED"]


def test_edited_bounds_are_a_new_version_and_the_old_one_keeps_its_own(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """D5: past charges and past domains are unaffected."""
    before = schema_of(current_version(dataset_of_people))
    assert (
        add_version(browser, dataset_of_people, as_csv(PEOPLE), age__upper="90").status_code == 302
    )
    old, new = DatasetVersion.objects.order_by("number")
    assert schema_of(old) == before
    assert new.columns.get(name="age").upper == "90"
    assert old.columns.get(name="age").upper == "120"
    assert list(Charge.objects.values_list("amount_nano", flat=True)) == [2 * NANO]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"age__lower": "121"}, "column-0-upper"),
        ({"age__lower": "5", "age__upper": "5"}, "column-0-upper"),
    ],
    ids=str,
)
def test_impossible_bounds_are_refused_at_their_field(
    browser: Client, dataset_of_people: Dataset, changes: dict[str, str], field: str
) -> None:
    """D5: and nothing has changed; the file can be used again."""
    response = add_version(browser, dataset_of_people, LARGER, **changes)
    assert response.status_code == 422
    assert f'id="id_{field}_error"' in response.content.decode()
    assert DatasetVersion.objects.count() == 1
    assert Upload.objects.latest("created_at").state == Upload.State.READY


def test_a_question_keeps_the_version_that_it_was_asked_of(
    dataset: Dataset, analyst: Membership, owner: Membership, client_for: SignIn, ask: Ask
) -> None:
    """D5: also when a newer one comes before the answer."""
    asked = ask(analyst)
    browser = client_for(owner)
    without = '["hours", "education"]'
    response = add_version(browser, dataset, as_csv(people(5)), without=without)
    assert response.status_code == 302, response.content.decode()
    later = ask(analyst)
    asked.refresh_from_db()
    assert (asked.version.number, later.version.number) == (1, 2)


def test_the_page_fills_in_what_was_declared_before(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """D5: declarations are public; nothing is read from the file."""
    upload = uploaded(browser, LARGER)
    address = reverse("datasets:add_version", args=[dataset_of_people.slug, upload.pk])
    page = browser.get(address).content.decode()
    assert 'name="column-0-upper" value="120"' in page
    assert "The budget, with everything that was spent" in page


def test_an_upload_for_a_version_leads_to_its_page(
    browser: Client, dataset_of_people: Dataset
) -> None:
    address = reverse("datasets:upload") + "?version-of=people"
    from django.core.files.uploadedfile import SimpleUploadedFile

    response = browser.post(address, {"file": SimpleUploadedFile("people.csv", LARGER)})
    assert response.headers["Location"].startswith("/datasets/people/versions/")
    assert send_file(browser).url.startswith("/datasets/new/")
    listed = browser.get(reverse("datasets:versions", args=["people"])).content.decode()
    assert "Version 1, which questions are asked of" in listed
    assert response.headers["Location"] in listed


def test_the_number_of_the_version_is_public(
    browser: Client,
    dataset_of_people: Dataset,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
) -> None:
    api = api_for(analyst)
    assert api.get("/api/v1/datasets/people/").json()["version"] == 1
    add_version(browser, dataset_of_people, LARGER)
    assert api.get("/api/v1/datasets/people/").json()["version"] == 2


def test_people_with_another_budget_cannot_become_a_version(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """F11: otherwise a dataset with budget left would lend it to people who have none left."""
    register(browser, uploaded(browser, as_csv(people(7))), name="Fresh")
    fresh = Dataset.objects.get(name="Fresh")
    for content in (as_csv(PEOPLE), LARGER, as_csv(PEOPLE + people(7))):
        response = add_version(browser, fresh, content)
        assert refused(response)
        assert "resembles other data of yours" in response.content.decode()
    assert fresh.versions.count() == 1


def test_whether_another_tenant_has_these_people_does_not_show_in_a_version(
    browser: Client, dataset_of_people: Dataset, stranger: Membership, client_for: SignIn
) -> None:
    """L1, H8: it becomes one, as it would if nobody else had them."""
    elsewhere = client_for(stranger)
    register(elsewhere, uploaded(elsewhere, as_csv(people(7))), name="Fresh")
    fresh = Dataset.objects.get(name="Fresh")
    add_version(elsewhere, fresh, as_csv(PEOPLE))
    assert fresh.versions.count() == 2


def test_what_was_decided_about_a_dataset_is_not_asked_again(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """F9: other bounds for a dataset that was released although it resembles another one."""
    register(browser, uploaded(browser, as_csv(PEOPLE[1:])), name="Released")
    released = Dataset.objects.get(name="Released")
    with without_triggers():
        Dataset.objects.filter(pk=released.pk).update(held_at=None, held_reason="")
    assert add_version(browser, released, as_csv(PEOPLE[1:]), age__upper="99").status_code == 302
    assert released.versions.count() == 2


def test_under_change_one_the_number_of_rows_stays(browser: Client) -> None:
    """F11: it is public, and part of the guarantee."""
    register(browser, uploaded(browser, as_csv(PEOPLE)), neighbouring="change_one")
    dataset = Dataset.objects.get()
    response = add_version(browser, dataset, LARGER)
    assert refused(response)
    assert "has to stay: 60, and the file has 80" in response.content.decode()
    assert add_version(browser, dataset, as_csv(PEOPLE), age__upper="99").status_code == 302


def test_a_version_that_came_meanwhile_loses_no_column_unseen(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """F11: what was agreed to go was seen beside one version, and says nothing of another's."""
    with_city = declared(city__kind="number", city__upper="3000", **CITY)
    waiting = [
        browser.post(
            reverse("datasets:add_version", args=["people", uploaded(browser, content).pk]), typed
        )
        for content, typed in ((LARGER, with_city), (as_csv(PEOPLE), declared()))
    ]
    response = arrived(browser, waiting[1])
    assert refused(response)
    assert "with columns that this one lacks: city" in response.text
    columns = schema_of(current_version(dataset_of_people)).columns
    assert [spec.name for spec in columns] == ["age", "sex", "city"]


def test_a_double_click_adds_one_version(browser: Client, dataset_of_people: Dataset) -> None:
    """B6: a file is used once."""
    upload = uploaded(browser, LARGER)
    address = reverse("datasets:add_version", args=[dataset_of_people.slug, upload.pk])
    assert arrived(browser, browser.post(address, declared())).status_code == 302
    assert browser.post(address, declared()).headers["Location"] == reverse("datasets:list")
    assert DatasetVersion.objects.count() == 2


AFTERWARDS: dict[str, Callable[[Client, Dataset], object]] = {
    "a new version": lambda browser, dataset: add_version(browser, dataset, LARGER),
    "other bounds": lambda browser, dataset: add_version(
        browser, dataset, as_csv(PEOPLE), age__upper="99"
    ),
    "another name": lambda browser, dataset: browser.post(
        reverse("datasets:rename", args=[dataset.slug]), {"name": "Brand new"}
    ),
    "archived": lambda browser, dataset: browser.post(
        reverse("datasets:archive", args=[dataset.slug])
    ),
    "archived and registered again": lambda browser, dataset: (
        browser.post(reverse("datasets:archive", args=[dataset.slug])),
        register(browser, uploaded(browser, as_csv(PEOPLE)), name="Again", epsilon_limit="50"),
    ),
}


@pytest.mark.parametrize("change", AFTERWARDS.values(), ids=AFTERWARDS.keys())
def test_whatever_is_done_to_a_dataset_what_was_spent_stays_spent(
    browser: Client, dataset_of_people: Dataset, change: Callable[[Client, Dataset], object]
) -> None:
    """F11: one budget, ε 2 of ε 3 spent, before and after."""
    change(browser, dataset_of_people)
    budget = Budget.objects.get()
    assert (budget.limit_nano, budget.spent_nano) == (3 * NANO, 2 * NANO)
    assert set(Dataset.objects.values_list("budget", flat=True)) == {budget.pk}


def test_moved_to_another_tenant_it_is_new_there_and_what_was_spent_stays_spent(
    browser: Client, dataset_of_people: Dataset, stranger: Membership, client_for: SignIn
) -> None:
    """F11, L1: nobody there learns that it was here; what was spent here is not given back."""
    browser.post(reverse("datasets:archive", args=["people"]))
    elsewhere = client_for(stranger)
    register(elsewhere, uploaded(elsewhere, as_csv(PEOPLE)))
    assert Dataset.objects.get(tenant=stranger.tenant).held_at is None
    assert Budget.objects.get(pk=dataset_of_people.budget_id).spent_nano == 2 * NANO


def test_a_name_changes_and_the_address_stays(browser: Client, dataset_of_people: Dataset) -> None:
    """G1: one entry that says both names."""
    address = reverse("datasets:rename", args=["people"])
    assert browser.post(address, {"name": ""}).status_code == 422
    assert browser.post(address, {"name": "Brand new"}).status_code == 302
    assert "Brand new" in browser.get(reverse("datasets:detail", args=["people"])).content.decode()
    entry = AuditEntry.objects.latest("sequence")
    assert entry.action == "DATASET_RENAMED"
    assert "Brand new" in str(entry.detail)


def test_tiny_files_are_versions_too(browser: Client) -> None:
    register(browser, uploaded(browser, CSV))
    dataset = Dataset.objects.get()
    assert add_version(browser, dataset, CSV + b"50,f,Basel\n").status_code == 302
    assert current_version(dataset).number == 2
