"""What is wrong with a text of SQL, and where."""

from dataclasses import dataclass

from sqlglot import exp

Place = tuple[int, int]
"""Line and column, both from 1."""


@dataclass(frozen=True, slots=True)
class SqlProblem:
    """One refusal with its place in the text."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"Line {self.line}, column {self.column}: {self.message}"


class RefusedSql(ValueError):
    """The text is not of the part of SQL that can be answered; `problems` say where and why."""

    def __init__(self, *problems: SqlProblem) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


class Text:
    """The text that was typed, to say where something stands in it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def place(self, offset: int) -> Place:
        """Line and column of a character."""
        before = self._text[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1

    def place_of(self, node: exp.Expr) -> Place:
        """Where the first word of a piece of SQL stands; the beginning if nobody knows."""
        starts = [part.meta["start"] for part in node.walk() if "start" in part.meta]
        return self.place(min(starts, default=0))

    def refused(self, node: exp.Expr, message: str) -> RefusedSql:
        """A refusal of this piece."""
        return RefusedSql(SqlProblem(*self.place_of(node), message))
