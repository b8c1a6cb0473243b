"""How a file writes its dates: ISO 8601, or a layout that its owner declared, like DD.MM.YYYY.

A layout is made of YYYY, MM, DD, HH, mm and ss with signs between them. Never guessed from cells:
31.12.2024 and 12/31/2024 are told apart by what was declared.
"""

import re

from dpgov.language.said import said
from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.schema import InvalidDomain

# What engines read a cell with: named groups, in the dialect of RE2.
ISO = (
    r"^(?P<year>[0-9]{4})(?:-?Q(?P<quarter>[1-4])|-W(?P<week>[0-9]{2})"
    r"|-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2})(?:[Tt ](?P<hour>[0-9]{2})"
    r"(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,12})?)?)?"
    r"(?P<offset>[Zz]| ?[+-][0-9]{2}(?::?[0-9]{2})?)?)?)?)?$"
)
_GROUPS = {
    "YYYY": "year",
    "MM": "month",
    "DD": "day",
    "HH": "hour",
    "mm": "minute",
    "ss": "second",
}
# As programs write them, for strftime.
_OF_PROGRAMS = {"%Y": "YYYY", "%m": "MM", "%d": "DD", "%H": "HH", "%M": "mm", "%S": "ss"}
_TOKEN = re.compile("|".join(_GROUPS))
# What must be written so that the period is known.
NEEDED: dict[DateStep, tuple[str, ...]] = {
    DateStep.YEAR: ("year",),
    DateStep.QUARTER: ("year", "month"),
    DateStep.MONTH: ("year", "month"),
    DateStep.WEEK: ("year", "month", "day"),
    DateStep.DAY: ("year", "month", "day"),
    DateStep.HOUR: ("year", "month", "day", "hour"),
}
_SIGNS = frozenset(".,/-_: T")
MAX_LAYOUT = 40


def read_layout(text: str, step: DateStep) -> str:
    """The layout in its one spelling; empty for ISO 8601. Raises InvalidDomain("date_format")."""
    if not text.strip() or text.strip().upper() in ("ISO", "ISO 8601"):
        return ""
    layout = _spelt(text.strip())
    tokens, rest = _TOKEN.findall(layout), _TOKEN.sub("", layout)
    groups = [_GROUPS[token] for token in tokens]
    if "YYYY" not in tokens and "Y" in rest:
        raise _refused(said("Years need four digits, YYYY: two digits do not say the century."))
    if len(layout) > MAX_LAYOUT or set(rest) - _SIGNS or len(set(groups)) < len(groups):
        raise _refused(
            said(
                "Write the format with YYYY, MM, DD, HH, mm and ss, each once, like DD.MM.YYYY or "
                "YYYYMM; leave it empty for 2024-01-31."
            )
        )
    if missing := [name for name in NEEDED[step] if name not in groups]:
        raise _refused(
            said(
                "With this step the format needs {parts}.",
                parts=", ".join(token for token, name in _GROUPS.items() if name in missing),
            )
        )
    return layout


def _refused(message: str) -> InvalidDomain:
    return InvalidDomain("date_format", message)


def _spelt(text: str) -> str:
    """The letters of other programs: dd.mm.yyyy, %d.%m.%Y, and TT.MM.JJJJ of German ones."""
    for sign, token in _OF_PROGRAMS.items():
        text = text.replace(sign, token)
    german = text.replace("J", "Y").replace("j", "y").replace("TT", "DD").replace("tt", "dd")
    plain = german.replace("y", "Y").replace("d", "D").replace("h", "H").replace("S", "s")
    # Without hours there are no minutes.
    return plain if "H" in plain else plain.replace("m", "M")


def pattern_of(layout: str) -> str:
    """The expression of RE2 that reads a cell: day and month may have one digit between signs."""
    if not layout:
        return ISO
    found, at, parts = list(_TOKEN.finditer(layout)), 0, ["^"]
    for number, token in enumerate(found):
        parts.append(re.escape(layout[at : token.start()]))
        before = number > 0 and found[number - 1].end() == token.start()
        after = number + 1 < len(found) and found[number + 1].start() == token.end()
        long = "4" if token[0] == "YYYY" else "2" if before or after else "1,2"
        parts.append(f"(?P<{_GROUPS[token[0]]}>[0-9]{{{long}}})")
        at = token.end()
    return "".join([*parts, re.escape(layout[at:]), "$"])
