"""What people type: numbers by the page's language, or refused with what to type; and lines.

A mark that could be of thousands or of decimals is never guessed: "10.000" taken for ten loses
nine thousand nine hundred and ninety rows in silence. The API takes plain decimals only.
"""

import re
from typing import Any

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext as _

_SPACES = " \u00a0\u2009\u202f'\u2019"
_MINUS = str.maketrans(dict.fromkeys("\u2212\u2012\u2013\u2014", "-"))
_MARKED = re.compile(r"-?[0-9][0-9.,]*", re.ASCII)


class Lines(forms.Textarea):
    """Several lines, of which each break is one sign, as the browser counts that stops the typing.

    It sends two for each, so that a text at its limit would be refused.
    """

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """What was typed."""
        typed = super().value_from_datadict(data, files, name)
        return typed.replace("\r\n", "\n") if isinstance(typed, str) else typed


class TypedNumber(forms.CharField):
    """A number as text; cleans to the plain spelling of the same number, exactly."""

    def __init__(self, *, whole: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.whole = whole

    def to_python(self, value: Any) -> str:
        """Raises ValidationError with the spelling to use."""
        return plain_number(super().to_python(value) or "", whole=self.whole)


class TypedAmount(TypedNumber):
    """An amount of loss as text, for whoever reads it: a field of ε, or a plan.

    The browser suggests nothing and forgets it; where it is `kept`, whoever comes back to the page
    finds what they typed.
    """

    def __init__(self, *, kept: bool = False, **options: Any) -> None:
        attrs = {"inputmode": "decimal"} | ({} if kept else {"autocomplete": "off"})
        super().__init__(max_length=60, widget=forms.TextInput(attrs=attrs), **options)


class TypedDecimal(forms.DecimalField):
    """An exact decimal, spelt as the page's language spells it."""

    def to_python(self, value: Any) -> Any:
        """Raises ValidationError with the spelling to use."""
        return super().to_python(plain_number(value) if isinstance(value, str) else value)


class TypedWholeNumber(forms.IntegerField):
    """A whole number; thousands may be marked as the page's language marks them."""

    widget = forms.TextInput

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.widget.attrs.setdefault("inputmode", "numeric")

    def to_python(self, value: Any) -> int | None:
        """Raises ValidationError with the spelling to use."""
        typed = plain_number(value, whole=True) if isinstance(value, str) else value
        return super().to_python(typed)


def plain_number(typed: str, *, whole: bool = False) -> str:
    """The same number without marks of thousands and with a point for decimals.

    What is no number at all comes back as it was, for whoever reads it to refuse. Raises
    ValidationError where a mark could mean either.
    """
    text = _without_spaces(typed.strip().translate(_MINUS))
    if not _MARKED.fullmatch(text) or not ("," in text or "." in text):
        return text
    point, comma = text.count("."), text.count(",")
    if point and comma:
        return _both(text)
    mark = "." if point else ","
    grouped = re.fullmatch(rf"-?[1-9][0-9]{{0,2}}(\{mark}[0-9]{{3}})+", text) is not None
    if text.count(mark) > 1:
        return text.replace(mark, "") if grouped else text
    return _one(text, mark, grouped=grouped, whole=whole)


def as_typed(plain: str) -> str:
    """A plain decimal as the page's language spells it: what a form is filled with reads back."""
    return plain.replace(".", ",") if _marks_decimals(",") else plain


def split_numbers(typed: str) -> list[str]:
    """The numbers of a list. Where a comma marks decimals, one between digits is no separator.

    Raises ValidationError for "1,000" in the other languages: a number, or a one and a nought.
    """
    text = typed.strip()
    if _marks_decimals(","):
        return [part for part in re.split(r",?[;\s]+", text.strip(",")) if part]
    if re.fullmatch(r"-?[1-9][0-9]{0,2}(,[0-9]{3})+", text):
        raise forms.ValidationError(
            _("Is this one number or a list? Write {number}, or a space after each comma.").format(
                number=text.replace(",", "")
            )
        )
    return [part for part in re.split(r"[,;\s]+", text) if part]


def _marks_decimals(mark: str) -> bool:
    return mark == ("," if (get_language() or "").startswith("de") else ".")


def _without_spaces(text: str) -> str:
    """Without the spaces and apostrophes that stand between groups of three digits."""
    grouped = re.sub(rf"(?<=[0-9])[{_SPACES}](?=[0-9]{{3}}(?![0-9]))", "", text)
    return grouped if _MARKED.fullmatch(grouped) else text


def _both(text: str) -> str:
    """With both marks the later one is of decimals, if the other ones stand before groups."""
    later = max(text.rfind("."), text.rfind(","))
    groups = "," if text[later] == "." else "."
    inside, decimals = text[:later], text[later + 1 :]
    well_formed = re.fullmatch(rf"-?[1-9][0-9]{{0,2}}(\{groups}[0-9]{{3}})+", inside)
    return f"{inside.replace(groups, '')}.{decimals}" if well_formed and decimals else text


def _one(text: str, mark: str, *, grouped: bool, whole: bool) -> str:
    """One mark: that of the page's language decides, unless the other reading is as likely."""
    together, apart = text.replace(mark, ""), text.replace(mark, ".")
    if _marks_decimals(mark):
        if whole and grouped:
            raise _either(together, apart)
        return apart
    if grouped and (whole or mark == ","):
        return together
    if grouped:
        raise _either(together, apart.replace(".", ","))
    if mark == ".":
        return text  # a plain number, as the API and copied texts have it
    raise forms.ValidationError(
        _("Write {number}: decimals take a point here.").format(number=apart)
    )


def _either(one: str, other: str) -> forms.ValidationError:
    said = _("It could be {one} or {other}: write it without a mark between thousands.")
    return forms.ValidationError(said.format(one=one, other=other.rstrip("0").rstrip(".,")))
