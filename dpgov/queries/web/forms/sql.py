"""A question as a text of SQL, with its price beside it."""

from copy import deepcopy

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from dpgov.queries.sql.bounds import LONGEST
from dpgov.queries.web.forms.price import PriceForm
from dpgov.web.typed import Lines


class SqlForm(forms.Form):
    """The text and the amount; a price at the end of the text counts before the amount."""

    sql = forms.CharField(
        label=_("Question"),
        required=False,
        max_length=LONGEST,
        strip=False,
        widget=Lines(
            attrs={
                "class": "form-control font-monospace",
                "rows": 8,
                "spellcheck": "false",
                "translate": "no",
                "autocapitalize": "off",
            }
        ),
    )

    def __init__(self, data: QueryDict | None, *, unit: str, **options: object) -> None:
        super().__init__(data, **options)  # type: ignore[arg-type]
        self.unit = unit
        self.fields[unit] = deepcopy(PriceForm.base_fields[unit])

    @property
    def amount(self) -> forms.BoundField:
        """The field of the price."""
        return self[self.unit]

    @property
    def price(self) -> dict[str, str]:
        """What to pay where the text does not say it; nothing while nothing can be read."""
        typed = self.cleaned_data.get(self.unit) if self.is_bound and self.is_valid() else ""
        return {self.unit: typed} if typed else {}
