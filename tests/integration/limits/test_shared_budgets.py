"""The pages of shared budgets, as an owner, an officer and an analyst see them."""

import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.tenants.models import Membership
from tests.agreed import given_a_budget_of_its_own
from tests.cast import Ask
from tests.integration.dashboards.reading import page
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


@made_once
def register(owner: Membership) -> Dataset:
    """Another dataset about the same people."""
    dataset = register_small_dataset(owner, name="Register")
    # The same file is the same people at once; here somebody has to say so.
    given_a_budget_of_its_own(dataset, label=dataset.slug, limit_nano=10 * NANO)
    return Dataset.objects.select_related("budget", "tenant").get(pk=dataset.pk)


@made_once
def shared(owner: Membership, dataset: Dataset) -> Budget:
    """“Residents”, ε 5, shared by the dataset “visits”."""
    opened = open_shared_budget(
        tenant=owner.tenant, name="Residents", limit_nano=5 * NANO, actor=OPERATOR
    )
    join_shared_budget(shared_budget=opened, dataset_budget=dataset.budget, actor=OPERATOR)
    return opened


def at(name: str, shared_budget: Budget) -> str:
    return reverse(f"limits:{name}", args=[shared_budget.pk])


def text_of(html: str) -> str:
    """What a reader sees, with single spaces."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).replace("&nbsp;", " ").split())


def test_an_owner_opens_a_shared_budget_and_adds_two_datasets(
    owner: Membership,
    dataset: Dataset,
    register: Dataset,
    analyst: Membership,
    ask: Ask,
    client_for: ClientFor,
) -> None:
    """From an empty list to a dataset's page that says what it shares."""
    ask(analyst, epsilon=1.5)
    client = client_for(owner)
    assert "No shared budget yet" in page(client, reverse("limits:shared_budgets"))
    opened = client.post(
        reverse("limits:shared_budget_new"), {"name": "Residents", "epsilon_limit": "5"}
    )
    joining = opened.headers["Location"]
    assert "ε 1.5" in text_of(page(client, joining))
    for each in (dataset, register):
        answer = client.post(joining, {"dataset": each.budget_id}, follow=True)
        assert f"{each.name} shares this budget from now on" in answer.content.decode()
    assert "No dataset could join" in page(client, joining)
    said = text_of(page(client, reverse("datasets:detail", args=[register.slug])))
    assert "Shares a budget with Visits" in said
    assert "ε 3.5 of ε 5 is left for them together" in said


def test_an_analyst_reads_what_is_shared_but_has_no_page_for_it(
    shared: Budget, analyst: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    """E8: the total as it was committed, and no link to a page that would refuse."""
    client = client_for(analyst)
    html = page(client, reverse("datasets:detail", args=[dataset.slug]))
    assert "Belongs to a shared budget that no other dataset shares yet" in text_of(html)
    assert str(shared.pk) not in html
    assert "Shared budgets" not in html


def test_what_does_not_fit_is_said_before_and_after_the_attempt(
    shared: Budget,
    owner: Membership,
    register: Dataset,
    analyst: Membership,
    ask: Ask,
    client_for: ClientFor,
) -> None:
    """A refusal names the dataset and what to do; nothing was changed."""
    for _ in range(3):
        ask(analyst, epsilon=2, of=register)
    client = client_for(owner)
    html = page(client, at("shared_budget_join", shared))
    assert "More than is left here. Request a higher limit first." in html
    answer = client.post(at("shared_budget_join", shared), {"dataset": register.budget_id})
    assert answer.status_code == 422
    assert "Register did not join. This needs ε 6, but only ε 5 remains" in answer.content.decode()
    assert shared.members.count() == 1


@pytest.mark.parametrize("value", ["", "nonsense", "00000000-0000-0000-0000-00000000dead"])
def test_what_is_not_in_the_list_does_not_join(
    value: str, shared: Budget, owner: Membership, client_for: ClientFor
) -> None:
    """H4: also not by an id that somebody typed."""
    client = client_for(owner)
    answer = client.post(at("shared_budget_join", shared), {"dataset": value})
    assert answer.status_code == 422
    assert "Choose a dataset." in answer.content.decode()


def test_the_limit_goes_down_at_once_and_up_by_request_only(
    shared: Budget, owner: Membership, client_for: ClientFor
) -> None:
    """A8: one person lowers; raising is refused there and becomes a request elsewhere."""
    client = client_for(owner)
    lower, higher = at("shared_budget_limit", shared), at("shared_budget_raise", shared)
    body = {"epsilon_limit": "6", "reason": "more"}
    refused = client.post(lower, body)
    assert refused.status_code == 422
    assert "Raising a limit takes two persons" in refused.content.decode()
    less = {"epsilon_limit": "4", "reason": "less"}
    said = text_of(client.post(lower, less).content.decode())
    assert "From ε 5 to ε 4: ε 4 would remain. Only two persons can raise it again." in said
    assert Budget.objects.get(pk=shared.pk).limit_nano == 5 * NANO
    assert client.post(lower, {**less, "confirmed": str(4 * NANO)}).status_code == 302
    told = text_of(client.post(higher, body).content.decode())
    assert "the guarantee weakens from ε 4 to ε 6" in told
    assert "that a certain row is in the data" in told
    sent = client.post(higher, {**body, "confirmed": str(6 * NANO)})
    assert "/approvals/" in sent.headers["Location"]
    assert Budget.objects.get(pk=shared.pk).limit_nano == 4 * NANO


def test_what_is_asked_for_is_said_to_both_persons_and_then_done(
    shared: Budget, owner: Membership, officer: Membership, register: Dataset, client_for: ClientFor
) -> None:
    """Taking a dataset out: what it means, on the request and in the end on the page."""
    join_shared_budget(shared_budget=shared, dataset_budget=register.budget, actor=OPERATOR)
    client = client_for(owner)
    chosen = page(client, at("shared_budget_divide", shared) + f"?dataset={register.budget_id}")
    assert chosen.count(" checked") == 1
    sent = client.post(
        at("shared_budget_divide", shared),
        {"datasets": [register.budget_id], "name": "Others", "reason": "another town"},
    )
    second = client_for(officer)
    said = text_of(page(second, sent.headers["Location"]))
    assert "Take Register out of “Residents”" in said
    assert "could lose up to ε 10, where ε 5 was promised" in said
    assert "requested, and waits" in text_of(page(client, at("shared_budget", shared)))
    second.post(sent.headers["Location"] + "approve/", {"reason": "so it is"})
    history = text_of(page(client, at("shared_budget", shared)))
    assert "Register left" in history
    assert "Others" in page(client, reverse("limits:shared_budgets"))


def test_merging_says_what_the_limit_will_be(
    shared: Budget, owner: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """A8: the smaller of the two limits, before anybody agrees to it."""
    open_shared_budget(tenant=owner.tenant, name="Students", limit_nano=3 * NANO, actor=OPERATOR)
    client = client_for(owner)
    other = Budget.objects.get(label="Students")
    sent = client.post(at("shared_budget_merge", shared), {"other": other.pk, "reason": "the same"})
    second = client_for(officer)
    said = text_of(page(second, sent.headers["Location"]))
    assert "Merge the shared budget “Students” into “Residents”" in said
    assert "Limit of “Residents” ε 5 ε 3" in said.replace("→ ", "")
    second.post(sent.headers["Location"] + "approve/", {"reason": "so it is"})
    assert Budget.objects.get(pk=shared.pk).limit_nano == 3 * NANO
    assert "This shared budget has ended" in page(client, at("shared_budget", other))


def test_nobody_is_asked_to_decide_what_cannot_be_done(
    shared: Budget, dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    """A8: losses in ε and in ρ in one sum, and a division that leaves nobody."""
    other = open_shared_budget(
        tenant=owner.tenant,
        name="Students",
        limit_nano=NANO,
        actor=OPERATOR,
        currency=Currency(Mode.ZCDP, Decimal("1e-6")),
    )
    client = client_for(owner)
    for path, typed, why in (
        ("merge", {"other": other.pk}, "no common sum"),
        ("divide", {"datasets": [dataset.budget_id], "name": "Apart"}, "has to stay"),
    ):
        sent = client.post(at(f"shared_budget_{path}", shared), {**typed, "reason": "so it is"})
        assert sent.status_code == 422
        assert why in text_of(sent.content.decode())
    assert not ChangeRequest.objects.exists()


def test_pages_show_one_committed_amount(
    shared: Budget,
    owner: Membership,
    officer: Membership,
    analyst: Membership,
    ask: Ask,
    client_for: ClientFor,
) -> None:
    """E8: how far somebody else's worker is would show in the split."""
    ask(analyst, epsilon=1)
    for person in (owner, officer):
        client = client_for(person)
        for path in (at("shared_budget", shared), reverse("limits:shared_budgets")):
            said = text_of(page(client, path))
            assert "Committed ε 1" in said
            assert "Reserved" not in said
            assert "Spent" not in said


def test_text_that_people_typed_stays_text(owner: Membership, client_for: ClientFor) -> None:
    """J6"""
    client = client_for(owner)
    name = "<script>alert(1)</script>"
    body = {"name": name, "epsilon_limit": "1"}
    opened = client.post(reverse("limits:shared_budget_new"), body)
    for path in (opened.headers["Location"], reverse("limits:shared_budgets")):
        html = page(client, path)
        assert name not in html
        assert "&lt;script&gt;alert(1)" in html
