"""What the pages of the documentation refer to is there, and their lists are complete."""

import re
from collections import Counter
from pathlib import Path
from statistics import median

import pytest
from django.conf import settings
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator

from tests.house import settings_read, tree
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import EVERYBODY
from tests.journeys import keep_pictures
from tests.journeys.tasks.counting import Role
from tests.journeys.tasks.table import DOCUMENT, all_tasks, written

PAGES = [p for p in tree.files(".md") if "vendor" not in p.parts]
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_SETTING = re.compile(r"`(DPGOV_\w+)`")
_ADDRESS = re.compile(r"^\| (GET|POST|PUT|PATCH|DELETE) \| `(/api/v1/[^`]+)` \| ([^|]+) \|", re.M)


@pytest.mark.parametrize("page", PAGES, ids=tree.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in _links(page):
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{link} leads nowhere"
        assert target.is_relative_to(tree.ROOT), f"{link} leads out of the project"
        assert not anchor or anchor in _anchors(target), f"{link}: there is no such heading"


@pytest.mark.parametrize("page", PAGES, ids=tree.name)
def test_headings_and_tables_stand_apart_and_no_section_stands_twice(page: Path) -> None:
    """A line that touches a table becomes a row of it; sections of one name share an address."""
    text = _FENCE.sub("", page.read_text())
    assert re.findall(r"^.*\S.*\n#{1,6} .*|^#{1,6} .*\n\S.*", text, re.MULTILINE) == []
    assert re.findall(r"^(?!\s*\|).*\S.*\n\|.*|^\|.*\n(?!\|).*\S.*", text, re.MULTILINE) == []
    sections = re.findall(r"^## .+$", text, re.MULTILINE)
    assert len(sections) == len(set(sections))


def test_every_page_can_be_found_from_the_index() -> None:
    index = tree.ROOT / "docs/README.md"
    found = {(index.parent / link.partition("#")[0]).resolve() for link in _links(index)}
    own = [p for p in PAGES if p.is_relative_to(index.parent) and "adr" not in p.parts]
    assert [tree.name(page) for page in own if page not in {*found, index}] == []


def test_every_picture_is_shown_somewhere_and_the_folder_stays_small() -> None:
    shown = {(page.parent / link).resolve() for page in PAGES for link in _links(page)}
    kept = [p for p in tree.files() if p.is_relative_to(tree.ROOT / "docs/images")]
    assert [tree.name(path) for path in kept if path not in shown] == []
    assert sum(path.stat().st_size for path in kept) < 7_500_000


def test_the_gallery_shows_every_page_that_the_journeys_visit() -> None:
    """Renewed by `python -m tests.journeys.keep_pictures`."""
    kept = {path.stem for path in (keep_pictures.IMAGES / "pages").glob("*.webp")}
    assert kept == set(keep_pictures.captions())
    assert keep_pictures.GALLERY.read_text() == keep_pictures.gallery()


def test_the_page_of_tasks_is_the_list_of_the_journeys() -> None:
    """Renewed by `python -m tests.journeys.tasks.table`."""
    assert DOCUMENT.read_text() == written(all_tasks())


def test_there_are_eighty_tasks_and_ten_of_each_who_works_with_data() -> None:
    by_role = Counter(task.role for task in all_tasks())
    assert by_role.total() >= 80
    assert min(by_role[role] for role in (Role.OWNER, Role.ANALYST, Role.OFFICER)) >= 10


def test_the_median_task_takes_at_most_two_pages_and_three_of_any_role() -> None:
    listed = all_tasks()
    for role in {task.role for task in listed}:
        assert median(task.effort.pages for task in listed if task.role == role) <= 3
    assert median(task.effort.pages for task in listed) <= 2


def test_the_settings_page_lists_what_is_read_and_nothing_else() -> None:
    text = (tree.ROOT / "docs/configuration.md").read_text()
    rows = re.findall(r"^\| (`DPGOV_.+?) \|", text, re.MULTILINE)
    assert {name for row in rows for name in _SETTING.findall(row)} == settings_read.names()
    assert set(_SETTING.findall(text)) <= settings_read.names()


def test_the_api_page_lists_every_address_and_who_may_call_it() -> None:
    text = (tree.ROOT / "docs/api.md").read_text()
    told = {(method, path): roles.strip() for method, path, roles in _ADDRESS.findall(text)}
    schema = SchemaGenerator(api_version="v1").get_schema(request=None, public=True)
    there = {
        (method.upper(), path): _roles(path)
        for path, methods in schema["paths"].items()
        for method in methods
    }
    assert told == there


_IDS = ("query_id", "ready_made_id", "approval_id", "survey_id", "arrival_id", "joint_id")


def test_a_stopped_worker_has_longer_than_a_scan_may_take() -> None:
    """And the page of settings names the three places for whoever allows more."""
    told = (tree.ROOT / "docs/configuration.md").read_text()
    for path, name in (
        ("docker/compose.yaml", "stop_grace_period"),
        ("docker/systemd/dpgov-worker.service", "TimeoutStopSec"),
        ("docker/kubernetes/worker.yaml", "terminationGracePeriodSeconds"),
    ):
        found = re.findall(rf"{name}[=:] ?(\d+)", (tree.ROOT / path).read_text())
        assert found, path
        assert min(map(int, found)) >= settings.CELERY_TASK_TIME_LIMIT + 5, path
        assert name in told


def test_no_page_drops_a_compose_file_by_naming_others() -> None:
    """The next command of an operator would start everything without the storage's variables."""
    pages = [*(tree.ROOT / "docs").rglob("*.md"), tree.ROOT / "README.md"]
    naming = [p.name for p in pages if re.search(r"docker compose (-f|--file)\b", p.read_text())]
    assert naming == []


def _roles(path: str) -> str:
    """Who may use a route, as the table of doors has it, in the words of the page."""
    some = "00000000-0000-0000-0000-000000000000"
    things = dict.fromkeys(_IDS, some)
    place = path.format(slug="any", survey_code="any", **things)
    door = DOORS[resolve(place).view_name]
    roles = door.roles - door.hidden_from
    order = ("owner", "analyst", "officer", "admin")
    return "everybody" if roles == EVERYBODY else ", ".join(r for r in order if r in roles)


def _links(page: Path) -> list[str]:
    """Links of a page to places of this project."""
    text = _CODE.sub("", _FENCE.sub("", page.read_text()))
    return [link for link in _LINK.findall(text) if not re.match(r"[a-z]+:", link)]


def _anchors(page: Path) -> set[str]:
    """Headings as they are named in addresses: lower case, hyphens for spaces, no punctuation."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
