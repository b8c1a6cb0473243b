"""Accounts of people: found or made for a membership, and the link that sets a first password.

Must never hand anyone the account of a person who belongs somewhere else: the password of an
account may have been set by whoever made it, so only an address that its holder confirmed by
mail is trusted to be that person's in a second organisation.
"""

from enum import StrEnum

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.password_validation import validate_password
from django.urls import reverse
from django.utils.translation import gettext as _

from dpgov.tenants.crossing import belongs_somewhere
from dpgov.tenants.models import User


class Account(StrEnum):
    """How the account of a new member came about; the audit log keeps the word."""

    NEW = "new"
    STARTED_AFRESH = "started afresh"
    EXISTING = "existing"


class UnconfirmedAddress(ValueError):
    """The account belongs elsewhere and nobody has confirmed that its address is theirs."""

    def __init__(self, email: str) -> None:
        text = _(
            "{email} signs in at another organisation and has not confirmed the address yet. "
            "Ask them to confirm it under Account, E-mail, then add them again."
        )
        super().__init__(text.format(email=email))


def account_for(*, email: str, name: str = "") -> tuple[User, Account]:
    """The account to make a member of; a new one, or one that belongs nowhere, has no password.

    Raises UnconfirmedAddress. Called inside a membership's transaction.
    """
    user = User.objects.select_for_update().filter(email__iexact=email).first()
    if user is None:
        return User.objects.create_user(email=normal_email(email), name=name), Account.NEW
    if not belongs_somewhere(user.pk):
        return _afresh(user), Account.STARTED_AFRESH
    if not EmailAddress.objects.filter(user=user, email__iexact=email, verified=True).exists():
        raise UnconfirmedAddress(normal_email(email))
    return user, Account.EXISTING


def _afresh(user: User) -> User:
    """Shut out whoever used the account before: password, open sessions, links, second factors."""
    user.set_unusable_password()
    user.save(update_fields=["password"])
    Authenticator.objects.filter(user=user).delete()
    SocialAccount.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).delete()
    return user


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
