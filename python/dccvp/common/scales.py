"""The scale of values in a picture: logarithmic where they span decades, and not owned by an outlier."""

import math

from dccvp.common.statistics import percentile

MOST_RATIO = 30  # greatest ratio of two values that are shown on a linear scale
FAR = 3          # heights of the middle half beyond which a value is an outlier (Tukey's outer fence)


class Scale:
    """A scale for `values`, numbers of which at least one is there. `logarithmic`; `low`, `high`: its ends; `cut`: true
    if values lie beyond them."""

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
        """The place of a value on the scale: 0 at its low end and below, 1 at its high end and above."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        if high <= low:
            return 0.0
        return min(max((value - low) / (high - low), 0.0), 1.0)

    def note(self):
        """Remark for the reader of a picture about its scale; empty for a linear scale that holds all values."""
        return "logarithmic scale" if self.logarithmic else "values beyond the scale have its last colour" \
            if self.cut else ""


def reach(values, ends):
    """The values and the ends of their intervals as far as an axis shows them: no further beyond the values than
    these are apart, since two seeds may have an interval of many times that, and above 0 where all values are."""
    least, most = min(values), max(values)
    room = most - least or abs(most) or 1.0
    low = max(least - room, least / 2) if least > 0 else least - room
    return values + [min(max(end, low), most + room) for end in ends]


def columns_for(panels, wide=4):
    """The number of columns in which panels stand: as square as possible, at most `wide`."""
    return max(1, min(wide, math.ceil(math.sqrt(panels))))
