"""What was found about a table, in the words of the registration form."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import InvalidNumber, decimal_text, read_decimal
from dpgov.privacy.plan.domains import MAX_CATEGORIES

_LONGEST_NAME = 60
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


@dataclass(slots=True)
class Found:
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
        column.fields[name] = decimal_text(read_decimal(text))
    except InvalidNumber as problem:
        patterns = {
            "lower": _("Its lower bound {problem}"),
            "upper": _("Its upper bound {problem}"),
            "step": _("Its step {problem}"),
        }
        column.notes.append(patterns[name].format(problem=translated(problem.args[0])))


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
    dates = "date" in kind.lower() or "time" in kind.lower() or kind.startswith("g")
    pattern = _("Its type, {type}, cannot be asked about: it is left out.")
    if dates:
        pattern = _(
            "Its type, {type}, cannot be asked about: it is left out. Put the year or the age into "
            "a column of its own."
        )
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
