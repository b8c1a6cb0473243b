"""Rows of a spreadsheet: what each cell becomes, and what is said of a cell that says nothing."""

import re
from collections.abc import Iterator

import pytest
from django.utils.translation import override

from dpgov.datasets.importing import Filled, UnreadableMetadata, filled, read_rows, template
from dpgov.datasets.web.forms.presets import PRESETS
from dpgov.privacy.plan.domains import category_domain, numeric_domain
from dpgov.privacy.plan.schema import CategoryDomain

NAMES = ("age", "ward", "seen")


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with override("en"):
        yield


def read(*lines: str) -> Filled:
    found = read_rows("\n".join(lines), format_name="CSV")
    return filled(found, NAMES, heading="Pasted")


def test_heads_may_stand_in_any_order_and_cells_between_semicolons() -> None:
    found = read("column;to;from;step;type", "age;110;0;1;Number")
    assert found.columns["age"] == {
        "kind": "number",
        "lower": "0",
        "upper": "110",
        "step": "1",
        "date_format": "",
        "time_zone": "",
        "categories": "",
        "missing": "drop",
        "impute": "",
    }


def test_values_stand_between_bars_or_on_lines_of_a_cell_and_no_other_list_is_guessed() -> None:
    for cell, values in (
        ("north | south", "north\nsouth"),
        ('"a | b\nc"', "a | b\nc"),
        ("ja, nein", "ja, nein"),
    ):
        assert read(f"ward\tcategory\t\t\t\t{cell}").columns["ward"]["categories"] == values


def test_a_date_has_a_step_of_the_calendar() -> None:
    found = read("seen\tdate\t2020-01-01\t2024-12-31\tMonth\t\t\tDD.MM.YYYY\tEurope/Berlin")
    seen = found.columns["seen"]
    assert (seen["period"], seen["date_format"], seen["time_zone"]) == (
        "month",
        "DD.MM.YYYY",
        "Europe/Berlin",
    )
    assert "step" not in seen


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("age\tfloat\t0\t1\t1", "There is no type float"),
        ("seen\tdate\t2020\t2021\tdecade", "There is no step decade"),
        ("age\tnumber\t0\t1\t1\t\tguess", "There is no rule guess"),
        ("age\tnumber\t0\t1\t1\nage\tnumber\t0\t2\t1", "age is described twice"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_column(line: str, said: str) -> None:
    assert any("age" in note or "seen" in note for note in read(line).notes if said in note)


def test_a_head_that_is_not_known_is_named() -> None:
    assert "What stands under “unit” is not read." in read("column,unit", "age,years").notes


def test_a_cell_that_never_ends_is_refused() -> None:
    with pytest.raises(UnreadableMetadata, match="These are no rows"):
        read("column,type", "age," + "x" * 200_000)


def test_a_german_page_gives_the_template_that_german_spreadsheets_open() -> None:
    with override("de"):
        assert template(["age"], {}).startswith("\ufeffcolumn;type;from;to;step;values;missing")


@pytest.mark.parametrize(
    "category",
    ["=1+1", "low;=1+1", "a;-b", 'x; "@SUM(A1)', "it's; fine", "-5", "a\tb;+c", "it's;'=1"],
)
@pytest.mark.parametrize("language", ["en", "de"])
def test_the_template_begins_no_formula_anywhere_and_comes_back_as_it_was(
    language: str, category: str
) -> None:
    """I3: not behind a semicolon either, where a German spreadsheet parts cells."""
    typed = {"age": {"kind": "category", "categories": f"plain\n{category}", "missing": "drop"}}
    with override(language):
        written = template(["age"], typed)
        again = filled(read_rows(written, format_name="CSV"), ["age"])
    assert not re.search(r"""[;\t][\s"]*[=+@]""", written)
    assert again.columns["age"]["categories"] == f"plain\n{category}"


def test_every_preset_is_a_declaration() -> None:
    for preset in PRESETS:
        if preset.kind == "number":
            assert numeric_domain(preset.lower, preset.upper, preset.step).top >= 1
        else:
            assert len(set(preset.categories)) == len(preset.categories) >= 2
            assert isinstance(category_domain(preset.categories), CategoryDomain)
    assert len(PRESETS[-1].categories) == 249
