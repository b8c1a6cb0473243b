"""M1, M81: a process that dies at any statement of a survey's life, and what is left of it.

What could go wrong: an opening without its charge; a token spent whose report is in no sum, or a
report in the sum whose token can be sent again; a survey that is closed and counts on; tokens or
e-mails without their entry; an address that never gets its e-mail, or gets two tokens. And what
could leak, to whoever reads the database afterwards: a row, an entry or an address that a broken
try left behind, by which a report and its token could be brought together.
"""

import itertools
import json
import re
from collections.abc import Iterator
from email import message_from_bytes
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Correction
from dpgov.operation.clock import Now
from dpgov.surveys.errors import NotADraft, SurveyClosed, TokenSpent
from dpgov.surveys.models import Survey, SurveyLetter, SurveyToken, Tally
from dpgov.surveys.services import (
    close_survey,
    make_tokens,
    open_alone,
    receive,
    send_survey_letters,
    write_letters,
)
from dpgov.surveys.services.tokens import hash_of
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.integration.children import Death, Step, run
from tests.integration.surveys.made import agreed, asked_for, drafted, opened, shared, tokens

_MOST = 60
_KILLED = -9
_PEOPLE = ["ada@example.org", "bo@example.org"]


def _die_everywhere(survey: Survey, step: object) -> int:
    """Run it anew until no death comes any more; how many statements there were."""
    for statement in range(1, _MOST):
        code = run(step, Death(statement, after=False))  # type: ignore[arg-type]
        now = Survey.objects.get(pk=survey.pk)
        charges = Correction.objects.filter(pk=survey.pk)
        assert charges.count() == (1 if now.state == "open" else 0)
        if code == 0:
            assert now.state == "open"
            return statement
        assert code == _KILLED
        assert now.state == "draft"
        assert Budget.objects.filter(kind=Budget.Kind.SURVEY).count() == 0
    raise AssertionError("it never ended")


@pytest.mark.django_db(transaction=True)
def test_an_opening_alone_is_charged_and_open_or_neither(owner: Membership) -> None:
    """M1: at each of its statements."""
    survey = drafted(owner)
    assert _die_everywhere(survey, lambda: open_alone(membership=owner, survey=survey)) > 5


@pytest.mark.django_db(transaction=True)
def test_an_opening_by_two_is_charged_and_open_or_neither(
    owner: Membership, officer: Membership
) -> None:
    """M1: the approval, the charge and the opening are one."""
    survey = drafted(owner, shared_budget=shared(owner))
    request = asked_for(owner, survey)
    assert _die_everywhere(survey, lambda: agreed(officer, request)) > 5
    request.refresh_from_db()
    assert request.state == "approved"


def _deaths(step: Step) -> Iterator[bool]:
    """Do it again, with a death before or after one statement more, until it gets through.

    Yields after each try whether it did.
    """
    for count in itertools.count():
        death = Death(statement=1 + count // 2, after=bool(count % 2))
        code = run(lambda: str(step()), death)
        assert code in (0, _KILLED)
        yield code == 0
        if code == 0:
            return


def _counted(survey: Survey) -> tuple[int, list[int], int]:
    """Reports, how many named each answer, and how many tokens are spent."""
    tally = Tally.objects.get(survey=survey)
    spent = SurveyToken.objects.filter(survey=survey, spent=True)
    return tally.reports, tally.counts, spent.count()


def _send_again(survey: Survey, token: str, report: str) -> None:
    """As the respondent's page does: what is spent was recorded."""
    try:
        receive(survey=survey, token=token, report=report)
    except TokenSpent:
        assert _counted(survey)[0] == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by_token", [True, False], ids=["token", "open"])
def test_a_report_that_is_sent_through_crashes_counts_once(
    owner: Membership, by_token: bool
) -> None:
    """M81: token and sum together at each death, and as many statements whatever is reported."""
    tried = []
    for report, once in (("0", [1, 0]), ("1", [0, 1])):
        survey = opened(owner, by_token=by_token)
        token = tokens(owner, survey, 3)[1] if by_token else "0" * 31 + "a"
        noted = AuditEntry.objects.count()
        through = _deaths(partial(_send_again, survey, token, report))
        found = [_counted(survey) for _ in through]
        assert set(map(str, found)) == {str((0, [0, 0], 0)), str((1, once, 1))}
        assert found == sorted(found, key=lambda one: one[0])
        assert AuditEntry.objects.count() == noted
        with pytest.raises(TokenSpent):
            receive(survey=survey, token=token, report=report)
        tried.append(len(found))
    assert tried[0] == tried[1] > 10


@pytest.mark.django_db(transaction=True)
def test_closing_is_logged_with_what_was_counted_or_did_not_happen(owner: Membership) -> None:
    """M81: what is closed counts no more, and the log says as many reports as there are."""
    survey = opened(owner)
    first, second = tokens(owner, survey, 2)
    receive(survey=survey, token=first, report="1")

    def close() -> None:
        try:
            close_survey(membership=owner, survey=survey)
        except NotADraft:
            assert Survey.objects.get(pk=survey.pk).state == Survey.State.CLOSED

    states = []
    for _ in _deaths(close):
        states.append(Survey.objects.get(pk=survey.pk).state)
        closings = AuditEntry.objects.filter(action=Action.SURVEY_CLOSED)
        assert closings.count() == (states[-1] == Survey.State.CLOSED)
    assert set(states) == {Survey.State.OPEN, Survey.State.CLOSED}
    told = json.loads(closings.get().detail)
    assert (told["reports"], told["counts"]) == (1, [0, 1])
    with pytest.raises(SurveyClosed):
        receive(survey=survey, token=second, report="1")
    assert _counted(survey) == (1, [0, 1], 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by_email", [False, True], ids=["list", "e-mail"])
def test_tokens_are_made_with_their_entry_or_not_at_all(owner: Membership, by_email: bool) -> None:
    """M81: all that the log says, and an e-mail for each where there is one."""
    survey = opened(owner)

    def make() -> object:
        if by_email:
            return write_letters(membership=owner, survey=survey, addresses=_PEOPLE)
        return make_tokens(membership=owner, survey=survey, number=2)

    made = []
    for _ in _deaths(make):
        made.append(AuditEntry.objects.filter(action=Action.SURVEY_TOKENS_MADE).count())
        assert SurveyToken.objects.filter(spent=False).count() == 2 * made[-1]
        assert SurveyLetter.objects.count() == 2 * made[-1] * by_email
    # Death after the commit leaves them, and so does the try that got through.
    assert (made[0], made[-1]) == (0, 2)


@pytest.mark.django_db(transaction=True)
def test_every_address_gets_one_token_through_crashes_and_is_forgotten(
    owner: Membership, settings: Any, tmp_path: Path
) -> None:
    """M81: an e-mail may come twice, with the same link; none is lost, and no address stays."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    survey = opened(owner)

    def send() -> int:
        with acting_for(owner.tenant_id):
            return send_survey_letters(owner.tenant_id)

    for count in itertools.count():
        folder = tmp_path / str(count)
        settings.EMAIL_FILE_PATH = str(folder)
        write_letters(membership=owner, survey=survey, addresses=_PEOPLE)
        code = run(lambda: str(send()), Death(1 + count // 2, after=bool(count % 2)))
        assert code in (0, _KILLED)
        kept = SurveyLetter.objects.filter(state=SurveyLetter.State.WAITING)
        kept.update(next_attempt_at=Now())
        send()
        _each_has_one_token(folder)
        assert set(SurveyLetter.objects.values_list("state", "email", "seed")) == {("sent", "", "")}
        if code == 0:
            break
    assert count > 5
    assert not SurveyToken.objects.filter(spent=True).exists()


def _each_has_one_token(folder: Path) -> None:
    """By what was sent: every address, each with a link of its own."""
    sent = b"".join(path.read_bytes() for path in folder.iterdir())
    found: dict[str, set[str]] = {address: set() for address in _PEOPLE}
    for one in re.split(rb"\n-{79}\n", sent):
        if one.strip():
            letter = message_from_bytes(one)
            body = str(letter.get_payload())
            (token,) = re.findall(r"#([0-9a-f]{32})$", body, re.MULTILINE)
            found[str(letter["To"])].add(token)
    links = [*found.values()]
    assert all(len(tokens) == 1 for tokens in links)
    assert len(set.union(*links)) == len(_PEOPLE)
    for (token,) in links:
        assert SurveyToken.objects.filter(token_hash=hash_of(token)).count() == 1
