"""Statements that a process puts together once, and asks with other values each time.

To put one together takes Django longer than the database takes to answer it. Whose rows are sought
differs from one time to the next, and the statement does not. Nothing of an answer is kept.
"""

from dpgov.operation.prepared.changes import Change, PreparedChange
from dpgov.operation.prepared.places import Shaped, among
from dpgov.operation.prepared.rows import Prepared, keep_related

__all__ = ["Change", "Prepared", "PreparedChange", "Shaped", "among", "keep_related"]
