"""The shapes of sets of tables: what is asked, and how a quote says that it is drawn."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dpgov.privacy.answer.covers import Method
from dpgov.privacy.plan.parsing.choosing import MAX_ROUNDS
from dpgov.queries.rest.shapes.plan import FilterSerializer, GroupingSerializer, MadeSerializer

METHODS = [method.value for method in Method]
_RMSE = "The root of the mean squared error of its counts, in rows, rounded up to four digits."


@extend_schema_field(
    {
        "oneOf": [
            {"type": "integer"},
            {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
        ]
    }
)
class Tables(serializers.JSONField):
    """How many columns each table has, or the tables themselves."""


class TableSetSerializer(MadeSerializer):
    """A set of tables, in place of `plans`."""

    columns = GroupingSerializer(
        many=True, required=False, help_text="In place of `plans`: how each column is grouped."
    )
    tables = Tables(
        required=False,
        help_text="Lists of these columns' names; or how many columns each table has: 2 is every "
        "pair.",
    )
    where = FilterSerializer(many=True, required=False, help_text="For every table.")
    method = serializers.ChoiceField(
        choices=METHODS,
        required=False,
        help_text="How the tables are drawn; left out, with the least expected error. `adaptive` "
        "and `mwem` have none that could be known beforehand, and are only taken where they are "
        "named.",
    )
    rounds = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_ROUNDS,
        help_text="Of `adaptive` and `mwem` alone: how many tables are chosen and drawn.",
    )


class WaySerializer(MadeSerializer):
    """One fixed way to draw them."""

    method = serializers.ChoiceField(choices=METHODS)
    tables = serializers.IntegerField(help_text="How many are drawn, each a question of its own.")
    cells = serializers.IntegerField(help_text="Of all of them together.")
    rmse = serializers.FloatField(
        allow_null=True, help_text="Over the counts of all asked tables, in rows; null: impossible."
    )
    reason = serializers.CharField(allow_null=True, help_text="Why it cannot be taken, or is not.")


class AskedTableSerializer(MadeSerializer):
    """An asked table, what it will be read off, and its error beside that of a separate answer."""

    columns = serializers.ListField(child=serializers.CharField())
    cells = serializers.IntegerField()
    made_from = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="The columns of the table that is drawn; null: it depends on what is chosen.",
    )
    rmse = serializers.FloatField(
        allow_null=True, help_text=f"{_RMSE} Null: it depends on what is chosen."
    )
    separate_rmse = serializers.FloatField(
        allow_null=True, help_text="If each asked table were drawn by itself."
    )


class WorkSerializer(MadeSerializer):
    """What the set takes besides its price, at most: out of public numbers."""

    answers_seconds = serializers.FloatField(
        help_text="Until all are answered, one after another, while nobody else asks."
    )
    rows_seconds = serializers.FloatField(
        allow_null=True, help_text="Of one processor, for synthetic rows; null: none are made."
    )
    rows_megabytes = serializers.IntegerField(allow_null=True, help_text="Of memory, for the same.")
    fits_seconds = serializers.FloatField(
        allow_null=True,
        help_text="Of one processor, for the fits between adaptive rounds, which are part of "
        "answering; null: the tables are not chosen adaptively.",
    )
    fits_megabytes = serializers.IntegerField(allow_null=True, help_text="Of memory, for the same.")


class AdaptiveSerializer(MadeSerializer):
    """What can be said of adaptive rounds beforehand."""

    rounds = serializers.IntegerField()
    candidates = serializers.IntegerField(help_text="Tables that a round may choose.")
    rmse = serializers.FloatField(
        help_text="Of a count of a drawn table, in rows. No error of the whole can be promised: "
        "it depends on what is chosen, and that on the data."
    )
    fixed_rmse = serializers.FloatField(
        allow_null=True, help_text="The least expected error of a fixed method at the same price."
    )


class CoverSerializer(MadeSerializer):
    """How a set of tables is drawn: from public parameters alone."""

    method = serializers.ChoiceField(choices=METHODS)
    rmse = serializers.FloatField(
        allow_null=True,
        help_text="Over the counts of all asked tables, in rows; null of `adaptive` and `mwem`.",
    )
    ways = WaySerializer(many=True)
    answers = AskedTableSerializer(many=True)
    adaptive = AdaptiveSerializer(allow_null=True)
    work = WorkSerializer()
