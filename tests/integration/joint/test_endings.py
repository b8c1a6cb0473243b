"""M43: whoever never answers, leaves or cannot pay: nothing is spent before the opening, nothing
is lost, nothing is revealed; after the opening everybody is charged and nobody gets an answer.

What could overspend: a hold that stays, or one that comes back after an opening. What could leak: a
total of those who did send.
"""

from datetime import timedelta

import pytest
from django.db.models import F

from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import InsufficientBudget
from dpgov.datasets.models import Dataset
from dpgov.joint.errors import (
    BadProposal,
    CodeRefused,
    DeclaredOtherwise,
    InPractice,
    JointRefusal,
    NotTakingPart,
    PolicyRefuses,
    TooManyCodesTried,
)
from dpgov.joint.models import JointQuestion, Party, Share
from dpgov.joint.services import joint_round, leave, look_at, propose
from dpgov.joint.services.steps import _try_step
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query, Release
from dpgov.tenants.boundary import acting_for
from tests.cast import publish_now
from tests.integration.joint.made import (
    COUNT_BY_SEX,
    PRICE,
    Side,
    all_joined,
    approved,
    asked,
    finished,
    joined,
    look,
    proposed,
    query_of,
    side,
)


def _later(**passed: float) -> None:
    """As if so much time had passed."""
    ago = timedelta(**passed)
    JointQuestion.objects.update(expires_at=F("expires_at") - ago, opened_at=F("opened_at") - ago)


def _agree(sides: list[Side]) -> None:
    for one in sides:
        with acting_for(one.tenant.pk):
            assert reconcile(one.tenant).findings == ()


def test_an_organisation_that_never_comes_costs_nobody_anything(sides: list[Side]) -> None:
    """M43: a week later the holds come back, with an entry in each log."""
    question, code = proposed(sides[0])
    for one in sides[:2]:
        joined(one, question, code)
    look(sides), joint_round()
    assert [one.spent for one in sides] == [(0, PRICE), (0, PRICE), (0, 0)]
    _later(days=8)
    assert joint_round() == 2
    assert [one.spent for one in sides] == [(0, 0)] * 3
    assert query_of(sides[0], question).state == Query.State.EXPIRED
    expired = AuditEntry.objects.filter(action=Action.QUERY_EXPIRED)
    assert expired.values("tenant_id").distinct().count() == 2
    _agree(sides)


def test_whoever_leaves_gives_everybody_their_hold_back(sides: list[Side]) -> None:
    """M43: once, before it is opened; it never opens then."""
    question = all_joined(sides)
    party = Party.objects.get(tenant=sides[1].tenant)
    with acting_for(sides[1].tenant.pk):
        leave(membership=sides[1].owner, party=party)
        with pytest.raises(NotTakingPart):
            leave(membership=sides[1].owner, party=party)
    look(sides), joint_round(), look(sides), joint_round()
    assert [one.spent for one in sides] == [(0, 0)] * 3
    question.refresh_from_db()
    assert (question.opened_at, Share.objects.count()) == (None, 0)
    _agree(sides)


def test_a_worker_that_stays_away_after_the_opening_is_charged_to_all(sides: list[Side]) -> None:
    """M43: a day later, in one wording; the shares of the others say nothing to anybody."""
    question = all_joined(sides)
    look(sides), joint_round(), look(sides[:2])
    party = Party.objects.get(tenant=sides[0].tenant)
    with acting_for(sides[0].tenant.pk), pytest.raises(NotTakingPart):
        leave(membership=sides[0].owner, party=party)
    _later(hours=23.5)
    # Too late for a share, too early to give up: so all of them come to one end.
    assert (look(sides), joint_round()) == (0, 0)
    _later(hours=1)
    assert joint_round() == 3
    publish_now()
    assert {query_of(one, question).state for one in sides} == {Query.State.FAILED}
    assert [one.spent for one in sides] == [(PRICE, 0)] * 3
    assert Release.objects.count() == 0
    _agree(sides)


def test_a_sweeper_that_read_before_the_opening_fails_nothing(sides: list[Side]) -> None:
    """M43: two sweepers at once: one opens the question, the other still takes it for unopened."""
    question = all_joined(sides)
    look(sides)
    read = Party.objects.select_related("question", "query__dataset__budget")
    before = read.get(tenant=sides[0].tenant)
    assert joint_round() > 0
    with acting_for(sides[0].tenant.pk):
        assert not _try_step(before)
    look(sides), joint_round(), publish_now()
    assert {query_of(one, question).state for one in sides} == {Query.State.RELEASED}
    assert [one.spent for one in sides] == [(PRICE, 0)] * 3
    _agree(sides)


def test_what_does_not_fit_is_said_to_the_one_whose_budget_it_is(db: None) -> None:
    """M43: at their officer's approval, before anything is held or opened for the others' cost."""
    rich, poor = side("alpha"), side("beta", limit_nano=NANO)
    question, code = proposed(rich)
    joined(rich, question, code)
    request = asked(poor, question, code)
    with pytest.raises(InsufficientBudget):
        approved(poor, request)
    request.refresh_from_db()
    assert request.state == ChangeRequest.State.WAITING
    assert Party.objects.count() == 1
    assert poor.spent == (0, 0)


def test_a_policy_that_forbids_it_is_said_to_the_officer(sides: list[Side]) -> None:
    """M43: a joint question is held to the dataset's policy like every question."""
    question, code = proposed(sides[0])
    request = asked(sides[1], question, code)
    Dataset.objects.filter(pk=sides[1].dataset.pk).update(per_query_limit_nano=PRICE - 1)
    with pytest.raises(PolicyRefuses, match="may cost at most"):
        approved(sides[1], request)
    assert sides[1].spent == (0, 0)


def test_what_ones_own_dataset_would_never_answer_is_not_proposed(sides: list[Side]) -> None:
    """M43: before a code is given to others, who would join in vain."""
    Dataset.objects.filter(pk=sides[0].dataset.pk).update(per_query_limit_nano=PRICE - 1)
    sides[0].dataset.refresh_from_db()
    with pytest.raises(PolicyRefuses, match="may cost at most"):
        proposed(sides[0])
    assert JointQuestion.objects.count() == 0


def _refused(one: Side, typed: str) -> str:
    with pytest.raises(JointRefusal) as refusal:
        asked(one, None, typed)  # type: ignore[arg-type]
    return type(refusal.value).__name__


def test_a_code_works_for_others_once_each_and_is_not_for_guessing(sides: list[Side]) -> None:
    """M43: what one's own rows say is said; a wrong, left and opened one are in the same words."""
    question, code = proposed(sides[0])
    joined(sides[1], question, code)
    typed = ((sides[0], code), (sides[1], code), (sides[2], "ABCD" * 6), (sides[2], "?"))
    refused = [_refused(one, text) for one, text in typed]
    assert refused == ["OwnCode", "TakesPart", "CodeRefused", "CodeRefused"]
    with acting_for(sides[1].tenant.pk):
        leave(membership=sides[1].owner, party=Party.objects.get())
    assert _refused(sides[2], code) == "CodeRefused"
    opened, its_code = proposed(sides[0])
    for one in sides:
        joined(one, opened, its_code)
    assert _refused(side("delta"), its_code) == "CodeRefused"
    _, old = proposed(sides[0])
    _later(days=8)
    assert _refused(sides[2], old) == "CodeExpired"
    with pytest.raises(TooManyCodesTried):
        for _ in range(30):
            try:
                asked(sides[2], None, "ABCD" * 6)  # type: ignore[arg-type]
            except CodeRefused:
                continue


def test_a_place_too_many_lapses(sides: list[Side]) -> None:
    """M43: four requests for three places: the fourth holds nothing."""
    fourth = side("delta")
    question, code = proposed(sides[0])
    late = asked(fourth, question, code)
    for one in sides:
        joined(one, question, code)
    assert approved(fourth, late).state == ChangeRequest.State.STALE
    assert fourth.spent == (0, 0)
    assert not Query.objects.filter(tenant=fourth.tenant).exists()


def test_datasets_that_are_declared_otherwise_do_not_take_part(db: None) -> None:
    """M43: another group size would need other noise; the page says what differs."""
    first, other = side("alpha"), side("beta", group_size=2)
    question, code = proposed(first)
    with pytest.raises(DeclaredOtherwise, match="privacy unit"):
        asked(other, question, code)


@pytest.mark.parametrize(
    ("change", "parties", "why"),
    [
        ({"where": [{"column": "age", "op": ">=", "value": 5}]}, 3, "no filters"),
        ({"statistics": [{"statistic": "mean", "column": "age"}]}, 3, "a count or a sum"),
        ({}, 2, "two separate answers"),
    ],
)
def test_what_cannot_be_added_up_is_not_proposed(
    db: None, change: dict[str, object], parties: int, why: str
) -> None:
    one = side("alpha")
    with acting_for(one.tenant.pk), pytest.raises(BadProposal, match=why):
        propose(
            membership=one.owner,
            dataset=one.dataset,
            title="x",
            raw_plan=COUNT_BY_SEX | change,
            parties=parties,
            colluders=1,
        )


def test_nobody_takes_part_with_invented_rows(sides: list[Side]) -> None:
    """M43: where people practise nothing is proposed or joined: the others' total would be off."""
    _, code = proposed(sides[0])
    practice = sides[1].owner.tenant
    practice.practice_of = sides[2].tenant.pk
    with acting_for(practice.pk):
        with pytest.raises(InPractice):
            propose(
                membership=sides[1].owner,
                dataset=sides[1].dataset,
                title="x",
                raw_plan=COUNT_BY_SEX,
                parties=3,
                colluders=1,
            )
        with pytest.raises(InPractice):
            look_at(membership=sides[1].owner, code=code)


def test_asking_again_is_another_question_with_other_masks(sides: list[Side]) -> None:
    """M43: masks and noise are of one question; both are charged."""
    for _ in range(2):
        finished_question = all_joined(sides)
        finished(sides)
        assert query_of(sides[0], finished_question).state == Query.State.RELEASED
    assert [one.spent for one in sides] == [(2 * PRICE, 0)] * 3
    assert len(set(Share.objects.values_list("masked", flat=True))) == 6
