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


# Student's t, 97.5 %, for 1 to 30 degrees of freedom.
T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
         2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


def confidence(values):
    """Half of the 95 % confidence interval of the mean, of independent values as of several seeds, by Student's
    t; None for fewer than two."""
    count = len(values)
    if count < 2:
        return None
    free = count - 1
    z = 1.959964
    beyond = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    t = T_975[free - 1] if free <= len(T_975) else beyond
    middle = mean(values)
    return t * math.sqrt(sum((v - middle) ** 2 for v in values) / free / count)
