"""M98: what a live table reads may change after it was registered (decision 47).

What could overspend: a second budget over people who have one, by pointing a view at their table.
To whom: whoever asks both. What could leak: whose table it is, to anybody but officers who have
both; that a question waits says what the catalog says, and nothing of a row.
"""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset, LiveMark
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import ReadsAnother, archive_dataset, decide_as_agreed, engine_for
from dpgov.datasets.services.holding import hold
from dpgov.engines.base import DataNotOpened
from dpgov.notices.events.happenings import happening_of
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.agreed import split_as_two
from tests.cast import Ask
from tests.integration.budgets.shared.sharing import NANO, committed, shared_budget
from tests.integration.datasets.live.connecting import connect, connected, register, registered
from tests.unit.engines.postgres.owner import READER, Owner

pytestmark = pytest.mark.django_db(transaction=True)
Answer = Callable[[], int]
SignIn = Callable[[Membership], Client]
COLUMNS = {"id": "integer", "age": "integer", "sex": "text"}
POINTED_AT_PEOPLE = "CREATE OR REPLACE VIEW shown AS SELECT id, age, sex FROM people"


@pytest.fixture
def view(browser: Client, server: Owner) -> Dataset:
    """A view of a table of its own, with ten visits."""
    server.has("visits", COLUMNS, [(row, 30, "f") for row in range(10)])
    server.does("CREATE VIEW shown AS SELECT * FROM visits")
    server.does(f"GRANT SELECT ON shown TO {READER}")
    return _open(browser, server, "shown")


def _open(browser: Client, server: Owner, table: str) -> Dataset:
    response = register(browser, connected(browser, server, table=table), name=table)
    assert response.status_code == 302, response.content.decode()
    found = Dataset.objects.get(name=table)
    assert found.held_at is None
    return found


def _spent(dataset: Dataset) -> int:
    return Budget.objects.get(pk=dataset.budget_id).spent_nano


def _decided(browser: Client, officer: Membership, held: Dataset, **sent: str) -> None:
    """Its owner asks for it, and an officer agrees."""
    page = reverse("datasets:held", args=[held.pk])
    assert browser.post(page, {**sent, "reason": "looked at"}).status_code == 302
    request = ChangeRequest.objects.latest("requested_at")
    approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=decide_as_agreed)


def test_a_view_that_is_pointed_at_another_dataset_s_table_waits_for_two_persons(
    browser: Client,
    server: Owner,
    view: Dataset,
    analyst: Membership,
    officer: Membership,
    ask: Ask,
    answer_all: Answer,
) -> None:
    """M98: Not a row is read and nothing charged, nor for the next one; then both go on."""
    other = registered(browser, server, name="People")
    first, second = ask(analyst, of=view), ask(analyst, of=view)
    server.does(POINTED_AT_PEOPLE)
    assert answer_all() == 0
    view.refresh_from_db()
    assert view.held_reason == "like_earlier_data"
    for query in (first, second):
        query.refresh_from_db()
        assert (query.state, query.attempts, query.opened_at) == (Query.State.QUEUED, 0, None)
    assert _spent(view) == 0
    assert AuditEntry.objects.filter(action="LIVE_TABLE_HELD").count() == 1
    ask(analyst, of=other)
    assert answer_all() == 1
    _decided(browser, officer, view, kind="release_held_dataset")
    assert answer_all() == 2
    assert (_spent(view), _spent(other)) == (1_000_000_000, 500_000_000)


def test_who_decides_sees_what_it_reads_and_its_owner_hears_of_it(
    browser: Client,
    server: Owner,
    view: Dataset,
    analyst: Membership,
    officer: Membership,
    client_for: SignIn,
    ask: Ask,
    answer_all: Answer,
) -> None:
    """M98: As when a table is registered: the page says why, and to officers which."""
    registered(browser, server, name="People of the city")
    ask(analyst, of=view)
    server.does(POINTED_AT_PEOPLE)
    assert answer_all() == 0
    page = reverse("datasets:held", args=[view.pk])
    assert "is registered on this installation already" in browser.get(page).text
    assert "People of the city" in client_for(officer).get(page).text
    told = happening_of(AuditEntry.objects.filter(action="LIVE_TABLE_HELD").values().get())
    assert told is not None
    assert told.people == {view.owner_id, officer.user_id}
    log = client_for(officer).get(reverse("oversight:audit_log")).text
    assert "its live table reads what another dataset has a budget for" in log


def test_another_organisation_s_table_is_found_and_not_named(
    browser: Client,
    elsewhere: Client,
    server: Owner,
    view: Dataset,
    analyst: Membership,
    officer: Membership,
    client_for: SignIn,
    ask: Ask,
    answer_all: Answer,
) -> None:
    """M98: That it is here is all that anybody learns."""
    registered(elsewhere, server, name="Theirs")
    ask(analyst, of=view)
    server.does(POINTED_AT_PEOPLE)
    assert answer_all() == 0
    page = client_for(officer).get(reverse("datasets:held", args=[view.pk])).text
    assert "in another organisation of this installation" in page
    assert "Theirs" not in page


def test_what_nobody_else_has_is_the_dataset_s_own_from_then_on(
    browser: Client,
    server: Owner,
    analyst: Membership,
    ask: Ask,
    answer_all: Answer,
) -> None:
    """M98: A part that is attached, and a table that is made anew each night, wait for nobody."""
    server.does("DROP TABLE IF EXISTS months")
    server.does("CREATE TABLE months (id integer, age integer, sex text) PARTITION BY RANGE (id)")
    server.does(f"GRANT SELECT ON months TO {READER}")
    whole, people = _open(browser, server, "months"), registered(browser, server, name="People")
    server.has("december", COLUMNS, [(row, 30, "f") for row in range(1, 9)])
    server.does("ALTER TABLE months ATTACH PARTITION december FOR VALUES FROM (1) TO (100)")
    server.has("people", COLUMNS, [(row, 30, "f") for row in range(20)])
    for dataset in (whole, people):
        ask(analyst, of=dataset)
    assert answer_all() == 2
    assert {_spent(whole), _spent(people)} == {500_000_000}
    response = register(browser, connected(browser, server, table="december"), name="A part")
    assert response.status_code == 302
    assert Dataset.objects.get(name="A part").held_reason == "like_earlier_data"


def test_a_table_that_is_made_anew_is_known_by_its_name_through_a_view(
    browser: Client, server: Owner, analyst: Membership, view: Dataset, ask: Ask, answer_all: Answer
) -> None:
    """M98: Although nobody asked about it since, so that its new number is known to nobody."""
    registered(browser, server, name="People")
    server.has("people", COLUMNS, [(row, 30, "f") for row in range(20)])
    server.does("CREATE VIEW adults AS SELECT id, age, sex FROM people")
    server.does(f"GRANT SELECT ON adults TO {READER}")
    response = register(browser, connected(browser, server, table="adults"), name="Adults")
    assert response.status_code == 302
    assert Dataset.objects.get(name="Adults").held_reason == "like_earlier_data"
    ask(analyst, of=view)
    server.does(POINTED_AT_PEOPLE)
    assert answer_all() == 0
    view.refresh_from_db()
    assert view.held_reason == "like_earlier_data"


def test_a_role_that_may_not_ask_which_server_it_is_on_reads_nothing(
    browser: Client,
    server: Owner,
    view: Dataset,
    analyst: Membership,
    ask: Ask,
    answer_all: Answer,
) -> None:
    """M98: Else a right that is taken away would make known tables new."""
    query = ask(analyst, of=view)
    server.does("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
    try:
        response = connect(browser, server)
        assert response.status_code == 422
        assert "which server it is on" in response.context["form"].errors["role"][0]
        assert answer_all() == 1
    finally:
        server.does("GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC")
    query.refresh_from_db()
    assert query.state == Query.State.VOIDED
    assert _spent(view) == 0


def test_who_shares_the_budget_may_share_the_rows(
    browser: Client,
    server: Owner,
    analyst: Membership,
    officer: Membership,
    ask: Ask,
    answer_all: Answer,
) -> None:
    """M98: Both are charged to the people's one budget, whatever the table is made of tomorrow."""
    first = registered(browser, server, name="First")
    again = registered(browser, server, name="Again")
    _decided(browser, officer, again, kind="share_held_dataset_budget", earlier=str(first.pk))
    server.has("people", COLUMNS, [(row, 30, "f") for row in range(20)])
    for dataset in (first, Dataset.objects.get(pk=again.pk)):
        ask(analyst, of=dataset)
    assert answer_all() == 2
    assert _spent(first) == 1_000_000_000


def test_who_is_in_one_shared_budget_may_share_the_rows_until_they_part(
    browser: Client,
    server: Owner,
    view: Dataset,
    analyst: Membership,
    ask: Ask,
    answer_all: Answer,
) -> None:
    """M98: What is the view's own meanwhile is its own afterwards; the other's is compared."""
    other = registered(browser, server, name="People")
    both = (view.budget, other.budget)
    shared = shared_budget(view.tenant, "Residents", *both, limit=3 * NANO)
    server.has("mine", COLUMNS, [(1, 30, "f")])
    server.does("CREATE OR REPLACE VIEW shown AS SELECT p.id, p.age, p.sex FROM people AS p, mine")
    ask(analyst, of=view)
    assert answer_all() == 1
    assert committed(shared) == 500_000_000
    alone = register(browser, connected(browser, server, table="mine"), name="Alone")
    assert alone.status_code == 302
    assert Dataset.objects.get(name="Alone").held_reason == "like_earlier_data"
    leaving = [view.budget_id]
    split_as_two(
        shared_budget=shared, leaving=leaving, tenant=view.tenant, name="Parted", reason="other"
    )
    ask(analyst, of=view)
    assert answer_all() == 0
    view.refresh_from_db()
    assert view.held_reason == "like_earlier_data"


def test_what_is_held_for_another_reason_is_compared_again_when_that_has_ended(
    browser: Client, server: Owner, view: Dataset
) -> None:
    """M98: The end of a pause, of which nobody knew what the table reads, lets nothing through."""
    registered(browser, server, name="People")
    server.does(POINTED_AT_PEOPLE)
    own = LiveMark.objects.filter(live__dataset=view)
    before = set(own.values_list("mark", flat=True))
    hold(view, Dataset.HeldReason.PAUSED)
    with pytest.raises(ReadsAnother):
        engine_for(current_version(view))
    view.refresh_from_db()
    assert view.held_reason == "paused"
    assert set(own.all().values_list("mark", flat=True)) == before
    assert not AuditEntry.objects.filter(action="LIVE_TABLE_HELD").exists()


def test_of_an_archived_dataset_the_question_ends_for_nothing(
    browser: Client,
    server: Owner,
    view: Dataset,
    owner: Membership,
    analyst: Membership,
    ask: Ask,
    answer_all: Answer,
) -> None:
    """M98: Nobody could decide about it any more."""
    registered(browser, server, name="People")
    query = ask(analyst, of=view)
    archive_dataset(dataset=view, user=owner.user)
    server.does(POINTED_AT_PEOPLE)
    with pytest.raises(DataNotOpened):
        engine_for(current_version(view))
    assert answer_all() == 1
    query.refresh_from_db()
    assert query.state == Query.State.VOIDED
    assert _spent(view) == 0
