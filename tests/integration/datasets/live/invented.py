"""A live table of which only the declarations matter: nobody is there to be asked."""

from dpgov.datasets.models import Dataset, DatasetVersion, LiveTable
from tests.declared import declare_otherwise


def become_live(dataset: Dataset) -> None:
    """The rows of this dataset are in a table from now on, past the guards that keep it a file."""
    live = LiveTable.objects.create(
        tenant=dataset.tenant,
        host="db.example.org",
        port=5432,
        database="hospital",
        schema="public",
        table="visits",
        role="reader",
    )
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), live=live)
    versions = DatasetVersion.objects.filter(dataset=dataset)
    declare_otherwise(versions, file_seal=DatasetVersion.LIVE)
    dataset.refresh_from_db()
