"""How a list of questions is narrowed down, by public facts only."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters

from dpgov.queries.models import Query
from dpgov.queries.selectors import PublicState, with_public_state


class QueryFilter(filters.FilterSet):  # type: ignore[misc]
    """By dataset, public state and time of submission."""

    dataset = filters.CharFilter(field_name="dataset__slug", label="Slug of the dataset")
    state = filters.ChoiceFilter(
        method="in_state", choices=[(s.value, s.value) for s in PublicState], label="Public state"
    )
    submitted_after = filters.IsoDateTimeFilter(field_name="submitted_at", lookup_expr="gte")
    submitted_before = filters.IsoDateTimeFilter(field_name="submitted_at", lookup_expr="lt")

    class Meta:
        model = Query
        fields: tuple[str, ...] = ()

    def in_state(self, queries: QuerySet[Query], name: str, value: Any) -> QuerySet[Query]:
        """As `selectors.public_state` says it: waiting until the answer's slot has come."""
        return with_public_state(queries, PublicState(value))
