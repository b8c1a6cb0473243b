"""Many columns at once: what fills in the form, and what it never touches."""

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset, DatasetVersion, Draft, Upload
from dpgov.datasets.web.forms.registration import RegistrationForm, VersionForm
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.datasets.registering import declared, register, uploaded

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
ROWS = "age\tnumber\t0\t99\t1\nsex\tcategory\t\t\t\tf | m\timpute=f\n"


def fill(browser: Client, upload: Upload, how: str, **sent: str) -> Any:
    """Press one of the buttons that fill in columns; the page that comes then."""
    untyped = {"age__kind": "", "age__lower": "", "age__upper": "", "age__step": ""}
    typed = declared(**untyped, sex__kind="", sex__categories="", name="Typed before")
    address = reverse("datasets:fill", args=[upload.pk])
    return browser.post(address, typed | {"fill": how} | sent, follow=True)


def values(page: Any, column: int, *names: str) -> list[str]:
    form = page.context["form"].columns[column]
    return [form[name].value() for name in names]


def test_pasted_rows_are_in_the_form_beside_what_was_typed(browser: Client, upload: Upload) -> None:
    entries = AuditEntry.objects.count()
    page = fill(browser, upload, "paste", pasted=ROWS)
    assert values(page, 0, "kind", "lower", "upper", "step") == ["number", "0", "99", "1"]
    assert values(page, 1, "kind", "categories") == ["category", "f\nm"]
    assert values(page, 1, "missing", "impute") == ["impute", "f"]
    assert 'value="Typed before"' in page.text
    assert "pasted" not in Draft.objects.get().typed
    assert AuditEntry.objects.count() == entries


def test_a_row_of_another_table_is_named_and_the_rest_is_taken(
    browser: Client, upload: Upload
) -> None:
    page = fill(browser, upload, "paste", pasted=ROWS + "height\tnumber\t0\t3\t0.01\n")
    assert "height is described, but not in the file." in page.text
    assert values(page, 0, "kind") == ["number"]


def test_what_is_no_row_at_all_loses_nothing(browser: Client, upload: Upload) -> None:
    page = fill(browser, upload, "paste", pasted="  \n")
    assert "There is no row with a column in it." in page.text
    assert 'value="Typed before"' in page.text


def test_the_template_has_the_names_and_comes_back_as_it_was(
    browser: Client, upload: Upload
) -> None:
    fill(browser, upload, "paste", pasted=ROWS)
    file = browser.get(reverse("datasets:column_template", args=[upload.pk]))
    text = file.content.decode("utf-8-sig")
    head, age, sex, city = text.splitlines()
    assert head == "column,type,from,to,step,values,missing,format,time zone"
    assert (age, sex) == ("age,number,0,99,1,,drop,,", "sex,category,,,,f | m,impute=f,,")
    assert city == "city,,,,,,,,"
    again = uploaded(browser, b"age,sex,city\n1,f,x\n")
    sent = {"file": SimpleUploadedFile("columns.csv", file.content)}
    browser.post(reverse("datasets:import_columns", args=[again.pk]), sent)
    page = browser.get(reverse("datasets:register", args=[again.pk]))
    assert values(page, 0, "kind", "lower", "upper", "step") == ["number", "0", "99", "1"]
    assert values(page, 1, "kind", "categories", "missing") == ["category", "f\nm", "impute"]
    assert not values(page, 2, "kind")[0]


def test_a_name_that_a_spreadsheet_would_run_is_kept_from_it_and_read_again(
    browser: Client,
) -> None:
    """I3: the apostrophe is written, and is no part of the name when the file comes back."""
    upload = uploaded(browser, b"=cmd,sex\n1,f\n")
    file = browser.get(reverse("datasets:column_template", args=[upload.pk])).content
    assert b"\n'=cmd," in file
    sent = {"file": SimpleUploadedFile("c.csv", file.replace(b"'=cmd,", b"'=cmd,number,-5,5,1"))}
    browser.post(reverse("datasets:import_columns", args=[upload.pk]), sent)
    page = browser.get(reverse("datasets:register", args=[upload.pk]))
    assert values(page, 0, "kind", "lower") == ["number", "-5"]


def test_declarations_of_another_dataset_fill_in_what_is_left_out(
    browser: Client, upload: Upload
) -> None:
    register(browser, uploaded(browser), age__upper="77")
    version = DatasetVersion.objects.get()
    page = fill(browser, upload, "copy", copy_from=str(version.pk))
    assert values(page, 0, "kind", "upper") == ["number", "77"]
    assert "Copied from People, version 1" in page.text
    address = reverse("datasets:fill", args=[upload.pk])
    sent = declared(age__upper="66") | {"fill": "copy", "copy_from": str(version.pk)}
    kept = browser.post(address, sent, follow=True)
    assert values(kept, 0, "upper") == ["66"]


def test_nothing_is_copied_from_another_organisation_or_from_what_is_held(
    browser: Client, upload: Upload, elsewhere: Client, owner: Membership
) -> None:
    """H1: it looks as if there were no such dataset, in the list and on sending."""
    register(elsewhere, uploaded(elsewhere, b"age,sex,city\n1,f,Ulm\n2,m,Ulm\n"))
    register(browser, uploaded(browser))
    assert DatasetVersion.objects.count() == 2
    Dataset.objects.filter(tenant=owner.tenant).update(
        held_at="2026-01-01T00:00Z", held_reason="new_data"
    )
    for version in DatasetVersion.objects.all():
        page = fill(browser, upload, "copy", copy_from=str(version.pk))
        assert "Choose a dataset whose declarations you want." in page.text
        assert not values(page, 0, "kind")[0]
        assert list(page.context["copies"]) == []


def test_a_list_on_one_line_is_split_when_that_is_asked_for(
    browser: Client, upload: Upload
) -> None:
    refused = register(browser, upload, sex__categories="ja, nein")
    assert refused.status_code == 422
    assert "Split into 2 values" in refused.text
    typed = declared(sex__categories="ja, nein") | {"fill": "split:column-1"}
    page = browser.post(reverse("datasets:fill", args=[upload.pk]), typed, follow=True)
    assert values(page, 1, "categories") == ["ja\nnein"]


def test_nobody_else_fills_in_or_reads_a_form(
    owner: Membership, stranger: Membership, browser: Client, upload: Upload, client_for: ClientFor
) -> None:
    """E11"""
    fill(browser, upload, "paste", pasted=ROWS)
    kept = Draft.objects.get().typed
    for other in (join(owner.tenant, Role.OWNER, "otto"), stranger):
        foreign = client_for(other)
        template = reverse("datasets:column_template", args=[upload.pk])
        assert foreign.get(template).status_code == 404
        assert fill(foreign, upload, "paste", pasted="age\tnumber\t0\t1\t1").status_code == 404
    assert Draft.objects.get().typed == kept


def test_a_version_s_form_is_kept_for_that_dataset_alone(browser: Client, upload: Upload) -> None:
    register(browser, uploaded(browser), age__upper="77")
    address = reverse("datasets:add_version", args=["people", upload.pk])
    assert values(browser.get(address), 0, "upper") == ["77"]
    page = fill(browser, upload, "paste", pasted=ROWS, version_of="people")
    assert page.request["PATH_INFO"] == address
    assert values(page, 0, "upper") == ["99"]
    Draft.objects.update(typed={**Draft.objects.get().typed, "version_of": "another"})
    assert values(browser.get(address), 0, "upper") == ["77"]


def test_five_hundred_columns_with_every_field_are_few_enough(browser: Client) -> None:
    """As a browser without scripts sends them."""
    names = [f"q{place}" for place in range(500)]
    upload = uploaded(browser, (",".join(names) + "\n" + ",".join("1" * 500) + "\n").encode())
    page = browser.get(reverse("datasets:register", args=[upload.pk]))
    fields = [field for form in page.context["form"].columns for field in form]
    typed = {field.html_name: "" for field in fields} | {"name": "Wide"}
    browser.post(reverse("datasets:save_draft", args=[upload.pk]), typed)
    assert len(Draft.objects.get().typed) == len(typed) > 4500


@pytest.mark.parametrize(
    ("columns", "sent", "wide", "folded"),
    [(20, None, False, False), (21, None, True, True), (21, "name=", True, False)],
)
def test_of_a_wide_table_what_is_about_the_whole_is_folded_until_it_has_a_problem(
    columns: int, sent: str | None, *, wide: bool, folded: bool
) -> None:
    typed = None if sent is None else QueryDict(sent)
    form = RegistrationForm([f"q{place}" for place in range(columns)], typed)
    assert (form.is_wide, form.is_folded) == (wide, folded)
    page = render_to_string("datasets/grid/_computed.html", {"columns": [], "folded": folded})
    assert ('id="computed-columns" open' in page) is not folded


@pytest.mark.parametrize(("columns", "folded"), [(20, False), (21, True)])
def test_the_form_of_a_new_version_is_folded_like_that_of_a_registration(
    columns: int, *, folded: bool
) -> None:
    form = VersionForm([f"q{place}" for place in range(columns)], earlier=())
    page = render_to_string(
        "datasets/_adding.html", {"field": form.dataset["holds"], "folded": form.is_folded}
    )
    assert (" open>" in page) is not folded
    assert "New rows only" in page


def test_the_types_of_a_parquet_file_fill_in_the_type_and_nothing_else(
    browser: Client, upload: Upload
) -> None:
    """E11: bounds and lists stay empty; a column that has a type keeps it."""
    assert "Take the types of the file" not in page_of(browser, upload).text
    table = pa.table({"age": [30], "sex": ["f"], "city": [True]})
    pq.write_table(table, into := io.BytesIO())
    stated = uploaded(browser, into.getvalue())
    assert "Take the types of the file" in page_of(browser, stated).text
    page = fill(browser, stated, "types", **{"column-1-kind": "number"})
    assert values(page, 0, "kind", "lower", "upper", "step") == ["number", None, None, None]
    assert values(page, 1, "kind") == ["number"]
    assert values(page, 2, "kind", "categories") == ["category", "true\nfalse"]


def page_of(browser: Client, upload: Upload) -> Any:
    return browser.get(reverse("datasets:register", args=[upload.pk]))
