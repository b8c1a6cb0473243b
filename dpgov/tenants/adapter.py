"""Sign-in rules that differ from allauth's own.

Nobody signs up by themselves, and no provider to sign in with comes from the database.
"""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, _build_apps_from_settings
from allauth.socialaccount.models import SocialApp
from django.http import HttpRequest

from dpgov.tenants.language import language_of_address


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are made by an administrator of a tenant, never by a visitor."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """In the language of who reads it, which need not be that of the browser."""
        with language_of_address(email):
            super().send_mail(template_prefix, email, context)


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    """Providers come from the environment alone: who can write a row must not add a way in."""

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        found = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for apps in found.values() for app in apps]
