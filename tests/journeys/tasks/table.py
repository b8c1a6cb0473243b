"""The list of all tasks as a table: `uv run python -m tests.journeys.tasks.table`.

Each journey fails when it takes more or less than its line says, so that the table is what was
counted in the newest run.
"""

import pkgutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from statistics import median

from tests.journeys import tasks
from tests.journeys.tasks.counting import Role, Task, task_of

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/tasks.md"
_ORDER = (Role.OWNER, Role.ANALYST, Role.OFFICER, Role.ADMIN, Role.INVITED)
_INTRODUCTION = """# What each task takes

Every task below is a browser journey of the test suite (`tests/journeys/tasks`). It begins at
Home, where people land after signing in, or at the link in an e-mail, and goes on by clicking. A
page is a document that the window loads, what a form leads to included; only the page that shows
how far a file is read counts as none, since a fast reader leaves it out. A click is a press of the
mouse, and each field that is filled in or chosen counts as one too. A journey fails when it takes
more or less than its line says. `uv run python -m tests.journeys.tasks.table` writes this table.
"""


def all_tasks() -> list[Task]:
    """Every task of the package, by role and then in the order of the files."""
    names = [module.name for module in pkgutil.iter_modules(tasks.__path__)]
    modules = [import_module(f"{tasks.__name__}.{name}") for name in names if name[:5] == "test_"]
    found = [task_of(journey) for module in modules for journey in vars(module).values()]
    return sorted((one for one in found if one), key=lambda one: _ORDER.index(one.role))


def written(listed: Iterable[Task]) -> str:
    """The table with its medians, as Markdown."""
    rows = list(listed)
    lines = ["| who | task | pages | clicks |", "|---|---|---:|---:|"]
    lines += [
        f"| {one.role.value} | {one.words} | {one.effort.pages} | {one.effort.clicks} |"
        for one in rows
    ]
    return "\n".join([_INTRODUCTION, _in_short(rows), "", *lines, ""])


def _in_short(rows: list[Task]) -> str:
    pages = [one.effort.pages for one in rows]
    clicks = [one.effort.clicks for one in rows]
    return (
        f"{len(rows)} tasks; in the middle {median(pages):g} pages and {median(clicks):g} clicks, "
        f"at most {max(pages)} pages."
    )


if __name__ == "__main__":
    DOCUMENT.write_text(written(all_tasks()))
    print(f"{DOCUMENT} is written.")
