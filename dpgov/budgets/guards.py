"""What the database asks of a budget's row before it changes, whoever changes it."""

from collections.abc import Iterator

from dpgov.approvals.models import ASKED_BY
from dpgov.budgets.services.agreed import (
    LEAVE_SHARED_BUDGET,
    MERGE_SHARED_BUDGETS,
    SPLIT_SHARED_BUDGET,
)
from dpgov.budgets.services.corrections import REFUND
from dpgov.budgets.services.invitations import ACCEPT_SHARED_BUDGET
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.budgets.services.surveys import OPEN_SURVEY
from dpgov.tenants.wall.guards import NEVER, Guard, Json, OnPostgreSQL, agreed

_BUDGET, _MEMBER = "budgets_budget", "budgets_sharedbudgetmember"


def guards(json: Json) -> Iterator[Guard]:
    """All of them."""
    yield from _of_budgets(json)
    yield _joining(json)
    yield from _of_members_and_parts(json)
    yield from _of_derived()
    yield from _of_restores()
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
        f"{agreed(REFUND, json.identity('query') + ' = NEW.query_id')} AND {charged}",
        "a charge is given back as two persons approved, and as it was charged",
    )
    alone = (
        "EXISTS (SELECT 1 FROM budgets_budget b WHERE b.id = NEW.budget_id AND b.kind = 'survey'"
        " AND b.tenant_id = NEW.tenant_id AND b.limit_nano = NEW.amount_nano)"
    )
    both = (
        f"{json.identity('survey')} = NEW.id AND {json.identity('budget')} = NEW.budget_id"
        f" AND {json.number('charged_nano')} = NEW.amount_nano"
    )
    yield Guard(
        "guard_survey_charge",
        "budgets_correction",
        "INSERT",
        "NEW.kind = 'survey'",
        f"{alone} OR {agreed(OPEN_SURVEY, both)}",
        "a survey is charged to a budget of its own, or as two persons approved",
    )


def _of_budgets(json: Json) -> Iterator[Guard]:
    yield Guard(
        "guard_budget_new",
        _BUDGET,
        "INSERT",
        "NEW.spent_nano <> 0 OR NEW.reserved_nano <> 0",
        NEVER,
        "a new budget has nothing spent or reserved",
    )
    follows = (
        "NEW.kind = 'partition' AND EXISTS (SELECT 1 FROM budgets_budgetpart p"
        " JOIN budgets_budget d ON d.id = p.dataset_budget_id"
        " WHERE p.budget_id = NEW.id AND d.limit_nano >= NEW.limit_nano)"
    )
    raised = (
        f"{json.identity('budget')} = NEW.id"
        f" AND {json.number('before_nano')} = OLD.limit_nano"
        f" AND {json.number('after_nano')} = NEW.limit_nano"
        f" AND ({json.text(ASKED_BY)} IS NULL OR {json.identity(ASKED_BY)} <> r.decided_by_id)"
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
        f"({follows}) OR {agreed(RAISE_LIMIT, raised)} OR {agreed(MERGE_SHARED_BUDGETS, merged)}",
        "a limit is raised as two persons approved, once",
    )
    yield Guard(
        "guard_target",
        _BUDGET,
        "UPDATE",
        "NEW.target_nano > OLD.target_nano AND NEW.limit_nano <= OLD.limit_nano"
        " AND NEW.kind <> 'allocation'",
        NEVER,
        "what a limit keeps is raised with the limit alone",
    )
    yield Guard(
        "guard_closed",
        _BUDGET,
        "UPDATE",
        "OLD.closed_at IS NOT NULL AND NEW.closed_at IS NULL AND NEW.kind <> 'allocation'",
        NEVER,
        "a budget that was closed stays closed",
    )


def _joining(json: Json) -> Guard:
    """Into an own shared budget, beside a dataset of one's own, or by an invitation, once."""
    own = (
        "EXISTS (SELECT 1 FROM budgets_budget b WHERE b.id = NEW.shared_budget_id"
        " AND b.tenant_id = NEW.tenant_id)"
    )
    here = "m.shared_budget_id = NEW.shared_budget_id AND m.tenant_id = NEW.tenant_id"
    accepted = (
        f"{json.lists('dataset_budgets', 'NEW.dataset_budget_id')} AND {_invited(json)}"
        f" AND NOT EXISTS (SELECT 1 FROM {_MEMBER} m WHERE {here} AND m.left_at >= r.decided_at)"
    )
    return Guard(
        "guard_joining",
        _MEMBER,
        "INSERT",
        "NEW.left_at IS NULL",
        f"{own} OR EXISTS (SELECT 1 FROM {_MEMBER} m WHERE {here} AND m.left_at IS NULL)"
        f" OR {agreed(ACCEPT_SHARED_BUDGET, accepted)}",
        "another organisation shares its budget by an invitation, which two persons accepted",
    )


def _invited(json: Json) -> str:
    """Whether the invitation in the payload of `r` led its tenant here, and was good still when `r`
    was decided; it is the other tenant's, so that PostgreSQL asks through a gate.
    """
    invitation, tenant = json.identity("invitation"), "NEW.tenant_id"
    if isinstance(json, OnPostgreSQL):
        return f"budgets_invited({invitation}, NEW.shared_budget_id, {tenant}, r.decided_at)"
    return (
        f"EXISTS (SELECT 1 FROM budgets_sharedbudgetinvitation i WHERE i.id = {invitation}"
        f" AND i.shared_budget_id = NEW.shared_budget_id AND i.accepted_by_id = {tenant}"
        " AND i.expires_at > r.decided_at)"
    )


def _of_members_and_parts(json: Json) -> Iterator[Guard]:
    once = (
        f" AND NOT EXISTS (SELECT 1 FROM {_MEMBER} b"
        " WHERE b.shared_budget_id = OLD.shared_budget_id"
        " AND b.dataset_budget_id = OLD.dataset_budget_id AND b.left_at >= r.decided_at)"
    )
    merged = f"{json.identity('other')} = OLD.shared_budget_id{once}"
    left = (
        f"{json.identity('shared_budget')} = OLD.shared_budget_id"
        f" AND {json.lists('leaving', 'OLD.dataset_budget_id')}{once}"
    )
    yield Guard(
        "guard_leaving",
        _MEMBER,
        "UPDATE",
        "OLD.left_at IS NULL AND NEW.left_at IS NOT NULL",
        " OR ".join(
            [
                agreed(MERGE_SHARED_BUDGETS, merged),
                agreed(SPLIT_SHARED_BUDGET, left),
                agreed(LEAVE_SHARED_BUDGET, left),
            ]
        ),
        "a dataset leaves a shared budget as two persons approved",
    )
    yield Guard(
        "guard_part",
        "budgets_budgetpart",
        "INSERT",
        "NEW.budget_id <> NEW.dataset_budget_id",
        "EXISTS (SELECT 1 FROM budgets_budget b JOIN budgets_budget d"
        " ON d.id = NEW.dataset_budget_id AND d.tenant_id = b.tenant_id"
        " WHERE b.id = NEW.budget_id AND b.kind = 'partition' AND d.kind = 'dataset'"
        " AND b.limit_nano <= d.limit_nano"
        " AND (d.spent_nano + d.reserved_nano = 0 OR EXISTS (SELECT 1"
        " FROM budgets_budgetpart p WHERE p.dataset_budget_id = d.id)))",
        "a budget that was charged as a whole is not divided any more",
    )


def _of_derived() -> Iterator[Guard]:
    alike = " AND ".join(
        f"b.{column} = p.{column}" for column in ("tenant_id", "mode", "delta", "protects")
    )
    yield Guard(
        "guard_derived",
        "budgets_derivedbudget",
        "INSERT",
        "1 = 1",
        "EXISTS (SELECT 1 FROM budgets_budget b JOIN budgets_budget p ON p.id = NEW.parent_id"
        " WHERE b.id = NEW.budget_id AND b.tenant_id = NEW.tenant_id"
        f" AND b.kind = 'dataset' AND p.kind = 'dataset' AND {alike}"
        " AND b.spent_nano + b.reserved_nano = 0"
        " AND NOT EXISTS (SELECT 1 FROM budgets_derivedbudget o"
        " WHERE o.budget_id = p.id OR o.parent_id = b.id))",
        "a derived budget is charged with budgets of datasets of its own kind, from the first on",
    )


def _of_restores() -> Iterator[Guard]:
    """A number ahead of what has happened would leave a tenant out of the restores to come."""
    for name, event, further in (
        ("guard_freeze_mark_new", "INSERT", "NEW.up_to > 0"),
        ("guard_freeze_mark", "UPDATE", "NEW.up_to > OLD.up_to"),
    ):
        yield Guard(
            name,
            "budgets_freezemark",
            event,
            further,
            "EXISTS (SELECT 1 FROM budgets_restoreseen s WHERE s.id >= NEW.up_to)",
            "nobody was frozen for what nothing tells of",
        )
