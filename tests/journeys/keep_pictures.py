"""Turns what the journeys left into the documentation's pictures, small enough to be kept.

`uv run python -m tests.journeys.keep_pictures` after a run of tests/journeys; with names of pages,
or `--lived` for those of the lived-in demonstration, it renews these alone. Tutorials get the
pictures that they ask for; each page gets one with both themes, wide and narrow; docs/pages.md
shows the pages in the order in which the journeys visit them.
"""

import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from PIL import Image

from tests.journeys.browser import PICTURES
from tests.journeys.lessons import ROOT
from tests.journeys.test_every_page import PAGES
from tests.journeys.test_ninety_days import LIVED_IN_PAGES

IMAGES = ROOT / "docs/images"
GALLERY = ROOT / "docs/pages.md"
# Pages that need steps before them; the journeys say which.
MORE = {
    "sign-in": "before signing in, `/account/login/`",
    "api-docs": "anybody, `/api/docs/`",
    "register": "owner, registering a file",
    "dataset-new": "owner, a dataset just registered",
    "ask-tried": "analyst, a question tried on invented rows",
    "answer-mean": "analyst, an answer",
    "answer-histogram": "analyst, an answer in groups",
    "answer-by-month": "analyst, an answer by month",
    "ask-computed": "analyst, asking about the difference of two columns",
    "answer-computed": "analyst, the mean of a difference by groups",
    "answer-rectangles": "analyst, rows up to each pair of edges of two columns, as squares",
    "ask-regression": "analyst, asking for a regression",
    "answer-regression": "analyst, a regression",
    "answer-arranged": "analyst, the groups of an answer arranged",
    "survey": "owner, a survey with its estimates",
    "survey-answered": "a respondent, after the report was counted",
    "receipt": "analyst, the receipt of an answer",
    "sql-editor": "analyst, writing SQL",
    "file": "owner, how an uploaded file is read",
    "file-check": "owner, a private check of a file",
    "search-box": "anybody, Ctrl-K",
    "budget-answer": "owner, answering a request for budget",
    "many-columns": "owner, declaring forty columns",
    "bounds": "owner, what the bounds of a column cost",
    "join": "owner, joining a public table",
    "join-two-datasets": "owner, joining two datasets of the same people",
    "derived-dataset": "owner, the dataset that came of it",
    "reading": "owner, while a file is read",
    "delete-version": "owner, deleting the data of an old version",
    "delete-data": "owner, deleting the data of an archived dataset",
    "held": "owner, an upload that is held",
    "look": "officer, looking at new data",
    "refund": "owner, a question that cannot be refunded",
    "ready-made-publish": "owner, publishing a ready-made question",
    "ready-made-offer": "analyst, a ready-made question",
    "ask-panel": "analyst, asking about people who come back",
    "terms-accept": "analyst, accepting terms of use",
    "approve-question": "owner, approving one question",
    "approval": "officer, deciding about a higher limit",
    "join-organisation": "an invited person, at the link of the e-mail",
    "welcome": "an invited person, after joining",
    "practice-tour": "owner, on the practice tour",
    "missing": "a member of another organisation, at an address that is not theirs",
}
# Of the demonstration with its 90 days: `uv run pytest -m long tests/journeys/test_ninety_days.py`.
LIVED_IN = {
    name: f"{person}, `{path}`, after 90 days of the demonstration"
    for person, name, path in LIVED_IN_PAGES
}
_PARTS = (("light-1280", 560), ("dark-1280", 560), ("light-360", 220), ("dark-360", 220))
_DOWN, _GAP, _EDGE = 700, 12, (128, 128, 128)
_INTRODUCTION = """# Every page

Each picture shows one page four times: light and dark, on a wide screen and on a narrow one. The
journeys in `tests/journeys` take them; long pages are cut. How they are renewed is in
[CONTRIBUTING.md](../CONTRIBUTING.md).
"""


def main(names: Collection[str]) -> None:
    """Write docs/images and docs/pages.md; raises FileNotFoundError for a picture not taken.

    Without names it is every picture, but for those of the lived-in demonstration.
    """
    for folder in ("tutorials", "pages"):
        (IMAGES / folder).mkdir(parents=True, exist_ok=True)
    if not names:
        _keep_tutorials()
    for name in names or captions().keys() - LIVED_IN.keys():
        _save(_four(name), IMAGES / f"pages/{name}.webp", quality=36)
    GALLERY.write_text(gallery())


def _keep_tutorials() -> None:
    for taken in sorted(PICTURES.glob("tutorial-*.png")):
        name = taken.stem.removeprefix("tutorial-")
        _save(Image.open(taken).convert("RGB"), IMAGES / f"tutorials/{name}.webp", quality=72)


def captions() -> dict[str, str]:
    """Every kept page by its picture's name, with who sees it and where."""
    return {name: f"{person}, `{path}`" for person, name, path in PAGES} | MORE | LIVED_IN


def gallery() -> str:
    """The text of docs/pages.md."""
    return "".join([_INTRODUCTION, *_entries()])


def _entries() -> Iterator[str]:
    for name, where in captions().items():
        title = name.replace("-", " ").capitalize()
        yield f"\n## {title}\n\n{where}\n\n![{title}](images/pages/{name}.webp)\n"


def _four(name: str) -> Image.Image:
    """The four pictures of a page side by side, long ones cut."""
    parts = [_small(PICTURES / f"{name}-{part}.png", width) for part, width in _PARTS]
    across = sum(part.width + _GAP for part in parts) - _GAP
    sheet = Image.new("RGB", (across, max(part.height for part in parts)), _EDGE)
    left = 0
    for part in parts:
        sheet.paste(part, (left, 0))
        left += part.width + _GAP
    return sheet


def _small(path: Path, across: int) -> Image.Image:
    shot = Image.open(path).convert("RGB")
    down = round(shot.height * across / shot.width)
    small = shot.resize((across, down), Image.Resampling.LANCZOS)
    return small.crop((0, 0, across, min(down, _DOWN)))


def _save(picture: Image.Image, path: Path, *, quality: int) -> None:
    picture.save(path, "WEBP", quality=quality, method=6)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    main(LIVED_IN if wanted == ["--lived"] else wanted)
