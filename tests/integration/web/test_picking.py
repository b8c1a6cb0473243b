"""E11, H1: one of thousands is typed and suggested; whoever may not see it finds nothing there."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Allocation
from dpgov.datasets.audience import viewers_of
from dpgov.datasets.models import Dataset, Permit
from dpgov.datasets.services import change_audience
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership, ProjectMember, Role
from dpgov.tenants.projects import create_project
from tests.agreed import given_a_budget_of_its_own
from tests.cast import Ask, join
from tests.integration.dashboards.reading import page
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("long")]
ClientFor = Callable[[Membership], Client]
UNKNOWN = "Nothing to choose here is called"


@made_once
def bela(analyst: Membership) -> Membership:
    """A second analyst."""
    return join(analyst.tenant, Role.ANALYST, "bela")


@made_once
def stays(dataset: Dataset, owner: Membership) -> Dataset:
    """A second dataset, about other people."""
    found = register_small_dataset(owner, name="Stays")
    given_a_budget_of_its_own(found, label="Stays", limit_nano=NANO)
    return found


def test_the_history_is_narrowed_by_a_short_name_and_an_address(
    dataset: Dataset, stays: Dataset, analyst: Membership, bela: Membership, owner: Membership,
    ask: Ask, answer_all: Callable[[], int], client_for: ClientFor,
) -> None:  # fmt: skip
    """And by the keys that links have; the line shows the name of what a link meant."""
    ask(analyst, epsilon=1)
    answer_all()
    browser = client_for(owner)
    for named in (f"dataset={dataset.slug}", f"dataset={dataset.pk}", f"dataset={dataset.name}"):
        html = page(browser, f"/history/?{named}")
        assert f'value="{dataset.slug}"' in html or named.endswith(dataset.name)
        assert 'id="questions"' in html
    assert 'id="questions"' not in page(browser, f"/history/?dataset={stays.slug}")
    for name, other in (("dataset", "none-such"), ("analyst", bela.user.email)):
        refused = browser.get(f"/history/?{name}={other}")
        html = refused.text
        assert refused.status_code == 422
        assert f"{UNKNOWN} “{other}”" in html
        assert name == "analyst" or f'value="{other}"' in html


@pytest.mark.parametrize("typed", ["email", "EMAIL", "key"])
def test_somebody_is_permitted_joins_a_project_and_has_an_allocation_by_their_address(
    dataset: Dataset, owner: Membership, analyst: Membership, bela: Membership,
    client_for: ClientFor, typed: str,
) -> None:  # fmt: skip
    """Whatever the case; a key is taken as well."""
    email, browser = bela.user.email, client_for(owner)
    member = {"email": email, "EMAIL": email.upper(), "key": str(bela.pk)}[typed]
    user = {"email": email, "EMAIL": email.upper(), "key": str(bela.user_id)}[typed]
    project = create_project(tenant=owner.tenant, name="Commuting study", actor=OPERATOR)
    today, why = clock.today().isoformat(), {"reason": "the study"}
    at = f"/datasets/{dataset.slug}"
    sent: list[tuple[str, dict[str, Any]]] = [
        (f"{at}/policy/permit/", {"person": member, "limit": "3", "last_day": today, **why}),
        (f"/projects/{project.pk}/", {"person": member}),
        (f"{at}/limits/allocations/new/", {"holder": user, "epsilon_limit": "1", **why}),
    ]
    for address, body in sent:
        assert browser.post(address, body).status_code == 302, address
    assert Permit.objects.get().user == bela.user
    assert ProjectMember.objects.get().user == bela.user
    assert Allocation.objects.get().user == bela.user
    assert browser.post(sent[2][0], sent[2][1] | {"holder": "commuting STUDY"}).status_code == 302
    assert Allocation.objects.filter(project=project).exists()


def test_whom_one_may_not_choose_is_nobody_and_nothing_is_written(
    dataset: Dataset, owner: Membership, analyst: Membership, bela: Membership,
    stranger: Membership, client_for: ClientFor,
) -> None:  # fmt: skip
    """H1: somebody elsewhere, somebody of another role, and nobody are refused alike."""
    browser, address = client_for(owner), f"/datasets/{dataset.slug}/limits/allocations/new/"
    said = set()
    for name in (stranger.user.email, owner.user.email, "nobody@example.org"):
        answer = browser.post(address, {"holder": name, "epsilon_limit": "1", "reason": "x"})
        assert answer.status_code == 422
        assert f'value="{name}"' in answer.content.decode()
        found = re.search(r'id="id_holder_error".*?</div>', answer.content.decode(), re.DOTALL)
        assert found is not None
        said.add(found[0].replace(name, "…"))
    assert len(said) == 1
    assert f"{UNKNOWN} “…”" in said.pop()
    assert not Allocation.objects.exists()


def test_several_people_are_named_a_line_each_and_those_named_already_stand_there(
    dataset: Dataset, owner: Membership, analyst: Membership, bela: Membership,
    client_for: ClientFor,
) -> None:  # fmt: skip
    browser, address = client_for(owner), f"/datasets/{dataset.slug}/audience/"
    lines = f"{analyst.user.email}\r\n\r\n  {bela.user.email.upper()} \n"
    assert browser.post(address, {"who": "named", "named": lines}).status_code == 302
    assert {one.membership for one in viewers_of(dataset)} == {analyst, bela}
    html = page(browser, address)
    assert analyst.user.email in html
    assert bela.user.email in html
    wrong = browser.post(address, {"who": "named", "named": f"{lines}\nnobody@example.org"})
    assert wrong.status_code == 422
    assert "Only analysts of your organisation can be named." in text_of(wrong.content)
    assert "nobody@example.org" in wrong.content.decode()
    assert {one.membership for one in viewers_of(dataset)} == {analyst, bela}


def test_a_reader_is_suggested_what_they_see_and_nothing_else(
    dataset: Dataset, stays: Dataset, owner: Membership, analyst: Membership, bela: Membership,
    stranger: Membership, foreign_dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """H1, L37: a dataset for others looks like one that there never was; analysts see no people."""
    change_audience(dataset=stays, named_only=True, named={analyst.pk}, user=owner.user)

    def suggested(who: Membership, of: str, text: str) -> list[str]:
        html = page(client_for(who), f"/search/suggest/?of={of}&in=dataset&dataset={text}")
        return [one.split('"')[0] for one in html.split('value="')[1:]]

    everything = [stays.slug, dataset.slug]
    assert suggested(owner, "datasets", "s") == everything
    assert suggested(analyst, "datasets", "S") == everything
    assert suggested(bela, "datasets", "s") == [dataset.slug]
    assert suggested(stranger, "datasets", "s") == []
    assert suggested(stranger, "datasets", "foreign") == [foreign_dataset.slug]
    for of in ("analysts", "members", "holders"):
        assert suggested(owner, of, "bela") == [bela.user.email]
        assert suggested(analyst, of, "bela") == []
        assert suggested(stranger, of, "bela") == []
    assert suggested(owner, "analysts", owner.user.name) == []
    assert suggested(owner, "members", owner.user.name) == [owner.user.email]
    for of, text in (("datasets", ""), ("nothing", "s"), ("", "s")):
        assert suggested(owner, of, text) == []
