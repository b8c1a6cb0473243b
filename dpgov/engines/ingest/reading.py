"""How a file is read: what was understood of it, and what its owner may say instead.

Everything here is about how cells are written and where they lie, nothing about what they hold. It
is for the owner of the file alone.
"""

from dataclasses import asdict, dataclass, fields
from typing import Any

POINT, COMMA = ".", ","
# In the order in which they are looked for; the first one wins where two are as frequent.
DELIMITERS = (",", ";", "\t", "|")
UTF8 = "utf-8"
GZIP, ZIP = "gzip", "zip"


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One way to read a file; what is empty is found out.

    `packed` is GZIP where one CSV file lies in an archive, and ZIP where one or several files of a
    kind do, all of which are read in this way. `header` says whether the first
    line holds the names of the columns; without them they are `column_1` and so on. `sheet` is one
    of a workbook.
    """

    packed: str = ""
    encoding: str = UTF8
    delimiter: str = ""
    decimal: str = POINT
    header: bool = True
    sheet: str = ""

    def as_json(self) -> dict[str, Any]:
        """For the child, and for the row of the upload."""
        return asdict(self)


AS_IT_STANDS = FileFormat()


def reading_of(item: dict[str, Any] | None) -> FileFormat:
    """That again; whatever else stands there is passed over."""
    known = {field.name for field in fields(FileFormat)}
    return FileFormat(**{name: value for name, value in (item or {}).items() if name in known})
