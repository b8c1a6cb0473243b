"""Declarations that are the same in every table, offered to be chosen: never read from a file."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# ISO 3166-1, alpha-2; those of UN members and observers, territories and Antarctica.
_COUNTRIES = """
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
"""


@dataclass(frozen=True, slots=True)
class Preset:
    """What a click puts into the rows that are selected: texts, as they would be typed."""

    words: "StrOrPromise"
    kind: str
    lower: str = ""
    upper: str = ""
    step: str = ""
    categories: tuple[str, ...] = ()


PRESETS = (
    Preset(_("Age, 0 to 120"), "number", "0", "120", "1"),
    Preset(_("Percent, 0 to 100"), "number", "0", "100", "1"),
    Preset(_("0 or 1"), "number", "0", "1", "1"),
    Preset(_("Year, 1900 to 2100"), "number", "1900", "2100", "1"),
    Preset(_("Likert scale, 1 to 5"), "number", "1", "5", "1"),
    Preset(_("Category: yes, no"), "category", categories=("yes", "no")),
    Preset(_("Category: ja, nein"), "category", categories=("ja", "nein")),
    Preset(_("Category: true, false"), "category", categories=("true", "false")),
    Preset(_("Category: country codes (ISO)"), "category", categories=tuple(_COUNTRIES.split())),
)
