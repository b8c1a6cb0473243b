"""An owner turns a file into a dataset in the browser."""

import re
from decimal import Decimal
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import UploadUsed, engine_for
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from dpgov.privacy.plan.schema import NumericDomain
from dpgov.tenants.models import Membership, Tenant
from tests.eager import read_waiting, refused
from tests.integration.datasets.registering import CSV, declared, register, send_file, uploaded

HOME = Path(settings.DPGOV_HOME)


def files(folder: str) -> set[str]:
    return {path.name for path in (HOME / folder).glob("*")}


def actions(tenant: Tenant) -> list[str]:
    entries = AuditEntry.objects.filter(tenant_id=tenant.id).order_by("sequence")
    return list(entries.values_list("action", flat=True))


def test_a_file_becomes_a_dataset_with_a_budget_and_one_entry_for_each_step(
    browser: Client, owner: Membership
) -> None:
    """G1: two steps, two entries; the raw file is gone and the codes are there."""
    upload = uploaded(browser)
    response = register(browser, upload)
    assert response.status_code == 302
    dataset = Dataset.objects.get(slug="people")
    assert response.url == reverse("datasets:detail", args=["people"])
    assert actions(owner.tenant) == ["FILE_UPLOADED", "DATASET_REGISTERED"]
    assert dataset.budget.limit_nano == 3 * NANO
    assert dataset.budget.spent_nano == 0
    assert dataset.per_query_limit_nano == NANO
    assert Upload.objects.get().state == Upload.State.USED
    assert str(upload.pk) not in files("uploads")
    stored = HOME / "data" / f"{current_version(dataset).pk}.duckdb"
    assert stored.stat().st_mode & 0o777 == 0o600


def test_numbers_are_declared_as_the_page_s_language_spells_them(
    browser: Client, upload: Upload
) -> None:
    """D5: "10.000" is ten thousand on a German page, and is no ten on any other."""
    browser.cookies["django_language"] = "de"
    spelt = {"max_rows": "10.000", "age__upper": "120,0", "epsilon_limit": "2,5"}
    assert register(browser, upload, **spelt).status_code == 302
    dataset = Dataset.objects.get(slug="people")
    assert (dataset.max_rows, dataset.budget.limit_nano) == (10_000, 2_500_000_000)
    domain = schema_of(current_version(dataset)).columns[0].domain
    assert domain == NumericDomain(Decimal(0), Decimal(120), Decimal(1))


def test_the_engine_answers_from_what_was_registered(browser: Client, upload: Upload) -> None:
    """E5: declared categories in declared order, then one bin for everything else."""
    register(browser, upload)
    version = DatasetVersion.objects.get()
    schema = schema_of(version)
    assert [column.name for column in schema.columns] == ["age", "sex"]
    request = ExactRequest(
        (),
        (CodeGrouping(1, ((0, 0), (1, 1))),),
        (Measure(MeasureKind.ROWS), Measure(MeasureKind.CODE_SUM, 0)),
    )
    assert engine_for(version).answer(request) == ((2, 30), (1, 45), (1, 99))


def test_the_page_says_why_bounds_are_not_filled_in_and_fills_none_in(
    browser: Client, upload: Upload
) -> None:
    page = browser.get(reverse("datasets:register", args=[upload.pk])).content.decode()
    assert "never from the file" in page
    assert "belong to single people" in page
    assert "Basel" not in page
    fields = re.findall(r'<input[^>]*name="column-\d-(?:lower|upper|step)"[^>]*>', page)
    assert len(fields) == 9
    assert not any("value=" in field for field in fields)


WRONG = [
    ({"age__lower": "121"}, "column-0-upper", "below the lower bound"),
    ({"age__lower": "120", "age__upper": "0"}, "column-0-upper", "below the lower bound"),
    ({"age__lower": "5", "age__upper": "5"}, "column-0-upper", "above the lower bound"),
    ({"age__lower": "young"}, "column-0-lower", "must be a plain decimal number"),
    ({"age__lower": ""}, "column-0-lower", "Give the lowest value"),
    ({"age__upper": "inf"}, "column-0-upper", "must be a plain decimal number"),
    ({"age__upper": "NaN"}, "column-0-upper", "must be a plain decimal number"),
    ({"age__upper": "1e300"}, "column-0-upper", "must be"),
    ({"age__upper": "１２０"}, "column-0-upper", "must be a plain decimal number"),
    ({"age__step": "0"}, "column-0-step", "above zero"),
    ({"age__step": "-1"}, "column-0-step", "above zero"),
    ({"age__step": "7"}, "column-0-upper", "whole multiple"),
    ({"age__lower": "0.5"}, "column-0-lower", "whole multiple"),
    ({"age__kind": "text"}, "column-0-kind", "valid choice"),
    ({"age__kind": ""}, "column-0-kind", "Choose a type"),
    ({"age__missing": "impute", "age__impute": ""}, "column-0-impute", "must be"),
    ({"age__missing": "impute", "age__impute": "130"}, "column-0-impute", "within the bounds"),
    ({"sex__categories": ""}, "column-1-categories", "Declare 1 to"),
    ({"sex__categories": "f\nm\nf"}, "column-1-categories", "twice"),
    ({"sex__missing": "impute", "sex__impute": "q"}, "column-1-impute", "one of the categories"),
    ({"sex__categories": "f, m"}, "column-1-categories", "a line of its own"),
    ({"age__lower": "0,5"}, "column-0-lower", "Write 0.5"),
    ({"name": ""}, "name", "required"),
    ({"unit": "person"}, "private_id", "whose row it is"),
    ({"neighbouring": "friends"}, "neighbouring", "valid choice"),
    ({"group_size": "0"}, "group_size", "greater than or equal to 1"),
    ({"max_rows": "3"}, "max_rows", "more than 3 rows"),
    ({"max_rows": "10.000"}, "max_rows", "could be 10000 or 10"),
    ({"max_rows": "999999999999", "age__step": "0.000001"}, "max_rows", "could not be kept exact"),
    ({"public_rows": "2000"}, "public_rows", "above the largest number"),
    ({"neighbouring": "change_one", "public_rows": "5"}, "public_rows", "has 4 rows"),
    ({"epsilon_limit": "0"}, "epsilon_limit", "above zero"),
    ({"epsilon_limit": "-1"}, "epsilon_limit", "above zero"),
    ({"epsilon_limit": "NaN"}, "epsilon_limit", "plain decimal"),
    ({"epsilon_limit": "True"}, "epsilon_limit", "plain decimal"),
    ({"epsilon_limit": "1e-400"}, "epsilon_limit", "at least"),
    ({"epsilon_limit": "0.0000000001"}, "epsilon_limit", "at least|nine decimals"),
    ({"epsilon_per_query": "4"}, "epsilon_per_query", "more than the limit"),
]


@pytest.mark.parametrize(("changes", "field", "message"), WRONG, ids=str)
def test_a_wrong_declaration_is_refused_at_its_field_and_nothing_is_lost(
    browser: Client, upload: Upload, changes: dict[str, str], field: str, message: str
) -> None:
    """D3, D5: the message stands at the field, every input is kept, nothing is registered."""
    before = files("data")
    response = register(browser, upload, **changes)
    assert refused(response)
    page = response.content.decode()
    error = re.search(rf'id="id_{field}_error">([^<]*)<', page)
    assert error is not None, f"no message at {field}"
    assert re.search(message, error[1]), error[1]
    for value in ("Invented people.", *(value for value in changes.values() if value)):
        assert value.split("\n")[0] in page
    assert not Dataset.objects.exists()
    assert not Budget.objects.exists()
    assert Upload.objects.get().state == Upload.State.READY
    assert files("data") == before


def test_after_a_refusal_the_correction_is_enough(browser: Client, upload: Upload) -> None:
    """D5: the file need not be sent again."""
    assert refused(register(browser, upload, max_rows="3"))
    assert register(browser, upload).status_code == 302


def test_no_column_at_all_is_refused_with_advice(browser: Client, upload: Upload) -> None:
    empty = {"age__lower": "", "age__upper": "", "age__step": "", "sex__categories": ""}
    response = register(browser, upload, age__kind="", sex__kind="", **empty)
    assert response.status_code == 422
    assert "Declare at least one column" in response.content.decode()


def test_a_double_click_registers_once(browser: Client, upload: Upload) -> None:
    """B6: the second POST finds the file used and changes nothing."""
    assert register(browser, upload).url == reverse("datasets:detail", args=["people"])
    again = register(browser, upload)
    assert again.url == reverse("datasets:list")
    assert Dataset.objects.count() == 1
    assert "before" in browser.get(again.url).content.decode()


def test_a_failure_between_file_and_database_leaves_nothing(
    browser: Client, upload: Upload, owner: Membership
) -> None:
    """G1: a rollback writes no entry, no budget and no data file; the upload can be used again."""
    before = files("data")
    with patch("dpgov.datasets.services.registration.record", side_effect=UploadUsed):
        register(browser, upload)
    assert not Dataset.objects.exists()
    assert not Budget.objects.exists()
    assert actions(owner.tenant) == ["FILE_UPLOADED"]
    assert files("data") == before
    assert register(browser, upload).status_code == 302


def test_under_change_one_the_number_of_rows_is_the_true_and_public_one(
    browser: Client, upload: Upload
) -> None:
    register(browser, upload, neighbouring="change_one")
    assert Dataset.objects.get().public_rows == 4


def test_what_is_posted_beside_the_form_is_ignored(
    browser: Client, upload: Upload, owner: Membership, stranger: Membership
) -> None:
    """H4: tenant, owner, spent amounts and column names cannot be sent along."""
    extra = {
        "tenant": str(stranger.tenant.pk),
        "owner": str(stranger.user.pk),
        "spent_nano": "-5",
        "limit_nano": "999",
        "slug": "chosen",
        "column-0-name": "city",
        "column-7-kind": "number",
    }
    browser.post(reverse("datasets:register", args=[upload.pk]), declared() | extra)
    read_waiting()
    dataset = Dataset.objects.get()
    assert (dataset.tenant, dataset.owner) == (owner.tenant, owner.user)
    assert dataset.slug == "people"
    assert (dataset.budget.limit_nano, dataset.budget.spent_nano) == (3 * NANO, 0)
    names = current_version(dataset).columns.values_list("name", flat=True)
    assert list(names) == ["age", "sex"]


def test_two_datasets_of_nearly_one_name_get_two_addresses(browser: Client) -> None:
    """H8: and the names of other tenants play no part."""
    for name, content in (("People", CSV), ("People!", CSV + b"50,f,Basel\n")):
        register(browser, uploaded(browser, content), name=name)
    assert set(Dataset.objects.values_list("slug", flat=True)) == {"people", "people-2"}


def test_a_refused_file_is_said_at_its_field_and_leaves_nothing(
    browser: Client, owner: Membership
) -> None:
    """I1: with advice for its owner, and without an entry."""
    before = files("uploads")
    response = send_file(browser, b"\xd0\xcf\x11\xe0" + bytes(99), "people.xls")
    assert response.status_code == 422
    assert "Save it as xlsx" in response.content.decode()
    assert files("uploads") == before
    assert actions(owner.tenant) == []


def test_a_file_over_the_limit_is_dropped_while_it_arrives(
    browser: Client, settings: object
) -> None:
    """I1: not a byte of it stays."""
    settings.DPGOV_UPLOAD_MAX_BYTES = 1_000_000  # type: ignore[attr-defined]
    before = files("uploads")
    response = send_file(browser, b"a\n" + b"1\n" * 600_000)
    assert response.status_code == 422
    assert "larger than 1 MB" in response.content.decode()
    assert files("uploads") == before


def test_no_file_at_all(browser: Client) -> None:
    response = browser.post(reverse("datasets:upload"), {})
    assert response.status_code == 422
    assert "Choose a file first" in response.content.decode()


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..\\x.csv", "a\x00b.csv", "x.html", "=cmd.csv", "n" * 300]
)
def test_a_name_is_only_remembered(browser: Client, name: str) -> None:
    """I2: the file is stored under a name of ours, whatever it was called."""
    upload = Upload.objects.get(pk=send_file(browser, CSV, name).url.rstrip("/").rsplit("/", 1)[1])
    assert (HOME / "uploads" / str(upload.pk)).read_bytes() == CSV
    assert (HOME / "uploads" / str(upload.pk)).stat().st_mode & 0o777 == 0o600
    assert browser.get(reverse("datasets:register", args=[upload.pk])).status_code == 200


def test_an_upload_without_the_form_token_is_refused(owner: Membership) -> None:
    """J1: the token is checked although the bytes are bounded first."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    assert send_file(client).status_code == 403
    assert not Upload.objects.exists()


def test_an_upload_can_be_discarded(browser: Client, upload: Upload, owner: Membership) -> None:
    """G1: with its file, and with one entry."""
    response = browser.post(reverse("datasets:discard", args=[upload.pk]))
    assert response.status_code == 302
    assert not Upload.objects.exists()
    assert str(upload.pk) not in files("uploads")
    assert actions(owner.tenant) == ["FILE_UPLOADED", "UPLOAD_DISCARDED"]
    assert browser.post(reverse("datasets:discard", args=[upload.pk])).status_code == 404
