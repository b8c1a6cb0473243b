"""The REST doors of questions: quote, submit, one or several; follow, read the answer.

Each translates, calls one service and translates back. Everything is limited to the token's
tenant; what is foreign looks missing.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django_filters.rest_framework import (
    CharFilter,
    ChoiceFilter,
    DjangoFilterBackend,
    FilterSet,
)
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from dpgov.datasets.lineage import read_parents
from dpgov.datasets.selectors import version_or_404
from dpgov.operation.moments import MomentFilter
from dpgov.operation.paging import ByPosition
from dpgov.privacy.answer.body import read_body
from dpgov.queries.answering.looking import look_at, pause_before_next_look, wait_for_end
from dpgov.queries.asking.quote import Quote, quote, quote_batch
from dpgov.queries.asking.submit import submit, submit_approved, submit_batch
from dpgov.queries.models import Query, Release
from dpgov.queries.rest.shapes import docs
from dpgov.queries.rest.shapes.again import dataset_to_ask, key_of
from dpgov.queries.rest.shapes.arranging import ArrangedSerializer, arranged, read_groups
from dpgov.queries.rest.shapes.errors import (
    RefusingView,
    no_release,
    not_ready,
    refusals,
    where_to_ask,
)
from dpgov.queries.rest.shapes.question import (
    AcceptedBatchSerializer,
    QuerySerializer,
    ReceiptSerializer,
)
from dpgov.queries.rest.shapes.quoting import (
    BatchQuoteSerializer,
    QuoteSerializer,
    allocation_of,
    approval_of,
    assumed_rows_of,
)
from dpgov.queries.selectors import (
    PublicState,
    receipt_of,
    visible_queries,
    visible_release,
    with_public_state,
)
from dpgov.queries.wording.presentation import ending_of
from dpgov.tenants.permissions import Permission, membership_of


class QuoteView(RefusingView):
    """Price a question without asking it."""

    permission = Permission.SUBMIT_QUERIES

    @docs.quote
    def post(self, request: Request, slug: str) -> Response:
        return Response(QuoteSerializer(_priced(request, slug, "raw_plan", quote)).data)


class BatchQuoteView(RefusingView):
    """Price several questions together without asking them."""

    permission = Permission.SUBMIT_QUERIES

    @docs.quote_batch
    def post(self, request: Request, slug: str) -> Response:
        return Response(BatchQuoteSerializer(_priced(request, slug, "raw_batch", quote_batch)).data)


def _priced(request: Request, slug: str, body: str, price: Callable[..., Quote]) -> Quote:
    version, guess = version_or_404(request, slug), assumed_rows_of(request)
    asked = {body: request.data, "allocation_id": allocation_of(request), "version": version}
    user = membership_of(request).user
    with refusals():
        return price(user=user, dataset=version.dataset, assumed_rows=guess, **asked)


class SubmitView(RefusingView):
    """Ask a question, once per idempotency key."""

    permission = Permission.SUBMIT_QUERIES

    @docs.submit
    def post(self, request: Request, slug: str) -> Response:
        asked, membership = _asked(request, slug, "raw_plan"), membership_of(request)
        known = {"membership": membership, "idempotency_key": key_of(request), **asked}
        approval = approval_of(request)
        with refusals(
            lambda: quote(user=membership.user, **asked),
            where_to_ask(request, slug),
            asked=request.data,
        ):
            accepted = (
                submit(**known)
                if approval is None
                else submit_approved(**known, approval_id=approval, is_typed=True)
            )
        query = accepted.query
        location = reverse("query-detail", args=[query.pk], request=request)
        body = QuerySerializer(query, context={"request": request}).data
        return Response(body, status=202, headers={"Location": location})


class BatchSubmitView(RefusingView):
    """Ask several questions: all of them or none, once per idempotency key."""

    permission = Permission.SUBMIT_QUERIES

    @docs.submit_batch
    def post(self, request: Request, slug: str) -> Response:
        asked = _asked(request, slug, "raw_batch", first=" 0")
        membership, key = membership_of(request), key_of(request)
        with refusals(lambda: quote_batch(user=membership.user, **asked), asked=request.data):
            accepted = submit_batch(membership=membership, idempotency_key=key, **asked)
        return Response(AcceptedBatchSerializer(accepted, context={"request": request}).data, 202)


def _asked(request: Request, slug: str, body: str, first: str = "") -> dict[str, Any]:
    """What a body asks, of which dataset, and what is to be charged."""
    dataset = dataset_to_ask(request, slug, first=first)
    return {"dataset": dataset, body: request.data, "allocation_id": allocation_of(request)}


class NewestFirst(ByPosition):
    """Pages by moment: as fast at the end of a long history as at its beginning."""

    ordering = ("-submitted_at", "-id")
    page_size = 50


class QueryFilter(FilterSet):  # type: ignore[misc]
    """By dataset, public state and time of submission."""

    dataset = CharFilter(field_name="dataset__slug", label="Slug of the dataset")
    state = ChoiceFilter(
        method="in_state", choices=[(s.value, s.value) for s in PublicState], label="Public state"
    )
    submitted_after = MomentFilter(field_name="submitted_at", lookup_expr="gte")
    submitted_before = MomentFilter(field_name="submitted_at", lookup_expr="lt")

    class Meta:
        model = Query
        fields: tuple[str, ...] = ()

    def in_state(self, queries: QuerySet[Query], name: str, value: Any) -> QuerySet[Query]:
        """As `selectors.public_state` says it: waiting until the answer's slot has come."""
        return with_public_state(queries, PublicState(value))


class QueryListView(ListAPIView[Query]):
    """Questions, newest first."""

    pagination_class = NewestFirst

    permission = Permission.VIEW_DATASETS
    serializer_class = QuerySerializer
    filter_backends = (DjangoFilterBackend,)
    filterset_class = QueryFilter
    queryset = Query.objects.none()

    @docs.list_queries
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Query]:
        if getattr(self, "swagger_fake_view", False):
            return Query.objects.none()
        return visible_queries(membership_of(self.request))

    def paginate_queryset(self, queryset: Any) -> Any:
        """Of those that wait it is said whether a parent of their dataset is paused."""
        page = super().paginate_queryset(queryset)
        read_parents(one.dataset for one in page or () if one.state not in Query.ENDED)
        return page


class QueryView(APIView):
    """One question."""

    permission = Permission.VIEW_DATASETS

    @docs.read_query
    def get(self, request: Request, query_id: UUID) -> Response:
        asked = _query(request, query_id)
        query = wait_for_end(membership_of(request), asked, _wait_of(request))
        if query is not asked:
            # Whoever was removed while they waited, or their token ended, is told nothing.
            who: Any = request.successful_authenticator
            who.look_again(request)
            self.check_permissions(request)
            query = _query(request, query_id)
        body = QuerySerializer(query, context={"request": request}).data
        return Response(body, headers=_come_back(query))


class ReleaseView(RefusingView):
    """The released answer of one question."""

    permission = Permission.VIEW_DATASETS

    @docs.read_release
    def get(self, request: Request, query_id: UUID) -> HttpResponse:
        release = _release(_query(request, query_id))
        return HttpResponse(release.body.encode(), content_type="application/json")


class GroupsView(RefusingView):
    """The released answer of one question, arranged."""

    permission = Permission.VIEW_DATASETS

    @read_groups
    def get(self, request: Request, query_id: UUID) -> Response:
        body = read_body(_release(_query(request, query_id)).body)
        return Response(ArrangedSerializer(arranged(body, request.query_params)).data)


class ReceiptView(RefusingView):
    """The proof that a released answer stands in the audit log."""

    permission = Permission.VIEW_DATASETS

    @docs.read_receipt
    def get(self, request: Request, query_id: UUID) -> Response:
        query = _query(request, query_id)
        return Response(ReceiptSerializer(receipt_of(query, _release(query))).data)


def _release(query: Query) -> Release:
    if message := ending_of(query):
        raise no_release(message)
    release = visible_release(query)
    if release is None:
        raise not_ready()
    return release


def _query(request: Request, query_id: UUID) -> Query:
    try:
        return look_at(membership_of(request), query_id)
    except Query.DoesNotExist as missing:
        raise NotFound from missing


def _wait_of(request: Request) -> timedelta:
    """How long the client would wait for the end; raises ValidationError."""
    text = request.query_params.get("wait", "0")
    if text.isascii() and text.isdigit() and len(text) < 4:
        return timedelta(seconds=int(text))
    raise ValidationError({"wait": ["Give whole seconds, from 0 to 999; at most 20 are waited."]})


def _come_back(query: Query) -> dict[str, str]:
    """When to ask again, in whole seconds, while there is no end."""
    if query.state in Query.ENDED:
        return {}
    return {"Retry-After": str(-(-pause_before_next_look(query) // timedelta(seconds=1)))}
