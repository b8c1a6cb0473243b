"""How a reader arranges the table of an answer: a form whose address can be kept and sent."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from dpgov.privacy.answer.body import is_alike
from dpgov.queries.arranging.arrange import arrange
from dpgov.queries.arranging.arrangement import (
    COMPARISONS,
    NONE,
    Arrangement,
    ColumnKey,
    InvalidArrangement,
    KeyKind,
    Order,
    arrangement_of,
    can_be_divided,
    cut_to,
    in_address,
    read_arrangement,
    unknown_wish,
)
from dpgov.queries.arranging.table import arranged_table, names_of, order_in_words
from dpgov.queries.wording.presentation import read_answer
from dpgov.web.typed import as_typed, plain_number

# Of an answer with more groups than a page can hold.
_MOST_SHOWN = 200
# Whatever stands in a form is read against the answer itself, later.
_ANY = 9_999
_SELECT = {"class": "form-select form-select-sm"}
_TEXT = {"class": "form-control form-control-sm", "autocomplete": "off"}
_OPS = [(op, op) for op in COMPARISONS]
# The fields for numbers: whether each takes whole ones only, and what an address calls a text in it
# that could mean two. An address has plain decimals, where that text might be one of the two.
_TYPED = {"first": (True, "unclear-first"), "number": (False, "unclear-number")}


class ArrangeForm(forms.Form):
    """One order, one condition, one ratio; the address can say more of each.

    Nothing has to be filled in: a browser that asked for it would never send the form.
    """

    use_required_attribute = False
    sort = forms.ChoiceField(label=_("Sort by"), widget=forms.Select(attrs=_SELECT))
    first = forms.CharField(
        label=_("Show the first"), widget=forms.TextInput(attrs=_TEXT | {"inputmode": "numeric"})
    )
    of = forms.ChoiceField(label=_("Only groups with"), widget=forms.Select(attrs=_SELECT))
    op = forms.ChoiceField(
        label=pgettext_lazy("comparison", "is"), choices=_OPS, widget=forms.Select(attrs=_SELECT)
    )
    number = forms.CharField(label=_("Number"), widget=forms.TextInput(attrs=_TEXT))
    above = forms.ChoiceField(label=_("Divide"), widget=forms.Select(attrs=_SELECT))
    below = forms.ChoiceField(label=_("by"), widget=forms.Select(attrs=_SELECT))

    def __init__(self, body: dict[str, Any], wanted: Arrangement) -> None:
        super().__init__(initial=_initial(wanted), auto_id="arrange-%s")
        names = names_of(body, wanted)
        statistics = [
            (str(key), name) for key, name in names.items() if key.part is KeyKind.STATISTIC
        ]
        divisible = [
            one
            for one, head in zip(statistics, body["statistics"], strict=True)
            if can_be_divided(head)
        ]
        numbers = [
            (str(key), name) for key, name in names.items() if key.part is not KeyKind.GROUPING
        ]
        # Where the largest come first unless another order is wanted, this is one.
        declared = str(Order(ColumnKey(KeyKind.GROUPING, 1))) if is_alike(body) else ""
        orders: list[tuple[str, Any]] = [(declared, _("the declared order"))]
        for key in sorted(names, key=lambda key: key.part is KeyKind.GROUPING):
            ways = (True,) if key.part is KeyKind.GROUPING else (True, False)
            offered = [Order(key, descending) for descending in ways]
            orders += [(str(order), order_in_words(order, names)) for order in offered]
        for field, choices in (
            ("sort", orders),
            ("of", numbers),
            ("above", [("", _("nothing")), *divisible]),
            ("below", [("", _("nothing")), *divisible]),
        ):
            self.fields[field].choices = choices  # type: ignore[attr-defined]


def _initial(wanted: Arrangement) -> dict[str, str]:
    initial = {"sort": str(wanted.sort[0]) if wanted.sort else "", "first": str(wanted.first or "")}
    if wanted.having:
        one = wanted.having[0]
        initial |= {"of": str(one.key), "op": one.op, "number": as_typed(f"{one.number:f}")}
    if wanted.ratios:
        above, below = wanted.ratios[0]
        initial |= {"above": str(above), "below": str(below)}
    return initial


def arranged(given: QueryDict, body: dict[str, Any]) -> dict[str, Any]:
    """The answer and its table as the page shows them, and why another was not understood."""
    wanted, refusal = NONE, ""
    try:
        _refuse_unclear(given)
        wanted = cut_to(body, arrangement_of(body, given), _MOST_SHOWN)
    except InvalidArrangement as problem:
        wanted, refusal = cut_to(body, NONE, _MOST_SHOWN), str(problem)
    found = arrange(body, wanted)
    answer = read_answer(body, found.places if is_alike(body) else None)
    return {
        "answer": answer,
        "table": arranged_table(body, answer, wanted, found),
        "arrange": ArrangeForm(body, wanted),
        "arrange_refusal": refusal,
        "is_arranged": bool(wanted),
    }


def address_of_form(query_id: UUID, given: QueryDict) -> str:
    """The address that says what the form does; it is read against the answer later."""
    said = {"sort": given.get("sort", "")} | _plain("first", given)
    read = _plain("number", given)
    if number := read.pop("number", ""):
        said["having"] = f"{given.get('of', '')}{given.get('op', '')}{number}"
    said |= read
    if given.get("above") or given.get("below"):
        said["ratio"] = f"{given.get('above', '')}/{given.get('below', '')}"
    return f"{_address(query_id, in_address((n, v) for n, v in said.items() if v))}#answer-table"


def answer_address(query_id: UUID, shown: str) -> str:
    """The answer page, arranged as a text wanted it; whatever is no arrangement is left out."""
    try:
        wanted = read_arrangement(QueryDict(shown[:2_000]), statistics=_ANY, groupings=_ANY)
    except InvalidArrangement:
        wanted = NONE
    return _address(query_id, wanted.as_query())


def _address(query_id: UUID, query: str) -> str:
    address = reverse("queries:detail", args=[query_id])
    return f"{address}?{query}" if query else address


def _plain(name: str, given: QueryDict) -> dict[str, str]:
    """A number as an address says it; what could be two, by a name of its own."""
    (whole, unclear), typed = _TYPED[name], given.get(name, "")[:60]
    try:
        return {name: plain_number(typed, whole=whole)}
    except forms.ValidationError:
        return {unclear: typed}


def _refuse_unclear(given: QueryDict) -> None:
    """Raises InvalidArrangement with what a number that was typed could be."""
    for name, (whole, unclear) in _TYPED.items():
        if typed := given.get(unclear, "")[:60]:
            try:
                plain_number(typed, whole=whole)
            except forms.ValidationError as problem:
                raise InvalidArrangement(problem.messages[0]) from problem
            raise unknown_wish(name, typed)  # clear in the language that the page has by now
