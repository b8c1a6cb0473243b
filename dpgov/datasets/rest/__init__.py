"""REST doors of datasets."""
