"""Passkeys as they are sent at sign-in: a malformed one is a wrong one, no fault of the server.

And the names of passkeys, whose label the library has in English only.
"""

from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    EditWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django.utils.translation import gettext_lazy as _

_MALFORMED = (LookupError, AttributeError, TypeError, ValueError)


class _Refusing(AuthenticateWebAuthnForm):
    def clean_credential(self) -> object:
        """The library's own check expects some of the fields to be there."""
        try:
            return super().clean_credential()
        except _MALFORMED as problem:
            raise get_adapter().validation_error("incorrect_code") from problem


class LoginForm(_Refusing, LoginWebAuthnForm):
    """Signing in with a passkey alone."""


class ReauthenticateForm(_Refusing, ReauthenticateWebAuthnForm):
    """Showing once more who one is."""


class AddForm(AddWebAuthnForm):
    """A new passkey and its name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Name")


class EditForm(EditWebAuthnForm):
    """Another name for a passkey."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Name")
