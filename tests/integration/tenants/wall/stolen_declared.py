"""What the same person tries with what was declared; the names are those of stolen.py.

A smaller bound than the stored codes have, a smaller group or a weaker relation would make noise
too small; another fingerprint would hide that the same people have a budget already.
"""

_DATASET = "UPDATE datasets_dataset SET {} WHERE budget_id = '{{budget}}'"
DECLARED = (
    "UPDATE datasets_column SET upper = lower",
    "DELETE FROM datasets_column",
    "UPDATE datasets_column SET version_id = (SELECT id FROM datasets_datasetversion"
    " WHERE dataset_id = '{new}')",
    *(
        _DATASET.format(change)
        for change in (
            "neighbouring = 'change_one'",
            "group_size = group_size + 1",
            "max_rows = max_rows + 1",
            "public_rows = 1",
            "public_units = 1",
            "unit = 'person', private_id = 'age'",
            "partition_column = 'age'",
            "owner_id = '{{officer}}'",
        )
    ),
    "UPDATE datasets_versionfingerprint SET whole = '', file = ''",
    "UPDATE datasets_fingerprintpart SET total = 0",
    "UPDATE datasets_fingerprintmark SET mark = 0",
)
