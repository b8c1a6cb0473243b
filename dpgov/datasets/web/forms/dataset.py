"""Forms about a dataset as a whole. Each keeps what was typed when something is refused."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.web.forms import (
    EpsilonField,
    check_delta,
    delta_field,
    mode_field,
)
from dpgov.datasets.declaration import check_per_query
from dpgov.datasets.models import Dataset
from dpgov.datasets.web.forms.unit import UnitForm
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import MAX_NANO
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.web.typed import Lines, TypedWholeNumber


class UploadForm(forms.Form):
    """One file; what it is is found out from its content."""

    file = forms.FileField(
        label=_("CSV, Excel or Parquet file"),
        allow_empty_file=True,
        error_messages={"required": _("Choose a file first.")},
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.parquet,.xlsx,.zip,.gz"}),
    )


def access_field() -> forms.BooleanField:
    """Whether asking takes an allocation; of a new dataset, and of one that is there."""
    return forms.BooleanField(
        label=_("Only people and projects with an allocation may ask"),
        required=False,
        help_text=_(
            "Otherwise every analyst of your organisation may ask, up to the limit of the dataset."
        ),
    )


class DatasetForm(UnitForm):
    """What is declared about the dataset as a whole."""

    name = forms.CharField(label=_("Name"), max_length=120)
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=4000,
        widget=Lines(attrs={"rows": 3}),
        help_text=_("What the rows are, where they come from, what analysts should know."),
    )
    neighbouring = forms.ChoiceField(
        label=_("Neighbouring relation"),
        choices=Dataset.Neighbouring.choices,
        initial=Dataset.Neighbouring.ADD_REMOVE,
        help_text=_(
            "“Add or remove” also hides how many there are. Under “change one” the number "
            "of rows (or of people, if a column names them) becomes public; with rows, means get "
            "more exact."
        ),
    )
    group_size = TypedWholeNumber(
        label=_("Group size"),
        min_value=1,
        max_value=1000,
        initial=1,
        help_text=_(
            "The guarantee is stated for this many units together: 1 for single people, "
            "the size of a household for households. The noise grows with it."
        ),
    )
    max_rows = TypedWholeNumber(
        label=_("Largest number of rows"),
        min_value=1,
        max_value=10**12,
        initial=1_000_000,
        help_text=_(
            "A public bound well above what there is, such as a round number. It keeps "
            "sums exact and does not change the noise."
        ),
    )
    public_rows = TypedWholeNumber(
        label=_("Approximate number of rows"),
        required=False,
        min_value=1,
        max_value=10**12,
        help_text=_(
            "Only if a rough figure is public anyway: it is shown to analysts and used for "
            "expected errors. Leave it empty if you are not sure."
        ),
    )
    mode = mode_field(
        _(
            "Pure ε is the stronger promise and the simpler one: take it for a few large "
            "questions. Under (ε, δ) a probability of δ comes on top of what ε allows, and "
            "several times as many small questions fit. This choice can never be changed."
        )
    )
    delta = delta_field()
    epsilon_limit = EpsilonField(
        label=_("Limit on ε for the dataset"),
        help_text=_(
            "All answers together never pass it. 1 is strong protection, above 10 is weak. "
            "You can lower it later; raising it takes a second person."
        ),
    )
    epsilon_per_query = EpsilonField(
        label=_("Limit on ε for one question"),
        help_text=_(
            "So that a single question cannot use everything up. Always the pure ε of one "
            "question; under (ε, δ) it is counted as the ρ that such a question costs."
        ),
    )

    partition_column = forms.CharField(
        label=_("Partition column"),
        required=False,
        max_length=200,
        help_text=_(
            "Leave this empty if you are not sure. A category column, such as a region or "
            "the year of entry, that puts each person into one part for good. A question about "
            "some parts is then paid by those parts alone. It can never be changed."
        ),
    )
    needs_allocation = access_field()
    named_only = forms.BooleanField(
        label=_("Only people named by an owner can see it"),
        required=False,
        help_text=_(
            "Otherwise every analyst of your organisation sees it as soon as it is registered. "
            "You name them in its settings, under “Audience”."
        ),
    )

    def __init__(self, *args: Any, headers: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns = [("", _("None")), *((header, header) for header in headers)]
        for name in ("private_id", "partition_column"):
            self.fields[name].widget = forms.Select(choices=columns)

    def clean(self) -> dict[str, Any]:
        """The figure for the public and the bound must not contradict each other."""
        super().clean()
        public, bound = self.cleaned_data.get("public_rows"), self.cleaned_data.get("max_rows")
        if public is not None and bound is not None and public > bound:
            self.add_error(
                "public_rows",
                _("This is above the largest number of rows, {bound}.").format(
                    bound=number_format(bound, force_grouping=True)
                ),
            )
        check_delta(self)
        self._check_per_query()
        return self.cleaned_data

    def _check_per_query(self) -> None:
        """Here too, beside all else that is wrong; the declaration is refused for it anyway."""
        limit = self.cleaned_data.get("epsilon_limit")
        try:
            check_per_query(limit or MAX_NANO, self.cleaned_data.get("epsilon_per_query") or 0)
        except InvalidDomain as problem:
            self.add_error(problem.field, translated(problem.args[0]))
