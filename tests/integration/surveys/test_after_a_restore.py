"""A9, M1: what a restored database does not know of an open survey are the tokens spent since.

Whoever gave a report after the backup could give another one, and lose ε twice, to whoever reads
the sums. So an open survey is held with the datasets, until an officer says whether reports may be
missing; if some may, it is closed.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.budgets.services import freeze_tenant
from dpgov.budgets.standing import frozen_budgets
from dpgov.operation import clock
from dpgov.surveys.errors import SurveyClosed, SurveyHeld
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
        reverse("oversight:confirm_frozen", args=[survey.budget_id]),
        {prefix + name: value for name, value in typed.items()},
        follow=True,
    ).content.decode()


def _is_over(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last day was yesterday, from now on."""
    later = clock.now() + (survey.closes_on - clock.today()) + timedelta(days=1)
    monkeypatch.setattr(clock, "now", lambda: later)


@pytest.mark.parametrize("on_shared_budget", [False, True])
def test_an_open_survey_takes_no_report_until_an_officer_has_spoken(
    owner: Membership, officer: Membership, client_for: Browsers, on_shared_budget: bool
) -> None:
    survey = _on_shared_budget(owner, officer) if on_shared_budget else opened(owner)
    token = tokens(owner, survey, 1)[0]
    stale = Survey.objects.select_related("budget").get(pk=survey.pk)
    assert _freeze(owner) == 1
    for seen in (stale, Survey.objects.get(pk=survey.pk)):
        with pytest.raises(SurveyHeld):
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


@pytest.mark.parametrize("by_its_owner", [True, False], ids=["closed", "last day over"])
def test_its_emails_are_forgotten_once_it_is_over(
    owner: Membership, monkeypatch: pytest.MonkeyPatch, by_its_owner: bool
) -> None:
    """M10: nobody has to confirm its budget any more, and addresses and seeds would stay."""
    survey = opened(owner)
    write_letters(membership=owner, survey=survey, addresses=["ada@example.org", "bo@example.org"])
    _freeze(owner)
    if by_its_owner:
        close_survey(membership=owner, survey=Survey.objects.get(pk=survey.pk))
    else:
        _is_over(survey, monkeypatch)
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
    assert reverse("oversight:frozen") in own
    public = client.get(reverse("surveys:respond", args=[survey.code])).content.decode()
    assert "takes no answers at the moment" in public
    compared = client_for(officer).get(reverse("oversight:frozen")).content.decode()
    assert "Reports that came after the backup" in compared
    assert "ε that is missing here" not in compared


def test_what_is_sent_to_it_is_refused_as_held_and_not_as_closed(
    owner: Membership, client: Client
) -> None:
    """M1: whoever read that it is closed would not come back."""
    survey = opened(owner)
    token = tokens(owner, survey, 1)[0]
    _freeze(owner)
    answer = client.post(
        f"/api/v1/answer/{survey.code}/",
        {"token": token, "report": "0"},
        content_type="application/json",
    )
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"]) == (409, "survey_held")
    assert "Come back later" in error["detail"]
    with pytest.raises(SurveyHeld):
        write_letters(membership=owner, survey=survey, addresses=["ada@example.org"])


def test_of_one_whose_last_day_is_over_no_report_is_asked_about(
    owner: Membership,
    officer: Membership,
    client_for: Browsers,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """None can come any more, so that it is not said either that they are taken again."""
    survey = opened(owner)
    _freeze(owner)
    _is_over(survey, monkeypatch)
    browser = client_for(officer)
    asked = browser.get(reverse("oversight:frozen")).content.decode()
    assert "Reports that came after the backup" not in asked
    public = client.get(reverse("surveys:respond", args=[survey.code])).content.decode()
    assert "This survey is closed" in public
    said = _confirm(browser, survey)
    assert "The last day of this survey is over" in said
    assert "Reports are taken again" not in said
    with pytest.raises(SurveyClosed):
        receive(survey=Survey.objects.get(pk=survey.pk), token="0" * 32, report="0")


@pytest.mark.parametrize("by_whom", ["its owner", "an officer"])
def test_closing_and_confirming_lock_in_one_order(
    owner: Membership, officer: Membership, client_for: Browsers, by_whom: str
) -> None:
    """M1: its sum, its row, then its budget and the log; or two at once would end each other."""
    survey = opened(owner)
    _freeze(owner)
    browser = client_for(officer)
    with CaptureQueriesContext(connection) as captured:
        if by_whom == "its owner":
            close_survey(membership=owner, survey=Survey.objects.get(pk=survey.pk))
        else:
            _confirm(browser, survey, reports="close")
    run = [one["sql"] for one in captured]
    budget = next(n for n, sql in enumerate(run) if sql.startswith('UPDATE "budgets_budget"'))
    tally = next(n for n, sql in enumerate(run) if 'FROM "surveys_tally"' in sql)
    assert any('FROM "surveys_survey"' in sql for sql in run[tally:budget])
