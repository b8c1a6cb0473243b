"""An owner says where a table is, and with which password it is read.

Step one of a registration: the server is asked for the form of the table, and names and types of
its columns go into the same form that a file's do. Counted before it connects, so that nobody
guesses passwords through us. The password is sealed with the table's row and is nowhere else: in no
draft, no entry and no message.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets.models import Checked, Dataset, LiveTable, Upload
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.files.uploads import calling
from dpgov.datasets.services.live import sealing
from dpgov.datasets.services.live.asking import look_at
from dpgov.datasets.services.live.kinds import kind_of, offered
from dpgov.datasets.services.live.kinds.base import SourceDescription, SourceKind
from dpgov.datasets.services.live.refusals import RefusedTable, TooManyTries
from dpgov.datasets.services.turns import queue_up
from dpgov.engines.ingest.limits import MAX_COLUMNS, MAX_NAME_LENGTH
from dpgov.engines.live import CellKind
from dpgov.language.said import said
from dpgov.operation import clock
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import actor_of

_TRIES = UUID("3b1b1d3a-7a5e-4a57-9a0e-0c64d2c1a4f7")
# In the words of declarations, as the schema of a Parquet file states them.
_STATED = {
    CellKind.BOOLEAN: "truth",
    CellKind.INTEGER: "number",
    CellKind.SHORT: "number",
    CellKind.NUMERIC: "number",
    CellKind.FLOAT: "number",
    CellKind.TEXT: "category",
    CellKind.UUID: "category",
    CellKind.DAY: "date",
    CellKind.CLOCK: "date",
    CellKind.MOMENT: "date",
}


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a table is, and the password to read it with; `values` by the fields of its kind."""

    kind: SourceKind
    values: Mapping[str, Any]
    password: str = field(repr=False)


def are_offered() -> bool:
    """Whether this installation allows any server at all."""
    return bool(offered())


def connect_table(*, tenant: Tenant, user: User, place: TablePlace) -> Upload:
    """Look at the table's form, and keep it as something that can be registered; one entry.

    Raises RefusedTable naming the field, TooManyTries and Busy; then nothing is kept but the try.
    """
    if tenant.is_practice:
        raise RefusedTable(
            said("People practise here: register your table in your own organisation.")
        )
    live = _live(tenant, place)
    _count(tenant, user)
    with calling():
        seen = look_at(live, place.password)
    live.sealed = sealing.sealed(live, place.password)
    with transaction.atomic():
        live.save(force_insert=True)
        return _kept(live, user, seen)


def begin_declarations(*, dataset: Dataset, user: User) -> Upload:
    """The table of a dataset once more, as it is now, for a version with other declarations.

    Raises like `connect_table`.
    """
    live = _of(dataset)
    _count(dataset.tenant, user)
    with calling():
        seen = look_at(live)
    with transaction.atomic():
        return _kept(live, user, seen)


def replace_credentials(*, dataset: Dataset, password: str, user: User, **changed: str) -> None:
    """Read with this password, and role where there is one, from now on; one entry, without them.

    They are tried first, by the form of the table alone. Raises like `connect_table`, and
    Dataset.DoesNotExist where it was archived meanwhile.
    """
    live = _of(dataset)
    names = [typed.name for typed in kind_of(live).fields if typed.may_change]
    for name in names:
        setattr(live, name, changed[name])
    _count(dataset.tenant, user)
    schema = schema_of(current_version(dataset))
    with calling():
        look_at(live, password, columns=schema.columns, unit=schema.unit)
    live.sealed, live.sealed_at = sealing.sealed(live, password), clock.now()
    with transaction.atomic():
        present = Dataset.objects.select_for_update(of=("self",))
        found = present.get(pk=dataset.pk, archived_at__isnull=True)
        live.save(update_fields=[*names, "sealed", "sealed_at"])
        record(found, actor_of(user), Action.LIVE_CREDENTIALS_REPLACED, {"name": found.name})


def forget_password(live_id: UUID) -> None:
    """Nobody can ask the table any more; in the caller's transaction."""
    LiveTable.objects.filter(pk=live_id).update(sealed="")


def let_go(live_id: UUID) -> None:
    """Nobody ever could ask the table: it may be registered anew; in the caller's transaction."""
    LiveTable.objects.filter(pk=live_id).update(sealed="", claim="")


def _live(tenant: Tenant, place: TablePlace) -> LiveTable:
    kind = place.kind
    values = kind.written(place.values)
    return LiveTable(tenant=tenant, kind=kind.name, is_cluster=kind.is_cluster, **values)


def _of(dataset: Dataset) -> LiveTable:
    found = LiveTable.objects.filter(dataset=dataset.pk).first()
    if found is None:
        raise RefusedTable(said("The rows of this dataset are in files here, not in a live table."))
    return found


def _kept(live: LiveTable, user: User, seen: SourceDescription) -> Upload:
    columns = {name: kind for name, kind in seen.columns.items() if kind is not None}
    if not 0 < len(columns) <= MAX_COLUMNS:
        words = said("At most {most} columns can be registered together.", most=MAX_COLUMNS)
        raise RefusedTable(words, field=kind_of(live).named_by)
    upload = Upload.objects.create(
        tenant_id=live.tenant_id,
        uploader=user,
        original_name=live.name[:MAX_NAME_LENGTH],
        format="live",
        byte_size=0,
        headers=list(columns),
        kinds=[_STATED[kind] for kind in columns.values()],
        reading={"left_out": [name for name in seen.columns if name not in columns]},
        live=live,
    )
    append(
        tenant_id=live.tenant_id,
        actor=actor_of(user),
        action=Action.LIVE_TABLE_CONNECTED,
        subject=f"upload:{upload.pk}",
    )
    return upload


@transaction.atomic
def _count(tenant: Tenant, user: User) -> None:
    """Beside the checks of files: what a person may have looked at on one day (UTC)."""
    queue_up(tenant)
    most = settings.DPGOV_CHECKS_A_DAY_PERSON
    own = Checked.objects.filter(tenant=tenant, user=user, day=clock.today())
    if (own.aggregate(sum=Sum("times"))["sum"] or 0) >= most:
        raise TooManyTries(most)
    row, _new = Checked.objects.get_or_create(
        upload=uuid5(_TRIES, f"{tenant.pk} {user.pk}"),
        day=clock.today(),
        defaults={"tenant": tenant, "user": user},
    )
    Checked.objects.filter(pk=row.pk).update(times=F("times") + 1)
