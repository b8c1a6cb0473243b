"""The search box over the audit log: `actor:anna@example.org on:2026-11-21 ε:>0.5`.

The whole language, one word after the other, each at most once. A word alone, such as `visits`, is
the beginning of a dataset's or person's name, or a word of what happened:

| word | finds |
|---|---|
| `actor:NAME` | what this person, or `worker`, `sweeper`, did; the beginning of a name is enough |
| `action:CODE` | one kind of step, such as `action:BUDGET_LIMIT_CHANGED` |
| `dataset:NAME` | what concerns this dataset; the beginning of its name is enough |
| `on:DAY` | what happened on one day, `2026-11-21` |
| `since:DAY`, `until:DAY` | from the beginning of a day, to the end of a day |
| `ε:>0.5` | questions by what they cost; also `>=`, `<`, `<=`, or a number alone; `ρ:` likewise |

A value with spaces stands in double quotes. `epsilon:` and `rho:` are the same as `ε:` and `ρ:`.
Must never guess: what is not understood is refused, and the refusal says where it stands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.selectors import Amount, EntryFilter
from dpgov.privacy.accounting.decimals import InvalidAmount, parse_epsilon

LONGEST = 500
_WORD = re.compile(r'\s*(?:(?P<name>[^\s:"]+):(?P<value>"[^"]*"|[^\s"]+)?|(?P<rest>\S+))')
_AMOUNT = re.compile(r"(?P<sign>>=|<=|>|<|=)?(?P<number>[0-9.eE+-]+)")
_ALONE = re.compile(r"[\w@.+-]+")
_UNITS = {"ε": "epsilon", "epsilon": "epsilon", "ρ": "rho", "rho": "rho"}
_NAMES = ("actor", "action", "dataset", "on", "since", "until", "ε", "ρ")


class NotUnderstood(ValueError):
    """A search that is not in the language; `place` is where it goes wrong, counted from 1."""

    def __init__(self, message: str, *, place: int) -> None:
        self.place = place
        super().__init__(
            _("At character %(place)s: %(problem)s") % {"place": place, "problem": message}
        )


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A qualifier and its value, as typed, with the places at which it and its value begin."""

    name: str
    value: str
    begin: int
    place: int


def parse(text: str) -> EntryFilter:
    """The filter that a search means; an empty search finds everything.

    Raises NotUnderstood, naming the place, and that the span of time is empty.
    """
    fields: dict[str, Qualifier] = {}
    for word in _words(text):
        name = _UNITS.get(word.name, word.name)
        if name in fields and not name:
            alone = _("“%(word)s” is a second word alone. Put names of several words in quotes.")
            raise NotUnderstood(alone % {"word": word.value}, place=word.begin)
        if name in fields:
            twice = _("“%(name)s:” is said twice; say it once.") % {"name": word.name}
            raise NotUnderstood(twice, place=word.begin)
        fields[name] = word
    chosen = EntryFilter()
    for name, word in fields.items():
        chosen = _with(chosen, name, word)
    return _checked(chosen, fields)


def _words(text: str) -> Iterator[Qualifier]:
    if len(text) > LONGEST:
        most = _("a search has %(most)s characters at most.") % {"most": LONGEST}
        raise NotUnderstood(most, place=LONGEST + 1)
    # Every character that is no space begins a word, so nothing is passed over.
    yield from map(_word, _WORD.finditer(text))


def _word(found: re.Match[str]) -> Qualifier:
    if found["rest"] is not None and _ALONE.fullmatch(found["rest"]):
        return Qualifier("", found["rest"], found.start("rest") + 1, found.start("rest") + 1)
    if found["rest"] is not None:
        alone = _("“%(word)s” stands alone. Write before it what to look for, such as %(names)s.")
        raise NotUnderstood(
            alone % {"word": found["rest"], "names": _every_name()}, place=found.start("rest") + 1
        )
    name, place = found["name"].lower(), found.start("name") + 1
    if name not in (*_NAMES, *_UNITS):
        unknown = _("there is no “%(name)s:”. There are %(names)s.")
        raise NotUnderstood(unknown % {"name": found["name"], "names": _every_name()}, place=place)
    value = (found["value"] or "").strip('"').strip()
    if not value:
        empty = _("“%(name)s:” needs a value right behind it.") % {"name": found["name"]}
        raise NotUnderstood(empty, place=place)
    return Qualifier(name, value, place, found.start("value") + 1)


def _every_name() -> str:
    return ", ".join(f"{name}:" for name in _NAMES)


def _with(chosen: EntryFilter, name: str, word: Qualifier) -> EntryFilter:
    match name:
        case "":
            return replace(chosen, word=word.value[:200])
        case "actor":
            return replace(chosen, actor=word.value[:254])
        case "dataset":
            return replace(chosen, dataset=word.value[:200])
        case "action":
            return replace(chosen, action=_action(word))
        case "on":
            return replace(chosen, since=_begin(word), until=_begin(word, days=1))
        case "since":
            return replace(chosen, since=_begin(word))
        case "until":
            return replace(chosen, until=_begin(word, days=1))
    return replace(chosen, amount=_amount(name, word))


def _action(word: Qualifier) -> str:
    code = word.value.upper()
    if code not in set(Action):
        unknown = _(
            "“%(value)s” is no kind of step. The codes stand beside the words in the list, "
            "such as QUERY_SUBMITTED."
        )
        raise NotUnderstood(unknown % {"value": word.value}, place=word.place)
    return code


def _begin(word: Qualifier, *, days: int = 0) -> datetime:
    """The beginning of a day, or of one after it, in the zone that pages are written in."""
    try:
        day = date.fromisoformat(word.value) + timedelta(days=days)
        begin = timezone.make_aware(datetime.combine(day, time.min))
        # The log is searched in UTC, which may not have it at the ends of the calendar.
        begin.astimezone(UTC)
    except (ValueError, OverflowError):
        wrong = _("“%(value)s” is no day; write it like 2026-11-21.") % {"value": word.value}
        raise NotUnderstood(wrong, place=word.place) from None
    return begin


def _amount(unit: str, word: Qualifier) -> Amount:
    found = _AMOUNT.fullmatch(word.value)
    try:
        nano = parse_epsilon(found["number"]) if found else 0
    except InvalidAmount:
        nano = 0
    if found is None or not nano:
        wrong = _("“%(value)s” is no amount; write it like >0.5, <=1 or 0.25.")
        raise NotUnderstood(wrong % {"value": word.value}, place=word.place)
    return Amount(unit, found["sign"] or "=", nano)


def _checked(chosen: EntryFilter, fields: dict[str, Qualifier]) -> EntryFilter:
    """What contradicts itself is refused where the later word stands."""
    if "on" in fields and {"since", "until"} & fields.keys():
        whole = _("“on:” is a whole day; leave since: and until: out.")
        raise NotUnderstood(whole, place=fields["on"].place)
    if chosen.since and chosen.until and chosen.until <= chosen.since:
        early = _("this day is before the one of since:.")
        raise NotUnderstood(early, place=fields["until"].place)
    if chosen.amount and chosen.action not in ("", Action.QUERY_SUBMITTED):
        raise NotUnderstood(
            _("a search by amount finds questions as they were asked; leave action: out."),
            place=fields[chosen.amount.unit].place,
        )
    return chosen
