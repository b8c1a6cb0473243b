"""M91: an owner's program drafts, prices, opens and closes a survey over the API as on the pages.

What could overspend: an opening that is sent again and charged again, a shared budget charged on a
program's word. What could leak: a draft, the address for respondents or the name of a shared budget
to a role that the pages do not tell; a foreign survey that is told from a missing one.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from rest_framework.test import APIClient

from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget, BudgetAccess, Correction, SharedBudgetMember
from dpgov.datasets.models import Dataset
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.surveys.models import Survey, SurveyToken
from dpgov.tenants.models import Membership
from tests.integration.surveys.made import agreed, drafted, opened, sent, shared
from tests.triggers import without_triggers

Api = Callable[[Membership], APIClient]
_BASE = "/api/v1/surveys/"


def _post(
    client: APIClient, path: str, body: dict[str, Any] | None = None, status: int = 200
) -> Any:
    answer = client.post(_BASE + path, body or {}, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


def _why(
    client: APIClient, path: str, body: dict[str, Any] | None = None, status: int = 409
) -> Any:
    errors = _post(client, path, body, status)["errors"]
    return [(one["code"], one["attr"]) for one in errors]


def test_a_program_makes_a_survey_from_draft_to_end(owner: Membership, api_for: Api) -> None:
    """M91: one charge at the opening, tokens that are shown once, no report after the end."""
    program = api_for(owner)
    draft = _post(program, "new/", sent(), 201)
    where = f"{draft['id']}/"
    assert (draft["state"], draft["epsilon"], draft["shared_budget"]) == ("draft", 1.1, None)
    quote = program.get(f"{_BASE}{where}quote/").json()
    assert (quote["charged"], quote["unit"], quote["needs_approval"]) == (1.1, "epsilon", False)
    assert quote["fits"]
    assert 0.08 < quote["error"] < 0.09
    assert Correction.objects.count() == 0
    assert _post(program, f"{where}open/")["state"] == "open"
    assert _why(program, f"{where}open/") == [("not_a_draft", None)]
    assert Correction.objects.get().amount_nano == 1_100_000_000
    made = _post(program, f"{where}tokens/", {"number": 2}, 201)
    assert made["links"] == [f"{draft['address']}#{token}" for token in made["tokens"]]
    assert not SurveyToken.objects.filter(token_hash__in=made["tokens"]).exists()
    code = Survey.objects.get().code
    report = {"token": made["tokens"][0], "report": "1"}
    assert APIClient().post(f"/api/v1/answer/{code}/", report, "json").status_code == 201
    closed = _post(program, f"{where}close/")
    assert (closed["state"], closed["reports"], closed["estimates"][1]["count"]) == ("closed", 1, 1)
    report["token"] = made["tokens"][1]
    assert APIClient().post(f"/api/v1/answer/{code}/", report, "json").status_code == 409
    assert _why(program, f"{where}close/") == [("not_a_draft", None)]
    assert _why(program, f"{where}tokens/", {"number": 1}) == [("survey_closed", None)]


def test_a_shared_budget_takes_an_officer(
    owner: Membership, officer: Membership, api_for: Api
) -> None:
    """M91: the program's word charges nothing; in ρ it is priced as on the page."""
    program, budget = (
        api_for(owner),
        shared(owner, currency=Currency(Mode.ZCDP, Decimal("1e-6")), limit_nano=10 * NANO),
    )
    draft = _post(program, "new/", sent() | {"epsilon": "1", "shared_budget": str(budget.pk)}, 201)
    where = f"{draft['id']}/"
    quote = program.get(f"{_BASE}{where}quote/").json()
    assert (quote["unit"], quote["needs_approval"], quote["fits"]) == ("rho", True, True)
    assert quote["charged"] == pytest.approx(0.4621172, abs=1e-6)
    assert _why(program, f"{where}open/") == [("not_requested", None)]
    asked = _post(program, f"{where}open/", {"reason": "the yearly survey"}, 202)
    assert (asked["survey"], asked["state"]) == (draft["id"], "waiting")
    assert _why(program, f"{where}open/", {"reason": "again"}) == [("already_requested", None)]
    assert Correction.objects.count() == 0
    agreed(officer, ChangeRequest.objects.get(pk=asked["id"]))
    assert program.get(_BASE + where).json()["state"] == "open"


@pytest.mark.parametrize("stands_still", ["frozen_at", "closed_at"])
def test_nothing_fits_a_budget_that_stands_still(
    owner: Membership, api_for: Api, stands_still: str
) -> None:
    """M91: frozen or ended: what would be refused is not promised."""
    program, budget = api_for(owner), shared(owner)
    quote = f"{_BASE}{drafted(owner, shared_budget=budget).pk}/quote/"
    assert program.get(quote).json()["fits"] is True
    Budget.objects.filter(pk=budget.pk).update(**{stands_still: clock.now()})
    assert program.get(quote).json()["fits"] is False


def test_what_is_no_survey_is_said_at_its_place(
    owner: Membership, stranger: Membership, api_for: Api
) -> None:
    """M91: and nothing is stored. Another organisation's budget looks missing."""
    program = api_for(owner)
    theirs = str(shared(stranger, name="Theirs").pk)
    for change, where in (
        ({"question": ""}, "question"), ({"answers": ["Yes"]}, "answers"),
        ({"epsilon": "many"}, "epsilon"), ({"expected": 0}, "expected"),
        ({"closes_on": "soon"}, "closes_on"), ({"shared_budget": theirs}, "shared_budget"),
    ):  # fmt: skip
        assert [
            place.split(".")[0] for _code, place in _why(program, "new/", sent() | change, 400)
        ] == [where]
    for where, wrong in (
        ("epsilon", 11), ("answers", ["Yes", "yes"]), ("closes_on", "2020-01-01")
    ):  # fmt: skip
        assert _why(program, "new/", sent() | {where: wrong}, 400) == [("invalid", where)]
    assert Survey.objects.count() == 0


def test_each_role_is_told_what_its_pages_tell(
    owner: Membership, officer: Membership, analyst: Membership, admin: Membership,
    stranger: Membership, api_for: Api,
) -> None:  # fmt: skip
    """M91: the address is an owner's, a shared budget no analyst's, a draft neither's."""
    budget = shared(owner)
    draft = drafted(owner, shared_budget=budget)
    public = opened(owner, question="Another?", by_token=False)
    people = (owner, officer, analyst, stranger, admin)
    clients = {member: api_for(member) for member in people}
    seen = {one: clients[one].get(f"{_BASE}{draft.pk}/") for one in people}
    assert [seen[one].status_code for one in people] == [200, 200, 404, 404, 403]
    for member, sees_address in ((owner, True), (officer, False)):
        assert seen[member].json()["shared_budget"] == str(budget.pk)
        assert bool(seen[member].json()["address"]) is sees_address
    assert clients[analyst].get(f"{_BASE}{public.pk}/").json()["address"] is None
    for member, status in ((officer, 403), (analyst, 403), (stranger, 404)):
        for path in ("open/", "close/", "tokens/"):
            _post(clients[member], f"{draft.pk}/{path}", {"number": 1}, status)
    assert _why(clients[owner], f"{public.pk}/tokens/", {"number": 1}) == [("no_tokens", None)]


def test_a_database_that_moved_opens_nothing(
    owner: Membership, api_for: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M91: refused with its code, and still a draft."""

    def moved() -> None:
        raise BudgetFrozen

    monkeypatch.setattr("dpgov.budgets.services.surveys.confirm_place", moved)
    survey = drafted(owner)
    assert _why(api_for(owner), f"{survey.pk}/open/") == [("budget_frozen", None)]
    survey.refresh_from_db()
    assert (survey.state, Correction.objects.count()) == ("draft", 0)


def test_nothing_fits_that_could_not_be_opened(
    owner: Membership, api_for: Api, foreign_dataset: Dataset
) -> None:
    """M91: what was opened before, and what counts against a budget that others share."""
    api, survey = api_for(owner), opened(owner)
    assert api.get(f"{_BASE}{survey.pk}/quote/").json()["fits"] is False
    budget = shared(owner)
    with_others = drafted(owner, shared_budget=budget)
    assert api.get(f"{_BASE}{with_others.pk}/quote/").json()["fits"] is True
    BudgetAccess.objects.create(budget=budget, tenant=foreign_dataset.tenant)
    with without_triggers():  # by no invitation
        SharedBudgetMember.objects.create(
            tenant=foreign_dataset.tenant,
            shared_budget=budget,
            dataset_budget=foreign_dataset.budget,
        )
    assert api.get(f"{_BASE}{with_others.pk}/quote/").json()["fits"] is False
