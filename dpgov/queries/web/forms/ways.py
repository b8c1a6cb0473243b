"""How a quote shows the ways in which a set of tables can be drawn, and what each would take."""

from typing import Any

from django.utils.translation import gettext as _

from dpgov.language.translation import translated
from dpgov.privacy.answer.adaptively import Adaptively
from dpgov.privacy.answer.covers import Cover, CoverOption
from dpgov.queries.asking.quote import Quote
from dpgov.queries.asking.work import work_of
from dpgov.queries.wording.numbers import readable

_Drawn = Cover | Adaptively | None


def ways_shown(cover: _Drawn) -> list[dict[str, Any]]:
    """Each method as the quote shows it."""
    return [] if cover is None else [_way(way, cover) for way in cover.ways]


def _way(way: CoverOption, cover: Cover | Adaptively) -> dict[str, Any]:
    return {
        "name": _(way.method.words),
        "tables": len(way.drawn),
        "cells": way.cells,
        "error": "" if way.rmse is None else _error(way.rmse),
        "reason": translated(way.reason),
        "chosen": isinstance(cover, Cover) and way is cover.chosen,
    }


def adaptive_shown(cover: _Drawn) -> dict[str, Any] | None:
    """What can be said of adaptive rounds beforehand; None of fixed tables."""
    if not isinstance(cover, Adaptively):
        return None
    best = cover.best
    return {
        "name": _(cover.method.words),
        "rounds": cover.rounds,
        "candidates": len(cover.asked),
        "error": _error(cover.each),
        "fixed": "" if best is None else _error(best.rmse or 0.0),
        "method": "" if best is None else _(best.method.words),
    }


def answers_shown(cover: _Drawn) -> list[dict[str, Any]]:
    """Each asked table with its error, and that of a separate answer; none where it depends on
    what is chosen.
    """
    if not isinstance(cover, Cover):
        return []
    return [
        {
            "columns": " × ".join(answer["columns"]),
            "error": _error(answer["rmse"]),
            "separate": "" if answer["separate_rmse"] is None else _error(answer["separate_rmse"]),
        }
        for answer in cover.as_json()["answers"]
    ]


def work_shown(quote: Quote | None) -> list[str]:
    """How long it takes and how much memory, in sentences; nothing without a price."""
    if quote is None or quote.cover is None:
        return []
    work = work_of(quote.cover, [one.blueprint for one in quote.questions])
    seconds = readable(_three_digits(work.answers_seconds))
    told = [_("All are answered within {seconds} s if nobody else asks.").format(seconds=seconds)]
    if work.fits is not None:
        fits = _("The fits between the rounds take at most {seconds} s of it and {megabytes} MB.")
        within = readable(work.fits.seconds)
        told.append(fits.format(seconds=within, megabytes=work.fits.megabytes))
    if work.rows is None:
        cells = _("The table of all columns has too many cells for synthetic rows.")
        return [*told, cells]
    needs = _("Synthetic rows take at most {seconds} s and {megabytes} MB.")
    seconds = readable(work.rows.seconds)
    return [*told, needs.format(seconds=seconds, megabytes=work.rows.megabytes)]


def _error(error: float) -> str:
    """Three digits; where noise is nearly never there, a thousandth of a row, never none."""
    return readable(max(0.001, _three_digits(error)))


def _three_digits(error: float) -> float:
    return float(f"{error:.3g}")
