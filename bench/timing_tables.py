"""Two tables that declare the same: in one every row matches the question, in the other none."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from dpgov.audit.models import AuditEntry
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import receive_upload, register_dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import category_domain, column_spec
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.queries.asking.submit import submit
from dpgov.queries.asking.taking import take
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role, Tenant, User

ALL, NONE = "all match", "none match"
_CATEGORIES = tuple("abcdefgh")
_MATCHING, _OTHER = "yes", "no"


@dataclass(frozen=True, slots=True)
class Tables:
    """Both datasets, and a third whose answer is taken again and again for nothing."""

    analyst: Membership
    datasets: dict[str, Dataset]
    free: Dataset
    cubed: bool

    @classmethod
    def registered(cls, people: int, rows_of_one: int, *, cubed: bool) -> "Tables":
        """Registered through the services, with budgets that last; asked by cubes or by scans."""
        Path(os.environ["DPGOV_HOME"]).mkdir(exist_ok=True)
        tenant = Tenant.objects.create(slug="timing", name="Timing")
        owner, analyst = (person(tenant, role) for role in (Role.OWNER, Role.ANALYST))
        made = {
            name: _register(owner, name, people, rows_of_one, word, place)
            for place, (name, word) in enumerate(
                {ALL: _MATCHING, NONE: _OTHER, "free": _MATCHING}.items()
            )
        }
        return cls(analyst, {name: made[name] for name in (ALL, NONE)}, made["free"], cubed)

    def prepare(self) -> None:
        """One answer to take for nothing, and one of each table, so that everything is loaded."""
        for dataset in (self.free, *self.datasets.values()):
            query = self._submit(dataset)
            while query.state not in Query.ENDED:
                query.refresh_from_db(fields=["state"])

    def ask(self, name: str) -> Query:
        """The question, at the least price."""
        return self._submit(self.datasets[name])

    def take(self) -> Query:
        """A free answer: one more number in the log."""
        return take(
            membership=self.analyst,
            dataset=self.free,
            raw_plan=self._plan(self.free),
            idempotency_key=str(uuid4()),
        ).query

    def places(self, query: Query) -> tuple[int, int]:
        """Where in the log the question and its answer stand."""
        about = AuditEntry.objects.filter(subject=f"query:{query.pk}")
        found = dict(about.values_list("action", "sequence"))
        return found["QUERY_SUBMITTED"], found["QUERY_RELEASED"]

    def _submit(self, dataset: Dataset) -> Query:
        return submit(
            membership=self.analyst,
            dataset=dataset,
            raw_plan=self._plan(dataset),
            idempotency_key=str(uuid4()),
        ).query

    def _plan(self, dataset: Dataset) -> dict[str, Any]:
        groups = [] if self.cubed else [{"column": "ward"}, {"column": "town"}]
        return {
            "dataset": dataset.slug,
            "statistics": [{"statistic": "count" if self.cubed else "count_distinct"}],
            "where": [{"column": "diag", "op": "=", "value": _MATCHING}],
            "group_by": groups,
            "epsilon": 0.001,
        }


def person(tenant: Tenant, role: Role) -> Membership:
    """A new member with this role."""
    user = User.objects.create_user(f"{role.value}@{tenant.slug}.example.org")
    return Membership.objects.create(tenant=tenant, user=user, role=role)


def _register(
    owner: Membership, name: str, people: int, rows_of_one: int, word: str, place: int
) -> Dataset:
    lines = ["person,diag,ward,town"]
    for person in range(people):
        for row in range(rows_of_one):
            ward = _CATEGORIES[(person * 7 + row * 3 + place) % 8]
            town = _CATEGORIES[(person * 5 + row + place) % 8]
            lines.append(f"{place}-{person},{word},{ward},{town}")
    upload = receive_upload(
        tenant=owner.tenant,
        uploader=owner.user,
        name="people.csv",
        chunks=["\n".join([*lines, ""]).encode()],
    )
    columns = tuple(
        column_spec(column, category_domain(values), MissingRule.DROP, "")
        for column, values in (
            ("diag", (_MATCHING, _OTHER)),
            ("ward", _CATEGORIES),
            ("town", _CATEGORIES),
        )
    )
    rows = people * rows_of_one
    schema = DatasetSchema(
        columns,
        PrivacyUnit("person", rows_of_one, 2),
        Neighbouring.ADD_REMOVE,
        1,
        4 * rows,
        public_rows=rows,
    )
    declaration = Declaration(name, "Invented people.", schema, 1000 * NANO, NANO)
    return register_dataset(
        tenant=owner.tenant, owner=owner.user, upload=upload, declaration=declaration
    ).dataset
