"""A few questions of the demonstration's analyst, asked and answered on the ordinary way.

They cost what they would cost anybody: the budget page of the demonstration is a true one.
"""

from typing import Any

from dpgov.datasets.models import Dataset
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership

_AGES = [0, 20, 30, 40, 50, 60, 70, 80, 90]

QUESTIONS: tuple[dict[str, Any], ...] = (
    {"statistics": [{"statistic": "count"}], "epsilon": 0.05},
    {"statistics": [{"statistic": "mean", "column": "age"}], "epsilon": 0.1},
    {
        "statistics": [{"statistic": "count"}],
        "group_by": [{"column": "age", "edges": _AGES}],
        "epsilon": 0.2,
    },
    {
        "statistics": [{"statistic": "mean", "column": "hours_per_week"}],
        "where": [{"column": "sex", "op": "=", "value": "Female"}],
        "epsilon": 0.15,
    },
)


def ask_once(analyst: Membership, dataset: Dataset) -> None:
    """Submit the questions, unless this analyst has asked before."""
    if Query.objects.filter(analyst=analyst.user).exists():
        return
    for number, question in enumerate(QUESTIONS):
        plan = {"dataset": dataset.slug, "where": [], "group_by": [], **question}
        submit(
            membership=analyst,
            dataset=dataset,
            raw_plan=plan,
            idempotency_key=f"demonstration-{number}",
        )
