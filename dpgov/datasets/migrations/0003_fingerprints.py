"""Fingerprints in tables of their own, keyed with the secret of the installation.

Of versions that exist only the whole is known: what was not declared was not kept, so their rows
and columns cannot be read again. It is keyed here, and the plain one is dropped. Unchanged data is
recognised as before; changed data of those versions is not.
"""

import hashlib

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def _key(text, size):
    key = settings.DPGOV_FINGERPRINT_KEY
    return hashlib.blake2b(text.encode(), key=key, digest_size=size).hexdigest()


def _fill(apps, schema_editor):
    dataset, version, fingerprint = (
        apps.get_model("datasets", name)
        for name in ("Dataset", "DatasetVersion", "VersionFingerprint")
    )
    public = dataset.objects.filter(pk=OuterRef("dataset")).values("public_rows")
    version.objects.update(public_rows=Subquery(public))
    for found in version.objects.iterator():
        fingerprint.objects.create(
            tenant_id=found.tenant_id,
            version=found,
            key_id=_key("id", 8),
            whole=_key(found.fingerprint, 16),
        )


def _tenant():
    return (
        "tenant",
        models.ForeignKey(
            on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
        ),
    )


def _id():
    return (
        "id",
        models.BigAutoField(
            auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
        ),
    )


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0002_tenants_holds_partitions"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            "datasetversion", "public_rows", models.PositiveBigIntegerField(blank=True, null=True)
        ),
        migrations.CreateModel(
            name="VersionFingerprint",
            fields=[
                _id(),
                ("key_id", models.CharField(max_length=16)),
                ("whole", models.CharField(db_index=True, max_length=32)),
                _tenant(),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="new_fingerprint",
                        to="datasets.datasetversion",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FingerprintPart",
            fields=[
                _id(),
                (
                    "kind",
                    models.CharField(
                        choices=[("rows", "Rows"), ("column", "Column")], max_length=8
                    ),
                ),
                ("total", models.BigIntegerField()),
                ("digest", models.CharField(max_length=32)),
                ("span", models.BigIntegerField()),
                ("sketch", models.BinaryField()),
                (
                    "fingerprint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="parts",
                        to="datasets.versionfingerprint",
                    ),
                ),
                _tenant(),
            ],
        ),
        migrations.CreateModel(
            name="FingerprintMark",
            fields=[
                _id(),
                ("mark", models.BigIntegerField(db_index=True)),
                (
                    "part",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="marks",
                        to="datasets.fingerprintpart",
                    ),
                ),
                _tenant(),
            ],
        ),
        migrations.RunPython(_fill, migrations.RunPython.noop),
        migrations.RemoveField("datasetversion", "fingerprint"),
        migrations.AlterField(
            "versionfingerprint",
            "version",
            models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="fingerprint",
                to="datasets.datasetversion",
            ),
        ),
    ]
