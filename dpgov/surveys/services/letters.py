"""Tokens by e-mail: an owner names addresses, and each gets a token of its own, once.

What could leak: which token, and so whether somebody answered, belongs to which address. The token
of an e-mail is derived from a seed by the key of the installation; both rows are made without an
order in common; address and seed are erased as soon as the e-mail left or was given up, also where
it could not be delivered. Until then whoever has the database *and* that key can tell. Reports are
a sum, so that not even they can tell what anybody answered (docs/surveys.md).

What could count twice: an e-mail that is sent again after a crash, which has the same token; a form
that is sent twice, which makes its tokens once.
"""

import hashlib
import hmac
import math
import secrets
from collections.abc import Sequence
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.language.said import said
from dpgov.notices.delivery.pauses import next_try
from dpgov.operation import clock
from dpgov.operation.clock import Now
from dpgov.surveys.errors import NoTokens
from dpgov.surveys.models import Survey, SurveyLetter, SurveyToken
from dpgov.surveys.services.practising import refuse_real_people
from dpgov.surveys.services.receiving import refuse_unless_taking, takes_reports
from dpgov.surveys.services.tokens import hash_of
from dpgov.tenants.letters import whole_link
from dpgov.tenants.mail_server import LetterRefused, MailServer, MailServerAway
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of

MOST_ADDRESSES = 2_000
# With pauses that double from 15 seconds to an hour: about three days.
MOST_ATTEMPTS = 80
# What one organisation may take of a round: so many e-mails, so many seconds.
_ROUND, _SECONDS = 50, 10.0
_PURPOSE = b"dpgov.surveys.letter:"
_log = structlog.get_logger("dpgov.surveys")
_LETTER = gettext_lazy("""{organisation} asks: {question}

Your answer is randomised in your browser before it is sent, so that nobody has to be trusted with the true one. That you take part is not hidden; what you answer is.

Answer here, once, until {day}:
{link}

It is kept nowhere which report came by this link. Who watches the results while it arrives can see what was sent, which may differ from your answer. Do not pass the link on. You need not take part.
""")  # noqa: E501 - paragraphs of an e-mail, which mail programs wrap


@transaction.atomic
def write_letters(
    *, membership: Membership, survey: Survey, addresses: Sequence[str], form: str = ""
) -> int:
    """A token and an e-mail for each address, in the writer's language; how many.

    They are sent in the sweeper's rounds. What one `form` named is made once, however often it is
    sent: then it is said again how many those were. Raises NoTokens, SurveyClosed, SurveyHeld,
    OnlyInvented; then nothing was made.
    """
    refuse_real_people(membership.tenant)
    if not survey.by_token:
        raise NoTokens(said("This survey is open to everybody who has its address."))
    if not 1 <= len(addresses) <= MOST_ADDRESSES:
        raise NoTokens(said("Name 1 to {most} addresses at once.", most=MOST_ADDRESSES))
    if len({address.casefold() for address in addresses}) != len(addresses):
        raise NoTokens(said("Each address stands once in the list."))
    # Under the lock of the survey two copies of a form come one after the other.
    Survey.objects.select_for_update().get(pk=survey.pk)
    if form and (made := SurveyLetter.objects.filter(survey=survey, form=form).count()):
        return made
    refuse_unless_taking(survey)
    letters = [
        SurveyLetter(
            tenant_id=survey.tenant_id,
            survey=survey,
            email=address,
            seed=secrets.token_hex(16),
            form=form,
            language=translation.get_language() or settings.LANGUAGE_CODE,
            next_attempt_at=clock.now(),
        )
        for address in addresses
    ]
    # By hash: an order that has nothing to do with that of the addresses.
    hashes = sorted(hash_of(token_of(letter)) for letter in letters)
    SurveyToken.objects.bulk_create(
        SurveyToken(tenant_id=survey.tenant_id, survey=survey, token_hash=one) for one in hashes
    )
    SurveyLetter.objects.bulk_create(letters)
    append(
        tenant_id=survey.tenant_id,
        actor=actor_of(membership.user),
        action=Action.SURVEY_TOKENS_MADE,
        subject=f"survey:{survey.pk}",
        detail={"name": survey.question, "tokens": len(letters), "by_email": True},
    )
    return len(letters)


def token_of(letter: SurveyLetter) -> str:
    """The one token of an e-mail, however often it is sent; 32 hexadecimal digits."""
    about = _PURPOSE + letter.seed.encode()
    return hmac.new(settings.SECRET_KEY.encode(), about, hashlib.sha256).hexdigest()[:32]


def send_survey_letters(tenant_id: UUID, *, until: float = math.inf) -> int:
    """Send what is due; returns how many were sent. Never inside a transaction.

    A mail server that is away ends the round; an address that it refuses does not. What there is no
    time for, by `clock.running`, waits for the next round.
    """
    over, sent = min(until, clock.running() + _SECONDS), 0
    with MailServer() as server:
        for letter in _due(tenant_id)[:_ROUND]:
            if clock.running() >= over:
                break
            if not _shall_leave(letter):
                _forget(letter, SurveyLetter.State.GIVEN_UP)
            elif _claim(letter):
                try:
                    sent += _send(letter, server)
                except MailServerAway as away:
                    _say(away)
                    break
    return sent


def _send(letter: SurveyLetter, server: MailServer) -> bool:
    """Whether it left; what was refused for this moment alone is tried again."""
    try:
        server.send(_message(letter))
    except LetterRefused as refusal:
        _say(refusal)
        if refusal.for_good:
            _forget(letter, SurveyLetter.State.GIVEN_UP)
        return False
    _forget(letter, SurveyLetter.State.SENT)
    return True


def _say(problem: Exception) -> None:
    _log.warning("an e-mail of a survey was not sent", kind=type(problem.__cause__).__name__)


def _shall_leave(letter: SurveyLetter) -> bool:
    answerable = takes_reports(letter.survey) and not letter.survey.tenant.is_practice
    return answerable and letter.attempts < MOST_ATTEMPTS


def _due(tenant_id: UUID) -> QuerySet[SurveyLetter]:
    waiting = SurveyLetter.objects.filter(tenant_id=tenant_id, state=SurveyLetter.State.WAITING)
    # What is held after a restore waits with its survey; once that is over, no hold ends any more.
    over = ~Q(survey__state=Survey.State.OPEN) | Q(survey__closes_on__lt=clock.now().date())
    going = Q(survey__budget__frozen_at__isnull=True) | over
    due = waiting.filter(going, next_attempt_at__lte=Now())
    due = due.select_related("survey__tenant", "survey__budget")
    return due.order_by("next_attempt_at", "id")


def _claim(letter: SurveyLetter) -> bool:
    """One try for one sender: whoever counts it up first."""
    mine = SurveyLetter.objects.filter(
        pk=letter.pk, state=SurveyLetter.State.WAITING, attempts=letter.attempts
    )
    pause = next_try(letter.attempts + 1, clock.now())
    return bool(mine.update(attempts=letter.attempts + 1, next_attempt_at=pause))


def _forget(letter: SurveyLetter, state: SurveyLetter.State) -> None:
    SurveyLetter.objects.filter(pk=letter.pk).update(
        state=state, email="", seed="", attempts=0, next_attempt_at=None
    )


def _message(letter: SurveyLetter) -> EmailMessage:
    survey = letter.survey
    path = reverse("surveys:respond", args=[survey.code])
    with translation.override(letter.language):
        body = _LETTER.format(
            organisation=survey.tenant.name,
            question=survey.question,
            day=date_format(survey.closes_on),
            link=f"{whole_link(path)}#{token_of(letter)}",
        )
    named = hashlib.sha256(b"message:" + letter.seed.encode()).hexdigest()[:32]
    return EmailMessage(
        subject=" ".join(f"{survey.tenant.name}: {survey.question}".split())[:200],
        body=body,
        to=[letter.email],
        headers={"Message-ID": f"<{named}@surveys.dpgov>", "Auto-Submitted": "auto-generated"},
    )
