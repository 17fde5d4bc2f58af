"""Reads dumps of network card parameters: lines such as NAME: VALUE, NAME=VALUE, PATH/NAME:VALUE or NAME VALUE."""

import re

from dccvp.importers.source import Word, quoted

# A name and its value, with an optional path before the name. The forms are those of `grep . *` and `cat` in sysfs,
# `mlxconfig` (which writes a value after its name, as in True(1)), `options` lines of modprobe.d, and `mlxreg`.
PAIR = re.compile(r"(?P<path>\S*/)?(?P<name>[A-Za-z_][\w.]*)(?:\s*[:=|]\s*|\s+)"
                  r"(?:[A-Za-z_]\w*\()?(?P<value>-?(?:0[xX][0-9a-fA-F]+|[0-9]+)|[YN])\b")

COLUMNS = re.compile(r"\)?\s+(?:[A-Za-z_]\w*\()?(-?(?:0[xX][0-9a-fA-F]+|[0-9]+))\)?"
                     r"\s+(?:[A-Za-z_]\w*\()?-?(?:0[xX][0-9a-fA-F]+|[0-9]+)\)?\s*$")


def pairs(source):
    """Returns [(path, name, value, Word of the value)] of all lines with a parameter, and (offset, line) of the
    lines without one."""
    found, others = [], []
    for at, line in source.lines():
        text = line.split("#")[0].strip()
        if not text:
            continue
        matches = list(PAIR.finditer(line.split("#")[0]))
        if not matches:
            others.append((at, line.strip()))
            continue
        for match in matches:
            value = match["value"]
            columns = COLUMNS.match(line.split("#")[0], match.end())
            # mlxconfig -e writes three columns: the default, the current value and the value of the next boot
            if columns:
                value = columns[1]
            # The kernel writes boolean module parameters as Y and N.
            number = "NY".index(value) if value in "NY" else int(value, 16 if "x" in value.lower() else 10)
            found.append((match["path"] or "", match["name"], number, Word(value, at + match.start("value"))))
    return found, others


def within(source, word, name, number, least, most):
    """Returns the number; InputError outside least … most."""
    if not least <= number <= most:
        source.fail(word, f"{name} is {least} to {most}, not {quoted(word.text)}")
    return number


def known(source, canonical):
    """Returns {canonical name: (value, Word)} of the parameters of a dump. `canonical`: function from (path, name)
    to the canonical name, None for a word that is no parameter. Also returns the unknown words, the lines without a
    number, and the names with several values (the first value counts). InputError for a parameter without a number."""
    found, unknown, several = {}, [], set()
    numbers, others = pairs(source)
    for path, name, value, word in numbers:
        ours = canonical(path, name)
        if ours is None:
            unknown.append(name)
        elif ours in found and found[ours][0] != value:
            several.add(ours)
        else:
            found.setdefault(ours, (value, word))
    lines = []
    for at, line in others:
        for word in re.split(r"[\s:=|]+", line):
            path, _, name = word.rpartition("/")
            if canonical(path + "/" if path else "", name) is not None:
                source.fail(at, f"{name} without a number: {quoted(line)}")
        lines.append((at, line))
    return found, unknown, lines, sorted(several)
