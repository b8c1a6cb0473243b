"""What doors of questions need before they are knocked at."""

from typing import Any

from dpgov.datasets.models import Dataset
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query
from dpgov.queries.workbench.approvals import approve_question
from tests.cast import answer_now
from tests.integration.access.bodies import PLAN
from tests.integration.access.world import World, paused
from tests.integration.queries.asking.approving import needs_approval


def unread(world: World) -> dict[str, Any]:
    """A question that was charged although its data could not be opened."""
    query = Query.objects.get(pk=world.own["query_id"])
    Query.objects.filter(pk=query.pk).update(state="failed", never_read_at=query.submitted_at)
    return {}


def answered(world: World) -> dict[str, Any]:
    """The count that is asked for again: answered, and its slot has come."""
    answer_now(_asked(world, "before").pk)
    return {}


def _asked(world: World, key: str) -> Query:
    return submit(
        membership=world.people["analyst"],
        dataset=Dataset.objects.get(slug="visits"),
        raw_plan=PLAN,
        idempotency_key=key,
    ).query


def waiting_in_a_pause(world: World) -> dict[str, Any]:
    """A question that waits in a pause, and so can be cancelled."""
    asked = _asked(world, "waits")
    return paused(world) | {"query_id": asked.pk}


def every_question_is_approved(_world: World) -> dict[str, Any]:
    """Nothing may be asked that no owner approved."""
    needs_approval(Dataset.objects.get(slug="visits"), 0)
    return {}


def approved(world: World) -> dict[str, Any]:
    """What waited for an owner's approval has it."""
    approve_question(
        membership=world.people["owner"], request_id=world.own["approval_id"], answer="agreed"
    )
    return {}
