"""Refusals of questions as the API's standard error bodies, each with its code.

| what | status | code |
|---|---|---|
| a plan that cannot be asked | 400 | invalid_plan, one error for each problem, `attr` is its path |
| more ε than one question may cost | 400 | query_limit_exceeded at its `epsilon` or `rho` |
| outside the policy of the dataset's owner | 409 | outside_policy |
| above what may be asked without a permit or an approval | 409 | needs_approval |
| an approval that is not there, or not yours | 409 | no_approval |
| one that no owner has given | 409 | not_approved |
| one that was used | 409 | approval_used |
| one of another plan | 409 | another_plan |
| one that has ended | 409 | approval_ended |
| a request for an approval that is not needed | 409 | no_approval_needed |
| a request that waits already | 409 | already_asked |
| only ready-made questions may be asked | 409 | only_ready_made |
| a ready-made question was asked as often as it may be | 409 | quota_used_up |
| a ready-made question that is not there (any more) | 404 | not_found |
| no usable idempotency key | 400 | invalid_idempotency_key at `Idempotency-Key` |
| the key was used for another question | 409 | idempotency_conflict |
| more ε than remains of any limit it touches | 409 | insufficient_budget |
| a frozen dataset, or an allocation that has ended | 409 | budget_frozen |
| which budgets the dataset shares changed in this moment | 409 | budgets_changed |
| a dataset whose owners paused all questions | 409 | paused |
| a dataset for named people that one governs without being named | 409 | not_named |
| the dataset's terms of use are not accepted | 409 | terms_not_accepted, with `terms_to_accept` |
| a dataset that was closed to questions in this moment | 409 | not_open |
| no allocation, or several to choose from | 409 | allocation_needed |
| stored answers do not tell it for free | 409 | nothing_free |
| the answer is not there yet | 409 | not_ready, with Retry-After |
| there will be no answer | 404 | no_release |

The refusals of an amount also carry `largest_fit_epsilon` and `largest_fit_rho`, the most that
would be accepted now; that of a missing approval says where to ask for it, as `ask_at`.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress

from django.urls import reverse as django_reverse
from rest_framework.exceptions import APIException, ErrorDetail, NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from dpgov.budgets.allocated import AllocationNeeded, ChooseAllocation
from dpgov.budgets.errors import BudgetsMoved, InsufficientBudget, NotAdmitted
from dpgov.operation.conflicts import Conflict
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.gate import NotOpen, TermsNotAccepted
from dpgov.queries.asking.once import IdempotencyConflict, InvalidKey
from dpgov.queries.asking.policy import NeedsApproval, OutsidePolicy, QueryLimitExceeded
from dpgov.queries.asking.quote import Quote
from dpgov.queries.rest.shapes.quoting import FitSerializer


class RefusingView(APIView):
    """Adds to a refusal what a client needs to do better."""

    def handle_exception(self, exc: Exception) -> Response:
        """The standard error body, with `largest_fit_…` or terms where the refusal knows them."""
        response = super().handle_exception(exc)
        told = dict(getattr(exc, "told", {}))
        if "accept_at" in told:
            told["accept_at"] = self.request.build_absolute_uri(told["accept_at"])
        response.data.update(told)
        response.data.update(getattr(exc, "ask_at", {}))
        return response


@contextmanager
def refusals(
    priced: Callable[[], Quote] | None = None,
    ask_at: str | None = None,
    inside: str = "",
    asked: object = None,
) -> Generator[None]:
    """Translate what quote and submit raise into API errors.

    `priced` finds the most that would be accepted now, where an amount was refused; `ask_at` is
    where an approval can be asked for; `inside` is where in the body the plan is, and `asked` the
    plan or batch itself, which names its price.
    """
    try:
        yield
    except InvalidPlan as problem:
        raise invalid_plan(problem, inside) from problem
    except InvalidKey as problem:
        detail = ErrorDetail(str(problem), "invalid_idempotency_key")
        raise ValidationError({"Idempotency-Key": [detail]}) from problem
    except IdempotencyConflict as problem:
        raise Conflict(str(problem), "idempotency_conflict") from problem
    except OutsidePolicy as problem:
        raise _outside(problem, priced, ask_at) from problem
    except QueryLimitExceeded as problem:
        detail = ErrorDetail(str(problem), "query_limit_exceeded")
        refused = ValidationError({_within(inside, _price_named_in(asked)): [detail]})
        raise _with_fit(refused, priced) from problem
    except InsufficientBudget as problem:
        conflict = Conflict(str(problem), "insufficient_budget")
        raise _with_fit(conflict, priced) from problem
    except NotOpen as problem:
        raise _with_terms(Conflict(str(problem), problem.code), problem) from problem
    except NotAdmitted as problem:
        code = "budgets_changed" if isinstance(problem, BudgetsMoved) else "budget_frozen"
        raise Conflict(str(problem), code) from problem
    except (AllocationNeeded, ChooseAllocation) as problem:
        raise Conflict(str(problem), "allocation_needed") from problem


def where_to_ask(request: Request, slug: str) -> str:
    """The address that takes requests for approvals of a dataset's questions."""
    return str(reverse("approval-list", args=[slug], request=request))


def invalid_plan(problem: InvalidPlan, inside: str = "") -> ValidationError:
    """Every problem of the plan at its path, where the plan is at `inside` of the body."""
    errors: dict[str, list[ErrorDetail]] = {}
    for each in problem.problems:
        path = _within(inside, each.path)
        errors.setdefault(path, []).append(ErrorDetail(each.message, "invalid_plan"))
    return ValidationError(errors)


def _price_named_in(asked: object) -> str:
    named_rho = isinstance(asked, Mapping) and asked.get("rho") is not None
    return "rho" if named_rho else "epsilon"


def _within(inside: str, path: str) -> str:
    return ".".join(filter(None, (inside, path)))


def not_ready() -> Conflict:
    """The question still waits; come back in a second."""
    refusal = Conflict("The answer is not ready yet. Try again in a second.", "not_ready")
    refusal.wait = 1
    return refusal


def no_release(message: str) -> NotFound:
    """The question ended without an answer."""
    return NotFound(message, "no_release")


def _outside(
    problem: OutsidePolicy, priced: Callable[[], Quote] | None, ask_at: str | None
) -> APIException:
    refusal = _with_fit(Conflict(str(problem), problem.code), priced)
    if ask_at and isinstance(problem, NeedsApproval):
        refusal.ask_at = {"ask_at": ask_at}  # type: ignore[attr-defined]
    return refusal


def _with_fit(refusal: APIException, priced: Callable[[], Quote] | None) -> APIException:
    # What an approval refuses was not read: such a plan may have no price.
    with suppress(InvalidPlan):
        if priced is not None:
            refusal.told = FitSerializer(priced()).data  # type: ignore[attr-defined]
    return refusal


def _with_terms(refusal: Conflict, problem: NotOpen) -> Conflict:
    """Which version of terms of use has to be accepted, and where, if that is what it lacks."""
    if isinstance(problem, TermsNotAccepted):
        address = django_reverse("v1:dataset-terms-accept", args=[problem.dataset.slug])
        refusal.told = {"terms_to_accept": problem.terms.number, "accept_at": address}
    return refusal
