"""What the analysts of the 90 days ask, and how often: a habit for each dataset."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from dpgov.demo.census import adult
from dpgov.demo.life.chance import below
from dpgov.demo.life.datasets import STAYS, SURVEY
from dpgov.demo.people import ANALYST, BELA, CHEN, DORA, Person
from dpgov.demo.questions import QUESTIONS

_FRIDAY = 4
_PRICES = (0.05, 0.05, 0.08, 0.1, 0.1, 0.15, 0.2)


def _one(statistic: str, column: str = "", **more: Any) -> dict[str, Any]:
    asked = {"statistic": statistic, **({"column": column} if column else {})}
    return {"statistics": [asked], **more}


def _where(column: str, value: object) -> list[dict[str, object]]:
    return [{"column": column, "op": "=", "value": value}]


_OF_ADULTS = (
    *({key: part for key, part in one.items() if key != "epsilon"} for one in QUESTIONS),
    _one("count", group_by=[{"column": "education"}]),
    _one("mean", "hours_per_week", group_by=[{"column": "sex"}]),
    _one("mean", "age", where=_where("income", ">50K")),
    _one("median", "hours_per_week"),
    _one("count", where=_where("workclass", "Private")),
)
_OF_STAYS = (
    _one("count"),
    _one("count", group_by=[{"column": "admitted", "by": "quarter"}]),
    _one("count", group_by=[{"column": "admitted", "by": "weekday"}]),
    _one("mean", "days", group_by=[{"column": "admitted", "by": "year"}]),
    _one("count", group_by=[{"column": "ward"}]),
    _one("mean", "days"),
    _one("mean", "days", group_by=[{"column": "ward"}]),
    _one("mean", "cost", where=_where("ward", "Surgery")),
    _one("median", "days"),
    _one("mean", "age", where=_where("admission", "Emergency")),
    _one("count", group_by=[{"column": "age", "edges": [0, 18, 40, 65, 80, 110]}]),
    _one("sum", "cost"),
)
_OF_SURVEY = (
    _one("count", group_by=[{"column": "health"}]),
    _one("mean", "visits"),
    _one("mean", "sleep", where=_where("smokes", "yes")),
    _one("count", where=_where("smokes", "yes"), group_by=[{"column": "district"}]),
    _one("mean", "visits", group_by=[{"column": "district"}]),
)


@dataclass(frozen=True, slots=True)
class Habit:
    """Who asks what of a dataset, from which day on, how many questions in a week at most."""

    dataset: str
    people: tuple[Person, ...]
    questions: tuple[dict[str, Any], ...]
    since: int
    weekly: int
    dearer: float = 1.0


HABITS = (
    Habit(adult.NAME, (ANALYST, ANALYST, BELA, CHEN), _OF_ADULTS, since=3, weekly=9),
    Habit(STAYS.declaration.name, (BELA, CHEN, DORA, DORA), _OF_STAYS, since=11, weekly=8),
    Habit(SURVEY.declaration.name, (ANALYST, DORA), _OF_SURVEY, since=20, weekly=5, dearer=1.4),
)


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """One question: after how much of its day, by whom, about what."""

    after: timedelta
    person: Person
    dataset: str
    plan: dict[str, Any]
    key: str


def asked_on(day: int, when: date) -> Iterator[DemoQuestion]:
    """The questions of one day. Offices are closed on weekends; Fridays are short."""
    if when.weekday() > _FRIDAY:
        return
    for habit in HABITS:
        if day < habit.since:
            continue
        label = f"{habit.dataset} {day}"
        drawn = below(label, 2 + 4 * habit.weekly, 1 << 20).tolist()
        number = drawn[0] % (2 * habit.weekly // 5 + 1)
        for place in range(number):
            yield _asked(habit, f"life-{day}-{place}", drawn[2 + 4 * place : 6 + 4 * place])


def _asked(habit: Habit, key: str, drawn: list[int]) -> DemoQuestion:
    person, question, price, minute = drawn
    epsilon = round(_PRICES[price % len(_PRICES)] * habit.dearer, 2)
    return DemoQuestion(
        timedelta(hours=8, minutes=minute % 540, seconds=question % 60),
        habit.people[person % len(habit.people)],
        habit.dataset,
        {**habit.questions[question % len(habit.questions)], "epsilon": epsilon},
        f"{key}-{habit.dataset.split()[0].lower()}",
    )
