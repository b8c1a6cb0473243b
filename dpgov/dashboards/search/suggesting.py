"""Names that a line suggests while somebody types one: of datasets and people this reader sees.

An analyst is suggested no person, as no page shows them a list of people.
"""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext

from dpgov.datasets.selectors import datasets_of
from dpgov.oversight.log.names import MACHINES
from dpgov.tenants.models import Membership, Project, Role
from dpgov.tenants.permissions import Permission, may
from dpgov.tenants.roles import having
from dpgov.tenants.selectors import members_of
from dpgov.web.lists import holding
from dpgov.web.picking import Suggested

_MOST = 12


def suggestions(
    membership: Membership, of: Suggested, words: Sequence[str]
) -> list[tuple[str, str]]:
    """(what is typed, what it is called) of the first few by name that hold every word."""
    return _FOUND[of](membership, words) if words else []


def _datasets(membership: Membership, words: Sequence[str]) -> list[tuple[str, str]]:
    found = datasets_of(membership).filter(holding(words, ("name", "slug")))
    return list(found.values_list("slug", "name")[:_MOST])


def _people(
    membership: Membership, words: Sequence[str], *, analysts: bool
) -> list[tuple[str, str]]:
    sees = Permission.MANAGE_MEMBERS, Permission.VIEW_ALL_QUERIES
    if not any(may(membership, one) for one in sees):
        return []
    found = members_of(membership.tenant).filter(holding(words, ("user__name", "user__email")))
    found = found.filter(having(Role.ANALYST)) if analysts else found
    return list(found.values_list("user__email", "user__name")[:_MOST])


def _holders(membership: Membership, words: Sequence[str]) -> list[tuple[str, str]]:
    """Whoever may have an allocation: analysts, and projects that have not ended."""
    people = _people(membership, words, analysts=True)
    if not may(membership, Permission.VIEW_ALL_QUERIES):
        return people
    running = Project.objects.filter(tenant=membership.tenant_id, ended_at__isnull=True)
    names = running.filter(holding(words, ("name",))).order_by("name")[:_MOST]
    return [*people, *((one.name, gettext("Project")) for one in names)]


def _actors(membership: Membership, words: Sequence[str]) -> list[tuple[str, str]]:
    """Whoever the log names: members, and what acts by itself."""
    machines = [(one, "") for one in MACHINES if all(word.casefold() in one for word in words)]
    return [*_people(membership, words, analysts=False), *machines]


_FOUND: dict[Suggested, Callable[[Membership, Sequence[str]], list[tuple[str, str]]]] = {
    Suggested.DATASETS: _datasets,
    Suggested.ANALYSTS: lambda membership, words: _people(membership, words, analysts=True),
    Suggested.HOLDERS: _holders,
    Suggested.ACTORS: _actors,
    Suggested.MEMBERS: lambda membership, words: _people(membership, words, analysts=False),
}
