"""Parses quantities as in the platform's YAML: 100Gbps, 55us, 5KB, 1/256, 1.5%."""

import fractions
import re

# {kind: {unit: factor}}. The first unit of a kind is its smallest unit, in which values are stored.
UNITS: dict[str, dict[str, fractions.Fraction | int]] = {
    "time": {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12},
    "rate": {"bps": 1, "kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9, "Tbps": 10**12},
    "size": {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30},
    "clock": {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9},
    "share": {"%": fractions.Fraction(1, 100)},
}
PATTERN = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:/([0-9]+))?([A-Za-z%]*)")
LONGEST = 64  # Greatest number of characters of a quantity.


def parse(text):
    """Parses a quantity; returns (exact value in the smallest unit of its kind, kind); kind '' for a plain number;
    None for any other text."""
    text = str(text)
    match = PATTERN.fullmatch(text) if len(text) <= LONGEST else None
    if match is None or (match[2] and int(match[2]) == 0):
        return None
    value = fractions.Fraction(match[1]) / int(match[2] or 1)
    if not match[3]:
        return value, ""
    for kind, units in UNITS.items():
        if match[3] in units and not match[2]:
            return value * units[match[3]], kind if kind != "share" else ""
    return None


def number(text):
    """Returns a quantity as a float in s, bit/s, bytes or Hz, or a plain number; None for any other text."""
    parsed = parse(text)
    if parsed is None:
        return None
    value, kind = parsed
    return float(value / 10**12 if kind == "time" else value)


def show(value, kind, whole):
    """Returns the text of a value with four significant digits; a whole number if the value has a unit, or if
    `whole` is true."""
    digits = 4 - len(str(int(value))) if value >= 1 else 4
    if kind or whole:
        digits = min(digits, 0)
    rounded = round(fractions.Fraction(value), digits)
    smallest = next(iter(UNITS[kind])) if kind else ""
    text = f"{float(rounded):.10f}".rstrip("0").rstrip(".") if not (kind or whole) else str(int(rounded))
    return text + smallest


def ordered(values):
    """Returns the distinct values, for an axis: quantities sorted by size, words in the order of their first
    appearance."""
    values = list(dict.fromkeys(values))
    numbers = [number(v) for v in values]
    if all(n is not None for n in numbers):
        return [v for _, v in sorted(zip(numbers, values))]
    return values
