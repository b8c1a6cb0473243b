"""A condition in values that its column has, so that a plan says what is counted.

A column that counts months has no 15 January: “at least 2022-01-15” begins with February there, and
reads “at least 2022-02”. No row passes one and not the other. Made of the declaration alone.
"""

from dataclasses import replace
from typing import NamedTuple

from dpgov.privacy.plan.calendar import DateStep, number_of, span_of, start_of
from dpgov.privacy.plan.constants import text_of
from dpgov.privacy.plan.plan import Compound, Condition, Connective, Filter
from dpgov.privacy.plan.predicates import at_least, at_most, first_code, place
from dpgov.privacy.plan.schema import DateDomain, NumericDomain


class _Placed(NamedTuple):
    """A written value among those of the column: the first that does not begin before it, the last
    that does not end behind it, and how each is written. None is meant where the first lies behind
    the last.
    """

    text: str
    first: int
    last: int
    begin: str
    end: str

    @property
    def is_whole(self) -> bool:
        """Whether it begins and ends where values of the column do."""
        return self.begin == self.text == self.end


def as_counted(condition: Condition, domain: NumericDomain, *, room: int, most: int) -> Filter:
    """What passes the same values of the column, and names no others; itself where it does already.

    With joints at most `room` deep and at most so many values, or as it was written.
    """
    placed = [_placed(text, domain) for text in condition.values]
    match condition.op:
        case "<" | ">=":
            return replace(condition, values=(placed[0].begin,))
        case "<=" | ">":
            return replace(condition, values=(placed[0].end,))
        case "between":
            return _between(condition, placed[0], placed[1], domain, room)
        case "=" | "!=":
            return _equal(condition, placed[0], domain, room)
        case "in":
            return _listed(condition, placed, domain, room, most)
    return condition


def _placed(text: str, domain: NumericDomain) -> _Placed:
    """Of what no row can have, because it is out of bounds, nothing better can be said."""
    if isinstance(domain, DateDomain):
        span = span_of(text)
        first, last = first_code(span.start, domain), first_code(span.end, domain) - 1
        begins = start_of(domain.unit, domain.first + first) == span.start
        ends = start_of(domain.unit, domain.first + last + 1) == span.end
        out = first > domain.top + 1 or last < -1 or domain.first + first > _last_of(domain.unit)
    else:
        position = place(text, domain)
        first, last = at_least(position), at_most(position)
        begins = ends = first == last
        out = first > domain.top or last < 0
    begin = text if begins or out else text_of(domain, first)
    return _Placed(text, first, last, begin, text if ends or out else text_of(domain, last))


def _last_of(step: DateStep) -> int:
    """The last period that can be written: years have four digits."""
    return int(number_of(step, span_of("9999").end - 1))


def _between(
    condition: Condition, low: _Placed, high: _Placed, domain: NumericDomain, room: int
) -> Filter:
    if low.begin == low.text and high.end == high.text:
        return condition
    if low.first > high.last:
        return _nothing(condition, low.first, domain) if room >= 1 else condition
    return replace(condition, values=(low.begin, high.end))


def _equal(condition: Condition, one: _Placed, domain: NumericDomain, room: int) -> Filter:
    """A value of the column, several in a row (the weeks that begin in a month), or none."""
    if one.is_whole:
        return condition
    differs = condition.op == "!="
    if one.first == one.last:
        return replace(condition, values=(text_of(domain, one.first),))
    if room < 1 + differs:
        return condition
    if one.first > one.last:
        found: Filter = _nothing(condition, one.first, domain)
    else:
        ends = text_of(domain, one.first), text_of(domain, one.last)
        found = replace(condition, op="between", values=ends)
    return Compound(Connective.NOT, (found,)) if differs else found


def _listed(
    condition: Condition, placed: list[_Placed], domain: NumericDomain, room: int, most: int
) -> Filter:
    if all(one.is_whole for one in placed):
        return condition
    texts = [text for one in placed for text in _each(one, domain)]
    if not texts:
        gaps = tuple(_nothing(condition, one.first, domain) for one in placed)
        joined = gaps[0] if len(gaps) == 1 else Compound(Connective.OR, gaps)
        return joined if room >= 2 else condition
    values = tuple(dict.fromkeys(texts))
    return condition if len(values) > most else replace(condition, values=values)


def _each(one: _Placed, domain: NumericDomain) -> list[str]:
    if one.is_whole:
        return [one.text]
    return [text_of(domain, code) for code in range(one.first, one.last + 1)]


def _nothing(condition: Condition, first: int, domain: NumericDomain) -> Compound:
    """What lies between a value of the column and the one before it."""
    ends = (">", text_of(domain, first - 1)), ("<", text_of(domain, first))
    members = tuple(replace(condition, op=op, values=(text,)) for op, text in ends)
    return Compound(Connective.AND, members)
