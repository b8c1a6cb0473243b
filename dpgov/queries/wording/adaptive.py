"""Tables that are chosen adaptively, inside the sentence that says a question."""

from operator import index
from typing import Any

from django.utils.translation import ngettext


def chosen_in_words(chosen: dict[str, Any], columns: str) -> str:
    """ "in 8 tables chosen adaptively among 15 of age, sex and region"."""
    # No plural is looked up for a number that nobody has read: 1E+999999 would be written out.
    rounds = index(chosen["rounds"])
    pattern = ngettext(
        "in {rounds} table chosen adaptively among {candidates} of {columns}",
        "in {rounds} tables chosen adaptively among {candidates} of {columns}",
        rounds,
    )
    if chosen.get("mwem"):
        pattern = ngettext(
            "in {rounds} table chosen by MWEM among {candidates} of {columns}",
            "in {rounds} tables chosen by MWEM among {candidates} of {columns}",
            rounds,
        )
    return pattern.format(rounds=rounds, candidates=len(chosen["tables"]), columns=columns)
