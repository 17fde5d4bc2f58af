"""Scales of values in a picture: logarithmic for values that span decades, and without stretching for a single
outlier."""

import math

from dccvp.common.statistics import percentile

MOST_RATIO = 30  # greatest ratio of two values that are shown on a linear scale
# Distance of an outlier from the middle half of the values, in interquartile ranges (Tukey's outer fence).
FAR = 3


class Scale:
    """A scale for `values`, at least one number. `logarithmic`: kind of the scale; `low`, `high`: its ends; `cut`: true
    if some values lie beyond the ends."""

    def __init__(self, values):
        values = [value for value in values if math.isfinite(value)] or [0.0]
        least, most = min(values), max(values)
        self.logarithmic = least > 0 and most > MOST_RATIO * least
        self.low, self.high = least, most
        if not self.logarithmic:
            quarter, three = percentile(values, 25), percentile(values, 75)
            far = FAR * (three - quarter)
            if far > 0:
                self.low = min(value for value in values if value >= quarter - far)
                self.high = max(value for value in values if value <= three + far)
        self.cut = (self.low, self.high) != (least, most)

    def share(self, value):
        """Returns the place of a value on the scale: 0 at the low end and below, 1 at the high end and above."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        if high <= low:
            return 0.0
        return min(max((value - low) / (high - low), 0.0), 1.0)

    def note(self):
        """Returns a remark on the scale for the reader of a picture; empty for a linear scale that holds all
        values."""
        return "logarithmic scale" if self.logarithmic else "values beyond the scale have its last colour" \
            if self.cut else ""


def reach(values, ends):
    """Returns the values and interval ends that an axis must show. An interval end that is farther from the values
    than the values are from each other is cut, since an interval from two seeds may be many times wider than the
    values' range. The result is above 0 if all values are above 0."""
    least, most = min(values), max(values)
    room = most - least or abs(most) or 1.0
    low = max(least - room, least / 2) if least > 0 else least - room
    return values + [min(max(end, low), most + room) for end in ends]


def columns_for(panels, wide=4):
    """Returns the number of columns, at most `wide`, that arranges panels as squarely as possible."""
    return max(1, min(wide, math.ceil(math.sqrt(panels))))
