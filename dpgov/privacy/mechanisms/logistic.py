"""Logistic regression by noisy gradient descent: each step is a scan and a draw of its own.

How many steps there are, what each costs and what noise it gets is fixed before any data is
opened; no step looks at how good the last one was. First the second moments of the components and
what the outcomes say; then, along the way, what the curve says; there at last the weighted moments
as well, of which the coefficients are made. All that was drawn is released, with the points at
which it was: whoever adds the same sums over the same rows can go the same way.

No row is clipped: declared bounds hold its gradient, whose residual is never more than 1, and a
person's total is held by the number of rows that a person may have.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from dpgov.language.said import pattern
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.descent import (
    End,
    LogisticFit,
    Point,
    fit,
    inverse_of,
    quotients,
    stepped,
)
from dpgov.privacy.mechanisms.design import Design, complete, terms_of
from dpgov.privacy.mechanisms.draw import Draw, in_units
from dpgov.privacy.mechanisms.least_squares import Moments
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Drawn, OfOne, Statements
from dpgov.privacy.mechanisms.regression import (
    Coefficient,
    cell_of,
    coefficients,
    invented_matrix,
    said_of,
)
from dpgov.privacy.mechanisms.sigmoid import Lattice, curve_at, lattice_for, misplaced
from dpgov.privacy.mechanisms.steps import STEPS, Draws, draws_for
from dpgov.privacy.mechanisms.table import Measured
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.noise.sensitivity import Exposure
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.outcomes import Outcome, outcome_of
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.request import CodeFilter, ExactRequest, Measure, TabulatedCurve
from dpgov.privacy.plan.schema import DatasetSchema

GRADIENT = pattern("sums of residuals by predictors")
# Of an invented row: residuals as of scores around 0, of which some are sure.
_INVENTED_WEIGHT = 0.2
Ask = Callable[[tuple[Measure, ...], TabulatedCurve], Sequence[Measured]]
"""What an engine says of the same rows when it is asked on, with these measures and this curve."""


class AsksOn(TypeError):
    """What it must know next depends on what it drew: see `Logistic.descend`."""


@dataclass(frozen=True, slots=True)
class Logistic(OfOne):
    """All draws of one descent; `loss` is the price of all together."""

    statistic: Statistic
    design: Design
    lattice: Lattice
    outcome: Outcome
    usable: tuple[CodeFilter, ...]
    loss: Loss
    draws: Draws

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Of the first scan, for which no curve is needed."""
        return _measures(self.draws.moments, self.draws.outcomes)

    @property
    def axis(self) -> CodeGrouping | None:
        """None."""
        return None

    @property
    def filters(self) -> tuple[CodeFilter, ...]:
        """Rows with something in each of its columns."""
        return self.usable

    @property
    def smallest_nano(self) -> int:
        """The whole price at which each draw's part is enough for it."""
        return self.draws.smallest_nano

    def later(self, request: ExactRequest) -> tuple[ExactRequest, ...]:
        """The scans that follow this one, as far as they are known before: at no point yet."""
        middle, last = self._asked()
        curve = self._curve(self._nowhere)
        return tuple(
            replace(request, measures=measures, curve=curve)
            for measures in (*(STEPS - 1) * (middle,), last)
        )

    def reordered(self, statistic: Statistic) -> "Logistic":
        """The same with the same predictors in another order: what is drawn is the same set."""
        constant, *others = self.design.terms
        known = statistic.predictors.index
        terms = tuple(sorted(others, key=lambda term: known(term.name)))
        return replace(
            self, statistic=statistic, design=replace(self.design, terms=(constant, *terms))
        )

    def run(self, table: Sequence[Measured]) -> Drawn:
        """Never: raises AsksOn."""
        raise AsksOn

    def descend(self, table: Sequence[Measured], ask: Ask) -> Drawn:
        """Go down from what the first scan said; `ask` reads the same rows again."""
        moments = self._drawn(self.draws.moments, table)
        outcomes = self._drawn(self.draws.outcomes, table)
        middle, last = self._asked()
        raw, bend = [*moments, *outcomes], inverse_of(self._moments(moments))
        # Where every coefficient is 0 the curve says nothing.
        points = [stepped(self._nowhere, self._slopes(outcomes), bend)]
        for _ in range(STEPS - 1):
            on_curve = self._drawn(self.draws.step, ask(middle, self._curve(points[-1])))
            raw += on_curve
            slopes = self._slopes(outcomes) + self._slopes(on_curve)
            points.append(stepped(points[-1], slopes, bend))
        answer = ask(last, self._curve(points[-1]))
        raw += self._drawn(self.draws.last, answer) + self._drawn(self.draws.weighted, answer)
        columns = self.released(raw, points[-1])
        return Drawn([raw], columns, {"points": [list(point) for point in points]})

    def released(self, raw: Sequence[int], point: Point) -> tuple[AnswerColumn, ...]:
        """The columns that these released integers make, the last ones drawn at this point."""
        found = fit(self._end(raw, point))
        made = coefficients(self.design.terms, self.design.size)
        columns = [
            AnswerColumn(self.statistic, self._facts(one), (_cell(one, found),)) for one in made
        ]
        first = columns[0]
        cells = (first.cells[0] | {"fit": self._fit(found, raw)},)
        return (replace(first, cells=cells), *columns[1:])

    def describe(self) -> dict[str, Any]:
        """The noise of the last gradient, and of everything that is drawn, in its order.

        `moments` names what is added up in each number, and `steps` has the price of each draw.
        """
        names = [
            [name, reading.name] for name, draw in self.draws.in_order for reading in draw.readings
        ]
        said = [(name, draw.describe()) for name, draw in self.draws.in_order]
        last = self.draws.last.describe()
        unit = in_units(1, self.draws.last.readings[0].unit)
        steps = [
            {"name": name} | {key: one[key] for key in _SAID if key in one} for name, one in said
        ]
        told = {"readings": [{"name": GRADIENT, "lattice": unit}], "moments": names, "steps": steps}
        return last | self.loss.as_json() | told

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """For so many invented rows; see `invented_matrix`."""
        made = coefficients(self.design.terms, self.design.size)
        errors: tuple[Statements, ...] = tuple([] for _ in made)
        if rows_in_a_cell is not None:
            errors = _expected(self, rows_in_a_cell)
        return [
            (AnswerColumn(self.statistic, self._facts(one)), list(statements))
            for one, statements in zip(made, errors, strict=True)
        ]

    @property
    def _nowhere(self) -> Point:
        return (0,) * len(self.design.terms)

    def _asked(self) -> tuple[tuple[Measure, ...], tuple[Measure, ...]]:
        """What is read on the way, and last."""
        return _measures(self.draws.step), _measures(self.draws.last, self.draws.weighted)

    def _curve(self, point: Point) -> TabulatedCurve:
        return curve_at(point, self.design, self.lattice)

    def _drawn(self, draw: Draw, table: Sequence[Measured]) -> list[int]:
        (cell,) = draw.run(table)
        return list(cell)

    def _slopes(self, drawn: Sequence[int]) -> Floats:
        return quotients(drawn, self.lattice.unit * self.lattice.size)

    def _moments(self, drawn: Sequence[int]) -> Moments:
        values = quotients(drawn, self.lattice.size**2)
        return Moments(self.design, values, self.draws.moments.noise)

    def _end(self, raw: Sequence[int], point: Point) -> End:
        pairs, many = len(self.draws.moments.readings), len(self.design.terms)
        weights = quotients(raw[-pairs:], self.lattice.size**2 * self.lattice.weight)
        outcomes, on_curve = raw[pairs : pairs + many], raw[-pairs - many : -pairs]
        return End(
            point=point,
            gradient=self._slopes(outcomes) + self._slopes(on_curve),
            noises=(self.draws.outcomes.noise, self.draws.last.noise),
            whole=self.lattice.unit * self.lattice.size,
            weighted=Moments(self.design, weights, self.draws.weighted.noise, self.lattice.weight),
            moments=self._moments(raw[:pairs]),
            misplaced=misplaced(point, self.design, self.lattice),
        )

    def _facts(self, one: Coefficient) -> dict[str, Any]:
        known = {"predictors": list(self.statistic.predictors), "means": self.outcome.means}
        return known | one.facts

    def _fit(self, found: LogisticFit, raw: Sequence[int]) -> dict[str, Any]:
        """Rows by the noisy count, the share of those with the outcome, and what was held back."""
        pairs = len(self.draws.moments.readings)
        share = 0.5 - float(self._slopes(raw[pairs : pairs + 1])[0]) / found.rows
        return {
            "rows": round(found.rows),
            "share": round(min(1.0, max(0.0, share)), 4),
            "widened_directions": found.inverse.widened,
            "held_back": found.at_the_end,
        }


_SAID = ("epsilon", "rho", "mechanism", "noise_scale", "sensitivity_l1", "sensitivity_l2")


def _measures(*draws: Draw) -> tuple[Measure, ...]:
    readings = (reading for draw in draws for reading in draw.readings)
    return tuple({m: None for reading in readings for m, _ in reading.weights})


def _cell(one: Coefficient, found: LogisticFit) -> dict[str, Any]:
    chance = found.chance(one.combination)
    return cell_of(one, found, chance)


def logistic(
    statistic: Statistic, schema: DatasetSchema, exposed: Exposure, loss: Loss
) -> Logistic:
    """The mechanism. Raises InvalidPlan when a column is gone, or sums could not be kept exact."""
    lattice = lattice_for(schema)
    design = Design(terms_of(statistic.predictors, schema, lattice.size), lattice.size)
    outcome = outcome_of(statistic.column or "", schema)
    draws = draws_for(design, lattice, outcome.factor, exposed, loss)
    usable = complete(statistic, schema)
    return Logistic(statistic, design, lattice, outcome, usable, loss, draws)


# The same for a quote, its page and its curve.
@lru_cache(maxsize=256)
def _expected(mechanism: Logistic, rows: int) -> tuple[Statements, ...]:
    """Where the last step has nothing left to go."""
    design, lattice, draws = mechanism.design, mechanism.lattice, mechanism.draws
    matrix = invented_matrix(design.terms, design.size) * rows
    values = np.array([matrix[i, j] for i, j in design.moments])
    nowhere = (0,) * len(design.terms)
    end = End(
        point=nowhere,
        gradient=np.zeros(len(design.terms)),
        noises=(draws.outcomes.noise, draws.last.noise),
        whole=lattice.unit * lattice.size,
        weighted=Moments(design, values * _INVENTED_WEIGHT, draws.weighted.noise, lattice.weight),
        moments=Moments(design, values, draws.moments.noise),
        misplaced=misplaced(nowhere, design, lattice),
    )
    found = fit(end)
    made = coefficients(design.terms, design.size)
    return tuple(said_of(one, found, found.errors(one.combination)) for one in made)
