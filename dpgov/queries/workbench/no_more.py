"""Nobody loses by asking for budget: a request asks for more than they have, or for nothing.

Whoever could be granted less than they have would lose it by asking. Owners take back on the pages
of limits and of the policy.
"""

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dpgov.budgets.services.raising import limit_wanted
from dpgov.budgets.words import limit_text, question
from dpgov.datasets.models import Dataset, Permit
from dpgov.datasets.rules import present_of
from dpgov.queries.models import BudgetRequest
from dpgov.tenants.models import User

_About = BudgetRequest.About


class NotMore(ValueError):
    """It is none above what there is, or what they have: nobody could grant it."""


def refuse_no_more(*, user: User, dataset: Dataset, about: str, epsilon_nano: int) -> None:
    """Raises NotMore for a limit, an allocation or a permit that is none above the present one.

    Of a permit the same amount may be asked for: a later day is more, too.
    """
    budget = dataset.budget
    if about == _About.LIMIT:
        if limit_wanted(budget, epsilon_nano) <= budget.limit_nano:
            refusal = _("The limit is {limit} already: ask for more.")
            raise NotMore(refusal.format(limit=limit_text(budget)))
        return
    present = present_of(user, dataset)
    if about == _About.ALLOCATION and present.allocation is not None:
        own = present.allocation.budget
        if limit_wanted(own, epsilon_nano) <= own.limit_nano:
            refusal = _("You have an allocation of {limit} already: ask for more, in all.")
            raise NotMore(refusal.format(limit=limit_text(own)))
    if about == _About.PERMIT and present.permit is not None:
        _refuse_smaller(present.permit, dataset, epsilon_nano)


def _refuse_smaller(present: Permit, dataset: Dataset, epsilon_nano: int) -> None:
    currency = dataset.budget.currency
    if currency.price_of(epsilon_nano) < present.limit_nano:
        refusal = _(
            "You have a permit for questions up to {most} until {day} already. Ask for at least as "
            "much; an owner may let it hold longer."
        )
        most = question(present.limit_nano, currency)
        raise NotMore(refusal.format(most=most, day=date_format(present.last_day)))
