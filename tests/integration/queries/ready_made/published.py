"""Ready-made questions of the small dataset, published and asked through the services."""

from typing import Any
from uuid import uuid4

from dpgov.datasets.models import Dataset
from dpgov.queries.asking.submit import submit_ready_made
from dpgov.queries.models import Query, ReadyMade
from dpgov.queries.workbench.ready_made import ReadyMadeDraft, publish
from dpgov.tenants.models import Membership

WHERE = [
    {"column": "age", "op": ">=", "value": {"parameter": "from age"}},
    {"column": "sex", "op": "=", "value": {"parameter": "sex"}},
]
PLAN: dict[str, Any] = {
    "statistics": [{"statistic": "count"}],
    "where": WHERE,
    "epsilon": 0.1,
}
PARAMETERS: list[dict[str, Any]] = [
    {"name": "from age", "column": "age", "from": 18, "to": 65},
    {"name": "sex", "column": "sex", "choices": ["Female"]},
]
VALUES = {"from age": 30, "sex": "Female"}


def draft(**changed: Any) -> ReadyMadeDraft:
    """A count of women from an age on, at ε 0.1."""
    known = {
        "name": "Women from an age on",
        "purpose": "For the yearly report.",
        "plan": PLAN,
        "parameters": PARAMETERS,
    }
    return ReadyMadeDraft(**{**known, **changed})


def published(owner: Membership, dataset: Dataset, **changed: Any) -> ReadyMade:
    """The same, to be asked by every analyst."""
    return publish(membership=owner, dataset=dataset, draft=draft(**changed))


def ask(
    who: Membership,
    ready_made: ReadyMade,
    values: object = VALUES,
    *,
    key: str = "",
    of: Dataset | None = None,
) -> Query:
    """Ask it once."""
    return submit_ready_made(
        membership=who,
        dataset=of or ready_made.dataset,
        ready_made_id=ready_made.pk,
        values=values,
        idempotency_key=key or str(uuid4()),
    ).query
