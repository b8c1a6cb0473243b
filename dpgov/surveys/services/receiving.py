"""A randomised report is taken in: a token is spent and the sum grows, both or neither.

Nothing is logged, no moment is noted, and no row is written for a report, so that nothing is left
by which it could be brought together with its token: every report rewrites the one row of its
survey, whatever it says. What could leak: an order of rows or moments common to both, to whoever
reads the database or a copy of it; `test_unlinkable` looks for one.

In open mode the respondent's own browser draws the token: what is sent twice counts once.
"""

from django.db import IntegrityError, transaction

from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.services.freezing import confirm_place
from dpgov.privacy.local.randomiser import NotAReport
from dpgov.surveys.errors import BadReport, SurveyClosed, SurveyHeld, TokenSpent, TokenUnknown
from dpgov.surveys.models import Survey, SurveyToken, Tally
from dpgov.surveys.services.practising import refuse_real_people
from dpgov.surveys.services.tokens import hash_of, is_token


def receive(*, survey: Survey, token: object, report: object, invented: bool = False) -> None:
    """Count one report.

    Raises SurveyClosed, SurveyHeld, BadReport, TokenUnknown, TokenSpent; then nothing was counted.
    Where people practise only `invented` reports of ours are taken: raises OnlyInvented.
    """
    refuse_real_people(survey.tenant, invented=invented)
    refuse_unless_taking(survey)
    _confirm_place()
    try:
        places = survey.randomiser.places(report)
    except NotAReport as refusal:
        raise BadReport(refusal.args[0]) from refusal
    if not is_token(token):
        raise TokenUnknown
    with transaction.atomic():
        # Closing takes the same lock: what is counted was counted while the survey was open.
        tally = Tally.objects.select_for_update().get(survey=survey)
        refuse_unless_taking(Survey.objects.select_related("budget").get(pk=survey.pk))
        _spend(survey, hash_of(str(token)))
        named = set(places)
        tally.counts = [count + (place in named) for place, count in enumerate(tally.counts)]
        tally.reports += 1
        tally.save(update_fields=["reports", "counts"])


def _confirm_place() -> None:
    """In a copy, or where a backup was restored, tokens that were spent are as if they were not."""
    try:
        confirm_place()
    except BudgetFrozen as elsewhere:
        raise SurveyHeld from elsewhere


def refuse_unless_taking(survey: Survey) -> None:
    """Raise SurveyHeld or SurveyClosed for one that `takes_reports` says no of."""
    if not takes_reports(survey):
        raise SurveyHeld if survey.is_held else SurveyClosed


def takes_reports(survey: Survey) -> bool:
    """Whether it is open, its last day not over, and it is not held."""
    is_open = survey.state == Survey.State.OPEN
    return is_open and not survey.last_day_over and not survey.is_held


def _spend(survey: Survey, token_hash: str) -> None:
    if not survey.by_token:
        _take_own(survey, token_hash)
        return
    known = SurveyToken.objects.filter(survey=survey, token_hash=token_hash)
    if known.filter(spent=False).update(spent=True):
        return
    raise TokenSpent if known.exists() else TokenUnknown


def _take_own(survey: Survey, token_hash: str) -> None:
    try:
        with transaction.atomic():
            SurveyToken.objects.create(
                tenant_id=survey.tenant_id, survey=survey, token_hash=token_hash, spent=True
            )
    except IntegrityError as again:
        raise TokenSpent from again
