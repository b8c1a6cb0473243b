"""Whether a dataset takes this person's questions at all: asked at every way to an answer.

Free answers are among them. Prices read no data and are told to everybody; they say what is closed.
"""

from django.http import Http404

from dpgov.budgets.errors import NotAdmitted
from dpgov.datasets.audience import Place, place_of, where_short
from dpgov.datasets.lineage import governing
from dpgov.datasets.models import Dataset, TermsOfUse
from dpgov.datasets.rules import to_accept
from dpgov.datasets.selectors import is_open, is_paused
from dpgov.language.said import said
from dpgov.tenants.models import User


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
        NotAdmitted.__init__(
            self,
            said("Questions about this dataset are paused by its owners. Nothing was charged."),
        )


class NoSuchDataset(Http404, Dataset.DoesNotExist):
    """To this person there is none: a named-only dataset of which they are not told.

    Every door answers as it does to a slug that there never was, and no refusal is counted.
    """


class NotNamed(NotOpen):
    """A named-only dataset that this person governs, without being named to ask about it.

    Of a derived dataset it may be a parent: that is named, and is where they have to be named.
    """

    code = "not_named"
    reason = "policy"

    def __init__(self, dataset: Dataset, *, parent: str = "") -> None:
        self.dataset, self.is_own = dataset, not parent
        words = said(
            "Only named people ask about this dataset, and another data owner has to name you. "
            "Nothing was charged."
        )
        if parent:
            words = said(
                "Only named people ask about “{name}”, which this dataset was derived from, and "
                "another data owner has to name you there. Nothing was charged.",
                name=parent,
            )
        NotAdmitted.__init__(self, words)


class TermsNotAccepted(NotOpen):
    """Its owners set terms of use, and this person has not accepted the version in force."""

    code = "terms_not_accepted"
    reason = "policy"

    def __init__(self, dataset: Dataset, terms: TermsOfUse, *, parent: str = "") -> None:
        self.dataset, self.terms, self.is_own = dataset, terms, not parent
        words = said(
            "Accept the terms of use of this dataset (version {number}) before you ask. "
            "Nothing was charged.",
            number=terms.number,
        )
        if parent:
            words = said(
                "Accept the terms of use of “{name}” (version {number}), which this dataset was "
                "derived from, before you ask. Nothing was charged.",
                name=parent,
                number=terms.number,
            )
        NotAdmitted.__init__(self, words)


def refuse_unless_open(dataset: Dataset) -> None:
    """Whether anybody can ask anything of it: raises NotOpen, Paused among them.

    What the caller has read may be old, so it is looked up again, in the caller's transaction. A
    frozen or ended budget admits nothing either; the ledger says so, see `budgets.services`.
    """
    if not is_open(dataset.pk):
        raise Paused if is_paused(dataset.pk) else NotOpen


def refuse_unless_open_to(dataset: Dataset, user: User) -> None:
    """Every way to an answer begins here, free ones too: raises NotOpen and its like.

    The same for one person, who is in the dataset's audience and has accepted the terms of use in
    force, if there are any. Raises NoSuchDataset first: nobody outside learns that it is paused.
    """
    place = place_of(dataset, user)
    if place is Place.OUTSIDE:
        raise NoSuchDataset
    refuse_unless_open(dataset)
    if place is Place.SEES:
        raise _not_named(dataset, user)
    if (lacking := _not_accepted(dataset, user)) is not None:
        raise lacking


def closed_to(dataset: Dataset, user: User) -> NotOpen | None:
    """The same for a price, which is told anyway: why nothing would be accepted now, if so.

    Out of what was read with the dataset; it decides nothing.
    """
    those = governing(dataset)
    if any(one.paused_at is not None for one in those):
        return Paused()
    if any(one.named_only for one in those) and place_of(dataset, user) is not Place.ASKS:
        return _not_named(dataset, user)
    return _not_accepted(dataset, user) if any(one.terms_version for one in those) else None


def _not_named(dataset: Dataset, user: User) -> NotNamed:
    """It, or else the first parent, about which they do not ask."""
    one = where_short(dataset, user, Place.ASKS)
    return NotNamed(one, parent=_name_beside(dataset, one))


def _name_beside(dataset: Dataset, one: Dataset) -> str:
    """What a parent is called beside what was derived from it; "" of the dataset itself."""
    return "" if one.pk == dataset.pk else one.name


def _not_accepted(dataset: Dataset, user: User) -> TermsNotAccepted | None:
    """The first terms of use in force, of it or of a parent, that this person has not accepted."""
    for one in governing(dataset):
        if (terms := to_accept(one.pk, user)) is not None:
            return TermsNotAccepted(one, terms, parent=_name_beside(dataset, one))
    return None
