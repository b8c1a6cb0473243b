"""Counts that run along groups: SUM(COUNT(*)) OVER (ORDER BY g), CDF(g) and JOINT_CDF(g, h).

The first is how SQL writes a cumulative distribution. It has none along two columns at once: ORDER
BY g, h goes through pairs one after the other. So that one is called by the name of the statistic,
and the other may be. The order of GROUP BY means nothing in SQL; a plan's counts run along its last
groups, and these are put there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from sqlglot import exp

from dpgov.language.said import said
from dpgov.language.translation import translated
from dpgov.privacy.plan.problems import shortened, suggesting
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.sql.groups import read_group
from dpgov.queries.sql.text import NameReader
from dpgov.queries.sql.where import Placed
from dpgov.queries.sql.windows import read_window

KINDS = {kind.value.upper(): kind for kind in StatisticKind if kind.facts.along}
Groups = Sequence[dict[str, Any]]


def is_running(item: exp.Expr) -> bool:
    """Whether it is of the kind that is read here, or refused here."""
    named = isinstance(item, exp.Anonymous) and item.name.upper() in KINDS
    return named or isinstance(item, exp.Window)


def in_order(groups: Placed, items: Sequence[exp.Expr], names: NameReader) -> Placed:
    """The groups, those last that counts of these items run along. Raises RefusedSql."""
    plain = [group for _node, group in groups]
    ways: list[list[dict[str, Any]]] = []
    for item in items:
        for node in filter(is_running, item.find_all(exp.Window, exp.Anonymous)):
            way = sorted(_Running(node, plain, names).along, key=plain.index)
            ways += [way] if way not in ways else []
    return sorted(groups, key=lambda placed: sum(placed[1] in way for way in ways))


def read_running(item: exp.Expr, groups: Groups, names: NameReader) -> dict[str, Any] | None:
    """The plan's form of it, where it runs along the last groups; None for everything else.

    Raises RefusedSql.
    """
    if not is_running(item):
        return None
    found = _Running(item, groups, names)
    last = groups[-found.kind.facts.along :]
    if any(group not in last for group in found.along):
        message = _("All counts of one text run along the same columns: ask this one by itself.")
        raise names.text.refused(item, message)
    found.check_within()
    return {"statistic": found.kind.value}


def check_unchosen(having: exp.Expr | None, asked: Placed, names: NameReader) -> None:
    """Refuse HAVING beside counts that run: SQL would leave its groups out before they add up."""
    if having is not None and any(one["statistic"] in tuple(KINDS.values()) for _n, one in asked):
        message = _(
            "HAVING would come before counts are added up along groups: leave it out, and choose "
            "rows with WHERE."
        )
        raise names.text.refused(having, message)


@dataclass(frozen=True, slots=True)
class _Running:
    """One of them: what it is, and the groups that it runs along."""

    item: exp.Expr
    groups: Groups
    names: NameReader

    @property
    def kind(self) -> StatisticKind:
        return KINDS.get(self.item.name.upper(), StatisticKind.CDF)

    @property
    def along(self) -> list[dict[str, Any]]:
        found = [self._with_edges(node) for node in self._named()]
        if any(group in found[:at] for at, group in enumerate(found)):
            raise self._refused(self.item, _("Name two different groups."))
        return found

    def check_within(self) -> None:
        """A window runs in each cell of all the other groups, and says so."""
        if not isinstance(self.item, exp.Window):
            return
        (along,) = self.along
        _order, nodes = read_window(self.item, self.names.text)
        within = [self._group(node) for node in nodes]
        for node, group in zip(nodes, within, strict=True):
            if group == along:
                raise self._refused(node, _("Counts run along this group, not within it."))
        missing = [g["column"] for g in self.groups if g != along and g not in within]
        if missing:
            message = _("Counts run within all other groups: add PARTITION BY {groups}.")
            raise self._refused(self.item, message.format(groups=", ".join(missing)))

    def _named(self) -> Iterator[exp.Expr]:
        if isinstance(self.item, exp.Window):
            along, _within = read_window(self.item, self.names.text)
            yield along
            return
        if len(self.item.expressions) != self.kind.facts.along:
            message = _("Write {name} with {number} groups, as GROUP BY has them.")
            name, number = self.item.name.upper(), self.kind.facts.along
            raise self._refused(self.item, message.format(name=name, number=number))
        yield from self.item.expressions

    def _with_edges(self, node: exp.Expr) -> dict[str, Any]:
        found = self._group(node)
        if "edges" not in found:
            message = _(
                "Counts run along edges: group by WIDTH_BUCKET(column, low, high, bins) or "
                "BINS(column, 0, 20, 40)."
            )
            raise self._refused(node, message)
        return found

    def _group(self, node: exp.Expr) -> dict[str, Any]:
        """What a piece names: as it stands in GROUP BY, by its AS, or by its column alone."""
        meant = self.names.meant(node.unnest())
        if isinstance(meant, exp.Column):
            name = self.names.name(meant)
            found = [group for group in self.groups if group["column"] == name]
        else:
            read = read_group(node.unnest(), self.names)
            found = [group for group in self.groups if group == read]
        if len(found) != 1:
            raise self._refused(node, self._unfound(meant))
        return found[0]

    def _unfound(self, node: exp.Expr) -> str:
        name = self.names.name(node) if isinstance(node, exp.Column) else ""
        if not name or name in self.names.columns:
            return _("Name one group here, as it stands in GROUP BY.")
        unknown = said("Unknown column “{name}”.", name=shortened(name))
        return translated(suggesting(unknown, name, self.names.columns))

    def _refused(self, node: exp.Expr, message: str) -> Exception:
        return self.names.text.refused(node, message)
