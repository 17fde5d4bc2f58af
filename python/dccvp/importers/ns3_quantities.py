"""Reads rates and times as ns-3 writes them."""

import fractions
import re

from dccvp.importers.network import rate_text, time_text
from dccvp.importers.source import exact, quoted

RATE_UNITS = {"": 1, "bps": 1, "b/s": 1, "Bps": 8, "B/s": 8}
for _prefix, _factor in (("k", 10**3), ("K", 10**3), ("M", 10**6), ("G", 10**9), ("T", 10**12),
                         ("Ki", 2**10), ("Mi", 2**20), ("Gi", 2**30)):
    for _unit, _bits in (("bps", 1), ("b/s", 1), ("Bps", 8), ("B/s", 8)):
        RATE_UNITS[_prefix + _unit] = _factor * _bits
TIME_UNITS = {"": 10**12, "s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1,
              "fs": fractions.Fraction(1, 1000)}
LEAST_RATE, MOST_RATE, MOST_DELAY = 10**6, 10**13, 10**12


def _value(word, units):
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([A-Za-z/]*)", word.text)
    if match is None or match[2] not in units:
        return None
    number = exact(match[1])
    return None if number is None else number * units[match[2]]


def rate(source, word, what="a rate", least=LEAST_RATE):
    """Returns a DataRate of ns-3 in bit/s; InputError for any other word, and for a rate that no link of the
    platform can have."""
    value = _value(word, RATE_UNITS)
    if value is None:
        source.fail(word, f"expected {what} such as 25Gbps, not {quoted(word.text)}")
    if not least <= value <= MOST_RATE:
        source.fail(word, f"{what} of {quoted(word.text)}: the platform takes {rate_text(least)} to 10000Gbps")
    return round(value)


def delay(source, word, what="a delay"):
    """Returns a Time of ns-3 in ps, rounded; InputError for any other word."""
    value = _value(word, TIME_UNITS)
    if value is None:
        source.fail(word, f"expected {what} such as 1us, not {quoted(word.text)}")
    if value > MOST_DELAY:
        source.fail(word, f"{what} of {quoted(word.text)}: the platform takes 0 to {time_text(MOST_DELAY)}")
    return round(value)
