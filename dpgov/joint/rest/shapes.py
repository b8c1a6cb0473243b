"""What the API says of joint questions, what it takes, and how it refuses."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import APIException, ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.reverse import reverse

from dpgov.approvals.errors import ApprovalRefusal
from dpgov.approvals.models import ChangeRequest
from dpgov.datasets.models import Dataset
from dpgov.joint import wording
from dpgov.joint.errors import BadProposal, JointRefusal, TooManyCodesTried
from dpgov.joint.models import JointQuestion
from dpgov.joint.selectors import candidates_of, datasets_that_count_rho, party_of
from dpgov.joint.services.prepared import Proposal
from dpgov.joint.services.proposing import LONGEST_TITLE, proposed_before
from dpgov.operation.bodies import NothingElse
from dpgov.operation.conflicts import Conflict
from dpgov.privacy.joint.noise import MOST_PARTIES
from dpgov.queries.rest.shapes.errors import refusals
from dpgov.queries.rest.shapes.plan import SentPlan
from dpgov.tenants.codes import TRIES_SECONDS
from dpgov.tenants.permissions import membership_of

_LONGEST_REASON, _LONGEST_CODE = 500, 60
_COLLUDERS = "So many of them may collude."


class ProposalSerializer(NothingElse):
    """A question for several organisations, as it would be asked of a dataset of your own."""

    dataset = serializers.SlugField(help_text="One of yours that counts ρ.")
    title = serializers.CharField(max_length=LONGEST_TITLE)
    plan = SentPlan(
        help_text="A count or a sum, over all rows or in the groups of one column, and its `rho`."
    )
    parties = serializers.IntegerField(min_value=0, max_value=MOST_PARTIES)
    colluders = serializers.IntegerField(min_value=0, max_value=MOST_PARTIES, help_text=_COLLUDERS)


class CodeSerializer(NothingElse):
    """A code that another organisation gave you."""

    code = serializers.CharField(max_length=_LONGEST_CODE)


class JoinSerializer(NothingElse):
    """With which dataset, and why; an officer reads it."""

    dataset = serializers.SlugField()
    reason = serializers.CharField(max_length=_LONGEST_REASON)


class JoinByCodeSerializer(JoinSerializer, CodeSerializer):
    """The same in another organisation's proposal."""


class PartySerializer(serializers.Serializer[wording.ShownParty]):
    """An organisation in it, as all of them see it."""

    name = serializers.CharField()
    key_fingerprint = serializers.CharField(
        source="fingerprint", help_text="Of its public key; empty until its worker has looked."
    )
    takes_part = serializers.BooleanField(source="there")
    sent_nothing = serializers.BooleanField(
        source="missing", help_text="True for who let it fail; false before that is certain."
    )


class JointLinksSerializer(serializers.Serializer[Any]):
    """Where your organisation's own question in it is, with its answer and its receipt."""

    query = serializers.URLField()
    release = serializers.URLField()
    receipt = serializers.URLField()


class JointQuestionSerializer(serializers.Serializer[JointQuestion]):
    """A joint question, as it stands for your organisation."""

    id = serializers.UUIDField(source="pk")
    title = serializers.CharField()
    plan = serializers.JSONField(help_text="A plan without a dataset.")
    parties = serializers.IntegerField()
    colluders = serializers.IntegerField(help_text=_COLLUDERS)
    state = serializers.ChoiceField(choices=wording.STATES, source="view.state")
    in_words = serializers.CharField(source="view.sentence", help_text="The state as a sentence.")
    who = PartySerializer(many=True, source="view.sides")
    until = serializers.DateTimeField(
        source="view.until", allow_null=True, help_text="When it ends if someone is missing."
    )
    query = serializers.UUIDField(
        allow_null=True, help_text="Your own question, whose answer and receipt it has."
    )
    links = JointLinksSerializer(
        allow_null=True, help_text="Null until your organisation takes part."
    )


class ProposedSerializer(serializers.Serializer[Any]):
    """A new one, with its code; `Location` is where it stands."""

    id = serializers.UUIDField(source="question.pk")
    title = serializers.CharField(source="question.title")
    until = serializers.DateTimeField(
        source="question.expires_at", help_text="When it ends if someone is missing."
    )
    code = serializers.CharField(
        help_text="For the other organisations. Shown once: empty when the same is sent again."
    )


class DatasetFitSerializer(serializers.Serializer[Any]):
    """Whether a dataset of yours could take part as it is declared now."""

    dataset = serializers.SlugField(source="dataset.slug")
    fits = serializers.BooleanField()
    refusal = serializers.CharField(help_text="Why it could not; empty where it could.")


class OfferSerializer(serializers.Serializer[Any]):
    """What a code offers. Nothing is charged by looking."""

    id = serializers.UUIDField()
    title = serializers.CharField()
    proposed_by = serializers.CharField(source="proposer")
    plan = serializers.JSONField(help_text="A plan without a dataset.")
    parties = serializers.IntegerField()
    colluders = serializers.IntegerField(help_text=_COLLUDERS)
    until = serializers.DateTimeField(source="expires_at")
    datasets = DatasetFitSerializer(many=True, help_text="Yours that count ρ.")


class RequestedSerializer(serializers.Serializer[ChangeRequest]):
    """The request that an officer decides. The price is reserved with their approval."""

    id = serializers.UUIDField(source="pk")
    joint_question = serializers.SerializerMethodField()
    dataset = serializers.SlugField()
    state = serializers.SerializerMethodField()

    @extend_schema_field(serializers.UUIDField())
    def get_joint_question(self, request: ChangeRequest) -> str:
        """It can be read under this id once your organisation takes part."""
        return str(request.payload["question"])

    def get_state(self, request: ChangeRequest) -> str:
        """`waiting` until an officer decides."""
        return str(request.state).lower()


def told(request: Request, question: JointQuestion) -> dict[str, Any]:
    """What `JointQuestionSerializer` reads, as the caller's organisation sees it."""
    party = party_of(membership_of(request), question)
    names = ("query-detail", "query-release", "query-receipt")
    links = None
    if party is not None:
        found = [reverse(name, args=[party.query_id], request=request) for name in names]
        links = dict(zip(("query", "release", "receipt"), found, strict=True))
    return {
        "pk": question.pk,
        "title": question.title,
        "plan": question.plan,
        "parties": question.parties,
        "colluders": question.colluders,
        "view": wording.view_of(question, party),
        "query": None if party is None else party.query_id,
        "links": links,
    }


def offered(request: Request, offer: Any) -> dict[str, Any]:
    """What `OfferSerializer` reads."""
    names = ("id", "title", "proposer", "plan", "parties", "colluders", "expires_at")
    found = candidates_of(membership_of(request), Proposal.of(offer))
    return {name: getattr(offer, name) for name in names} | {"datasets": found}


def own_dataset(request: Request, slug: str) -> Dataset:
    """One that could take part in some joint question; a foreign one looks missing."""
    found = datasets_that_count_rho(membership_of(request)).filter(slug=slug).first()
    if found is None:
        raise ValidationError({"dataset": ["No dataset of yours that counts ρ is called this."]})
    return found


def dataset_to_propose(request: Request, slug: str) -> Dataset:
    """The same; where it is not there any more, the one that was, for a key that was used."""
    membership, key = membership_of(request), request.headers.get("Idempotency-Key", "")
    try:
        return own_dataset(request, slug)
    except ValidationError:
        known = Dataset.objects.filter(tenant=membership.tenant_id, slug=slug)
        gone = known.order_by("-created_at").first()
        if gone is None or proposed_before(membership, key) is None:
            raise
        return gone


class _TooMany(APIException):
    status_code = 429
    default_code = TooManyCodesTried.code
    # The hour began with the first try: nobody waits longer than that.
    wait = TRIES_SECONDS


@contextmanager
def joint_refusals(inside: str = "") -> Generator[None]:
    """Refusals as the standard error body: 400 for what was sent, 409 for what stands against it.

    `inside` is where the plan is in the body.
    """
    try:
        with refusals(inside=inside):
            yield
    except BadProposal as problem:
        field = problem.field or inside or "dataset"
        raise ValidationError({field: [ErrorDetail(str(problem), problem.code)]}) from problem
    except TooManyCodesTried as problem:
        raise _TooMany(str(problem)) from problem
    except JointRefusal as problem:
        raise Conflict(str(problem), problem.code) from problem
    except ApprovalRefusal as problem:
        raise Conflict(str(problem), problem.code) from problem
