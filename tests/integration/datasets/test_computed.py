"""D9: columns that an owner declares as computed, from the page to the question."""

from typing import Any

import duckdb
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.budgets.models import Budget
from dpgov.datasets import storage
from dpgov.datasets.models import Column, Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.plan.computed.declared import domain_of, formula_of
from dpgov.privacy.plan.domains import column_spec
from dpgov.privacy.plan.formula import FormulaKind
from dpgov.privacy.plan.schema import ColumnSpec, InvalidDomain
from dpgov.tenants.models import Membership
from tests.eager import arrived
from tests.integration.datasets.filing import as_file, columns, people, registered, versioned
from tests.integration.datasets.registering import declared, register, uploaded

pytestmark = pytest.mark.django_db
# What is typed for one column each.
GROUP = {"name": "age group", "formula": "bins", "first": "age", "constants": "18\n65"}
ADULT = {
    "name": "adult",
    "formula": "flag",
    "first": "age",
    "compares": ">=",
    "constants": "18",
    "categories": "ja\nnein",
}
VISITS = columns()[0]


def typed(*computed: dict[str, str]) -> dict[str, str]:
    """They stand in the form, one after the other."""
    return {
        f"computed-{place}-{field}": text
        for place, one in enumerate(computed)
        for field, text in one.items()
    }


def sent(browser: Client, upload: Upload, *computed: dict[str, str], **changes: str) -> Any:
    """The page is sent as it is; what was wrong is shown again."""
    address = reverse("datasets:register", args=[upload.pk])
    return arrived(browser, browser.post(address, declared(**changes) | typed(*computed)))


def fill(browser: Client, upload: Upload, how: str, *computed: dict[str, str]) -> Any:
    address = reverse("datasets:fill", args=[upload.pk])
    return browser.post(address, declared() | typed(*computed) | {"fill": how}, follow=True)


def names(page: Any) -> list[str]:
    return [form["name"].value() for form in page.context["form"].computed]


def rows_of(version: DatasetVersion) -> list[tuple[int | None, ...]]:
    with duckdb.connect(str(storage.data_path(version.pk)), read_only=True) as connection:
        return connection.execute("SELECT * FROM data").fetchall()


def test_a_computed_column_is_stored_shown_and_asked_like_any_other(
    browser: Client, upload: Upload, analyst: Membership, api_for: Any
) -> None:
    """D9: on the dataset's page, over REST, and in a quote."""
    sent(browser, upload, GROUP, ADULT)
    version = DatasetVersion.objects.get()
    assert [spec.name for spec in schema_of(version).columns] == [
        "age",
        "sex",
        "age group",
        "adult",
    ]
    # 30, 45, 99 and nothing; the rows are as in the file.
    assert [row[2:] for row in rows_of(version)] == [(1, 0), (1, 0), (2, 0), (None, None)]
    page = browser.get(reverse("datasets:detail", args=[version.dataset.slug])).text
    assert "computed: bins of age, from 18, 65 on" in page
    assert "computed: whether age is at least 18" in page
    api: APIClient = api_for(analyst)
    found = api.get(f"/api/v1/datasets/{version.dataset.slug}/").json()["columns"]
    assert "formula" not in found[0]
    assert found[2]["formula"] == {
        "function": "bins",
        "operands": ["age"],
        "compares": "",
        "constants": ["18", "65"],
    }
    assert found[3]["categories"] == ["ja", "nein"]
    plan = {
        "statistics": [{"statistic": "count"}],
        "where": [{"column": "adult", "op": "=", "value": "ja"}],
        "group_by": [{"column": "age group"}],
        "epsilon": 0.5,
    }
    quoted = api.post(f"/api/v1/datasets/{version.dataset.slug}/quote/", plan, format="json")
    assert quoted.status_code == 200, quoted.content


def test_the_review_shows_the_formula_before_anything_is_registered(
    browser: Client, upload: Upload
) -> None:
    address = reverse("datasets:review", args=[upload.pk])
    page = browser.post(address, declared() | typed(GROUP))
    assert "computed: bins of age, from 18, 65 on" in page.text
    assert 'name="computed-0-constants"' in page.text
    assert not Dataset.objects.exists()


def test_a_computed_column_gives_the_same_file_no_new_budget(browser: Client) -> None:
    """F9, F11, D9: what is recognised is the file, and a computed column is not in it."""
    register(browser, uploaded(browser))
    sent(browser, uploaded(browser), GROUP, name="Again")
    assert Dataset.objects.count() == 2
    assert Budget.objects.count() == 1


@pytest.mark.parametrize(
    ("one", "field", "words"),
    [
        (GROUP | {"first": "city"}, "first", "is left out: declare it above"),
        (GROUP | {"first": "sex"}, "first", "holds categories"),
        (GROUP | {"first": "nowhere"}, "first", "The file has no column"),
        (GROUP | {"name": "sex"}, "name", "There is a column “sex” already"),
        (GROUP | {"name": ""}, "name", "Give the new column a name."),
        (GROUP | {"formula": ""}, "formula", "Choose how it is computed"),
        (GROUP | {"constants": "65\n18"}, "constants", "The edges must ascend"),
        (GROUP | {"categories": "a\nb"}, "categories", "Name all 3 results"),
        (ADULT | {"compares": ""}, "compares", "Of categories choose"),
        (GROUP | {"formula": "difference"}, "second", "Choose a column of the file."),
        (
            {"name": "r", "formula": "ratio", "first": "age", "second": "city"},
            "second",
            "is left out",
        ),
        (
            {"name": "p", "formula": "product", "first": "age", "second": "sex"},
            "second",
            "holds categories",
        ),
        ({"name": "s", "formula": "sum", "first": "age", "second": "age"}, "second", "different"),
        (GROUP | {"missing": "impute", "impute": "old"}, "impute", "must be one of the categories"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_lost(
    browser: Client, upload: Upload, one: dict[str, str], field: str, words: str
) -> None:
    page = sent(browser, upload, one)
    assert page.status_code == 422
    form = page.context["form"].computed[0]
    assert words in " ".join(form.errors[field])
    assert [form[name].value() or "" for name in one] == list(one.values())
    assert f'href="#id_computed-0-{field}"' in page.text
    assert not Dataset.objects.exists()


def test_no_value_is_computed_from_the_column_that_names_people(
    browser: Client, upload: Upload
) -> None:
    """D9: who somebody is gets into no value: neither at the form nor declared as a column too."""
    person = {"unit": "person", "private_id": "age", "max_rows_per_unit": "1"}
    page = sent(browser, upload, GROUP, **person, age__kind="")
    assert "says whose row it is" in str(page.context["form"].computed[0].errors["first"])
    both = sent(browser, upload, GROUP, **person)
    assert both.status_code == 422
    assert not Dataset.objects.exists()


def test_two_computed_columns_cannot_have_one_name(browser: Client, upload: Upload) -> None:
    page = sent(browser, upload, GROUP, ADULT | {"name": "age group"})
    assert "already" in str(page.context["form"].computed[1].errors["name"])


def test_a_budget_is_not_divided_by_what_is_computed(browser: Client, upload: Upload) -> None:
    page = sent(browser, upload, GROUP, partition_column="age group")
    assert page.status_code == 422
    assert not Dataset.objects.exists()


def test_computed_columns_are_added_and_removed_without_scripts(
    browser: Client, upload: Upload
) -> None:
    page = fill(browser, upload, "computed", GROUP)
    assert names(page) == ["age group", ""]
    assert "Remove this computed column" in page.text
    again = fill(browser, upload, "no-computed:computed-0", GROUP, ADULT)
    assert names(again) == ["adult"]
    # One in which nothing was typed declares nothing.
    assert sent(browser, upload, ADULT, {"name": ""}).status_code == 302
    assert Column.objects.filter(name="adult").exists()


def test_the_template_and_a_copy_bring_computed_columns(browser: Client, upload: Upload) -> None:
    fill(browser, upload, "types", GROUP, ADULT)
    file = browser.get(reverse("datasets:column_template", args=[upload.pk])).content
    lines = file.decode("utf-8-sig").splitlines()
    assert lines[0].endswith(",time zone,formula")
    assert lines[4] == "age group,,,,,,,,,bins | age | 18 | 65"
    assert lines[5] == "adult,,,,,ja | nein,,,,flag | age | >= | 18"
    other = uploaded(browser, b"age,sex,city\n1,f,x\n")
    posted = {"file": SimpleUploadedFile("columns.csv", file)}
    browser.post(reverse("datasets:import_columns", args=[other.pk]), posted)
    page = browser.get(reverse("datasets:register", args=[other.pk]))
    assert names(page) == ["age group", "adult"]
    assert page.context["form"].computed[1]["compares"].value() == ">="
    sent(browser, upload, GROUP, ADULT)
    version = DatasetVersion.objects.get()
    third = uploaded(browser, b"age,sex,city\n2,f,x\n")
    address = reverse("datasets:fill", args=[third.pk])
    how = {"fill": "copy", "copy_from": str(version.pk)}
    copied = browser.post(address, declared() | how, follow=True)
    assert names(copied) == ["age group", "adult"]
    assert "is declared there, but not in the file" not in copied.text


def test_a_new_version_begins_with_the_formulas_that_are_declared(
    browser: Client, upload: Upload
) -> None:
    sent(browser, upload, GROUP)
    dataset = Dataset.objects.get()
    more = uploaded(browser, b"age,sex,city\n30,f,Basel\n45,m,Bern\n99,x,\n,f,Basel\n17,m,Ulm\n")
    address = reverse("datasets:add_version", args=[dataset.slug, more.pk])
    page = browser.get(address)
    assert names(page) == ["age group"]
    form = page.context["form"].computed[0]
    assert form["constants"].value() == "18\n65"
    assert form["categories"].value() == "0-17\n18-64\n65-120"


def bins(*edges: str, name: str = "often") -> ColumnSpec:
    formula = formula_of(FormulaKind.BINS, [VISITS], None, edges)
    called = [f"part {place}" for place in range(len(edges) + 1)]
    return column_spec(name, domain_of(formula, [VISITS], names=called), "drop", "", formula)


def test_rows_are_not_added_under_another_formula(owner: Membership) -> None:
    """D9: one column would say two things; stored rows keep what they were computed as."""
    first, more = as_file(people(["North"], ["South"])), as_file([("p9", 9, "North")])
    dataset = registered(owner, first, (*columns(), bins("1")))
    with pytest.raises(InvalidDomain, match="declared as they are"):
        versioned(owner, dataset, more, (*columns(), bins("2")), append_rows=True)
    version = versioned(owner, dataset, more, (*columns(), bins("1")), append_rows=True)
    assert sorted(row[2] or 0 for row in rows_of(version)) == [0, 1, 1]
    kept = schema_of(current_version(dataset)).columns[2]
    assert kept == bins("1")


def test_whatever_a_door_sends_is_looked_at_once_more(owner: Membership) -> None:
    """D9: a formula over an undeclared column, or with a domain of its own, is refused."""
    file = as_file(people(["North"], ["South"]))
    wide = column_spec("often", VISITS.domain, "drop", "", bins("1").formula)
    for specs in ((*columns(), wide), (columns()[1], bins("1")), (*columns(), bins("1", name="n"))):
        with pytest.raises(InvalidDomain):
            registered(owner, as_file(people(["North"]), ("id", "visits", "region", "n")), specs)
    assert not Dataset.objects.exists()
    registered(owner, file, (*columns(), bins("1")))
