"""Does registering a big file slow the pages that others look at?

Run: uv run bench/registering.py. Starts the demonstration on the embedded default with its reader
of files, reads one page in turns with and without a file of ROWS rows being registered, and prints
the medians and their ratio, for the page and for a bare request. Everything is removed afterwards.
"""

import argparse
import http.cookiejar
import json
import random
import re
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.journeys.product import Product, started_product

PAGE = "/datasets/adult-census-income/"
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Window:
    """A signed-in person without a browser."""

    def __init__(self, product: Product) -> None:
        self._url = product.url
        jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        sign_in = {"login": "owner@example.org", "password": product.password}
        self.post("/account/login/", sign_in)

    def get(self, path: str) -> tuple[str, str]:
        """Where it led, and the page."""
        with self._opener.open(self._url + path, timeout=120) as answer:
            return answer.url.removeprefix(self._url), answer.read().decode()

    def post(self, path: str, fields: dict[str, str], file: bytes | None = None) -> str:
        """Send a form, with its token; where it led."""
        token = _TOKEN.search(self.get(path)[1])
        if token is None:
            raise RuntimeError(f"{path} has no form")
        fields = {"csrfmiddlewaretoken": token[1], **fields}
        body, kind = urllib.parse.urlencode(fields).encode(), "application/x-www-form-urlencoded"
        if file is not None:
            body, kind = _multipart(fields, file), "multipart/form-data; boundary=b0undary"
        request = urllib.request.Request(  # noqa: S310 - our own
            self._url + path, body, {"Content-Type": kind}
        )
        with self._opener.open(request, timeout=600) as answer:
            return str(answer.url).removeprefix(self._url)


def _multipart(fields: dict[str, str], file: bytes) -> bytes:
    parts = [
        f'--b0undary\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    head = '--b0undary\r\nContent-Disposition: form-data; name="file"; filename="big.csv"\r\n'
    tail = b"\r\n--b0undary--\r\n"
    return "".join(parts).encode() + f"{head}Content-Type: text/csv\r\n\r\n".encode() + file + tail


def measured(window: Window, reads: int) -> float:
    """The median of so many reads of a page, in milliseconds."""
    taken = []
    for _ in range(reads):
        began = time.perf_counter()
        window.get(PAGE)
        taken.append(1000 * (time.perf_counter() - began))
        time.sleep(0.05)
    return median(taken)


def begin(window: Window, rows: int, seed: int) -> str:
    """Upload a big file and ask to have it registered; the page that tells how far it is."""
    chance = random.Random(seed)
    lines = [f"{chance.randrange(100)},{chance.choice('NESW')}\n" for _ in range(50_000)]
    file = ("age,ward\n" + "".join(lines) * (rows // 50_000)).encode()
    form = window.post("/datasets/new/", {}, file)
    column = {"kind": "number", "lower": "0", "upper": "110", "step": "1", "missing": "drop"}
    typed = {
        "name": f"Big {seed}",
        "unit": "row",
        "neighbouring": "add_remove",
        "group_size": "1",
        "max_rows": "100000000",
        "epsilon_limit": "3",
        "epsilon_per_query": "1",
        "column-1-kind": "",
        **{f"column-0-{name}": value for name, value in column.items()},
    }
    return window.post(form, typed)


def main() -> None:
    """Turns of both kinds, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--reads", type=int, default=20)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, started_product(Path(home)) as product:
        window, ratios = Window(product), []
        for turn in range(chosen.turns):
            alone = measured(window, chosen.reads)
            began = time.perf_counter()
            reading = begin(window, chosen.rows, turn)
            answered = time.perf_counter() - began
            beside = measured(window, chosen.reads)
            still = "/reading/" in window.get(reading)[0]
            while "/reading/" in window.get(reading)[0]:
                time.sleep(0.5)
            whole = time.perf_counter() - began
            ratios.append(beside / alone)
            line = {
                "page_alone_ms": round(alone, 1),
                "page_beside_ms": round(beside, 1),
                "ratio": round(beside / alone, 2),
                "it_was_read_all_the_while": still,
                "forms_answered_s": round(answered, 1),
                "registered_s": round(whole, 1),
            }
            print(json.dumps(line), flush=True)
    print(f"median ratio: {median(ratios):.2f}")


if __name__ == "__main__":
    main()
