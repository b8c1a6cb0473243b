"""What a cell of the columns' grid shows, and how it can be typed into."""

import pytest

from dpgov.datasets.web.forms.columns import ColumnForm


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
