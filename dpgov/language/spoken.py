"""Refusals that speak the language of whoever reads them, at the moment of reading.

Raised where nobody knows who will read: a page says it to a person, the log keeps it in English.
Must never fix a language when it is raised.
"""

from dpgov.language.said import Said
from dpgov.language.translation import translated


class SpokenRefusal(Exception):
    """Made with `said(…)`, or with another refusal whose words it takes over.

    `str` is in the language that is active then; under `english()` it is what may be stored.
    """

    @property
    def sentence(self) -> str:
        """What it says, for whoever stores it (`said.as_values`)."""
        told = self.args[0] if self.args else ""
        return told.sentence if isinstance(told, SpokenRefusal) else told

    def __str__(self) -> str:
        told = self.args[0] if self.args else ""
        return translated(told) if isinstance(told, Said) else str(told)
