"""L38: versions of terms of use and who accepted them: kept, never changed, seen by who may."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Acceptance, Dataset, TermsOfUse
from dpgov.datasets.rules import in_force, to_accept
from dpgov.datasets.services import (
    LONGEST_TERMS,
    NotInForce,
    SameTerms,
    TermsTooLong,
    accept_terms,
    set_terms,
)
from dpgov.oversight.log.names import people_of
from dpgov.oversight.log.sentences import labels_in, lines_of
from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db
PAGE = "/datasets/visits/terms/"
API = "/api/v1/datasets/visits/terms/"
# A page without terms makes twelve at most; to know whether they are accepted takes another one.
MOST_STATEMENTS = 13
ClientFor = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]
Write = Callable[[str], TermsOfUse]


@pytest.fixture
def write(dataset: Dataset, owner: Membership) -> Write:
    """The owner writes the next version."""
    return lambda text: set_terms(dataset=dataset, text=text, user=owner.user)


def test_each_text_is_the_next_version_and_the_newest_is_in_force(
    dataset: Dataset, write: Write
) -> None:
    assert in_force(dataset.pk) is None
    assert [write(text).number for text in ("One.", "Two.", "", " Two.\r\nAnd\r\n")] == [1, 2, 3, 4]
    now = in_force(dataset.pk)
    assert now is not None
    assert (now.number, now.text) == (4, "Two.\nAnd")
    assert TermsOfUse.objects.filter(dataset=dataset).count() == 4


def test_the_same_text_is_no_new_version(write: Write) -> None:
    """Everybody would have to accept it again."""
    with pytest.raises(SameTerms):
        write(" ")
    write("One.")
    with pytest.raises(SameTerms):
        write("One.\n")
    assert TermsOfUse.objects.count() == 1


def test_terms_are_of_so_many_characters_at_most(write: Write) -> None:
    write("x" * LONGEST_TERMS)
    with pytest.raises(TermsTooLong, match="at most 10000 characters; these have 10001"):
        write("x" * (LONGEST_TERMS + 1))


@pytest.mark.parametrize("number", [0, 1, 3])
def test_another_version_than_the_one_in_force_is_not_accepted(
    dataset: Dataset, analyst: Membership, write: Write, number: int
) -> None:
    """L38: neither an old one nor one that is still to come."""
    write("One.")
    write("Two.")
    with pytest.raises(NotInForce, match="version 2 is"):
        accept_terms(dataset=dataset, number=number, user=analyst.user)
    assert not Acceptance.objects.exists()


def test_where_there_are_no_terms_there_is_nothing_to_accept(
    dataset: Dataset, analyst: Membership, write: Write
) -> None:
    write("One.")
    write("")
    assert to_accept(dataset.pk, analyst.user) is None
    with pytest.raises(NotInForce, match="no terms of use to accept"):
        accept_terms(dataset=dataset, number=2, user=analyst.user)


def test_the_log_says_who_set_accepted_and_removed_them_once_each(
    dataset: Dataset, analyst: Membership, officer: Membership, write: Write
) -> None:
    """L38: accepting again is the same acceptance, without another entry."""
    first = AuditEntry.objects.count()
    write("One.")
    once = accept_terms(dataset=dataset, number=1, user=analyst.user)
    assert accept_terms(dataset=dataset, number=1, user=analyst.user) == once
    write("")
    entries = list(AuditEntry.objects.order_by("sequence")[first:])
    people = people_of(labels_in(entries))
    said = [line.sentence for line in lines_of(officer.tenant_id, entries, people)]
    assert said == [
        "Olga set version 1 of the terms of use of Visits",
        "Anna accepted version 1 of the terms of use of Visits",
        "Olga removed the terms of use of Visits",
    ]
    assert "One." not in entries[0].detail
    assert "text_sha256" in entries[0].detail


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE datasets_termsofuse SET text = 'Other.'",
        "DELETE FROM datasets_termsofuse",
        "UPDATE datasets_acceptance SET accepted_at = '2020-01-01 00:00:00+00:00'",
        "DELETE FROM datasets_acceptance",
    ],
)
def test_the_database_keeps_what_was_set_and_accepted(
    dataset: Dataset, analyst: Membership, write: Write, change: str
) -> None:
    """L38: whoever tries."""
    write("One.")
    accept_terms(dataset=dataset, number=1, user=analyst.user)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute(change)


def test_the_database_takes_no_acceptance_of_another_version_or_of_a_stranger(
    dataset: Dataset, analyst: Membership, stranger: Membership, write: Write
) -> None:
    """L38: nor a version out of turn."""
    old, now = write("One."), write("Two.")
    known = {"tenant_id": dataset.tenant_id}
    for terms, person in ((old, analyst.user), (now, stranger.user)):
        with pytest.raises(DatabaseError, match="that are in force"), transaction.atomic():
            Acceptance.objects.create(terms=terms, accepted_by=person, **known)
    with pytest.raises(DatabaseError, match="the one after the newest"), transaction.atomic():
        TermsOfUse.objects.create(dataset=dataset, number=9, set_by=analyst.user, **known)


def test_an_owner_writes_them_and_sees_who_accepted_which_version(
    dataset: Dataset, owner: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    """L38: an analyst reads every version, and of acceptances their own."""
    writer, reader = client_for(owner), client_for(analyst)
    assert b"no terms of use" in reader.get(PAGE).content
    for text in ("One <script>.", "Two."):
        assert writer.post(f"{PAGE}new/", {"text": text})["Location"] == PAGE
        newest = str(TermsOfUse.objects.count())
        sent = {"version": newest, "agreed": "on", "back": "/datasets/visits/ask/"}
        assert reader.post(f"{PAGE}accept/", sent)["Location"] == "/datasets/visits/ask/"
    for number in (1, 2):
        seen = writer.get(f"{PAGE}?version={number}").content.decode()
        assert analyst.user.email in seen
        assert "Who accepted this version" in seen
        read = reader.get(f"{PAGE}?version={number}").content.decode()
        assert "You accepted it on" in read
        assert "Who accepted this version" not in read
    assert "One &lt;script&gt;." in reader.get(f"{PAGE}?version=1").content.decode()
    assert reader.get(f"{PAGE}?version=3").status_code == 404
    assert "Version 2 is accepted" in writer.get("/datasets/visits/settings/").content.decode()


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"version": "2"}, "Tick this box"),
        ({"version": "1", "agreed": "on"}, "Version 1 of the terms of use is not in force"),
        ({"version": "x", "agreed": "on"}, "Two."),
        ({}, "Tick this box"),
    ],
)
@pytest.mark.parametrize("part", [False, True])
def test_what_is_not_ticked_or_not_in_force_is_refused_with_the_terms_to_read(
    analyst: Membership,
    write: Write,
    client_for: ClientFor,
    sent: dict[str, str],
    why: str,
    part: bool,
) -> None:
    """L38: on a page of its own, and in place."""
    write("One.")
    write("Two.")
    headers = {"HX-Request": "true"} if part else {}
    answer = client_for(analyst).post(f"{PAGE}accept/", sent, headers=headers)
    shown = answer.content.decode()
    assert answer.status_code == 422
    assert why in shown
    assert "Two." in shown
    assert 'name="version" value="2"' in shown
    assert ("<html" in shown) is not part
    assert not Acceptance.objects.exists()


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example/", "javascript:x", ""])
def test_whoever_accepts_goes_on_to_a_page_of_ours(
    analyst: Membership, write: Write, client_for: ClientFor, back: str
) -> None:
    write("One.")
    sent = {"version": "1", "agreed": "on", "back": back}
    assert client_for(analyst).post(f"{PAGE}accept/", sent)["Location"] == PAGE


def test_too_long_a_text_is_refused_at_its_field_and_stays_there(
    dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    answer = client_for(owner).post(f"{PAGE}new/", {"text": "y" * (LONGEST_TERMS + 1)})
    assert answer.status_code == 422
    assert b"yyyy" in answer.content
    assert not TermsOfUse.objects.exists()


def test_the_api_tells_the_version_in_force_and_takes_its_number(
    analyst: Membership, officer: Membership, write: Write, api_for: ApiFor
) -> None:
    """L38: a stale number is refused, and who asks nothing accepts nothing."""
    api = api_for(analyst)
    assert api.get(API).json()["version"] is None
    write("One.")
    write("Two.")
    told = api.get(API).json()
    assert (told["version"], told["text"], told["accepted_at"]) == (2, "Two.", None)
    stale = api.post(f"{API}accept/", {"version": 1}, format="json")
    assert (stale.status_code, stale.json()["errors"][0]["code"]) == (409, "terms_not_in_force")
    for bad in ({}, {"version": "2"}, {"version": True}, {"version": 0}, [2]):
        assert api.post(f"{API}accept/", bad, format="json").status_code == 400
    assert api_for(officer).post(f"{API}accept/", {"version": 2}, format="json").status_code == 403
    assert not Acceptance.objects.exists()
    assert api.post(f"{API}accept/", {"version": 2}, format="json").json()["accepted_at"]
    assert api.get(API).json()["accepted_at"]


@pytest.mark.parametrize("page", ["ask/", "ask/sql/", "batch/", "ready-made/", "terms/", ""])
def test_pages_with_terms_ask_the_database_once_more_at_most(
    analyst: Membership, write: Write, client_for: ClientFor, page: str
) -> None:
    """While they are still to be accepted: one more, however many versions and people there are."""
    write("One.")
    browser = client_for(analyst)
    browser.get("/datasets/")
    with CaptureQueriesContext(connection) as captured:
        assert browser.get(f"/datasets/visits/{page}").status_code == 200
    asked = [one["sql"] for one in captured if "SAVEPOINT" not in one["sql"]]
    assert len(asked) <= MOST_STATEMENTS, "\n".join(asked)
