"""Whose an address is: that account's which has it in use, and nobody else's.

For the library an address that was typed and never confirmed is a name to sign in with, too, and
may be put to use where none is confirmed yet. Here it is neither. Must never let an account have
an address whose mailbox nobody opened, nor tell whether another account has it.
"""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.forms import ResetPasswordForm
from allauth.account.models import EmailAddress
from allauth.account.views import EmailView
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from dpgov.tenants.accounts import normal_email
from dpgov.tenants.models import User


def account_of(email: str) -> User | None:
    """The one account that signs in with this address."""
    return User.objects.filter(email=normal_email(email)).first()


def is_anothers(address: EmailAddress) -> bool:
    """Whether another account has it in use."""
    owner = account_of(address.email)
    return owner is not None and owner.pk != address.user_id


class Backend(AuthenticationBackend):  # type: ignore[misc]
    """A password is looked at of the account that has the address in use."""

    def _authenticate_by_email(self, email: str, password: str) -> User | None:
        found: User | None = self._check_password(account_of(email), password)
        return found


class ResetForm(ResetPasswordForm):  # type: ignore[misc]
    """A link for a new password goes to the account that has the address in use."""

    def clean_email(self) -> str:
        """As it was typed."""
        email: str = super().clean_email()
        account = account_of(email)
        self.users = [account] if account is not None and account.is_active else []
        return email


class AddressView(EmailView):  # type: ignore[misc]
    """The page of one's addresses, whose rules hold without its buttons, too."""

    def _action_primary(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase | None:
        address = self._get_email_address(request)
        if address is not None and not address.verified:
            self._say(_("Confirm this address first, by the link that is sent to it."))
            return None
        if address is not None and is_anothers(address):
            # Its mail is theirs, and so is that account.
            self._say(_("You sign in to another account with this address."))
            return None
        found: HttpResponseBase | None = super()._action_primary(request, *args, **kwargs)
        return found

    def _action_remove(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase | None:
        address = self._get_email_address(request)
        if address is not None and account_of(address.email) == request.user:
            self._say(_("You sign in with this address. Use another one first."))
            return None
        found: HttpResponseBase | None = super()._action_remove(request, *args, **kwargs)
        return found

    def _say(self, words: str) -> None:
        get_adapter().add_message(self.request, messages.ERROR, message=words)
