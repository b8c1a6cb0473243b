"""How large an answer may be: by its plan alone, so that no refusal depends on data."""

from dpgov.language.said import said
from dpgov.privacy.plan.plan import InvalidPlan, Plan, PlanProblem
from dpgov.privacy.plan.statistics import Recipe

# Cells of any plan, which are written out one by one (`body`), and which a reader waits for.
MAX_CELLS = 10_000
# Numbers, which are cells times statistics, of a plan in which all numbers of a statistic have one
# error, so that it is said once: so many are drawn within seconds.
MAX_ALIKE = 2**20
# Of the table of all columns that adaptive choices are made from, which is never released.
MAX_CHOSEN_FROM = 200_000
_ALIKE = frozenset({Recipe.ROWS, Recipe.UNITS, Recipe.VALUES, Recipe.SUM})


def most_cells(plan: Plan) -> int:
    """How many cells this plan may have anywhere."""
    if plan.choosing is not None:
        return MAX_CHOSEN_FROM
    alike = all(statistic.kind.facts.recipe in _ALIKE for statistic in plan.statistics)
    return cells_within(MAX_ALIKE, plan) if alike else MAX_CELLS


def cells_within(numbers: int, plan: Plan) -> int:
    """How many cells so many numbers are; never fewer than any plan may have."""
    return max(MAX_CELLS, numbers // len(plan.statistics))


def check_cells(cells: int, most: int) -> None:
    """Raise InvalidPlan, in one wording, where there are more cells than that."""
    if cells > most:
        sentence = said(
            "The grouping has {cells} cells; at most {most} are answered at once. Use fewer or "
            "wider bins.",
            cells=cells,
            most=most,
        )
        raise InvalidPlan((PlanProblem("group_by", sentence),))
