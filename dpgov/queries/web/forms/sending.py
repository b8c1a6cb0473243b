"""Asking what a form holds, at the price that its button named: once, or not at all."""

from collections.abc import Callable
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from dpgov.budgets.allocated import AllocationNeeded, ChooseAllocation
from dpgov.budgets.errors import NotAdmitted
from dpgov.queries.asking.once import IdempotencyConflict, InvalidKey, Submission
from dpgov.queries.asking.policy import QueryLimitExceeded
from dpgov.queries.web.forms.offer import Offer
from dpgov.queries.web.forms.state import new_key

REFUSALS = (NotAdmitted, QueryLimitExceeded, AllocationNeeded, ChooseAllocation)


class NotSent(Exception):
    """Nothing was asked. `notice` says why where the price does not; `stale`: price it again."""

    def __init__(self, notice: str = "", *, stale: bool = False) -> None:
        self.notice, self.stale = notice, stale
        super().__init__(notice)


def send(
    offer: Offer,
    data: QueryDict,
    accept: Callable[[dict[str, Any], str], Submission],
    *,
    changed: str,
    used: str,
) -> Submission:
    """Ask at the price that the button named, under the form's key; raises NotSent.

    `changed` and `used` are what to say of another {price}, and of a key with another body.
    """
    if offer.body is None:
        raise NotSent
    if not offer.is_at(str(data.get("price"))):
        raise NotSent(changed.format(price=offer.price_words))
    if not offer.is_of(data.get("priced")):
        raise NotSent(_("The form holds another question than the price you saw was for."))
    try:
        return accept(offer.body, data.get("key", ""))
    except (IdempotencyConflict, InvalidKey) as refusal:
        data["key"] = new_key()
        raise NotSent(used) from refusal
    except REFUSALS as refusal:
        # Somebody else may have spent since the form was read.
        raise NotSent(stale=True) from refusal
