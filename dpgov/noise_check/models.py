"""What the last noise check found: one row, for every machine of the installation."""

from django.db import models


class LastRun(models.Model):
    """The one row with the last run of all statistics; it is about made-up tables and no tenant's.

    `report` is what `noise_check.findings` makes of it and reads.
    """

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY, editable=False)
    report = models.JSONField()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=models.Q(id=1), name="noise_check_one_last_run"),
        )

    def __str__(self) -> str:
        return str(self.report.get("verdict", ""))
