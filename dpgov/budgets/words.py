"""Limits in words, for refusals and pages."""

from dpgov.budgets.models import Budget, RateLimit

_DATASET = "the dataset's budget"


def limit_in_words(budget: Budget) -> str:
    """Whose limit it is, fit to follow “of”; a name only where the reader may know it."""
    if budget.kind == Budget.Kind.PARTITION:
        return f"the budget for “{budget.partition_line.part}”"
    if budget.kind == Budget.Kind.ALLOCATION:
        project = budget.allocation.project
        return f"the allocation of {project.name}" if project else "your allocation"
    if budget.kind == Budget.Kind.POPULATION:
        return "the budget that these people share with other datasets"
    return _DATASET


def rate_in_words(words: str, period: str) -> str:
    """The rate of a limit: "what may be used a week of the dataset's budget"."""
    return f"what may be used {RateLimit.Period(period).label} of {words}"
