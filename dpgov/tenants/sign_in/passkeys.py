"""Second factors where the library is not careful enough, or speaks English only.

A code that activated an authenticator app is used up, and a malformed passkey is a wrong one, no
fault of the server.
"""

from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    EditWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django.utils.translation import gettext_lazy as _

_MALFORMED = (LookupError, AttributeError, TypeError, ValueError)


class ActivateForm(ActivateTOTPForm):  # type: ignore[misc]
    """An authenticator app; the code that shows that it works cannot be used once more."""

    def clean_code(self) -> str:
        """The library's own check, which remembers only codes of a later sign-in."""
        code: str = super().clean_code()
        if not TOTP(Authenticator(user=self.user))._mark_code_used(code):
            raise get_adapter().validation_error("incorrect_code")
        return code


class _Refusing(AuthenticateWebAuthnForm):  # type: ignore[misc]
    def clean_credential(self) -> object:
        """The library's own check expects some of the fields to be there."""
        try:
            return super().clean_credential()
        except _MALFORMED as problem:
            raise get_adapter().validation_error("incorrect_code") from problem


class LoginForm(_Refusing, LoginWebAuthnForm):  # type: ignore[misc]
    """Signing in with a passkey alone."""


class ReauthenticateForm(_Refusing, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """Showing once more who one is."""


class AddForm(AddWebAuthnForm):  # type: ignore[misc]
    """A new passkey and its name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Name")


class EditForm(EditWebAuthnForm):  # type: ignore[misc]
    """Another name for a passkey."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Name")
