"""A refusal speaks the language of whoever reads it; what is stored of it is English."""

import json

import pytest
from django.utils import translation

from dpgov.approvals.errors import OwnRequest, Stale
from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import BudgetClosed, InsufficientBudget
from dpgov.budgets.services.shared_budgets import SharedBudgetNameTaken
from dpgov.budgets.words import DATASET, rate_said
from dpgov.datasets.models import Dataset
from dpgov.datasets.services.held.holds import SamePeople
from dpgov.language.said import as_values, said
from dpgov.language.spoken import SpokenRefusal
from dpgov.language.translation import retold
from dpgov.tenants.models import Membership
from tests.integration.approvals.conftest import Asking


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> None:
    """A German that puts "de:" before each sentence, and is spoken only where it was chosen."""

    def gettext(message: str) -> str:
        return f"de:{message}" if translation.get_language() == "de" else message

    monkeypatch.setattr(vars(translation)["_trans"], "gettext", gettext, raising=False)


@pytest.mark.usefixtures("german")
def test_a_refusal_is_said_when_it_is_read_and_not_when_it_is_raised() -> None:
    """The same refusal, raised under one language and read under another."""
    with translation.override("de"):
        refusal = OwnRequest()
    sentence = "You asked for this yourself, so another person has to decide it."
    assert str(refusal) == sentence
    with translation.override("de"):
        assert str(refusal) == f"de:{sentence}"


@pytest.mark.usefixtures("german")
def test_the_words_within_a_refusal_are_said_in_the_same_language() -> None:
    limit = rate_said(DATASET, "week")
    refusal = InsufficientBudget(requested_nano=2, remaining_nano=1, limit=limit)
    closed = Stale(BudgetClosed(DATASET))
    with translation.override("de"):
        assert "de:what may be used a week of de:the dataset's budget" in str(refusal)
        assert str(closed) == "De:de:the dataset's budget has ended. Nothing was charged."
    assert str(closed) == "The dataset's budget has ended. Nothing was charged."


@pytest.mark.usefixtures("german")
def test_an_outcome_is_stored_in_english_whoever_approves(
    owner: Membership, officer: Membership, asking: Asking
) -> None:
    """The request and its entry in the log can be compared with others."""
    request = asking(owner)

    def find_out(_: ChangeRequest) -> Effect:
        raise Stale(said("The limit of “{name}” is another one.", name="Visits"))

    with translation.override("de"):
        approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=find_out)
    stored = ChangeRequest.objects.get().outcome
    pattern, detail = "The limit of “{name}” is another one.", AuditEntry.objects.latest("sequence")
    assert stored == {"pattern": pattern, "values": {"name": {"value": "Visits"}}}
    assert json.loads(detail.detail)["outcome"] == stored


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    "refusal",
    [SamePeople(Dataset(name="Visits")), SharedBudgetNameTaken("Visits"), BudgetClosed(DATASET)],
)
def test_a_stored_outcome_is_shown_in_the_language_of_the_reader(refusal: SpokenRefusal) -> None:
    """Sentences with a name in them, and what another refusal says, too."""
    stored = json.loads(json.dumps(as_values(Stale(refusal).sentence)))
    assert retold(stored) == str(refusal)
    with translation.override("de"):
        assert retold(stored) == "D" + str(refusal)[1:]
    assert retold({}) == ""
