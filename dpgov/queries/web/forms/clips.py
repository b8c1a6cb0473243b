"""Narrower bounds than declared, in a row of the ask form: folded away until they are wanted."""

from typing import Any

from django.utils.translation import gettext_lazy

from dpgov.privacy.plan.statistics import STATISTICS
from dpgov.queries.web.forms.rows import NumberField, Row

_ENDS = {"from": "clip_from", "to": "clip_to"}


class ClippedRow(Row):
    """A row that may clip its column; an end that is left empty is the declared one."""

    with_clip = " ".join(kind for kind, facts in STATISTICS.items() if facts.can_be_clipped)
    clip_from = NumberField(label=gettext_lazy("Clip from"))
    clip_to = NumberField(label=gettext_lazy("Clip to"))

    @property
    def is_clipped(self) -> bool:
        """Whether an end is typed in."""
        return any(self[name].value() for name in _ENDS.values())

    def ignore_clip(self, kind: str | None) -> None:
        """Of statistics that take none it is hidden."""
        if kind is None or not STATISTICS[kind].can_be_clipped:
            self.ignore(*_ENDS.values())

    def clip(self) -> dict[str, Any]:
        """The plan's form of it; nothing where nothing is typed or none is taken."""
        data = self.cleaned_data
        typed = {end: data.get(name) for end, name in _ENDS.items()}
        ends = {end: number for end, number in typed.items() if number is not None}
        return {"clip": ends} if ends and STATISTICS[data["kind"]].can_be_clipped else {}

    @staticmethod
    def clip_field(rest: list[str]) -> str | None:
        """Where a refusal of the plan belongs; None where it is about something else."""
        return _ENDS.get(rest[-1], "clip_from") if "clip" in rest else None
