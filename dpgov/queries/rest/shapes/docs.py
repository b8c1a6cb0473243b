"""What the API's documentation says of each door, with examples."""

from uuid import UUID

from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)

from dpgov.queries.rest.shapes.plan import PlanSerializer, WantedPlanSerializer
from dpgov.queries.rest.shapes.question import (
    AcceptedBatchSerializer,
    QuerySerializer,
    ReceiptSerializer,
    RefusalSerializer,
    ReleaseSerializer,
)
from dpgov.queries.rest.shapes.quoting import BatchQuoteSerializer, BatchSerializer, QuoteSerializer

_MEAN = OpenApiExample(
    "A mean",
    value={
        "statistics": [{"statistic": "mean", "column": "age"}],
        "where": [{"column": "education", "op": "in", "value": ["Bachelors", "Masters"]}],
        "epsilon": 0.5,
    },
    request_only=True,
)
_HISTOGRAM = OpenApiExample(
    "A histogram",
    value={
        "statistics": [{"statistic": "count"}],
        "group_by": [{"column": "age", "edges": [20, 40, 60, 80]}],
        "epsilon": 0.1,
    },
    request_only=True,
)
_QUANTILES = OpenApiExample(
    "Quartiles of some rows",
    value={
        "statistics": [{"statistic": "quantiles", "column": "age", "quantiles": [0.25, 0.5, 0.75]}],
        "where": [
            {
                "or": [
                    {"column": "sex", "op": "=", "value": "Female"},
                    {"not": {"column": "age", "op": "<", "value": 30}},
                ]
            }
        ],
        "epsilon": 0.5,
    },
    request_only=True,
)
_REGRESSION = OpenApiExample(
    "A regression",
    value={
        "statistics": [
            {
                "statistic": "regression",
                "column": "hours_per_week",
                "predictors": ["age", "education"],
            }
        ],
        "epsilon": 1,
    },
    request_only=True,
)
_WANTED = OpenApiExample(
    "As exact as needed",
    value={
        "statistics": [{"statistic": "count"}],
        "accuracy": {"value": 50, "confidence_level": 0.95},
    },
    request_only=True,
)
_BATCH = OpenApiExample(
    "Two questions, one of them with a locked share",
    value={
        "epsilon": 1,
        "plans": [
            {"statistics": [{"statistic": "count"}], "share": 0.2},
            {"statistics": [{"statistic": "mean", "column": "age"}]},
        ],
    },
    request_only=True,
)
_TABLES = OpenApiExample(
    "Every pair of three columns",
    value={
        "epsilon": 1,
        "columns": [
            {"column": "sex"},
            {"column": "education"},
            {"column": "age", "edges": [20, 40, 60, 80]},
        ],
        "tables": 2,
    },
    request_only=True,
)
_OVER_BUDGET = OpenApiExample(
    "Over budget",
    value={
        "type": "client_error",
        "errors": [
            {
                "code": "insufficient_budget",
                "detail": ("This needs ε 0.5, but only ε 0.3 remains of the dataset's budget."),
                "attr": None,
            }
        ],
        "largest_fit_epsilon": 0.3,
    },
    response_only=True,
)
_NOT_READY = OpenApiExample(
    "Still waiting",
    value={
        "type": "client_error",
        "errors": [
            {
                "code": "not_ready",
                "detail": "The answer is not ready yet. Try again in a second.",
                "attr": None,
            }
        ],
    },
    response_only=True,
)
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    required=True,
    description=(
        "1 to 200 visible ASCII characters, new for each question. Sending the same body again "
        "with the same key returns the same question and costs nothing more."
    ),
)
GUESS = OpenApiParameter(
    "assumed_rows",
    int,
    description="Your own guess of how many rows match, to estimate the error of means.",
)

WAIT = OpenApiParameter(
    "wait", int, description="For how many seconds to wait for the end, at most."
)
CHARGED = OpenApiParameter(
    "allocation",
    UUID,
    description=(
        "The id of the allocation to charge, as the dataset's budget lists them. Left out: your "
        "own, or that of your only project."
    ),
)

APPROVED = OpenApiParameter(
    "approval",
    UUID,
    description=(
        "The id of the approval that this question needs: an owner approved just this plan at "
        "this price for you. It is used up when the question is accepted."
    ),
)

quote = extend_schema(
    tags=["queries"],
    operation_id="quote_question",
    summary="Price a question",
    description=(
        "Cost, expected error, what would remain, and every limit that it touches, the tightest "
        "first. Nothing is spent or stored. With an `accuracy` in place of ε the smallest price "
        "that is exact enough is found, and returned in `plan`, which can be submitted as it is."
    ),
    request=WantedPlanSerializer,
    parameters=[GUESS, CHARGED],
    responses={200: QuoteSerializer},
    examples=[_MEAN, _HISTOGRAM, _QUANTILES, _REGRESSION, _WANTED],
)
submit = extend_schema(
    tags=["queries"],
    operation_id="submit_question",
    summary="Ask a question",
    description=(
        "Reserves its ε and returns 202 with the address of the question; follow it until its "
        "state is no longer `waiting`, then read its release. Refusals: 400 for a plan that "
        "cannot be asked (`attr` is the path in the plan), 409 `insufficient_budget` with "
        "`largest_fit_epsilon`, 409 `budget_frozen` while an officer has to confirm the balance, "
        "409 `allocation_needed` where you have none or have to name one of several, 409 "
        "`needs_approval` with `ask_at`, the address that takes a request for the approval, 409 "
        "`terms_not_accepted` with `terms_to_accept` and `accept_at`, 409 `idempotency_conflict`."
    ),
    request=PlanSerializer,
    parameters=[
        KEY,
        CHARGED,
        APPROVED,
        OpenApiParameter(
            "Location",
            str,
            OpenApiParameter.HEADER,
            response=[202],
            description="The question's own address.",
        ),
    ],
    responses={
        202: OpenApiResponse(QuerySerializer, description="Accepted, now or before."),
        409: OpenApiResponse(RefusalSerializer, examples=[_OVER_BUDGET]),
    },
    examples=[_MEAN, _HISTOGRAM, _QUANTILES],
)
quote_batch = extend_schema(
    tags=["queries"],
    operation_id="quote_batch",
    summary="Price several questions together",
    description=(
        "One amount for all; shares that are not locked are chosen so that the squared "
        "relative errors of all statistics together are least. Nothing is spent or stored. In "
        "place of `plans` a set of tables can be asked: `tables` then says how they are drawn, and "
        "which error each will have."
    ),
    request=BatchSerializer,
    parameters=[GUESS, CHARGED],
    responses={200: BatchQuoteSerializer},
    examples=[_BATCH, _TABLES],
)
submit_batch = extend_schema(
    tags=["queries"],
    operation_id="submit_batch",
    summary="Ask several questions together",
    description=(
        "Reserves the price of every question, or of none. Each becomes a question of its own, "
        "kept under the key of the batch and its place in it. Refusals are those of a single "
        "question; paths begin with the place of the plan, like `plans.1.where.0`."
    ),
    request=BatchSerializer,
    parameters=[KEY, CHARGED],
    responses={
        202: OpenApiResponse(AcceptedBatchSerializer, description="Accepted, now or before."),
        409: OpenApiResponse(RefusalSerializer),
    },
    examples=[_BATCH, _TABLES],
)
list_queries = extend_schema(
    tags=["queries"],
    operation_id="list_questions",
    summary="List questions",
    description="An analyst's own; owners and compliance officers see everybody's.",
)
read_query = extend_schema(
    tags=["queries"],
    operation_id="read_question",
    summary="Follow a question",
    description=(
        "States: waiting, released, failed (charged), voided and expired (not charged). While it "
        "waits, `due_at` is the next moment at which it can end, null while it is `paused` and, "
        "after a restore, until a compliance officer has confirmed the balances, and "
        "`Retry-After` says when to ask again. With `wait` the request stays open until "
        "it has ended, for 20 seconds at most; where too many wait already, it is answered at once."
    ),
    parameters=[WAIT],
    responses={200: QuerySerializer},
)
read_receipt = extend_schema(
    tags=["queries"],
    operation_id="read_receipt",
    summary="Read the receipt of an answer",
    description=(
        "The audit entry of the release, byte for byte as it was hashed, and its path to a signed "
        "checkpoint of the log. `complete` is false until the next checkpoint is signed, and "
        "`message` says when. `python -m dpgov.audit.verify --receipt` checks it. 409 `not_ready` "
        "while the question waits; 404 `no_release` if it ended without an answer."
    ),
    responses={
        200: ReceiptSerializer,
        409: OpenApiResponse(RefusalSerializer, examples=[_NOT_READY]),
    },
)
read_release = extend_schema(
    tags=["queries"],
    operation_id="read_release",
    summary="Read the released answer",
    description=(
        "Always the same stored bytes. 409 `not_ready` while the question waits; 404 "
        "`no_release` if it ended without an answer."
    ),
    responses={
        200: ReleaseSerializer,
        409: OpenApiResponse(RefusalSerializer, examples=[_NOT_READY]),
    },
)
