"""Two organisations and what each may do about a budget that they share."""

from dataclasses import dataclass
from uuid import UUID

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.budgets.models import Budget
from dpgov.budgets.services.agreed import INVITE_TO_SHARE, accept_as_agreed, invite_as_agreed
from dpgov.budgets.services.invitations import request_to_join
from dpgov.tenants.models import Membership
from tests.integration.budgets.shared.sharing import acting, ask_for, charge


@dataclass(frozen=True)
class Two:
    """Here: a shared budget with one dataset. There: a dataset of another organisation."""

    owner: Membership
    officer: Membership
    stranger: Membership
    their_officer: Membership
    shared: Budget
    mine: Budget
    theirs: Budget

    def code(self) -> str:
        """An invitation that two persons here agreed to."""
        with acting(self.owner.tenant):
            request = ask_for(self.owner, INVITE_TO_SHARE, shared_budget=str(self.shared.pk))
            decision = approve(
                request_id=request.pk,
                decider=self.officer,
                reason="yes",
                carry_out=invite_as_agreed,
            )
        return decision.shown_once

    def enter(self, code: str) -> ChangeRequest:
        """The other owner enters the code."""
        with acting(self.stranger.tenant):
            return request_to_join(
                membership=self.stranger, code=code, dataset_budgets=[self.theirs], reason="same"
            )

    def accept(self, request: ChangeRequest) -> ChangeRequest:
        """The other organisation's second person agrees."""
        with acting(self.stranger.tenant):
            return approve(
                request_id=request.pk,
                decider=self.their_officer,
                reason="yes",
                carry_out=accept_as_agreed,
            ).request

    def ask_there(self, amount: int) -> UUID:
        """A question on the other organisation's dataset."""
        with acting(self.stranger.tenant):
            return charge(self.theirs, amount)
