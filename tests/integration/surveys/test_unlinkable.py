"""M1: nothing brings a report together with its token, whoever reads the tables, log or messages.

What could leak: a row for each report in an order that the tokens share, a moment, an entry, a line
of the request log; to whoever has the database, a dump of it, or the operator's logs.
"""

import json

import pytest
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext
from structlog.testing import capture_logs

from dpgov.audit.models import AuditEntry
from dpgov.surveys.models import SurveyToken, Tally
from dpgov.surveys.selectors import public_survey
from dpgov.surveys.services import receive
from dpgov.surveys.services.tokens import hash_of
from dpgov.tenants.models import Membership
from tests.integration.surveys.made import opened, tokens


def _stored(table: type[models.Model]) -> list[str]:
    """Every row in the order in which the database itself has them, hidden columns included."""
    hidden = "ctid::text, xmin::text, *" if connection.vendor == "postgresql" else "rowid, *"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {hidden} FROM {table._meta.db_table}")
        return [repr(row) for row in cursor.fetchall()]


def test_all_that_is_kept_of_reports_is_their_sum(owner: Membership) -> None:
    """M1: whoever answered what, in whatever order: the tables say the same."""
    survey = opened(owner)
    made = tokens(owner, survey, 4)
    for token, report in zip(made, "0110", strict=True):
        receive(survey=survey, token=token, report=report)
    assert len(_stored(Tally)) == 1
    tally = Tally.objects.get()
    assert (tally.reports, tally.counts) == (4, [2, 2])


def test_no_table_of_surveys_has_a_moment_or_a_number_of_arrival() -> None:
    """M1: tokens and sums know no time, and their keys no order."""
    for table in (SurveyToken, Tally):
        for field in table._meta.get_fields():
            kinds = (models.DateField, models.TimeField, models.AutoField)
            assert not isinstance(field, kinds), field
    references = [f.name for f in SurveyToken._meta.get_fields() if f.is_relation]
    assert set(references) == {"tenant", "survey"}


def test_a_spent_token_says_nothing_of_what_was_answered(owner: Membership) -> None:
    """M1: two surveys, opposite answers by the same tokens' places: their token rows are alike."""
    found = []
    for reports in ("0011", "1100"):
        survey = opened(owner)
        for token, report in zip(tokens(owner, survey, 4), reports, strict=True):
            receive(survey=survey, token=token, report=report)
        rows = SurveyToken.objects.filter(survey=survey).values_list("spent")
        found.append((list(rows), Tally.objects.get(survey=survey).counts))
    assert found[0] == found[1]


@pytest.mark.parametrize("report", ["0", "1"])
def test_a_report_leaves_no_entry_and_one_line_that_says_nothing(
    owner: Membership, client: Client, report: str
) -> None:
    """M1: the log has nothing of it; the operator's log has a route, a status and a duration."""
    survey = opened(owner)
    token = tokens(owner, survey, 1)[0]
    before = AuditEntry.objects.count()
    body = json.dumps({"token": token, "report": report})
    with capture_logs() as said:
        answer = client.post(f"/api/v1/answer/{survey.code}/", body, "application/json")
    assert (answer.status_code, answer.json()) == (201, {"recorded": True})
    assert AuditEntry.objects.count() == before
    text = repr(said)
    for secret in (token, hash_of(token), survey.code, str(survey.pk), f"'{report}'"):
        assert secret not in text
    assert [line["route"] for line in said] == ["v1:survey-answer"]


def test_every_report_asks_the_database_the_same(owner: Membership) -> None:
    """M1: as many statements, of the same tables, whatever is reported."""
    survey = public_survey(opened(owner, answers=[str(n) for n in range(20)]).code)
    shapes = set()
    for token, report in zip(
        tokens(owner, survey, 3), ("0" * 20, "1" * 20, "01" * 10), strict=True
    ):
        with CaptureQueriesContext(connection) as asked:
            receive(survey=survey, token=token, report=report)
        statements = [each["sql"].split() for each in asked]
        shapes.add(tuple((words[0], words[1].partition(".")[0]) for words in statements[1:-1]))
    assert len(shapes) == 1
