"""Cumulative counts along two columns: the product of a strategy of each.

F(x, y) are the rows at most x and at most y. What is drawn is the Kronecker product of two
matrices of whole numbers: for each sum of the one column and each of the other the rows that are
in both, by the product of both weights. Each column of the product is the product of two columns,
so that the largest in L1, and in L2, are exactly the products of the largest; weights and variances
are products, too (Li, Miklau, Hay, McGregor and Rastogi, The matrix mechanism, 2015; McKenna,
Miklau, Hay and Machanavajjhala, Optimizing error of high-dimensional statistical queries, 2018).
The product itself is never written out: both matrices are put to work one after the other.

A product is looked at by its mean variance over all rectangles, which is what it is asked for.
All of it is a function of the numbers of bins.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from dpgov.language.said import pattern
from dpgov.privacy.mechanisms.strategies import (
    BINS,
    ROOTED,
    SQUARE_ROOT,
    Strategy,
    strategies,
)
from dpgov.privacy.mechanisms.trees import Integers
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.noise.sensitivity import Sensitivity

# What the sums are called in quotes and releases.
PRODUCTS = pattern("rows of products of sums")
# Up to here a sum in steps of both lattices, 2**53 of them, is the same number as a float.
_MOST_ROWS = 2**53 // ROOTED**2


@dataclass(frozen=True, slots=True)
class Product:
    """Of the strategies of two columns; cells and sums lie in rows, the second column's within."""

    first: Strategy
    second: Strategy

    @property
    def bins(self) -> int:
        """Cells of both columns."""
        return self.first.bins * self.second.bins

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.first.name} by {self.second.name}"

    @property
    def reading(self) -> str:
        """What its sums are called in quotes and releases."""
        plain = not (self.first.branching or self.second.branching)
        return BINS if plain else PRODUCTS

    @property
    def unit(self) -> Fraction:
        """What part of a row a step of its sums is."""
        return self.first.unit * self.second.unit

    @property
    def sums(self) -> Integers:
        """The matrix written out: of few bins, for whoever wants to look at it."""
        return np.kron(self.first.sums, self.second.sums)

    @property
    def heaviest(self) -> int:
        """The largest weight of a cell in a sum."""
        return self.first.heaviest * self.second.heaviest

    @property
    def width(self) -> int:
        """How many sums are drawn."""
        return self.first.width * self.second.width

    @property
    def reach(self) -> Sensitivity:
        """How far one row moves the sums: by the largest column of each."""
        one, other = self.first.reach, self.second.reach
        return Sensitivity(one.l1 * other.l1, one.l2_squared * other.l2_squared)

    @property
    def variances(self) -> Floats:
        """Of each cumulative count, for noise of variance one in each sum."""
        return _each(self.first.variances, self.second.variances)

    @property
    def largest(self) -> Floats:
        """The largest weight of each cumulative count, by size."""
        return _each(self.first.largest, self.second.largest)

    @property
    def most_exact_bin(self) -> Floats:
        """Which combination of the sums is the cell that has the least noise."""
        return _each(self.first.most_exact_bin, self.second.most_exact_bin)

    @property
    def usual(self) -> float:
        """What is to be small: the mean of the variances of all rectangles."""
        return self.first.of_ranges * self.second.of_ranges

    def weights_of(self, count: int) -> Floats:
        """Those of one cumulative count."""
        place, within = divmod(count, self.second.bins)
        return _each(self.first.weights[place], self.second.weights[within])

    def drawn_of(self, rows: Integers) -> Integers:
        """The exact sums, of a line of cells for each cell of the other groupings."""
        cells = rows.reshape(-1, self.first.bins, self.second.bins)
        found: Integers = self.first.sums @ cells @ self.second.sums.T
        return found.reshape(len(cells), -1)

    def made_of(self, noisy: Floats) -> Floats:
        """The cumulative counts, of a line of sums for each of these cells."""
        sums = noisy.reshape(-1, self.first.width, self.second.width)
        found: Floats = self.first.weights @ sums @ self.second.weights.T
        return found.reshape(len(sums), -1)

    def adding(self, chosen: Floats) -> Floats:
        """The weights of sums of cells; a line for each, with a one for each cell that is in it."""
        cells = chosen.reshape(-1, self.first.bins, self.second.bins)
        found: Floats = self.first.of_bins.T @ cells @ self.second.of_bins
        return found.reshape(len(cells), -1)


def products(first: int, second: int, *, max_rows: int) -> Iterator[Product]:
    """All that are looked at for so many bins of both; `max_rows` is a public bound of rows.

    Of trees the best for each of both noises.
    """
    for one, other in product(_few(first, max_rows), _few(second, max_rows)):
        yield Product(one, other)


def _few(bins: int, max_rows: int) -> list[Strategy]:
    found = list(strategies(bins, max_rows=max_rows))
    plain = [one for one in found if one.branching == 0]
    root = [one for one in found if one.branching == SQUARE_ROOT and max_rows <= _MOST_ROWS]
    trees = [one for one in found if one.branching > SQUARE_ROOT]
    if not trees:
        return plain + root
    pure = min(trees, key=lambda one: one.reach.l1**2 * one.of_ranges)
    zcdp = min(trees, key=lambda one: one.reach.l2_squared * one.of_ranges)
    return [*plain, *root, *dict.fromkeys((pure, zcdp))]


def _each(first: Floats, second: Floats) -> Floats:
    """The products of all pairs, in the order of the cells."""
    found: Floats = np.outer(first, second).ravel()
    return found
