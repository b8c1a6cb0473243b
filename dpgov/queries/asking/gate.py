"""Whether a dataset takes questions at all: asked at every way to an answer, free ones too."""

from dpgov.budgets.errors import NotAdmitted
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import is_open, is_paused
from dpgov.language.said import pattern, said

PAUSED = pattern("Questions about this dataset are paused by its owners. Nothing was charged.")


class NotOpen(NotAdmitted):
    """The dataset is held, archived or otherwise closed to questions, whatever its budget admits.

    The same words for all: a dataset that is held looks missing, and so does an archived one.
    `code` is what the API calls it.
    """

    code = "not_open"

    def __init__(self) -> None:
        super().__init__(
            said("Questions about this dataset are not admitted. Nothing was charged.")
        )


class Paused(NotOpen):
    """Its owners paused all questions about the dataset; it is there to see."""

    code = "paused"

    def __init__(self) -> None:
        NotAdmitted.__init__(self, said(PAUSED))


def refuse_unless_open(dataset: Dataset) -> None:
    """Every way to an answer begins here, free ones too: raises NotOpen, Paused among them.

    What the caller has read may be old, so it is looked up again, in the caller's transaction. A
    frozen or ended budget admits nothing either; the ledger says so, see `budgets.services`.
    """
    if not is_open(dataset.pk):
        raise Paused if is_paused(dataset.pk) else NotOpen
