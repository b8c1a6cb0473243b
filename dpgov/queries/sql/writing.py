"""What is offered to somebody who writes SQL: a running example, and the words of a text.

All of it is public: declarations and the part of SQL that is understood. Nothing is offered that
reading would refuse.
"""

from typing import TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from sqlglot.tokens import Tokenizer

from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.privacy.plan.by_calendar import PARTS
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    DateDomain,
    NumericDomain,
)
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.sql.clips import OFFERED as CLIP
from dpgov.queries.sql.dates import EXTRACTED
from dpgov.queries.sql.ending import PER_UNIT
from dpgov.queries.sql.regressions import KINDS
from dpgov.queries.sql.running import KINDS as RUNNING
from dpgov.queries.sql.windows import OFFERED as WINDOW

# A page stays light whatever is declared; what is not offered can be typed.
MOST_VALUES = 100
_KEYWORDS = (
    *(
        "SELECT",
        "FROM",
        "WHERE",
        "GROUP BY",
        "HAVING",
        "LIMIT",
        "AND",
        "OR",
        "NOT",
        "IN",
        "BETWEEN",
    ),
    *("IS NULL", "IS NOT NULL", "AS", "DATE", "TIMESTAMP", "DISTINCT", "WITHIN GROUP", "ORDER BY"),
    *("OVER", "PARTITION BY", "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"),
)


class Word(TypedDict):
    """One word of a list: as it is shown, as it is written, and what it is."""

    label: str
    apply: str
    detail: str


class ColumnWord(Word):
    """`values` can be compared with between quotes; `periods` are those of DATE_TRUNC."""

    values: list[str]
    periods: list[str]


class Words(TypedDict):
    """Everything that a text about one dataset can be made of."""

    table: Word
    columns: list[ColumnWord]
    functions: list[Word]
    keywords: list[str]


def quoted(name: str) -> str:
    """The name as it is written in a text: between quotes where it has to be."""
    plain = name.isascii() and name.replace("_", "a").isalnum() and not name[:1].isdigit()
    free = plain and name.upper() not in Tokenizer.KEYWORDS
    return name if free else '"{}"'.format(name.replace('"', '""'))


def example(table: str, schema: DatasetSchema) -> str:
    """A text that can be asked of this dataset, from its declared columns alone."""
    groups = [c.name for c in schema.columns if isinstance(c.domain, CategoryDomain)][:1]
    numbers = [c.name for c in schema.columns if not isinstance(c.domain, CategoryDomain)][:1]
    shown = [*map(quoted, groups), "COUNT(*)", *(f"AVG({quoted(name)})" for name in numbers)]
    lines = [f"SELECT {', '.join(shown)}", f"FROM {quoted(table)}"]
    lines += [f"GROUP BY {quoted(name)}" for name in groups]
    return "\n".join(lines)


def words_of(table: str, schema: DatasetSchema, *, unit: str) -> Words:
    """What a text about this dataset can be made of; `unit` is that of its price."""
    return Words(
        table=Word(label=table, apply=quoted(table), detail=_("this dataset")),
        columns=[_column(column) for column in schema.columns],
        functions=[*_statistics(schema), *_groups(schema)],
        keywords=[
            *_KEYWORDS,
            f"WITH {unit.upper()}",
            *(PER_UNIT if schema.unit.private_id else ()),
        ],
    )


def _column(column: ColumnSpec) -> ColumnWord:
    domain = column.domain
    values = list(domain.categories[:MOST_VALUES]) if isinstance(domain, CategoryDomain) else []
    periods = (
        [part.value for part in PARTS[domain.unit] if part.in_order]
        if isinstance(domain, DateDomain)
        else []
    )
    return ColumnWord(
        label=column.name,
        apply=quoted(column.name),
        detail=_detail(domain),
        values=values,
        periods=periods,
    )


def _detail(domain: NumericDomain | CategoryDomain) -> str:
    if isinstance(domain, CategoryDomain):
        number = len(domain.categories)
        words = ngettext("{number} category", "one of {number} categories", number)
        return words.format(number=number)
    if isinstance(domain, DateDomain):
        ends = domain.text(0), domain.text(domain.top)
    else:
        ends = decimal_text(domain.lower), decimal_text(domain.upper)
    return _("{low} to {high}").format(low=ends[0], high=ends[1])


def _statistics(schema: DatasetSchema) -> list[Word]:
    words = [_said("COUNT(*)", StatisticKind.COUNT)]
    if schema.unit.private_id:
        of_units = f"COUNT(DISTINCT {quoted(schema.unit.private_id)})"
        words.append(_said(of_units, StatisticKind.COUNT_DISTINCT))
    words.append(
        Word(
            label="COUNT(DISTINCT",
            apply="COUNT(DISTINCT ",
            detail=_(StatisticKind.DISTINCT_VALUES.facts.label),
        )
    )
    words += [
        Word(label=name, apply=f"{name}(", detail=_(kind.facts.label))
        for kind in StatisticKind
        for name in kind.facts.sql[:1]
    ]
    running = _(StatisticKind.CDF.facts.label)
    words.append(Word(label=WINDOW, apply=f"{WINDOW} (ORDER BY ", detail=running))
    words += [
        Word(label=name, apply=f"{name}(", detail=_(kind.facts.label))
        for name, kind in (RUNNING | KINDS).items()
    ]
    of_order = "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY "
    label = _(StatisticKind.QUANTILES.facts.label)
    words.append(Word(label="PERCENTILE_CONT", apply=of_order, detail=label))
    return [*words, Word(label=CLIP, apply=f"{CLIP}(", detail=_("column, low, high"))]


def _said(text: str, kind: StatisticKind) -> Word:
    return Word(label=text, apply=text, detail=_(kind.facts.label))


def _groups(schema: DatasetSchema) -> list[Word]:
    words = [
        Word(label="WIDTH_BUCKET", apply="WIDTH_BUCKET(", detail=_("column, low, high, bins")),
        Word(label="BINS", apply="BINS(", detail=_("column and edges")),
    ]
    if any(isinstance(column.domain, DateDomain) for column in schema.columns):
        words.append(Word(label="DATE_TRUNC", apply="DATE_TRUNC('", detail=_("period, column")))
        words += [
            Word(label=f"EXTRACT({part} FROM", apply=f"EXTRACT({part} FROM ", detail=_("column"))
            for part in EXTRACTED
        ]
    return words
