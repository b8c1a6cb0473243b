"""A question or an answer as a few lines of Python for a notebook, with the standard library only.

The token never stands in the text: it is read from the environment. Running a question's lines
twice pays once, because the key of the question is part of them.
"""

import hashlib
from pprint import pformat
from typing import Any

_CALL = """import json
import os
import time
import urllib.request

SERVER = {server!r}
TOKEN = os.environ["DPGOV_TOKEN"]  # yours, made on the page "API tokens"


def call(path, body=None, **headers):
    headers |= {{"Authorization": f"Token {{TOKEN}}", "Content-Type": "application/json"}}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data=data, headers=headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def show(release):
    for statistic in release["statistics"]:
        for cell in statistic["cells"]:
            errors = [a["message"] for a in cell["accuracy"] if a["confidence_level"] == 0.95]
            print(statistic["statistic"], statistic.get("column") or "", cell["value"], *errors)
        if statistic.get("warning_code"):
            print("warning:", statistic["warning_code"])

"""

_ASK = """
PLAN = {plan}

# Free: what it costs, and the same question over invented rows.
price = call("/api/v1/datasets/{slug}/quote/", PLAN)
print("cost:", price["cost_in_words"], "accepted:", price["accepted"])
show(call("/api/v1/datasets/{slug}/mock/", PLAN))

# This asks, and pays once: with the same key it never pays again, however often it is run.
query = call("/api/v1/datasets/{slug}/queries/", PLAN, **{{"Idempotency-Key": "{key}"}})
while query["state"] == "waiting":
    time.sleep(1)
    query = call(f"/api/v1/queries/{{query['id']}}/")
release = call(f"/api/v1/queries/{{query['id']}}/release/")
show(release)
"""

_READ = """
# Reading a stored answer costs nothing.
release = call("/api/v1/queries/{query_id}/release/")
show(release)
"""


def question_lines(plan: dict[str, Any], *, slug: str, server: str, form_key: str) -> str:
    """Price it, try it, ask it once, read the answer. `server` has no slash at its end."""
    text = pformat(plan, sort_dicts=False, width=88)
    key = hashlib.sha256(f"{form_key} {text}".encode()).hexdigest()[:24]
    return _CALL.format(server=server) + _ASK.format(plan=text, slug=slug, key=f"notebook-{key}")


def answer_lines(query_id: object, *, server: str) -> str:
    """Read a stored answer."""
    return _CALL.format(server=server).replace("import time\n", "") + _READ.format(
        query_id=query_id
    )
