"""IBM's diffprivlib: logistic regression by objective perturbation, told the same bounds.

It takes rows of a bounded length: columns are counted from the middle of their bounds in units of
half their range, as ours are.
"""

import numpy as np
from diffprivlib.models import LogisticRegression

from bench.rivals.logits import BOUNDS, OUTCOME, Numbers, columns, measure

TABLE = columns()


def fit(predictors: tuple[str, ...], epsilon: float) -> Numbers:
    """One fit's coefficients, in units of the columns."""
    middles = np.array([sum(BOUNDS[name]) / 2 for name in predictors])
    halves = np.array([(BOUNDS[name][1] - BOUNDS[name][0]) / 2 for name in predictors])
    rows = (np.column_stack([TABLE[name] for name in predictors]) - middles) / halves
    norm = float(np.sqrt(len(predictors)))
    model = LogisticRegression(epsilon=epsilon, data_norm=norm, max_iter=500)
    model.fit(rows, TABLE[OUTCOME])
    slopes = np.ravel(model.coef_) / halves
    return np.concatenate([np.ravel(model.intercept_) - slopes @ middles, slopes])


if __name__ == "__main__":
    measure(fit, runs=30)
