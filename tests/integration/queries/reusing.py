"""Plans, offers and free answers, for the tests of reuse."""

import json
from typing import Any
from uuid import uuid4

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.queries.asking.quote import priced_blueprint
from dpgov.queries.asking.taking import take
from dpgov.queries.free.finding import FreeAnswer, Origin, reusable_for
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership

COUNT = {"statistic": "count"}
SEX = {"column": "sex"}
FEMALE = {"column": "sex", "op": "=", "value": "Female"}


def plan(*statistics: dict[str, Any], epsilon: float = 0.5, **more: Any) -> dict[str, Any]:
    return {"statistics": list(statistics or [COUNT]), "epsilon": epsilon, **more}


BY_SEX = plan(group_by=[SEX])


def free(dataset: Dataset, raw: dict[str, Any]) -> tuple[FreeAnswer, ...]:
    blueprint = priced_blueprint(dataset, raw)
    return reusable_for(current_version(dataset), blueprint).free


def ways(dataset: Dataset, raw: dict[str, Any]) -> list[Origin]:
    return [one.origin for one in free(dataset, raw)]


def taken(
    who: Membership, dataset: Dataset, raw: dict[str, Any], *, choice: str = "", key: str = ""
) -> Query:
    return take(
        membership=who,
        dataset=dataset,
        raw_plan=raw,
        idempotency_key=key or str(uuid4()),
        choice=choice,
    ).query


def body_of(query: Query) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(Release.objects.get(query=query).body)
    return body
