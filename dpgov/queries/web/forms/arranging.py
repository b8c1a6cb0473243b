"""How a reader arranges the table of an answer: a form whose address can be kept and sent."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from dpgov.queries.arranging.arrangement import (
    NONE,
    Arrangement,
    InvalidArrangement,
    Part,
    read_arrangement,
)
from dpgov.queries.arranging.table import arranged_table, names_of
from dpgov.queries.wording.presentation import Answer
from dpgov.web.typed import plain_number

# Whatever stands in a form is read against the answer itself, later.
_ANY = 9_999
_SELECT = {"class": "form-select form-select-sm"}
_TEXT = {"class": "form-control form-control-sm", "inputmode": "decimal", "autocomplete": "off"}
_OPS = [(op, op) for op in (">=", "<=", ">", "<", "=", "!=")]


class ArrangeForm(forms.Form):
    """One order, one condition, one ratio; the address can say more of each."""

    sort = forms.ChoiceField(label=_("Sort by"), widget=forms.Select(attrs=_SELECT))
    first = forms.CharField(label=_("Show the first"), widget=forms.TextInput(attrs=_TEXT))
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
        statistics = [(str(key), name) for key, name in names.items() if key.part is Part.STATISTIC]
        numbers = [(str(key), name) for key, name in names.items() if key.part is not Part.GROUPING]
        groups = [(str(key), name) for key, name in names.items() if key.part is Part.GROUPING]
        orders: list[tuple[str, Any]] = [("", _("the declared order"))]
        for key, name in numbers:
            orders += [
                (f"-{key}", _("{name}, largest first").format(name=name)),
                (key, _("{name}, smallest first").format(name=name)),
            ]
        orders += [(f"-{k}", _("{name}, last first").format(name=name)) for k, name in groups]
        for field, choices in (
            ("sort", orders),
            ("of", numbers),
            ("above", [("", _("nothing")), *statistics]),
            ("below", [("", _("nothing")), *statistics]),
        ):
            self.fields[field].choices = choices  # type: ignore[attr-defined]


def _initial(wanted: Arrangement) -> dict[str, str]:
    initial = {"sort": str(wanted.sort[0]) if wanted.sort else "", "first": str(wanted.first or "")}
    if wanted.having:
        one = wanted.having[0]
        initial |= {"of": str(one.key), "op": one.op, "number": f"{one.number:f}"}
    if wanted.ratios:
        above, below = wanted.ratios[0]
        initial |= {"above": str(above), "below": str(below)}
    return initial


def arranged(given: QueryDict, body: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """What the answer page shows of an arrangement, and why one was not understood."""
    counts = {"statistics": len(body["statistics"]), "groupings": len(body["groups"])}
    wanted, refusal = NONE, ""
    try:
        wanted = read_arrangement(given, **counts)
    except InvalidArrangement as problem:
        refusal = str(problem)
    table = arranged_table(body, answer, wanted)
    form = ArrangeForm(body, wanted)
    return {
        "table": table,
        "arrange": form,
        "arrange_refusal": refusal,
        "is_arranged": bool(wanted),
    }


def address_of_form(query_id: UUID, given: QueryDict) -> str:
    """The address that says what the form does; it is read against the answer later."""
    said = QueryDict(mutable=True)
    said["sort"], said["first"] = given.get("sort", ""), _plain(given.get("first", ""), whole=True)
    if number := _plain(given.get("number", "")):
        said["having"] = f"{given.get('of', '')}{given.get('op', '')}{number}"
    if given.get("above") or given.get("below"):
        said["ratio"] = f"{given.get('above', '')}/{given.get('below', '')}"
    kept = QueryDict(mutable=True)
    kept.update({name: str(value) for name, value in said.items() if value})
    address = reverse("queries:detail", args=[query_id])
    query = kept.urlencode(safe=",/<>=!")
    return f"{address}?{query}#answer-table" if query else f"{address}#answer-table"


def answer_address(query_id: UUID, shown: str) -> str:
    """The answer page, arranged as a text wanted it; whatever is no arrangement is left out."""
    address = reverse("queries:detail", args=[query_id])
    try:
        wanted = read_arrangement(QueryDict(shown[:2_000]), statistics=_ANY, groupings=_ANY)
    except InvalidArrangement:
        return address
    return f"{address}?{wanted.as_query()}" if wanted else address


def _plain(typed: str, *, whole: bool = False) -> str:
    """A number as the page's language spells it; what is none is refused by the answer's page."""
    try:
        return plain_number(typed[:60], whole=whole)
    except forms.ValidationError:
        return typed[:60]
