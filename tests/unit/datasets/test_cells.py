"""What a cell of the columns' grid shows, and how it can be typed into."""

import pytest

from dpgov.datasets.web.forms.bounds import BoundsForm
from dpgov.datasets.web.forms.columns import ColumnForm
from dpgov.datasets.web.forms.computed import ComputedForm


@pytest.mark.parametrize(
    ("sent", "shown"), [({}, "day"), ({"c-period": "month"}, "month"), ({"c-kind": "date"}, "day")]
)
def test_the_step_of_dates_is_a_day_unless_somebody_chose_another(
    sent: dict[str, str], shown: str
) -> None:
    """A form that was refused shows it as before: the finest one is nobody's choice."""
    form = ColumnForm(sent | {"c-lower": "x"}, prefix="c", column="born")
    assert not form.is_valid()
    assert form["period"].value() == shown
    assert f'<option value="{shown}" selected>' in str(form["period"])


def test_ends_can_be_typed_on_a_phone_whose_keypad_of_digits_has_no_minus_sign() -> None:
    """Of dates as well; a step is neither below zero nor a date."""
    grid, computed = ColumnForm(column="born"), ComputedForm(columns=[])
    other = BoundsForm({})
    ends = [form[name] for form in (grid, computed) for name in ("lower", "upper")]
    for end in (*ends, other["other_lower"], other["other_upper"]):
        assert "inputmode" not in str(end)
    assert all('inputmode="decimal"' in str(form["step"]) for form in (grid, computed))
