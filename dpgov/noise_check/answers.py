"""Many answers about one table, as they are deployed: engine, blueprint, noise and release.

The engine reads a table once, as its exact answer does not change; the first and the last answers
go the whole way to a release, the others through the same mechanisms, many at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.release import Engine, draw
from dpgov.privacy.answer.rounds import model_of
from dpgov.privacy.mechanisms.chosen import ChosenTables
from dpgov.privacy.mechanisms.logistic import Logistic
from dpgov.privacy.mechanisms.mechanism import Drawn
from dpgov.privacy.mechanisms.sigmoid import FINE, REACH, curve_at
from dpgov.privacy.mechanisms.steps import STEPS
from dpgov.privacy.mechanisms.table import table_of
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers about one table, one in a row: the noisy integers, and what was made of them."""

    raw: Floats
    values: Floats


def one_after_another(parts: Sequence[Answers]) -> Answers:
    """All of them."""
    return _put(parts, np.concatenate)


def together(parts: Sequence[Answers]) -> Answers:
    """Each answer of all parts as one answer."""
    return _put(parts, np.hstack)


def _put(parts: Sequence[Answers], how: Any) -> Answers:
    return Answers(how([one.raw for one in parts]), how([one.values for one in parts]))


def framed(whole: Sequence[Answers], many: Sequence[Answers]) -> Answers:
    """Those that went the whole way first and last: learned from, and tested."""
    middle = len(whole) // 2
    return one_after_another([*whole[:middle], *many, *whole[middle:]])


def portions(answers: int) -> list[int]:
    """How many are drawn at once."""
    return [min(AT_ONCE, answers - at) for at in range(0, answers, AT_ONCE)]


def answers_about(blueprint: Blueprint, engine: Engine, trials: int, whole: int) -> Answers:
    """So many, of which `whole` go the whole way."""
    (mechanism,), (request,) = blueprint.mechanisms, blueprint.requests
    if isinstance(mechanism, ChosenTables):
        return _of_rounds(blueprint, mechanism, [engine(request)], trials, whole)
    if isinstance(mechanism, Logistic):
        return _of_descents(blueprint, mechanism, engine, trials, whole)
    exact = [engine(request)]
    table = list(table_of(request.measures, exact[0]))
    return framed(
        [_of_release(draw(blueprint, exact)) for _ in range(whole)],
        [_of_run(mechanism.run(table * count), count) for count in portions(trials - whole)],
    )


def _of_rounds(
    blueprint: Blueprint,
    mechanism: ChosenTables,
    exact: list[ExactAnswer],
    trials: int,
    whole: int,
) -> Answers:
    """Each answer is a vector of the counts of every candidate in every round: nothing where it was
    not chosen.
    """
    table = table_of(blueprint.requests[0].measures, exact[0])
    starts = np.cumsum([0, *mechanism.adaptive.cells])

    def found(drawn: Iterable[tuple[int, Sequence[int]]]) -> Answers:
        counts = np.zeros((mechanism.adaptive.rounds, starts[-1]))
        for number, (place, cells) in enumerate(drawn):
            counts[number, starts[place] : starts[place + 1]] = cells
        raw = counts.reshape(1, -1)
        return Answers(raw, raw)

    def released() -> Answers:
        rounds = draw(blueprint, exact)["rounds"]
        return found((one["place"], [n for (n,) in one["draws"][0]["cells"]]) for one in rounds)

    def chosen() -> Answers:
        rounds = mechanism.choose(table, model_of(mechanism))
        return found((one.place, one.counts) for one in rounds)

    return framed([released() for _ in range(whole)], [chosen() for _ in range(trials - whole)])


def _of_descents(
    blueprint: Blueprint, mechanism: Logistic, engine: Engine, trials: int, whole: int
) -> Answers:
    """Along a way that is the same for every answer: what a price promises holds for each way.

    All later scans are made at one point as far as a descent may come, whatever was drawn before;
    so the engine reads them once. There the row that differs moves each gradient as far as any may.
    """
    there = _staying(mechanism, engine)
    (request,) = blueprint.requests
    scans = [request, *mechanism.later(request)]
    tables = [list(table_of(scan.measures, there(scan))) for scan in scans]
    # The first scan and the last one are drawn from twice.
    read = [0, *range(STEPS + 1), STEPS]
    draws = [(one, tables[at]) for (_, one), at in zip(mechanism.draws.in_order, read, strict=True)]
    many = [
        np.hstack([np.array(one.run(table * count), dtype=np.float64) for one, table in draws])
        for count in portions(trials - whole)
    ]
    bodies = [draw(blueprint, [there(request)], there) for _ in range(whole)]
    released = [np.array(one["draws"][0]["cells"], dtype=np.float64) for one in bodies]
    return framed([Answers(raw, raw) for raw in released], [Answers(raw, raw) for raw in many])


def _staying(mechanism: Logistic, engine: Engine) -> Engine:
    """Answers at the far point whatever point it is asked at, and reads each scan once."""
    many = len(mechanism.design.terms)
    far = (int(REACH * FINE / many**0.5),) * many
    curve = curve_at(far, mechanism.design, mechanism.lattice)
    known: dict[ExactRequest, ExactAnswer] = {}

    def answer(request: ExactRequest) -> ExactAnswer:
        at_point = request if request.curve is None else replace(request, curve=curve)
        if at_point not in known:
            known[at_point] = engine(at_point)
        return known[at_point]

    return answer


def _of_release(body: dict[str, Any]) -> Answers:
    (drawn,) = body["draws"]
    return _table(drawn["cells"], [column["cells"] for column in body["statistics"]], 1)


def _of_run(drawn: Drawn, count: int) -> Answers:
    return _table(drawn.raw, [column.cells for column in drawn.columns], count)


def _table(raw: Sequence[list[int]], columns: Sequence[Sequence[Any]], count: int) -> Answers:
    values = [
        np.array([cell["value"] for cell in cells], dtype=np.float64).reshape(count, -1)
        for cells in columns
    ]
    return Answers(np.array(raw, dtype=np.float64).reshape(count, -1), np.hstack(values))
