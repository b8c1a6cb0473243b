"""What may be typed and ticked about notices."""

from django import forms
from django.utils.translation import gettext_lazy as _

from dpgov.notices.delivery.addresses import AddressRefused, target_of
from dpgov.notices.kinds import REACHES, label_of_anybody

KINDS = [(kind.value, kind.label) for kind in REACHES]


class ChoicesForm(forms.Form):
    """Which kinds come how; a kind that the role cannot get is ignored."""

    in_app = forms.MultipleChoiceField(choices=KINDS, required=False)
    letter = forms.MultipleChoiceField(choices=KINDS, required=False)


class WebhookForm(forms.Form):
    """A new webhook: where to, and what."""

    url = forms.CharField(
        label=_("Web address"),
        max_length=500,
        help_text=_("Of your own server, beginning with https://."),
        widget=forms.URLInput,
    )
    kinds = forms.MultipleChoiceField(
        label=_("Kinds of notifications"),
        choices=[(kind.value, label_of_anybody(kind)) for kind in REACHES],
        widget=forms.CheckboxSelectMultiple,
        initial=[kind.value for kind in REACHES],
    )

    def clean_url(self) -> str:
        """An address that could be called, as far as that can be told without looking it up."""
        url = str(self.cleaned_data["url"])
        try:
            target_of(url)
        except AddressRefused as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        return url
