"""Why a live table is not taken, in words, at the field that it is about.

Nothing of what the server said is in them: it can quote rows, roles and hosts.
"""

from dpgov.engines.child import RefusedFile
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


NO_PASSWORD = said("The password of this table was deleted, or cannot be opened here. Type it in.")
AT_THIS_MOMENT = said(
    "Somebody else registered this table at this moment. Register it once more: then it is known, "
    "and waits for two persons."
)
SHARED = {
    "missing_column": ("columns", said("The table has no such column.")),
    "type": ("columns", said("The type of this column in the server does not fit.")),
    "unit_type": (
        "private_id",
        said("The column that names people has to be a whole number, a text or a UUID."),
    ),
    "never_missing": (
        "columns",
        said("A live table cannot promise that no cell is missing. Choose another rule."),
    ),
    "time_zone": (
        "columns",
        said(
            "The server does not know this time zone, or takes it for an abbreviation without "
            "summer time. Name a place, such as Europe/Berlin."
        ),
    ),
    "too_many_columns": ("columns", said("These are too many columns.")),
}
"""What engines call alike, with the field that it is said at."""
