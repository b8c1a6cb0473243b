"""What the schema of a file says about its columns: their types and nothing else.

A type is metadata. Values, dictionaries and statistics of a file are data, and are not looked at:
two files of one schema say the same, whatever is in them.
"""

import pyarrow as pa


def stated_kind(kind: pa.DataType) -> str:
    """ "number", "category", "truth" or "date" in the words of declarations; "" for the rest."""
    if pa.types.is_dictionary(kind):
        return stated_kind(kind.value_type)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_boolean(kind):
        return "truth"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "date"
    return "category" if pa.types.is_string(kind) or pa.types.is_large_string(kind) else ""
