"""The shapes of questions, their answers and receipts."""

from datetime import datetime
from functools import cached_property
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from dpgov.budgets.rest.shapes import MODES, Epsilon, EpsilonAtDelta, Rho
from dpgov.datasets.models import Dataset
from dpgov.operation.clock import database_now
from dpgov.operation.shapes import ApiShape
from dpgov.privacy.answer.body import ALIKE, FORMAT, MAX_CELLS
from dpgov.queries.answering.looking import expected_at, is_paused
from dpgov.queries.asking.once import Submission
from dpgov.queries.models import Query
from dpgov.queries.rest.shapes.answer import GroupSerializer, ReleasedStatisticSerializer
from dpgov.queries.rest.shapes.draws import ChoosingDrawSerializer, ReleasedDrawSerializer
from dpgov.queries.rest.shapes.plan import AskedPlanSerializer, MadeSerializer
from dpgov.queries.rest.shapes.quoting import FitSerializer
from dpgov.queries.selectors import PublicState, public_state
from dpgov.queries.wording.presentation import ordered
from dpgov.queries.wording.words import in_words


class GuaranteeSerializer(MadeSerializer):
    """Whose presence is hidden, and how well."""

    epsilon = serializers.FloatField(required=False)
    rho = serializers.FloatField(required=False, help_text="On datasets that count ρ.")
    mode = serializers.ChoiceField(choices=MODES)
    privacy_unit = serializers.ChoiceField(choices=Dataset.Unit.values)
    private_id = serializers.CharField(
        required=False, help_text="The column that names the person."
    )
    max_rows_per_unit = serializers.IntegerField()
    neighbouring = serializers.ChoiceField(choices=Dataset.Neighbouring.values)
    group_size = serializers.IntegerField()


class TableSerializer(MadeSerializer):
    """Released numbers. Cells are row-major: the first grouping changes slowest."""

    format = serializers.IntegerField(
        help_text=f"{ALIKE} of more than {MAX_CELLS} cells, which have one accuracy; else {FORMAT}."
    )
    plan = AskedPlanSerializer()
    guarantee = GuaranteeSerializer()
    groups = GroupSerializer(many=True)
    draws = ReleasedDrawSerializer(many=True)
    statistics = ReleasedStatisticSerializer(many=True)


class RoundSerializer(TableSerializer):
    """The table that a round chose and drew, as a count of its own."""

    place = serializers.IntegerField(help_text="Among the plan's `adaptive.tables`, from 0.")


class ReleaseSerializer(TableSerializer):
    """The stored answer."""

    made_from = serializers.ListField(
        child=serializers.UUIDField(),
        required=False,
        help_text="Of a free answer: the questions whose answers it is made of.",
    )
    choosing = ChoosingDrawSerializer(
        required=False,
        help_text="Of adaptive rounds: the noise of each drawn count, and how the price was split.",
    )
    rounds = RoundSerializer(
        many=True,
        required=False,
        help_text="Of adaptive rounds: each drawn table, in the order in which they were drawn. "
        "`groups`, `draws` and `statistics` beside it are empty.",
    )


class MockReleaseSerializer(ReleaseSerializer):
    """What a release would look like, over invented rows. Not an answer."""

    mock = serializers.BooleanField(help_text="Always true: nothing here is about the data.")
    rows = serializers.IntegerField(help_text="How many rows were invented.")
    message = serializers.CharField()


class ReceiptSerializer(ApiShape[Any]):
    """The audit entry of a release and its place in the signed log."""

    format = serializers.CharField()
    query = serializers.UUIDField()
    release_sha256 = serializers.CharField(help_text="Of the bytes of the release.")
    entry = serializers.CharField(
        required=False,
        help_text="The entry's canonical JSON, as it was hashed; absent while its archive is away.",
    )
    leaf_index = serializers.IntegerField(required=False)
    complete = serializers.BooleanField(help_text="Whether the proof is there yet.")
    message = serializers.CharField(required=False, help_text="When it will be, or what is away.")
    expected_at = serializers.DateTimeField(required=False)
    tree_size = serializers.IntegerField(required=False)
    audit_path = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Hashes in hex, leaf first."
    )
    checkpoint = serializers.CharField(required=False, help_text="A signed note.")
    public_keys = serializers.ListField(child=serializers.CharField(), required=False)


class LinksSerializer(ApiShape[Any]):
    """Where to go on."""

    self = serializers.URLField()
    release = serializers.URLField()
    page = serializers.URLField()


class QuerySerializer(serializers.ModelSerializer[Query]):
    """A submitted question and how far it is: nothing of workers or timing."""

    dataset = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    version = serializers.IntegerField(
        source="version.number",
        read_only=True,
        help_text="Of the dataset, as it was when the question was accepted.",
    )
    analyst = serializers.EmailField(source="analyst.email", read_only=True)
    plan = serializers.SerializerMethodField()
    in_words = serializers.SerializerMethodField()
    epsilon = Epsilon(
        "cost_nano",
        read_only=True,
        help_text="What it costs; where ρ adds up, the pure ε of one such question.",
    )
    rho = Rho("cost_nano", read_only=True, help_text="What it costs where ρ adds up; else null.")
    epsilon_at_delta = EpsilonAtDelta(
        "cost_nano",
        read_only=True,
        help_text="Where ρ adds up: the ε at `delta` that it has by itself, rounded up; else null.",
    )
    delta = serializers.FloatField(
        source="currency.delta",
        read_only=True,
        allow_null=True,
        help_text="The δ of that; null where ε adds up.",
    )
    sources = serializers.ListField(
        child=serializers.UUIDField(),
        read_only=True,
        help_text="Of a free answer: the questions whose answers it is made of.",
    )
    state = serializers.SerializerMethodField()
    due_at = serializers.SerializerMethodField()
    paused = serializers.SerializerMethodField()
    doublings = serializers.IntegerField(
        read_only=True,
        help_text="How often its duration class was doubled and paid for; it is in the price.",
    )
    links = serializers.SerializerMethodField()

    class Meta:
        model = Query
        fields = (
            "id",
            "dataset",
            "version",
            "analyst",
            "plan",
            "in_words",
            "epsilon",
            "rho",
            "epsilon_at_delta",
            "delta",
            "reuse",
            "sources",
            "state",
            "submitted_at",
            "due_at",
            "paused",
            "doublings",
            "links",
        )

    @extend_schema_field(AskedPlanSerializer)
    def get_plan(self, query: Query) -> dict[str, Any]:
        """The plan in its one JSON form."""
        plan: dict[str, Any] = ordered(query.plan)
        return plan

    def get_in_words(self, query: Query) -> str:
        """The question as a sentence."""
        return in_words(query.plan)

    @extend_schema_field(serializers.ChoiceField(choices=[state.value for state in PublicState]))
    def get_state(self, query: Query) -> str:
        """The public state."""
        return public_state(query).value

    def get_due_at(self, query: Query) -> datetime | None:
        """While it waits, the next moment at which it can end; else null.

        Null in a pause, too, and after a restore until a compliance officer confirmed the balances.
        """
        return None if query.state in Query.ENDED else expected_at(query, self._now)

    def get_paused(self, query: Query) -> bool:
        """It waits until the dataset's owners, or a parent's, resume all questions."""
        return is_paused(query)

    @cached_property
    def _now(self) -> datetime:
        """Asked once for a whole list."""
        return database_now()

    @extend_schema_field(LinksSerializer)
    def get_links(self, query: Query) -> dict[str, str]:
        """Full addresses."""
        request = self.context["request"]
        detail = reverse("query-detail", args=[query.pk], request=request)
        page = request.build_absolute_uri(f"/queries/{query.pk}/")
        return {"self": detail, "release": f"{detail}release/", "page": page}


class AcceptedBatchSerializer(ApiShape[Submission]):
    """The questions of an accepted batch, in its order."""

    queries = QuerySerializer(many=True)


class ErrorSerializer(ApiShape[Any]):
    """One refusal; `attr` says what it is about."""

    code = serializers.CharField()
    detail = serializers.CharField()
    attr = serializers.CharField(allow_null=True)


class RefusalSerializer(FitSerializer):
    """The standard error body; refusals of ε also say what would fit, and of terms which."""

    ask_at = serializers.URLField(
        required=False, help_text="Where to ask for the approval that is needed."
    )

    type = serializers.ChoiceField(choices=["client_error", "validation_error"])
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]
    terms_to_accept = serializers.IntegerField(
        required=False, help_text="The version of the dataset's terms of use to accept first."
    )
    accept_at = serializers.URLField(
        required=False, help_text='Where: POST {"version": …} to this address.'
    )
