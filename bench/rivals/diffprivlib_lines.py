"""IBM's diffprivlib: linear regression by the functional mechanism, told the same bounds."""

import numpy as np
from diffprivlib.models import LinearRegression

from bench.rivals.lines import MORE_BOUNDS, OUTCOME, Numbers, columns, measure

TABLE = columns()


def fit(predictors: tuple[str, ...], epsilon: float) -> Numbers:
    """One fit's coefficients."""
    low, high = zip(*(MORE_BOUNDS[name] for name in predictors), strict=True)
    model = LinearRegression(
        epsilon=epsilon,
        bounds_X=(np.array(low, dtype=float), np.array(high, dtype=float)),
        bounds_y=MORE_BOUNDS[OUTCOME],
    )
    model.fit(np.column_stack([TABLE[name] for name in predictors]), TABLE[OUTCOME])
    return np.concatenate([np.ravel(model.intercept_), np.ravel(model.coef_)])


if __name__ == "__main__":
    measure(fit, runs=200)
