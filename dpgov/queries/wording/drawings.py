"""How an answer was made, draw by draw: which statistics share a draw, its price and its noise.

Works from a quote's description or the stored body of a release.
"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dpgov.privacy.mechanisms.mechanism import CHOICE
from dpgov.privacy.mechanisms.strategies import TREE
from dpgov.queries.wording.guarantee import price
from dpgov.queries.wording.numbers import at_most, readable
from dpgov.queries.wording.words import joined, lower_first, statistic_in_words


@dataclass(frozen=True, slots=True)
class Drawing:
    """One draw of noise: the statistics that are made of it, its price and its noise, as text."""

    labels: list[str]
    mechanism: str
    on: str
    price: str
    sensitivity: str
    noise_scale: str

    @property
    def label(self) -> str:
        """The statistics in a line."""
        first, *others = self.labels
        return joined([first, *map(lower_first, others)])

    @property
    def shared(self) -> bool:
        """Whether several statistics are made of it."""
        return len(self.labels) > 1


def drawings_of(body: dict[str, Any]) -> list[Drawing]:
    """The draws of an answer or a quote, in their order."""
    return [_drawing(body, place) for place in range(len(body["draws"]))]


def sharing_in_words(drawings: list[Drawing]) -> list[str]:
    """A sentence for each draw that several statistics share."""
    return [
        _(
            "{statistics} are made of the same noisy numbers, which are paid for once: {price} "
            "for all of them."
        ).format(statistics=drawing.label, price=drawing.price)
        for drawing in drawings
        if drawing.shared
    ]


def shown(name: str) -> str:
    """A mechanism, what it was added to, or how numbers were adjusted, as a release names it.

    A release is never written anew: its words are looked up when they are shown.
    """
    tree = TREE.format(branches="")
    if name.startswith(tree):
        return _(TREE).format(branches=name.removeprefix(tree))
    return _(name) if name else ""


def _drawing(body: dict[str, Any], place: int) -> Drawing:
    drawn = body["draws"][place]
    columns = [s for s in body["statistics"] if s["draw"] == place]
    # A list of quantiles is one statistic with many columns.
    labels = dict.fromkeys(statistic_in_words(_drawn_with(s, columns)) for s in columns)
    return Drawing(
        labels=list(labels),
        mechanism=shown(drawn["mechanism"]),
        on=_on(drawn),
        price=price(drawn),
        sensitivity=at_most(drawn["sensitivity_l1"]) if "sensitivity_l1" in drawn else "–",
        noise_scale=readable(drawn["noise_scale"]),
    )


def _drawn_with(statistic: dict[str, Any], columns: list[dict[str, Any]]) -> dict[str, Any]:
    """A coefficient as its regression, and all others together."""
    if "term" in statistic:
        return {key: statistic[key] for key in ("statistic", "column", "predictors")}
    return together(statistic, columns)


def together(statistic: dict[str, Any], columns: list[dict[str, Any]]) -> dict[str, Any]:
    """A quantile as the list that it is one of; any other statistic as it is."""
    if "quantile" not in statistic:
        return statistic
    orders = sorted(s["quantile"] for s in columns if "quantile" in s)
    return {key: statistic[key] for key in ("statistic", "column")} | {"quantiles": orders}


def _on(drawn: dict[str, Any]) -> str:
    """What the noise was added to."""
    if drawn["mechanism"] == CHOICE:
        name, many = drawn["readings"][0]["name"], readable(drawn["candidates"])
        return _("{name} ({number} candidates)").format(name=shown(name), number=many)
    return joined([shown(reading["name"]) for reading in drawn["readings"]])
