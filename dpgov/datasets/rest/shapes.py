"""The shapes of datasets in the API: declarations and budgets, never sizes, paths or hashes."""

from typing import Any

from rest_framework import serializers

from dpgov.budgets.charging import allocations_of
from dpgov.budgets.models import Budget
from dpgov.budgets.words import currency_in_json, in_json
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import least_price_nano
from dpgov.tenants.models import User

MODE = serializers.ChoiceField(
    choices=Budget.Mode.choices,
    help_text="`pure`: ε adds up. `zcdp`: ρ adds up, towards an (ε, δ).",
)
UNIT = serializers.ChoiceField(
    choices=["epsilon", "rho"],
    help_text="What adds up here: of each amount the field that ends in it is the exact one.",
)
DELTA = serializers.FloatField(
    allow_null=True, help_text="The δ of every ε that says so. Null for `pure`."
)
PURE_EPSILON = (
    "Under `zcdp` the pure ε of one question that the `…_rho` beside it pays for: what a plan's "
    "`epsilon` means. It does not add up."
)
AT_DELTA = "Under `zcdp` the ε at `delta`."
COMMITTED = "Spent and reserved together; under `zcdp` what it amounts to at δ, rounded up."
REMAINING = (
    "Under `zcdp` the pure ε of the largest single question that would fit, rounded down; it does "
    "not add up."
)
RHO = serializers.FloatField(allow_null=True, help_text="The same in ρ; null for `pure`.")


class ColumnSerializer(serializers.Serializer[Any]):
    """A column that can be asked about, with its declared domain."""

    name = serializers.CharField()
    type = serializers.ChoiceField(choices=["number", "category"])
    lower = serializers.FloatField(required=False, help_text="Numbers only, as are the next two.")
    upper = serializers.FloatField(required=False)
    step = serializers.FloatField(required=False, help_text="Values are rounded to it.")
    categories = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Categories only, in order."
    )
    missing = serializers.ChoiceField(choices=["drop", "impute"])
    impute = serializers.CharField(
        allow_null=True, help_text="What stands in for a missing value under `impute`."
    )


class DatasetSerializer(serializers.Serializer[Any]):
    """The public metadata of a dataset."""

    slug = serializers.SlugField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    privacy_unit = serializers.ChoiceField(choices=Dataset.Unit.choices)
    private_id = serializers.CharField(
        allow_null=True, help_text="The column that names the unit; null where each row is one."
    )
    max_rows_per_unit = serializers.IntegerField(
        help_text="Of a unit with more rows only so many are used, chosen by chance."
    )
    max_groups_per_unit = serializers.IntegerField(
        allow_null=True, help_text="In how many groups a `count_distinct` counts one unit at most."
    )
    neighbouring = serializers.ChoiceField(choices=Dataset.Neighbouring.choices)
    group_size = serializers.IntegerField()
    max_rows = serializers.IntegerField(help_text="A public bound, not the number of rows.")
    public_rows = serializers.IntegerField(
        allow_null=True,
        help_text="The number of rows where it is public (`change_one`); otherwise a rough figure "
        "that the owner declared, or null.",
    )
    public_units = serializers.IntegerField(
        allow_null=True,
        help_text="The number of units where a column names them and it is public (`change_one`).",
    )
    mode = MODE
    unit = UNIT
    delta = DELTA
    per_query_limit_epsilon = serializers.FloatField(help_text=PURE_EPSILON)
    per_query_limit_rho = RHO
    version = serializers.IntegerField(help_text="Questions are asked of the newest one.")
    partition_column = serializers.CharField(
        allow_null=True,
        help_text="A question that is restricted to some of its categories (`=` or `in`) is "
        "charged to those alone, unless a further file ended that: a quote names every limit.",
    )
    needs_allocation = serializers.BooleanField(
        help_text="Whether only people and projects with a grant may ask."
    )
    registered_at = serializers.DateTimeField()
    columns = ColumnSerializer(many=True)


class DatasetSummarySerializer(serializers.ModelSerializer[Dataset]):
    """A dataset in the list."""

    class Meta:
        model = Dataset
        fields = ("slug", "name", "description")
        read_only_fields = fields


class AllocationSerializer(serializers.Serializer[Any]):
    """What the person may charge; its id is the `allocation` of a quote or a question."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    limit_epsilon = serializers.FloatField(help_text=AT_DELTA)
    limit_rho = RHO
    committed_epsilon = serializers.FloatField(help_text=COMMITTED)
    committed_rho = RHO
    remaining_epsilon = serializers.FloatField(help_text=REMAINING)
    remaining_rho = RHO


class BudgetSerializer(serializers.Serializer[Budget]):
    """A dataset's budget. What adds up (ε when pure, else ρ) reads back to the exact amount."""

    mode = MODE
    unit = UNIT
    delta = DELTA
    limit_epsilon = serializers.FloatField(help_text=AT_DELTA)
    limit_rho = RHO
    committed_epsilon = serializers.FloatField(help_text=COMMITTED)
    committed_rho = RHO
    remaining_epsilon = serializers.FloatField(help_text=REMAINING)
    remaining_rho = RHO
    per_query_limit_epsilon = serializers.FloatField(help_text=PURE_EPSILON)
    per_query_limit_rho = RHO
    least_price_epsilon = serializers.FloatField(help_text="The least that one question costs.")
    least_price_rho = RHO
    frozen = serializers.BooleanField(
        help_text="Nothing is admitted until an officer confirms the balance."
    )
    needs_allocation = serializers.BooleanField(help_text="Only who has an allocation may ask.")
    allocations = AllocationSerializer(
        many=True, help_text="Your own and your projects'; the first is charged if you name none."
    )

    @classmethod
    def of(cls, dataset: Dataset, user: User) -> dict[str, Any]:
        """The amounts of a dataset, and what this person was granted of them."""
        budget, per_query = dataset.budget, dataset.per_query_limit_nano
        currency, least = budget.currency, least_price_nano(dataset)
        return {
            **currency_in_json(currency),
            **_amounts(budget),
            **in_json("per_query_limit", per_query, currency.question(per_query), currency),
            **in_json("least_price", least, currency.question(least), currency),
            "frozen": budget.frozen_at is not None,
            "needs_allocation": dataset.needs_allocation,
            "allocations": [
                {"id": str(one.pk), "name": str(one), **_amounts(one.budget)}
                for one in allocations_of(user, budget.pk)
            ],
        }


def _amounts(budget: Budget) -> dict[str, float | None]:
    currency, committed, left = budget.currency, budget.committed_nano, budget.remaining_nano
    return (
        in_json("limit", budget.limit_nano, budget.limit_epsilon_nano, currency)
        | in_json("committed", committed, currency.together(committed), currency)
        | in_json("remaining", left, currency.question(left), currency)
    )
