"""What a phone shows to type with: its keypad of digits may have no minus sign and no hyphen."""

from typing import Any

import pytest
from django import forms

from dpgov.datasets.web.forms.bounds import BoundsForm
from dpgov.datasets.web.forms.columns import ColumnForm
from dpgov.datasets.web.forms.computed import ComputedForm
from dpgov.privacy.plan.blanks import blanks_of
from dpgov.privacy.plan.parameters import Parameter
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from dpgov.queries.web.forms.arranging import ArrangeForm
from dpgov.queries.web.forms.ready_made import BlankForm, FillForm, PublishForm
from dpgov.queries.web.forms.rows import NumberField
from dpgov.surveys.web.forms import SurveyForm
from tests.unit.engines.tables import number

SCHEMA = DatasetSchema(
    (number("profit", "-9", "9"),), PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 100
)
WHERE: dict[str, Any] = {"column": "profit", "op": "ge", "value": {"parameter": "least"}}
LEAST = Parameter("least", "profit", lowest="-9", highest="9")


class _OneNumber(forms.Form):
    number = NumberField()


def _fill() -> FillForm:
    return FillForm(None, plan={"where": [WHERE]}, parameters=[LEAST], schema=SCHEMA)


def _blank() -> BlankForm:
    (blank,) = blanks_of({"where": [WHERE | {"value": -3}]})
    return BlankForm(None, blank=blank, schema=SCHEMA, place=0)


@pytest.mark.parametrize(
    ("form", "names"),
    [
        (ColumnForm(column="born"), ("lower", "upper")),
        (ComputedForm(columns=[]), ("lower", "upper")),
        (BoundsForm({}), ("other_lower", "other_upper")),
        (SurveyForm(budgets=[]), ("lower", "upper")),
        (_OneNumber(), ("number",)),
        (_fill(), ("p0",)),
        (_blank(), ("low", "high")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_may_be_below_zero_or_a_date_can_be_typed(
    form: forms.BaseForm, names: tuple[str, ...]
) -> None:
    for name in names:
        assert 'type="text"' in str(form[name])
        assert "inputmode" not in str(form[name])


@pytest.mark.parametrize(
    ("form", "name", "keypad"),
    [
        (ColumnForm(column="born"), "step", "decimal"),
        (ComputedForm(columns=[]), "step", "decimal"),
        (PublishForm(unit="epsilon"), "price", "decimal"),
        (PublishForm(unit="epsilon"), "altogether", "numeric"),
    ],
)
def test_what_never_is_has_the_keypad(form: forms.BaseForm, name: str, keypad: str) -> None:
    assert f'inputmode="{keypad}"' in str(form[name])


def test_an_answer_may_be_arranged_by_a_number_below_zero() -> None:
    fields = ArrangeForm.base_fields
    assert "inputmode" not in fields["number"].widget.attrs
    assert fields["first"].widget.attrs["inputmode"] == "numeric"
