"""Forms about a dataset as a whole. Each keeps what was typed when something is refused."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.models import Dataset
from dpgov.datasets.web.forms.unit import UnitForm
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import NANO, InvalidAmount, parse_epsilon
from dpgov.privacy.accounting.loss import PURE, Currency, InvalidDelta, Mode, parse_delta
from dpgov.web.typed import Lines, TypedNumber, TypedWholeNumber

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_TEXT = {"class": "form-control"}
_SELECT = {"class": "form-select"}
_NUMBER = {"class": "form-control", "inputmode": "numeric"}


class EpsilonField(TypedNumber):
    """An amount of ε as text; cleans to integer nano-ε, exactly; to None where it is left out.

    As the limit of a budget it has to leave room for something in that budget's currency.
    """

    currency = PURE

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(
            attrs={"class": "form-control", "inputmode": "decimal", "autocomplete": "off"}
        )
        super().__init__(max_length=60, widget=widget, **kwargs)

    def count_in(self, currency: Currency) -> None:
        """Take what is typed as a limit in this currency."""
        self.currency = currency
        if currency.delta is not None:
            self.label = _("{label} at δ {delta}").format(
                label=self.label or "ε", delta=currency.delta_text
            )

    def clean(self, value: Any) -> Any:
        """Raises ValidationError with the reason for which an amount cannot be booked."""
        text = super().clean(value)
        if not (self.required or text):
            return None
        try:
            nano = parse_epsilon(text)
            self.currency.limit_of(nano)
            return nano
        except InvalidAmount as problem:
            raise forms.ValidationError(translated(problem.args[0])) from problem


class DeltaField(TypedNumber):
    """A δ as text, or nothing; cleans to an exact decimal or None."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(
            attrs={"class": "form-control", "inputmode": "text", "autocomplete": "off"}
        )
        super().__init__(max_length=40, widget=widget, **kwargs)

    def clean(self, value: Any) -> Any:
        """Raises ValidationError with what to write instead."""
        text = super().clean(value)
        try:
            return parse_delta(text) if text else None
        except InvalidDelta as problem:
            raise forms.ValidationError(translated(problem.args[0])) from problem


def mode_field(help_text: "StrOrPromise") -> forms.ChoiceField:
    """How losses add up; pure where nothing is chosen, which promises more."""
    return forms.ChoiceField(
        label=_("How losses add up"),
        choices=[
            ("pure", _("Pure ε: the losses of all answers add up as they are")),
            ("zcdp", _("(ε, δ) through zCDP: many small questions cost much less together")),
        ],
        initial="pure",
        required=False,
        widget=forms.RadioSelect,
        help_text=help_text,
    )


def delta_field() -> DeltaField:
    """The δ of the promise."""
    return DeltaField(
        label="δ",
        required=False,
        help_text=_(
            "Only for (ε, δ): the probability that comes on top of what ε allows, like 1e-6. "
            "Take well under 1 in the number of people."
        ),
    )


def count_in(form: forms.Form, currency: Currency) -> None:
    """Take the form's ε as a limit in this currency."""
    field = form.fields["epsilon_limit"]
    if isinstance(field, EpsilonField):
        field.count_in(currency)


def declared_currency(form: forms.Form) -> Currency:
    """The mode and δ of a form that has both; δ counts under zCDP only. PURE if it is missing."""
    delta = form.cleaned_data.get("delta")
    if form.cleaned_data.get("mode") != Mode.ZCDP or delta is None:
        return PURE
    return Currency(Mode.ZCDP, delta)


def check_delta(form: forms.Form) -> None:
    """Refuse zCDP without a δ, and a limit at this δ that nothing fits under."""
    wanted, limit = form.cleaned_data.get("mode"), form.cleaned_data.get("epsilon_limit")
    if wanted == Mode.ZCDP and not form.cleaned_data.get("delta") and "delta" not in form.errors:
        form.add_error("delta", _("Give a δ, like 1e-6, or choose pure ε."))
    try:
        declared_currency(form).limit_of(limit or NANO)
    except InvalidAmount as problem:
        form.add_error("epsilon_limit", translated(problem.args[0]))


class UploadForm(forms.Form):
    """One file; what it is is found out from its content."""

    file = forms.FileField(
        label=_("CSV, Excel or Parquet file"),
        allow_empty_file=True,
        error_messages={"required": _("Choose a file first.")},
        widget=forms.FileInput(attrs={"class": "form-control", "accept": ".csv,.parquet"}),
    )


class DatasetForm(UnitForm):
    """What is declared about the dataset as a whole."""

    name = forms.CharField(label=_("Name"), max_length=120, widget=forms.TextInput(attrs=_TEXT))
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=4000,
        widget=Lines(attrs=_TEXT | {"rows": 3}),
        help_text=_("What the rows are, where they come from, what analysts should know."),
    )
    neighbouring = forms.ChoiceField(
        label=_("Neighbouring relation"),
        choices=Dataset.Neighbouring.choices,
        initial=Dataset.Neighbouring.ADD_REMOVE,
        widget=forms.Select(attrs=_SELECT),
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
        widget=forms.TextInput(attrs=_NUMBER),
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
        widget=forms.TextInput(attrs=_NUMBER),
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
        widget=forms.TextInput(attrs=_NUMBER),
        help_text=_(
            "Only if a rough figure is public anyway: it is shown to analysts and used for "
            "expected errors. Leave it empty if you are not sure."
        ),
    )
    mode = mode_field(_("It can never be changed."))
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
        widget=forms.Select(attrs=_SELECT),
        help_text=_(
            "Leave this empty if you are not sure. A category column, such as a region or "
            "the year of entry, that puts each person into one part for good. A question about "
            "some parts is then paid by those parts alone. It can never be changed."
        ),
    )
    needs_allocation = forms.BooleanField(
        label=_("Only people and projects with an allocation may ask"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )

    named_only = forms.BooleanField(
        label=_("Only people named by an owner can see it"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )

    def __init__(self, *args: Any, headers: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns = [("", _("None")), *((header, header) for header in headers)]
        for name in ("private_id", "partition_column"):
            self.fields[name].widget = forms.Select(attrs=_SELECT, choices=columns)

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
        return self.cleaned_data
