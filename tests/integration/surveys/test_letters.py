"""M10: tokens by e-mail: one for each address, once, and nothing kept that says whose it was.

What could leak, to whoever reads the database, a dump or the operator's logs: an address beside the
token that it got, after the e-mail left. What could count twice: a second token by a second try, or
by the same address in two lines.
"""

import re
import smtplib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse
from structlog.testing import capture_logs

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.operation import clock
from dpgov.surveys.errors import NoTokens, SurveyClosed
from dpgov.surveys.models import Survey, SurveyLetter, SurveyToken, Tally
from dpgov.surveys.services import close_survey, receive, send_survey_letters, write_letters
from dpgov.surveys.services.letters import MOST_ATTEMPTS
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.integration.surveys.made import drafted, opened

PEOPLE = ["ada@example.org", "bo@example.org", "cy@example.org"]
Browsers = Callable[[Membership], Client]


def _written(owner: Membership, survey: Survey, addresses: list[str] = PEOPLE) -> int:
    return write_letters(membership=owner, survey=survey, addresses=addresses)


def _sent(owner: Membership) -> int:
    with acting_for(owner.tenant_id):
        return send_survey_letters(owner.tenant_id)


def _tokens() -> list[str]:
    found = [re.findall(r"#([0-9a-f]{32})$", str(one.body), re.MULTILINE) for one in mail.outbox]
    return [token for tokens in found for token in tokens]


def test_each_address_gets_a_link_that_counts_once(owner: Membership, settings: Any) -> None:
    """M10: and the whole address of the page, whatever a browser called it."""
    settings.DPGOV_BASE_URL = "https://dpgov.example.org"
    survey = opened(owner)
    assert _written(owner, survey) == 3
    assert (_sent(owner), _sent(owner)) == (3, 0)
    assert sorted(one.to[0] for one in mail.outbox) == PEOPLE
    assert f"https://dpgov.example.org/s/{survey.code}/#" in mail.outbox[0].body
    assert len(set(_tokens())) == 3
    for token in _tokens():
        receive(survey=survey, token=token, report="0")
    assert Tally.objects.get(survey=survey).reports == 3


def test_what_was_sent_is_forgotten(owner: Membership) -> None:
    """M10: no address, no seed, no moment; and the database refuses to keep one."""
    _written(owner, opened(owner))
    _sent(owner)
    rows = SurveyLetter.objects.values_list("email", "seed", "next_attempt_at", "attempts", "state")
    assert set(rows) == {("", "", None, 0, "sent")}
    for kept in ({"email": PEOPLE[0]}, {"seed": "0" * 32}, {"next_attempt_at": clock.now()}):
        with pytest.raises(DatabaseError), transaction.atomic():
            SurveyLetter.objects.update(**kept)


def test_a_waiting_address_stands_beside_no_token(owner: Membership) -> None:
    """M10: no key leads from one to the other, and what the database has does not give a token."""
    _written(owner, opened(owner))
    letter = SurveyLetter.objects.order_by("email")[0]
    _sent(owner)
    token = next(t for t, one in zip(_tokens(), mail.outbox, strict=True) if one.to == PEOPLE[:1])
    kept = repr(vars(letter)) + repr(list(SurveyToken.objects.values_list()))
    assert token not in kept
    relations = [field.name for field in SurveyLetter._meta.get_fields() if field.is_relation]
    assert set(relations) == {"tenant", "survey"}


def test_the_log_says_how_many_and_never_whom(
    owner: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M10: the log of the organisation, and the operator's, also where an address is refused."""
    survey = opened(owner)

    def refuse(message: EmailMessage) -> int:
        raise smtplib.SMTPRecipientsRefused({message.to[0]: (550, b"no such user")})

    with monkeypatch.context() as broken, capture_logs() as said:
        broken.setattr(EmailMessage, "send", refuse)
        _written(owner, survey)
        assert _sent(owner) == 0
    entry = AuditEntry.objects.get(action=Action.SURVEY_TOKENS_MADE)
    assert '"tokens":3' in str(entry.detail).replace(" ", "")
    assert len(said) == 3
    assert not any(address in repr(said) + repr(vars(entry)) for address in PEOPLE)
    assert set(SurveyLetter.objects.values_list("state", "email")) == {("given_up", "")}


def test_a_second_try_brings_the_same_token(
    owner: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M10: the server took the e-mail and the answer got lost: nobody gets two tokens."""
    _written(owner, opened(owner), PEOPLE[:1])
    real = EmailMessage.send

    def taken_and_broken(message: EmailMessage) -> int:
        real(message)
        raise smtplib.SMTPServerDisconnected

    with monkeypatch.context() as broken:
        broken.setattr(EmailMessage, "send", taken_and_broken)
        assert _sent(owner) == 0
    assert _sent(owner) == 0
    SurveyLetter.objects.update(next_attempt_at=clock.now() - timedelta(seconds=1))
    assert _sent(owner) == 1
    assert len(_tokens()) == 2
    assert len(set(_tokens())) == 1
    identities = {one.extra_headers["Message-ID"] for one in mail.outbox}
    assert len(identities) == 1
    assert SurveyToken.objects.count() == 1


def test_no_mail_leaves_after_the_end_nor_for_ever(owner: Membership) -> None:
    """M10: a survey that was closed, and a server that was away for days; addresses go."""
    closed, old = opened(owner), opened(owner)
    _written(owner, closed)
    close_survey(membership=owner, survey=closed)
    _written(owner, old)
    SurveyLetter.objects.filter(survey=old).update(attempts=MOST_ATTEMPTS)
    assert _sent(owner) == 0
    assert mail.outbox == []
    assert set(SurveyLetter.objects.values_list("state", "email")) == {("given_up", "")}


def test_only_an_open_survey_with_tokens_sends_them(owner: Membership) -> None:
    with pytest.raises(SurveyClosed):
        _written(owner, drafted(owner))
    survey = opened(owner)
    for survey_, addresses in (
        (opened(owner, by_token=False), PEOPLE),
        (survey, []),
        (survey, ["ada@example.org", "ADA@example.org"]),
    ):
        with pytest.raises(NoTokens):
            _written(owner, survey_, addresses)
    assert not SurveyLetter.objects.exists()
    assert not SurveyToken.objects.exists()


def test_a_form_that_is_sent_twice_sends_each_token_once(
    owner: Membership, client_for: Browsers
) -> None:
    """M10: what could count twice: a second token for everybody by a double click, before or after
    the first e-mails left. Another form is another list.
    """
    survey = opened(owner)
    browser, address = client_for(owner), reverse("surveys:letters", args=[survey.pk])
    detail = reverse("surveys:detail", args=[survey.pk])
    keys = [
        re.findall(r'name="key" value="(\w{32})"', browser.get(detail).content.decode())[-1]
        for _ in range(2)
    ]
    body = {"addresses": "\r\n".join(PEOPLE), "key": keys[0]}
    for _ in range(2):
        answer = browser.post(address, body, follow=True)
        assert "3 e-mails will be sent." in answer.content.decode()
    assert SurveyToken.objects.count() == _sent(owner) == 3
    browser.post(address, body)
    assert (SurveyToken.objects.count(), _sent(owner)) == (3, 0)
    browser.post(address, body | {"key": keys[1]})
    assert (SurveyToken.objects.count(), _sent(owner)) == (6, 3)
    made = AuditEntry.objects.filter(action=Action.SURVEY_TOKENS_MADE)
    assert made.count() == 2


def test_the_page_says_what_is_wrong_line_by_line(owner: Membership, client_for: Browsers) -> None:
    """M10: then nobody gets anything; afterwards it says how many, and shows no address."""
    survey = opened(owner)
    browser, address = client_for(owner), reverse("surveys:letters", args=[survey.pk])
    wrong = browser.post(address, {"addresses": "ada@example.org\n\nbo\nAda@example.org"})
    page = wrong.content.decode()
    assert wrong.status_code == 422
    assert "Line 3: no e-mail address." in page
    assert "Line 4: the same address as in line 1." in page
    assert not SurveyToken.objects.exists()
    browser.post(address, {"addresses": "\r\n".join(PEOPLE)})
    page = browser.get(reverse("surveys:detail", args=[survey.pk])).content.decode()
    assert "0 sent, 3 waiting, 0 given up" in page
    assert not any(one in page for one in PEOPLE)


def test_a_refused_list_of_addresses_is_still_there(
    owner: Membership, client_for: Browsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M10: up to thousands of lines that somebody pasted."""
    monkeypatch.setattr("dpgov.surveys.services.letters.MOST_ADDRESSES", len(PEOPLE) - 1)
    address = reverse("surveys:letters", args=[opened(owner).pk])
    refused = client_for(owner).post(address, {"addresses": "\n".join(PEOPLE), "key": "k" * 32})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "addresses at once" in page
    assert "\n".join(PEOPLE) in page
    assert f'value="{"k" * 32}"' in page
