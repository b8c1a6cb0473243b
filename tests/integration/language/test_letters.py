"""Letters speak their reader's language; what is kept and what programs are sent stays English."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.language.said import as_values, said
from dpgov.language.translation import retold
from dpgov.notices.delivery.addresses import AddressRefused
from dpgov.notices.delivery.deliveries import message, why
from dpgov.notices.delivery.letters import send_letters
from dpgov.notices.delivery.sending import NotTaken
from dpgov.notices.events.follow import follow
from dpgov.notices.events.telling import Happening, tell
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Event
from dpgov.notices.words import sentence
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, User
from tests.cast import Ask

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
HELD = "The dataset Visits is held for a compliance check."
ANGEHALTEN = (
    "Der Datensatz Visits wird zurückgehalten, bis die Datenschutzaufsicht ihn geprüft hat."
)
PRIVATE = "The address leads into a private network."
HALF_USED = {"percent": 50, "slug": "visits", "dataset": "Visits", "what": "the budget of Visits"}


@pytest.fixture(autouse=True)
def _no_report_of_another_test(settings: Any, tmp_path: Any) -> None:
    settings.DPGOV_HOME = tmp_path


def reads(member: Membership, language: str) -> None:
    User.objects.filter(pk=member.user_id).update(language=language)


def letters() -> dict[str, str]:
    return {letter.to[0]: f"{letter.subject}\n{letter.body}" for letter in mail.outbox}


def test_each_letter_about_one_event_is_in_its_reader_s_language(
    owner: Membership, officer: Membership
) -> None:
    reads(officer, "de")
    people = frozenset({owner.user_id, officer.user_id})
    detail = {"what": "dataset", "dataset": "Visits"}
    tell(owner.tenant_id, Happening("one", Kind.HOLD, timezone.now(), people, detail))
    with acting_for(owner.tenant_id), translation.override("de"):
        send_letters(owner.tenant_id)
    found = letters()
    assert HELD in found[owner.user.email]
    assert "in your notification settings." in found[owner.user.email]
    assert ANGEHALTEN in found[officer.user.email]
    assert "in Ihren Mitteilungseinstellungen." in found[officer.user.email]


def test_an_invitation_is_written_as_its_reader_chose_else_as_its_writer_reads(
    admin: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    reads(stranger, "en-gb")
    browser, door = client_for(admin), reverse("people:invitations")
    for address in (stranger.user.email, "nora@example.org"):
        german: dict[str, Any] = {"headers": {"accept-language": "de"}}
        page = browser.post(door, {"email": address, "role": "analyst"}, follow=True, **german)
        assert "Eine E-Mail mit dem Link ist unterwegs." in page.content.decode()
    found = letters()
    assert (
        "invites you to Harbour Statistics Office on dpgov, as analyst."
        in (found[stranger.user.email])
    )
    assert "lädt Sie zu dpgov ein" in found["nora@example.org"]
    assert "in der Rolle Auswertung." in found["nora@example.org"]


def test_a_letter_for_a_new_password_is_in_its_reader_s_language(
    analyst: Membership, client: Client
) -> None:
    reads(analyst, "de")
    client.post(reverse("account_reset_password"), {"email": analyst.user.email})
    assert "ein neues Passwort für Ihr Konto" in letters()[analyst.user.email]


def test_what_a_notice_is_about_is_named_in_the_language_of_its_reader() -> None:
    request = {"change": RAISE_LIMIT, "dataset": "Visits", "title": "Raise a limit: Visits"}
    with translation.override("de"):
        half = sentence(Kind.BUDGET, HALF_USED | {"of": "dataset"})
        archived = sentence(Kind.BUDGET, {"percent": 100, "of": "allocation"})
        asked = sentence(Kind.REQUEST, request)
    assert half == "Die Hälfte des Budgets von Visits ist verbraucht oder reserviert."
    assert archived.startswith("100 % Ihrer Zuteilung aus dem Budget von einem archivierten Daten")
    assert asked.endswith("wurde beantragt und wartet auf eine Entscheidung.")
    assert sentence(Kind.REQUEST, request).startswith("“Raise a limit: Visits” was requested")


def test_a_name_in_braces_is_a_name() -> None:
    """Nothing else that a notice knows is put into it."""
    read = {"state": "done", "file": "{dataset}.csv", "dataset": "{file}"}
    assert sentence(Kind.REGISTRATION, read) == "{dataset}.csv was read and recorded: {file}."
    half = sentence(Kind.BUDGET, HALF_USED | {"of": "dataset", "dataset": "{slug} {percent}"})
    assert half == "Half of the budget of {slug} {percent} is used or reserved."


def test_of_an_event_no_sentence_is_kept_and_what_is_sent_to_a_webhook_is_english(
    ask: Ask, owner: Membership, analyst: Membership
) -> None:
    for _ in range(3):
        ask(analyst, epsilon=2)
    with acting_for(owner.tenant_id), translation.override("de"):
        follow(owner.tenant_id)
    event = Event.objects.get(kind=Kind.BUDGET)
    assert event.detail.keys() == {"percent", "of", "slug", "dataset"}
    sent = json.loads(message(event, "harbour"))
    assert sent["text"] == "Half of the budget of Visits is used or reserved."
    assert sent["detail"]["what"] == "the budget of Visits"


def test_why_a_delivery_failed_is_read_in_one_s_own_language() -> None:
    with translation.override("de"):
        read = [
            retold(as_values(why(failure)))
            for failure in (NotTaken(500), TimeoutError("secret"), AddressRefused(said(PRIVATE)))
        ]
    assert read == [
        "Der Server antwortete mit 500.",
        "Nicht erreicht (TimeoutError).",
        "Die Adresse führt in ein privates Netz.",
    ]
