"""A number for each organisation in the place of a row for each pair of them.

What an organisation was frozen for without a gap stays so. Where one is found it may be frozen
once more for what is not over: rather that than answers after a restore.
"""

import hashlib

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Min


def carry_over(apps, schema_editor):
    """The hashes in the order in which they came, and up to which of them each was frozen."""
    marks = apps.get_model("budgets", "RestoreMarkForAnother").objects
    seen = apps.get_model("budgets", "RestoreSeen").objects
    first = marks.values("seen").annotate(first=Min("pk")).order_by("first")
    for row in first:
        seen.create(seen=row["seen"])
    numbered = [(each.pk, bytes(each.seen)) for each in seen.order_by("pk")]
    own = dict(map(_own, apps.get_model("budgets", "RestoreMark").objects.all()))
    frozen = apps.get_model("budgets", "FreezeMark").objects
    for tenant in marks.order_by().values_list("tenant", flat=True).distinct():
        found = marks.filter(tenant=tenant).values_list("seen", flat=True)
        if up_to := _without_a_gap({own.get(tenant), *map(bytes, found)}, numbered):
            frozen.create(tenant_id=tenant, up_to=up_to)


def _without_a_gap(known, numbered):
    up_to = 0
    for number, seen in numbered:
        if seen not in known:
            break
        up_to = number
    return up_to


def _own(mark):
    told = f"{mark.tenant_id} {mark.outside_size} {bytes(mark.outside_root).hex()}"
    return mark.tenant_id, hashlib.sha256(told.encode()).digest()


class Migration(migrations.Migration):
    dependencies = [
        ("budgets", "0007_freezes_by_hand"),
        ("tenants", "0004_places_that_are_over"),
    ]

    operations = [
        migrations.CreateModel(
            name="FreezeMark",
            fields=[
                (
                    "tenant",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tenants.tenant",
                    ),
                ),
                ("up_to", models.PositiveBigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="RestoreSeen",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seen", models.BinaryField(max_length=32, unique=True)),
            ],
        ),
        migrations.RunPython(carry_over, migrations.RunPython.noop),
        migrations.DeleteModel(
            name="RestoreMarkForAnother",
        ),
    ]
