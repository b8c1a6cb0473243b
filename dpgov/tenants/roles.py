"""Which roles one person may have, and who holds which: for whoever gives them or picks people.

What somebody is stands here as a code, their roles in order: "owner", "owner+analyst". Two roles
are never given by one person alone, because one of them is what the other was held against.
"""

from datetime import datetime

from django.db.models import OuterRef, Q

from dpgov.tenants.role_names import TAKES_TWO_PERSONS, TOGETHER, Role, in_words

# What somebody can be, by its code.
CODES: dict[str, tuple[Role, ...]] = {
    "+".join(roles): roles for roles in (*((role,) for role in Role), *TOGETHER)
}


def roles_in(code: str) -> tuple[Role, ...]:
    """The roles of a code; KeyError for what nobody can be."""
    return CODES[code]


def choices() -> list[tuple[str, str]]:
    """Every code with its words, as a form offers them."""
    return [(code, in_words(roles)) for code, roles in CODES.items()]


def takes_two_persons(after: str, before: str = "") -> bool:
    """Whether it takes a second person to make somebody this; taking a role away never does."""
    wanted = roles_in(after)
    gained = frozenset(wanted) - frozenset(roles_in(before) if before else ())
    return bool(gained) and (len(wanted) > 1 or not TAKES_TWO_PERSONS.isdisjoint(gained))


def having(*roles: Role) -> Q:
    """Memberships that have one of these roles."""
    return Q(role__in=roles) | Q(second_role__in=roles)


def having_since(role: str, moment: datetime | OuterRef) -> Q:
    """Those that have had this role without a break from this moment on."""
    first = Q(role=role, role_since__lte=moment)
    return first | Q(second_role=role, second_since__lte=moment)
