"""Invented people in files, for tests of what is recognised; every seed has other people."""

import csv
import io
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.integration.datasets.registering import NAMES

Rows = list[tuple[str, ...]]


def people(seed: int, count: int = 60) -> Rows:
    """Age, sex and a town's number, as texts."""
    rng = np.random.default_rng(seed)
    ages, sexes, towns = (rng.integers(0, top, count) for top in (100, 2, 3000))
    return [
        (str(age), "fm"[sex], f"{town}.5")
        for age, sex, town in zip(ages, sexes, towns, strict=True)
    ]


def as_csv(rows: Rows, names: Sequence[str] = NAMES) -> bytes:
    """The file as text."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue().encode()


def as_parquet(rows: Rows, names: Sequence[str] = NAMES) -> bytes:
    """The file with numbers as numbers."""
    ages, sexes, towns = zip(*rows, strict=True)
    columns = [[int(age) for age in ages], list(sexes), [float(town) for town in towns]]
    file = io.BytesIO()
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), file)
    return file.getvalue()
