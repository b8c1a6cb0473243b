"""Where this ledger lives: a copy that wakes up elsewhere knows that it is a copy."""

from django.db import models

from dpgov.tenants.models import Tenant


class DatabaseMark(models.Model):
    """One row: the identity of the database in which the ledger was last at home.

    `moves` goes up with each move and each freeze by hand, so that none is taken for another.
    `is_freezing` from when one by hand begins until everybody is frozen.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    identity = models.CharField(max_length=100)
    moves = models.PositiveIntegerField(default=0, db_default=0)
    is_freezing = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [models.CheckConstraint(name="budgets_one_mark", condition=models.Q(id=1))]

    def __str__(self) -> str:
        return self.identity


class RestoreMark(models.Model):
    """The checkpoint outside the database for which a tenant was frozen last.

    By its root too: a log that went on after a restore is soon as long as the lost one again.
    `is_for_all` once everybody else is frozen for it, too: until then every round tries the rest.
    """

    tenant = models.OneToOneField(
        Tenant, on_delete=models.PROTECT, primary_key=True, related_name="+"
    )
    outside_size = models.PositiveBigIntegerField()
    outside_root = models.BinaryField(max_length=32, default=b"", db_default=b"")
    is_for_all = models.BooleanField(default=True, db_default=True)

    def __str__(self) -> str:
        return f"{self.tenant_id} frozen for {self.outside_size}"


class RestoreSeen(models.Model):
    """What had everybody frozen, in the order in which it did: its number grows.

    A checkpoint outside of some tenant's, a move of the database, or a freeze by hand. `seen` is a
    hash of which it was, so that it says neither who that tenant is, nor how long their log.
    """

    seen = models.BinaryField(max_length=32, unique=True)

    def __str__(self) -> str:
        return f"{self.pk}: {bytes(self.seen).hex()[:12]}"


class FreezeMark(models.Model):
    """Up to which of these a tenant was frozen; for its own checkpoint its `RestoreMark` says so.

    One number, however many tenants a restore shows in: each would keep a row for every other.
    """

    tenant = models.OneToOneField(
        Tenant, on_delete=models.PROTECT, primary_key=True, related_name="+"
    )
    up_to = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.tenant_id} frozen up to {self.up_to}"
