"""A question of the past: asked, answered and published at its moment, as ever."""

from typing import Any

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import datasets_of
from dpgov.demo.people import Person, membership_of
from dpgov.operation import clock
from dpgov.operation.moving import move_to
from dpgov.queries.answering.answer import answer_next
from dpgov.queries.answering.publishing import publish_due
from dpgov.queries.asking.submit import REFUSED, submit
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import Membership


def dataset(member: Membership, name: str) -> Dataset:
    """A dataset of this organisation that can be asked about."""
    return datasets_of(member).get(name=name)


def ask(person: Person, name: str, plan: dict[str, Any], key: str) -> None:
    """Ask, and wait for the answer; or be refused, which is counted."""
    analyst = membership_of(person)
    with acting_for(analyst.tenant_id):
        about = dataset(analyst, name)
        try:
            submit(
                membership=analyst,
                dataset=about,
                raw_plan={"dataset": about.slug, "where": [], "group_by": [], **plan},
                idempotency_key=key,
            )
        except REFUSED:
            return
    answer_what_waits()


def answer_what_waits() -> None:
    """As a worker and the publisher would, one question after another."""
    while answer_next():
        pass
    for tenant in tenants():
        with acting_for(tenant.id):
            sealed = Query.objects.filter(tenant_id=tenant.id, state=Query.State.SEALED)
            due = list(sealed.order_by("due_at").values_list("due_at", flat=True))
        for moment in due:
            move_to(max(moment or clock.now(), clock.now()))
            publish_due()
