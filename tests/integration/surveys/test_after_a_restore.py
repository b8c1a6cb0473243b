"""A9, M1: what a restored database does not know of an open survey are the tokens spent since.

Whoever gave a report after the backup could give another one, and lose ε twice, to whoever reads
the sums. So an open survey is held with the datasets, until an officer says whether reports may be
missing; if some may, it is closed.
"""

from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.budgets.services import freeze_tenant
from dpgov.budgets.standing import frozen_budgets
from dpgov.surveys.errors import SurveyClosed
from dpgov.surveys.models import Survey, SurveyLetter, SurveyToken, Tally
from dpgov.surveys.services import close_survey, receive, send_survey_letters, write_letters
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.integration.surveys.made import agreed, asked_for, drafted, opened, shared, tokens

Browsers = Callable[[Membership], Client]


def _on_shared_budget(owner: Membership, officer: Membership) -> Survey:
    survey = drafted(owner, shared_budget=shared(owner))
    agreed(officer, asked_for(owner, survey))
    survey.refresh_from_db()
    return survey


def _freeze(owner: Membership) -> int:
    return freeze_tenant(tenant_id=owner.tenant_id, reason="restored")


def _confirm(browser: Client, survey: Survey, **typed: str) -> str:
    prefix = f"{survey.budget_id}-"
    typed = {"reason": "compared with the newest checkpoint", **typed}
    return browser.post(
        reverse("dashboards:confirm_frozen", args=[survey.budget_id]),
        {prefix + name: value for name, value in typed.items()},
        follow=True,
    ).content.decode()


@pytest.mark.parametrize("on_shared_budget", [False, True])
def test_an_open_survey_takes_no_report_until_an_officer_has_spoken(
    owner: Membership, officer: Membership, client_for: Browsers, on_shared_budget: bool
) -> None:
    survey = _on_shared_budget(owner, officer) if on_shared_budget else opened(owner)
    token = tokens(owner, survey, 1)[0]
    stale = Survey.objects.select_related("budget").get(pk=survey.pk)
    assert _freeze(owner) == 1
    for seen in (stale, Survey.objects.get(pk=survey.pk)):
        with pytest.raises(SurveyClosed):
            receive(survey=seen, token=token, report="0")
    assert Tally.objects.get(survey=survey).reports == 0
    assert not SurveyToken.objects.filter(spent=True).exists()
    _confirm(client_for(officer), survey, reports="take")
    receive(survey=Survey.objects.get(pk=survey.pk), token=token, report="0")
    assert Tally.objects.get(survey=survey).reports == 1


@pytest.mark.parametrize("chosen", [{}, {"reports": "close"}], ids=["nothing", "close"])
@pytest.mark.parametrize("on_shared_budget", [False, True])
def test_where_reports_may_be_missing_it_is_closed_with_the_confirmation(
    owner: Membership,
    officer: Membership,
    client_for: Browsers,
    on_shared_budget: bool,
    chosen: dict[str, str],
) -> None:
    """Also where the officer chose nothing: closed is safe."""
    survey = _on_shared_budget(owner, officer) if on_shared_budget else opened(owner)
    _freeze(owner)
    page = _confirm(client_for(officer), survey, **chosen)
    survey.refresh_from_db()
    assert survey.state == Survey.State.CLOSED
    said = "its open surveys are closed" if on_shared_budget else "The survey is closed"
    assert said in page
    assert not frozen_budgets(owner.tenant_id).exists()
    logged = AuditEntry.objects.filter(action=Action.SURVEY_CLOSED).get()
    assert logged.actor_label == officer.user.email


def test_a_word_that_the_form_has_not_changes_nothing(
    owner: Membership, officer: Membership, client_for: Browsers
) -> None:
    survey = opened(owner)
    _freeze(owner)
    page = _confirm(client_for(officer), survey, reports="perhaps")
    assert "perhaps is not one of the available choices" in page
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN
    assert [budget.pk for budget in frozen_budgets(owner.tenant_id)] == [survey.budget_id]


def test_a_survey_that_is_over_is_not_frozen(owner: Membership) -> None:
    closed = opened(owner)
    close_survey(membership=owner, survey=closed)
    assert _freeze(owner) == 0
    own = Budget.objects.get(kind=Budget.Kind.SURVEY)
    assert (own.pk, own.closed_at is not None) == (closed.budget_id, True)


def test_its_owner_may_close_it_meanwhile(owner: Membership) -> None:
    survey = opened(owner)
    _freeze(owner)
    close_survey(membership=owner, survey=survey)
    assert not frozen_budgets(owner.tenant_id).exists()


def test_its_emails_wait_with_it(
    owner: Membership, officer: Membership, client_for: Browsers
) -> None:
    """M10: they are neither sent nor given up."""
    survey = opened(owner)
    write_letters(membership=owner, survey=survey, addresses=["ada@example.org"])
    _freeze(owner)
    with acting_for(owner.tenant_id):
        assert send_survey_letters(owner.tenant_id) == 0
    _confirm(client_for(officer), survey, reports="take")
    with acting_for(owner.tenant_id):
        assert send_survey_letters(owner.tenant_id) == 1
    assert [one.to for one in mail.outbox] == [["ada@example.org"]]


def test_its_emails_are_forgotten_once_its_owner_closed_it(owner: Membership) -> None:
    """M10: nobody confirms its budget any more, so that addresses and seeds would stay for ever."""
    survey = opened(owner)
    write_letters(membership=owner, survey=survey, addresses=["ada@example.org", "bo@example.org"])
    _freeze(owner)
    close_survey(membership=owner, survey=Survey.objects.get(pk=survey.pk))
    with acting_for(owner.tenant_id):
        assert send_survey_letters(owner.tenant_id) == 0
    kept = SurveyLetter.objects.values_list("state", "email", "seed")
    assert set(kept) == {("given_up", "", "")}
    assert mail.outbox == []


def test_pages_say_that_it_is_held(
    owner: Membership, officer: Membership, client_for: Browsers, client: Client
) -> None:
    survey = opened(owner)
    _freeze(owner)
    own = client_for(owner).get(reverse("surveys:detail", args=[survey.pk])).content.decode()
    assert "It takes no reports" in own
    assert reverse("dashboards:frozen") in own
    public = client.get(reverse("surveys:respond", args=[survey.code])).content.decode()
    assert "takes no answers at the moment" in public
    compared = client_for(officer).get(reverse("dashboards:frozen")).content.decode()
    assert "Reports that came after the backup" in compared
    assert "ε that is missing here" not in compared
