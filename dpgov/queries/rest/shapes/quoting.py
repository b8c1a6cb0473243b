"""What the doors of prices read from an address, and a price in its JSON form."""

from typing import Any
from uuid import UUID

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from dpgov.budgets.charging import Limit
from dpgov.budgets.words import currency_in_json, in_json
from dpgov.privacy.accounting.budget import as_number
from dpgov.privacy.accounting.currency import Currency
from dpgov.queries.asking.quote import Quote
from dpgov.queries.free.words import reusable_json
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


def limit_json(limit: Limit) -> dict[str, Any]:
    """A limit in its JSON form."""
    currency = limit.currency
    return {
        "limit": limit.words,
        "kind": limit.kind,
        "period": limit.period or None,
        **in_json("limit", limit.limit_nano, currency.together(limit.limit_nano), currency),
        **room_json("remaining", limit.remaining_nano, currency),
        "factor": limit.factor,
        **fit_json(limit.fit_nano, currency.largest_question(limit.fit_nano), currency),
        "renews_on": limit.renews_on,
    }


def room_json(name: str, nano: int, currency: Currency) -> dict[str, float | None]:
    """A price, or what there is room for: as the ε of one question, and as ρ where that counts."""
    return in_json(name, nano, currency.question(nano), currency)


def fit_json(nano: int, epsilon_nano: int, currency: Currency) -> dict[str, float | None]:
    """The most that would be accepted: to the last billionth, so that no more is."""
    return in_json("largest_fit", nano, epsilon_nano, currency)


def quote_json(priced: Quote) -> dict[str, Any]:
    """A price in its JSON form."""
    plan, currency = priced.plan.as_json(), priced.currency
    after = room_json("remaining", priced.remaining_after_nano, currency)
    return {
        "plan": plan,
        "in_words": in_words(plan),
        **currency_in_json(currency),
        **room_json("cost", priced.cost_nano, currency),
        "cost_adds_epsilon": as_number(priced.adds_nano),
        "cost_in_words": priced.price_words,
        **room_json("remaining", priced.remaining_nano, currency),
        **{f"{name}_after": amount for name, amount in after.items()},
        **fit_json(priced.largest_fit_nano, priced.largest_fit_epsilon_nano, currency),
        "accepted": priced.refusal is None,
        "refusal": priced.refusal,
        "limits": [limit_json(limit) for limit in priced.limits],
        **reusable_json(priced.reusable),
        "description": priced.description,
    }
