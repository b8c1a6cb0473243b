"""What a page says only when something is wrong, or just done, is in the reader's language too."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import translation

from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
GERMAN = {"accept-language": "de"}


def said(
    browser: Client, door: str, typed: Mapping[str, Sequence[str]], *, status: int = 422
) -> str:
    page = browser.post(door, typed, headers=GERMAN, follow=True)
    assert page.status_code == status
    return page.content.decode()


def test_a_form_that_is_refused_says_why(
    admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    browser, door = client_for(admin), reverse("people:invitations")
    known = said(browser, door, {"email": analyst.user.email, "role": "admin"})
    assert f"{analyst.user.email} ist schon Mitglied." in known
    assert "E-Mail-Adresse" in known
    empty = said(browser, door, {"email": "", "role": "owner"})
    assert "Dieses Feld ist zwingend erforderlich." in empty
    webhook = {"url": "http://example.org/", "kinds": ["hold"]}
    plain = said(browser, reverse("notices:webhooks"), webhook)
    assert "Die Adresse muss mit https:// beginnen." in plain


def test_what_was_done_is_said(
    admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    door = reverse("people:member_role", args=[analyst.pk])
    page = said(client_for(admin), door, {"role": "admin"}, status=200)
    assert "Die Rolle von Anna wurde geändert." in page


def test_a_page_for_another_role_says_what_the_role_lacks(
    analyst: Membership, client_for: ClientFor
) -> None:
    page = client_for(analyst).get(reverse("people:members"), headers=GERMAN)
    assert page.status_code == 403
    assert "Ihre Rolle erlaubt Ihnen nicht, Mitglieder zu verwalten." in page.content.decode()


def test_the_sign_in_library_speaks_as_we_do(analyst: Membership, client_for: ClientFor) -> None:
    page = client_for(analyst).get(reverse("account_reauthenticate"), headers=GERMAN)
    assert "Eine erneute Bestätigung ist nicht möglich." in page.content.decode()
    page = Client().get(reverse("account_email_verification_sent"), headers=GERMAN)
    assert "Wir haben Ihnen zur Bestätigung eine E-Mail gesendet." in page.content.decode()


@pytest.mark.parametrize(
    ("language", "said"),
    [("en-gb", "Something went wrong on our side"), ("de", "Bei uns ist etwas schiefgegangen")],
)
def test_the_page_after_a_fault_needs_nothing_but_the_language(language: str, said: str) -> None:
    with translation.override(language):
        page = render_to_string("500.html")
    assert f'<html lang="{language}">' in page
    assert said in page
