"""How a file is read and how it fits its declarations, in words, and the form to read it otherwise.

Must never say a value of the file; of numbers it knows coarse words alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.models import Upload
from dpgov.datasets.services import CheckReport
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, MissingRule

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_SELECT = forms.Select(attrs={"class": "form-select"})

ENCODINGS = {
    "utf-8": _("UTF-8"),
    "cp1252": _("Windows-1252 (Western European, Latin-1)"),
    "utf-16": _("UTF-16"),
}
DELIMITERS = {",": _("commas"), ";": _("semicolons"), "\t": _("tabs"), "|": _("vertical bars")}
DECIMALS = {".": _("a decimal point: 3.5"), ",": _("a decimal comma: 3,5")}
HEADERS = {
    "names": _("the names of the columns"),
    "values": _("a row; the columns are called column_1, column_2 and so on"),
}


class ReadingForm(forms.Form):
    """How the cells of a file are written, as far as its format leaves a choice."""

    sheet = forms.ChoiceField(label=_("Sheet"), widget=_SELECT)
    encoding = forms.ChoiceField(label=_("Encoding"), choices=list(ENCODINGS.items()))
    delimiter = forms.ChoiceField(label=_("Cells are separated by"))
    decimal = forms.ChoiceField(label=_("Numbers are written with"), choices=list(DECIMALS.items()))
    header = forms.ChoiceField(label=_("The first line holds"), choices=list(HEADERS.items()))

    def __init__(self, upload: Upload, data: Any = None) -> None:
        reading = upload.reading
        first = "names" if reading.get("header", True) else "values"
        super().__init__(data, initial=reading | {"header": first})
        if upload.format == "xlsx":
            self._choices("sheet", [(name, name) for name in reading.get("sheets", ())])
        for name in () if upload.format == "csv" else ("encoding", "delimiter"):
            del self.fields[name]
        if upload.format != "xlsx":
            del self.fields["sheet"]
        if upload.format == "csv":
            self._choices("delimiter", list(DELIMITERS.items()))

    def _choices(self, name: str, choices: list[tuple[str, Any]]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices

    def wanted(self) -> dict[str, Any]:
        """What was chosen, by the names of a FileFormat; only after `is_valid`."""
        return self.cleaned_data | {"header": self.cleaned_data["header"] == "names"}


def how_read(upload: Upload) -> Iterator[str]:
    """Sentences about what was understood, for its owner."""
    reading: Mapping[str, Any] = upload.reading
    if upload.live_id is not None:
        yield from _of_live(reading)
        return
    if packed := reading.get("packed"):
        yield _of_archive(packed, reading)
    if reading.get("encoding", "utf-8") != "utf-8":
        yield gettext("The text is not in UTF-8; it is read as {encoding}.").format(
            encoding=ENCODINGS[reading["encoding"]]
        )
    if len(sheets := reading.get("sheets", ())) > 1:
        yield gettext("The workbook has {number} sheets; “{sheet}” is read.").format(
            number=len(sheets), sheet=reading["sheet"]
        )
    if delimiter := upload.format == "csv" and reading.get("delimiter"):
        yield gettext("Cells are separated by {delimiter}.").format(delimiter=DELIMITERS[delimiter])
    if upload.format != "parquet":
        mark = reading.get("decimal", ".")
        yield gettext("Numbers are written with {mark}.").format(mark=DECIMALS[mark])
    yield from _names(upload)


def _of_archive(packed: str, reading: Mapping[str, Any]) -> str:
    if reading.get("files", 1) == 1:
        return gettext("The one file in the {packed} archive is read.").format(packed=packed)
    return gettext(
        "The {number} files in the zip archive are read as one table, in the order of their names: "
        "from “{first}” to “{last}”."
    ).format(number=reading["files"], first=reading["first_file"], last=reading["last_file"])


def _of_live(reading: Mapping[str, Any]) -> Iterator[str]:
    yield gettext("Names and types of the columns come from the catalog of the server.")
    if left_out := reading.get("left_out", ()):
        names = ", ".join(left_out)
        yield ngettext(
            "One column has a type that is not read, and is left out: {names}.",
            "{number} columns have types that are not read, and are left out: {names}.",
            len(left_out),
        ).format(number=len(left_out), names=names)


def _names(upload: Upload) -> Iterator[str]:
    reading = upload.reading
    if not reading.get("header", True):
        yield gettext("No line holds names, so the columns are called column_1 and so on.")
        if reading.get("first_line_is_data"):
            yield gettext("The first line looks like a row: names would be public, values never.")
    elif reading.get("first_line_is_data"):
        yield gettext("The first line holds the names. Names are public: it must not be a row.")
    if left_out := reading.get("left_out", ()):
        names = ", ".join(left_out)
        yield ngettext(
            "One column holds lists, records or bytes and is left out: {names}.",
            "{number} columns hold lists, records or bytes and are left out: {names}.",
            len(left_out),
        ).format(number=len(left_out), names=names)


def is_worth_a_look(upload: Upload) -> bool:
    """Whether something was understood that its owner should see before declaring columns."""
    reading = upload.reading
    return bool(
        reading.get("packed")
        or reading.get("encoding", "utf-8") != "utf-8"
        or reading.get("delimiter", ",") == ";"
        or reading.get("first_line_is_data")
        or reading.get("left_out")
        or len(reading.get("sheets", ())) > 1
    )


SHARES = {
    "none": _("none"),
    "few": _("few"),
    "half": _("about half"),
    "most": _("most"),
    "all": _("all"),
}


@dataclass(frozen=True, slots=True)
class CheckedColumn:
    """One column in the private check. `comma` and `point` offer the other decimal mark."""

    column: str
    filled: "StrOrPromise"
    read: "StrOrPromise" = ""
    inside: "StrOrPromise" = ""
    remarks: tuple[str, ...] = ()
    switch: bool = False
    refused: bool = False


def lines_of(checked: CheckReport, specs: Mapping[str, ColumnSpec]) -> list[CheckedColumn]:
    """Each column that was checked, in the order in which it was declared."""
    return [_line(name, found, specs.get(name)) for name, found in checked.columns.items()]


def _line(name: str, found: Mapping[str, str], spec: ColumnSpec | None) -> CheckedColumn:
    if spec is None:
        empty = found["filled"] == "none"
        nobody = (gettext("No row says whose it is."),) if empty else ()
        return CheckedColumn(name, SHARES[found["filled"]], remarks=nobody, refused=empty)
    switch = found["read"] in ("none", "few") and found["other_mark"] in ("half", "most", "all")
    is_category = isinstance(spec.domain, CategoryDomain)
    remarks = tuple(_of_category(found) if is_category else _of_others(name, found, switch))
    nothing = found["inside" if is_category else "read"] == "none"
    complete = found["filled"] == found["read"] == "all"
    broken = spec.missing is MissingRule.REQUIRE and not complete
    if broken:
        never = gettext("Some cells are missing, though it is declared that none is.")
        remarks = (*remarks, never)
    return CheckedColumn(
        name,
        SHARES[found["filled"]],
        SHARES[found["read"]],
        SHARES[found["inside"]],
        remarks,
        switch,
        refused=nothing or broken,
    )


def _of_category(found: Mapping[str, str]) -> Iterator[str]:
    if found["inside"] == "none":
        yield gettext("No cell is one of the categories. Spell them as in the file.")
    elif found["outside"] != "none":
        yield gettext("Outside the list: {share}. These count as “other”.").format(
            share=SHARES[found["outside"]]
        )


def _of_others(name: str, found: Mapping[str, str], switch: bool) -> Iterator[str]:
    if switch:
        pattern = gettext("{share} of “{column}” can be read as numbers: the other decimal mark?")
        share = str(SHARES[found["read"]]).capitalize()
        yield pattern.format(share=share, column=name)
    elif found["read"] == "none":
        yield gettext("No cell can be read as it is declared.")
    elif found["read"] != "all":
        yield gettext("Cells that cannot be read count as missing.")
    if found["outside"] != "none":
        yield gettext("Outside the bounds: {share}. These count as the nearest bound.").format(
            share=SHARES[found["outside"]]
        )
