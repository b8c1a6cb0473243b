"""L13: a file is asked for at a page, read apart from it, and its result reaches who asked."""

from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets.declaration import as_json, of_json
from dpgov.datasets.models import Arrival, Dataset, Draft, Upload
from dpgov.datasets.services.arrivals.reading import carry_out
from dpgov.datasets.services.arrivals.taking import next_claim
from dpgov.datasets.tasks import read_next
from dpgov.demo.census.adult import declaration as adult
from dpgov.engines import child
from dpgov.engines.child import FullDisk
from dpgov.notices.events.follow import follow
from dpgov.notices.selectors import notices_of
from dpgov.notices.words import page_of, sentence
from dpgov.tenants.models import Membership, Role
from tests.eager import read_waiting
from tests.integration.datasets.arrivals.conftest import (
    SignIn,
    address,
    ask,
    files,
    while_it_is_read,
)
from tests.integration.datasets.invented import as_csv, people
from tests.integration.datasets.registering import declared, uploaded

pytestmark = pytest.mark.django_db


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("sequence").values_list("action", flat=True))


def told(member: Membership) -> list[str]:
    follow(member.tenant_id)
    return [sentence(n.event.kind, n.event.detail) for n in notices_of(member)]


def test_the_page_answers_before_the_file_is_read(browser: Client, asked: Arrival) -> None:
    """L13, S10: no reader runs in a web request; the arrival is in the database."""
    assert asked.state == Arrival.State.WAITING
    assert not Dataset.objects.exists()
    assert actions() == ["FILE_UPLOADED"]
    page = browser.get(address("reading", asked.upload)).content.decode()
    assert "waits for a reader" in page
    assert 'hx-trigger="every 1s"' in page
    assert '<noscript><meta http-equiv="refresh"' in page


def test_the_page_starts_no_reader(browser: Client) -> None:
    """L13: whatever is posted there."""
    upload = uploaded(browser)
    with patch.object(child, "ingest", side_effect=AssertionError):
        assert browser.post(address("register", upload), declared()).status_code == 302


def test_a_reader_registers_it_with_one_entry_and_the_owner_is_led_there(
    browser: Client, asked: Arrival, owner: Membership
) -> None:
    """L13, G1: the entry is the owner's, and in the transaction of the registration."""
    read_next()
    dataset = Dataset.objects.get()
    assert actions() == ["FILE_UPLOADED", "DATASET_REGISTERED"]
    assert AuditEntry.objects.latest("sequence").actor_label == owner.user.email
    led = browser.get(address("reading", asked.upload), follow=True)
    assert led.redirect_chain[-1][0] == reverse("datasets:detail", args=[dataset.slug])
    assert "People is registered" in led.content.decode()
    now = browser.get(address("reading_now", asked.upload))
    assert now.headers["HX-Redirect"] == address("reading", asked.upload)
    assert not Draft.objects.exists()
    asked.refresh_from_db()
    assert (asked.declared, asked.rows_read, asked.bytes_read) == ({}, 0, 0)
    assert str(asked.upload_id) not in files("uploads")


def test_nothing_is_registered_whose_entry_cannot_be_written(
    asked: Arrival, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G1, L13: nothing behind the log's back; the arrival stays, and another attempt succeeds."""
    before = files("data")

    def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr("dpgov.audit.services._store", fail)
        claim = next_claim()
        assert claim is not None
        with pytest.raises(RuntimeError):
            carry_out(claim)
    assert not Dataset.objects.exists()
    assert not Budget.objects.exists()
    assert files("data") == before
    assert read_waiting() == 1
    assert Dataset.objects.count() == 1


def test_the_owner_hears_of_it_wherever_they_are(
    browser: Client, asked: Arrival, owner: Membership, admin: Membership, officer: Membership
) -> None:
    """L13: on the desk while it is read, and in the bell when it is done; nobody else does."""
    desk = browser.get(reverse("dashboards:home")).content.decode()
    assert address("reading", asked.upload) in desk
    assert "is being registered" in desk
    assert told(owner) == []
    read_waiting()
    assert told(owner) == ["people.csv was read and recorded: People."]
    follow(owner.tenant_id)
    assert len(told(owner)) == 1
    assert told(admin) == []
    # What officers hear of every new dataset is no answer to whoever asked.
    assert [words.partition(":")[0] for words in told(officer)] == ["New data came"]
    event = notices_of(owner).get().event
    assert page_of(event.kind, event.detail) == address("reading", asked.upload)


def test_a_refused_file_comes_back_to_the_form_with_all_that_was_typed(
    browser: Client, owner: Membership
) -> None:
    """L13, D5: at its field; the correction is enough."""
    before = files("data")
    asked = ask(browser, max_rows="3", name="Half typed")
    read_waiting()
    page = browser.get(address("reading", asked.upload), follow=True).content.decode()
    assert "more than 3 rows" in page
    assert 'id="id_max_rows_error"' in page
    for kept in ('value="Half typed"', "Invented people.", 'value="120"'):
        assert kept in page
    assert files("data") == before
    assert told(owner) == ["people.csv was not registered. What you uploaded and typed is kept."]
    assert "not registered: see why" in browser.get("/datasets/").content.decode()
    again = browser.post(address("register", asked.upload), declared())
    assert again.headers["Location"] == address("reading", asked.upload)
    assert read_waiting() == 1
    assert Dataset.objects.count() == 1


def test_a_refusal_is_said_in_the_reader_s_language(browser: Client) -> None:
    """L13: it is kept as its pattern and values."""
    asked = ask(browser, max_rows="3")
    read_waiting()
    asked.refresh_from_db()
    assert asked.outcome["values"] == {"most": {"value": 3}}
    assert "{most:,}" in asked.outcome["pattern"]


def test_a_refused_version_comes_back_to_its_own_form(browser: Client) -> None:
    """L13: with the columns as they were typed."""
    ask(browser, as_csv(people(1)), neighbouring="change_one")
    read_waiting()
    dataset = Dataset.objects.get()
    upload = uploaded(browser, as_csv(people(1) + people(2)))
    form = reverse("datasets:add_version", args=[dataset.slug, upload.pk])
    assert browser.post(form, declared(age__upper="99")).headers["Location"] == address(
        "reading", upload
    )
    read_waiting()
    led = browser.get(address("reading", upload), follow=True)
    assert led.redirect_chain[-1][0] == form
    assert "has to stay" in led.content.decode()
    assert 'value="99"' in led.content.decode()


def test_a_second_click_is_the_same_wish(browser: Client, asked: Arrival) -> None:
    """B6, L13: whether it waits, is read or was read."""
    again = browser.post(address("register", asked.upload), declared(name="Twice"))
    assert again.headers["Location"] == address("reading", asked.upload)
    assert Arrival.objects.count() == 1
    read_waiting()
    assert (
        browser.post(address("register", asked.upload), declared()).headers["Location"]
        == "/datasets/"
    )
    assert Dataset.objects.get().name == "People"


@pytest.mark.parametrize("being_read", [False, True])
def test_it_can_be_stopped_at_any_time(
    browser: Client, asked: Arrival, being_read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L13: the file and what was typed stay; nothing else does, and nobody registers it after."""
    before = files("data")
    if being_read:
        while_it_is_read(monkeypatch, lambda: browser.post(address("cancel_reading", asked.upload)))
        read_next()
    else:
        browser.post(address("cancel_reading", asked.upload))
        assert read_waiting() == 0
    asked.refresh_from_db()
    assert asked.state == Arrival.State.CANCELLED
    assert not Dataset.objects.exists()
    assert files("data") == before
    page = browser.get(address("reading", asked.upload), follow=True).content.decode()
    assert "Invented people." in page
    assert browser.post(address("register", asked.upload), declared()).status_code == 302
    monkeypatch.undo()
    assert read_waiting() == 1
    assert Dataset.objects.count() == 1


def test_how_far_it_is_is_shown_to_its_owner_alone(
    browser: Client,
    asked: Arrival,
    owner: Membership,
    client_for: SignIn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L13: true rows and bytes of the owner's own file; a colleague finds nothing there."""
    colleague = client_for(join_owner(owner))
    seen: list[str] = []

    def look() -> None:
        Arrival.objects.update(rows_read=1234, bytes_read=56)
        seen.append(browser.get(address("reading_now", asked.upload)).content.decode())
        assert colleague.get(address("reading", asked.upload)).status_code == 404
        assert colleague.post(address("cancel_reading", asked.upload)).status_code == 404
        assert "1,234" not in colleague.get("/datasets/").content.decode()

    while_it_is_read(monkeypatch, look)
    read_next()
    assert "1,234 rows" in seen[0]
    assert "Only you see these numbers" in seen[0]
    assert Dataset.objects.count() == 1


def join_owner(owner: Membership) -> Membership:
    """Another owner of the same tenant."""
    from tests.cast import join

    return join(owner.tenant, Role.OWNER, "otto")


def test_a_file_that_is_being_registered_is_not_deleted(browser: Client, asked: Arrival) -> None:
    """L13: it has to be stopped first."""
    assert browser.post(address("discard", asked.upload)).headers["Location"] == address(
        "reading", asked.upload
    )
    assert Upload.objects.exists()
    browser.post(address("cancel_reading", asked.upload))
    browser.post(address("discard", asked.upload))
    assert not Upload.objects.exists()


def test_a_full_disk_is_no_fault_of_the_file_and_loses_nothing(
    browser: Client, asked: Arrival, caplog: pytest.LogCaptureFixture
) -> None:
    """L13, R12: the owner is told to try again, the operator finds it in the log."""
    before = files("data")
    with patch.object(child, "ingest", side_effect=FullDisk):
        read_next()
    page = browser.get(address("reading", asked.upload), follow=True).content.decode()
    assert "has no room for the file at present" in page
    assert "Export it again" not in page
    assert "nothing can be registered" in caplog.text
    assert files("data") == before
    browser.post(address("register", asked.upload), declared())
    assert read_waiting() == 1
    assert Dataset.objects.count() == 1


def test_somebody_who_may_not_any_more_registers_nothing(asked: Arrival, owner: Membership) -> None:
    """L13, S13: an arrival of somebody who has another role now, or none, is void."""
    Membership.objects.filter(pk=owner.pk).update(role=Role.ANALYST)
    read_next()
    asked.refresh_from_db()
    assert asked.state == Arrival.State.CANCELLED
    assert not Dataset.objects.exists()


def test_somebody_who_was_removed_while_it_was_read_registers_nothing(
    asked: Arrival, owner: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L13, S13: reading may take minutes; the end of it is looked at again."""
    before = files("data")
    while_it_is_read(monkeypatch, Membership.objects.filter(pk=owner.pk).delete)
    read_next()
    asked.refresh_from_db()
    assert asked.state == Arrival.State.CANCELLED
    assert not Dataset.objects.exists()
    assert files("data") == before


def test_a_declaration_survives_being_kept(asked: Arrival) -> None:
    """L13: exactly, number by number."""
    whole = adult()
    assert of_json(as_json(whole)) == whole
    kept = of_json(asked.declared)
    assert of_json(as_json(kept)) == kept
    assert kept.name == "People"
