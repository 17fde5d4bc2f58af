"""Percentile and fairness as metrics.json defines them, and confidence intervals over independent runs."""

import math
import random


def percentile(values, percent):
    """Returns the percentile by nearest rank: the least value that at least `percent` of the values do not exceed.
    NaN if one of the values is NaN; `values` in any order, not empty."""
    if any(map(math.isnan, values)):
        return math.nan
    # 1e-9 absorbs floating-point error: 0.95 * 20 is slightly above 19.
    rank = math.ceil(percent / 100 * len(values) - 1e-9)
    return sorted(values)[max(rank, 1) - 1]


def jain(values):
    """Returns Jain's index of fairness: 1 if all values are equal (also if all are 0), 1/n if all but one are 0;
    None for no values."""
    if not values:
        return None
    total, squares = sum(values), sum(v * v for v in values)
    return total * total / (len(values) * squares) if squares else 1.0


def mean(values):
    return sum(values) / len(values)


# Student's t for 97.5 %, for 1 to 30 degrees of freedom.
T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
         2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
RESAMPLES = 1000
LEAST_RESAMPLED = 5  # least number of values for a useful bootstrap interval


def confidence(values):
    """Returns half the width of the 95 % confidence interval of the mean, by Student's t, for independent values
    (one for each seed); None for fewer than two values."""
    count = len(values)
    if count < 2:
        return None
    free = count - 1
    z = 1.959964
    beyond = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    t = T_975[free - 1] if free <= len(T_975) else beyond
    middle = mean(values)
    return t * math.sqrt(sum((v - middle) ** 2 for v in values) / free / count)


def bootstrap(values, statistic):
    """Returns (low, high) of the 95 % bootstrap interval of a statistic of independent values, the same at every
    call; None for fewer than LEAST_RESAMPLED values."""
    if len(values) < LEAST_RESAMPLED:
        return None
    draw = random.Random(1)
    found = sorted(statistic([values[int(draw.random() * len(values))] for _ in values]) for _ in range(RESAMPLES))
    return percentile(found, 2.5), percentile(found, 97.5)


# Below this number of values a bootstrap interval of a mean is too narrow, and Student's t is used.
LEAST_FOR_BOOTSTRAP = 10


def interval(values):
    """Returns (low, high) of the 95 % confidence interval of the mean of independent values: by bootstrap, which
    follows a skewed distribution, or with few values by Student's t; None for fewer than two values."""
    if len(values) >= LEAST_FOR_BOOTSTRAP:
        return bootstrap(values, mean)
    half = confidence(values)
    return None if half is None else (mean(values) - half, mean(values) + half)


def with_interval(value, half, digits=6, sign="±"):
    """Formats a mean and half the width of its interval, with as many digits as the interval justifies. Without an
    interval (None, 0 or NaN) only the mean is formatted, with `digits` significant digits."""
    # a half width below 1e-6 of the value comes from rounding only
    if not half or not math.isfinite(half) or half < 1e-6 * abs(value):
        return f"{value:.{digits}g}"
    places = max(0, 1 - math.floor(math.log10(half))) if half > 0 else 0  # two significant digits of the half width
    if places > 9 or half >= 1e9:
        return f"{value:.{digits}g} {sign} {half:.2g}"
    return f"{value:.{places}f} {sign} {half:.{places}f}"
