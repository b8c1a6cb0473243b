"""The course of one budget as a line of a few pixels, drawn by the server: nothing loads or jumps.

The numbers stand beside it; a sentence says the same to who cannot see it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

WIDTH, HEIGHT = 120, 32
_EDGE = 2


@dataclass(frozen=True, slots=True)
class Sparkline:
    """Places for an SVG of WIDTH by HEIGHT: the line, and the area below it."""

    line: str
    area: str
    sentence: str


def sparkline(course: Sequence[int], limit_nano: int) -> Sparkline | None:
    """From what was left, oldest first, to the scale of the limit; None without two days."""
    if len(course) < 2:
        return None
    top = max(*course, limit_nano, 1)
    step = WIDTH / (len(course) - 1)
    room = HEIGHT - 2 * _EDGE
    places = [
        f"{n * step:.1f},{_EDGE + room * (top - nano) / top:.1f}" for n, nano in enumerate(course)
    ]
    line = " ".join(places)
    words = _("Left in the last %(days)s days: from %(first)s%% to %(last)s%% of the limit.") % {
        "days": len(course),
        "first": 100 * course[0] // max(1, limit_nano),
        "last": 100 * course[-1] // max(1, limit_nano),
    }
    return Sparkline(line, f"0,{HEIGHT} {line} {WIDTH},{HEIGHT}", words)
