"""An answer taken along: as a file, or as a few lines of Python for a notebook.

JSON is the stored bytes themselves; CSV holds the same numbers, in English whoever takes it, and
text that a spreadsheet would run as a formula is made harmless. The lines need the standard library
only. The token never stands in them: it is read from the environment. Running a question's lines
twice pays once, because the key of the question is part of them.
"""

import csv
import hashlib
import io
from collections.abc import Iterator
from itertools import islice, product
from pprint import pformat
from typing import Any
from uuid import UUID

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


_CALL = """import json
import os
import time
import urllib.error
import urllib.request
from itertools import product

SERVER = {server!r}
TOKEN = os.environ["DPGOV_TOKEN"]  # yours, made on the page "API tokens"


def call(path, body=None, **headers):
    headers |= {{"Authorization": f"Token {{TOKEN}}", "Content-Type": "application/json"}}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data=data, headers=headers)
    for _ in range(5):
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                answer = json.load(response)
                pause(response)
                return answer
        except urllib.error.HTTPError as refused:
            if refused.code not in (429, 503):
                raise SystemExit(f"{{refused.code}}: {{reason(refused)}}") from None
            pause(refused)
    raise SystemExit("The server is busy. Run this again later: with the same key it pays once.")


def pause(answer):  # for as long as the server asks for
    time.sleep(min(int(answer.headers.get("Retry-After") or 0), 60))


def reason(refused):
    try:
        return json.load(refused)["errors"][0]["detail"]
    except ValueError:
        return refused.reason


def names(statistic):  # what tells it apart from the others
    found = [statistic["statistic"], statistic.get("column"), statistic.get("quantile")]
    if "clip" in statistic:
        found.append("clipped to {{from}} to {{to}}".format(**statistic["clip"]))
    if "term" in statistic:
        found += [statistic["term"] or "intercept", statistic.get("category")]
    return [name for name in found if name is not None]


def show(release):
    groups = list(product(*(group["bins"] for group in release["groups"])))
    for statistic in release["statistics"]:
        # Of very many groups all cells have one accuracy, which is said once.
        alike = {{"accuracy": statistic.get("accuracy")}}
        cells = statistic.get("cells") or [alike | {{"value": v}} for v in statistic["values"]]
        for group, cell in zip(groups, cells):
            errors = [a["message"] for a in cell["accuracy"] if a["confidence_level"] == 0.95]
            date = [cell["date"]] if "date" in cell else []  # the nearest to the number
            print(*group, *names(statistic), *date, cell["value"], *errors)
        if statistic.get("warning_code"):
            print("warning:", statistic["warning_code"])

"""

_ASK = """
PLAN = {plan}

# Free: what it costs, and the same question over invented rows.
price = call("/api/v1/datasets/{slug}/quote/{charged}", PLAN)
print("cost:", price["cost_in_words"], "accepted:", price["accepted"], price["refusal"] or "")
try:
    show(call("/api/v1/datasets/{slug}/mock/", PLAN))
except SystemExit as refused:  # of very many groups nothing is tried
    print("not tried:", refused)

# This asks, and pays once: with the same key it never pays again, however often it is run.
asking = "/api/v1/datasets/{slug}/queries/{charged}"
query = call(asking, PLAN, **{{"Idempotency-Key": "{key}"}})
until = time.monotonic() + 3600
while query["state"] == "waiting":
    if time.monotonic() > until:
        raise SystemExit("It still waits. Run this again later: with the same key it pays once.")
    query = call(f"/api/v1/queries/{{query['id']}}/?wait=20")
# Where it ended without an answer, this says why.
release = call(f"/api/v1/queries/{{query['id']}}/release/")
show(release)
"""

_READ = """
# Reading a stored answer costs nothing.
release = call("/api/v1/queries/{query_id}/release/")
for table in release.get("rounds", [release]):
    show(table)
"""


def question_lines(
    plan: dict[str, Any],
    *,
    slug: str,
    server: str,
    form_key: str,
    allocation_id: UUID | None = None,
) -> str:
    """Price it, try it, ask it once, read the answer. `server` has no slash at its end.

    What is charged is that allocation; None: what is charged where nobody chooses.
    """
    text = pformat(plan, sort_dicts=False, width=88)
    charged = f"?allocation={allocation_id}" if allocation_id else ""
    # Of another allocation it is another question, whose key is not this one's.
    key = hashlib.sha256(f"{form_key} {charged} {text}".encode()).hexdigest()[:24]
    lines = _ASK.format(plan=text, slug=slug, charged=charged, key=f"notebook-{key}")
    return _CALL.format(server=server) + lines


def answer_lines(query_id: object, *, server: str) -> str:
    """Read a stored answer."""
    return _CALL.format(server=server) + _READ.format(query_id=query_id)
