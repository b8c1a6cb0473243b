"""From a file's bytes to what it says about columns, whichever of the formats it is in."""

from django.utils.translation import gettext as _

from dpgov.datasets.importing.csvw import is_csvw, read_csvw
from dpgov.datasets.importing.found import Found
from dpgov.datasets.importing.smartnoise import is_lomas, read_lomas, read_smartnoise
from dpgov.datasets.importing.tree import UnreadableMetadata, parse

LARGEST_BYTES = 200_000
_MOST_COLUMNS = 2_000


def read_metadata(content: bytes) -> Found:
    """What the file says. Raises UnreadableMetadata, with what to do."""
    if len(content) > LARGEST_BYTES:
        raise UnreadableMetadata(
            _("The file is larger than {kilobytes} KB.").format(kilobytes=LARGEST_BYTES // 1000)
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UnreadableMetadata(_("The file is not in UTF-8: save it as UTF-8 text.")) from problem
    if not text.strip():
        raise UnreadableMetadata(_("The file is empty."))
    tree = parse(text)
    if is_csvw(tree):
        found = read_csvw(tree)
    else:
        found = read_lomas(tree) if is_lomas(tree) else read_smartnoise(tree)
    if len(found.columns) > _MOST_COLUMNS:
        raise UnreadableMetadata(
            _("The file describes more than {most} columns.").format(most=_MOST_COLUMNS)
        )
    return found
