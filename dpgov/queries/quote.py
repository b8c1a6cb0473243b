"""What a question would cost and how exact its answer would be, before anything is spent.

A function of the plan, the public metadata and the ledger; never of the data.
"""

from dataclasses import dataclass
from typing import Any

from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.accountant import largest_fit
from dpgov.privacy.blueprint import Blueprint, prepare
from dpgov.privacy.budget import as_text
from dpgov.privacy.parsing import parse_plan
from dpgov.privacy.plan import Plan


@dataclass(frozen=True, slots=True)
class Quote:
    """The price of a plan, in nano-ε. `refusal` says why it would be refused, if it would."""

    plan: Plan
    description: dict[str, Any]
    cost_nano: int
    remaining_nano: int
    largest_fit_nano: int
    refusal: str | None

    @property
    def remaining_after_nano(self) -> int:
        """What would remain; what remains now if the question would be refused."""
        return self.remaining_nano - (0 if self.refusal else self.cost_nano)


def quote(*, dataset: Dataset, raw_plan: object, assumed_rows: int | None = None) -> Quote:
    """Price a plan; raises InvalidPlan. Changes nothing.

    `assumed_rows` is the reader's own guess of how many rows match, for errors of means.
    """
    blueprint = blueprint_for(dataset, current_version(dataset), raw_plan)
    budget = Budget.objects.get(pk=dataset.budget_id)
    committed = budget.spent_nano + budget.reserved_nano
    fit = largest_fit(budget.limit_nano, committed, dataset.per_query_limit_nano)
    return Quote(
        plan=blueprint.plan,
        description=blueprint.describe(assumed_rows),
        cost_nano=blueprint.cost_nano,
        remaining_nano=budget.remaining_nano,
        largest_fit_nano=fit,
        refusal=_refusal(blueprint.cost_nano, budget, dataset),
    )


def blueprint_for(dataset: Dataset, version: DatasetVersion, raw_plan: object) -> Blueprint:
    """Read the plan against the version's public metadata; raises InvalidPlan."""
    schema = schema_of(version)
    return prepare(parse_plan(raw_plan, schema, dataset=dataset.slug), schema)


def _refusal(cost_nano: int, budget: Budget, dataset: Dataset) -> str | None:
    if cost_nano > dataset.per_query_limit_nano:
        return (
            f"One question on this dataset may cost at most ε "
            f"{as_text(dataset.per_query_limit_nano)}."
        )
    if cost_nano > budget.remaining_nano:
        return f"Only ε {as_text(budget.remaining_nano)} of this dataset's budget remains."
    return None
