"""What the API says of surveys, and how it refuses.

A budget and the address for respondents are told to those alone whom the pages tell them.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import APIException, ErrorDetail, ParseError, ValidationError
from rest_framework.request import Request

from dpgov.approvals.errors import ApprovalRefusal
from dpgov.approvals.models import ChangeRequest
from dpgov.audit.amounts import UNITS
from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.rest.shapes import TypedEpsilon
from dpgov.budgets.services.surveys import survey_price
from dpgov.operation.bodies import NothingElse
from dpgov.operation.conflicts import Conflict
from dpgov.privacy.accounting.decimals import as_number
from dpgov.privacy.accounting.loss import PURE
from dpgov.privacy.local.estimate import widest
from dpgov.privacy.local.randomiser import FEWEST_ANSWERS, MOST_ANSWERS, LocalKind
from dpgov.queries.rest.shapes.errors import refusals
from dpgov.surveys.errors import BadReport, BadSurvey, SurveyRefusal, TokenUnknown
from dpgov.surveys.models import Survey
from dpgov.surveys.services import could_be_opened
from dpgov.surveys.services.drafting import LONGEST_ANSWER, LONGEST_QUESTION, MOST_EXPECTED
from dpgov.surveys.services.tokens import MOST_AT_ONCE
from dpgov.surveys.wording import AnswerRow, lines_of, moved_by_liars
from dpgov.tenants.permissions import Permission, may, membership_of

_MECHANISMS = [kind.value for kind in LocalKind]


class EstimateSerializer(serializers.Serializer[AnswerRow]):
    """One answer: how often reports name it, and what share of respondents that means."""

    answer = serializers.CharField()
    count = serializers.IntegerField()
    estimate = serializers.FloatField(
        source="exact", help_text="Unbiased, and so it may lie below 0 or above 1."
    )
    lower = serializers.FloatField(source="low", help_text="Of the interval at 95%, cut to 0.")
    upper = serializers.FloatField(source="high", help_text="Of the interval at 95%, cut to 1.")


class SurveySerializer(serializers.Serializer[Survey]):
    """A survey with its estimates so far."""

    id = serializers.UUIDField(source="pk")
    question = serializers.CharField()
    answers = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(choices=Survey.State.choices)
    mechanism = serializers.ChoiceField(choices=_MECHANISMS)
    epsilon = serializers.SerializerMethodField(help_text="Charged per respondent.")
    true_epsilon = serializers.SerializerMethodField(help_text="By its thresholds; never more.")
    expected = serializers.IntegerField(help_text="So many answers its owner expects.")
    by_token = serializers.BooleanField()
    closes_on = serializers.DateField()
    shared_budget = serializers.SerializerMethodField(
        help_text="What opening charges; null for a budget of its own, and for analysts."
    )
    address = serializers.SerializerMethodField(help_text="For respondents; null but for owners.")
    reports = serializers.IntegerField(source="tally.reports")
    estimates = serializers.SerializerMethodField()

    def get_epsilon(self, survey: Survey) -> float:
        """As it is charged."""
        return as_number(survey.epsilon_nano)

    def get_true_epsilon(self, survey: Survey) -> float:
        """As its thresholds have it."""
        return as_number(survey.randomiser.epsilon_nano)

    @extend_schema_field(serializers.UUIDField(allow_null=True))
    def get_shared_budget(self, survey: Survey) -> str | None:
        """Its id, for who may see shared budgets."""
        seen = self._may(Permission.VIEW_SHARED_BUDGETS) and survey.shared_budget_id
        return str(survey.shared_budget_id) if seen else None

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_address(self, survey: Survey) -> str | None:
        """Its page for respondents, for who makes surveys."""
        if not self._may(Permission.MAKE_SURVEYS):
            return None
        return address_of(self.context["request"], survey)

    def _may(self, permission: Permission) -> bool:
        return may(membership_of(self.context["request"]), permission)

    @extend_schema_field(EstimateSerializer(many=True))
    def get_estimates(self, survey: Survey) -> list[dict[str, Any]]:
        """Empty before the first report."""
        found: Any = lines_of(survey)
        return list(EstimateSerializer(found, many=True).data)


class SurveyFormSerializer(serializers.Serializer[Any]):
    """What a respondent's program needs: thresholds are whole numbers of 2^32 draws."""

    code = serializers.CharField()
    question = serializers.CharField()
    labels = serializers.ListField(child=serializers.CharField())
    answers = serializers.IntegerField()
    mechanism = serializers.ChoiceField(choices=_MECHANISMS)
    kept = serializers.IntegerField()
    other = serializers.IntegerField()
    size = serializers.IntegerField(help_text="Characters of every report.")
    epsilon = serializers.FloatField()
    by_token = serializers.BooleanField()
    takes_reports = serializers.BooleanField()
    closes_on = serializers.CharField()
    address = serializers.CharField()


class ReportSerializer(NothingElse):
    """One randomised report. Never send a true answer."""

    token = serializers.CharField(
        help_text="32 hexadecimal digits: the one that was given, or one of your own in open mode."
    )
    report = serializers.CharField(
        help_text="The place of an answer in digits, or a bit for each answer."
    )


class RecordedSerializer(serializers.Serializer[Any]):
    """It was counted; always the same."""

    recorded = serializers.BooleanField()


class DraftSerializer(NothingElse):
    """A survey to be: what is asked, and how it is charged, does not change after this."""

    question = serializers.CharField(max_length=LONGEST_QUESTION)
    answers = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_ANSWER),
        min_length=FEWEST_ANSWERS,
        max_length=MOST_ANSWERS,
        help_text="As respondents read them; for a number, its ranges.",
    )
    epsilon = TypedEpsilon(help_text="Per answer: 0.1 to 10, as a number or a decimal text.")
    expected = serializers.IntegerField(min_value=1, max_value=MOST_EXPECTED)
    closes_on = serializers.DateField(help_text="The last day, in UTC.")
    by_token = serializers.BooleanField(default=True)
    shared_budget = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="One of your own organisation's; its id stands in the address of its page.",
    )


class OpeningSerializer(NothingElse):
    """Why a shared budget is charged; an officer reads it. Not needed for a budget of its own."""

    reason = serializers.CharField(required=False, allow_blank=True, max_length=500, default="")


class TokensWantedSerializer(NothingElse):
    """How many tokens."""

    number = serializers.IntegerField(min_value=1, max_value=MOST_AT_ONCE)


class TokensSerializer(serializers.Serializer[Any]):
    """New tokens, shown this once: only their hashes are kept."""

    tokens = serializers.ListField(child=serializers.CharField())
    links = serializers.ListField(
        child=serializers.CharField(), help_text="One a respondent, with its token behind the #."
    )


class SurveyQuoteSerializer(serializers.Serializer[Any]):
    """What opening charges, and how exact estimates will be. Nothing is charged by looking."""

    charged = serializers.FloatField(help_text="Once, for all respondents.")
    unit = serializers.ChoiceField(choices=UNITS)
    fits = serializers.BooleanField(
        help_text="Whether it could be opened now: the budget has room, is neither frozen nor "
        "closed, and the last day is not over."
    )
    needs_approval = serializers.BooleanField(help_text="True where a shared budget is charged.")
    error = serializers.FloatField(help_text="Of a share at 95% with as many answers as expected.")
    liars = serializers.IntegerField(help_text="One in a hundred respondents.")
    moved = serializers.FloatField(help_text="How far so many could move a share.")


class OpeningRequestSerializer(serializers.Serializer[ChangeRequest]):
    """The request that an officer decides. The price is charged with their approval."""

    id = serializers.UUIDField(source="pk")
    survey = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()

    @extend_schema_field(serializers.UUIDField())
    def get_survey(self, request: ChangeRequest) -> str:
        """What it is about."""
        return str(request.payload["survey"])

    def get_state(self, request: ChangeRequest) -> str:
        """`waiting` until an officer decides."""
        return str(request.state).lower()


def address_of(request: Request, survey: Survey) -> str:
    """The page for respondents."""
    path = reverse("surveys:respond", args=[survey.code])
    return str(request.build_absolute_uri(path))


def quoted(survey: Survey) -> dict[str, Any]:
    """What `SurveyQuoteSerializer` reads: public numbers of the draft, and the budget's."""
    budget = survey.shared_budget
    liars, moved = moved_by_liars(survey)
    return {
        "charged": as_number(survey_price(budget, survey.epsilon_nano)),
        "unit": (budget.currency if budget else PURE).unit,
        "fits": could_be_opened(survey),
        "needs_approval": budget is not None,
        "error": float(widest(survey.randomiser, survey.expected)),
        "liars": liars,
        "moved": float(moved),
    }


def refused(refusal: SurveyRefusal) -> APIException:
    """400 for what was sent, 409 for what the survey or a token is."""
    was_sent = isinstance(refusal, BadReport | TokenUnknown)
    return (ParseError if was_sent else Conflict)(str(refusal), refusal.code)


@contextmanager
def survey_refusals() -> Generator[None]:
    """Refusals as the standard error body, by the codes that the pages' sentences have."""
    try:
        with refusals():
            yield
    except BadSurvey as refusal:
        detail = ErrorDetail(str(refusal), refusal.code)
        raise ValidationError({refusal.field: [detail]}) from refusal
    except SurveyRefusal as refusal:
        raise refused(refusal) from refusal
    except LedgerRefusal as refusal:
        raise Conflict(str(refusal), "budget_refused") from refusal
    except ApprovalRefusal as refusal:
        raise Conflict(str(refusal), refusal.code) from refusal
