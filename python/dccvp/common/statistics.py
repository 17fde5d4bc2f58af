"""Percentile and fairness as metrics.json has them, for what is computed from several runs."""

import math


def percentile(values, percent):
    """Nearest rank: the least value that at least `percent` of the values do not exceed. NaN when
    one of them is; `values` in any order, not empty."""
    if any(map(math.isnan, values)):
        return math.nan
    rank = math.ceil(percent / 100 * len(values) - 1e-9)  # 0.95 * 20 is a little over 19
    return sorted(values)[max(rank, 1) - 1]


def jain(values):
    """Jain's index of fairness: 1 when all are equal, none having anything included, 1/n when one has
    everything; None for no values."""
    if not values:
        return None
    total, squares = sum(values), sum(v * v for v in values)
    return total * total / (len(values) * squares) if squares else 1.0


def mean(values):
    return sum(values) / len(values)
