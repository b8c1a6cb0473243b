"""M1: a process that dies at any statement of an opening leaves a charge with it, or neither."""

import pytest

from dpgov.budgets.models import Budget, Correction
from dpgov.surveys.models import Survey
from dpgov.surveys.services import open_alone
from dpgov.tenants.models import Membership
from tests.integration.children import Death, run
from tests.integration.surveys.made import agreed, asked_for, drafted, shared

_MOST = 60


def _die_everywhere(survey: Survey, step: object) -> int:
    """Run it anew until no death comes any more; how many statements there were."""
    for statement in range(1, _MOST):
        code = run(step, Death(statement, after=False))  # type: ignore[arg-type]
        now = Survey.objects.get(pk=survey.pk)
        charges = Correction.objects.filter(pk=survey.pk)
        assert charges.count() == (1 if now.state == "open" else 0)
        if code == 0:
            assert now.state == "open"
            return statement
        assert code == -9
        assert now.state == "draft"
        assert Budget.objects.filter(kind=Budget.Kind.SURVEY).count() == 0
    raise AssertionError("it never ended")


@pytest.mark.django_db(transaction=True)
def test_an_opening_alone_is_charged_and_open_or_neither(owner: Membership) -> None:
    """M1: at each of its statements."""
    survey = drafted(owner)
    assert _die_everywhere(survey, lambda: open_alone(membership=owner, survey=survey)) > 5


@pytest.mark.django_db(transaction=True)
def test_an_opening_by_two_is_charged_and_open_or_neither(
    owner: Membership, officer: Membership
) -> None:
    """M1: the approval, the charge and the opening are one."""
    survey = drafted(owner, shared_budget=shared(owner))
    request = asked_for(owner, survey)
    assert _die_everywhere(survey, lambda: agreed(officer, request)) > 5
    request.refresh_from_db()
    assert request.state == "approved"
