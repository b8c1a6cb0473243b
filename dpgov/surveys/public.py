"""What somebody without an account may know of a survey: its question and rule, nothing of reports.

`acting_on` finds whose survey an address is and acts for them while it is looked at.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from dpgov.surveys.models import Survey
from dpgov.surveys.selectors import public_survey, tenant_of
from dpgov.surveys.services.receiving import takes_reports
from dpgov.tenants.boundary import acting_for


@contextmanager
def acting_on(code: str) -> Generator[Survey]:
    """The survey of a public address. Raises Survey.DoesNotExist for a draft and a missing one."""
    tenant_id = tenant_of(code)
    if tenant_id is None:
        raise Survey.DoesNotExist
    with acting_for(tenant_id):
        yield public_survey(code)


def form_of(survey: Survey, address: str) -> dict[str, Any]:
    """What a program needs to answer; `address` takes the report."""
    randomiser = survey.randomiser
    return {
        "code": survey.code,
        "question": survey.question,
        "labels": survey.answers,
        "answers": randomiser.answers,
        "mechanism": randomiser.kind.value,
        "kept": randomiser.kept,
        "other": randomiser.other,
        "size": randomiser.size,
        "epsilon": randomiser.epsilon_nano / 10**9,
        "by_token": survey.by_token,
        "takes_reports": takes_reports(survey) and not survey.tenant.is_practice,
        "closes_on": survey.closes_on.isoformat(),
        "address": address,
    }
