"""The shapes of datasets in the API: declarations and budgets, never sizes, paths or hashes."""

from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import SkipField

from dpgov.budgets.rest.shapes import (
    PURE_EPSILON,
    BalanceSerializer,
    CurrencySerializer,
    Epsilon,
    Rho,
)
from dpgov.datasets.lineage import (
    allocations_for,
    is_frozen,
    needs_allocation,
    origins_of,
    paused_by,
)
from dpgov.datasets.models import Column, Dataset, DatasetVersion
from dpgov.datasets.rules import least_price_nano, most_per_question
from dpgov.datasets.services import last_refresh
from dpgov.operation.shapes import ApiShape
from dpgov.privacy.plan.formula import Comparison, FormulaKind
from dpgov.privacy.plan.schema import MissingRule


class _OrNull(serializers.CharField):
    """A text; null where there is none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)

    def to_representation(self, value: str) -> str | None:  # type: ignore[override]
        """As it is."""
        return value or None


@extend_schema_field({"oneOf": [{"type": "number"}, {"type": "string"}]})
class _Bound(serializers.FloatField):
    """As in a plan: the shortest JSON number; bounds have at most 15 digits, so none is lost.

    Of dates it is a text: a period in ISO 8601, and the name of the step.
    """

    def get_attribute(self, instance: Column) -> Decimal | str:  # type: ignore[override]
        """Categories have none."""
        if instance.kind == Column.Kind.CATEGORY:
            raise SkipField
        declared: str = getattr(instance, str(self.field_name))
        return declared if instance.kind == Column.Kind.DATE else Decimal(declared)

    def to_representation(self, value: Decimal | str) -> float | str:  # type: ignore[override]
        """A whole number without a point."""
        if isinstance(value, str):
            return value
        return int(value) if value == value.to_integral_value() else float(value)


class _OfDates(serializers.CharField):
    """What only a column of dates has."""

    def get_attribute(self, instance: Column) -> str:
        """Others have none."""
        if instance.kind != Column.Kind.DATE:
            raise SkipField
        declared: str = getattr(instance, str(self.source))
        return declared


class _Categories(serializers.ListField):
    """The declared values of a column that has them."""

    def get_attribute(self, instance: Column) -> list[str]:
        """Numbers and dates have none."""
        if instance.kind != Column.Kind.CATEGORY:
            raise SkipField
        declared: list[str] = instance.categories
        return declared


class FormulaSerializer(ApiShape[dict[str, Any]]):
    """How a column is computed from declared columns of the file, in the same row."""

    function = serializers.ChoiceField(
        source="kind", choices=[kind.value for kind in FormulaKind], help_text="What is computed."
    )
    operands = serializers.ListField(child=serializers.CharField())
    compares = serializers.ChoiceField(
        choices=[one.value for one in Comparison], allow_blank=True, help_text="Of flags only."
    )
    constants = serializers.ListField(
        child=serializers.CharField(),
        help_text="The edges of bins, or what a flag compares with, as texts.",
    )


class _Formula(FormulaSerializer):
    """The same of a column."""

    def get_attribute(self, instance: Column) -> dict[str, Any]:  # type: ignore[override]
        """Columns of the file have none."""
        if not instance.formula:
            raise SkipField
        found: dict[str, Any] = instance.formula
        return found


class ColumnSerializer(ApiShape[Any]):
    """A column that can be asked about, with its declared domain."""

    name = serializers.CharField()
    type = serializers.SerializerMethodField()
    lower = _Bound(required=False, help_text="Of numbers and dates, as are the next two.")
    upper = _Bound(required=False)
    step = _Bound(required=False, help_text="Values are rounded to it.")
    time_zone = _OfDates(
        required=False,
        help_text="Dates only: the wall clock that moments with an offset are read on.",
    )
    categories = _Categories(
        child=serializers.CharField(), required=False, help_text="Categories only, in order."
    )
    missing = serializers.ChoiceField(choices=[rule.value for rule in MissingRule])
    impute = _OrNull(help_text="What stands in for a missing value under `impute`.")
    formula = _Formula(required=False, help_text="Of computed columns only.")

    @extend_schema_field(serializers.ChoiceField(choices=["number", "category", "date"]))
    def get_type(self, column: Column) -> str:
        """How it is declared."""
        return str(column.kind)


class PublicTableSerializer(ApiShape[dict[str, Any]]):
    """A public table that was joined when the file was registered."""

    name = serializers.CharField(help_text="What the owner's file of it was called.")
    sha256 = serializers.CharField(help_text="Of that file, byte for byte.")
    key = serializers.CharField(help_text="The column of the dataset's file.")
    public_key = serializers.CharField(help_text="The column of the public table.")
    columns = serializers.ListField(child=serializers.CharField())


class OriginSerializer(ApiShape[Any]):
    """A dataset that a derived one was made of; every question is charged to it as well."""

    dataset = serializers.SlugField(source="parent.slug")
    version = serializers.IntegerField(source="version.number")
    rows_of_unit = serializers.IntegerField(help_text="So many rows of each unit were used.")
    prefix = serializers.CharField(allow_blank=True, help_text="Of the names of its columns.")
    columns = serializers.ListField(child=serializers.CharField(), help_text="As named there.")
    needs_allocation = serializers.BooleanField(
        source="parent.needs_allocation",
        help_text="Whether questions need an allocation of that dataset.",
    )


class DatasetSerializer(CurrencySerializer):
    """What every member may know: declarations only, no sizes, paths or fingerprints."""

    slug = serializers.SlugField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    privacy_unit = serializers.ChoiceField(source="unit", choices=Dataset.Unit.choices)
    private_id = _OrNull(help_text="The column that names the unit; null where each row is one.")
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
    per_query_limit_epsilon = Epsilon(most_per_question, help_text=PURE_EPSILON)
    per_query_limit_rho = Rho(most_per_question)
    version = serializers.SerializerMethodField()
    refreshed_at = serializers.SerializerMethodField()
    partition_column = _OrNull(
        help_text="A question that is restricted to some of its categories (`=` or `in`) is "
        "charged to those alone, unless a further file ended that: a quote names every limit.",
    )
    needs_allocation = serializers.SerializerMethodField(
        help_text="Whether only people and projects with an allocation may ask: of it, or of a "
        "dataset in `derived_from` that says so."
    )
    named_only = serializers.BooleanField(
        help_text="Whether only people whom an owner named see it; to others it is not there."
    )
    public_table = serializers.SerializerMethodField()
    derived_from = serializers.SerializerMethodField()
    registered_at = serializers.DateTimeField(source="created_at")
    columns = serializers.SerializerMethodField()

    get_refreshed_at = staticmethod(last_refresh)

    def get_needs_allocation(self, dataset: Dataset) -> bool:
        """Its own rule, or a parent's: a question is charged to both."""
        return needs_allocation(dataset)

    def get_version(self, dataset: Dataset) -> int:
        """Questions are asked of the newest one."""
        return self._version.number

    @extend_schema_field(PublicTableSerializer(allow_null=True))
    def get_public_table(self, dataset: Dataset) -> dict[str, Any] | None:
        """Whose columns stand beside the rows of the newest version; null where none is joined."""
        found: dict[str, Any] = self._version.joined
        return found or None

    @extend_schema_field(OriginSerializer(many=True))
    def get_derived_from(self, dataset: Dataset) -> list[dict[str, Any]]:
        """The two datasets whose rows were put together; empty where it was not derived."""
        return list(OriginSerializer(origins_of(dataset), many=True).data)

    @extend_schema_field(ColumnSerializer(many=True))
    def get_columns(self, dataset: Dataset) -> list[dict[str, Any]]:
        """In stored order."""
        # Not one for each: the fields of a serializer are copied when it is made.
        return list(ColumnSerializer(self._version.columns.all(), many=True).data)

    @property
    def _version(self) -> DatasetVersion:
        version: DatasetVersion = self.context["version"]
        return version


class DatasetSummarySerializer(serializers.ModelSerializer[Dataset]):
    """A dataset in the list."""

    class Meta:
        model = Dataset
        fields = ("slug", "name", "description")
        read_only_fields = fields


class AllocationSerializer(BalanceSerializer):
    """What the person may charge; its id is the `allocation` of a quote or a question."""

    id = serializers.UUIDField(source="pk")
    name = serializers.CharField(source="*")


class BudgetSerializer(CurrencySerializer, BalanceSerializer):
    """A dataset's budget. What adds up (ε when pure, else ρ) reads back to the exact amount.

    `user` in the context is whose allocations are told.
    """

    per_query_limit_epsilon = Epsilon(most_per_question, help_text=PURE_EPSILON)
    per_query_limit_rho = Rho(most_per_question)
    least_price_epsilon = Epsilon(least_price_nano, help_text="The least that one question costs.")
    least_price_rho = Rho(least_price_nano)
    frozen = serializers.SerializerMethodField()
    paused = serializers.SerializerMethodField()
    needs_allocation = serializers.SerializerMethodField(
        help_text="Only who has an allocation may ask: of it, or of a dataset that it was derived "
        "from. `allocations` are those of it."
    )
    allocations = serializers.SerializerMethodField()

    def get_needs_allocation(self, dataset: Dataset) -> bool:
        """Its own rule, or a parent's: a question is charged to both."""
        return needs_allocation(dataset)

    def get_frozen(self, dataset: Dataset) -> bool:
        """Nothing is admitted until an officer confirms the balance, its own or a parent's."""
        return is_frozen(dataset)

    def get_paused(self, dataset: Dataset) -> bool:
        """Its owners paused all questions, or those of a parent; those that were accepted wait."""
        return paused_by(dataset) is not None

    @extend_schema_field(AllocationSerializer(many=True))
    def get_allocations(self, dataset: Dataset) -> list[dict[str, Any]]:
        """Your own and your projects': if you name none, your own is charged, or the only one."""
        found = allocations_for(self.context["user"], dataset)
        return [AllocationSerializer(one).data for one in found]


class ConflictSerializer(ApiShape[Any]):
    """The standard error body."""

    type = serializers.ChoiceField(choices=["client_error"])
    errors = serializers.ListField(  # type: ignore[assignment]
        child=serializers.DictField(child=serializers.CharField(allow_null=True))
    )
