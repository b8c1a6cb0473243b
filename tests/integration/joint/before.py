"""What has to be there before a door of joint questions can be used once."""

from collections.abc import Callable
from typing import Any

from dpgov.audit.actions import Action
from dpgov.joint.models import JointQuestion
from dpgov.joint.services.prepared import proposal_of
from dpgov.tenants import codes
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.access.world import World
from tests.integration.joint.made import COUNT_BY_SEX, RHO, Side, bare, joined, proposed
from tests.small_dataset import register_small_dataset

_CODE = "ABCD-EFGH-IJKL-MNOP-QRST-UVWX"


def _side(world: World) -> Side:
    owner = world.people["owner"]
    with acting_for(owner.tenant_id):
        another = join(owner.tenant, Role.OWNER, "otto")
        dataset = register_small_dataset(another, name="In rho", currency=RHO)
    return Side(owner, world.people["officer"], dataset)


def dataset_in_rho(world: World) -> dict[str, Any]:
    """A dataset that counts ρ."""
    _side(world)
    return {}


def typed() -> dict[str, str]:
    """A proposal about it."""
    return {
        "dataset": "in-rho",
        "title": "Visits in our region",
        "group": "sex",
        "rho": "0.05",
        "parties": "3",
        "colluders": "1",
    }


def sent() -> dict[str, Any]:
    """The same as a program sends it."""
    return {
        "dataset": "in-rho",
        "title": "Visits in our region",
        "plan": COUNT_BY_SEX,
        "parties": 3,
        "colluders": 1,
    }


def offered(world: World) -> dict[str, Any]:
    """Another organisation's proposal, with a code that is known here."""
    dataset, stranger = _side(world).dataset, world.people["stranger"]
    _, terms = proposal_of(dataset, COUNT_BY_SEX, 3, 1)
    JointQuestion.objects.filter(tenant=stranger.tenant).update(
        plan=terms.plan, declared=terms.declared, code_hash=codes.hash_of(_CODE)
    )
    return {}


def typed_code() -> dict[str, str]:
    """That code, and what takes part."""
    return {"code": _CODE, **chosen()}


def own(world: World) -> dict[str, Any]:
    """One's own proposal, as a part of its address."""
    return {"joint_id": proposed(_side(world))[0].pk}


def chosen() -> dict[str, str]:
    """With which dataset, and why."""
    return {"dataset": "in-rho", "reason": "the yearly report"}


def taking_part(world: World) -> dict[str, Any]:
    """The same, taking part."""
    side = _side(world)
    question, code = proposed(side)
    joined(side, question, code)
    return {"joint_id": question.pk}


def every_door(call: Callable[..., Any], owner: Membership) -> None:
    """Of the API, each called once or twice, of proposals that nobody takes part in yet."""
    question = bare(owner)
    assert call("list_joint_questions", 200, actor="owner")[0]["query"] is None
    call("read_joint_question", 200, actor="officer", joint_id=question.pk)
    register_small_dataset(join(owner.tenant, Role.OWNER, "otto"), name="In rho", currency=RHO)
    made = call("propose_joint_question", 201, sent(), actor="owner")
    call("propose_joint_question", 400, sent() | {"colluders": 2}, actor="owner")
    typed = {"code": made["code"]}
    call("look_at_joint_code", 409, typed, actor="owner")
    call("join_joint_question_by_code", 409, typed | chosen(), actor="owner")
    of = {"actor": "owner", "joint_id": made["id"]}
    call("join_joint_question", 201, chosen(), **of)
    call("join_joint_question", 409, chosen(), **of)
    call("leave_joint_question", 409, **of)


Way = tuple[Action, Callable[[], dict[str, Any]], Callable[[World], dict[str, Any]]]
DOORS: dict[str, Way] = {
    "joint:new": (Action.JOINT_PROPOSED, typed, dataset_in_rho),
    "joint:code": (Action.CHANGE_REQUESTED, typed_code, offered),
    "joint:join": (Action.CHANGE_REQUESTED, chosen, own),
    "joint:leave": (Action.QUERY_VOIDED, dict, taking_part),
    "v1:joint-new": (Action.JOINT_PROPOSED, sent, dataset_in_rho),
    "v1:joint-code-join": (Action.CHANGE_REQUESTED, typed_code, offered),
    "v1:joint-join": (Action.CHANGE_REQUESTED, chosen, own),
    "v1:joint-leave": (Action.QUERY_VOIDED, dict, taking_part),
}
"""Each door that changes something: what the log says then, what is sent, what has to be there."""
