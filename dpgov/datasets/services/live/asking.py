"""The engine of a version; and a live table as it knows it: server, source, key, its form.

The only module that opens a password; for an answering worker, and for the check of a registration.
"""

from uuid import UUID

from django.conf import settings

from dpgov.datasets.models import DatasetVersion, LiveTable
from dpgov.datasets.selectors import schema_of
from dpgov.datasets.services.files.data import file_engine
from dpgov.datasets.services.live import sealing
from dpgov.datasets.services.live.refusals import (
    NO_PASSWORD,
    NOT_ALLOWED,
    NOT_REACHED,
    RefusedTable,
    refused,
)
from dpgov.datasets.services.stored.keeping import DataMissing
from dpgov.engines.base import DataNotOpened, Engine
from dpgov.engines.ingest.recognised.multiset import derived
from dpgov.engines.postgres.checking import Known, SourceRefused
from dpgov.engines.postgres.engine import PostgresEngine, check_source
from dpgov.engines.postgres.rows import Source
from dpgov.engines.postgres.server import Server
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit


def engine_for(version: DatasetVersion) -> Engine:
    """The engine of this version, wherever its rows are.

    Raises DataMissing, and DataNotOpened where a live table cannot be asked at present.
    """
    return live_engine(version) if version.file_seal == version.LIVE else file_engine(version)


def live_engine(version: DatasetVersion) -> PostgresEngine:
    """The engine of a live version, made anew for each question: passwords change.

    Its server was reached a moment ago and had the declared form. Raises DataMissing where this
    process cannot open the password, and DataNotOpened where the table cannot be asked now.
    """
    live = LiveTable.objects.get(dataset=version.dataset_id)
    schema = schema_of(version)
    try:
        server = _server(live, sealing.opened(live))
    except sealing.NotOpened:
        raise DataMissing(version.pk) from None
    engine = PostgresEngine(
        server,
        _source(live, schema.columns, schema.unit),
        allowed=settings.DPGOV_LIVE["servers"],
        key=_key_of(version.dataset_id),
        seconds=min(settings.DPGOV_LIVE["seconds"], settings.DPGOV_QUERY_SECONDS),
    )
    engine.reach()
    return engine


def look_at(
    live: LiveTable,
    password: str | None = None,
    *,
    columns: tuple[ColumnSpec, ...] = (),
    unit: PrivacyUnit | None = None,
) -> Known:
    """What the server's catalog says of the table, if it can be asked as it is declared.

    With the stored password unless one is given. Raises RefusedTable.
    """
    if live.address not in settings.DPGOV_LIVE["servers"]:
        raise RefusedTable(NOT_ALLOWED, field="host")
    source = _source(live, columns, unit or PrivacyUnit())
    try:
        secret = sealing.opened(live) if password is None else password
        allowed = settings.DPGOV_LIVE["servers"]
        return check_source(_server(live, secret), source, allowed=allowed)
    except sealing.NotOpened:
        problem = RefusedTable(NO_PASSWORD, field="password")
    except SourceRefused as refusal:
        problem = refused(refusal)
    except DataNotOpened:
        problem = RefusedTable(NOT_REACHED, field="host")
    raise problem


def _server(live: LiveTable, password: str) -> Server:
    return Server(
        live.host,
        live.port,
        live.database,
        live.role,
        password,
        settings.DPGOV_LIVE["tls"],
        settings.DPGOV_LIVE["ca_file"],
    )


def _source(live: LiveTable, columns: tuple[ColumnSpec, ...], unit: PrivacyUnit) -> Source:
    return Source(live.schema, live.table, columns, unit)


def _key_of(dataset_id: UUID) -> bytes:
    """A secret of this table alone, the same over all its versions."""
    return derived(settings.DPGOV_FINGERPRINT_KEY, f"live table of {dataset_id}")
