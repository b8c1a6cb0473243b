"""An owner's policy: looked at before anything is spent, at the price and at the sending."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset, Permit
from dpgov.datasets.rules import Rules, rules_of
from dpgov.datasets.services import change_policy, permit
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.queries.asking.policy import OutsidePolicy
from dpgov.queries.asking.quote import quote
from dpgov.queries.models import Query, Refusal
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
SUM = ({"statistic": "sum", "column": "age"},)


@pytest.fixture
def govern(dataset: Dataset, owner: Membership) -> Callable[..., None]:
    def change(**rules: Any) -> None:
        wanted = Rules(**{"per_query_nano": 2 * NANO} | rules)
        change_policy(dataset=dataset, rules=wanted, user=owner.user)
        dataset.refresh_from_db()

    return change


RULES = [
    ({"statistics": ("count", "mean")}, {"statistics": SUM}, "does not allow this here: sum"),
    ({"least_error": 10}, {"epsilon": 1}, "the error bound of a count to be 10 at least"),
    ({"approval_above_nano": NANO // 4}, {"epsilon": 0.5}, "need the owner's permit"),
]


@pytest.mark.parametrize(("rules", "asked", "why"), RULES)
def test_what_the_policy_refuses_is_refused_at_the_price_and_at_the_sending(
    govern: Callable[..., None],
    ask: Ask,
    analyst: Membership,
    dataset: Dataset,
    rules: dict[str, Any],
    asked: dict[str, Any],
    why: str,
) -> None:
    govern(**rules)
    plan = {
        "dataset": "visits",
        "statistics": list(asked.get("statistics", ({"statistic": "count"},))),
        "where": [],
        "group_by": [],
        "epsilon": asked.get("epsilon", 0.5),
    }
    said = quote(user=analyst.user, dataset=dataset, raw_plan=plan).refusal
    assert said is not None
    assert why in said
    entries = AuditEntry.objects.count()
    with pytest.raises(OutsidePolicy, match=why):
        ask(analyst, **asked)
    dataset.budget.refresh_from_db()
    assert (dataset.budget.committed_nano, Query.objects.count()) == (0, 0)
    assert AuditEntry.objects.count() == entries
    assert Refusal.objects.get().reason == "policy"


def test_what_keeps_the_policy_is_asked(
    govern: Callable[..., None], ask: Ask, analyst: Membership
) -> None:
    govern(statistics=("count",), least_error=3, approval_above_nano=NANO)
    assert ask(analyst, epsilon=0.5).state == "queued"


@pytest.mark.parametrize(("over", "limit", "passes"), [(0, 2, True), (1, 2, False), (0, 1, False)])
def test_a_permit_lets_one_person_pass_up_to_an_amount_and_a_day(
    govern: Callable[..., None],
    ask: Ask,
    analyst: Membership,
    owner: Membership,
    dataset: Dataset,
    over: int,
    limit: int,
    passes: bool,
) -> None:
    govern(approval_above_nano=NANO // 10)
    permit(
        dataset=dataset,
        user=analyst.user,
        limit_nano=limit * NANO,
        last_day=clock.today(),
        owner=owner.user,
        reason="the study",
    )
    Permit.objects.update(last_day=clock.today() - timedelta(days=over))
    if passes:
        assert ask(analyst, epsilon=1.5).cost_nano == NANO * 3 // 2
    else:
        with pytest.raises(OutsidePolicy):
            ask(analyst, epsilon=1.5)


def test_a_permit_is_dated_by_the_database(
    owner: Membership, analyst: Membership, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B12: whichever machine it was given on: whether it is of an earlier role depends on it."""
    moment = clock.database_now() - timedelta(days=1)
    monkeypatch.setattr(clock, "database_now", lambda: moment)
    for limit in (NANO, 2 * NANO):
        given = permit(
            dataset=dataset,
            user=analyst.user,
            limit_nano=limit,
            last_day=clock.today(),
            owner=owner.user,
            reason="the study",
        )
        given.refresh_from_db()
        assert given.created_at == moment


def test_a_permit_does_not_pass_the_limit_of_one_question(
    govern: Callable[..., None], ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    govern(approval_above_nano=NANO // 10, per_query_nano=NANO)
    day = date(2099, 1, 1)
    permit(
        dataset=dataset,
        user=analyst.user,
        limit_nano=2 * NANO,
        last_day=day,
        owner=owner.user,
        reason="x",
    )
    with pytest.raises(Exception, match="at most ε 1"):
        ask(analyst, epsilon=1.5)


def test_a_frozen_dataset_s_policy_changes_nothing_of_its_budget(
    govern: Callable[..., None], dataset: Dataset
) -> None:
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    govern(statistics=("count",))
    dataset.budget.refresh_from_db()
    assert dataset.budget.frozen_at is not None
    assert rules_of(dataset).statistics == ("count",)


def test_a_change_says_what_was_before(govern: Callable[..., None]) -> None:
    govern(statistics=("count",), per_query_nano=NANO)
    entry = AuditEntry.objects.latest("sequence")
    assert entry.action == "POLICY_CHANGED"
    assert '"before_one_question_epsilon":"2"' in entry.detail
    assert '"after_one_question_epsilon":"1"' in entry.detail


def test_the_api_says_that_it_is_the_policy(
    govern: Callable[..., None], analyst: Membership, api_for: Callable[[Membership], Any]
) -> None:
    govern(statistics=("count",))
    plan = {"statistics": list(SUM), "where": [], "group_by": [], "epsilon": 0.5}
    answer = api_for(analyst).post(
        reverse("v1:query-submit", args=["visits"]),
        plan,
        format="json",
        headers={"Idempotency-Key": "p"},
    )
    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "outside_policy"


def test_the_page_begins_with_templates_and_saves(
    dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    browser, address = client_for(owner), "/datasets/visits/policy/"
    assert browser.get(address, {"template": "strict"}).context["form"].initial["per_query"] == (
        "0.5"
    )
    typed = {"per_query": "1", "approval_above": "0.2", "statistics": ["count", "mean"]}
    assert browser.post(address, typed | {"least_error": "4"}).status_code == 302
    dataset.refresh_from_db()
    assert rules_of(dataset) == Rules(NANO, NANO // 5, ("count", "mean"), 4)
    refused = browser.post(address, typed | {"per_query": "11"})
    assert refused.status_code == 422
    assert "cannot cost more than the limit" in refused.text
    nothing = browser.post(address, typed | {"per_query": "0.00000001", "approval_above": ""})
    assert nothing.status_code == 422
    assert "none could be asked" in nothing.text
    dataset.refresh_from_db()
    assert rules_of(dataset).per_query_nano == NANO


def test_in_german_the_form_reads_the_amounts_that_it_was_filled_with(
    dataset: Dataset, owner: Membership, govern: Callable[..., None], client_for: ClientFor
) -> None:
    """1.125 could be two numbers where a comma marks decimals."""
    govern(per_query_nano=NANO * 9 // 8)
    browser, address = client_for(owner), "/datasets/visits/policy/"
    browser.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    shown = browser.get(address).context["form"].initial["per_query"]
    assert shown == "1,125"
    sent = {"per_query": shown, "statistics": ["count"]}
    assert browser.post(address, sent).status_code == 302
    dataset.refresh_from_db()
    assert rules_of(dataset).per_query_nano == NANO * 9 // 8


def test_under_rho_a_form_that_is_saved_as_it_was_shown_changes_no_amount(
    owner: Membership, client_for: ClientFor
) -> None:
    """An ε is shown with four digits: of a least price, one digit less would make it cheaper."""
    rho = Currency(Mode.ZCDP, Decimal("1e-6"))
    counted = register_small_dataset(owner, name="Counted", limit_nano=3 * NANO, currency=rho)
    before = Rules(7_620_693, 2_345_679, (), None, 1_234_567)
    change_policy(dataset=counted, rules=before, user=owner.user)
    browser, address = client_for(owner), "/datasets/counted/policy/"
    shown = browser.get(address).context["form"].initial
    assert (shown["per_query"], shown["least_price"]) == ("0.1235", "0.0497")
    texts = {name: shown[name] for name in ("per_query", "approval_above", "least_price")}
    assert browser.post(address, texts).status_code == 302
    counted.refresh_from_db()
    assert rules_of(counted) == before
    assert browser.post(address, texts | {"least_price": "0.05"}).status_code == 302
    counted.refresh_from_db()
    assert rules_of(counted) == replace(before, least_nano=rho.price_of(NANO // 20))


def test_the_privacy_label_names_every_rule(
    govern: Callable[..., None], client_for: ClientFor, analyst: Membership, dataset: Dataset
) -> None:
    browser, page = client_for(analyst), f"/datasets/{dataset.slug}/"
    before = browser.get(page).content.decode()
    assert "Each question costs at least ε 0.001." in before
    assert "permit or approval" not in before
    govern(statistics=("count", "mean"), least_error=10, approval_above_nano=NANO // 4)
    label = " ".join(browser.get(page).content.decode().split())
    assert "Only these may be asked: Count, Mean." in label
    assert "The error bound of a count is 10 at least" in label
    assert "Above ε 0.25 a question needs the owner&#x27;s permit or approval." in label
