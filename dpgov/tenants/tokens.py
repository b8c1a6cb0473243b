"""API tokens: made once, shown once, stored as a hash, ended at once, and by themselves in the end.

Must never write a token's value, or any part of it, to the audit log or a page that stays.
"""

from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.services import append
from dpgov.tenants.models import ApiToken, Membership

MOST_TOKENS = 20
DAYS = 90


class TooManyTokens(ValueError):
    """The membership has as many tokens as it may have."""

    def __init__(self) -> None:
        text = _("You have {number} tokens. Revoke one that you no longer use.")
        super().__init__(text.format(number=MOST_TOKENS))


class TokenNameTaken(ValueError):
    """The membership has a token of that name; a repeated click lands here too."""

    def __init__(self, name: str) -> None:
        text = _("You have a token named {name} already. Choose another name.")
        super().__init__(text.format(name=name))


@transaction.atomic
def create_token(
    *, membership: Membership, name: str, actor: Actor, days: int = DAYS
) -> tuple[ApiToken, str]:
    """A token that acts as the membership for so long, and its value, which nobody can read again.

    It ends before with the membership, and with the password that its person has now.

    Raises TooManyTokens, TokenNameTaken, and Membership.DoesNotExist when it ended meanwhile.
    """
    current = Membership.objects.select_for_update().get(pk=membership.pk)
    if current.tokens.count() >= MOST_TOKENS:
        raise TooManyTokens
    if current.tokens.filter(name=name).exists():
        raise TokenNameTaken(name)
    token, value = ApiToken.objects.create(
        user=current.user,
        membership=current,
        name=name,
        password_mark=current.user.password_mark,
        expiry=timedelta(days=days),
    )
    expiry = token.expiry.date().isoformat()
    _record(token, actor, Action.TOKEN_CREATED, until=expiry)
    return token, value


@transaction.atomic
def revoke_token(*, token: ApiToken, actor: Actor) -> None:
    """End a token at once. Raises ApiToken.DoesNotExist when it has ended already."""
    current = ApiToken.objects.select_for_update().get(pk=token.pk)
    _record(current, actor, Action.TOKEN_REVOKED)
    current.delete()


def _record(token: ApiToken, actor: Actor, action: Action, **detail: str) -> None:
    append(
        tenant_id=token.membership.tenant_id,
        actor=actor,
        action=action,
        subject=f"token:{token.reference}",
        detail={"name": token.name, "member": token.user.email, **detail},
    )
