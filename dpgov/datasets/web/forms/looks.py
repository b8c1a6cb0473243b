"""What an officer says about new data: go on or pause, the rule, and agreements."""

from django import forms
from django.utils.translation import gettext_lazy as _

BEGIN, PAUSE = "begin", "pause"


class LookForm(forms.Form):
    """What becomes of new data, and why."""

    step = forms.ChoiceField(
        label=_("What should happen?"),
        choices=[
            (BEGIN, _("Nothing speaks against it: it may be asked about")),
            (PAUSE, _("Pause it: nobody can ask about it before two persons have decided")),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        help_text=_("Goes into the audit log."),
    )


class RuleForm(forms.Form):
    """Whether new data waits."""

    waits = forms.TypedChoiceField(
        label=_("When can new data be asked about?"),
        choices=[
            ("no", _("At once, and officers are told")),
            ("yes", _("After an officer has looked at it")),
        ],
        coerce=lambda word: word == "yes",
        widget=forms.RadioSelect,
        help_text=_(
            "Either way the owner sees the same whether or not the data resembles anybody else's. "
            "Data that resembles what its owner brought before is held at once."
        ),
    )


class AgreementForm(forms.Form):
    """The organisation to compare data with."""

    other = forms.SlugField(
        label=_("Short name of the other organisation"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_(
            "Its officers can tell you. It stands in none of your pages before they agree."
        ),
    )
