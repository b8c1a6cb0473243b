"""What was there before officers looked: brought by the owner, looked at by comparison, opened."""

from typing import Any, ClassVar

from django.db import migrations
from django.db.models import F, OuterRef, Subquery


def _fill(apps: Any, schema_editor: Any) -> None:
    datasets, versions, marks, looks = (
        apps.get_model("datasets", name).objects
        for name in ("Dataset", "DatasetVersion", "FingerprintMark", "Look")
    )
    datasets.filter(held_at__isnull=True).update(opened_at=F("created_at"))
    owner = datasets.filter(pk=OuterRef("dataset")).values("owner")
    versions.update(added_by=Subquery(owner))
    of_part = versions.filter(fingerprint__parts=OuterRef("part")).values("added_by")
    marks.update(added_by=Subquery(of_part))
    for version in versions.filter(dataset__held_at__isnull=True).iterator():
        looks.create(tenant_id=version.tenant_id, version=version, outcome="goes_on")


class Migration(migrations.Migration):
    dependencies: ClassVar = [("datasets", "0013_looks")]

    operations: ClassVar = [migrations.RunPython(_fill, migrations.RunPython.noop)]
