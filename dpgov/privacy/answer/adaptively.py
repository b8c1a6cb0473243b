"""What a quote can say of tables that will be chosen adaptively, beside the fixed ways.

A method is taken by expected error, which follows from public parameters; this one has none, so
that it is only taken where the asker names it.
"""

import math
from dataclasses import dataclass
from typing import Any

from dpgov.privacy.answer.covers import (
    CoverOption,
    Method,
    Table,
    Variance,
    best_of,
    cells_of,
    four_digits_up,
)


@dataclass(frozen=True, slots=True)
class Adaptively:
    """The asked tables as candidates of so many rounds, beside the fixed ways to draw them.

    `each` is the root mean square of the error of a count of a drawn table. Of the whole no error
    is known: it depends on what is chosen, and that on the data.
    """

    names: tuple[str, ...]
    bins: tuple[int, ...]
    asked: tuple[Table, ...]
    ways: tuple[CoverOption, ...]
    method: Method
    variance: Variance
    rounds: int
    each: float

    def as_json(self) -> dict[str, Any]:
        """For quotes: in the form of a Cover, without what nobody knows beforehand."""
        alone = self.variance(len(self.asked))
        separate = None if alone is None else four_digits_up(math.sqrt(alone))
        return {
            "method": self.method.value,
            "rmse": None,
            "ways": [way.as_json() for way in self.ways],
            "answers": [
                {
                    "columns": [self.names[place] for place in sorted(table)],
                    "cells": cells_of(table, self.bins),
                    "made_from": None,
                    "rmse": None,
                    "separate_rmse": separate,
                }
                for table in self.asked
            ],
            "adaptive": {
                "rounds": self.rounds,
                "candidates": len(self.asked),
                "rmse": four_digits_up(self.each),
                "fixed_rmse": None if self.best is None else four_digits_up(self.best.rmse),
            },
        }

    @property
    def best(self) -> CoverOption | None:
        """The fixed way with the least expected error."""
        return best_of(self.ways)
