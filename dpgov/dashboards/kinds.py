"""Sorts of questions in the reader's language; what is stored of them stays English.

Must never name a sort that `queries.kinds` does not know.
"""

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

_BY_GROUP = " by group"
KIND_WORDS = {
    "count": gettext_lazy("count"),
    "histogram": gettext_lazy("histogram"),
    "cumulative": gettext_lazy("cumulative"),
    "distinct units": gettext_lazy("distinct units"),
    "sum": gettext_lazy("sum"),
    "mean": gettext_lazy("mean"),
    "variance": gettext_lazy("variance"),
    "standard deviation": gettext_lazy("standard deviation"),
    "median": gettext_lazy("median"),
    "quantiles": gettext_lazy("quantiles"),
    "minimum": gettext_lazy("minimum"),
    "maximum": gettext_lazy("maximum"),
}


def kind_in_words(kind: str) -> str:
    """ "Histogram + sum by group" as the reader says it; a name that is not known as it is."""
    names = kind.removesuffix(_BY_GROUP).split(" + ")
    words = " + ".join(str(KIND_WORDS.get(name.lower(), name)) for name in names)
    if kind.endswith(_BY_GROUP):
        words = _("%(statistics)s by group") % {"statistics": words}
    return str(capfirst(words))
