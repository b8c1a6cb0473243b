"""What the doors of prices read from an address, and the shapes of prices."""

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from dpgov.budgets.charging import Limit
from dpgov.budgets.rest.shapes import (
    AT_DELTA,
    LIMIT_KINDS,
    PERIODS,
    PURE_EPSILON,
    REMAINING,
    CurrencySerializer,
    Epsilon,
    Rho,
    exactly,
)
from dpgov.operation.shapes import ApiShape
from dpgov.privacy.accounting.loss import Currency
from dpgov.queries.asking.curve import AmountVerdict, Point
from dpgov.queries.asking.quote import Priced, Quote
from dpgov.queries.rest.shapes.answer import (
    DescriptionSerializer,
    ExpectedStatisticSerializer,
    FreeAnswerSerializer,
)
from dpgov.queries.rest.shapes.plan import AskedPlanSerializer, UnpricedPlanSerializer
from dpgov.queries.rest.shapes.table_sets import CoverSerializer, TableSetSerializer
from dpgov.queries.wording.words import in_words

_MOST_ROWS = 10**12


def assumed_rows_of(request: Request) -> int | None:
    """The reader's own guess; raises ValidationError."""
    text = request.query_params.get("assumed_rows", "")
    if not text:
        return None
    if text.isascii() and text.isdigit() and len(text) < 20 and 0 < int(text) <= _MOST_ROWS:
        return int(text)
    raise ValidationError({"assumed_rows": ["Give a whole number above zero, like 1000."]})


def allocation_of(request: Request) -> UUID | None:
    """What is to be charged, if it is named; raises ValidationError."""
    text = request.query_params.get("allocation", "")
    try:
        return UUID(text) if text else None
    except ValueError as problem:
        detail = "This is no allocation of yours. Leave it out, or take an id from the dataset."
        raise ValidationError({"allocation": [detail]}) from problem


def approval_of(request: Request) -> UUID | None:
    """Under which approval the question is asked, if one is named; raises ValidationError."""
    text = request.query_params.get("approval", "")
    try:
        return UUID(text) if text else None
    except ValueError as problem:
        detail = "This is no approval of yours. Leave it out, or take an id from the dataset."
        raise ValidationError({"approval": [detail]}) from problem


class _Period(serializers.ChoiceField):
    """Null for life."""

    def to_representation(self, value: str) -> str | None:  # type: ignore[override]
        """As it is."""
        return value or None


class LimitSerializer(ApiShape[Limit]):
    """A limit that the question touches."""

    limit = serializers.CharField(source="words", help_text="Whose limit it is, in words.")
    kind = serializers.ChoiceField(choices=LIMIT_KINDS)
    period = _Period(choices=PERIODS, allow_null=True, help_text="Of a rate; null for life.")
    limit_epsilon = Epsilon("limit_nano", Currency.together, help_text=AT_DELTA)
    limit_rho = Rho("limit_nano")
    remaining_epsilon = Epsilon("remaining_nano", help_text=REMAINING)
    remaining_rho = Rho("remaining_nano")
    factor = serializers.IntegerField(help_text="How many times the question's cost it takes.")
    largest_fit_epsilon = Epsilon("fit_nano", Currency.largest_question, help_text=PURE_EPSILON)
    largest_fit_rho = Rho("fit_nano")
    renews_on = serializers.DateField(allow_null=True)


class NeededLimitSerializer(LimitSerializer):
    """A limit and what the batch takes of it."""

    needed_epsilon = Epsilon("taken_nano", help_text=PURE_EPSILON)
    needed_rho = Rho("taken_nano")
    fits = serializers.BooleanField()


class FitSerializer(ApiShape[Any]):
    """The most that would be accepted now: to the last billionth, so that no more is."""

    largest_fit_epsilon = Epsilon(
        "largest_fit_epsilon_nano", exactly, required=False, help_text=PURE_EPSILON
    )
    largest_fit_rho = Rho("largest_fit_nano", required=False)


class PricedSerializer(ApiShape[Any]):
    """One question at its price, or at its part of it."""

    plan = AskedPlanSerializer(source="plan.as_json")
    in_words = serializers.SerializerMethodField()
    cost_epsilon = Epsilon("cost_nano", help_text=PURE_EPSILON)
    cost_rho = Rho("cost_nano")
    description = DescriptionSerializer()

    def get_in_words(self, priced: Priced | Quote) -> str:
        """The question as a sentence."""
        return in_words(priced.plan.as_json())


class _WholeSerializer(CurrencySerializer):
    """What is said of a price, of one question or of several."""

    cost_epsilon = Epsilon("cost_nano", help_text=PURE_EPSILON)
    cost_rho = Rho("cost_nano")
    cost_adds_epsilon = Epsilon(
        "adds_nano",
        exactly,
        help_text="What it would add to the ε (at `delta`) of everything so far, rounded up.",
    )
    cost_in_words = serializers.CharField(
        source="price_words", help_text="The price as pages say it."
    )
    largest_fit_epsilon = Epsilon(
        "largest_fit_epsilon_nano", exactly, help_text="The most that would be accepted."
    )
    largest_fit_rho = Rho("largest_fit_nano")
    accepted = serializers.SerializerMethodField()
    refusal = serializers.CharField(allow_null=True)
    terms_to_accept = serializers.IntegerField(
        source="terms_to_accept.number",
        allow_null=True,
        help_text="The version of the dataset's terms of use that you have to accept first.",
    )

    def get_accepted(self, priced: Quote) -> bool:
        """Whether it would be accepted now."""
        return priced.refusal is None


class QuoteSerializer(PricedSerializer, _WholeSerializer):
    """What a question would cost and how exact it would be; nothing was spent."""

    remaining_epsilon = Epsilon("remaining_nano", help_text=REMAINING)
    remaining_rho = Rho("remaining_nano")
    remaining_epsilon_after = Epsilon("remaining_after_nano", help_text=REMAINING)
    remaining_rho_after = Rho("remaining_after_nano")
    times = serializers.SerializerMethodField(
        help_text="How many such questions fit now under every limit that this one touches."
    )
    needs_permit = serializers.BooleanField(
        source="lacks_permit", help_text="An owner's permit is all that it is short of."
    )
    needs_approval = serializers.BooleanField(
        source="lacks_permit", help_text="An owner's approval of just this question would do, too."
    )
    limits = LimitSerializer(
        many=True, help_text="Every limit that it touches, the tightest first."
    )
    free = FreeAnswerSerializer(
        source="reusable.free",
        many=True,
        help_text="Answers out of stored ones, for nothing; an identical one first.",
    )
    with_stored = ExpectedStatisticSerializer(
        source="reusable.with_new",
        many=True,
        allow_null=True,
        help_text="What to expect if it is asked and then put together with stored answers.",
    )

    def get_times(self, priced: Quote) -> int:
        """0 if it would be refused."""
        return priced.times_that_fit


class CurvePointSerializer(ApiShape[Point]):
    """An amount and what it buys."""

    cost_epsilon = Epsilon("nano", help_text=PURE_EPSILON)
    cost_rho = Rho("nano")
    bounds = serializers.ListField(
        source="errors",
        child=serializers.FloatField(allow_null=True),
        help_text="At 95%: one, or one for each of `sizes`.",
    )
    verdict = serializers.ChoiceField(choices=[one.value for one in AmountVerdict])


class CurveSerializer(CurrencySerializer):
    """Price against error of the first statistic, the cheapest first; nothing was spent."""

    sizes = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Group sizes that errors are said for, where the answer has no single one.",
    )
    in_rows = serializers.BooleanField(help_text="Whether errors are counted in rows.")
    points = CurvePointSerializer(many=True)


class BatchPlanSerializer(UnpricedPlanSerializer):
    """A question of a batch."""

    share = serializers.FloatField(
        required=False,
        help_text="Its locked part of the price, at most 1; left out, it is shared out.",
    )


class BatchSerializer(TableSetSerializer):
    """Several questions, or a set of tables, and one amount for all of them."""

    plans = BatchPlanSerializer(many=True, required=False)
    epsilon = serializers.FloatField(required=False, help_text="For all together.")
    rho = serializers.FloatField(
        required=False, help_text="In place of ε, on datasets that count ρ."
    )


class BatchQuoteSerializer(_WholeSerializer):
    """What a batch would cost and how exact it would be; nothing was spent."""

    questions = PricedSerializer(many=True)
    limits = NeededLimitSerializer(many=True)
    tables = CoverSerializer(
        source="tables_as_json", allow_null=True, help_text="Of a set of tables; else null."
    )
