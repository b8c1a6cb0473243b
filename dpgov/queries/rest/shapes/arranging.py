"""An arranged answer: its groups as a table in the order that the reader wants."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from dpgov.operation.shapes import ApiShape
from dpgov.privacy.answer.body import MAX_CELLS
from dpgov.privacy.noise.noise import Provided
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.queries.arranging.arrange import CONFIDENCE_OF_RATIOS, Ratio, arrange
from dpgov.queries.arranging.arrangement import (
    Arrangement,
    Given,
    InvalidArrangement,
    KeyKind,
    arrangement_of,
    cut_to,
)
from dpgov.queries.arranging.table import names_of
from dpgov.queries.rest.shapes.answer import DatesSerializer
from dpgov.queries.rest.shapes.question import RefusalSerializer
from dpgov.queries.wording.presentation import labels_at, named_bins
from dpgov.queries.wording.useful import error_of

_WAYS = {
    "sort": "Columns to sort by, like `-1,g2`: statistics are counted from 1, groupings are g1, g2 "
    "…, ratios r1 …; `-` puts the largest first.",
    "first": f"Show so many groups at most; of an answer with more than {MAX_CELLS} groups, "
    "no more than that, and the largest first where no order is wanted.",
    "having": "Show groups whose number compares so, like `1>=100`. May stand several times.",
    "ratio": "One statistic divided by another, like `1/2`; neither is a regression. May stand "
    "several times.",
}
_PARAMETERS = [
    OpenApiParameter(name, str, description=text, many=name in ("having", "ratio"))
    for name, text in _WAYS.items()
]


class RatioSerializer(ApiShape[Ratio]):
    """A ratio of two released numbers; the true one lies from `low` to `high`."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(
        allow_null=True, help_text=f"With at least {CONFIDENCE_OF_RATIOS} % confidence."
    )
    high = serializers.FloatField(allow_null=True)


class ArrangedCellSerializer(ApiShape[Any]):
    """A released number and its error at 95 %; null where there is none in its unit."""

    value = serializers.FloatField(allow_null=True)
    error_95 = serializers.FloatField(allow_null=True)
    date = serializers.CharField(
        required=False, help_text="Of a statistic of dates: the period nearest to the number."
    )
    rank_error = serializers.IntegerField(
        required=False, help_text="Of quantiles: their error at 95 % in rows, as in the release."
    )
    provided = serializers.ChoiceField(
        choices=[one.value for one in Provided],
        required=False,
        help_text="Of a coefficient where the noise leaves too little to tell: the condition under "
        "which alone `error_95` is a bound.",
    )


class ArrangedGroupSerializer(ApiShape[Any]):
    """One group."""

    groups = serializers.ListField(child=serializers.CharField())
    cells = ArrangedCellSerializer(many=True)
    ratios = RatioSerializer(many=True)


class ArrangedSerializer(ApiShape[Any]):
    """The groups of an answer as they are wanted. Made of the release alone; it cost nothing."""

    groupings = serializers.ListField(child=serializers.CharField())
    statistics = serializers.ListField(child=serializers.CharField())
    dates = serializers.DictField(
        child=DatesSerializer(),
        help_text="Of each statistic of dates, by its number from 1: since when its numbers count, "
        "and in which step.",
    )
    ratios = serializers.ListField(child=serializers.CharField())
    rows = ArrangedGroupSerializer(many=True)
    left_out = serializers.IntegerField(help_text="How many groups are not shown.")


def arranged(body: dict[str, Any], given: Given) -> dict[str, Any]:
    """A release as it is wanted; raises ValidationError for what it does not have."""
    try:
        return _table(body, cut_to(body, arrangement_of(body, given), MAX_CELLS))
    except InvalidArrangement as problem:
        raise ValidationError({"arrangement": [str(problem)]}) from problem


def _table(body: dict[str, Any], wanted: Arrangement) -> dict[str, Any]:
    found, names = arrange(body, wanted), names_of(body, wanted)
    labels = labels_at(named_bins(body), found.places)
    parts = {part: [name for key, name in names.items() if key.part is part] for part in KeyKind}
    rows = [
        {
            "groups": label,
            "cells": [
                {"value": cell["value"], "error_95": error_of(cell)} | _beside(cell)
                for cell in (one["cells"][place] for one in body["statistics"])
            ],
            "ratios": [column[place] for column in found.ratios],
        }
        for label, place in zip(labels, found.places, strict=True)
    ]
    return {
        "groupings": parts[KeyKind.GROUPING],
        "statistics": parts[KeyKind.STATISTIC],
        "dates": {
            str(number): statistic["dates"]
            for number, statistic in enumerate(body["statistics"], 1)
            if statistic.get("dates")
        },
        "ratios": parts[KeyKind.RATIO],
        "rows": rows,
        "left_out": found.left_out,
    }


def _beside(cell: dict[str, Any]) -> dict[str, Any]:
    """What else makes it readable, as it was released: its date, its ranks, its condition."""
    accuracy = cell.get("accuracy") or []
    usual: dict[str, Any] = next(
        (one for one in accuracy if one["confidence_level"] == USUAL_STATED), {}
    )
    return {
        name: found[name]
        for name, found in (("date", cell), ("rank_error", usual), ("provided", usual))
        if name in found
    }


read_groups = extend_schema(
    tags=["queries"],
    operation_id="read_groups",
    summary="Read the groups of an answer in an order",
    description=(
        "The stored release, sorted, cut and filtered by its own released numbers, with ratios of "
        "its columns. Free, and no part of the question. Which groups come first or stay may be "
        "noise. 400 for an arrangement that this answer does not have."
    ),
    parameters=_PARAMETERS,
    responses={200: ArrangedSerializer, 409: OpenApiResponse(RefusalSerializer)},
)
