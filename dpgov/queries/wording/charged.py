"""What an answer took of the dataset's budget and of which rows it is, in words.

It is what was booked, not what a draw cost: a part of a partition may be charged more than the
price, and a long time is paid for, too.
"""

from django.utils.translation import gettext as _

from dpgov.budgets.standing import taken_by
from dpgov.budgets.words import amount
from dpgov.datasets.services import rows_in_words
from dpgov.queries.models import Query


def used_in_words(query: Query) -> str:
    """How much it is at most of any one budget, and why that is not the price of its noise."""
    if query.reuse:
        return _(
            "This answer used nothing of the dataset's budget: it was computed from answers that "
            "had been given before, without the data, and gives away nothing that they had not "
            "given away."
        )
    nano, factor = taken_by(query.pk)
    used = _("This answer used {amount} of the dataset's budget.")
    told = [used.format(amount=amount(nano, query.dataset.budget.currency))]
    if query.doublings:
        told.append(_("Some of it is for the time that it took, which may tell something, too."))
    if factor > 1:
        told.append(
            _(
                "Its part of the budget is charged twice its price, because a person may move from "
                "one part to another."
            )
        )
    return " ".join(told)


def rows_read(query: Query) -> str:
    """Which rows of a live table a published answer is of, as far as that is known; "" of files."""
    return rows_in_words(query.version, published=query.visible_at, stored=query.reuse)
