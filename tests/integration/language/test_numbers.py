"""Numbers in German keep the decimal point, and part thousands by a narrow space."""

import re
from pathlib import Path

import polib
from django.conf import settings
from django.utils.translation import override

from dpgov.language.said import as_values, said
from dpgov.language.translation import retold, translated

CATALOGUE = Path(settings.BASE_DIR, "dpgov/language/locale/de/LC_MESSAGES/django.po")
_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\d.,]*\d)")
LONG = said("A row is longer than {most:,} bytes.", most=1_234_567)


def test_a_sentence_of_a_pure_room_parts_thousands_as_its_reader_does() -> None:
    with override("de"):
        assert translated(LONG) == "Eine Zeile ist länger als 1\u202f234\u202f567 Bytes."
    with override("en-gb"):
        assert translated(LONG) == "A row is longer than 1,234,567 bytes."


def test_the_number_of_a_kept_sentence_is_written_by_whoever_reads_it() -> None:
    kept = as_values(LONG)
    assert kept["values"] == {"most": {"value": 1_234_567}}
    with override("de"):
        assert retold(kept) == "Eine Zeile ist länger als 1\u202f234\u202f567 Bytes."


def test_no_sentence_of_the_catalogue_writes_a_number_in_another_way() -> None:
    lost = [
        (number, entry.msgstr)
        for entry in polib.pofile(str(CATALOGUE))
        if not entry.msgid_plural
        for number in _NUMBER.findall(entry.msgid)
        if ("," in number or "." in number) and number.replace(",", "\u202f") not in entry.msgstr
    ]
    assert lost == []
