"""Fields in which amounts of loss and their limits are typed; each says what to type instead."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import NANO, InvalidAmount, parse_epsilon
from dpgov.privacy.accounting.loss import PURE, Currency, InvalidDelta, Mode, parse_delta
from dpgov.web.typed import TypedAmount, TypedNumber

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class EpsilonField(TypedAmount):
    """An amount of ε as text; cleans to integer nano-ε, exactly; to None where it is left out.

    As the limit of a budget it has to leave room for something in that budget's currency. A ρ is
    read alike, by its symbol.
    """

    currency = PURE
    symbol = "ε"

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
            nano = parse_epsilon(text, symbol=self.symbol)
            self.currency.limit_of(nano)
            return nano
        except InvalidAmount as problem:
            raise forms.ValidationError(translated(problem.args[0])) from problem


class DeltaField(TypedNumber):
    """A δ as text, or nothing; cleans to an exact decimal or None."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "text", "autocomplete": "off"})
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
