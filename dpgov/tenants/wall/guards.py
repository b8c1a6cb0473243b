"""Guards: what the database asks of a row before it changes, whoever changes it.

Triggers on both databases, about the few columns by which a budget, a decision or the link from a
dataset to its budget could be bent with plain SQL. A guard asks what the pages ask: an approved
request of the right kind, with the same amounts, of the same tenant, by two different members.
Named by tables, because this room knows no model above it; made after every migration.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


class Json(Protocol):
    """How one database reads the payload of a request."""

    def identity(self, key: str) -> str:
        """An id in the payload of `r`, as the columns of ids have it."""

    def number(self, key: str) -> str:
        """A whole number in the payload of `r`."""

    def lists(self, key: str, identity: str) -> str:
        """Whether a list of ids in the payload of `r` holds this id."""

    def names_request(self) -> str:
        """Whether the detail of the entry `a` names the request `r`."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Before `event` on `table`, when `changed` holds, `allowed` has to hold, else `message`.

    `changed` looks at OLD and NEW alone; it is asked of every row, `allowed` of those few.
    """

    name: str
    table: str
    event: str
    changed: str
    allowed: str
    message: str


_BUDGET, _MEMBER = "budgets_budget", "budgets_populationmember"
_REQUEST, _DATASET = "approvals_changerequest", "datasets_dataset"
_VERSION, _LOOK = "datasets_datasetversion", "datasets_look"
_HOLD_KINDS = ("release_held_dataset", "share_held_dataset_budget", "discard_held_dataset")
_NEVER = "1 = 0"


def guards(json: Json) -> Iterator[Guard]:
    """All of them."""
    yield from _of_budgets(json)
    yield from _of_members_and_parts(json)
    yield from _of_requests()
    yield from _of_datasets(json)
    yield from _of_holds(json)
    yield from _of_questions()
    charged = (
        "EXISTS (SELECT 1 FROM budgets_charge c WHERE c.query_id = NEW.query_id"
        " AND c.budget_id = NEW.budget_id AND c.tenant_id = NEW.tenant_id"
        " AND c.amount_nano = -NEW.amount_nano)"
    )
    yield Guard(
        "guard_refund",
        "budgets_correction",
        "INSERT",
        "NEW.kind = 'refund'",
        f"{_agreed('refund', json.identity('query') + ' = NEW.query_id')} AND {charged}",
        "a charge is given back as two persons approved, and as it was charged",
    )


def _of_budgets(json: Json) -> Iterator[Guard]:
    yield Guard(
        "guard_budget_new",
        _BUDGET,
        "INSERT",
        "NEW.spent_nano <> 0 OR NEW.reserved_nano <> 0",
        _NEVER,
        "a new budget has nothing spent or reserved",
    )
    follows = (
        "NEW.kind = 'partition' AND EXISTS (SELECT 1 FROM budgets_partitionline p"
        " JOIN budgets_budget d ON d.id = p.dataset_budget_id"
        " WHERE p.budget_id = NEW.id AND d.limit_nano >= NEW.limit_nano)"
    )
    raised = (
        f"{json.identity('budget')} = NEW.id"
        f" AND {json.number('before_nano')} = OLD.limit_nano"
        f" AND {json.number('after_nano')} = NEW.limit_nano"
        " AND NOT EXISTS (SELECT 1 FROM budgets_limitchange c WHERE c.budget_id = NEW.id"
        " AND c.before_nano = OLD.limit_nano AND c.after_nano = NEW.limit_nano"
        " AND c.created_at >= r.decided_at)"
    )
    merged = (
        f"{json.identity('into')} = NEW.id AND EXISTS (SELECT 1 FROM budgets_budget o"
        f" WHERE o.id = {json.identity('other')} AND o.closed_at IS NULL"
        " AND NEW.limit_nano <= OLD.spent_nano + OLD.reserved_nano + o.spent_nano"
        " + o.reserved_nano)"
    )
    yield Guard(
        "guard_limit",
        _BUDGET,
        "UPDATE",
        "NEW.limit_nano > OLD.limit_nano AND NEW.kind <> 'allocation'",
        f"({follows}) OR {_agreed('raise_limit', raised)}"
        f" OR {_agreed('merge_populations', merged)}",
        "a limit is raised as two persons approved, once",
    )
    yield Guard(
        "guard_target",
        _BUDGET,
        "UPDATE",
        "NEW.target_nano > OLD.target_nano AND NEW.limit_nano <= OLD.limit_nano"
        " AND NEW.kind <> 'allocation'",
        _NEVER,
        "what a limit keeps is raised with the limit alone",
    )
    yield Guard(
        "guard_closed",
        _BUDGET,
        "UPDATE",
        "OLD.closed_at IS NOT NULL AND NEW.closed_at IS NULL AND NEW.kind <> 'allocation'",
        _NEVER,
        "a budget that was closed stays closed",
    )


def _of_members_and_parts(json: Json) -> Iterator[Guard]:
    once = (
        f" AND NOT EXISTS (SELECT 1 FROM {_MEMBER} b WHERE b.population_id = OLD.population_id"
        " AND b.dataset_budget_id = OLD.dataset_budget_id AND b.left_at >= r.decided_at)"
    )
    merged = f"{json.identity('other')} = OLD.population_id{once}"
    left = (
        f"{json.identity('population')} = OLD.population_id"
        f" AND {json.lists('leaving', 'OLD.dataset_budget_id')}{once}"
    )
    yield Guard(
        "guard_leaving",
        _MEMBER,
        "UPDATE",
        "OLD.left_at IS NULL AND NEW.left_at IS NOT NULL",
        " OR ".join(
            [
                _agreed("merge_populations", merged),
                _agreed("split_population", left),
                _agreed("leave_population", left),
            ]
        ),
        "a dataset leaves a shared budget as two persons approved",
    )
    yield Guard(
        "guard_part",
        "budgets_partitionline",
        "INSERT",
        "NEW.budget_id <> NEW.dataset_budget_id",
        "EXISTS (SELECT 1 FROM budgets_budget b JOIN budgets_budget d"
        " ON d.id = NEW.dataset_budget_id AND d.tenant_id = b.tenant_id"
        " WHERE b.id = NEW.budget_id AND b.kind = 'partition' AND d.kind = 'dataset'"
        " AND b.limit_nano <= d.limit_nano"
        " AND (d.spent_nano + d.reserved_nano = 0 OR EXISTS (SELECT 1"
        " FROM budgets_partitionline p WHERE p.dataset_budget_id = d.id)))",
        "a budget that was charged as a whole is not divided any more",
    )


def _of_requests() -> Iterator[Guard]:
    member = (
        "EXISTS (SELECT 1 FROM tenants_membership m JOIN tenants_user u ON u.id = m.user_id"
        " WHERE m.tenant_id = NEW.tenant_id AND m.user_id = NEW.{who} AND u.is_active)"
    )
    yield Guard(
        "guard_request_new",
        _REQUEST,
        "INSERT",
        "1 = 1",
        f"NEW.state = 'waiting' AND {member.format(who='requested_by_id')}",
        "a request waits at first, and is made by a member",
    )
    yield Guard(
        "guard_decision",
        _REQUEST,
        "UPDATE",
        "NEW.state <> OLD.state",
        member.format(who="decided_by_id"),
        "a request is decided by a member",
    )


def _of_datasets(json: Json) -> Iterator[Guard]:
    yield Guard(
        "guard_budget_of_new_dataset",
        _DATASET,
        "INSERT",
        "1 = 1",
        "EXISTS (SELECT 1 FROM budgets_budget b WHERE b.id = NEW.budget_id"
        " AND b.tenant_id = NEW.tenant_id AND b.kind = 'dataset')",
        "a dataset has the budget of a dataset",
    )
    shared = (
        f"{json.identity('held_dataset')} = NEW.id AND EXISTS (SELECT 1 FROM {_DATASET} e"
        f" WHERE e.id = {json.identity('earlier')} AND e.tenant_id = NEW.tenant_id"
        " AND e.budget_id = NEW.budget_id)"
    )
    yield Guard(
        "guard_budget_of_dataset",
        _DATASET,
        "UPDATE",
        "NEW.budget_id <> OLD.budget_id",
        _agreed("share_held_dataset_budget", shared),
        "a dataset shares another budget as two persons approved",
    )


def _of_holds(json: Json) -> Iterator[Guard]:
    newest = (
        f"l.version_id = v.id AND v.dataset_id = NEW.id AND NOT EXISTS (SELECT 1 FROM {_VERSION} n"
        " WHERE n.dataset_id = NEW.id AND n.number > v.number)"
    )
    looked = (
        f"OLD.held_reason = 'new_data' AND EXISTS (SELECT 1 FROM {_LOOK} l, {_VERSION} v"
        f" WHERE {newest} AND l.outcome = 'goes_on' AND l.by_id <> v.added_by_id)"
    )
    # An approval is used up by the entry that says so, which comes after it is carried out.
    once = (
        f"{json.identity('held_dataset')} = NEW.id AND NOT EXISTS (SELECT 1"
        " FROM audit_auditentry a WHERE a.tenant_id = r.tenant_id"
        f" AND a.action = 'CHANGE_APPROVED' AND a.subject = r.subject AND {json.names_request()})"
    )
    yield Guard(
        "guard_hold",
        _DATASET,
        "UPDATE",
        "OLD.held_at IS NOT NULL AND NEW.held_at IS NULL",
        " OR ".join([f"({looked})", *(_agreed(kind, once) for kind in _HOLD_KINDS)]),
        "a hold ends when an officer has looked, or as two persons approved",
    )
    yield Guard(
        "guard_held_reason",
        _DATASET,
        "UPDATE",
        "OLD.held_at IS NOT NULL AND NEW.held_at IS NOT NULL"
        " AND NEW.held_reason <> OLD.held_reason",
        "OLD.held_reason = 'new_data' AND NEW.held_reason = 'paused'",
        "what takes two persons to end is not turned into what takes one",
    )
    officer = (
        "EXISTS (SELECT 1 FROM tenants_membership m WHERE m.tenant_id = NEW.tenant_id"
        " AND m.user_id = NEW.by_id AND m.role = 'officer')"
    )
    yield Guard(
        "guard_look",
        _LOOK,
        "INSERT",
        "1 = 1",
        f"{officer} OR (NEW.by_id IS NULL AND NEW.outcome = 'goes_on' AND EXISTS"
        f" (SELECT 1 FROM {_VERSION} v WHERE v.id = NEW.version_id AND v.number > 1))",
        "an officer looks at data; nobody has to at another version of the same file",
    )


def _of_questions() -> Iterator[Guard]:
    yield Guard(
        "guard_question_new",
        "queries_query",
        "INSERT",
        "1 = 1",
        f"EXISTS (SELECT 1 FROM {_VERSION} v WHERE v.id = NEW.version_id"
        " AND v.dataset_id = NEW.dataset_id)",
        "a question is about data of the dataset that it is charged to",
    )
    yield Guard(
        "guard_question_stays",
        "queries_query",
        "UPDATE",
        "NEW.version_id <> OLD.version_id OR NEW.dataset_id <> OLD.dataset_id",
        _NEVER,
        "a question stays with the data that it was asked about",
    )


def _agreed(kind: str, about: str) -> str:
    """Whether two different members of the row's tenant agreed to just this."""
    both = " AND ".join(
        "EXISTS (SELECT 1 FROM tenants_membership m"
        f" WHERE m.tenant_id = r.tenant_id AND m.user_id = r.{who})"
        for who in ("requested_by_id", "decided_by_id")
    )
    return (
        f"EXISTS (SELECT 1 FROM {_REQUEST} r WHERE r.tenant_id = NEW.tenant_id"
        f" AND r.state = 'approved' AND r.kind = '{kind}'"
        f" AND r.decided_by_id <> r.requested_by_id AND {both} AND {about})"
    )
