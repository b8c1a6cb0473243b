"""Why a live table is not taken, in words, at the field that it is about.

Nothing of what the server said is in them: it can quote rows, roles and hosts.
"""

from dpgov.engines.child import RefusedFile
from dpgov.engines.postgres.checking import Problem, SourceRefused
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal


class RefusedTable(RefusedFile):
    """The table was not taken; `field` or `column` say where."""


class TooManyTries(SpokenRefusal):
    """A person has tried to connect too often today: nobody guesses passwords through us."""

    def __init__(self, most: int) -> None:
        super().__init__(
            said(
                "You connected to servers {most:,} times today, and that is the most for one "
                "person. Go on tomorrow (UTC).",
                most=most,
            )
        )


NOT_ALLOWED = said(
    "This server is not on the list of this installation. Ask the people who run it to allow this "
    "host and port."
)
NOT_REACHED = said(
    "The server did not let us in. Check host, port, database, role and password, that the server "
    "is PostgreSQL 14 or newer, and that it offers TLS with a certificate for this name."
)
NO_PASSWORD = said("The password of this table was deleted, or cannot be opened here. Type it in.")
_WORDS = {
    Problem.ENCODING: ("database", said("The database has to be in UTF-8.")),
    Problem.MISSING_TABLE: ("table", said("There is no such table, or the role cannot see it.")),
    Problem.NOT_A_TABLE: ("table", said("This is neither a table nor a view.")),
    Problem.ROW_SECURITY: (
        "table",
        said("The table has row-level security: what a role sees would not be what there is."),
    ),
    Problem.FOREIGN_PARTS: ("table", said("Parts of this table lie in another server.")),
    Problem.COMPUTING_VIEW: (
        "table",
        said(
            "This view computes something that may fail by what a row holds. Make a materialised "
            "view of it, or a view that only takes columns and rows."
        ),
    ),
    Problem.ROLE_CAN_WRITE: (
        "role",
        said(
            "This role owns the table, can write to it, or can become a role that does. Use one "
            "that can only read."
        ),
    ),
    Problem.NOT_READABLE: ("role", said("This role may not read the table.")),
    Problem.MISSING_COLUMN: ("columns", said("The table has no such column.")),
    Problem.TYPE: ("columns", said("The type of this column in the server does not fit.")),
    Problem.UNIT_TYPE: (
        "private_id",
        said("The column that names people has to be a whole number, a text or a UUID."),
    ),
    Problem.NEVER_MISSING: (
        "columns",
        said("A live table cannot promise that no cell is missing. Choose another rule."),
    ),
    Problem.TIME_ZONE: ("columns", said("The server does not know this time zone.")),
    Problem.TOO_MANY_COLUMNS: ("columns", said("These are too many columns.")),
}


def refused(problem: SourceRefused) -> RefusedTable:
    """The refusal of a source as its owner reads it."""
    field, words = _WORDS[problem.problem]
    return RefusedTable(words, field=field, column=problem.column)
