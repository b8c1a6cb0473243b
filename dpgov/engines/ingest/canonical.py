"""One spelling for each value, whatever the file wrote: 1, 1.0 and "1 " are one value.

Numbers as 64-bit floats; moments without what is zero, "2024-05-17T00:00:00Z" as "2024-05-17";
missing values and NaN as an empty text; any other text as it stands, trimmed.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.values import Cells

_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+]00:?00)?$"
_SHORTER = (
    (r"(Z|[+]00:?00)$", ""),
    ("T", " "),
    (r"(\.[0-9]*[1-9])0+$", r"\1"),
    (r"\.0+$", ""),
    (r"( [0-9]{2}:[0-9]{2}):00$", r"\1"),
    (r" 00:00$", ""),
)


def spellings(cells: Cells) -> pa.Array:
    """The one spelling of each distinct cell."""
    values = cells.numbers + 0.0
    plain = pa.array(values, mask=np.isnan(values)).cast(pa.large_string())
    named = pc.if_else(pc.equal(pc.utf8_lower(cells.texts), "nan"), "", cells.texts)
    return pc.coalesce(plain, named, pa.scalar("", pa.large_string()))


def moments_shortened(texts: pa.Array) -> pa.Array | None:
    """The same with moments in their shortest form; None where there are none."""
    moment = pc.match_substring_regex(texts, _MOMENT)
    if not pc.any(moment).as_py():
        return None
    short = texts
    for pattern, replacement in _SHORTER:
        short = pc.replace_substring_regex(short, pattern, replacement)
    return pc.if_else(moment, short, texts)
