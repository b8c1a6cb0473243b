"""What pages show of a request to approve one question: its words, its price, what would remain.

Shows the plan, declared metadata and the ledger only. Changes nothing.
"""

from typing import Any

from dpgov.budgets.allocated import names_of_allocations
from dpgov.datasets.lineage import allocations_for
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.approval import ends_at, sentence_of
from dpgov.queries.asking.quote import Quote, quote
from dpgov.queries.models import BudgetRequest
from dpgov.queries.web.forms.requests import AskNowForm
from dpgov.queries.wording.words import in_words
from dpgov.queries.workbench.approvals import standing_of
from dpgov.tenants.models import Membership


def asked_for(sent: BudgetRequest, reader: Membership) -> dict[str, Any]:
    """The context of its page; `ask_form` where this reader can ask it now."""
    standing, priced = standing_of(sent), _priced(sent)
    own = sent.asked_by_id == reader.user_id
    granted = sent.state == BudgetRequest.State.GRANTED
    question = getattr(sent, "question", None)
    return {
        "words": in_words(sent.plan or {}),
        "price": priced.price_words if priced else "",
        "quote": priced,
        "question": question,
        "ended": sentence_of(standing.why) if granted and not question else "",
        "ends_at": ends_at(sent) if granted else None,
        "ask_form": ask_form(sent) if own and granted and standing.can_be_asked else None,
    }


def ask_form(sent: BudgetRequest, data: Any = None) -> AskNowForm:
    """The one press, with a choice of allocations where there are several."""
    found = allocations_for(sent.asked_by, sent.dataset)
    return AskNowForm(data, allocations=names_of_allocations(found))


def _priced(sent: BudgetRequest) -> Quote | None:
    """What it costs and leaves now, for who asked; nothing where it cannot be read any more."""
    try:
        return quote(user=sent.asked_by, dataset=sent.dataset, raw_plan=sent.plan)
    except InvalidPlan:
        return None
