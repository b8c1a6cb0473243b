"""What doors of questions need before they are knocked at."""

from collections.abc import Callable
from typing import Any

from dpgov.datasets.models import Dataset
from dpgov.datasets.services import pause_questions, resume_questions
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query
from dpgov.queries.workbench.approvals import approve_question
from dpgov.tenants.models import Membership
from tests.cast import answer_now
from tests.integration.access.bodies import PLAN
from tests.integration.access.world import World, paused
from tests.integration.queries.asking.approving import needs_approval

Call = Callable[..., Any]


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


def approval_doors(call: Call, dataset: Dataset, plan: dict[str, Any]) -> None:
    """Asked for, refused where it cannot be, approved, used; and another one taken back."""
    needs_approval(dataset, 0)
    assert "ask_at" in call("submit_question", 409, plan)
    call("ask_for_approval", 400, {"plan": {}, "purpose": "the study"})
    wanted = {"plan": plan, "purpose": "the study"}
    sent = call("ask_for_approval", 201, wanted)
    call("ask_for_approval", 409, wanted)
    owner = Membership.objects.get(user=dataset.owner, tenant=dataset.tenant)
    approve_question(membership=owner, request_id=sent["id"], answer="agreed")
    call("withdraw_approval", 409, approval_id=sent["id"])
    assert call("read_approval", 200, approval_id=sent["id"])["can_be_asked"]
    call("submit_question", 202, plan, ask=f"?approval={sent['id']}")
    assert call("list_approvals", 200)
    other = call("ask_for_approval", 201, wanted)
    call("withdraw_approval", 200, approval_id=other["id"])


def cancelling_doors(call: Call, dataset: Dataset, plan: dict[str, Any]) -> None:
    """In a pause, and not outside it."""
    asked = {"query_id": call("submit_question", 202, plan)["id"]}
    call("cancel_question", 409, **asked)
    pause_questions(dataset=dataset, user=dataset.owner, reason="a doubt")
    assert call("read_question", 200, **asked)["paused"]
    call("cancel_question", 200, **asked)
    resume_questions(dataset=dataset, user=dataset.owner)
