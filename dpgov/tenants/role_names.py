"""The roles that a person can have in a tenant, and how one or two of them are said."""

from collections.abc import Sequence

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext


class Role(models.TextChoices):
    """What a membership lets a person do; `tenants.permissions` says it action by action."""

    OWNER = "owner", _("Data owner")
    ANALYST = "analyst", _("Analyst")
    OFFICER = "officer", _("Compliance officer")
    ADMIN = "admin", _("Administrator")

    @property
    def within(self) -> str:
        """As it stands within a sentence: "as data owner"."""
        words = {
            Role.OWNER: pgettext("within a sentence", "data owner"),
            Role.ANALYST: pgettext("within a sentence", "analyst"),
            Role.OFFICER: pgettext("within a sentence", "compliance officer"),
            Role.ADMIN: pgettext("within a sentence", "administrator"),
        }
        return words[self]


# Who decides, and whose data it is: roles that one administrator alone gives to nobody.
TAKES_TWO_PERSONS = frozenset({Role.OWNER, Role.OFFICER})
# The roles that one person may have together, first and second (docs/adr/0024).
TOGETHER = ((Role.OWNER, Role.ANALYST), (Role.ADMIN, Role.ANALYST))


def in_words(roles: Sequence[Role]) -> str:
    """One or two roles as a label: "Data owner and analyst"."""
    return _joined(str(roles[0].label), *(role.within for role in roles[1:]))


def within(roles: Sequence[Role]) -> str:
    """The same as it stands within a sentence: "data owner and analyst"."""
    return _joined(*(role.within for role in roles))


def _joined(first: str, second: str = "") -> str:
    pattern = pgettext("two roles of one person", "%(first)s and %(second)s")
    return pattern % {"first": first, "second": second} if second else first
