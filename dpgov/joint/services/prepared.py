"""A joint question, read against one party's dataset: from public metadata alone."""

from dataclasses import dataclass
from typing import Any

from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.joint.crossing import ProposalByCode
from dpgov.joint.errors import BadProposal, DeclaredOtherwise, PolicyRefuses
from dpgov.joint.models import JointQuestion, Party
from dpgov.language.said import said
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.answer.body import MAX_CELLS, check_cells
from dpgov.privacy.joint.noise import NotJoint
from dpgov.privacy.joint.total import Joint, declared, differing, joint_of
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.queries.asking.policy import QueryLimitExceeded, policy_for, refuse_outside
from dpgov.tenants.models import User

_LIVE = said("A live table takes part in no joint question: choose a dataset with a file.")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What all parties agree to: the plan without a dataset, declarations, how many, how safe."""

    plan: dict[str, Any]
    declared: dict[str, str]
    parties: int
    colluders: int

    @classmethod
    def of(cls, offered: "JointQuestion | ProposalByCode") -> "Proposal":
        """Those of a question, or of what a code offers."""
        return cls(offered.plan, offered.declared, offered.parties, offered.colluders)


def asked_of(dataset: Dataset, proposal: Proposal) -> tuple[DatasetVersion, Joint]:
    """The question of a party that would take part with this dataset.

    Raises InvalidPlan, DeclaredOtherwise, and BadProposal for a dataset without ρ.
    """
    version = current_version(dataset)
    joint = _read(version, dataset.slug, proposal.plan, proposal.parties, proposal.colluders)
    if names := differing(declared(joint.blueprint), proposal.declared):
        raise DeclaredOtherwise(names)
    return version, joint


def proposal_of(
    dataset: Dataset,
    raw_plan: dict[str, Any],
    parties: int,
    colluders: int,
    version: DatasetVersion | None = None,
) -> tuple[Joint, Proposal]:
    """The same for whoever proposes, or proposed of an earlier version.

    Raises InvalidPlan and BadProposal.
    """
    read = version or current_version(dataset)
    joint = _read(read, dataset.slug, raw_plan, parties, colluders)
    plan = joint.blueprint.plan.as_json()
    del plan["dataset"]
    return joint, Proposal(plan, declared(joint.blueprint), parties, colluders)


def refuse_outside_policy(joint: Joint, dataset: Dataset, user: User) -> None:
    """Raises PolicyRefuses where this dataset would not answer it to this person."""
    try:
        refuse_outside(joint.blueprint, dataset, policy_for(dataset, user))
    except QueryLimitExceeded as refusal:
        raise PolicyRefuses(str(refusal)) from refusal


def joint_of_party(party: Party) -> Joint:
    """What a party that takes part has to add up, as it was when it joined."""
    query, question = party.query, party.question
    plan = {name: value for name, value in query.plan.items() if name != "dataset"}
    return _read(query.version, query.plan["dataset"], plan, question.parties, question.colluders)


def _read(
    version: DatasetVersion, slug: str, plan: dict[str, Any], parties: int, colluders: int
) -> Joint:
    schema = schema_of(version)
    if schema.is_live:
        raise BadProposal(_LIVE, "dataset")
    parsed = parse_plan(plan | {"dataset": slug}, schema, dataset=slug)
    try:
        blueprint = prepare(parsed, schema)
        # Parties send every cell to each other, as text.
        check_cells(blueprint.cells, MAX_CELLS)
        return joint_of(blueprint, parties=parties, colluders=colluders)
    except NotJoint as refusal:
        raise BadProposal(refusal.args[0], refusal.field) from refusal
