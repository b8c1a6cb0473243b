"""What a program fills into a form is spelt as the page reads it: in German 1.875 could be 1875."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils.translation import override

from dpgov.datasets.importing.found import FoundColumn, as_number
from dpgov.datasets.models import Column, Dataset
from dpgov.datasets.web.forms.bounds import BoundsForm, asked_of_a_row
from dpgov.datasets.web.forms.columns import ColumnForm
from dpgov.datasets.web.forms.computed import ComputedForm, typed_computed
from dpgov.datasets.web.forms.registration import typed_column
from dpgov.privacy.plan.blanks import blanks_of
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.queries.web.forms.batch import batch_of
from dpgov.queries.web.forms.price import PriceForm
from dpgov.queries.web.forms.ready_made import BlankForm
from dpgov.queries.web.forms.tables import blank_tables
from dpgov.tenants.models import Membership
from dpgov.web.typed import plain_number

pytestmark = pytest.mark.django_db
LATITUDE = Column(
    name="lat", kind="number", lower="47.125", upper="55.062", step="0.001", missing="impute",
    impute="50.125",
)  # fmt: skip
SHARE = Column(
    name="share", kind="number", lower="1.125", upper="2.125", step="0.125", missing="impute",
    impute="1.625",
    formula={"kind": "ratio", "operands": ["lat", "lon"], "compares": "", "constants": []},
)  # fmt: skip
BINS = Column(
    name="zone", kind="category", categories=["a", "b"], missing="drop",
    formula={"kind": "bins", "operands": ["lat"], "compares": "", "constants": ["50.125"]},
)  # fmt: skip


@pytest.fixture(autouse=True)
def german() -> Any:
    with override("de"):
        yield


def _read(*texts: str) -> list[str]:
    """As the fields read them; raises ValidationError where a mark could mean either."""
    return [plain_number(text) for text in texts]


def _sent(prefix: str, fields: dict[str, str]) -> QueryDict:
    data = QueryDict(mutable=True)
    data.update({f"{prefix}-{name}": text for name, text in fields.items()})
    return data


def _column(name: str = "lat") -> ColumnForm:
    return ColumnForm(_sent(name, typed_column(LATITUDE)), prefix=name, column=name)


def test_a_declared_column_is_declared_again_as_it_was() -> None:
    form = _column()
    assert form.is_valid(), form.errors
    assert form.spec is not None
    domain = numeric_domain("47.125", "55.062", "0.001")
    assert form.spec == column_spec("lat", domain, MissingRule.IMPUTE, "50.125")


@pytest.mark.parametrize("declared", [SHARE, BINS], ids=["a ratio", "bins"])
def test_a_computed_column_is_declared_again_as_it_was(declared: Column) -> None:
    sent = _sent("c", typed_computed(declared, [LATITUDE, SHARE, BINS]))
    form = ComputedForm(sent, prefix="c", columns=[_column(), _column("lon")])
    assert form.is_valid(), form.errors
    assert form.spec is not None
    assert form.spec.formula is not None
    constants = form.spec.formula.constants
    assert list(map(str, constants)) == declared.formula["constants"]


def test_bounds_that_another_tool_wrote_down_are_read() -> None:
    found = FoundColumn(names=("lat",))
    as_number(found, lower="47.125", upper="55.062", step="0.001")
    assert _read(*(found.fields[name] for name in ("lower", "upper", "step"))) == [
        "47.125", "55.062", "0.001",
    ]  # fmt: skip


def test_bounds_of_a_row_are_compared_with_others_as_wide_again() -> None:
    row = {"lower": "1,125", "upper": "3,375", "step": "0,125", "missing": "drop"}
    sent = _sent("column-0", row)
    sent.update({"bounds": "column-0 lat", "epsilon_per_query": "1,125"})
    form = BoundsForm(asked_of_a_row(sent, None))
    assert form.is_valid(), form.errors
    assert form.cleaned_data["epsilon"] == 1_125_000_000
    assert len(form.prices) == 2


@pytest.mark.parametrize("fill", [
    lambda schema: batch_of([], "epsilon", "1.125"),
    lambda schema: blank_tables(schema, "epsilon", "1.125", "k"),
], ids=["a batch", "tables"])  # fmt: skip
def test_a_usual_price_is_read(fill: Callable[[DatasetSchema], QueryDict]) -> None:
    form = PriceForm(fill(_schema()))
    assert form.is_valid(), form.errors
    assert form.amount() == {"epsilon": "1.125"}


def test_the_ends_of_a_blank_are_read() -> None:
    plan = {"where": [{"column": "lat", "op": ">", "value": 48}]}
    form = BlankForm(None, blank=blanks_of(plan)[0], schema=_schema(), place=0)
    assert _read(form["low"].value(), form["high"].value()) == ["47.125", "55.062"]


def _schema() -> DatasetSchema:
    domain = numeric_domain("47.125", "55.062", "0.001")
    return DatasetSchema(
        columns=(column_spec("lat", domain, MissingRule.DROP, ""),),
        unit=PrivacyUnit(),
        neighbouring=Neighbouring.ADD_REMOVE,
        group_size=1,
        max_rows=1000,
    )


PAGES = {
    "request/?about=allocation&epsilon=1.125": ("form", "epsilon_limit", "1,125"),
    "ask/sql/": ("form", "epsilon", "0,125"),
    "ready-made/new/": ("form", "epsilon", "0,125"),
    "rows-per-person/": ("belief", "epsilon", "0,5"),
    "understanding/": ("form", "epsilon", "0,125"),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_begins_with_an_amount_as_one_types_it(
    page: str,
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    client_for: Callable[[Membership], Client],
) -> None:
    Dataset.objects.update(per_query_limit_nano=125_000_000)
    which, field, spelt = PAGES[page]
    by = owner if page.startswith(("ready", "rows")) else analyst
    found = client_for(by).get(f"/datasets/visits/{page}", headers={"accept-language": "de"})
    assert found.status_code == 200
    assert found.context[which][field].value() == spelt


def test_the_button_under_a_price_that_is_too_high_fills_in_what_is_read(
    dataset: Dataset, analyst: Membership, client_for: Callable[[Membership], Client]
) -> None:
    Dataset.objects.update(per_query_limit_nano=1_875_000_000)
    sent = {"by": "epsilon", "epsilon": "5", "statistic": "0", "statistic-0-kind": "count"}
    page = client_for(analyst).post(
        "/datasets/visits/quote/", sent, headers={"accept-language": "de"}
    )
    assert 'name="fill_epsilon" value="1,875"' in page.text
