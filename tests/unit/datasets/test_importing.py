"""Column metadata of other tools: every type has its place, and what has none is named."""

from pathlib import Path

import pytest

from dpgov.datasets.importing import Filled, filled, read_metadata

SAMPLES = Path(__file__).parent / "metadata"


def sample(name: str, headers: str) -> Filled:
    return filled(read_metadata((SAMPLES / name).read_bytes()), headers.split())


def about(found: Filled, name: str) -> str:
    return " ".join(note for note in found.notes if note.startswith(f"{name}: "))


@pytest.fixture
def smartnoise() -> Filled:
    return sample("smartnoise.yaml", "pid age income sex married seen weight town")


@pytest.fixture
def lomas() -> Filled:
    return sample("lomas.yaml", "species island bill_length_mm siblings laid")


@pytest.fixture
def csvw() -> Filled:
    return sample("csvw.json", "Tree Height age Kind note alive planted year girth")


def test_smartnoise_columns_are_filled_in_by_type(smartnoise: Filled) -> None:
    assert smartnoise.format == "SmartNoise"
    assert smartnoise.columns == {
        "age": {"kind": "number", "lower": "0", "upper": "120", "step": "1"},
        "income": {
            "kind": "number",
            "lower": "0",
            "upper": "500000.5",
            "missing": "impute",
            "impute": "0",
        },
        "sex": {"kind": "category", "categories": ""},
        "married": {"kind": "category", "categories": "true\nfalse"},
        "seen": {"kind": "date", "period": "day", "date_format": ""},
        "weight": {"kind": "number"},
    }


def test_smartnoise_s_private_id_becomes_the_person(smartnoise: Filled) -> None:
    assert smartnoise.dataset == {"unit": "person", "private_id": "pid", "max_rows_per_unit": "4"}
    assert "pid" not in smartnoise.columns, "nobody may ask about it"


def test_what_cannot_be_taken_over_from_smartnoise_is_named(smartnoise: Filled) -> None:
    assert "choose the step" in about(smartnoise, "income")
    assert "categories are not listed" in about(smartnoise, "sex")
    assert "Spell true and false" in about(smartnoise, "married")
    assert "no bounds" in about(smartnoise, "seen")
    assert "no bounds" in about(smartnoise, "weight")
    notes = "\n".join(smartnoise.notes)
    assert "The number of rows, 1000, is not taken over" in notes
    assert "censor_dims is not needed" in notes
    assert "Not described, and left out so far: town." in notes


def test_the_number_of_rows_never_becomes_public_by_an_import(
    smartnoise: Filled, lomas: Filled
) -> None:
    """B8: under add_remove it is private; only the owner may say that it is public anyway."""
    for found in (smartnoise, lomas):
        assert "public_rows" not in found.dataset
        assert "max_rows" not in found.dataset


def test_lomas_columns_are_filled_in_by_type(lomas: Filled) -> None:
    assert lomas.format == "Lomas"
    assert lomas.columns == {
        "species": {"kind": "category", "categories": "Adelie\nChinstrap\nGentoo"},
        "island": {"kind": "category", "categories": "yes\nno\non"},
        "bill_length_mm": {"kind": "number", "lower": "30", "upper": "65"},
        "siblings": {"kind": "category", "categories": "0\n1\n2"},
        "laid": {
            "kind": "date",
            "period": "day",
            "date_format": "",
            "lower": "2007-01-01",
            "upper": "2009-12-31",
        },
    }
    assert lomas.dataset == {}
    assert "max_partition_length is not needed" in about(lomas, "species")


def test_csvw_columns_are_filled_in_by_type_and_title(csvw: Filled) -> None:
    assert csvw.format == "CSVW"
    assert csvw.columns == {
        "Tree": {"kind": "number", "lower": "0", "step": "1"},
        "Height": {"kind": "number", "lower": "0", "upper": "60.5", "step": "0.01"},
        "age": {"kind": "number", "lower": "1", "upper": "1000", "step": "1"},
        "Kind": {"kind": "category", "categories": "oak\nbeech\nfir tree"},
        "planted": {"kind": "date", "period": "day", "date_format": ""},
        "note": {"kind": "category", "categories": ""},
        "alive": {"kind": "category", "categories": "Y\nN"},
        "year": {"kind": "number", "lower": "1800", "upper": "2100", "step": "1"},
        "girth": {"kind": "number", "missing": "impute", "impute": "1.5"},
    }
    assert "no bounds" in about(csvw, "planted")
    assert any("primaryKey is not taken over" in note for note in csvw.notes)


NUMBERS = """
integer long int short byte unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger
negativeInteger nonNegativeInteger nonPositiveInteger gYear decimal number double float
"""
CATEGORIES = """
string normalizedString token language Name NMTOKEN anyURI any anyAtomicType boolean
"""
DATES = "date dateTime datetime dateTimeStamp gYearMonth"
NEITHER = """
time duration dayTimeDuration yearMonthDuration gDay gMonth
gMonthDay hexBinary base64Binary binary QName xml html json something-else
"""


@pytest.mark.parametrize(
    ("base", "kind"),
    [
        *((base, "number") for base in NUMBERS.split()),
        *((base, "category") for base in CATEGORIES.split()),
        *((base, "date") for base in DATES.split()),
        *((base, None) for base in NEITHER.split()),
    ],
)
def test_every_type_of_csvw_is_mapped_or_named(base: str, kind: str | None) -> None:
    text = f'{{"tableSchema": {{"columns": [{{"name": "a", "datatype": "{base}"}}]}}}}'
    found = filled(read_metadata(text.encode()), ["a"])
    assert found.columns.get("a", {}).get("kind") == kind
    assert about(found, "a") or {"lower", "upper", "step"} <= set(found.columns["a"])


@pytest.mark.parametrize(
    ("pattern", "layout", "noted"),
    [
        ("", "", False),
        ("yyyy-MM-dd", "", False),
        ("dd.MM.yyyy", "DD.MM.YYYY", False),
        ("MM/dd/yyyy", "MM/DD/YYYY", False),
        ("yyyyMMdd", "YYYYMMDD", False),
        ("dd-MM-yy", None, True),
        ("EEEE", None, True),
    ],
)
def test_the_dates_of_csvw_keep_their_format_and_their_bounds(
    pattern: str, layout: str | None, *, noted: bool
) -> None:
    bounds = '"minimum": "2020-01-01Z", "maximum": "2024"'
    facets = f'{{"base": "date", "format": "{pattern}", {bounds}}}'
    text = f'{{"tableSchema": {{"columns": [{{"name": "a", "datatype": {facets}}}]}}}}'
    found = filled(read_metadata(text.encode()), ["a"])
    column = found.columns["a"]
    assert column.get("date_format") == layout
    assert (column["lower"], column["upper"]) == ("2020-01-01", "2024-12-31")
    assert ("write it down yourself" in about(found, "a")) is noted


@pytest.mark.parametrize("kind", ["int", "float", "string", "boolean", "datetime", "whatever"])
def test_every_type_of_smartnoise_and_lomas_is_mapped_or_named(kind: str) -> None:
    for text in (f"c:\n s:\n  t:\n   a: {{type: {kind}}}", f"columns:\n a: {{type: {kind}}}"):
        found = filled(read_metadata(text.encode()), ["a"])
        assert found.columns.get("a") or "cannot be asked about" in about(found, "a")


def test_several_rows_of_a_person_without_a_column_that_names_them_stay_protected() -> None:
    """Never less protection than the file asks for: the group size takes its place."""
    found = filled(read_metadata(b"max_ids: 5\ncolumns:\n a: {type: int}"), ["a"])
    assert found.dataset == {"group_size": "5"}
    assert any("group size is set to 5" in note for note in found.notes)


def test_what_is_described_but_not_in_the_file_is_named() -> None:
    found = filled(
        read_metadata(b"columns:\n a: {type: int}\n p: {type: int, private_id: true}"), ["b"]
    )
    assert found.columns == {}
    assert "private_id" not in found.dataset
    notes = "\n".join(found.notes)
    assert "a is described, but not in the file." in notes
    assert "The person's column, p, is not in the file" in notes


def test_numbers_keep_their_exact_text() -> None:
    """J6: no binary floating point on the way."""
    text = b"columns:\n a: {type: float, lower: 0.1, upper: 123456789.123456, missing_value: 0.30}"
    found = filled(read_metadata(text), ["a"])
    assert found.columns["a"]["lower"] == "0.1"
    assert found.columns["a"]["upper"] == "123456789.123456"
    assert found.columns["a"]["impute"] == "0.30"
