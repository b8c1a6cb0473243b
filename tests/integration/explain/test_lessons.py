"""The lessons: for every role, on invented numbers, one page each, without scripts too."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset
from dpgov.explain.lessons.lesson import Lesson
from dpgov.explain.lessons.registry import BY_SLUG, CHAPTERS, LESSONS, beside
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.dashboards.reading import page

ClientFor = Callable[[Membership], Client]
ROLES = ("owner", "analyst", "officer", "admin")


def path_of(lesson: Lesson) -> str:
    return reverse("explain:lesson", args=[lesson.slug])


@pytest.mark.django_db
@pytest.mark.parametrize("role", ROLES)
def test_every_role_reads_every_lesson_in_few_statements(
    role: str,
    client_for: ClientFor,
    request: pytest.FixtureRequest,
    django_assert_max_num_queries: Any,
) -> None:
    """M8: each with its sentence, its figure, its table and its sources."""
    client = client_for(request.getfixturevalue(role))
    for lesson in LESSONS:
        with django_assert_max_num_queries(12):
            html = page(client, path_of(lesson))
        assert lesson.takeaway in _plain(html)
        assert 'id="lesson-1-figure"' in html
        assert '<th scope="row">' in html
        assert lesson.sources[0].name.split(",")[0] in _plain(html)


@pytest.mark.django_db
def test_the_page_of_contents_leads_to_each_and_each_to_the_next(
    analyst: Membership, client_for: ClientFor, django_assert_max_num_queries: Any
) -> None:
    client = client_for(analyst)
    with django_assert_max_num_queries(12):
        html = page(client, reverse("explain:lessons"))
    assert all(f'href="{path_of(lesson)}"' in html for lesson in LESSONS)
    assert reverse("explain:lessons") in page(client, reverse("explain:understanding_general"))
    at, seen = LESSONS[0], [LESSONS[0]]
    while following := beside(at)[1]:
        assert f'rel="next" href="{path_of(following)}"' in page(client, path_of(at))
        assert beside(following)[0] is at
        seen.append(at := following)
    assert tuple(seen) == LESSONS


@pytest.mark.django_db
def test_a_control_that_is_moved_changes_the_figure_and_the_table(
    analyst: Membership, client_for: ClientFor
) -> None:
    """M8: by the form alone; htmx is given only what changed, and the same."""
    client = client_for(analyst)
    for lesson in LESSONS:
        for control in lesson.controls:
            start = control.place("")
            other = 0 if start else len(control.places) - 1
            query = f"?{control.name}={other}"
            before, after = (page(client, path_of(lesson) + text) for text in ("", query))
            assert _figure(before) != _figure(after), (lesson.slug, control.name)
            part = client.get(path_of(lesson) + query, headers={"HX-Request": "true"})
            assert _figure(part.content.decode()) == _figure(after)
            assert "<main" not in part.content.decode()


@pytest.mark.parametrize("typed", ["", "-1", "9999", "1e3", "<script>", "٣", "\0"])
def test_what_is_no_place_of_a_control_is_the_one_to_start_from(typed: str) -> None:
    for lesson in LESSONS:
        names = {control.name: typed for control in lesson.controls}
        assert lesson.chosen(names) == lesson.chosen({})


@pytest.mark.django_db
def test_what_is_typed_into_an_address_is_never_shown(
    analyst: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(analyst), f"{path_of(LESSONS[0])}?epsilon=<b>x</b>&f=%01&delta=99999")
    assert "<b>x" not in html


@pytest.mark.django_db
def test_beside_many_databases_stand_ones_own(
    dataset: Dataset, in_use: list[Query], analyst: Membership, client_for: ClientFor
) -> None:
    """As every role sees it on the dataset's own page: 0.5 + 0.25 + 1 + 0.125, never split."""
    html = page(client_for(analyst), path_of(BY_SLUG["many-databases"]))
    shown = html.split('id="own-losses-title"')[1].split("</section>")[0]
    assert dataset.name in shown
    assert "1.875" in shown
    assert reverse("limits:shared_budgets") not in shown


@pytest.mark.django_db
def test_a_lesson_that_does_not_exist_is_not_found(
    analyst: Membership, client_for: ClientFor
) -> None:
    assert client_for(analyst).get("/lessons/nothing/").status_code == 404


@pytest.mark.django_db
def test_lessons_are_found_by_the_box_that_finds_anything(
    officer: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(officer), f"{reverse('dashboards:search')}?q=definition")
    assert path_of(BY_SLUG["definition"]) in html


def test_each_lesson_can_be_told_from_the_others() -> None:
    assert len(BY_SLUG) == len(LESSONS) == sum(len(chapter.lessons) for chapter in CHAPTERS)
    assert len({lesson.title for lesson in LESSONS}) == len(LESSONS)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", lesson.slug) for lesson in LESSONS)
    assert all(lesson.sources and lesson.controls for lesson in LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_place_of_every_control_has_a_scene(lesson: Lesson) -> None:
    """One control at a time; the others stand where they start."""
    start = lesson.chosen({})
    for control in lesson.controls:
        assert control.start in control.places
        assert len(control.words) in (0, len(control.places))
        for place in range(len(control.places)):
            scene = lesson.at({**start, control.name: place})
            widths = {len(row) for row in scene.table.rows}
            assert widths == {len(scene.table.heads)}, (lesson.slug, control.name, place)
            assert scene.said
            assert 1 <= len(scene.pictures) <= 2
            assert len(scene.table.rows) <= 12


def _plain(html: str) -> str:
    return html.replace("&#x27;", "'").replace("&quot;", '"')


def _figure(html: str) -> Any:
    block = re.search(r'<script id="lesson-1-figure" type="application/json">(.*?)</script>', html)
    assert block is not None
    return json.loads(block[1])


@pytest.mark.django_db
def test_a_stranger_reads_every_lesson_and_sees_nothing_of_anybody(
    dataset: Dataset,
    owner: Membership,
    client: Client,
    client_for: ClientFor,
    django_assert_num_queries: Any,
) -> None:
    """M92: no statement is asked, no name of an organisation, person or dataset is said."""
    names = (owner.tenant.name, owner.user.name, owner.user.email, dataset.name)
    for path in (reverse("explain:lessons"), *map(path_of, LESSONS)):
        with django_assert_num_queries(0):
            answer = client.get(path)
        assert answer.status_code == 200
        assert [name for name in names if name and name in _plain(answer.text)] == []
        assert answer.headers["Cache-Control"] == "private, max-age=300"
        varies = {name.strip() for name in answer.headers["Vary"].split(",")}
        assert varies >= {"Cookie", "HX-Request", "Accept-Language"}
        assert "script-src" in answer.headers["Content-Security-Policy"]
        assert client_for(owner).get(path).headers["Cache-Control"] == "no-store"
    assert reverse("explain:lessons") in client.get(reverse("account_login")).text
    databases = path_of(BY_SLUG["many-databases"])
    assert "own-losses" not in client.get(databases).text
    assert "own-losses" in client_for(owner).get(databases).text


@pytest.mark.django_db
def test_one_origin_of_strangers_reads_so_much_in_a_minute(
    owner: Membership, client: Client, client_for: ClientFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M92: a member behind the same address reads on."""
    monkeypatch.setattr("dpgov.tenants.strangers.A_MINUTE", 2)
    paths = [path_of(lesson) for lesson in LESSONS[:6]]
    answers = [client.get(path) for path in paths]
    assert answers[0].status_code == 200
    assert (answers[-1].status_code, answers[-1].headers["Cache-Control"]) == (429, "no-store")
    assert int(answers[-1].headers["Retry-After"]) <= 60
    assert client_for(owner).get(paths[0]).status_code == 200
