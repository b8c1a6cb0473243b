"""M81: a process that dies at any statement of a survey's life; what is there after the restart.

What could go wrong: a token spent whose report is in no sum, a report in the sum whose token can be
sent again, a survey that is closed and goes on, tokens that exist and were shown to nobody, an
address that never gets its e-mail or gets two tokens; and, by a try that was broken off, a row,
entry or order that brings a report together with its token.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.db import connection

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.operation.clock import Now
from dpgov.surveys.errors import SurveyClosed, TokenSpent
from dpgov.surveys.models import Survey, SurveyLetter, SurveyToken, Tally
from dpgov.surveys.services import (
    close_survey,
    make_tokens,
    receive,
    send_survey_letters,
    write_letters,
)
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.integration.children import Death, run
from tests.integration.surveys.made import opened, tokens

pytestmark = pytest.mark.django_db(transaction=True)
KILLED, MOST = -9, 60
PEOPLE = ["ada@example.org", "bo@example.org"]


def deaths(step: Callable[[], object], check: Callable[[bool], None]) -> int:
    """Try one thing again after each death, before and after each statement, until it gets through.

    `check` is told whether it did. How many deaths that took.
    """
    for count in range(MOST):
        code = run(lambda: str(step()), Death(statement=1 + count // 2, after=bool(count % 2)))
        assert code in (0, KILLED)
        check(code == 0)
        if code == 0:
            return count
    raise AssertionError("it never ended")


def counted(survey: Survey) -> tuple[int, list[int], int]:
    """Reports, of which answers, and how many tokens are spent."""
    tally = Tally.objects.get(survey=survey)
    return tally.reports, tally.counts, SurveyToken.objects.filter(survey=survey, spent=True).count()
