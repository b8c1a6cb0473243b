"""A dataset that counts ρ, from the question to every page and figure about it."""

import json
import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.budgets.services.corrections import REFUND
from dpgov.datasets.models import Dataset
from dpgov.explain.comparison import charged, compare
from dpgov.explain.groups import group_readings_in_rho
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.agreed import agree
from tests.cast import Ask
from tests.integration.dashboards.reading import figure, page
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

ClientFor = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]
DELTA = Decimal("1e-6")
RHO = Currency(Mode.ZCDP, DELTA)


@made_once
def dataset(owner: Membership) -> Dataset:
    """(3, 1e-6), and ε 2 for one question."""
    return register_small_dataset(owner, name="Visits", limit_nano=3 * NANO, currency=RHO)


@made_once
def answered(
    dataset: Dataset, ask: Ask, analyst: Membership, answer_all: Callable[[], int]
) -> list[Query]:
    queries = [ask(analyst, epsilon=epsilon) for epsilon in (0.01, 0.01, 0.1)]
    assert answer_all() == 3
    return queries


def _text(html: str) -> str:
    bare = re.sub(r"<[^>]+>", " ", html).replace("&nbsp;", " ").replace("\xa0", " ")
    return " ".join(bare.split())


def test_a_question_is_booked_in_rho_and_its_answer_says_so(answered: list[Query]) -> None:
    assert [query.cost_nano for query in answered] == [50_000, 50_000, 4_995_838]
    body = json.loads(Query.objects.get(pk=answered[0].pk).release.body)
    assert body["guarantee"]["rho"] == 0.00005
    assert all("rho" in drawn for drawn in body["draws"])


def test_the_log_has_the_same_amounts_and_reconciles(
    answered: list[Query], owner: Membership
) -> None:
    """G8: every balance follows from entries that speak of ρ."""
    entries = AuditEntry.objects.filter(action="QUERY_RELEASED").order_by("sequence")
    detail = json.loads(entries[0].detail)
    assert detail["rho"] == detail["lines"][0]["rho"] == "0.00005"
    assert "epsilon" not in detail
    assert reconcile(owner.tenant).findings == ()
    stored = Budget.objects.filter(pk=answered[0].dataset.budget_id)
    stored.update(spent_nano=1_000_000)
    found = " ".join(reconcile(owner.tenant).findings)
    stored.update(spent_nano=5_095_838)
    assert "spent is ρ 0.001, but the log adds up to ρ 0.005095838" in found


def test_no_page_calls_rho_an_epsilon(
    answered: list[Query], dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    """One place decides the wording, and every page asks it."""
    client = client_for(owner)
    names = ("dashboards:budget", "limits:limits", "datasets:detail", "datasets:limit")
    for path in [reverse("dashboards:home"), *(reverse(n, args=[dataset.slug]) for n in names)]:
        said = _text(page(client, path))
        assert "ε 3 at δ 1e-6" in said, path
        assert "ε 0.18506984" not in said, path
        assert "ε 0.005095838" not in said, path
    budget = _text(page(client, reverse("dashboards:budget", args=[dataset.slug])))
    assert "ρ 0.005095838" in budget
    history = _text(page(client, reverse("dashboards:history")))
    assert "ρ 0.00005 (ε 0.03711 at δ 1e-6 by itself)" in history


def test_the_charts_say_which_currency_they_draw(
    answered: list[Query], dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(owner), reverse("dashboards:budget", args=[dataset.slug]))
    assert figure(html, "over-time")["layout"]["yaxis"]["title"]["text"] == "ρ"
    assert figure(html, "by-analyst")["layout"]["xaxis"]["title"]["text"] == "ρ"


def test_the_api_has_both_currencies(
    answered: list[Query], dataset: Dataset, analyst: Membership, api_for: ApiFor
) -> None:
    api = api_for(analyst)
    body = api.get(f"/api/v1/datasets/{dataset.slug}/budget/").json()
    assert (body["mode"], body["delta"]) == ("zcdp", 1e-6)
    assert (body["limit_epsilon"], body["limit_rho"]) == (3, 0.18506984)
    assert body["committed_rho"] == 0.005095838
    assert body["committed_epsilon"] == pytest.approx(0.4345, abs=0.002)
    assert body["remaining_rho"] == pytest.approx(0.179974002)
    assert body["remaining_epsilon"] == pytest.approx(0.608, abs=0.01)
    assert (body["per_query_limit_epsilon"], body["per_query_limit_rho"]) == (2, 1.523188312)
    metadata = api.get(f"/api/v1/datasets/{dataset.slug}/").json()
    assert (metadata["mode"], metadata["delta"]) == ("zcdp", 1e-6)


def test_a_quote_and_its_refusal_speak_of_rho(
    dataset: Dataset, analyst: Membership, api_for: ApiFor
) -> None:
    """F2: what would not fit is refused, with what would."""
    api, path = api_for(analyst), f"/api/v1/datasets/{dataset.slug}/quote/"
    plan = {"statistics": [{"statistic": "count"}], "epsilon": 0.01}
    fine = api.post(path, plan, format="json").json()
    assert (fine["cost_epsilon"], fine["cost_rho"], fine["accepted"]) == (0.01, 0.00005, True)
    large = api.post(path, plan | {"epsilon": 1}, format="json").json()
    assert not large["accepted"]
    assert large["refusal"] == "Only ρ 0.18506984 remains of the dataset's budget."
    again = plan | {"epsilon": large["largest_fit_epsilon"]}
    assert api.post(path, again, format="json").json()["accepted"]


def test_a_rho_is_a_price_too(dataset: Dataset, analyst: Membership, api_for: ApiFor) -> None:
    plan = {"statistics": [{"statistic": "count"}], "rho": 0.01}
    path = f"/api/v1/datasets/{dataset.slug}/quote/"
    assert api_for(analyst).post(path, plan, format="json").json()["cost_rho"] == 0.01


def test_groups_have_k_squared_rho_and_never_a_delta_above_one() -> None:
    """F13: k²ρ with its reading, δ at kε, sizes 1 to 20."""
    readings = group_readings_in_rho(
        currency=RHO,
        limit_nano=RHO.limit_of(3 * NANO),
        target_nano=3 * NANO,
        question_nano=50_000,
        setting=1,
    )
    assert [reading.size for reading in readings] == list(range(1, 21))
    assert [r.question_rho_nano for r in readings] == [50_000 * k * k for k in range(1, 21)]
    assert all(r.budget_nano == RHO.together(r.budget_rho_nano or 0) for r in readings)
    assert [r.noise_scale for r in readings] == [100 * r.size for r in readings]
    shown = [reading.delta_text for reading in readings]
    assert shown[:2] == ["1e-06", "0.0000210855369232"] or shown[0] == "0.000001"
    assert shown[-1] == "no guarantee"
    assert all(Decimal(text) <= 1 for text in shown if text != "no guarantee")


def test_a_group_of_the_settings_size_has_what_was_booked() -> None:
    """F13: the noise was made for the whole group, and may be Laplace noise for one of it."""
    readings = group_readings_in_rho(
        currency=RHO, limit_nano=9_000, target_nano=NANO, question_nano=900, setting=3
    )
    assert (readings[2].budget_rho_nano, readings[2].question_rho_nano) == (9_000, 900)
    assert (readings[0].budget_rho_nano, readings[5].budget_rho_nano) == (3_000, 36_000)
    assert readings[2].delta == DELTA


def test_the_page_of_groups_shows_rho_and_its_reading(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """F13: the same on the page, for a question of any size."""
    path = reverse("explain:group_privacy", args=[dataset.slug])
    said = _text(page(client_for(analyst), f"{path}?epsilon=0.01"))
    assert "Their ρ, all answers (k²ρ)" in said
    assert "no guarantee" in said
    assert "but for a probability of δ 1e-6" in said
    assert "ρ 0.00005 (ε 0.03711 at δ 1e-6 by itself)" in said


def test_charges_are_compared_by_amount_and_only_for_comparison(
    answered: list[Query], dataset: Dataset, officer: Membership, client_for: ClientFor
) -> None:
    """F1: five accounts of the same charges, labelled."""
    found = compare(dataset.budget, DELTA)
    assert (found.questions, found.amounts) == (3, 2)
    epsilons = {one.name: one.epsilon or 0 for one in found.figures}
    assert epsilons["pld"] <= epsilons["rdp"] <= epsilons["advanced"] <= epsilons["basic"]
    assert [one.name for one in found.figures if one.admits] == ["zcdp"]
    path = reverse("explain:comparison", args=[dataset.slug])
    said = _text(page(client_for(officer), path))
    assert "For comparison only: not what admission uses" in said
    assert "3 charges, by every account" in said


def test_the_method_that_takes_seconds_comes_behind_its_page(
    answered: list[Query], dataset: Dataset, officer: Membership, client_for: ClientFor
) -> None:
    client, path = client_for(officer), reverse("explain:comparison", args=[dataset.slug])
    (slow,) = (one for one in client.get(path).context["comparison"].figures if one.waits)
    assert slow.name == "pld"
    part = client.get(f"{path}?slow", headers={"HX-Request": "true"})
    assert "<html" not in part.content.decode()
    bars = [size for one in part.context["chart"]["data"] for size in one["x"]]
    assert len(bars) == len(part.context["comparison"].figures), "the chart has its bar, too"
    assert not any(one.waits for one in client.get(path).context["comparison"].figures)


@pytest.mark.parametrize("typed", ["0", "1", "nan", "<b>", "1e-40"])
def test_an_impossible_delta_is_said_at_the_field(
    typed: str, dataset: Dataset, officer: Membership, client_for: ClientFor, api_for: ApiFor
) -> None:
    path = reverse("explain:comparison", args=[dataset.slug])
    response = client_for(officer).get(path, {"delta": typed})
    assert response.status_code == 422
    assert response.context["form"].errors["delta"][0].startswith("δ must")
    refused = api_for(officer).get(f"/api/v1/datasets/{dataset.slug}/comparison/?delta={typed}")
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["attr"] == "delta"


def test_what_was_given_back_is_not_compared(answered: list[Query], dataset: Dataset) -> None:
    from dpgov.budgets.models import Correction
    from dpgov.budgets.services import correct

    agree(dataset.tenant, REFUND, query=str(answered[0].pk))
    correct(
        budget=dataset.budget,
        kind=Correction.Kind.REFUND,
        amount_nano=-50_000,
        query_id=answered[0].pk,
        reason="never read",
    )
    assert [(one.nano, one.count) for one in charged(dataset.budget)] == [
        (50_000, 1),
        (4_995_838, 1),
    ]


def test_the_ledger_is_verified_in_rho(
    answered: list[Query], capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("verify_ledger")
    assert "ε" not in capsys.readouterr().out
