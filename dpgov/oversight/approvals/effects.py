"""Who carries an approved change out: each kind in the room that owns it."""

from dpgov.approvals.errors import NotApproved
from dpgov.approvals.giving import give_as_agreed
from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.approvals.services import Effect
from dpgov.budgets.services import agreed
from dpgov.budgets.services.raising import raise_limit
from dpgov.datasets.services import HOLD_KINDS, decide_as_agreed
from dpgov.queries.answering.refunding import refund


def carry_out(request: ChangeRequest) -> Effect:
    """Do what was requested, within the approval's transaction; raises Stale."""
    match request.kind:
        case Kind.RAISE_LIMIT:
            return raise_limit(request)
        case Kind.REFUND:
            return refund(request)
        case Kind.MERGE_POPULATIONS:
            return agreed.merge_as_agreed(request)
        case Kind.SPLIT_POPULATION:
            return agreed.split_as_agreed(request)
        case Kind.LEAVE_POPULATION:
            return agreed.leave_as_agreed(request)
        case Kind.SHARE_POPULATION:
            return agreed.invite_as_agreed(request)
        case Kind.ACCEPT_POPULATION:
            return agreed.accept_as_agreed(request)
        case Kind.GIVE_ROLE:
            return give_as_agreed(request)
    if request.kind in HOLD_KINDS:
        return decide_as_agreed(request)
    raise NotApproved
