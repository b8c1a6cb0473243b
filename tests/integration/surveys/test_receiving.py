"""M1: a report counts once, and what is wrong with one is said; then nothing is recorded."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction

from dpgov.budgets.models import DatabaseMark
from dpgov.budgets.services.freezing import confirm_place
from dpgov.operation import clock
from dpgov.surveys.errors import (
    BadReport,
    NoTokens,
    SurveyClosed,
    SurveyHeld,
    TokenSpent,
    TokenUnknown,
)
from dpgov.surveys.models import Survey, SurveyToken, Tally
from dpgov.surveys.services import close_survey, make_tokens, receive
from dpgov.tenants.models import Membership
from tests.integration.surveys.made import drafted, opened, tokens
from tests.triggers import without_triggers

_OWN = "0" * 31 + "a"


def _counted(survey: Survey) -> tuple[int, list[int]]:
    tally = Tally.objects.get(survey=survey)
    return tally.reports, tally.counts


def test_a_report_is_added_to_the_sum_and_its_token_spent(owner: Membership) -> None:
    survey = opened(owner)
    for token, report in zip(tokens(owner, survey, 3), ("0", "1", "1"), strict=True):
        receive(survey=survey, token=token, report=report)
    assert _counted(survey) == (3, [1, 2])
    assert SurveyToken.objects.filter(spent=True).count() == 3


def test_a_report_of_bits_counts_for_each_answer_that_it_names(owner: Membership) -> None:
    survey = opened(owner, answers=[str(n) for n in range(20)])
    token = tokens(owner, survey, 1)[0]
    receive(survey=survey, token=token, report="11" + "0" * 17 + "1")
    assert _counted(survey) == (1, [1, 1, *[0] * 17, 1])


def test_a_token_is_for_one_answer(owner: Membership) -> None:
    """M1: sent twice, whatever it says the second time."""
    survey = opened(owner)
    token = tokens(owner, survey, 1)[0]
    receive(survey=survey, token=token, report="0")
    for again in ("0", "1"):
        with pytest.raises(TokenSpent):
            receive(survey=survey, token=token, report=again)
    assert _counted(survey) == (1, [1, 0])


def test_a_copy_or_a_restored_backup_takes_no_reports(owner: Membership) -> None:
    """A9, M1: there a token that was spent is as if it were not, and would lose another ε."""
    survey = opened(owner)
    token = tokens(owner, survey, 1)[0]
    confirm_place()
    DatabaseMark.objects.update_or_create(pk=1, defaults={"identity": "where the backup was made"})
    connection.dpgov_at_home = None  # type: ignore[attr-defined]
    with pytest.raises(SurveyHeld):
        receive(survey=survey, token=token, report="0")
    assert _counted(survey) == (0, [0, 0])


def test_in_open_mode_the_browsers_own_token_counts_once(owner: Membership) -> None:
    survey = opened(owner, by_token=False)
    receive(survey=survey, token=_OWN, report="1")
    with pytest.raises(TokenSpent):
        receive(survey=survey, token=_OWN, report="1")
    assert _counted(survey) == (1, [0, 1])
    with pytest.raises(NoTokens):
        make_tokens(membership=owner, survey=survey, number=1)


@pytest.mark.parametrize("token", [_OWN, "", "A" * 32, "0" * 31, None, 7, ["0" * 32]], ids=str)
def test_an_unknown_token_is_refused(owner: Membership, token: object) -> None:
    survey = opened(owner)
    with pytest.raises(TokenUnknown):
        receive(survey=survey, token=token, report="0")
    assert _counted(survey) == (0, [0, 0])


def test_a_token_of_another_survey_is_unknown(owner: Membership) -> None:
    one, other = opened(owner), opened(owner)
    with pytest.raises(TokenUnknown):
        receive(survey=other, token=tokens(owner, one, 1)[0], report="0")


@pytest.mark.parametrize("report", ["2", "", "00", "yes", None, 0, {"answer": "Yes"}], ids=str)
def test_what_is_no_report_of_the_survey_is_refused_and_the_token_stays(
    owner: Membership, report: object
) -> None:
    survey = opened(owner)
    token = tokens(owner, survey, 1)[0]
    with pytest.raises(BadReport):
        receive(survey=survey, token=token, report=report)
    receive(survey=survey, token=token, report="0")
    assert _counted(survey) == (1, [1, 0])


def test_a_survey_that_is_not_open_takes_nothing(owner: Membership) -> None:
    """M1: a draft, one that was closed while somebody held it open, and one whose day is over."""
    draft, survey = drafted(owner), opened(owner)
    token = tokens(owner, survey, 1)[0]
    close_survey(membership=owner, survey=Survey.objects.get(pk=survey.pk))
    over = opened(owner, by_token=False)
    over.closes_on = clock.now().date() - timedelta(days=1)
    for closed in (draft, survey, over):
        with pytest.raises(SurveyClosed):
            receive(survey=closed, token=token, report="0")
        assert _counted(closed) == (0, [0, 0])
    assert not SurveyToken.objects.filter(spent=True).exists()


def test_the_database_takes_reports_one_by_one_while_a_survey_is_open(owner: Membership) -> None:
    """M1: plain SQL: a hundred at once, one less, a spent token again, one after the end."""
    survey = opened(owner)
    token = tokens(owner, survey, 1)[0]
    receive(survey=survey, token=token, report="0")
    for change in ({"reports": 101}, {"reports": 0}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Tally.objects.filter(survey=survey).update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        SurveyToken.objects.update(spent=False)
    close_survey(membership=owner, survey=survey)
    with pytest.raises(DatabaseError), transaction.atomic():
        Tally.objects.filter(survey=survey).update(reports=2)
    with transaction.atomic():
        with without_triggers("surveys_tally"):
            Tally.objects.filter(survey=survey).update(reports=2)
        transaction.set_rollback(True)
