"""Column metadata as the beginning of a declaration: SmartNoise, Lomas, CSVW, rows of a template.

What is read is what somebody wrote down elsewhere; it fills in a form that the owner looks at, and
declares nothing by itself. Nothing here sees data.
"""

from dpgov.datasets.importing.found import FoundDeclarations
from dpgov.datasets.importing.reading import LARGEST_BYTES, Filled, filled, read_metadata
from dpgov.datasets.importing.rows import read_rows, template
from dpgov.datasets.importing.tree import UnreadableMetadata

__all__ = [
    "LARGEST_BYTES",
    "Filled",
    "FoundDeclarations",
    "UnreadableMetadata",
    "filled",
    "read_metadata",
    "read_rows",
    "template",
]
