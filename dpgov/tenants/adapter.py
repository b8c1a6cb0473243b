"""Sign-in rules that differ from allauth's own: nobody signs up by themselves."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are made by an administrator of a tenant, never by a visitor."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
