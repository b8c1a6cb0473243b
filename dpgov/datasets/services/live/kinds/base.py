"""What a kind of live tables has to say: what is typed, how it is read, when two are the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol

from django.conf import settings

from dpgov.datasets.models import LiveTable
from dpgov.engines.live import CellKind, LiveEngine, Provenance
from dpgov.language.said import Said, said
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit


@dataclass(frozen=True, slots=True)
class TypedField:
    """Something that an owner types to say where rows are; `name` is a field of LiveTable.

    `may_change`: it is no part of the place, and may be replaced together with the password.
    """

    name: str
    label: Said
    help: Said | None = None
    initial: str | int = ""
    longest: int = 63
    how: Literal["text", "number", "tick"] = "text"
    may_change: bool = False


HOST = TypedField(
    "host",
    said("Host"),
    said("As the people who run this installation allowed it."),
    longest=253,
)


def port(initial: int) -> TypedField:
    """The port, with the usual one of such servers."""
    return TypedField("port", said("Port"), initial=initial, how="number")


def statement_seconds() -> int:
    """How long a statement for an answer may take, whatever kind of server it is asked of."""
    return int(min(settings.DPGOV_LIVE["seconds"], settings.DPGOV_QUERY_SECONDS))


@dataclass(frozen=True, slots=True)
class SourceNames:
    """By what a source is known again, in the open; `marks` hashes them.

    `kept` are stored: True is the source itself, False what it reads or lies in. `sought` are those
    by which another one is the same, or has rows of it. Only one source that can be asked has
    `claim`.
    """

    claim: str
    kept: Mapping[str, bool]
    sought: frozenset[str]


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """What a server says of a source, and nothing of its rows.

    `columns` are all there are, by their names; None is one that is not read.
    """

    columns: Mapping[str, CellKind | None]
    names: SourceNames


Problems = Mapping[StrEnum, tuple[str, Said]]
"""The field that each problem of an engine is said at, and the words."""


class SourceKind(Protocol):
    """One kind. What it returns or raises has nothing of what a server said of a failure."""

    name: str
    # What the pages call it, what stands above the form and below it.
    title: Said
    rows_are: Said
    lead: Said
    notes: tuple[Said, ...]
    fields: tuple[TypedField, ...]
    secret: TypedField
    # The field that says which rows of the server they are.
    named_by: str
    not_allowed: Said
    not_reached: Said
    problems: Problems
    # Whether the tasks of an answer have to be started in several processes first.
    is_cluster: bool

    @property
    def is_offered(self) -> bool:
        """Whether this installation lists any server of this kind."""
        ...

    @property
    def lacks(self) -> Said | None:
        """What this installation lacks to read any, if it does."""
        ...

    def is_allowed(self, live: LiveTable) -> bool:
        """Whether the server is listed, and what is to be read there."""
        ...

    def written(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What was typed, in the one spelling that is stored."""
        ...

    def check(
        self, live: LiveTable, secret: str, columns: tuple[ColumnSpec, ...], unit: PrivacyUnit
    ) -> SourceDescription:
        """Ask the server for the form; raises SourceRefused and DataNotOpened."""
        ...

    def engine(
        self,
        live: LiveTable,
        secret: str,
        columns: tuple[ColumnSpec, ...],
        unit: PrivacyUnit,
        key: bytes,
    ) -> LiveEngine:
        """What answers; nothing is called yet."""
        ...

    def names(self, live: LiveTable, provenance: Provenance) -> SourceNames:
        """By what it is known while its rows come from there."""
        ...

    def sought(self, live: LiveTable) -> frozenset[str] | None:
        """Of `SourceNames.sought` those that follow from the place alone; None: the kept ones."""
        ...
