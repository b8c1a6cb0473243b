"""What somebody can lose to questions about parts of a dataset, at worst, by what was stored."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version
from dpgov.engines.child import RefusedFile
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.schema import ColumnSpec, InvalidDomain, Neighbouring
from dpgov.tenants.models import Membership
from tests.integration.datasets.filing import (
    Row,
    as_file,
    ask,
    columns,
    committed,
    registered,
    stored_parts,
    versioned,
)

PEOPLE = 4
ORDERS = (
    ("id", "visits", "region"),
    ("region", "id", "visits"),
    ("note", "visits", "region", "id"),
)
_CENT = NANO // 100

Files = list[tuple[Dataset, dict[int, set[str]], dict[str, int]]]


@dataclass(frozen=True, slots=True)
class Step:
    """A file that comes, and the questions about it; `again` is the content of an earlier one.

    What it `adds` are new rows for the first dataset: of new people, where rows are units. `ids`
    says how ids are written: as another tool writes the same numbers, and in content that comes
    again also as nobody could know them again. Another owner brings what is `by_other`, as a
    version or as new rows.
    """

    again: int | None
    regions: tuple[tuple[str, ...], ...]
    order: tuple[str, ...]
    missing: str
    first: str
    questions: tuple[tuple[str, int], ...]
    adds: bool = False
    ids: str = "plain"
    by_other: bool = False


WRITTEN = {"plain": "{}", "floats": "{}.0", "exponents": "{:.10e}", "padded": "00{}"}
_IDS = 12_345_678_900


def _written(rows: list[Row], ids: str, *, again: bool) -> list[Row]:
    form = WRITTEN["floats" if ids == "padded" and not again else ids]
    return [(form.format(int(who)), visits, region) for who, visits, region in rows]


@dataclass(slots=True)
class History:
    """What entered one budget, and what was asked of each file.

    `last` is how the first dataset's newest file is declared and laid out, `chains` which file each
    one goes on from, where it holds the rows of that one as they were.
    """

    owner: Membership
    other: Membership
    analyst: Membership
    named: bool
    neighbouring: Neighbouring
    contents: list[tuple[list[Row], tuple[str, ...], Membership]] = field(default_factory=list)
    files: Files = field(default_factory=list)
    chains: list[int] = field(default_factory=list)
    last: tuple[tuple[ColumnSpec, ...], tuple[str, ...], int] | None = None
    added: int = 0

    def take(self, step: Step) -> None:
        """The file arrives as a registration, the same data once more, a version, or new rows."""
        if step.adds and self.last and self.neighbouring is Neighbouring.ADD_REMOVE:
            self._add(step, *self.last)
        else:
            self._take_whole(step)

    def _add(
        self, step: Step, specs: tuple[ColumnSpec, ...], order: tuple[str, ...], chain: int
    ) -> None:
        """Other rows of the same people by their ids, or where rows are units, of others."""
        self.added += 1
        rows = _written(self._rows(step, again=self.added), step.ids, again=False)
        dataset = self.files[0][0]
        try:
            versioned(self._who(step), dataset, as_file(rows, order), specs, append_rows=True)
        except InvalidDomain:
            # They resemble others too much, or somebody else brought those: nothing entered.
            return
        self._asked(step, dataset, chain)

    def _take_whole(self, step: Step) -> None:
        specs = columns(missing=step.missing, first=step.first)
        again = step.again is not None and step.again < len(self.contents)
        if again:
            rows, order, before = self.contents[step.again or 0]
            order = (*order[1:], order[0])
        else:
            rows, order, before = self._rows(step), step.order, None
        who = self._who(step)
        try:
            content = as_file(_written(rows, step.ids, again=again), order)
            # Only what is their own data comes to share the budget when it is registered again.
            dataset = self._entered(who, content, specs, registers=before == who)
        except (RefusedFile, InvalidDomain):
            # No cell of a column is as declared, or people are not found again: nothing entered.
            return
        self.contents.append((rows, order, who))
        chain = len(self.files)
        if not self.files or dataset == self.files[0][0]:
            self.last = specs, order, chain
        self._asked(step, dataset, chain)

    def _who(self, step: Step) -> Membership:
        """Who brings it; the first file is the owner's."""
        return self.other if step.by_other and self.files else self.owner

    def _entered(
        self, who: Membership, content: bytes, specs: tuple[ColumnSpec, ...], *, registers: bool
    ) -> Dataset:
        """As a dataset of its own, or as a version of the first one."""
        if registers or not self.files:
            return registered(
                who,
                content,
                specs,
                named=self.named,
                neighbouring=self.neighbouring,
            )
        dataset = self.files[0][0]
        versioned(who, dataset, content, specs)
        return dataset

    def _asked(self, step: Step, dataset: Dataset, chain: int) -> None:
        asked: dict[str, int] = {}
        for region, cents in step.questions:
            ask(self.analyst, dataset, region, cents * _CENT)
            asked[region] = asked.get(region, 0) + cents * _CENT
        self.files.append((dataset, _places(current_version(dataset)), asked))
        self.chains.append(chain)

    def _rows(self, step: Step, again: int = 0) -> list[Row]:
        """Where rows are units, one row each; they are told apart by the last digit of visits."""
        return [
            (str(_IDS + who), who + 10 * again, region)
            for who, own in enumerate(step.regions)
            for region in (own if self.named else own[:1])
        ]

    def booked(self) -> int:
        if not self.files:
            return 0
        budgets = {Dataset.objects.get(pk=dataset.pk).budget_id for dataset, _, _ in self.files}
        assert len(budgets) == 1
        return committed(self.files[0][0])

    def worst(self) -> int:
        """The most that anybody can have lost to everything that was asked."""
        if not self.named:
            return sum(worst_row(asked, self.neighbouring) for asked in self._asked_of_chains())
        return max(self._lost(who) for who in range(PEOPLE))

    def _asked_of_chains(self) -> list[Counter[str]]:
        """Where rows only come, each stays where it is: what was asked of it is added by parts."""
        found: dict[int, Counter[str]] = {}
        for chain, (_, _, asked) in zip(self.chains, self.files, strict=True):
            found.setdefault(chain, Counter()).update(asked)
        return list(found.values())

    def _lost(self, who: int) -> int:
        """Of a person: in each file in the parts where they are; changed, also in any one part.

        A question about one file touches nobody who came into its part with another.
        """
        elsewhere: list[set[str]] = [{other} for other in ("North", "South", "else")]
        if self.neighbouring is Neighbouring.ADD_REMOVE:
            elsewhere = [set()]
        return max(
            sum(
                nano
                for _, places, asked in self.files
                for at, nano in asked.items()
                if lies_in(at, places.get(who, set()) | to)
            )
            for to in elsewhere
        )


def _places(version: DatasetVersion) -> dict[int, set[str]]:
    """In which parts each person has rows, by the last digit of their visits."""
    found: dict[int, set[str]] = {}
    for visits, parts in stored_parts(version).items():
        found.setdefault(visits % 10, set()).update(parts)
    return found


def lies_in(part: str, places: set[str]) -> bool:
    """Whether a question about this part, or about all of them, is about somebody there."""
    return not part or part in places


def worst_row(asked: Mapping[str, int], neighbouring: Neighbouring) -> int:
    """A row can lie in any part of each file, and be changed into one in any other part."""
    pairs = product(("North", "South", "else"), repeat=2)
    if neighbouring is Neighbouring.ADD_REMOVE:
        pairs = product(("North", "South", "else"), ("else",))
    return max(
        sum(nano for part, nano in asked.items() if lies_in(part, set(both))) for both in pairs
    )
