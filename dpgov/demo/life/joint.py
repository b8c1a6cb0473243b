"""Three organisations that count infections together, each by its own people and its own worker.

Proposal, code, requests, approvals, keys, opening, shares and release are those of the product; the
past takes in one go what takes days elsewhere, because the code is told once and kept by nobody.
"""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from dpgov.approvals.kinds import carry_out
from dpgov.approvals.services import approve
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import every_dataset_of
from dpgov.demo import people
from dpgov.demo.life import tables
from dpgov.demo.life.answering import answer_what_waits
from dpgov.demo.life.datasets import DemoTable, category, declared, number
from dpgov.demo.people import Person, membership_of
from dpgov.joint.services import answer_for, joint_round, propose, request_to_join
from dpgov.operation import clock
from dpgov.operation.moving import move_to
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import Membership

NAME = "Infections"
# Who asks and who approves, in each of them; the first one proposes.
SIDES = (
    (people.OWNER, people.OFFICER),
    (people.STRANGER, people.STRANGER_OFFICER),
    (people.RIVER_OWNER, people.RIVER_OFFICER),
)
_TITLE = "Infections after an operation, all three hospitals"
_PLAN = {
    "statistics": [{"statistic": "count"}],
    "group_by": [{"column": "infection"}],
    "rho": "0.02",
}
_REASON = "The yearly report of the region."
_A_WHILE = timedelta(hours=3)


def _table(owner: Person) -> DemoTable:
    declaration = declared(
        NAME,
        "Invented. A line for each operation; two other hospitals declare theirs alike.",
        (
            category("infection", tables.INFECTIONS),
            number("age", "0", "110"),
            number("days", "1", "60"),
        ),
        unit=PrivacyUnit(),
        rows=1_500,
        limit_nano=4 * NANO,
    )
    schema = replace(declaration.schema, mode=Mode.ZCDP)
    return DemoTable(
        owner,
        "infections.csv",
        lambda: tables.infections(owner.tenant),
        replace(declaration, schema=schema, delta=Decimal("1e-6")),
    )


def register_infections() -> None:
    """A dataset in each of the three organisations, declared alike; safe to repeat."""
    for owner, _officer in SIDES:
        if _infections(membership_of(owner)) is None:
            _table(owner).register()


def prepare(password: str) -> None:
    """The three organisations, their people and their datasets; nothing is asked yet."""
    people.ensure_people((*people.RIVERSIDE, *(one for side in SIDES for one in side)), password)
    register_infections()


def answer_together(password: str) -> None:
    """From three datasets and a proposal to the same total in each of the three."""
    prepare(password)
    proposer = membership_of(SIDES[0][0])
    with acting_for(proposer.tenant_id):
        made = propose(
            membership=proposer,
            dataset=_known(proposer),
            title=_TITLE,
            raw_plan=_PLAN,
            parties=len(SIDES),
            colluders=1,
        )
    for owner, officer in SIDES:
        move_to(clock.now() + _A_WHILE)
        own = {"question": made.question} if owner is SIDES[0][0] else {"code": made.code}
        _take_part(membership_of(owner), membership_of(officer), **own)
    for _keys_then_shares in range(2):
        _look()
        joint_round()
    answer_what_waits()


def workers() -> tuple[str, ...]:
    """The organisations whose workers the demonstration runs: all three, once they are there."""
    there = {one.slug for one in tenants() if one.name in _names()}
    return tuple(sorted(there)) if len(there) == len(SIDES) else ()


def _names() -> set[str]:
    return {owner.tenant for owner, _officer in SIDES}


def _infections(owner: Membership) -> Dataset | None:
    with acting_for(owner.tenant_id):
        return every_dataset_of(owner.tenant_id).filter(name=NAME).first()


def _known(owner: Membership) -> Dataset:
    return every_dataset_of(owner.tenant_id).get(name=NAME)


def _take_part(owner: Membership, officer: Membership, **where: object) -> None:
    with acting_for(owner.tenant_id):
        request = request_to_join(
            membership=owner,
            dataset=_known(owner),
            reason=_REASON,
            **where,  # type: ignore[arg-type]
        )
        approve(request_id=request.pk, decider=officer, reason="Agreed.", carry_out=carry_out)


def _look() -> None:
    """As each organisation's own worker does, with its own key."""
    for owner, _officer in SIDES:
        answer_for(membership_of(owner).tenant_id)
