"""What stored answers say for nothing, in words: offered beside the price of a question."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.reuse.estimates import Columns
from dpgov.queries.free.finding import Origin, Reusable
from dpgov.queries.wording.drawings import together
from dpgov.queries.wording.margins import condition_of_errors, margin, not_counted_in_words
from dpgov.queries.wording.numbers import NOTHING
from dpgov.queries.wording.words import statistic_in_words

_TITLES = {
    Origin.IDENTICAL: gettext_lazy("Already answered: free"),
    Origin.DERIVED: gettext_lazy("Stored answers already tell it: free"),
    Origin.COMBINED: gettext_lazy("Several stored answers put together: free"),
}
_SENTENCES = {
    Origin.IDENTICAL: gettext_lazy("The same question was asked before. You get the same numbers."),
    Origin.DERIVED: gettext_lazy(
        "The groups of an answer that was given before add up to this one."
    ),
    Origin.COMBINED: gettext_lazy(
        "Each of them holds its own noise, and together they are more exact."
    ),
}


@dataclass(frozen=True, slots=True)
class FreeOffer:
    """One free answer in words: each statistic with the error that 95% stay within.

    `notes` say what errors in rows do not count, and what others hold under alone.
    """

    choice: str
    title: str
    sentence: str
    errors: list[tuple[str, str]]
    notes: list[str]


def free_offers(reusable: Reusable) -> list[FreeOffer]:
    """What is free, the most exact first."""
    return [
        FreeOffer(
            one.choice,
            str(_TITLES[one.origin]),
            str(_SENTENCES[one.origin]),
            errors_of(one.expected),
            _notes(one.expected),
        )
        for one in reusable.free
    ]


def _notes(columns: Columns) -> list[str]:
    words = (not_counted_in_words, condition_of_errors)
    said = [say(statements, head) for head, statements in columns for say in words]
    return list(dict.fromkeys(filter(None, said)))


def errors_of(columns: Columns) -> list[tuple[str, str]]:
    """Each statistic with its expected error; a list of quantiles is one."""
    heads = [head for head, _ in columns]
    found: dict[str, str] = {}
    for head, statements in columns:
        same = [h for h in heads if h.get("column") == head.get("column") and "quantile" in h]
        within = margin(statements, USUAL_STATED, head)
        label = statistic_in_words(together(head, same))
        found.setdefault(label, _("depends on the rows") if within == NOTHING else within)
    return list(found.items())
