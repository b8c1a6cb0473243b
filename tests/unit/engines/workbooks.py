"""Workbooks as a spreadsheet saves them, written by hand: what is read is not what wrote them."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from xml.sax.saxutils import escape

# A number, a date, a text, a formula with what was saved as its value, or nothing.
Cell = float | int | bool | date | str | tuple[str, str] | None
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DAYS_FROM = date(1899, 12, 30)
_STYLES = (
    f'<styleSheet {_MAIN}><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="2"><xf/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>'
)


def workbook(sheets: Mapping[str, Sequence[Sequence[Cell]]]) -> bytes:
    """An .xlsx file with these sheets."""
    return packed({name: _sheet(rows) for name, rows in sheets.items()})


def packed(sheets: Mapping[str, str]) -> bytes:
    """The same of sheets in XML."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _types(len(sheets)))
        archive.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
        archive.writestr("xl/workbook.xml", _book(list(sheets)))
        targets = [("worksheet", f"worksheets/s{n}.xml") for n in range(1, len(sheets) + 1)]
        archive.writestr(
            "xl/_rels/workbook.xml.rels", _relations([*targets, ("styles", "styles.xml")])
        )
        archive.writestr("xl/styles.xml", _STYLES)
        for number, body in enumerate(sheets.values(), start=1):
            archive.writestr(f"xl/worksheets/s{number}.xml", body)
    return sink.getvalue()


def _types(sheets: int) -> str:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = [("/xl/workbook.xml", "sheet.main"), ("/xl/styles.xml", "styles")]
    parts += [(f"/xl/worksheets/s{number}.xml", "worksheet") for number in range(1, sheets + 1)]
    found = "".join(
        f'<Override PartName="{name}" ContentType="{kind}.{what}+xml"/>' for name, what in parts
    )
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    first = f'<Default Extension="rels" ContentType="{rels}"/>'
    return f'<Types xmlns="{_PACKAGE}/content-types">{first}{found}</Types>'


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    found = "".join(
        f'<Relationship Id="r{n}" Type="{_RELATED}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{found}</Relationships>'


def _book(names: Sequence[str]) -> str:
    found = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="r{n}"/>'
        for n, name in enumerate(names, start=1)
    )
    return f'<workbook {_MAIN} xmlns:r="{_RELATED}"><sheets>{found}</sheets></workbook>'


def _sheet(rows: Sequence[Sequence[Cell]]) -> str:
    found = "".join(_row(number, row) for number, row in enumerate(rows, start=1))
    return f"<worksheet {_MAIN}><sheetData>{found}</sheetData></worksheet>"


def _row(number: int, cells: Sequence[Cell]) -> str:
    found = "".join(_cell(number, place, cell) for place, cell in enumerate(cells))
    return f'<row r="{number}">{found}</row>'


def _cell(row: int, place: int, cell: Cell) -> str:
    where = f'r="{chr(ord("A") + place)}{row}"'
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        formula, value = cell
        return f"<c {where}><f>{escape(formula)}</f><v>{escape(value)}</v></c>"
    if isinstance(cell, bool):
        return f'<c {where} t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, date):
        return f'<c {where} s="1"><v>{(cell - _DAYS_FROM).days}</v></c>'
    if isinstance(cell, str):
        return f'<c {where} t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
    return f"<c {where}><v>{cell!r}</v></c>"
