"""After a restore nothing is admitted until an officer has confirmed the balances.

A backup may be older than the last answer. A restored database notices that it is not where it was
(another server, another database, another file), or that a checkpoint outside it is ahead of its
own log.

Where it is, is one text that no copy of it has: kept inside, compared from outside. PostgreSQL: the
cluster's identifier and the database's own number, neither of which is in a dump. SQLite: the
machine, the path of the file, and which file it is there: its inode and its birth, which neither a
copy nor a file that is put back keeps. What a backup writes *into* the very same file is not seen
here; the database does then not know the checkpoints beside it.
"""

import ctypes
import hashlib
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR, Actor
from dpgov.audit.keys.note import Checkpoint
from dpgov.audit.services import append
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget, Correction, DatabaseMark, RestoreMark
from dpgov.budgets.services.corrections import correct
from dpgov.budgets.standing import FREEZABLE
from dpgov.budgets.together import charged_together
from dpgov.budgets.words import noted
from dpgov.language.said import as_values
from dpgov.operation import clock
from dpgov.tenants.selectors import hold_turn


class NotFrozen(Exception):
    """The budget was confirmed before, or never frozen."""


def moved() -> bool:
    """Whether this database is another one than the ledger was last at home in."""
    here = identity()
    return here is not None and _home() not in (None, here)


def confirm_place() -> None:
    """Raise BudgetFrozen in a database that moved; asked once for each connection."""
    if getattr(connection, "dpgov_at_home", None) is connection.connection:
        return
    home, here = _home(), identity()
    if home is None and here is not None:
        DatabaseMark.objects.bulk_create([DatabaseMark(identity=here)], ignore_conflicts=True)
    elif home != here and here is not None:
        raise BudgetFrozen
    connection.dpgov_at_home = connection.connection  # type: ignore[attr-defined]


def _home() -> str | None:
    return DatabaseMark.objects.filter(pk=1).values_list("identity", flat=True).first()


def begin_freezing() -> str:
    """Note that everybody is to be frozen by hand, before anybody is: it may break off.

    Returns what it is called. One that broke off before is taken over by it.
    """
    DatabaseMark.objects.get_or_create(pk=1, defaults={"identity": identity() or ""})
    DatabaseMark.objects.filter(pk=1).update(moves=F("moves") + 1, is_freezing=True)
    return _freeze_of(DatabaseMark.objects.get(pk=1))


@transaction.atomic
def settle_in(freeze: str) -> None:
    """Call this database home, after every tenant has been frozen for this move, or by hand.

    Does nothing when another freeze by hand was begun since.
    """
    home = DatabaseMark.objects.select_for_update().get(pk=1)
    if freeze in {_move_of(home), _freeze_of(home)}:
        home.identity = identity() or home.identity
        home.moves, home.is_freezing = home.moves + 1, False
        home.save()


def this_move() -> str:
    """Which move it is that `moved` tells of; no other one is called so, there and back again."""
    return _move_of(DatabaseMark.objects.get(pk=1))


def this_freeze() -> str | None:
    """Which freeze by hand it is that is not over; None without one."""
    begun = DatabaseMark.objects.filter(pk=1, is_freezing=True).first()
    return _freeze_of(begun) if begun else None


def _move_of(home: DatabaseMark) -> str:
    return f"move {home.moves} from {home.identity} to {identity()}"


def _freeze_of(home: DatabaseMark) -> str:
    return f"freeze {home.moves}"


@transaction.atomic
def freeze_tenant(
    *, tenant_id: UUID, reason: str, actor: Actor = OPERATOR, outside: Checkpoint | None = None
) -> int:
    """Freeze every dataset, shared budget and open survey; how many were frozen by this call.

    `reason` is ours (`Said`) or a person's own; `outside` the newest checkpoint outside, for which
    the tenant is not frozen once more. Whether everybody else is frozen for it is not known here:
    the rest is tried again until a caller who froze everybody says so (`restored`).
    """
    hold_turn(tenant_id)
    budgets = Budget.objects.filter(FREEZABLE, tenant_id=tenant_id, frozen_at__isnull=True)
    # In the order in which every question takes those that it is charged to.
    list(budgets.order_by("pk").select_for_update(no_key=True).values_list("pk"))
    kept = as_values(reason)
    count = budgets.update(frozen_at=clock.now(), frozen_reason=kept)
    size = outside.size if outside else None
    if outside is not None:
        RestoreMark.objects.update_or_create(
            tenant_id=tenant_id,
            defaults={
                "outside_size": outside.size,
                "outside_root": outside.root,
                "is_for_all": False,
            },
        )
    append(
        tenant_id=tenant_id,
        actor=actor,
        action=Action.DATASETS_FROZEN,
        subject=f"tenant:{tenant_id}",
        detail={"reason": kept, "budgets": count, "outside_size": size},
    )
    return count


@transaction.atomic
def confirm_budget(
    *, budget: Budget, actor: Actor, reason: str, missing_nano: int | None = None
) -> None:
    """An officer confirms a frozen budget; `missing_nano` is booked for what the backup lacks.

    It is an amount of the budget's currency. What the questions hold that waited stays held: who
    lets them go on vouches that none was answered in what the backup lacks, and who does not ends
    them first, in the same transaction (`queries.answering.restored`).

    What people lost in a dataset is booked on the budget that it shares, too, and on those of both
    parents of a derived one. Raises NotFrozen, or InsufficientBudget when more is missing than
    remains.
    """
    charged = _charged_with(budget)
    shared = [one for one in charged if one.kind == Budget.Kind.SHARED_BUDGET and one != budget]
    # Of a divided parent its parts are booked, and stand in no entry: as the dataset's own.
    parents = [one for one in charged if one.kind == Budget.Kind.DATASET and one != budget]
    frozen = Budget.objects.filter(pk=budget.pk, frozen_at__isnull=False)
    if not frozen.update(frozen_at=None, frozen_reason={}):
        raise NotFrozen
    if missing_nano is not None:
        for missing in charged:
            correct(
                budget=missing,
                kind=Correction.Kind.AFTER_RESTORE,
                amount_nano=missing_nano,
                reason=reason,
                tenant_id=budget.tenant_id,
            )
    append(
        tenant_id=budget.tenant_id,
        actor=actor,
        action=Action.BUDGET_CONFIRMED,
        subject=f"budget:{budget.pk}",
        dataset=budget.label,
        detail={
            "reason": reason,
            **noted(missing_nano, budget.currency, "booked"),
            "shared_budgets": _named(shared),
            **({"parents": _named(parents)} if parents else {}),
        },
    )


def _named(budgets: Sequence[Budget]) -> list[dict[str, str]]:
    return [{"budget": str(one.pk)} for one in budgets]


def _charged_with(budget: Budget) -> list[Budget]:
    """What everybody's question on this budget is charged to; all locked, in the one order.

    Its parts, what it shares and, of a derived dataset, the same of both parents. Read again under
    the locks: a shared budget may be joined, left or merged while they are waited for.
    """
    everything = charged_together([budget.pk])[budget.pk].everything
    while True:
        rows = Budget.objects.filter(pk__in=[budget.pk, *everything]).order_by("pk")
        locked = list(rows.select_for_update(no_key=True))
        before, everything = everything, charged_together([budget.pk])[budget.pk].everything
        if set(everything) <= set(before):
            return [row for row in locked if row.pk in everything]


_OF_POSTGRESQL = """
SELECT (SELECT system_identifier FROM pg_control_system()) || '/' ||
       (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_MACHINE = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
# statx(2): where it answers, and where in the answer the birth of a file stands.
_HERE, _BIRTH, _SIZE, _MASK_AT, _SECONDS_AT, _NANO_AT = -100, 0x800, 256, 0, 80, 88


def identity() -> str | None:
    """This database's; None for one that lives in memory only."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_OF_POSTGRESQL)
            return str(cursor.fetchone()[0])
    path = _file()
    return None if path is None else identity_of_file(path)


def identity_of_file(path: Path) -> str:
    """Of a database in a file; raises OSError when it is not there."""
    real = path.resolve(strict=True)
    facts = [_machine(), str(real), str(real.stat().st_ino), str(_born(real))]
    return f"sqlite/{hashlib.sha256(chr(0).join(facts).encode()).hexdigest()}"


def _file() -> Path | None:
    """The file that is really open, whatever the settings say."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA database_list")
        found = {name: file for _, name, file in cursor.fetchall()}
    return Path(found["main"]) if found["main"] else None


def _machine() -> str:
    for path in _MACHINE:
        try:
            return path.read_text().strip()
        except OSError:
            continue
    return ""


def _born(path: Path) -> int:
    """When the file came to be, in ns; 0 where the system does not tell."""
    statx = getattr(ctypes.CDLL(None), "statx", None)
    if statx is None:
        return 0
    answer = ctypes.create_string_buffer(_SIZE)
    failed = statx(_HERE, bytes(path), 0, _BIRTH, answer)
    if failed or not _number(answer, _MASK_AT, 4) & _BIRTH:
        return 0
    return _number(answer, _SECONDS_AT, 8) * 10**9 + _number(answer, _NANO_AT, 4)


def _number(answer: "ctypes.Array[ctypes.c_char]", start: int, width: int) -> int:
    return int.from_bytes(answer.raw[start : start + width], "little")
