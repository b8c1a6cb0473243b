"""One question that several parties answer together: what each adds up, and what the total says.

A count or a sum, over all rows or in declared groups, of columns that every party declared alike;
its plan is an ordinary one of each party's own dataset. Cost and error are functions of the plan,
the declarations, and how many parties there are and may collude. Must never see two parties' exact
integers: what comes together here is the total with everybody's noise in it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.body import without_range
from dpgov.privacy.answer.release import counted, written
from dpgov.privacy.joint.masks import as_bytes
from dpgov.privacy.joint.noise import MODULUS, NotJoint, Shares, shares_for, stays_in_range
from dpgov.privacy.mechanisms.draw import Draw, in_units
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Drawn
from dpgov.privacy.mechanisms.totals import Total, noise_statements
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.noise.sampling import gaussian
from dpgov.privacy.plan.levels import USUAL_LEVEL
from dpgov.privacy.plan.request import ExactAnswer
from dpgov.privacy.plan.statistics import StatisticKind

_KINDS = (StatisticKind.COUNT, StatisticKind.SUM)


@dataclass(frozen=True, slots=True)
class JointDraw(Draw):
    """A draw whose noise comes of all parties."""

    shares: Shares

    @property
    def noise(self) -> Noise:
        """Of the total."""
        return self.shares.total


@dataclass(frozen=True, slots=True)
class Joint:
    """A prepared joint question, as one party reads it."""

    blueprint: Blueprint
    total: Total
    shares: Shares

    @property
    def draw(self) -> JointDraw:
        """What is released, with everybody's noise."""
        taken = self.total.taken
        return JointDraw(taken.readings, taken.reach, taken.loss, self.shares)

    @property
    def ratio(self) -> float:
        """By how much the error is larger than one trusted party's would be."""
        return sqrt(self.shares.parties / (self.shares.parties - self.shares.colluders))

    def expected_error(self, level: Fraction = USUAL_LEVEL) -> tuple[Any, Any]:
        """How wrong a number of the total may be, and the same from one trusted party."""
        unit = self.total.taken.readings[0].unit
        bound = self.shares.total.tail_bound(level)
        taken = self.total.taken
        central = gaussian(taken.reach.l2_squared, taken.loss.nano)[0].tail_bound(level)
        return in_units(bound, unit), in_units(central, unit)

    def noisy(self, answers: Sequence[ExactAnswer]) -> list[int]:
        """This party's integers with its share of the noise, one for each cell; not yet masked.

        Fresh noise each time: what was sent is kept and sent again. Raises MalformedAnswer before
        anything is drawn.
        """
        (table,) = counted(self.blueprint, answers)
        (reading,) = self.total.taken.readings
        return self.shares.add_noise([reading.exact(cell) for cell in table])

    def describe(self) -> dict[str, Any]:
        """The public facts about the draw, as quotes and releases have them."""
        of_shares = {
            "parties": self.shares.parties,
            "colluders": self.shares.colluders,
            "share_scale": self.shares.scale,
        }
        kind = {"mechanism": NoiseKind.GAUSSIAN.value, "noise_scale": self.draw.noise.scale}
        return self.draw.describe() | kind | of_shares

    def release(self, totals: Sequence[int], *, question: str) -> dict[str, Any]:
        """The body of every party's release: the same numbers, in the names of its own dataset.

        `question` is the id that all parties know it by; `total_sha256` is of the noisy integers
        and so the same in all of them. What the true total can be at all is not said: only each
        party's declarations say that of its own dataset.
        """
        (reading,) = self.total.taken.readings
        statements = noise_statements(self.draw, reading.unit)
        cells = tuple(
            {"value": in_units(number, reading.unit), "accuracy": statements} for number in totals
        )
        drawn = Drawn(
            [[number] for number in totals], (AnswerColumn(self.total.statistic, {}, cells),)
        )
        digest = hashlib.sha256(as_bytes(number % MODULUS for number in totals)).hexdigest()
        joint = {
            "question": question,
            "parties": self.shares.parties,
            "colluders": self.shares.colluders,
            "total_sha256": digest,
        }
        body = written(self.blueprint, [drawn], [self.describe()])
        statistics = [without_range(one) for one in body["statistics"]]
        return body | {"statistics": statistics, "joint": joint}


def joint_of(blueprint: Blueprint, *, parties: int, colluders: int) -> Joint:
    """A party's question made ready. Raises NotJoint with a sentence that says why, and
    NoiseOutOfRange.
    """
    if blueprint.schema.mode is not Mode.ZCDP:
        raise NotJoint(
            said("Joint answers are for datasets that count ρ: their noise adds up exactly.")
        )
    plan, found = blueprint.plan, blueprint.mechanisms[0]
    alone = len(plan.statistics) == 1 and len(blueprint.requests) == 1
    if not alone or not isinstance(found, Total) or found.statistic.kind not in _KINDS:
        raise NotJoint(said("A joint answer is a count or a sum, one of them."))
    if plan.where or plan.per_unit is not None or len(plan.group_by) > 1:
        raise NotJoint(
            said("A joint answer is over all rows, or in the groups of one column; no filters.")
        )
    shares = shares_for(
        parties=parties,
        colluders=colluders,
        cells=blueprint.cells,
        l2_squared=found.taken.reach.l2_squared,
        nano=blueprint.cost_nano,
    )
    if not stays_in_range(parties, shares.scale):
        raise NotJoint(said("The total of so many organisations could pass what is added exactly."))
    return Joint(blueprint, found, shares)


def declared(blueprint: Blueprint) -> dict[str, str]:
    """What every party has to have declared alike: each fact by what it is about, as text.

    The privacy unit and each column that is used, with its bounds, categories and missing rule.
    The column that names people may be called otherwise.
    """
    schema, unit = blueprint.schema, blueprint.schema.unit
    facts = {
        "": repr(
            (
                unit.private_id is not None,
                unit.max_rows_per_unit,
                unit.max_groups_per_unit,
                schema.neighbouring.value,
                schema.group_size,
            )
        )
    }
    for name in sorted(_used(blueprint)):
        index = schema.index_of(name)
        if index is not None:
            spec = schema.columns[index]
            facts[name] = repr((spec.domain, spec.missing.value, spec.impute_code, spec.formula))
    return facts


def _used(blueprint: Blueprint) -> set[str]:
    plan = blueprint.plan
    columns = {one.column for one in plan.statistics if one.column}
    operands = {name for one in plan.computed for name in one.operands}
    return columns | operands | {grouping.column for grouping in plan.group_by}


def differing(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """What was declared differently, by name; an empty name is the privacy unit."""
    return sorted(
        name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
    )
