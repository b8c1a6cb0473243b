"""D9: sums, products and ratios of two columns, from the form to every place that shows them."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.datasets.models import DatasetVersion, Upload
from dpgov.datasets.selectors import schema_of
from dpgov.privacy.plan.domains import numeric_domain
from dpgov.tenants.models import Membership
from tests.integration.datasets.registering import uploaded
from tests.integration.datasets.test_computed import fill, rows_of, sent

pytestmark = pytest.mark.django_db


def test_sums_products_and_ratios_take_their_bounds_from_both_columns(
    browser: Client, analyst: Membership, api_for: Any
) -> None:
    """D9: on the form, the dataset's page, over REST, and in a file of columns."""
    upload = uploaded(browser, b"age,sex,city\n30,f,10\n45,m,20\n99,x,5\n,f,7\n")
    numbers = {"city__kind": "number", "city__lower": "5", "city__upper": "20"}
    numbers |= {"city__step": "1", "city__missing": "drop"}
    two = {"first": "age", "second": "city"}
    formulas = [
        {"name": "both", "formula": "sum"} | two,
        {"name": "times", "formula": "product"} | two,
        {"name": "share", "formula": "ratio", "step": "0.5"} | two,
    ]
    assert sent(browser, upload, *formulas, **numbers).status_code == 302
    version = DatasetVersion.objects.get()
    assert [one.domain for one in schema_of(version).columns[-3:]] == [
        numeric_domain("5", "140", "1"),
        numeric_domain("0", "2400", "1"),
        numeric_domain("0", "24", "0.5"),
    ]
    assert rows_of(version)[0][-3:] == (30 + 10 - 5, 300, 6)
    page = browser.get(reverse("datasets:detail", args=[version.dataset.slug])).text
    assert "computed: age plus city" in page
    assert "computed: age times city" in page
    api: APIClient = api_for(analyst)
    found = api.get(f"/api/v1/datasets/{version.dataset.slug}/").json()["columns"]
    assert [one["formula"]["function"] for one in found[-3:]] == ["sum", "product", "ratio"]


@pytest.mark.parametrize("kind", ["sum", "product"])
def test_a_formula_of_two_columns_goes_through_a_file_of_columns(
    browser: Client, upload: Upload, kind: str
) -> None:
    one = {"name": "made", "formula": kind, "first": "age", "second": "city"}
    fill(browser, upload, "types", one)
    file = browser.get(reverse("datasets:column_template", args=[upload.pk])).content
    assert f"{kind} | age | city" in file.decode("utf-8-sig")
    other = uploaded(browser, b"age,sex,city\n1,f,x\n")
    posted = {"file": SimpleUploadedFile("columns.csv", file)}
    browser.post(reverse("datasets:import_columns", args=[other.pk]), posted)
    page = browser.get(reverse("datasets:register", args=[other.pk]))
    (form,) = page.context["form"].computed
    assert [form[name].value() for name in one] == list(one.values())
