"""An answer taken along as a file.

JSON is the stored bytes themselves; CSV holds the same numbers, in English whoever takes it, and
text that a spreadsheet would run as a formula is made harmless.
"""

import csv
import io
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from django.utils.translation import gettext as _

from dpgov.budgets.words import question
from dpgov.language.translation import english
from dpgov.privacy.answer.body import is_alike, read_body
from dpgov.queries.models import Query, Release
from dpgov.queries.wording.margins import bound_at
from dpgov.queries.wording.numbers import LEVELS, rank_error_at
from dpgov.queries.wording.presentation import adjusted_values, named_bins
from dpgov.queries.wording.rounds import write_rounds
from dpgov.queries.wording.words import in_words, term_in_words
from dpgov.web.spreadsheet import safe_text

_CLIP = ("clip_from", "clip_to")
_BOUNDS = ("plus_minus", "rank_error")
# Of what the bounds hold: which rows they do not count, and under which condition alone.
_BUT = ("not_counted_spacing", "not_counted_share", "provided")
_LINES_OF_A_PART = 10_000
_Line = list[str | float | None]


def as_json(release: Release) -> bytes:
    """Exactly what was stored when the answer was released."""
    return release.body.encode()


def as_csv(release: Release) -> bytes | Iterator[bytes]:
    """One line for each group and statistic, with the error bounds at 90, 95 and 99%.

    Statistics of one `draw` share its price; a joint answer says of how many it is. Of tables that
    were chosen in rounds, those of each. In parts where there are very many groups.
    """
    body = read_body(release.body)
    if "rounds" in body:
        file = io.StringIO()
        write_rounds(body, file)
        return file.getvalue().encode()
    parts = _in_parts(_lines(body))
    return parts if is_alike(body) else b"".join(parts)


def _in_parts(lines: Iterator[_Line]) -> Iterator[bytes]:
    while some := list(islice(lines, _LINES_OF_A_PART)):
        file = io.StringIO()
        csv.writer(file).writerows(some)
        yield file.getvalue().encode()


def _lines(body: dict[str, Any]) -> Iterator[_Line]:
    yield [safe_text(text) for text in _headings(body)]
    bins = [[safe_text(name) for name in names] for names in named_bins(body)]
    but = _but(body)
    for place, statistic in enumerate(body["statistics"]):
        before, about = _before(body, statistic), _about(body, place)
        errors, accuracy = [], None
        columns = product(*bins), statistic["cells"], adjusted_values(statistic)
        for labels, cell, adjusted in zip(*columns, strict=True):
            if cell["accuracy"] is not accuracy or "date" in cell:
                accuracy = cell["accuracy"]
                known = _holds_of(accuracy)
                errors = [*_errors(statistic, cell), *(known.get(name) for name in but)]
            value = cell.get("date", cell["value"])
            yield [*labels, *before, value, *errors, adjusted, *about]


def file_name(query: Query) -> str:
    """What files of an answer are called, without an ending: the dataset, the day and the minute.

    Of a slug and digits alone, so that it is safe in any header and on any disk.
    """
    return f"{query.dataset.slug}-{query.submitted_at:%Y-%m-%d-%H%M}"


def citation(query: Query, *, organisation: str, address: str, parties: int = 0) -> str:
    """One line for a footnote: what was asked, of what, when, at which price, and where it is.

    The total of several organisations (`parties`) is not one of this organisation's dataset alone.
    """
    if parties:
        organisation = _("{organisation} and {others} other organisations together").format(
            organisation=organisation, others=parties - 1
        )
    price = question(query.cost_nano, query.dataset.budget.currency)
    pattern = (
        _("{question}. {dataset}, {organisation}. Made of stored answers, {date}. {address}")
        if query.reuse
        else _(
            "{question}. {dataset}, {organisation}. Differentially private answer ({price}), "
            "{date}. {address}"
        )
    )
    return pattern.format(
        question=in_words(query.plan),
        dataset=query.dataset.name,
        organisation=organisation,
        price=price,
        date=f"{query.submitted_at:%Y-%m-%d}",
        address=address,
    )


def _headings(body: dict[str, Any]) -> list[str]:
    groups = [group["column"] for group in body["groups"]]
    bounds = [f"{name}_{level * 100:.0f}" for name in _BOUNDS for level in LEVELS]
    unit = "rho" if "rho" in body["guarantee"] else "epsilon"
    of_what = ["statistic", "column", *(_CLIP if _is_clipped(body) else ())]
    of_what += ["term"] if _has_terms(body) else []
    joint = ["organisations", "may_collude"] if "joint" in body else []
    bounds += _but(body)
    return [*groups, *of_what, "value", "quantile", *bounds, "adjusted", "draw", unit, *joint]


def _but(body: dict[str, Any]) -> list[str]:
    """The columns for what bounds hold of, as far as any of them needs one."""
    stated = [_holds_of(one["cells"][0]["accuracy"]) for one in body["statistics"] if one["cells"]]
    return [name for name in _BUT if any(name in one for one in stated)]


def _holds_of(accuracy: list[dict[str, Any]]) -> dict[str, Any]:
    """By column; a number where rows are not counted, a code where there is a condition."""
    first = accuracy[0] if accuracy else {}
    left_out = {f"not_counted_{name}": n for name, n in first.get("not_counted", {}).items()}
    return left_out | ({"provided": first["provided"]} if "provided" in first else {})


def _is_clipped(body: dict[str, Any]) -> bool:
    """Whether any of its statistics is: two of one column are then told apart by more columns."""
    return any("clip" in statistic for statistic in body["statistics"])


def _has_terms(body: dict[str, Any]) -> bool:
    """Whether any of them is a coefficient."""
    return any("term" in statistic for statistic in body["statistics"])


def _before(body: dict[str, Any], statistic: dict[str, Any]) -> _Line:
    clip = statistic.get("clip") or {}
    with english():
        term = term_in_words(statistic) if "term" in statistic else ""
    return [
        statistic["statistic"],
        safe_text(statistic.get("column") or ""),
        *([clip.get("from"), clip.get("to")] if _is_clipped(body) else []),
        *([safe_text(term)] if _has_terms(body) else []),
    ]


def _errors(statistic: dict[str, Any], cell: dict[str, Any]) -> _Line:
    return [
        statistic.get("quantile"),
        *(bound_at(cell, level) for level in LEVELS),
        *(rank_error_at(cell["accuracy"], level) for level in LEVELS),
    ]


def _about(body: dict[str, Any], place: int) -> list[str | float | None]:
    """The number of the draw, from one on, what it cost, and whose total it is if not one's own."""
    statistic = body["statistics"][place]
    if "draw" not in statistic:
        # Made of stored answers: no draw of its own, and no price.
        return ["", 0]
    drawn, joint = body["draws"][statistic["draw"]], body.get("joint")
    of = [joint["parties"], joint["colluders"]] if joint else []
    return [statistic["draw"] + 1, drawn.get("epsilon", drawn.get("rho")), *of]
