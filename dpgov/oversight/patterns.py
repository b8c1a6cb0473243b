"""Patterns of attack among the questions about one dataset, and what each could tell at most.

Works from plans, prices and public metadata; never from answers or data. Bounded: the newest
questions are looked at, and of these so many different ones. What a pattern could tell is the
bound that the guarantee gives for all its questions together, and no guess about their success.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.budgets.meaning import factor_text, sure_text
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import schema_of
from dpgov.privacy.accounting.loss import Currency
from dpgov.privacy.meaning.odds import together_of
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.patterns import FilterFamily, families_of
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.queries.models import Query
from dpgov.queries.wording.words import in_words
from dpgov.tenants.models import User

LOOKED_AT = 2_000
DIFFERENT = 150
SHOWN = 20
_EXAMPLES = 5
REPEATED = 3


@dataclass(frozen=True, slots=True)
class PatternLoss:
    """What all questions of a pattern together could tell about one unit at most, at its price.

    Also about what its rows say, which is `steps` away from what else they might say: a pattern
    looks for a value more often than for whether somebody is there.
    """

    nano: int
    currency: Currency
    steps: int

    @property
    def odds(self) -> str:
        """The factor by which the odds of a guess can move."""
        return factor_text(self._amount, self.currency)

    @property
    def sure(self) -> str:
        """What who was 50% sure can become."""
        return sure_text(self._amount, self.currency)

    @property
    def _amount(self) -> int:
        return together_of(self.nano, units=self.steps, setting=1, currency=self.currency)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Questions that belong together: some of them in words, who asked, and the bound.

    `number` are different ones, `asked` all that were charged.
    """

    title: str
    why: str
    questions: tuple[tuple[UUID, str], ...]
    number: int
    people: tuple[str, ...]
    most: PatternLoss
    is_narrow: bool = False
    asked: int = 0

    @property
    def more(self) -> int:
        """How many questions are not shown."""
        return self.number - len(self.questions)


@dataclass(frozen=True, slots=True)
class Patterns:
    """All that was found, and how much was looked at.

    `steps` is how many lead to another value of what somebody's rows say: see `PatternLoss`.
    """

    repeated: tuple[Pattern, ...]
    differing: tuple[Pattern, ...]
    looked_at: int
    different: int
    is_cut: bool
    steps: int


@dataclass(frozen=True, slots=True)
class _Asked:
    id: UUID
    form: str
    nano: int
    person: UUID


ORDERS: Mapping[str, Callable[[Pattern], Any]] = {
    "learned": lambda one: -one.most.nano,
    "number": lambda one: -one.asked,
    "people": lambda one: (-len(one.people), one.people),
    "pattern": lambda one: one.title,
}


def ranked(found: Patterns, sort: str = "") -> list[tuple[int, Pattern]]:
    """All patterns in one list, with their rank by what they could tell at most.

    In that order, or by one of ORDERS; an order that is none is passed over.
    """
    by_price = sorted((*found.differing, *found.repeated), key=ORDERS["learned"])
    numbered = list(enumerate(by_price, start=1))
    return sorted(numbered, key=lambda row: (ORDERS[sort](row[1]) if sort in ORDERS else 0, row[0]))


def patterns_of(dataset: Dataset, version: DatasetVersion) -> Patterns:
    """What stands out among the newest charged questions about this version."""
    charged = Query.objects.filter(version=version, reuse=False, state__in=Query.CHARGED)
    rows = charged.exclude(canonical_sha256="").order_by("-submitted_at")
    columns = ("id", "canonical_sha256", "cost_nano", "analyst_id")
    asked = [_Asked(*row) for row in rows.values_list(*columns)[:LOOKED_AT]]
    by_form: defaultdict[str, list[_Asked]] = defaultdict(list)
    for one in asked:
        by_form[one.form].append(one)
    newest = list(by_form)[:DIFFERENT]
    repeated = sorted(
        (same for same in by_form.values() if len(same) >= REPEATED), key=len, reverse=True
    )[:SHOWN]
    wanted = {form: by_form[form][0].id for form in newest}
    plans = plans_of([*wanted.values(), *(same[0].id for same in repeated)])
    schema = schema_of(version)
    families = families_among(wanted, plans, schema)[:SHOWN]
    people = User.objects.in_bulk({one.person for one in asked})
    steps = schema.neighbouring.steps_to_another_value
    names = {pk: str(user) for pk, user in people.items()}
    told = _Telling(by_form, plans, names, dataset.budget.currency, steps)
    return Patterns(
        repeated=tuple(told.repeated(same) for same in repeated),
        differing=tuple(told.differing(family) for family in families),
        looked_at=len(asked),
        different=len(newest),
        is_cut=len(asked) == LOOKED_AT or len(by_form) > DIFFERENT,
        steps=steps,
    )


def plans_of(ids: Iterable[UUID]) -> dict[UUID, dict[str, Any]]:
    """As they were asked, by the question. One statement."""
    return dict(Query.objects.filter(pk__in=set(ids)).values_list("pk", "plan"))


def families_among(
    wanted: Mapping[str, UUID], plans: Mapping[UUID, dict[str, Any]], schema: DatasetSchema
) -> list[FilterFamily]:
    """Of the forms that can be read; rules may be stricter now than when one was asked."""
    read: dict[str, Plan] = {}
    for form, pk in wanted.items():
        try:
            read[form] = _read(json.dumps(plans[pk]), schema)
        except InvalidPlan:
            continue
    return families_of(read, schema)


@lru_cache(maxsize=4096)
def _read(text: str, schema: DatasetSchema) -> Plan:
    raw = json.loads(text)
    return parse_plan(raw, schema, dataset=raw["dataset"], stored=True)


@dataclass(frozen=True, slots=True)
class _Telling:
    """Puts what was found into words."""

    by_form: Mapping[str, Sequence[_Asked]]
    plans: Mapping[UUID, dict[str, Any]]
    names: Mapping[UUID, str]
    currency: Currency
    steps: int

    def repeated(self, same: Sequence[_Asked]) -> Pattern:
        words = in_words(self.plans[same[0].id])
        why = _(
            "Averaging the answers takes noise away, as one question of their whole price would. "
            "The price of each was paid, so that is all it gains."
        )
        title = _("Asked %(number)s times: %(question)s") % {
            "number": len(same),
            "question": words,
        }
        return self._pattern(title, why, [same[0]], same)

    def differing(self, family: FilterFamily) -> Pattern:
        firsts = [self.by_form[form][0] for form in family.keys]
        everybody = [one for form in family.keys for one in self.by_form[form]]
        title = (
            _("%(number)s questions that differ in the condition on %(column)s")
            if family.column
            else _("%(number)s questions that differ in one joined condition")
        ) % {"number": len(firsts), "column": family.column}
        return self._pattern(title, _why(family), firsts, everybody, narrow=family.is_narrow)

    def _pattern(
        self,
        title: str,
        why: str,
        examples: Sequence[_Asked],
        everybody: Sequence[_Asked],
        *,
        narrow: bool = False,
    ) -> Pattern:
        shown = examples[:_EXAMPLES]
        return Pattern(
            title=title,
            why=why,
            questions=tuple((one.id, in_words(self.plans[one.id])) for one in shown),
            number=len(examples),
            people=tuple(sorted({self.names[one.person] for one in everybody})),
            most=PatternLoss(sum(one.nano for one in everybody), self.currency, self.steps),
            is_narrow=narrow,
            asked=len(everybody),
        )


def _why(family: FilterFamily) -> str:
    if family.closest is None or family.values is None:
        return _("Subtracting two of the answers leaves the people between the two groups.")
    return ngettext(
        "Subtracting two of the answers leaves the people between the two groups. The two most "
        "alike are %(apart)s value of %(column)s apart, of %(values)s.",
        "Subtracting two of the answers leaves the people between the two groups. The two most "
        "alike are %(apart)s values of %(column)s apart, of %(values)s.",
        family.closest,
    ) % {
        "apart": family.closest,
        "column": family.column,
        "values": number_format(family.values, force_grouping=True),
    }
