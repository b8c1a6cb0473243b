"""The engine of a version; and a live table as it knows it: server, source, key, its form.

The only module that opens a password; for an answering worker, and for the check of a registration.
"""

from uuid import UUID

from django.conf import settings

from dpgov.datasets.models import DatasetVersion, LiveTable
from dpgov.datasets.selectors import schema_of
from dpgov.datasets.services.files.data import file_engine
from dpgov.datasets.services.fingerprint_key import FingerprintKeyChanged
from dpgov.datasets.services.live import sealing
from dpgov.datasets.services.live.following import follow
from dpgov.datasets.services.live.kinds import kind_of
from dpgov.datasets.services.live.kinds.base import SourceDescription
from dpgov.datasets.services.live.marks import marks_of
from dpgov.datasets.services.live.refusals import NO_PASSWORD, RefusedTable
from dpgov.datasets.services.stored.keeping import DataMissing
from dpgov.engines.base import DataNotOpened, Engine
from dpgov.engines.keys import derived
from dpgov.engines.live import LiveEngine, SourceRefused
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit


def engine_for(version: DatasetVersion) -> Engine:
    """The engine of this version, wherever its rows are.

    Raises DataMissing; and of a live table DataNotOpened where it cannot be asked at present, and
    ReadsAnother where two persons have to decide about it first.
    """
    return live_engine(version) if version.file_seal == version.LIVE else file_engine(version)


def live_engine(version: DatasetVersion) -> LiveEngine:
    """The engine of a live version, made anew for each question: passwords change.

    Its server was reached a moment ago and had the declared form, and whatever the table reads is
    this dataset's. Raises DataMissing where this process cannot open the password, has no client of
    such servers, or another key than tables are known by; DataNotOpened where the table cannot be
    asked now; and ReadsAnother where the dataset is held from now on.
    """
    live = LiveTable.objects.select_related("tenant").get(dataset=version.dataset_id)
    kind, schema = kind_of(live), schema_of(version)
    if kind.lacks is not None:
        raise DataMissing(version.pk)
    try:
        secret = sealing.opened(live)
    except sealing.NotOpened:
        raise DataMissing(version.pk) from None
    engine = kind.engine(live, secret, schema.columns, schema.unit, _key_of(version.dataset_id))
    names = kind.names(live, engine.reach())
    try:
        marks = marks_of(names)
    except FingerprintKeyChanged:
        raise DataMissing(version.pk) from None
    follow(live, marks)
    return engine


def look_at(
    live: LiveTable,
    password: str | None = None,
    *,
    columns: tuple[ColumnSpec, ...] = (),
    unit: PrivacyUnit | None = None,
) -> SourceDescription:
    """What the server says of the table's form, if it can be asked as it is declared.

    With the stored password unless one is given. Raises RefusedTable.
    """
    kind = kind_of(live)
    if kind.lacks is not None:
        raise RefusedTable(kind.lacks)
    if not kind.is_allowed(live):
        raise RefusedTable(kind.not_allowed, field="host")
    try:
        secret = sealing.opened(live) if password is None else password
        return kind.check(live, secret, columns, unit or PrivacyUnit())
    except sealing.NotOpened:
        problem = RefusedTable(NO_PASSWORD, field="password")
    except SourceRefused as refusal:
        field, words = kind.problems[refusal.problem]
        problem = RefusedTable(words, field=field, column=refusal.column)
    except DataNotOpened:
        problem = RefusedTable(kind.not_reached, field="host")
    raise problem


def _key_of(dataset_id: UUID) -> bytes:
    """A secret of this table alone, the same over all its versions."""
    return derived(settings.DPGOV_FINGERPRINT_KEY, f"live table of {dataset_id}")
