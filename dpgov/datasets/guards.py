"""What the database asks of a dataset's row before it changes, whoever changes it."""

from collections.abc import Iterator

from dpgov.datasets.discarded import IS_DISCARDED
from dpgov.datasets.services.held.deciding import HOLD_KINDS, SHARE_HELD_DATASET_BUDGET
from dpgov.tenants.wall.guards import NEVER, Guard, Json, agreed

_DATASET, _VERSION, _LOOK = "datasets_dataset", "datasets_datasetversion", "datasets_look"
_TERMS, _ACCEPTANCE = "datasets_termsofuse", "datasets_acceptance"
_VIEWER = "datasets_viewer"

# What the noise of every answer is made for, and who answers for it. The limits of a unit are not
# among them: they come with another version, whose own are what its questions are bounded by.
_DECLARED = (
    "tenant_id",
    "owner_id",
    "unit",
    "private_id",
    "neighbouring",
    "group_size",
    "max_rows",
    "public_rows",
    "public_units",
    "partition_column",
)


def guards(json: Json) -> Iterator[Guard]:
    """All of them."""
    yield from _of_datasets(json)
    yield from _of_versions()
    yield from _of_holds(json)
    yield from _of_terms()
    yield from _of_viewers()
    yield from _of_derived()
    yield from _of_live()


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
    yield Guard(
        "guard_declared",
        _DATASET,
        "UPDATE",
        " OR ".join(_differs(column) for column in _DECLARED),
        NEVER,
        "whose privacy a dataset keeps, and under which relation, is declared once",
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
        f"NOT OLD.is_derived AND {agreed(SHARE_HELD_DATASET_BUDGET, shared)}",
        "a dataset shares another budget as two persons approved",
    )


def _differs(column: str) -> str:
    return f"coalesce(CAST(NEW.{column} AS text), '') <> coalesce(CAST(OLD.{column} AS text), '')"


def _of_versions() -> Iterator[Guard]:
    newer = f"SELECT 1 FROM {_VERSION} n WHERE n.dataset_id = NEW.dataset_id"
    yield Guard(
        "guard_data_of_version",
        _VERSION,
        "UPDATE",
        "NEW.data_deleted_at IS NOT NULL OR OLD.data_deleted_at IS NOT NULL",
        f"OLD.data_deleted_at IS NULL AND EXISTS ({newer} AND n.number > NEW.number)",
        "the data of a version is deleted once, and never that of the newest",
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
    # About this hold and no other one. An approval is used up by the entry that says so, which
    # comes after it is carried out.
    once = (
        f"{json.identity('held_dataset')} = NEW.id AND {json.moment('held_at')} = OLD.held_at"
        " AND NOT EXISTS (SELECT 1 FROM audit_auditentry a WHERE a.tenant_id = r.tenant_id"
        f" AND a.action = 'CHANGE_APPROVED' AND a.subject = r.subject AND {json.names_request()})"
    )
    yield Guard(
        "guard_hold",
        _DATASET,
        "UPDATE",
        "OLD.held_at IS NOT NULL AND NEW.held_at IS NULL",
        " OR ".join([f"({looked})", *(agreed(kind, once) for kind in HOLD_KINDS)]),
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


def _of_terms() -> Iterator[Guard]:
    """Both tables are append-only besides."""
    yield Guard(
        "guard_terms_of_use",
        _TERMS,
        "INSERT",
        "1 = 1",
        f"NEW.number = 1 + (SELECT coalesce(max(t.number), 0) FROM {_TERMS} t"
        " WHERE t.dataset_id = NEW.dataset_id)",
        "a version of terms of use is the one after the newest",
    )
    yield Guard(
        "guard_acceptance",
        _ACCEPTANCE,
        "INSERT",
        "1 = 1",
        f"EXISTS (SELECT 1 FROM {_TERMS} t WHERE t.id = NEW.terms_id AND t.text <> ''"
        f" AND NOT EXISTS (SELECT 1 FROM {_TERMS} n WHERE n.dataset_id = t.dataset_id"
        " AND n.number > t.number)) AND EXISTS (SELECT 1 FROM tenants_membership m"
        " WHERE m.tenant_id = NEW.tenant_id AND m.user_id = NEW.accepted_by_id)",
        "a member accepts the terms of use that are in force",
    )


def _of_viewers() -> Iterator[Guard]:
    """Whom somebody named, and when, is what asking rests on."""
    yield Guard(
        "guard_viewer_new",
        _VIEWER,
        "INSERT",
        "1 = 1",
        "EXISTS (SELECT 1 FROM tenants_membership m WHERE m.id = NEW.membership_id"
        " AND m.tenant_id = NEW.tenant_id AND m.user_id <> NEW.named_by_id"
        " AND (m.role = 'analyst' OR m.second_role = 'analyst'))"
        " AND EXISTS (SELECT 1 FROM tenants_membership o WHERE o.tenant_id = NEW.tenant_id"
        " AND o.user_id = NEW.named_by_id AND o.role = 'owner')",
        "an analyst is named by another person, who is an owner",
    )
    yield Guard(
        "guard_viewer_stays",
        _VIEWER,
        "UPDATE",
        "1 = 1",
        NEVER,
        "a naming is taken back, never changed",
    )


def _of_derived() -> Iterator[Guard]:
    """What is charged to two parents stays so; the table is append-only besides."""
    charged = (
        "EXISTS (SELECT 1 FROM budgets_derivedbudget b"
        " WHERE b.budget_id = d.budget_id AND b.parent_id = p.budget_id)"
    )
    yield Guard(
        "guard_derived_from",
        "datasets_derivedfrom",
        "INSERT",
        "1 = 1",
        f"EXISTS (SELECT 1 FROM {_DATASET} d, {_DATASET} p, {_VERSION} v"
        " WHERE d.id = NEW.dataset_id AND p.id = NEW.parent_id AND v.id = NEW.version_id"
        " AND v.dataset_id = p.id AND d.tenant_id = NEW.tenant_id AND p.tenant_id = NEW.tenant_id"
        f" AND d.is_derived AND NOT p.is_derived AND {charged}"
        " AND d.neighbouring = 'add_remove' AND p.neighbouring = 'add_remove'"
        " AND d.group_size = p.group_size AND d.unit = 'person' AND p.unit = 'person')",
        "a derived dataset is charged to the budgets of its parents, which are not derived",
    )
    yield Guard(
        "guard_stays_derived",
        _DATASET,
        "UPDATE",
        "NEW.is_derived <> OLD.is_derived",
        NEVER,
        "a derived dataset stays one, and no other becomes one",
    )


def _of_live() -> Iterator[Guard]:
    """Where the rows of a dataset are, is said once."""
    yield Guard(
        "guard_stays_live",
        _DATASET,
        "UPDATE",
        _differs("live_id"),
        NEVER,
        "a dataset keeps its live table, and no other gets one",
    )
    yield Guard(
        "guard_claim_of_live",
        "datasets_livetable",
        "UPDATE",
        "NEW.claim <> OLD.claim",
        f"OLD.claim = '' OR (NEW.claim = '' AND EXISTS (SELECT 1 FROM {_DATASET} d"
        f" WHERE d.live_id = NEW.id AND {IS_DISCARDED}))",
        "a live table keeps its claim until it is discarded",
    )
    yield Guard(
        "guard_live_version",
        _VERSION,
        "INSERT",
        "1 = 1",
        f"(NEW.file_seal = 'live') = EXISTS (SELECT 1 FROM {_DATASET} d"
        " WHERE d.id = NEW.dataset_id AND d.live_id IS NOT NULL)",
        "a version of a live table has no file, and every other has one",
    )
