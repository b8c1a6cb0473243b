"""L40: an owner approves what someone else asked for, once, while it can be asked."""

from collections.abc import Callable

import pytest

from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import pause_questions, resume_questions
from dpgov.queries.asking.gate import Paused
from dpgov.queries.asking.policy import (
    QueryLimitExceeded,
)
from dpgov.queries.models import BudgetRequest
from dpgov.queries.workbench.approvals import (
    NotNeeded,
    TooManyWaiting,
    approve_question,
)
from dpgov.queries.workbench.budget_requests import (
    AlreadyAnswered,
    AlreadyAsked,
    MayNot,
    YourOwn,
)
from dpgov.tenants.models import Membership, Role
from tests.integration.queries.asking.approving import (
    PLAN,
    moved_away_and_back,
    needs_approval,
    new_version,
    requested,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def above_half(dataset: Dataset) -> None:
    """Above ε 0.5 a question needs an owner."""
    needs_approval(dataset)


def test_nobody_approves_their_own_and_owners_alone_approve(
    analyst: Membership, owner: Membership, officer: Membership, dataset: Dataset
) -> None:
    """L40: two persons, also when the analyst has become an owner; answered once."""
    sent = requested(analyst, dataset)
    for other in (analyst, officer):
        with pytest.raises(MayNot):
            approve_question(membership=other, request_id=sent.pk, answer="yes")
    Membership.objects.filter(pk=analyst.pk).update(role=Role.OWNER)
    analyst.refresh_from_db()
    with pytest.raises(YourOwn):
        approve_question(membership=analyst, request_id=sent.pk, answer="yes")
    approve_question(membership=owner, request_id=sent.pk, answer="yes")
    with pytest.raises(AlreadyAnswered):
        approve_question(membership=owner, request_id=sent.pk, answer="yes")


@pytest.mark.parametrize("happens", [new_version, moved_away_and_back])
def test_a_request_that_is_out_of_date_is_not_approved(
    analyst: Membership,
    owner: Membership,
    dataset: Dataset,
    happens: Callable[[Dataset, Membership], None],
) -> None:
    """L40: it ends, and the log says so."""
    sent = requested(analyst, dataset)
    happens(dataset, owner)
    ended = approve_question(membership=owner, request_id=sent.pk, answer="yes")
    assert ended.state == BudgetRequest.State.STALE
    assert AuditEntry.objects.latest("pk").action == "BUDGET_REQUEST_LAPSED"


def test_nothing_is_approved_while_nothing_can_be_asked(
    analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    sent = requested(analyst, dataset)
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    with pytest.raises(Paused):
        approve_question(membership=owner, request_id=sent.pk, answer="yes")
    resume_questions(dataset=dataset, user=owner.user)
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    with pytest.raises(BudgetFrozen):
        approve_question(membership=owner, request_id=sent.pk, answer="yes")


def test_the_same_form_of_another_version_is_asked_for_beside_it(
    analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    """A form is in codes, which may stand for other words in a version declared anew."""
    first = requested(analyst, dataset)
    new_version(dataset, owner)
    second = requested(analyst, dataset)
    assert first.version is not None
    assert second.version is not None
    assert (first.version.number, second.version.number) == (1, 2)
    with pytest.raises(AlreadyAsked):
        requested(analyst, dataset)


def test_only_what_needs_approval_is_asked_for_and_once_at_a_time(
    analyst: Membership, owner: Membership, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotNeeded):
        requested(analyst, dataset, PLAN | {"epsilon": 0.5})
    with pytest.raises(QueryLimitExceeded, match="at most"):
        requested(analyst, dataset, PLAN | {"epsilon": 3})
    with pytest.raises(MayNot):
        requested(owner, dataset)
    requested(analyst, dataset)
    with pytest.raises(AlreadyAsked):
        requested(analyst, dataset)
    monkeypatch.setattr("dpgov.queries.workbench.approvals.MOST_WAITING", 1)
    with pytest.raises(TooManyWaiting):
        requested(analyst, dataset, PLAN | {"group_by": [{"column": "sex"}]})
