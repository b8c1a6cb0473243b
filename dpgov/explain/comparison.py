"""What a dataset's charges add up to by other accounts, for the eyes of owners and officers.

Must never be asked whether a question may be admitted. Charges are grouped by amount in the
database, so that a million of them are a few rows.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from hashlib import sha256

from django.core.cache import cache
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.budgets.models import Budget, Charge, Correction
from dpgov.privacy.accounting import comparison
from dpgov.privacy.accounting.comparison import EqualCharges, by_distribution
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.accounting.loss import Mode

DEFAULT_DELTA = "1e-6"
_KEPT = 7 * 86_400

_Account = Callable[[Sequence[EqualCharges], Decimal], float]


@dataclass(frozen=True, slots=True)
class Figure:
    """One account: its name, what it gives at δ, and what to know about it.

    `admits` marks the account that the dataset's own filter keeps; `waits` one that is still to be
    computed, whose `epsilon` is None.
    """

    name: str
    title: str
    epsilon: float | None
    note: str
    admits: bool
    waits: bool = False

    @property
    def text(self) -> str:
        """Rounded up to four digits after the point."""
        if self.epsilon is None:
            return "–"
        # The shortest decimal that reads back as this float, so that 0.55 stays 0.55.
        digits = Decimal(repr(self.epsilon)).quantize(Decimal("1e-4"), ROUND_CEILING)
        return as_text(int(digits * NANO))


@dataclass(frozen=True, slots=True)
class AccountsAtDelta:
    """All accounts of the same charges at one δ."""

    delta: Decimal
    questions: int
    amounts: int
    figures: tuple[Figure, ...]


def compare(budget: Budget, delta: Decimal, *, patient: bool = True) -> AccountsAtDelta:
    """What a dataset was charged by every method; of a partition, of its most used part.

    Who is not `patient` gets no figure of a method that takes seconds, unless it is known already.
    """
    asked = charged(budget)
    return AccountsAtDelta(
        delta=delta,
        questions=sum(one.count for one in asked),
        amounts=len(asked),
        figures=tuple(_figure(kind, asked, delta, budget, patient) for kind in _ACCOUNTS),
    )


def charged(budget: Budget) -> list[EqualCharges]:
    """What was booked and not given back, grouped by amount; a correction counts as one."""
    mode = Mode(budget.mode)
    line = _most_used(budget)
    corrections = Correction.objects.filter(budget=line).order_by()
    refunded = corrections.filter(kind=Correction.Kind.REFUND).values("query_id")
    charges = Charge.objects.filter(budget=line).exclude(query_id__in=refunded).order_by()
    counted: dict[int, int] = {}
    for rows in (charges, corrections.exclude(kind=Correction.Kind.REFUND)):
        for nano, count in rows.values_list("amount_nano").annotate(count=Count("pk")):
            counted[nano] = counted.get(nano, 0) + count
    return [EqualCharges(mode, nano, count) for nano, count in sorted(counted.items())]


def _most_used(budget: Budget) -> Budget:
    lines = Budget.objects.filter(as_part__dataset_budget=budget)
    return lines.order_by("-spent_nano", "pk").first() or budget


@dataclass(frozen=True, slots=True)
class _Kind:
    """Title and note are in English here; a `Figure` has them in the reader's language."""

    name: str
    title: str
    note: str
    account: _Account
    keeps: Mode | None = None
    slow: bool = False


_ACCOUNTS = (
    _Kind(
        "basic",
        gettext_noop("Basic composition"),
        gettext_noop("The plain sum of ε. Under ρ, each question is read at its share of δ."),
        comparison.basic,
        Mode.PURE,
    ),
    _Kind(
        "advanced",
        gettext_noop("Advanced composition"),
        gettext_noop(
            "Grows with the root of the number of questions. Holds for amounts fixed beforehand."
        ),
        comparison.advanced,
    ),
    _Kind(
        "zcdp",
        gettext_noop("zCDP"),
        gettext_noop("The sum of ρ, read at δ. Pure questions count with the ρ of their ε."),
        comparison.zcdp,
        Mode.ZCDP,
    ),
    _Kind(
        "rdp",
        gettext_noop("Rényi (RDP)"),
        gettext_noop("Divergences at every order add up; the best order is read at δ."),
        comparison.renyi,
    ),
    _Kind(
        "pld",
        gettext_noop("Privacy loss distributions (PLD)"),
        gettext_noop(
            "The tightest of these. Holds for amounts fixed beforehand, not as a rule for stopping."
        ),
        by_distribution,
        slow=True,
    ),
)
# Of the accounts, in the order in which they are shown.
NAMES = [kind.name for kind in _ACCOUNTS]


def _figure(
    kind: _Kind, asked: Sequence[EqualCharges], delta: Decimal, budget: Budget, patient: bool
) -> Figure:
    admits = kind.keeps is not None and kind.keeps.value == budget.mode
    epsilon = _epsilon(kind, asked, delta, patient)
    return Figure(kind.name, _(kind.title), epsilon, _(kind.note), admits, waits=epsilon is None)


def _epsilon(
    kind: _Kind, asked: Sequence[EqualCharges], delta: Decimal, patient: bool
) -> float | None:
    """By this method; what took seconds is kept, and holds for as long as the charges stay."""
    if not kind.slow:
        return kind.account(asked, delta)
    listed = [[str(one.mode), one.nano, one.count] for one in asked]
    text = json.dumps([kind.name, listed, str(delta)])
    key = f"accounting:{sha256(text.encode()).hexdigest()}"
    kept = cache.get(key)
    if isinstance(kept, float) or not patient:
        return kept if isinstance(kept, float) else None
    found = kind.account(asked, delta)
    cache.set(key, found, _KEPT)
    return found
