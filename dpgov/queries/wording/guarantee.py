"""What an answer gives away at most, in sentences that need no mathematics."""

from decimal import ROUND_CEILING, Decimal
from typing import Any

from django.utils.translation import gettext_lazy, ngettext_lazy

from dpgov.budgets.meaning import factor_text, hardly_protects, whom
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE

_JOINT = gettext_lazy(
    "A joint answer: the total of %(parties)s organisations, of whom %(colluders)s may collude; "
    "not of this dataset alone."
)
# Each by whether they would have been missing or added, or would have held other values.
_AT_MOST = {
    True: ngettext_lazy(
        "Had {whom} been missing or been added, every possible answer would have been at most "
        "{factor} times as likely, or as unlikely, as it is now.",
        "Had {whom} been missing or been added, every possible answer would have been at most "
        "{factor} times as likely, or as unlikely, as it is now.",
        "size",
    ),
    False: ngettext_lazy(
        "Had {whom} held other values, every possible answer would have been at most {factor} "
        "times as likely, or as unlikely, as it is now.",
        "Had {whom} held other values, every possible answer would have been at most {factor} "
        "times as likely, or as unlikely, as it is now.",
        "size",
    ),
}
_HARDLY_PROTECTED = {
    True: ngettext_lazy(
        "Had {whom} been missing or been added, every possible answer would have been as likely "
        "as now only within a factor of {factor}, which is hardly any protection from this answer "
        "alone.",
        "Had {whom} been missing or been added, every possible answer would have been as likely "
        "as now only within a factor of {factor}, which is hardly any protection from this answer "
        "alone.",
        "size",
    ),
    False: ngettext_lazy(
        "Had {whom} held other values, every possible answer would have been as likely as now "
        "only within a factor of {factor}, which is hardly any protection from this answer alone.",
        "Had {whom} held other values, every possible answer would have been as likely as now "
        "only within a factor of {factor}, which is hardly any protection from this answer alone.",
        "size",
    ),
}
_ALMOST_THE_SAME = {
    True: ngettext_lazy(
        "Had {whom} been missing or been added, the possible answers would have been spread "
        "almost the same, within this amount of zero-concentrated differential privacy. "
        "Whatever anybody looks for in all answers together is at most e^ε times as likely in one "
        "of the two cases as in the other, plus a probability of δ, with the ε and δ that the "
        "owner declared.",
        "Had {whom} been missing or been added, the possible answers would have been spread "
        "almost the same, within this amount of zero-concentrated differential privacy. "
        "Whatever anybody looks for in all answers together is at most e^ε times as likely in one "
        "of the two cases as in the other, plus a probability of δ, with the ε and δ that the "
        "owner declared.",
        "size",
    ),
    False: ngettext_lazy(
        "Had {whom} held other values, the possible answers would have been spread almost the "
        "same, within this amount of zero-concentrated differential privacy. Whatever anybody "
        "looks for in all answers together is at most e^ε times as likely in one of the two cases "
        "as in the other, plus a probability of δ, with the ε and δ that the owner declared.",
        "Had {whom} held other values, the possible answers would have been spread almost the "
        "same, within this amount of zero-concentrated differential privacy. Whatever anybody "
        "looks for in all answers together is at most e^ε times as likely in one of the two cases "
        "as in the other, plus a probability of δ, with the ε and δ that the owner declared.",
        "size",
    ),
}


def guarantee_in_words(guarantee: dict[str, Any]) -> list[str]:
    """What the numbers reveal at most, in sentences that need no mathematics; nothing of what was
    computed from stored answers. What was charged for them is not in a release: `charged` says it.
    """
    given_away = guarantee.get("epsilon", guarantee.get("rho"))
    return [_change(guarantee)] if given_away else []


def _change(guarantee: dict[str, Any]) -> str:
    size, rows = guarantee["group_size"], guarantee.get("privacy_unit", "row") == "row"
    added, epsilon = guarantee["neighbouring"] == "add_remove", guarantee.get("epsilon")
    if epsilon is None:
        pattern, factor = _ALMOST_THE_SAME[added], ""
    else:
        patterns = _HARDLY_PROTECTED if hardly_protects(_nano(epsilon), PURE) else _AT_MOST
        pattern, factor = patterns[added], factor_text(_nano(epsilon), PURE)
    # The verb of some languages depends on how many they are.
    return str(pattern.format(whom=whom(size, of_rows=rows), size=size, factor=factor))


def _nano(epsilon: float) -> int:
    return int((Decimal(str(epsilon)) * NANO).to_integral_value(rounding=ROUND_CEILING))


def price(priced: dict[str, Any]) -> str:
    """The amount that a draw or a guarantee names: "ε 0.5" or "ρ 0.01"."""
    if "rho" in priced:
        return f"ρ {four_digits(priced['rho'])}"
    return f"ε {four_digits(priced['epsilon'])}"


def four_digits(value: float) -> str:
    """An amount to four digits, small ones too, rounded up, without an exponent."""
    if value <= 0:
        return "0"
    exact = Decimal(str(value))
    decimals = max(0, 3 - exact.adjusted())
    text = f"{exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_CEILING):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def joint_in_words(body: dict[str, Any]) -> str:
    """That an answer is a total of several organisations; nothing of one dataset's own."""
    joint = body.get("joint")
    return _JOINT % joint if joint else ""
