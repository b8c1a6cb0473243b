"""The REST door of SQL: a text in, its plan and price out. Spends nothing."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import schema_of, version_or_404
from dpgov.operation.bodies import NothingElse
from dpgov.privacy.plan.plan import Plan
from dpgov.queries.arranging.arrangement import Arrangement
from dpgov.queries.asking.quote import Quote, quote
from dpgov.queries.rest.shapes.docs import CHARGED
from dpgov.queries.rest.shapes.errors import RefusingView, refusals
from dpgov.queries.rest.shapes.quoting import QuoteSerializer, allocation_of
from dpgov.queries.sql.derived import asked_of
from dpgov.queries.sql.reading import plan_of_sql
from dpgov.queries.sql.text import RefusedSql
from dpgov.tenants.permissions import Permission, membership_of


class SqlQuoteSerializer(QuoteSerializer):
    """A quote, and how the text wants the released groups shown."""

    arrangement = serializers.SerializerMethodField(
        help_text=(
            "What HAVING, ORDER BY, LIMIT and ratios stand for: to be added, after `?`, to the "
            "address of the answer's `groups`. Empty for the groups as they are released."
        ),
    )

    def get_arrangement(self, _quote: Quote) -> str:
        """Read from the text beside the plan that is priced."""
        arrangement: Arrangement = self.context["arrangement"]
        return arrangement.as_query()


class SqlSerializer(NothingElse):
    """The question as a text."""

    sql = serializers.CharField(
        allow_blank=True,
        trim_whitespace=False,
        error_messages=dict.fromkeys(
            ("required", "null", "invalid"), "Send the question as a text under the key sql."
        ),
    )


class SqlView(RefusingView):
    """Read a question from SQL and price it."""

    permission = Permission.SUBMIT_QUERIES

    @extend_schema(
        summary="Read SQL into a plan and price it",
        description=(
            "A part of SQL, described in docs/sql.md, with the price at its end: WITH EPSILON 0.5. "
            "Nothing is spent: send the plan of the answer to the questions of the dataset. "
            "Whatever cannot be read is refused with its line and column. Two datasets joined by "
            "their unit are read as the one that was derived from both: `plan.dataset` names it."
        ),
        request=SqlSerializer,
        parameters=[CHARGED],
        responses={200: SqlQuoteSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        dataset, plan, arrangement = _read(request, version_or_404(request, slug))
        with refusals():
            priced = quote(
                user=membership_of(request).user,
                dataset=dataset,
                raw_plan=plan.as_json(),
                allocation_id=allocation_of(request),
            )
        return Response(SqlQuoteSerializer(priced, context={"arrangement": arrangement}).data)


def _read(request: Request, version: DatasetVersion) -> tuple[Dataset, Plan, Arrangement]:
    """Of a JOIN, the dataset that was derived from both."""
    sent = SqlSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    text = sent.validated_data["sql"]
    try:
        asked = asked_of(text, version, membership_of(request))
        dataset, schema = asked.version.dataset, schema_of(asked.version)
        return dataset, *plan_of_sql(text, dataset=dataset.slug, schema=schema, tables=asked.tables)
    except RefusedSql as refusal:
        raise ValidationError({"sql": [str(problem) for problem in refusal.problems]}) from refusal
