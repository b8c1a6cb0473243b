"""Files that arrive twice: invented people, and what is done to them before they come again."""

from collections.abc import Callable

from django.test import Client

from dpgov.datasets.models import Dataset
from tests.integration.datasets.invented import Rows, as_csv, as_parquet, people
from tests.integration.datasets.registering import register, uploaded

PEOPLE = people(1)
CHANGED: dict[str, Callable[[Rows], bytes]] = {
    "one row changed": lambda rows: as_csv([("7", "f", "1.5"), *rows[1:]]),
    "one row less": lambda rows: as_csv(rows[1:]),
    "rows added": lambda rows: as_csv(rows + people(2, 3)),
    "one row changed, in Parquet": lambda rows: as_parquet([("7", "f", "1.5"), *rows[1:]]),
    "a column without its values": lambda rows: as_csv([(a, "", c) for a, _, c in rows]),
    "a column that says something else": lambda rows: as_csv(
        [(a, b[:0] + "x", c) for a, b, c in rows]
    ),
}
SAME: dict[str, bytes] = {
    "the same file": as_csv(PEOPLE),
    "rows in another order": as_csv(PEOPLE[::-1]),
    "columns turned round and renamed": as_csv(
        [(b, c, a) for a, b, c in PEOPLE], ("sex", "x", "age")
    ),
    "Parquet for CSV": as_parquet(PEOPLE),
}


def arrives(client: Client, content: bytes, **changes: str) -> Dataset:
    """Upload and register it; the newest dataset."""
    upload = uploaded(client, content)
    if upload.headers != ["age", "sex", "city"]:
        changes |= {
            f"column-{place}-{field}": ""
            for place in range(len(upload.headers))
            for field in ("kind", "lower", "upper", "step", "categories")
        }
        place = upload.headers.index("age")
        number = {"kind": "number", "lower": "0", "upper": "120", "step": "1"}
        changes |= {f"column-{place}-{field}": value for field, value in number.items()}
    response = register(client, upload, **changes)
    assert response.status_code == 302, response.content.decode()
    return Dataset.objects.latest("created_at")
