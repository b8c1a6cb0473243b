"""Amounts in the API: as the ε that each means and, where ρ is what adds up, as ρ beside it.

Every body with amounts is made of these fields, so that what is described is what is said.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from dpgov.audit.amounts import UNITS
from dpgov.budgets.models import Budget, RateLimit
from dpgov.language.translation import translated
from dpgov.operation.shapes import ApiShape
from dpgov.privacy.accounting.decimals import InvalidAmount, as_number, parse_epsilon
from dpgov.privacy.accounting.loss import Currency

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
MODES = Budget.Mode.choices
PERIODS = RateLimit.Period.values
# Whose a limit of a question can be; a survey's answers are no questions.
LIMIT_KINDS = [kind for kind in Budget.Kind.values if kind != Budget.Kind.SURVEY]
Nano = str | Callable[[Any], int]


def exactly(_currency: Currency, epsilon_nano: int) -> int:
    """Of an amount that is an ε already."""
    return epsilon_nano


class _Amount(serializers.FloatField):
    """An amount of a value that has a `currency`: the name of an attribute, or a function."""

    def __init__(self, nano: Nano, **options: Any) -> None:
        super().__init__(**{"source": "*", **options})
        self.nano = attrgetter(nano) if isinstance(nano, str) else nano


class Epsilon(_Amount):
    """As an ε: `meaning` says of what kind, usually of one question."""

    def __init__(
        self,
        nano: Nano,
        meaning: Callable[[Currency, int], int] = Currency.question,
        **options: Any,
    ) -> None:
        super().__init__(nano, **options)
        self.meaning = meaning

    def to_representation(self, value: Any) -> float:  # type: ignore[override]
        """To the last billionth."""
        return as_number(self.meaning(value.currency, self.nano(value)))


class Rho(_Amount):
    """As ρ; null where ε is what adds up."""

    def __init__(self, nano: Nano, **options: Any) -> None:
        usual = {"allow_null": True, "help_text": "The same in ρ; null for `pure`."}
        super().__init__(nano, **usual | options)

    def to_representation(self, value: Any) -> float | None:  # type: ignore[override]
        """To the last billionth."""
        return None if value.currency.delta is None else as_number(self.nano(value))


class EpsilonAtDelta(Epsilon):
    """As the ε that it has at δ by itself, rounded up; null where ε is what adds up."""

    def __init__(self, nano: Nano, **options: Any) -> None:
        super().__init__(nano, Currency.together, **{"allow_null": True} | options)

    def to_representation(self, value: Any) -> float | None:  # type: ignore[override]
        """To the last billionth."""
        return None if value.currency.delta is None else super().to_representation(value)


class CurrencySerializer(ApiShape[Any]):
    """What the amounts of a body are counted in."""

    mode = serializers.ChoiceField(
        source="currency.mode.value",
        choices=MODES,
        help_text="`pure`: ε adds up. `zcdp`: ρ adds up, towards an (ε, δ).",
    )
    unit = serializers.ChoiceField(
        source="currency.unit",
        choices=UNITS,
        help_text="What adds up here: of each amount the field that ends in it is the exact one.",
    )
    delta = serializers.FloatField(
        source="currency.delta",
        allow_null=True,
        help_text="The δ of every ε that says so. Null for `pure`.",
    )


class BalanceSerializer(ApiShape[Any]):
    """The amounts of whatever has a `budget`."""

    limit_epsilon = Epsilon("limit_epsilon_nano", exactly, source="budget", help_text=AT_DELTA)
    limit_rho = Rho("limit_nano", source="budget")
    committed_epsilon = Epsilon(
        "committed_nano", Currency.together, source="budget", help_text=COMMITTED
    )
    committed_rho = Rho("committed_nano", source="budget")
    remaining_epsilon = Epsilon("remaining_nano", source="budget", help_text=REMAINING)
    remaining_rho = Rho("remaining_nano", source="budget")


@extend_schema_field({"oneOf": [{"type": "number"}, {"type": "string"}]})
class TypedEpsilon(serializers.Field[int, Any, str, Any]):
    """An ε that is sent as a number or as text; read into nano-units, exactly."""

    def to_internal_value(self, data: Any) -> int:
        try:
            return parse_epsilon(data)
        except InvalidAmount as problem:
            raise ValidationError(translated(problem.args[0])) from problem

    def to_representation(self, value: int) -> str:
        return str(value)
