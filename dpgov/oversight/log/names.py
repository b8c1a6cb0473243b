"""What somebody types to find entries, and the names that the log wrote.

The beginning of a person's name or e-mail, or of a dataset's name, stands for all that begin so;
what begins nothing is looked for as it is typed, for the log knows people who have left.
"""

from collections.abc import Collection
from dataclasses import replace

from django.db.models import Q

from dpgov.audit.actor import OPERATOR, SWEEPER, WORKER
from dpgov.audit.selectors import EntryFilter
from dpgov.datasets.models import Dataset
from dpgov.oversight.log.words import WORDS
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import members_of

MACHINES = (WORKER.label, SWEEPER.label, OPERATOR.label)


def widened(tenant: Tenant, chosen: EntryFilter) -> EntryFilter:
    """The same filter with all names that it may mean."""
    if chosen.word:
        chosen = _word(tenant, chosen)
    if chosen.actor:
        people = {chosen.actor, *_people(tenant, chosen.actor)}
        chosen = replace(chosen, actor="", actors=tuple(sorted(people)))
    if chosen.dataset:
        slugs = {chosen.dataset, *_datasets(tenant, chosen.dataset)}
        chosen = replace(chosen, dataset="", datasets=tuple(sorted(slugs)))
    return chosen


def people_of(labels: Collection[str]) -> dict[str, str]:
    """Names by e-mail of those that the log wrote. One statement."""
    return {user.email: str(user) for user in User.objects.filter(email__in=labels)}


def _word(tenant: Tenant, chosen: EntryFilter) -> EntryFilter:
    """A word alone: a dataset's, else a person's, else one of what happened."""
    word, chosen = chosen.word, replace(chosen, word="")
    if not chosen.dataset and _datasets(tenant, word):
        return replace(chosen, dataset=word)
    if not chosen.actor and _people(tenant, word):
        return replace(chosen, actor=word)
    if not chosen.action and (actions := _actions(word)):
        return replace(chosen, actions=actions)
    return replace(chosen, datasets=(word,))


def _people(tenant: Tenant, text: str) -> list[str]:
    begins = (
        Q(user__email__istartswith=text)
        | Q(user__name__istartswith=text)
        | Q(user__name__icontains=f" {text}")
    )
    found = members_of(tenant).filter(begins).values_list("user__email", flat=True)
    return [*found, *(label for label in MACHINES if label.startswith(text.lower()))]


def _datasets(tenant: Tenant, text: str) -> list[str]:
    begins = Q(slug__istartswith=text) | Q(name__istartswith=text) | Q(name__icontains=f" {text}")
    found = Dataset.objects.filter(begins, tenant=tenant).order_by()
    return list(found.values_list("slug", flat=True).distinct())


def _actions(text: str) -> tuple[str, ...]:
    wanted = text.casefold()
    return tuple(action.value for action, words in WORDS.items() if wanted in str(words).casefold())
