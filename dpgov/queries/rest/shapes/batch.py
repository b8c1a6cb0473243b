"""The shapes of batches, for the API's documentation."""

from typing import Any

from rest_framework import serializers

from dpgov.datasets.rest.shapes import DELTA, MODE, PURE_EPSILON, RHO, UNIT
from dpgov.queries.rest.shapes.answer import DescriptionSerializer
from dpgov.queries.rest.shapes.plan import PlanSerializer, UnpricedPlanSerializer
from dpgov.queries.rest.shapes.question import LimitSerializer, QuerySerializer


class BatchPlanSerializer(UnpricedPlanSerializer):
    """A question of a batch."""

    share = serializers.FloatField(
        required=False,
        help_text="Its locked part of the price, at most 1; left out, it is shared out.",
    )


class BatchSerializer(serializers.Serializer[Any]):
    """Several questions and one amount for all of them."""

    plans = BatchPlanSerializer(many=True)
    epsilon = serializers.FloatField(required=False, help_text="For all together.")
    rho = serializers.FloatField(
        required=False, help_text="In place of ε, on datasets that count ρ."
    )


class NeededLimitSerializer(LimitSerializer):
    """A limit and what the batch takes of it."""

    needed_epsilon = serializers.FloatField(help_text=PURE_EPSILON)
    needed_rho = RHO
    fits = serializers.BooleanField()


class BatchQuestionSerializer(serializers.Serializer[Any]):
    """One question at its part of the price."""

    plan = PlanSerializer()
    in_words = serializers.CharField()
    cost_epsilon = serializers.FloatField(help_text=PURE_EPSILON)
    cost_rho = RHO
    description = DescriptionSerializer()


class BatchQuoteSerializer(serializers.Serializer[Any]):
    """What a batch would cost and how exact it would be; nothing was spent."""

    mode = MODE
    unit = UNIT
    delta = DELTA
    cost_epsilon = serializers.FloatField(help_text=PURE_EPSILON)
    cost_rho = RHO
    cost_adds_epsilon = serializers.FloatField(
        help_text="What all would add to the ε (at `delta`) of everything so far, rounded up."
    )
    cost_in_words = serializers.CharField(help_text="The price as pages say it.")
    largest_fit_epsilon = serializers.FloatField(help_text="For the same batch.")
    largest_fit_rho = RHO
    accepted = serializers.BooleanField(help_text="Whether all would be accepted now.")
    refusal = serializers.CharField(allow_null=True)
    questions = BatchQuestionSerializer(many=True)
    limits = NeededLimitSerializer(many=True)


class AcceptedBatchSerializer(serializers.Serializer[Any]):
    """The questions of an accepted batch, in its order."""

    queries = QuerySerializer(many=True)
