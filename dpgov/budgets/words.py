"""Limits in words, for refusals and pages."""

from uuid import UUID

from dpgov.budgets.models import Budget, RateLimit

_DATASET = "the dataset's budget"


def limit_in_words(budget: Budget, *, reader_id: UUID | None = None) -> str:
    """Whose limit it is, fit to follow “of”; a name only where the reader may know it.

    Without `reader_id` the reader is the person who is charged: an allocation is their own.
    """
    if budget.kind == Budget.Kind.PARTITION:
        return f"the budget for “{budget.partition_line.part}”"
    if budget.kind == Budget.Kind.ALLOCATION:
        holder = budget.allocation.user_id
        if holder is not None and reader_id in (None, holder):
            return "your allocation"
        return f"the allocation of {budget.allocation}"
    if budget.kind == Budget.Kind.POPULATION:
        return "the budget that these people share with other datasets"
    return _DATASET


def rate_in_words(words: str, period: str) -> str:
    """The rate of a limit: "what may be used a week of the dataset's budget"."""
    return f"what may be used {RateLimit.Period(period).label} of {words}"
