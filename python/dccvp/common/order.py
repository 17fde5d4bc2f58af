"""Orders the values on an axis of a sweep's picture."""

from dccvp.common import quantity


def ordered(values):
    """Returns the distinct values: quantities sorted by size, words in the order of their first appearance."""
    values = list(dict.fromkeys(values))
    numbers = [quantity.number(v) for v in values]
    if all(n is not None for n in numbers):
        return [v for _, v in sorted(zip(numbers, values))]
    return values
