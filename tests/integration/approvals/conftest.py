"""A second officer, a request that waits, and a change that only counts how often it was made."""

from collections.abc import Callable

import pytest

from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import request_change
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.made_once import made_once

Asking = Callable[..., ChangeRequest]


class Counted:
    """Stands for a change: remembers the requests that it was carried out for."""

    def __init__(self) -> None:
        self.requests: list[ChangeRequest] = []

    def __call__(self, request: ChangeRequest) -> Effect:
        self.requests.append(request)
        return Effect({"done": True}, shown_once="the code")


@pytest.fixture
def change() -> Counted:
    return Counted()


@made_once
def second_officer(officer: Membership) -> Membership:
    return join(officer.tenant, Role.OFFICER, "ophelia")


@pytest.fixture
def asking() -> Asking:
    """Request a change as this person."""

    def request(
        membership: Membership, kind: str = RAISE_LIMIT, subject: str = "budget:1"
    ) -> ChangeRequest:
        return request_change(
            membership=membership,
            kind=kind,
            subject=subject,
            payload={"from": 3, "to": 5},
            reason="the study goes on",
            dataset="visits",
        )

    return request
