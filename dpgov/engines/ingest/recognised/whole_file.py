"""The keyed hash of a file as it came: the same bytes are the same people, however they are read.

What cells mean is a matter of reading: beside a decimal comma 71,5 is a number and 71.250 may be
thousands, in another encoding or with another separator a text is another one. So a file that comes
again to be read in another way has other cells, and is known by its bytes.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpgov.engines.ingest.packing import unpacked
from dpgov.engines.ingest.reading import reading_of
from dpgov.engines.ingest.sniff import kind_of
from dpgov.engines.keys import derived

_CHUNK = 1 << 20


def hash_of_file(path: Path, reading: Mapping[str, Any] | None, key: bytes) -> str:
    """32 hexadecimal digits: of what is inside an archive, and of one sheet of a workbook.

    Raises Refused for what is no table, as reading it does.
    """
    kind = kind_of(path)
    sheet = reading_of(dict(reading or {})).sheet if kind.format == "xlsx" else ""
    told = hashlib.blake2b(key=derived(key, "file"), digest_size=16)
    # The name of a sheet ends here, whatever it is: no other name and file are the same bytes.
    told.update(len(sheet.encode()).to_bytes(8) + sheet.encode())
    stream, _position = unpacked(path, kind.packed)
    with stream:
        while chunk := stream.read(_CHUNK):
            told.update(chunk)
    return told.hexdigest()
