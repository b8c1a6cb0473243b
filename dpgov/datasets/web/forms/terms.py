"""Forms of terms of use: what an owner writes, and the tick with which a person accepts it."""

from django import forms
from django.utils.translation import gettext_lazy as _

from dpgov.web.typed import Lines


class TermsForm(forms.Form):
    """The text of the next version; without text there are no terms from then on."""

    text = forms.CharField(
        label=_("Terms of use"),
        required=False,
        widget=Lines(attrs={"rows": 16}),
        help_text=_(
            "Plain text. It is shown as you write it, line by line. Leave it empty to remove the "
            "terms."
        ),
    )


class AcceptTermsForm(forms.Form):
    """The version that was shown, and that the person read it."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    agreed = forms.BooleanField(
        label=_("I have read these terms and keep to them."),
        error_messages={"required": _("Tick this box to accept the terms.")},
    )
