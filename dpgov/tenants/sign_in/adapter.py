"""Sign-in rules that differ from allauth's own.

Nobody signs up by themselves, no provider to sign in with comes from the database, no letter bears
an address that a browser sent, and nobody is locked out by what others type.
"""

import smtplib
from functools import partial
from types import SimpleNamespace
from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.email_verification import get_email_verification_url
from allauth.account.models import EmailAddress
from allauth.core import context as current
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, _build_apps_from_settings
from allauth.socialaccount.models import SocialApp, SocialLogin
from django.contrib import messages
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponseBase

from dpgov.tenants.letters import at_our_address, language_of_address
from dpgov.tenants.models import User
from dpgov.tenants.sign_in import addresses, guessing

_log = structlog.get_logger("dpgov.tenants")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts are made by invitation, never by a visitor."""

    _try: guessing.Try | None = None

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raises a validation error when the next try from here has to wait."""
        login = str(credentials.get("email", ""))
        self._try = guessing.begin(
            login=login,
            origin=self.get_client_ip(request),
            browser=guessing.known_browser(request, login),
        )
        if self._try is None:
            raise self.validation_error("too_many_login_attempts")

    def _rollback_login_failed_rl_usage(self) -> None:
        """The library calls this when the password was right."""
        if self._try is not None:
            self._try.was_right()

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponseBase:
        """Where to go, with what lets this browser be known to the account."""
        response: HttpResponseBase = super().post_login(request, user, **kwargs)
        guessing.remember_browser(response, user.email)
        return response

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """In the language of who reads it, which need not be that of the browser.

        Its links and the name of the site are ours, whatever host the browser asked for.
        """
        request = current.request
        host = at_our_address("", request).partition("//")[2].rstrip("/")
        site = SimpleNamespace(name=host, domain=host)
        told = {"request": request, "email": email, "current_site": site, **context}
        with language_of_address(email):
            letter = self.render_mail(template_prefix, email, told)
        request.letters.append(partial(_send, letter))

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Whether it is confirmed now; never one that another account has in use."""
        if addresses.is_anothers(email_address):
            failed = "account/messages/email_confirmation_failed.txt"
            self.add_message(request, messages.ERROR, failed, {"email": email_address.email})
            return False
        return bool(super().confirm_email(request, email_address))

    def get_reset_password_from_key_url(self, key: str) -> str:
        """The link of a letter for a new password."""
        return at_our_address(super().get_reset_password_from_key_url(key), self.request)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """The link of a letter that confirms an address."""
        return at_our_address(get_email_verification_url(request, emailconfirmation), request)


def _send(letter: EmailMessage) -> None:
    try:
        letter.send()
    except (OSError, smtplib.SMTPException, ValueError) as failure:
        _log.warning("a letter was not sent", kind=type(failure).__name__)


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Providers come from the environment alone: who can write a row must not add a way in."""

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        found = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for apps in found.values() for app in apps]

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """The account that has an address in use which the provider says is theirs."""
        for told in sociallogin.email_addresses:
            if told.verified and self.can_authenticate_by_email(sociallogin, told.email):
                account = addresses.account_of(told.email)
                if account is not None:
                    return account, told.email
        return None
