"""Letters about sign-in: to people who are there, with links to this very installation."""

import re
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from dpgov.tenants.checks import own_address
from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db


def ask(email: str, **more: Any) -> Any:
    return Client().post("/account/password/reset/", {"email": email}, **more)


def test_nobody_unknown_is_written_to_and_the_answer_is_the_same(analyst: Membership) -> None:
    """H6, S18"""
    known, unknown = ask(analyst.user.email), ask("nobody@example.org")
    assert [letter.to for letter in mail.outbox] == [[analyst.user.email]]
    assert (known.status_code, known.url) == (unknown.status_code, unknown.url)


def test_a_letter_leaves_after_the_answer(analyst: Membership, settings: Any) -> None:
    """H6, S18: a slow mail server tells nothing, and one that is away breaks nothing."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    known, unknown = ask(analyst.user.email), ask("nobody@example.org")
    assert (known.status_code, known.url) == (unknown.status_code, unknown.url)


def test_links_begin_with_our_own_address_whatever_the_browser_says(
    analyst: Membership, settings: Any
) -> None:
    """H6, S17"""
    settings.DPGOV_BASE_URL = "https://dp.example.org"
    ask(analyst.user.email, headers={"host": "localhost:99"})
    (letter,) = mail.outbox
    assert "https://dp.example.org/account/password/reset/key/" in letter.body
    assert "localhost" not in f"{letter.subject}{letter.body}"


def test_a_letter_for_a_new_password_is_in_our_own_words(
    analyst: Membership, settings: Any
) -> None:
    """Whoever reads it knows what it is about, which installation it is from, and what to do."""
    settings.DPGOV_BASE_URL = ""
    ask(analyst.user.email)
    (letter,) = mail.outbox
    assert letter.subject == "dpgov: A new password"
    asked, link, nothing, *rest = letter.body.strip().split("\n\n")
    assert asked == "Somebody, probably you, asked for a new password for your account."
    assert link.startswith("Open this address to choose one. It works once, for three days:\nhttp")
    assert nothing.endswith("you need not do anything: your password stays as it is.")
    assert rest == ["--\ndpgov at testserver"]


@pytest.mark.parametrize("page", ["account_reset_password", "account_reset_password_done"])
def test_the_pages_for_a_new_password_say_where_there_is_no_mail_server(
    page: str, client: Client, settings: Any
) -> None:
    none = "This installation has no mail server"
    told = []
    for backend in ("dpgov.tenants.mail_folder", "django.core.mail.backends.smtp"):
        settings.EMAIL_BACKEND = f"{backend}.EmailBackend"
        text = client.get(reverse(page)).text
        told.append(none in text)
        assert f'href="{reverse("account_login")}">Back to signing in</a>' in text
    assert told == [True, False]


def test_the_way_to_a_new_password_is_in_our_own_words(analyst: Membership, client: Client) -> None:
    form = client.get(reverse("account_reset_password")).text
    assert "E-mail address</label>" in form
    assert "Send the link</button>" in form
    typed = {"email": analyst.user.email}
    done = client.post(reverse("account_reset_password"), typed, follow=True).text
    assert "an e-mail with a link goes to it" in done
    read = re.sub(r"<[^>]*>", " ", form + done)
    assert re.search(r"\bemail\b|contact us", read, re.IGNORECASE) is None


@pytest.mark.parametrize(
    ("backend", "base", "problems"),
    [
        ("django.core.mail.backends.smtp.EmailBackend", "", 1),
        ("django.core.mail.backends.smtp.EmailBackend", "dp.example.org", 1),
        ("django.core.mail.backends.smtp.EmailBackend", "https://dp.example.org", 0),
        ("dpgov.tenants.mail_folder.EmailBackend", "", 0),
        ("dpgov.tenants.mail_folder.EmailBackend", "nonsense", 1),
    ],
)
def test_a_mail_server_needs_the_address_of_the_installation(
    backend: str, base: str, problems: int, settings: Any
) -> None:
    """H6, S17"""
    settings.EMAIL_BACKEND, settings.DPGOV_BASE_URL = backend, base
    assert len(own_address()) == problems


def test_without_a_mail_server_each_letter_is_a_file_of_its_own(
    settings: Any, tmp_path: Path
) -> None:
    """M74, S18: nobody gets another one's link with theirs, however many leave in one second."""
    settings.EMAIL_BACKEND = "dpgov.tenants.mail_folder.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    people = [f"{name}@people.example" for name in ("ada", "bo", "cy", "di")]
    letters = [mail.EmailMessage("Subject", "Text", to=[one]) for one in people]
    with mail.get_connection() as connection:
        assert connection.send_messages(letters[:2]) == 2
    for letter in letters[2:]:
        letter.send()
    files = list((tmp_path / "mail").iterdir())
    assert sorted(message_from_bytes(one.read_bytes())["To"] for one in files) == people
    assert [one.read_text().count("To: ") for one in files] == [1] * 4
    assert {one.stat().st_mode & 0o777 for one in files} == {0o600}
