"""What a set of tables takes besides its price: time until it is answered, time and memory of rows.

Out of plans, declarations and documented constants; never out of data or of a measurement made now.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpgov.privacy.answer.adaptively import Adaptively
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.covers import Cover
from dpgov.privacy.answer.fitting import Needs, needs_of
from dpgov.privacy.answer.rounds import needs_of_rounds
from dpgov.queries.answering.moments import class_ms_of


@dataclass(frozen=True, slots=True)
class Work:
    """Seconds until all drawn tables are there if nobody else asks and one worker answers one after
    another; what synthetic rows of them need, None where they are not made. `fits` are those that
    an adaptive choice needs while it is answered, all of them together.
    """

    answers_seconds: float
    rows: Needs | None
    fits: Needs | None = None

    def as_json(self) -> dict[str, Any]:
        """For quotes."""
        return {
            "answers_seconds": self.answers_seconds,
            "rows_seconds": self.rows.seconds if self.rows else None,
            "rows_megabytes": self.rows.megabytes if self.rows else None,
            "fits_seconds": self.fits.seconds if self.fits else None,
            "fits_megabytes": self.fits.megabytes if self.fits else None,
        }


def work_of(cover: Cover | Adaptively, blueprints: Sequence[Blueprint]) -> Work:
    """Of the way that was chosen."""
    seconds = sum(map(class_ms_of, blueprints)) / 1000
    choosing, cells = blueprints[0].chooses, math.prod(cover.bins)
    if isinstance(cover, Cover):
        return Work(seconds, needs_of(cells, len(cover.chosen.drawn)))
    fits = None if choosing is None else needs_of_rounds(choosing)
    return Work(seconds, needs_of(cells, cover.rounds), fits)


def tables_in_json(
    cover: Cover | Adaptively | None, blueprints: Sequence[Blueprint]
) -> dict[str, Any] | None:
    """How a set of tables is drawn and what that takes; None where it is none."""
    if cover is None:
        return None
    return cover.as_json() | {"work": work_of(cover, blueprints).as_json()}
