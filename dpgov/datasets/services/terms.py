"""An owner sets terms of use for a dataset; people accept the version in force. One entry each.

New terms are a new version with the next number; removing them is a version without text. Old
versions and who accepted them stay. Nothing here touches a budget or a question that was accepted:
new terms are asked for from the next question on.
"""

import hashlib

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.datasets.models import Acceptance, Dataset, TermsOfUse
from dpgov.datasets.rules import in_force, versions_of
from dpgov.datasets.selectors import present
from dpgov.datasets.services.entries import record
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of

LONGEST_TERMS = 10_000


class SameTerms(SpokenRefusal, ValueError):
    """Another version of the same words would make everybody accept them again."""

    def __init__(self) -> None:
        super().__init__(said("These are the terms already. Nothing was changed."))


class TermsTooLong(SpokenRefusal, ValueError):
    """Terms that nobody reads to their end help nobody."""

    def __init__(self, length: int) -> None:
        super().__init__(
            said(
                "Terms have at most {most} characters; these have {length}.",
                most=LONGEST_TERMS,
                length=length,
            )
        )


class NotInForce(SpokenRefusal, ValueError):
    """Another version is in force; `number` says which, None where there are no terms."""

    def __init__(self, asked: int, number: int | None) -> None:
        self.number = number
        super().__init__(
            said("This dataset has no terms of use to accept.")
            if number is None
            else said(
                "Version {asked} of the terms of use is not in force: version {number} is. Read "
                "and accept that one.",
                asked=asked,
                number=number,
            )
        )


@transaction.atomic
def set_terms(*, dataset: Dataset, text: str, user: User) -> TermsOfUse:
    """This text is the next version and holds from the next question on; without text: no terms.

    Raises SameTerms, TermsTooLong, and Dataset.DoesNotExist when it is archived or held.
    """
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST_TERMS:
        raise TermsTooLong(len(text))
    locked = _locked(dataset)
    newest = versions_of(locked).first()
    if text == (newest.text if newest else ""):
        raise SameTerms
    terms = TermsOfUse.objects.create(
        tenant_id=locked.tenant_id,
        dataset=locked,
        number=newest.number + 1 if newest else 1,
        text=text,
        set_by=user,
    )
    in_force_now = terms.number if text else 0
    Dataset.objects.filter(pk=locked.pk).update(terms_version=in_force_now)
    action = Action.TERMS_SET if text else Action.TERMS_REMOVED
    digest = {"text_sha256": hashlib.sha256(text.encode()).hexdigest()} if text else {}
    record(locked, actor_of(user), action, {**_named(terms), **digest})
    return terms


@transaction.atomic
def accept_terms(*, dataset: Dataset, number: int, user: User) -> Acceptance:
    """The person accepts the version of this number, which has to be the one in force; once.

    Raises NotInForce, and Dataset.DoesNotExist when the dataset is archived or held.
    """
    locked = _locked(dataset)
    terms = in_force(locked.pk)
    if terms is None or terms.number != number:
        raise NotInForce(number, terms.number if terms else None)
    terms.dataset = locked
    acceptance, is_new = Acceptance.objects.get_or_create(
        terms=terms, accepted_by=user, defaults={"tenant_id": locked.tenant_id}
    )
    if is_new:
        record(locked, actor_of(user), Action.TERMS_ACCEPTED, _named(terms))
    return acceptance


def _locked(dataset: Dataset) -> Dataset:
    """Kept so until the end of the step: no other version comes into force meanwhile."""
    rows = Dataset.objects.select_for_update(of=("self",)).filter(present())
    return rows.get(pk=dataset.pk)


def _named(terms: TermsOfUse) -> dict[str, object]:
    return {"name": terms.dataset.name, "version": terms.number}
