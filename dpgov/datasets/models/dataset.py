"""Datasets, their versions and columns, and files on their way in."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.models import Budget
from dpgov.datasets.models.live import LiveTable
from dpgov.operation.clock import DatabaseStamp, Stamp
from dpgov.privacy.accounting.loss import Currency
from dpgov.privacy.plan.calendar import STEP_WORDS, DateStep
from dpgov.privacy.plan.schema import MissingRule, Neighbouring
from dpgov.tenants.models import Tenant, User


class Upload(models.Model):
    """A file on its way to becoming a dataset version; visible to its uploader alone.

    `reading` is how it is read, see `engines.child.Inspection`; empty: as it stands.
    `public_for`: a public table, whose columns are joined to the rows of that file. `joined` says
    how, see `services.files.joins`, and then `headers` ends with the columns that are taken.
    `live`: there is no file, and the columns are those of that table in its owner's server.
    """

    class State(models.TextChoices):
        READY = "ready", _("Ready")
        USED = "used", _("Used")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    uploader = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    original_name = models.CharField(max_length=200)
    format = models.CharField(
        max_length=8,
        choices=[
            ("csv", "CSV"),
            ("parquet", "Parquet"),
            ("xlsx", "Excel"),
            ("live", _("Live table")),
        ],
    )
    byte_size = models.PositiveBigIntegerField()
    headers = models.JSONField()
    # The types that the file's own schema states, in the order of `headers`; empty for CSV.
    kinds = models.JSONField(default=list, blank=True)
    reading = models.JSONField(default=dict)
    public_for = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="public_tables"
    )
    joined = models.JSONField(default=dict, blank=True)
    live = models.ForeignKey(
        LiveTable, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.READY)
    created_at = Stamp(auto_now_add=True)

    def __str__(self) -> str:
        return self.original_name


class Dataset(models.Model):
    """A governed table: whose privacy, under which relation, with which budget.

    Held (`held_at`, for a reason) until somebody has decided whether its people are in an earlier
    dataset: until then it looks missing and cannot be asked. Which were `discarded` says a module.
    Paused (`paused_at`) by its owners it is seen and takes no question; `resumed_at` is when they
    ended that last.
    `terms_version` is that of the terms of use in force, 0 without any: for pages and prices, while
    what decides are the rows of `TermsOfUse`.
    `named_only`: nobody sees it but who governs and whom its owners named, see `datasets.audience`.
    `opened_at` is when it could first be asked about; None while it was held ever since it came,
    also where it was asked in what a restored backup lacks: see `discarded.could_be_asked`.
    `is_derived`: its rows were put together out of two other datasets', see `DerivedFrom`.
    `live`: its rows stay in that table of its owner's server, and it has no file.
    `kept_until` is the last day (UTC) on which its data is kept; None: until someone deletes it.
    Once archived its data files may be deleted (`data_deleted_at`); fingerprints and ledger stay.

    `private_id` is the column that names the unit, and `public_units` how many there are where
    that is public (change_one).
    """

    class Unit(models.TextChoices):
        ROW = "row", _("Each row is one person (or unit)")
        PERSON = "person", _("A column names the person (or unit)")

    class Neighbouring(models.TextChoices):
        ADD_REMOVE = Neighbouring.ADD_REMOVE.value, _("Add or remove one unit")
        CHANGE_ONE = Neighbouring.CHANGE_ONE.value, _("Change one unit")

    class HeldReason(models.TextChoices):
        LIKE_EARLIER_DATA = "like_earlier_data", _("Held for a compliance check")
        NEW_DATA = "new_data", _("Waits for a compliance officer's look")
        PAUSED = "paused", _("Paused by a compliance officer")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="datasets")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, max_length=4000)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    unit = models.CharField(max_length=8, choices=Unit.choices, default=Unit.ROW)
    private_id = models.CharField(max_length=200, blank=True)
    max_rows_per_unit = models.PositiveIntegerField(default=1)
    max_groups_per_unit = models.PositiveIntegerField(null=True, blank=True)
    neighbouring = models.CharField(
        max_length=16, choices=Neighbouring.choices, default=Neighbouring.ADD_REMOVE
    )
    group_size = models.PositiveIntegerField(default=1)
    max_rows = models.PositiveBigIntegerField()
    public_rows = models.PositiveBigIntegerField(null=True, blank=True)
    public_units = models.PositiveBigIntegerField(null=True, blank=True)
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="+")
    per_query_limit_nano = models.BigIntegerField()
    partition_column = models.CharField(max_length=200, blank=True)
    needs_allocation = models.BooleanField(default=False)
    created_at = Stamp(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    data_deleted_at = models.DateTimeField(null=True, blank=True)
    held_at = models.DateTimeField(null=True, blank=True)
    held_reason = models.CharField(max_length=32, blank=True, choices=HeldReason.choices)
    paused_at = models.DateTimeField(null=True, blank=True)
    pause_reason = models.CharField(max_length=300, blank=True, default="", db_default="")
    resumed_at = models.DateTimeField(null=True, blank=True)
    kept_until = models.DateField(null=True, blank=True)
    terms_version = models.PositiveIntegerField(default=0, db_default=0)
    named_only = models.BooleanField(default=False, db_default=False)
    is_derived = models.BooleanField(default=False, db_default=False)
    live = models.OneToOneField(
        LiveTable, on_delete=models.PROTECT, null=True, blank=True, related_name="dataset"
    )

    class Meta:
        # Lists are by name: a page of thousands is read without sorting them all.
        indexes = [models.Index(fields=["tenant", "name", "slug"], name="datasets_by_name")]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "slug"],
                condition=Q(archived_at__isnull=True),
                name="datasets_slug_per_tenant",
            ),
            models.CheckConstraint(
                name="datasets_counts_are_positive",
                condition=Q(group_size__gte=1)
                & Q(max_rows_per_unit__gte=1)
                & Q(max_rows__gte=1)
                & Q(per_query_limit_nano__gte=1),
            ),
            models.CheckConstraint(
                name="datasets_unit_has_its_column",
                condition=Q(unit="row", private_id="", max_rows_per_unit=1)
                | (Q(unit="person") & ~Q(private_id="")),
            ),
            models.CheckConstraint(
                name="datasets_deleted_after_archived",
                condition=Q(data_deleted_at__isnull=True) | Q(archived_at__isnull=False),
            ),
            models.CheckConstraint(
                name="datasets_held_for_a_reason",
                condition=Q(held_at__isnull=True, held_reason="")
                | (Q(held_at__isnull=False) & ~Q(held_reason="")),
            ),
            models.CheckConstraint(
                name="datasets_live_has_no_public_rows",
                condition=Q(live__isnull=True)
                | Q(neighbouring="add_remove", partition_column="", is_derived=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def currency(self) -> Currency:
        """What its amounts are counted in."""
        return self.budget.currency


class DatasetVersion(models.Model):
    """One ingested file of a dataset, or declarations of a live table. Its domains never change;
    new ones make a new version.

    `public_rows` and the limits of a unit are as in the dataset, at the time of this version.
    `file_seal` is what a worker holds its file against, see `services.stored.seals`; LIVE: it has
    none, and the rows are in the dataset's live table.
    `added_by` brought the file: at once it is compared with data of that person's own alone.
    The data of a version that is not the newest may be deleted (`data_deleted_at`).
    `joined` names the public table whose columns stand beside its rows, its key and its SHA-256;
    empty: there is none.
    `cubes` is what the exact counts in its file were made with, see `datasets.cubes`; None: it has
    none, or was read before this was kept.
    `refreshed_by` is who declared that a live table has other rows than when the version before was
    the newest, see `services.live.refreshing`; None: it came in another way.
    """

    LIVE = "live"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    public_rows = models.PositiveBigIntegerField(null=True, blank=True)
    max_rows_per_unit = models.PositiveIntegerField(default=1)
    max_groups_per_unit = models.PositiveIntegerField(null=True, blank=True)
    file_seal = models.CharField(max_length=32)
    joined = models.JSONField(default=dict, blank=True)
    cubes = models.JSONField(null=True, blank=True)
    refreshed_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # Compared with when questions were published, which the database says.
    created_at = DatabaseStamp(auto_now_add=True)
    data_deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="datasets_version_number"),
            models.CheckConstraint(
                name="datasets_refreshed_is_live_and_follows",
                condition=Q(refreshed_by__isnull=True) | Q(file_seal="live", number__gt=1),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dataset} v{self.number}"


class Column(models.Model):
    """A queryable column with its declared domain. Columns left out are not queryable.

    Of dates `lower` and `upper` are periods in ISO 8601, `step` is the name of their length, and
    `date_format` is how the file writes them where it is not in ISO 8601. `formula` is how it is
    computed from other columns, see `privacy.plan.formula`; empty: it is a column of the file.
    """

    class Kind(models.TextChoices):
        NUMBER = "number", _("Number")
        CATEGORY = "category", _("Category")
        DATE = "date", _("Date")

    class Missing(models.TextChoices):
        DROP = MissingRule.DROP.value, _("Leave the row out of this column's statistics")
        IMPUTE = MissingRule.IMPUTE.value, _("Use a fixed value instead")
        REQUIRE = MissingRule.REQUIRE.value, _("There are none: refuse a file that has one")

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    version = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="columns")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    lower = models.CharField(max_length=40, blank=True)
    upper = models.CharField(max_length=40, blank=True)
    step = models.CharField(max_length=40, blank=True)
    categories = models.JSONField(default=list, blank=True)
    date_format = models.CharField(max_length=40, blank=True, default="")
    time_zone = models.CharField(max_length=64, blank=True, default="")
    missing = models.CharField(max_length=8, choices=Missing.choices, default=Missing.DROP)
    impute = models.CharField(max_length=200, blank=True)
    formula = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["version", "name"], name="datasets_column_name"),
            models.UniqueConstraint(fields=["version", "position"], name="datasets_column_place"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def step_said(self) -> str:
        """The step in the reader's language: a number, or “one day”."""
        return (
            gettext(STEP_WORDS[DateStep(self.step)]) if self.kind == self.Kind.DATE else self.step
        )
