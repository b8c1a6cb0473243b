"""A unit lies in one part of a partitioned budget, whichever of the budget's files it is in.

The first file that a unit was in decides, and every stored file says in which part its units lie;
a later file of the budget is read beside them. Rows without an id are nobody's in the next file, so
there the discount ends with the second file, unless it only adds rows to those that are stored,
which stay where they are. Beside what somebody else brought it ends as well: whether ids are
written there in another way is a function of that person's rows, and what the parts become is seen;
for the same reason content of one's own with other ids is refused, and never ends it.
Must never let a file enter a budget with lines before one of the two is done, and never decide by
anything but a unit's own rows.
"""

from collections.abc import Iterable, Sequence
from typing import cast
from uuid import UUID

from dpgov.budgets.services import add_parts, give_up_parts, is_undivided
from dpgov.datasets import storage
from dpgov.datasets.discarded import discarded
from dpgov.datasets.models import Column, Dataset, DatasetVersion
from dpgov.datasets.services.guarantee import partition_parts
from dpgov.datasets.services.likeness import is_in_budget
from dpgov.datasets.services.stored.seals import is_kept_as_recorded
from dpgov.engines.child import Ingested
from dpgov.engines.ingest.request import ELSEWHERE, EarlierFile
from dpgov.language.said import said
from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema, InvalidDomain
from dpgov.tenants.models import User


class ReadAgain(Exception):
    """The file was not read beside those that this budget has by now."""

    def __init__(self, budget_id: UUID) -> None:
        super().__init__(budget_id)
        self.budget_id = budget_id


def earlier_files(
    budget_id: UUID | None,
    schema: DatasetSchema,
    partition_column: str,
    append_to: DatasetVersion | None = None,
    *,
    brought_by: UUID,
) -> tuple[EarlierFile, ...]:
    """The files that a new one of this person's, of this budget, is read beside, oldest first.

    Where parts are not charged apart from it on, only the one that it adds rows to. Raises
    InvalidDomain where one of a dataset that is in use is not there: a unit would be placed anew.
    """
    place = schema.index_of(partition_column)
    if budget_id is None or schema.unit.private_id is None or place is None:
        return ()
    # `partition_parts` has refused every other domain.
    domain = cast(CategoryDomain, schema.columns[place].domain)
    own = () if append_to is None else (_earlier(append_to, domain.categories),)
    if is_undivided(budget_id):
        return own
    versions = _versions_in(budget_id)
    if _is_others(versions, brought_by):
        return own
    lost = [version for version in versions if _is_gone(version)]
    if any(not _may_be_gone(version) for version in lost):
        raise InvalidDomain("columns", _MISSING)
    return own if lost else tuple(_earlier(version, domain.categories) for version in versions)


def ends_parts(dataset: Dataset, user: User) -> bool:
    """Whether another whole file of the dataset, brought by this person, ends the discount.

    By what is public; False where there is none any more.
    """
    if not dataset.partition_column or is_undivided(dataset.budget_id):
        return False
    return not dataset.private_id or _is_others(_versions_in(dataset.budget_id), user.pk)


def _is_others(versions: Iterable[DatasetVersion], user_id: UUID) -> bool:
    """Whether anybody but this person brought one of them."""
    return any(version.added_by_id != user_id for version in versions)


def _is_gone(version: DatasetVersion) -> bool:
    """Nobody reads its file any more; once that is decided, even while the file is still there."""
    # Another file in its place would put people where that one has them.
    return version.data_deleted_at is not None or not is_kept_as_recorded(version)


def _may_be_gone(version: DatasetVersion) -> bool:
    return version.data_deleted_at is not None or version.dataset.archived_at is not None


_MISSING = said(
    "The file of an earlier version is not on this machine, and only it says in which part of the "
    "budget each person is. Ask the people who run this installation to put it back."
)

_OTHER_IDS = said(
    "An earlier file has the same content, but some ids are written in another way here, or are in "
    "another column, so that these people are not found again in their parts of the budget. Write "
    "all ids as they were, with leading zeros for example, and in the same encoding. If they were "
    "wrong there, ask another data owner to bring this file: from then on every question is paid "
    "by all parts."
)


def _versions_in(budget_id: UUID) -> list[DatasetVersion]:
    """Everything that entered the budget, in that order."""
    found = DatasetVersion.objects.filter(dataset__budget=budget_id)
    # Those of a paused dataset were asked about; of a discarded one nobody ever could.
    found = found.exclude(discarded("dataset__"))
    return list(found.select_related("dataset").order_by("created_at", "dataset_id", "number"))


def _earlier(version: DatasetVersion, categories: Sequence[str]) -> EarlierFile:
    column = Column.objects.get(version=version, name=version.dataset.partition_column)
    now = {name: code for code, name in enumerate(categories)}
    codes = tuple(now.get(name, ELSEWHERE) for name in column.categories)
    return EarlierFile(str(storage.data_path(version.pk)), column.position, codes)


def enter_budget(
    dataset: Dataset,
    schema: DatasetSchema,
    ingested: Ingested,
    *,
    brought_by: UUID,
    adds_rows: bool = False,
) -> None:
    """A file of the dataset is about to be recorded: see that its units lie where they lay.

    With `adds_rows` it holds what is stored of the version before, and rows of its own: where each
    row is a unit, nobody can have moved. In the caller's transaction, under the turn of its tenant.
    Raises ReadAgain when the file was not read beside those of the budget, and InvalidDomain when
    people of an earlier file of the same content are not found again; after that nothing may be
    recorded.
    """
    budget_id = dataset.budget_id
    if not dataset.partition_column or not _versions_in(budget_id):
        return
    add_parts(budget_id=budget_id, parts=partition_parts(schema, dataset.partition_column)[:-1])
    if is_undivided(budget_id) or (adds_rows and not dataset.private_id):
        return
    files = earlier_files(budget_id, schema, dataset.partition_column, brought_by=brought_by)
    if not files:
        give_up_parts(budget_id=budget_id)
    elif tuple(file.path for file in files) != ingested.beside:
        raise ReadAgain(budget_id)
    elif ingested.newcomers and is_in_budget(budget_id, brought_by, ingested.fingerprint):
        # Whoever is not found again would be placed by another first row. To end the discount for
        # it would tell everybody of these rows; all of them this person brought, who may know.
        raise InvalidDomain("columns", _OTHER_IDS)


def share_lines(budget_id: UUID, dataset: Dataset, schema: DatasetSchema) -> None:
    """A dataset that was read by itself, and never asked, comes to share this budget's lines.

    Its units lie where its own file has them, so the discount ends.
    """
    if dataset.partition_column:
        add_parts(budget_id=budget_id, parts=partition_parts(schema, dataset.partition_column)[:-1])
        give_up_parts(budget_id=budget_id)
