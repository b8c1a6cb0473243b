"""What the same person tries with derived datasets; the names are those of stolen.py.

A dataset that was called derived later, one whose parents nobody pays for, and a budget that would
be charged to another one after it was charged alone.
"""

DERIVED = (
    "UPDATE datasets_dataset SET is_derived = true WHERE id = '{held}'",
    "INSERT INTO budgets_derivedbudget (budget_id, tenant_id, parent_id, created_at)"
    " SELECT '{budget}', '{ours}', s.id, now() FROM budgets_budget s WHERE s.label = 'shared'",
    "INSERT INTO datasets_derivedfrom (tenant_id, dataset_id, position, parent_id, version_id,"
    " rows_of_unit, prefix, columns) SELECT '{ours}', '{held}', 0, v.dataset_id, v.id, 1, '', '[]'"
    " FROM datasets_datasetversion v WHERE v.dataset_id = '{new}'",
)
