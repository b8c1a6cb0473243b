"""What was found about a table, in the words of the registration form."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import InvalidNumber, decimal_text, read_decimal
from dpgov.privacy.plan.calendar import DateStep, NotADate, number_of, period_text, span_of
from dpgov.privacy.plan.domains import MAX_CATEGORIES
from dpgov.privacy.plan.layouts import read_layout
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.web.typed import as_typed

_LONGEST_NAME = 60
# Fractions of a second and an offset, which bounds do not need.
_ZONED = re.compile(r"(?<=:[0-9]{2})(\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?$|(?<=[0-9])Z$")
_PLAIN_CHOICE = re.compile(r"[\w .,'&/+-]+")


@dataclass(slots=True)
class FoundColumn:
    """One described column: `names` it may have in the file, best first, and form `fields`.

    `notes` name what could not be taken over, as sentences.
    """

    names: tuple[str, ...]
    fields: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    is_private_id: bool = False
    is_computed: bool = False


@dataclass(slots=True)
class FoundDeclarations:
    """Everything that a file says: `dataset` are fields of the form about the whole."""

    format: str
    columns: list[FoundColumn]
    dataset: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def as_number(column: FoundColumn, *, lower: str, upper: str, step: str) -> None:
    """A column of numbers; what is missing is named, and left for the owner to say."""
    column.fields["kind"] = "number"
    for name, text in (("lower", lower), ("upper", upper), ("step", step)):
        if text:
            _take_number(column, name, text)
    if not (lower and upper):
        column.notes.append(_("It has no bounds: type in what you know of them."))
    if not step:
        column.notes.append(_("Nothing says how fine its values are: choose the step."))


def _take_number(column: FoundColumn, name: str, text: str) -> None:
    try:
        column.fields[name] = as_typed(decimal_text(read_decimal(text)))
    except InvalidNumber as problem:
        patterns = {
            "lower": _("Its lower bound {problem}"),
            "upper": _("Its upper bound {problem}"),
            "step": _("Its step {problem}"),
        }
        column.notes.append(patterns[name].format(problem=translated(problem.args[0])))


def as_date(column: FoundColumn, *, lower: str, upper: str, period: DateStep, layout: str) -> None:
    """A column of dates; bounds and formats that are no such here are named."""
    column.fields |= {"kind": "date", "period": period.value}
    for name, text in (("lower", lower), ("upper", upper)):
        if text:
            _take_date(column, name, text, period)
    if not (lower and upper):
        column.notes.append(_("It has no bounds: type in what you know of them."))
    try:
        column.fields["date_format"] = read_layout(layout, period)
    except InvalidDomain:
        column.notes.append(_("Its format is not known here: write it down yourself."))


def _take_date(column: FoundColumn, name: str, text: str, period: DateStep) -> None:
    """A moment in a zone counts as it is written."""
    plain = _ZONED.sub("", text.strip())
    try:
        span = span_of(plain)
        second = span.start if name == "lower" else span.end - 1
        column.fields[name] = period_text(period, number_of(period, second))
    except NotADate as problem:
        column.notes.append(translated(problem.args[0]))


def as_category(column: FoundColumn, categories: Sequence[object]) -> None:
    """A column of categories; without a list the owner has to write one."""
    column.fields["kind"] = "category"
    names = [str(each).strip() for each in categories if not isinstance(each, dict | list)]
    names = [name for name in names if name]
    if len(names) > MAX_CATEGORIES:
        column.notes.append(
            _("It has more than {most} categories: too many to list.").format(most=MAX_CATEGORIES)
        )
        return
    if any("\n" in name or "\r" in name for name in names):
        column.notes.append(_("A category spans lines: list the categories yourself."))
        return
    column.fields["categories"] = "\n".join(dict.fromkeys(names))
    if not names:
        column.notes.append(_("Its categories are not listed: write them down, one per line."))


def as_truth(column: FoundColumn, words: Sequence[str] = ()) -> None:
    """A column of true and false."""
    as_category(column, words or ("true", "false"))
    if not words:
        column.notes.append(_("Spell true and false as they stand in the file."))


def left_out(column: FoundColumn, kind: str) -> None:
    """A type that nobody can ask about here."""
    pattern = _("Its type, {type}, cannot be asked about: it is left out.")
    column.notes.append(pattern.format(type=short(kind)))


def choices_of(pattern: str) -> list[str]:
    """The texts that a plain pattern such as ^(a|b|c)$ allows; none where it is another."""
    inner = pattern.strip().removeprefix("^").removesuffix("$")
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1].removeprefix("?:")
    choices = inner.split("|")
    plain = len(choices) > 1 and all(
        _PLAIN_CHOICE.fullmatch(each) and not set(each) & set(".+") for each in choices
    )
    return choices if plain else []


def short(name: object) -> str:
    """Somebody's text within a sentence."""
    text = " ".join(str(name).split())
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
