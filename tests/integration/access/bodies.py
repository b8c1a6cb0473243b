"""What is sent to the doors that ask questions: one count, by form and by API."""

import json

FORM = {"statistic": ["0"], "statistic-0-kind": "count", "epsilon": "0.5", "price": "0.5"}
PLAN = {
    "dataset": "visits",
    "statistics": [{"statistic": "count"}],
    "where": [],
    "group_by": [],
    "epsilon": 0.5,
}
BATCH = {"epsilon": 0.5, "plans": [{"statistics": [{"statistic": "count"}]}]}
TABLES_FORM = {
    "column-2-use": "on",
    "tables": "1",
    "key": "k-5",
    "by": "epsilon",
    "epsilon": "0.5",
    "price": "0.5",
}
BATCH_FORM = {
    "question": ["0"],
    "question-0-plan": json.dumps({"statistics": [{"statistic": "count"}]}),
    "epsilon": "0.5",
    "price": "0.5",
}
