"""The shapes of answers and of what is said of them before.

`privacy.answer` makes this JSON, and stored answers are read byte for byte as they were hashed: it
goes out as it is, and `tests/integration/access` holds it against what is described here.
"""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from dpgov.operation.shapes import ApiShape
from dpgov.privacy.noise.noise import Provided
from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.ranges import SAYS_NOTHING
from dpgov.privacy.plan.statistics import IN_ROWS
from dpgov.queries.free.finding import FreeAnswer, Origin
from dpgov.queries.rest.shapes.draws import ChoosingDrawSerializer
from dpgov.queries.rest.shapes.plan import ClipSerializer, MadeSerializer


class NotCountedSerializer(MadeSerializer):
    """Rows between a value and the true one that an error in rows does not count."""

    spacing = serializers.FloatField(
        required=False, help_text="Rows as near to either value as this."
    )
    share = serializers.FloatField(
        required=False, help_text="This part of the rows that share one value."
    )


class AccuracySerializer(MadeSerializer):
    """How far the released number is from the true one, at most, at a confidence level."""

    confidence_level = serializers.FloatField()
    value = serializers.FloatField(
        allow_null=True, help_text="Null where the error is counted in rows, or has no bound."
    )
    rank_error = serializers.IntegerField(
        required=False,
        help_text=f"Of {', '.join(IN_ROWS)}: so many rows lie between this and the true value.",
    )
    not_counted = NotCountedSerializer(
        required=False, help_text="Which of the rows between `rank_error` leaves out."
    )
    provided = serializers.ChoiceField(
        choices=[one.value for one in Provided],
        required=False,
        help_text="Of a coefficient where the noise leaves too little to tell it, or its error: "
        "the condition under which alone `value` is a bound, as `message` says it.",
    )
    message = serializers.CharField()


class GroupSerializer(MadeSerializer):
    """The groups along one column, in the order of the cells."""

    column = serializers.CharField()
    by = serializers.CharField(
        required=False, help_text="Of dates: which part of the calendar the bins are of."
    )
    bins = serializers.ListField(child=serializers.CharField())
    step = serializers.FloatField(
        required=False, help_text="Of a column of numbers: how far apart its values are."
    )


class DatesSerializer(MadeSerializer):
    """Periods are counted from the first declared one, which is 0."""

    from_ = serializers.CharField()
    step = serializers.ChoiceField(choices=[step.value for step in DateStep])

    def get_fields(self) -> dict[str, Any]:
        """Under its name in the JSON, which is a word of the language."""
        fields = super().get_fields()
        return {"from": fields["from_"], "step": fields["step"]}


class HeadSerializer(MadeSerializer):
    """A statistic, or one of its quantiles."""

    statistic = serializers.CharField()
    column = serializers.CharField(allow_null=True)
    clip = ClipSerializer(required=False, help_text="What its values were clipped to.")
    quantile = serializers.FloatField(required=False)
    predictors = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Of a regression."
    )
    means = serializers.JSONField(
        required=False,
        help_text="Of a logistic regression: the value of the outcome whose odds it is about.",
    )
    term = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="Of a regression: the predictor whose coefficient it is; null for the intercept.",
    )
    category = serializers.CharField(
        required=False, help_text="Of such a term: the category, compared with the first."
    )
    span = serializers.ListField(
        child=serializers.FloatField(),
        required=False,
        help_text="Of such a term: the declared ends of what it can be.",
    )
    rows_beyond = serializers.IntegerField(
        required=False, help_text="Of min and max: how many rows it was looked for beyond."
    )
    range = serializers.ListField(
        child=serializers.FloatField(),
        required=False,
        help_text="The least and the largest that it can truly be, from declared bounds. An "
        "interval around a released number is to be cut to it.",
    )
    dates = DatesSerializer(
        required=False, help_text="Of a column of dates: what its numbers of periods count."
    )
    warning_code = serializers.ChoiceField(
        choices=[SAYS_NOTHING],
        required=False,
        allow_null=True,
        help_text="Where the error at 95% is as wide as the whole range, so that the number says "
        "nothing.",
    )


class AnswerColumnSerializer(HeadSerializer):
    """One column of an answer."""

    draw = serializers.IntegerField(
        required=False, help_text="The place of its draw in `draws`; free answers have none."
    )


class ExpectedStatisticSerializer(HeadSerializer):
    """A statistic out of stored answers with the error to expect."""

    accuracy = AccuracySerializer(many=True)

    def to_representation(self, instance: tuple[dict[str, Any], object]) -> dict[str, Any]:
        """What it is, and the error beside it."""
        head, accuracy = instance
        return head | {"accuracy": accuracy}


class FreeAnswerSerializer(ApiShape[FreeAnswer]):
    """An answer that costs nothing."""

    choice = serializers.CharField(help_text="To take this one.")
    way = serializers.ChoiceField(source="origin.value", choices=[one.value for one in Origin])
    made_from = serializers.ListField(source="sources", child=serializers.UUIDField())
    statistics = ExpectedStatisticSerializer(source="expected", many=True)


class GroupSizeSerializer(MadeSerializer):
    """The error at 95% of a number about a group of so many rows: an example."""

    rows = serializers.IntegerField()
    value = serializers.FloatField(allow_null=True)
    rank_error = serializers.IntegerField(required=False)
    says_nothing = serializers.BooleanField()


class OfferedStatisticSerializer(AnswerColumnSerializer):
    """A statistic with the error to expect."""

    accuracy = AccuracySerializer(many=True)
    assumed_rows = serializers.IntegerField(allow_null=True)
    by_group_size = GroupSizeSerializer(
        many=True,
        required=False,
        help_text="Of means, spreads and quantiles of groups: what the error would be in groups of "
        "some sizes. Nothing is known here of the sizes of your groups.",
    )


class DescriptionSerializer(MadeSerializer):
    """What an answer would look like; made without looking at data."""

    epsilon = serializers.FloatField(required=False)
    rho = serializers.FloatField(required=False, help_text="On datasets that count ρ.")
    cells = serializers.IntegerField()
    groups = GroupSerializer(many=True)
    draws = ChoosingDrawSerializer(many=True)
    statistics = OfferedStatisticSerializer(many=True)


class IntervalSerializer(MadeSerializer):
    """Where a coefficient of all rows like these would lie."""

    confidence_level = serializers.FloatField()
    range = serializers.ListField(child=serializers.FloatField())


@extend_schema_serializer(component_name="Line")
class RegressionSerializer(MadeSerializer):
    """What is said of a regression as a whole, from its noisy numbers."""

    rows = serializers.IntegerField(help_text="By the noisy count.")
    r_squared = serializers.FloatField(
        required=False, allow_null=True, help_text="Of a linear regression."
    )
    residual_deviation = serializers.FloatField(
        required=False, allow_null=True, help_text="How far outcomes lie from the line."
    )
    share = serializers.FloatField(
        required=False,
        help_text="Of a logistic regression: the share of rows whose outcome is `means`.",
    )
    held_back = serializers.BooleanField(
        required=False,
        help_text="Of a logistic regression: whether its coefficients reached the end of what is "
        "looked for. Nothing is known of their errors then.",
    )
    widened_directions = serializers.IntegerField(
        help_text="In how many directions the noise left too little to tell predictors apart, so "
        "that their coefficients are pulled towards zero."
    )


class CellSerializer(MadeSerializer):
    """One released number."""

    value = serializers.FloatField(
        allow_null=True, help_text="Of dates the number of periods since the first declared one."
    )
    date = serializers.CharField(
        required=False, help_text="Of dates: the period nearest to `value`, in ISO 8601."
    )
    accuracy = AccuracySerializer(many=True)
    interval = IntervalSerializer(
        required=False,
        help_text="Of a coefficient: for noise and chance together. Not where it was `held_back`.",
    )
    fit = RegressionSerializer(required=False, help_text="Of an intercept: the whole line.")


class AdjustedSerializer(MadeSerializer):
    """Counts of a table made plausible, beside the numbers as they were released."""

    method = serializers.CharField()
    values = serializers.ListField(
        child=serializers.IntegerField(), help_text="One for each cell, in their order."
    )


class ReleasedStatisticSerializer(AnswerColumnSerializer):
    """A statistic with its released numbers."""

    made_from = serializers.ListField(
        child=serializers.UUIDField(),
        required=False,
        help_text="Of a free answer: the questions whose answers it is made of.",
    )
    cells = CellSerializer(many=True, required=False)
    values = serializers.ListField(
        child=serializers.FloatField(),
        required=False,
        help_text="In format 3, in place of `cells`: the released number of each cell.",
    )
    accuracy = AccuracySerializer(
        many=True, required=False, help_text="In format 3: of each of its numbers."
    )
    adjusted = AdjustedSerializer(
        required=False, help_text="Of grouped counts and of cumulative distributions."
    )
