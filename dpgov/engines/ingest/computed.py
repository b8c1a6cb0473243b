"""Computed columns of a batch, from the codes that are stored of the columns of the file.

They are made of what is stored, not of the cells: clipped, rounded and imputed as declared. So a
row that was stored before has the code that it would have if it came again.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.values import code_type
from dpgov.privacy.plan.computed.computing import MISSING, Codes, computed_codes
from dpgov.privacy.plan.schema import ColumnSpec


def computed(
    number: int, columns: Sequence[ColumnSpec], stored: Mapping[int, pa.Array]
) -> pa.Array:
    """The codes of the computed column of this number; null where it is missing."""
    spec = columns[number]
    places = {column.name: place for place, column in enumerate(columns)}
    operands = [places[name] for name in spec.formula.operands] if spec.formula else []
    codes = [_whole(stored[place]) for place in operands]
    found = computed_codes(spec, [columns[place] for place in operands], codes)
    missing = found == MISSING
    if spec.impute_code is not None:
        found, missing = np.where(missing, spec.impute_code, found), np.zeros_like(missing)
    filled = np.where(missing, 0, found).astype(np.uint64)
    return pa.array(filled, mask=missing).cast(code_type(spec))


def _whole(codes: pa.Array) -> Codes:
    """No code reaches 2**53, see `check_capacity`."""
    filled = pc.fill_null(codes.cast(pa.int64()), MISSING)
    found: Codes = filled.to_numpy(zero_copy_only=False)
    return found
