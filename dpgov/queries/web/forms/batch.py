"""The form of a batch: questions that were put aside, locked shares, one price for all.

It carries its questions itself, so that what a person sees is what is asked, whatever happens in
another window. It translates only.
"""

import json
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.language.translation import translated
from dpgov.operation.exact_json import UnusableJson, read_json
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.web.forms.price import PricedForm, PriceForm
from dpgov.queries.web.forms.rows import NumberField, RowForm, title_of
from dpgov.queries.web.forms.state import append, new_key, row_ids
from dpgov.queries.wording.words import in_words
from dpgov.web.typed import as_typed

QUESTION = "question"
_PRICES = ("epsilon", "rho", "dataset")


class QuestionRow(RowForm):
    """One question as its JSON, and the share of the price that is locked for it."""

    plan = forms.CharField(max_length=200_000, widget=forms.HiddenInput)
    share = NumberField(label=gettext_lazy("Share of the price in %, or nothing"))

    def clean_plan(self) -> dict[str, Any]:
        """The JSON, exactly; whether it can be asked is decided where plans are read."""
        try:
            found = read_json(self.cleaned_data["plan"])
        except UnusableJson:
            found = None
        if not isinstance(found, dict):
            raise forms.ValidationError(_("This question cannot be read any more. Remove it."))
        return found

    @property
    def title(self) -> str:
        """The question in words."""
        unreadable = _("A question that cannot be read any more")
        return title_of(self["plan"].value() or "", in_words) or unreadable

    def entry(self) -> dict[str, Any]:
        """The batch's form of it. Only when valid."""
        plan: dict[str, Any] = self.cleaned_data["plan"]
        share = self.cleaned_data.get("share")
        return plan if share is None else plan | {"share": share / Decimal(100)}

    def field_for(self, rest: list[str]) -> str:
        return "share" if rest and rest[0] in ("share", "epsilon", "rho") else "plan"


class BatchForm(PricedForm):
    """The whole form over posted data."""

    def __init__(
        self,
        data: QueryDict,
        *,
        mode: Mode,
        allocations: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(data)
        self.questions = [
            QuestionRow(data, prefix=f"{QUESTION}-{i}", row_id=i) for i in row_ids(data, QUESTION)
        ]
        self.price = PriceForm(data, mode=mode, allocations=allocations)

    def body(self) -> dict[str, Any] | None:
        if not self.questions:
            self.general_errors.append(_("Put a question aside first: compose one, and add it."))
        valid = [form.is_valid() for form in self._forms()]
        if self.general_errors or not all(valid):
            return None
        return {"plans": [row.entry() for row in self.questions], **self.price.amount()}

    def place(self, refusal: InvalidPlan) -> None:
        for problem in refusal.problems:
            kind, *rest = problem.path.split(".")
            if kind == "plans" and rest and int(rest[0]) < len(self.questions):
                row = self.questions[int(rest[0])]
                row.add_error(row.field_for(rest[1:]), translated(problem.message))
            elif (field := self.price.field_for(kind)) is not None:
                self.price.add_error(field, translated(problem.message))
            else:
                self.general_errors.append(translated(problem.message))

    def problems(self) -> list[tuple[str, str]]:
        found = [("", message) for message in self.general_errors]
        for place, row in enumerate(self.questions, start=1):
            for name, errors in row.errors.items():
                found += [(row[name].auto_id, _said_of(place, str(e))) for e in errors]
        for name, errors in self.price.errors.items():
            found += [(self.price[name].auto_id, str(error)) for error in errors]
        return found

    def _forms(self) -> Iterable[forms.Form]:
        return [*self.questions, self.price]


def _said_of(place: int, message: str) -> str:
    return _("Question {number}: {message}").format(number=place, message=message)


def batch_of(texts: Iterable[str], unit: str, amount: str) -> QueryDict:
    """A form with these questions in it, for so much of what the dataset counts in."""
    data = QueryDict(mutable=True)
    data.update({"by": unit, unit: as_typed(amount), "key": new_key()})
    for text in texts:
        append(data, QUESTION, {"plan": text})
    return data


def text_of(plan: dict[str, Any]) -> str:
    """A plan without its price, as the form carries it."""
    kept = {name: value for name, value in plan.items() if name not in _PRICES}
    return json.dumps(kept, ensure_ascii=False)
