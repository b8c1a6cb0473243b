"""A question or an answer as a few lines of Python for a notebook.

They need the standard library only. The token never stands in them: it is read from the
environment. Running a question's lines twice pays once, because the key of the question is part of
them.
"""

import hashlib
from pprint import pformat
from typing import Any
from uuid import UUID

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
