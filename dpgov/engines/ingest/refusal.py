"""What the owner of a file is told when it cannot be taken."""


class Refused(Exception):
    """The file is not taken. `str` tells its owner what to do; `field` names the input, if any."""

    def __init__(self, message: str, *, field: str = "", column: str = "") -> None:
        super().__init__(message)
        self.field = field
        self.column = column
