"""Accounts of people: found or made for a membership, and the link that sets a password.

Must never hand anyone the account of somebody else, nor give a former account to whoever takes up
its address again: that is a new account, with an id of its own.
"""

from enum import StrEnum

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.auth.password_validation import validate_password
from django.urls import reverse

from dpgov.tenants.crossing import belongs_somewhere
from dpgov.tenants.models import User

# A name that can never be a mail server's (RFC 2606).
_NOWHERE = "former.invalid"


class Account(StrEnum):
    """How the account of a new member came about; the audit log keeps the word."""

    NEW = "new"
    EXISTING = "existing"


def living_account(email: str) -> User | None:
    """The account with this address if its person belongs somewhere, under its lock.

    One that belongs nowhere counts as none: whoever comes next starts anew.
    """
    user = User.objects.select_for_update().filter(email__iexact=normal_email(email)).first()
    return user if user is not None and belongs_somewhere(user.pk) else None


def new_account(*, email: str, name: str = "") -> User:
    """An account without a password; a former one of this address is ended for good.

    Called inside a membership's transaction, after `living_account` found none.
    """
    former = User.objects.select_for_update().filter(email__iexact=normal_email(email)).first()
    if former is not None:
        _end(former)
    return User.objects.create_user(email=normal_email(email), name=name)


def _end(former: User) -> None:
    """Shut it for good: password, sessions, links, second factors. What it did keeps its name."""
    former.name = former.name or former.email
    former.email = f"{former.pk.hex}@{_NOWHERE}"
    former.is_active = False
    former.set_unusable_password()
    former.save(update_fields=["name", "email", "is_active", "password"])
    for kept in (Authenticator, SocialAccount, EmailAddress, UserSession):
        kept.objects.filter(user=former).delete()


def set_password(*, user: User, password: str) -> None:
    """Give the account a password that passes the rules; raises ValidationError otherwise."""
    validate_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])


def password_path(user: User) -> str:
    """The path at which this person sets a password: once, and within PASSWORD_RESET_TIMEOUT."""
    key = default_token_generator.make_token(user)
    return reverse(
        "account_reset_password_from_key",
        kwargs={"uidb36": user_pk_to_url_str(user), "key": key},
    )


def normal_email(email: str) -> str:
    """The one spelling of an address in this system."""
    return email.strip().lower()
