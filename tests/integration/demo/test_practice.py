"""Practising: invented rows in an organisation beside one's own, and a tour over its real pages."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge
from dpgov.dashboards.tour import STEPS, tour_of
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import receive_upload
from dpgov.demo.life.datasets import SURVEY
from dpgov.demo.practice import prepare_practice
from dpgov.engines.child import RefusedFile
from dpgov.surveys.errors import OnlyInvented
from dpgov.surveys.models import Survey
from dpgov.surveys.services import make_tokens, write_letters
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.invitations import invite
from dpgov.tenants.models import Membership, Role, Tenant
from dpgov.tenants.practising import remove_with_practice
from dpgov.tenants.services import LastAdministrator
from tests.cast import join

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
QUIET = "a quiet harbour at dawn"
COUNT = {"statistic": "0", "statistic-0-kind": "count", "epsilon": "0.125"}


@pytest.fixture
def practice(
    owner: Membership, analyst: Membership, officer: Membership, admin: Membership
) -> Tenant:
    """Where all four of them practise."""
    return prepare_practice(owner.tenant)


@pytest.fixture
def begin(client_for: ClientFor, practice: Tenant) -> Callable[[Membership], Client]:
    """A browser in which somebody has pressed the button on their own Home."""

    def press(real: Membership) -> Client:
        browser = client_for(real)
        assert "Take the tour" in shown(browser, reverse("dashboards:home"))
        there = Membership.objects.get(tenant=practice, user=real.user)
        sent = browser.post(reverse("tenants:switch"), {"membership": str(there.pk)}, follow=True)
        assert sent.status_code == 200
        return browser

    return press


def shown(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, address
    return " ".join(answer.content.decode().split())


def sent(browser: Client, name: str, posted: dict[str, Any], *names: str) -> None:
    answer = browser.post(reverse(name, args=names), posted, follow=True)
    assert answer.status_code == 200, (name, answer.content.decode())


def standing(browser: Client) -> str:
    """What the panel says on Home."""
    text = shown(browser, reverse("dashboards:home"))
    start = text.index("Practice tour")
    return text[start : text.index("<", start)].strip()


def test_everybody_is_there_in_their_role_and_the_rows_are_invented(
    practice: Tenant, owner: Membership
) -> None:
    """Repeating it adds whoever came since, and nothing else."""
    newcomer = join(owner.tenant, Role.ANALYST, "nina")
    assert prepare_practice(owner.tenant) == practice
    roles = Membership.objects.filter(tenant=practice).values_list("role", flat=True)
    assert sorted(roles) == ["admin", "analyst", "analyst", "officer", "owner"]
    assert Membership.objects.filter(tenant=practice, user=newcomer.user).exists()
    assert Dataset.objects.get().name == "Health survey"
    assert practice.practice_of == owner.tenant_id
    survey = Survey.objects.get(tenant=practice)
    assert (survey.state, survey.tally.reports, survey.tokens.count()) == ("open", 60, 60)


def test_who_accepts_an_invitation_practises_at_once_in_that_role(
    practice: Tenant, admin: Membership, client: Client
) -> None:
    """Their own organisation stays the one that they see first; no other one lets them in."""
    _invitation, token = invite(membership=admin, email="nora@example.org", role=Role.ANALYST)
    typed = {"name": "Nora", "password": QUIET, "again": QUIET}
    assert client.post(reverse("tenants:join", args=[token]), typed).status_code == 302
    found = Membership.objects.filter(user__email="nora@example.org").order_by("created_at")
    assert [(one.tenant, one.role) for one in found] == [
        (admin.tenant, "analyst"),
        (practice, "analyst"),
    ]


def test_where_nobody_practises_an_invitation_leads_to_one_organisation(
    admin: Membership, owner: Membership, client: Client
) -> None:
    _invitation, token = invite(membership=admin, email="nora@example.org", role=Role.ANALYST)
    typed = {"name": "Nora", "password": QUIET, "again": QUIET}
    client.post(reverse("tenants:join", args=[token]), typed)
    found = Membership.objects.filter(user__email="nora@example.org")
    assert [one.tenant for one in found] == [admin.tenant]


def test_a_file_of_real_people_is_refused_where_people_practise(
    practice: Tenant, owner: Membership
) -> None:
    """L36: their rows would have a second budget there, beside that of their organisation."""
    with acting_for(practice.pk), pytest.raises(RefusedFile, match="in your own organisation"):
        receive_upload(
            tenant=practice, uploader=owner.user, name=SURVEY.file, chunks=[SURVEY.csv()]
        )


def test_no_real_person_answers_a_survey_where_people_practise(
    practice: Tenant, owner: Membership, client: Client
) -> None:
    """L36: no letter, no token and no report; the public page says why."""
    survey = Survey.objects.get(tenant=practice)
    asker = Membership.objects.get(tenant=practice, user=owner.user)
    with acting_for(practice.pk):
        with pytest.raises(OnlyInvented):
            write_letters(membership=asker, survey=survey, addresses=["ada@example.org"])
        with pytest.raises(OnlyInvented):
            make_tokens(membership=asker, survey=survey, number=1)
        (token,) = make_tokens(membership=asker, survey=survey, number=1, invented=True)
    body, door = {"token": token, "report": "0"}, f"/api/v1/answer/{survey.code}/"
    answer = client.post(door, body, "application/json")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "practice")
    assert client.get(door).json()["takes_reports"] is False
    assert "People practise here" in shown(client, reverse("surveys:respond", args=[survey.code]))
    assert Survey.objects.get(tenant=practice).tally.reports == 60


def test_an_owner_walks_the_tour_to_its_end(
    begin: Callable[[Membership], Client], owner: Membership, analyst: Membership
) -> None:
    browser = begin(owner)
    assert standing(browser) == "Practice tour, step 1 of 5"
    sent(browser, "datasets:policy", {"per_query": "1"}, "health-survey")
    assert standing(browser) == "Practice tour, step 2 of 5"
    granted = {"holder": str(analyst.user_id), "epsilon_limit": "1", "reason": "the tour"}
    sent(browser, "limits:allocation_new", granted, "health-survey")
    assert standing(browser) == "Practice tour, step 3 of 5"
    sent(browser, "datasets:pause", {"reason": "a doubt"}, "health-survey")
    sent(browser, "datasets:resume", {}, "health-survey")
    assert standing(browser) == "Practice tour, step 5 of 5"
    raised = {"epsilon_limit": "5", "reason": "more", "confirmed": "5000000000"}
    sent(browser, "limits:raise_limit", raised, "health-survey")
    assert standing(browser) == "Practice tour: all steps are done"


def test_an_analyst_walks_it_leaves_and_takes_it_up_again(
    begin: Callable[[Membership], Client],
    analyst: Membership,
    answer_all: Callable[[], int],
) -> None:
    browser = begin(analyst)
    sent(browser, "queries:ask", COUNT | {"key": "k-1", "price": "0.125"}, "health-survey")
    answer_all()
    sent(browser, "tenants:switch", {"membership": str(analyst.pk)})
    assert "Practice tour" not in shown(browser, reverse("dashboards:home"))
    browser = begin(analyst)
    assert standing(browser) == "Practice tour, step 2 of 4"
    sent(browser, "queries:reuse", COUNT | {"key": "k-2"}, "health-survey")
    wanted = {"about": "limit", "epsilon_limit": "6", "reason": "the tour"}
    sent(browser, "queries:budget_ask", wanted, "health-survey")
    sent(browser, "tenants:tokens", {"name": "notebook"})
    assert standing(browser) == "Practice tour: all steps are done"


def test_an_officer_walks_it_to_its_end(
    begin: Callable[[Membership], Client], owner: Membership, officer: Membership
) -> None:
    raised = {"epsilon_limit": "5", "reason": "more", "confirmed": "5000000000"}
    sent(begin(owner), "limits:raise_limit", raised, "health-survey")
    browser = begin(officer)
    sent(browser, "oversight:audit_verify", {})
    assert standing(browser) == "Practice tour, step 2 of 3"
    assert browser.post(reverse("oversight:audit_export", args=["jsonl"])).status_code == 200
    assert standing(browser) == "Practice tour, step 3 of 3"
    request = str(ChangeRequest.objects.get().pk)
    sent(browser, "oversight:reject", {"reason": "enough"}, request)
    assert standing(browser) == "Practice tour: all steps are done"


def test_nothing_of_it_counts_in_the_organisation_itself(
    begin: Callable[[Membership], Client],
    client_for: ClientFor,
    owner: Membership,
    analyst: Membership,
    officer: Membership,
    answer_all: Callable[[], int],
) -> None:
    """L36: neither a budget, a figure, a question nor an entry of the log."""
    own = AuditEntry.objects.filter(tenant_id=owner.tenant_id).count()
    sent(begin(analyst), "queries:ask", COUNT | {"key": "k", "price": "0.125"}, "health-survey")
    assert answer_all() == 1
    assert Charge.objects.count() == 1
    assert not Budget.objects.filter(tenant=owner.tenant).exists()
    assert AuditEntry.objects.filter(tenant_id=owner.tenant_id).count() == own
    for person, name in (
        (owner, "dashboards:portfolio"),
        (owner, "dashboards:home"),
        (officer, "oversight:month"),
    ):
        text = shown(client_for(person), reverse(name))
        assert "Health survey" not in text
        assert "Practice tour" not in text
    assert client_for(owner).get("/datasets/health-survey/").status_code == 404


def test_the_tour_is_two_statements(
    practice: Tenant, owner: Membership, django_assert_num_queries: Any
) -> None:
    there = Membership.objects.select_related("tenant", "user").get(
        tenant=practice, user=owner.user
    )
    with django_assert_num_queries(2):
        tour_of(there)


def test_every_step_leads_to_a_page_that_its_person_may_open(
    begin: Callable[[Membership], Client],
    owner: Membership,
    analyst: Membership,
    officer: Membership,
    admin: Membership,
) -> None:
    for person in (owner, analyst, officer, admin):
        browser = begin(person)
        there = Membership.objects.exclude(pk=person.pk).get(user=person.user)
        for place in tour_of(there).places:
            assert "Practice tour" in shown(browser, place.address)
    assert set(STEPS) == set(Role)


def test_the_command_says_what_it_made_and_refuses_what_it_cannot(
    owner: Membership, stranger: Membership, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("practice", "harbour")
    assert "Practice: Harbour Statistics Office" in capsys.readouterr().out
    made = Tenant.objects.get(practice_of=owner.tenant_id)
    with pytest.raises(CommandError, match="already"):
        call_command("practice", made.slug)
    with pytest.raises(CommandError, match="No such organisation"):
        call_command("practice", "nowhere")
    Membership.objects.filter(pk=stranger.pk).update(role=Role.ANALYST)
    with pytest.raises(CommandError, match="data owner"):
        call_command("practice", "elsewhere")


def test_who_is_removed_practises_no_longer_where_others_come(
    practice: Tenant,
    admin: Membership,
    officer: Membership,
    analyst: Membership,
    client_for: ClientFor,
) -> None:
    """H8: else a former colleague would read there who has come since."""
    members = client_for(admin)
    for former in (officer, analyst):
        removed = members.post(reverse("people:member_remove", args=[former.pk]))
        assert removed.status_code == 302
        assert not Membership.objects.filter(user=former.user).exists()
    there = AuditEntry.objects.filter(tenant_id=practice.pk, action="MEMBER_REMOVED")
    assert there.count() == 2


def test_the_command_after_a_restore_ends_practising_too(
    practice: Tenant, analyst: Membership
) -> None:
    """H8: whoever was removed since the backup is not left where everybody's name is."""
    call_command("remove_member", analyst.tenant.slug, analyst.user.email)
    assert not Membership.objects.filter(user=analyst.user).exists()
    assert AuditEntry.objects.filter(tenant_id=practice.pk, action="MEMBER_REMOVED").exists()


def test_the_last_administrator_of_a_practice_may_leave_it_but_of_nothing_else(
    practice: Tenant, admin: Membership
) -> None:
    """Its members come from the organisation that it belongs to."""
    with pytest.raises(LastAdministrator):
        remove_with_practice(membership=admin, actor=OPERATOR)
    assert Membership.objects.filter(user=admin.user).count() == 2
    join(admin.tenant, Role.ADMIN, "ben")
    remove_with_practice(membership=admin, actor=OPERATOR)
    assert not Membership.objects.filter(user=admin.user).exists()
