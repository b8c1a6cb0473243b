"""What an owner could be asked for, so that a question that is refused would be taken.

Only an allocation, a dataset's own limit and a permit can be asked for. Of a derived dataset it may
be a parent that is short: there it is asked for. Each amount is rounded up, so that what is granted
as it was asked for is enough.
"""

from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from dpgov.budgets.charging import Limit, is_own
from dpgov.datasets.lineage import governing
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import present_of, taken_under_own
from dpgov.privacy.accounting.decimals import as_text
from dpgov.queries.asking.quote import Quote
from dpgov.queries.models import BudgetRequest
from dpgov.tenants.models import User

_About = BudgetRequest.About


@dataclass(frozen=True, slots=True)
class Request:
    """What to ask the owners of which dataset for."""

    slug: str
    about: str
    epsilon_nano: int

    @property
    def query(self) -> str:
        """The end of a link to the form that asks for it."""
        return "?" + urlencode({"about": self.about, "epsilon": as_text(self.epsilon_nano)})


def request_for(priced: Quote, dataset: Dataset, user: User) -> Request | None:
    """What this person's refused question is short of; None where no owner could give it."""
    if priced.lacks_permit:
        dearest = max(one.cost_nano for one in priced.questions)
        return Request(dataset.slug, _About.PERMIT, priced.currency.question_for(dearest))
    if not priced.limits:
        place = _with_budget(dataset, priced.parent_lacking or dataset.budget_id)
        return None if place is None else _allocation(place, user, priced.cost_nano)
    short = priced.limits[0]
    place = _with_budget(dataset, short.dataset_budget_id)
    if place is None or short.fits or short.period or short.stopped:
        return None
    return _limit(place, short) if is_own(short) else _allocation(place, user, short.taken_nano)


def _with_budget(dataset: Dataset, budget_id: UUID | None) -> Dataset | None:
    """It, or its parent, with this budget: whoever sees a derived dataset sees its parents."""
    return next((one for one in governing(dataset) if one.budget_id == budget_id), None)


def _limit(place: Dataset, short: Limit) -> Request:
    missing = short.taken_nano - max(0, short.remaining_nano)
    whole = short.currency.limit_for(short.limit_nano + missing)
    return Request(place.slug, _About.LIMIT, whole)


def _allocation(place: Dataset, user: User, taken_nano: int) -> Request | None:
    """One's own of what was ever taken under it, and this question.

    A project's allocation is nobody's to ask for. A question is charged to one allocation, so that
    where a project's has too little left, only an own one of the whole price lets it be asked; and
    none is needed where there is one that has it left.
    """
    whole = taken_nano + taken_under_own(user, place)
    present = present_of(user, place).allocation
    if present is not None and whole <= present.budget.limit_nano:
        return None
    return Request(place.slug, _About.ALLOCATION, place.budget.currency.limit_for(whole))
