"""Which derived dataset a JOIN is a question on. Reads declarations only, and only those seen.

What could leak: that there is a dataset which the asker does not see, by another sentence, another
step or another number of reads. So one statement lists the derived datasets that they see, and what
is not among them is refused in the same words, whether or not it is there.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from django.utils.translation import gettext as _

from dpgov.datasets.models import Dataset, DatasetVersion, DerivedFrom
from dpgov.datasets.selectors import datasets_of, version_to_ask
from dpgov.queries.sql.joining import JoinClause, plain
from dpgov.queries.sql.reading import join_of
from dpgov.queries.sql.text import RefusedSql, Tables, Text
from dpgov.tenants.models import Membership


@dataclass(frozen=True, slots=True)
class AskedVersion:
    """The version that a text asks of; `tables` are columns by what a JOIN calls each parent."""

    version: DatasetVersion
    tables: Tables = field(default_factory=dict)


def asked_of(text: str, version: DatasetVersion, membership: Membership) -> AskedVersion:
    """This version, or the newest of the derived dataset that the text's JOIN stands for.

    Raises RefusedSql where there is none that this person sees, and where there are several.
    """
    join = join_of(text)
    if join is None:
        return AskedVersion(version)
    found = _chosen(_derived(join, membership), version.dataset, join, Text(text))
    dataset = found[0].dataset
    if join.column.casefold() != dataset.private_id.casefold():
        words = _("Rows are joined by the unit alone: write USING ({unit}).")
        raise Text(text).refused(join.node, words.format(unit=dataset.private_id))
    tables = {called: _columns(found, table) for called, table in join.called.items()}
    if dataset.pk == version.dataset_id:
        return AskedVersion(version, tables)
    try:
        return AskedVersion(version_to_ask(membership, dataset.slug), tables)
    except DatasetVersion.DoesNotExist as gone:
        raise _none(join, Text(text)) from gone


def _derived(join: JoinClause, membership: Membership) -> list[list[DerivedFrom]]:
    """The parents of each derived dataset that this person sees and that is of these two."""
    seen = datasets_of(membership).filter(is_derived=True).order_by()
    rows = DerivedFrom.objects.filter(dataset__in=seen.values("pk"))
    ordered = rows.select_related("dataset", "parent").order_by("dataset__slug", "position")
    each = (list(parents) for _pk, parents in groupby(ordered, lambda row: row.dataset_id))
    return [one for one in each if {plain(row.parent.slug) for row in one} == join.tables]


def _chosen(
    found: list[list[DerivedFrom]], here: Dataset, join: JoinClause, source: Text
) -> list[DerivedFrom]:
    """The one whose door the text was sent to, else the only one."""
    if not found:
        raise _none(join, source)
    mine = [one for one in found if one[0].dataset_id == here.pk]
    if not mine and len(found) > 1:
        words = _(
            "Several datasets were put together out of these two. Name one after FROM: {names}."
        )
        names = ", ".join(one[0].dataset.slug for one in found)
        raise source.refused(join.node, words.format(names=names))
    return (mine or found)[0]


def _none(join: JoinClause, source: Text) -> RefusedSql:
    return source.refused(
        join.node,
        _(
            "There is no dataset that was put together out of these two and that you see. A data "
            "owner makes one with “Join with another dataset”, in the settings of a dataset that "
            "shares a budget with the other."
        ),
    )


def _columns(parents: Iterable[DerivedFrom], table: str) -> dict[str, str]:
    """How the columns of this parent are called in the derived dataset; its unit, too."""
    (row,) = (one for one in parents if plain(one.parent.slug) == table)
    taken = {name: f"{row.prefix}{name}" for name in row.columns}
    return taken | {row.parent.private_id: row.dataset.private_id}
