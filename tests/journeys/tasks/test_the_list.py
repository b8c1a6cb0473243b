"""The list as a whole: long enough, light enough, and the same as in the documentation."""

from collections import Counter
from statistics import median

from tests.journeys.browser import PICTURES
from tests.journeys.tasks.counting import Role
from tests.journeys.tasks.table import DOCUMENT, all_tasks, written

FEWEST_TASKS = 80
MOST_PAGES = 3
MEDIAN_PAGES = 2


def test_there_are_enough_tasks_of_every_role() -> None:
    by_role = Counter(task.role for task in all_tasks())
    assert by_role.total() >= FEWEST_TASKS
    assert min(by_role[role] for role in (Role.OWNER, Role.ANALYST, Role.OFFICER)) >= 10


def test_the_median_task_takes_at_most_two_pages_and_three_of_any_role() -> None:
    listed = all_tasks()
    for role in {task.role for task in listed}:
        assert median(task.effort.pages for task in listed if task.role == role) <= MOST_PAGES
    assert median(task.effort.pages for task in listed) <= MEDIAN_PAGES


def test_the_table_of_the_documentation_is_the_list() -> None:
    table = written(all_tasks())
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / "tasks.md").write_text(table)
    assert DOCUMENT.read_text() == table, "write it: python -m tests.journeys.tasks.table"
