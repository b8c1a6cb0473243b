"""What a word is called where another one leads to it."""

from django.utils.translation import gettext_noop as _

LINKS = {
    "epsilon": "ε",
    "delta": "δ",
    "rho": "ρ",
    "accuracy": _("accuracy"),
    "allocation": _("allocation"),
    "attacker": _("attacker"),
    "averaging-attack": _("averaging attack"),
    "bounds": _("bounds"),
    "budget": _("budget"),
    "categories": _("categories"),
    "charge": _("charge"),
    "composition": _("composition"),
    "differencing": _("differencing"),
    "domain": _("domain"),
    "group-size": _("group size"),
    "limit": _("limit"),
    "mechanism": _("mechanism"),
    "neighbouring-relation": _("neighbouring relation"),
    "noise": _("noise"),
    "noise-scale": _("noise scale"),
    "odds": _("odds"),
    "post-processing": _("post processing"),
    "privacy-unit": _("privacy unit"),
    "release": _("release"),
    "remaining": _("remaining"),
    "reservation": _("reservation"),
    "sensitivity": _("sensitivity"),
    "step": _("step"),
}
