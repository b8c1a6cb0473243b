"""The shape of a plan's JSON, for the API's documentation.

Plans are described here but read by `privacy.plan.parsing.plans` alone, so that forms and API
agree.
"""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from dpgov.operation.shapes import ApiShape
from dpgov.privacy.plan.by_calendar import CalendarPart
from dpgov.privacy.plan.computed.asked import SIGNS
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS, USUAL_STATED
from dpgov.privacy.plan.parsing.predictors import MAX_PREDICTORS
from dpgov.privacy.plan.plan import MISSING_OPERATORS, NUMERIC_OPERATORS
from dpgov.privacy.plan.statistics import IN_ROWS, OF_ANY, OF_ROWS, StatisticKind

_AMOUNT = "At most nine decimals, read exactly; decimal text is accepted too."
_INNER = {"$ref": "#/components/schemas/Filter"}


class MadeSerializer(ApiShape[Any]):
    """Describes JSON that `privacy` makes, in its one form: it goes out as it is."""

    def to_representation(self, instance: Any) -> Any:
        """As it is."""
        return instance


class ClipSerializer(MadeSerializer):
    """Values outside count as these ends, which lie within the declared bounds, on their steps."""

    from_ = serializers.FloatField(required=False, help_text="Left out: the declared bound.")
    to = serializers.FloatField(required=False, help_text="Left out: the declared bound.")

    def get_fields(self) -> dict[str, Any]:
        """Under its name in the JSON, which is a word of the language."""
        fields = super().get_fields()
        return {"from": fields["from_"], "to": fields["to"]}


class StatisticSerializer(MadeSerializer):
    """What is computed, of which column."""

    statistic = serializers.ChoiceField(choices=[kind.value for kind in StatisticKind])
    column = serializers.CharField(
        required=False,
        help_text="A column of numbers, or of dates where that has a meaning; any declared one for "
        f"{' and '.join(OF_ANY)}; not for {' and '.join(OF_ROWS)}.",
    )
    predictors = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="For `regression` and `logistic_regression`, whose `column` has two values: 1 to "
        f"{MAX_PREDICTORS} columns that explain it, of numbers, dates or categories, which are "
        "indicators against the first one.",
    )
    quantiles = serializers.ListField(
        child=serializers.FloatField(),
        required=False,
        help_text="For `quantiles`: rising, between 0 and 1, at most four decimals.",
    )
    clip = ClipSerializer(
        required=False,
        help_text="Of a sum, mean, variance or standard deviation of numbers: bounds narrower "
        "than declared, which make its noise smaller. Left out, the declared ones hold.",
    )
    share = serializers.FloatField(
        required=False,
        help_text="Its part of the price, above 0 and at most 1; left out, it is shared out.",
    )


@extend_schema_field({"type": "array", "items": _INNER})
class _Members(serializers.JSONField):
    """Filters inside a filter."""


@extend_schema_field(_INNER)
class _Member(serializers.JSONField):
    """The filter that must not hold."""


class FilterSerializer(MadeSerializer):
    """A condition on a column, or filters joined: exactly one of `column`, `and`, `or`, `not`.

    A missing value passes no comparison and no negated one, as in SQL.
    """

    column = serializers.CharField(required=False)
    op = serializers.ChoiceField(
        choices=[*NUMERIC_OPERATORS, *MISSING_OPERATORS],
        required=False,
        help_text="Categories take `=`, `!=`, `in` and the last two.",
    )
    value = serializers.JSONField(
        required=False,
        help_text="One value; a list for `in` and `between`; left out otherwise. A date is a "
        "period in ISO 8601, as a whole: `<=` 2024-03 is until the end of March.",
    )

    def get_fields(self) -> dict[str, Any]:
        """With the joints, whose names are words of the language."""
        return super().get_fields() | {
            "and": _Members(required=False, help_text="All of them hold."),
            "or": _Members(required=False, help_text="At least one of them holds."),
            "not": _Member(required=False, help_text="It does not hold."),
        }


@extend_schema_field({"oneOf": [{"type": "number"}, {"type": "string"}]})
class _Edge(serializers.JSONField):
    """A number or a date."""


class GroupingSerializer(MadeSerializer):
    """Fixed groups by one column."""

    column = serializers.CharField()
    edges = serializers.ListField(
        child=_Edge(),
        required=False,
        help_text="Rising bin edges, for numbers and for dates in ISO 8601.",
    )
    by = serializers.ChoiceField(
        choices=[part.value for part in CalendarPart],
        required=False,
        help_text="For dates: the part of the calendar, never finer than the declared step.",
    )
    categories = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Declared categories; all of them if left out.",
    )


class PerUnitSerializer(MadeSerializer):
    """What is used of each privacy unit, less than declared: less noise, and rows left out.

    Only where a column names the unit. Which rows are left out depends on that unit alone.
    """

    groups = serializers.IntegerField(
        required=False, min_value=1, help_text="So many of its groups; left out, as declared."
    )
    rows_per_group = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="So many of its rows in each; left out, all that are used at all. Without "
        "groups all rows are in one.",
    )


class ComputedSerializer(MadeSerializer):
    """A column of this question alone: two declared ones, row by row.

    Bounds and step follow from theirs; a row counts as missing in it where it is in either. The
    rest of the plan names it like any other: `a + b`, `a - b`, `a * b`, with a name that is no
    single word between double quotes. Operands of a sum and a product come back in declared order.
    """

    formula = serializers.ChoiceField(choices=[kind.value for kind in SIGNS])
    of = serializers.ListField(
        child=serializers.CharField(),
        min_length=2,
        max_length=2,
        help_text="Two different columns of numbers that the file has; of a `difference` also two "
        "of dates in the same step.",
    )


class UnpricedPlanSerializer(MadeSerializer):
    """A question without its price."""

    dataset = serializers.CharField(required=False, help_text="If given, as in the address.")
    computed = ComputedSerializer(
        many=True, required=False, help_text="What is named nowhere else is left out."
    )
    statistics = StatisticSerializer(many=True)
    where = FilterSerializer(many=True, required=False, help_text="All of them hold.")
    group_by = GroupingSerializer(many=True, required=False)
    per_unit = PerUnitSerializer(required=False)


class PlanSerializer(UnpricedPlanSerializer):
    """A question. Its price is the total for all its statistics: an ε, or a ρ under zCDP."""

    epsilon = serializers.FloatField(required=False, help_text=_AMOUNT)
    rho = serializers.FloatField(
        required=False, help_text="In place of ε, on datasets that count ρ."
    )


class ChoosingSerializer(MadeSerializer):
    """Tables of some of the plan's groups, of which so many were chosen, in rounds."""

    rounds = serializers.IntegerField()
    tables = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    mwem = serializers.BooleanField(
        required=False,
        help_text="Textbook multiplicative weights: half of the price chooses, by the error alone. "
        "Left out of `adaptive`: a tenth, less what noise would add.",
    )


class AskedPlanSerializer(PlanSerializer):
    """A plan that was accepted."""

    adaptive = ChoosingSerializer(
        required=False,
        help_text="Only of a set of tables that is asked with the method `adaptive` or `mwem`: it "
        "is no table of all groups.",
    )


class WantedSerializer(MadeSerializer):
    """How wrong one statistic may be: `value`, or `relative` and `at_least`."""

    statistic = serializers.IntegerField(required=False, help_text="Its place in the plan, from 0.")
    value = serializers.FloatField(
        required=False, help_text=f"In the statistic's unit; in rows for {', '.join(IN_ROWS)}."
    )
    relative = serializers.FloatField(required=False, help_text="As part of the answer, like 0.05.")
    at_least = serializers.FloatField(
        required=False, help_text="The smallest answer that `relative` is meant for."
    )
    confidence_level = serializers.ChoiceField(
        choices=[float(level) for level in CONFIDENCE_LEVELS],
        required=False,
        help_text=f"{USUAL_STATED} if left out.",
    )


class WantedPlanSerializer(PlanSerializer):
    """A question with a price, or with the accuracy that is wanted of it."""

    accuracy = WantedSerializer(
        required=False, help_text="In place of ε and ρ: the smallest that is enough is found."
    )


@extend_schema_field(PlanSerializer)
class SentPlan(serializers.Field[Any, Any, Any, Any]):
    """A plan as it was sent, for the one parser that reads plans."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The same; raises ValidationError for what is no object."""
        if not isinstance(data, dict):
            raise ValidationError("A plan is an object.", "invalid_plan")
        return data

    def to_representation(self, value: Any) -> Any:
        """The same."""
        return value
