"""The log for people: rows as sentences, a side panel, and search by the beginning of a name."""

from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import pause_questions
from dpgov.oversight.log.names import people_of
from dpgov.oversight.log.sentences import labels_in, lines_of
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.oversight.test_log_pages import note

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
MEAN = ({"statistic": "mean", "column": "age"},)


def _sentences(officer: Membership) -> list[str]:
    entries = list(AuditEntry.objects.filter(tenant_id=officer.tenant_id).order_by("-sequence"))
    people = people_of(labels_in(entries))
    return [line.sentence for line in lines_of(officer.tenant_id, entries, people)]


def test_a_question_is_said_with_its_words_its_person_and_its_price(
    officer: Membership,
    analyst: Membership,
    ask: Callable[..., Query],
    answer_all: Callable[[], int],
    client_for: ClientFor,
) -> None:
    ask(analyst, statistics=MEAN)
    answer_all()
    assert _sentences(officer)[:2] == ["Anna got an answer: Mean of age", "Anna asked: Mean of age"]
    answered, asked, *_others = client_for(officer).get("/audit/").context["entries"]
    assert (asked.amount, asked.dataset, asked.who) == ("ε 0.5", "Visits", "Anna")
    assert (answered.amount, answered.who) == ("ε 0.5", "worker")


def test_a_step_is_said_with_its_reason(
    officer: Membership, owner: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    pause_questions(dataset=dataset, user=owner.user, reason="A cell looks wrong.")
    page = client_for(officer).get("/audit/").text
    assert "Olga paused all questions about Visits" in page
    assert "A cell looks wrong." in page


@pytest.mark.parametrize("action", list(Action))
def test_an_entry_that_lacks_what_its_sentence_names_is_said_in_plain_words(
    officer: Membership, action: Action
) -> None:
    """J6: whatever the detail holds, braces and strangers' names included."""
    note(officer, action, detail={"name": "{who}", "kind": "nothing", "role": 7, "reason": None})
    (sentence,) = _sentences(officer)
    assert "worker" in sentence or "{who}" in sentence


def test_a_plan_that_was_cut_when_it_was_recorded_is_not_said_as_if_it_were_one(
    officer: Membership,
) -> None:
    """G9: its entry is said in the words of its action."""
    plan = {"statistics": [{"statistic": "count"}], "where": ["x" * 1_000] * 200}
    note(officer, Action.APPROVAL_REQUESTED, detail={"plan": plan, "epsilon": "0.5"})
    (sentence,) = _sentences(officer)
    assert "Approval of one question asked for" in sentence


def test_the_row_leads_to_a_panel_that_is_the_entry_s_page(
    officer: Membership, owner: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    """The same address, with scripts a part of the page and without them the whole."""
    browser = client_for(officer)
    assert 'href="/audit/1/"' in browser.get("/audit/").text
    panel = browser.get("/audit/1/", headers={"HX-Request": "true"}).text
    whole = browser.get("/audit/1/").text
    leaf = bytes(AuditEntry.objects.get(sequence=1).leaf_hash).hex()
    assert "<html" not in panel
    assert leaf in panel
    assert leaf in whole
    assert leaf not in browser.get("/audit/").text


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("actor:ann", [3]),
        ("actor:Anna", [3]),
        ("dataset:vis", [3, 2]),
        ("dataset:Visits", [3, 2]),
        ("visits", [3, 2]),
        ("anna", [3]),
        ("registered", [2]),
        ("nothing-of-the-kind", []),
    ],
)
def test_the_beginning_of_a_name_is_enough(
    officer: Membership,
    analyst: Membership,
    ask: Callable[..., Query],
    client_for: ClientFor,
    search: str,
    found: list[int],
) -> None:
    """H1: names of this organisation's people and datasets alone."""
    ask(analyst)
    page = client_for(officer).get("/audit/", {"q": search})
    assert [line.entry.sequence for line in page.context["entries"]] == found


def test_a_chip_takes_its_own_filter_away(
    officer: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    chosen = {"dataset": "visits", "action": "QUERY_SUBMITTED"}
    page = client_for(officer).get("/audit/", chosen)
    assert page.context["chips"] == [
        ("What", "Question asked", "?dataset=visits"),
        ("Dataset", "visits", "?action=QUERY_SUBMITTED"),
    ]


@pytest.mark.parametrize(
    "kept",
    [
        {"pattern": "{who} is missing", "values": {}},
        {"pattern": "{0}", "values": {}},
        {"pattern": "no values"},
        {"pattern": "Entry {number}", "values": {"number": "7"}},
        {"pattern": 7, "values": []},
        {"pattern": "{number!x}", "values": {"number": {"value": 1}}},
    ],
)
def test_what_is_no_sentence_of_ours_breaks_no_page_of_the_log(
    officer: Membership, kept: dict[str, object], client_for: ClientFor
) -> None:
    """G5, J6: whoever changed the log in the database must not close it to its readers."""
    note(officer, Action.DATASETS_FROZEN, detail={"reason": kept})
    entry = note(officer, Action.AUDIT_LOG_VERIFIED, detail={"problems": [kept], "unread": kept})
    client = client_for(officer)
    assert client.get("/audit/").status_code == 200
    page = client.get(f"/audit/{entry.sequence}/").text
    assert "What was recorded" in page
    assert "What was found" not in page
