"""Figures out of a metrics.json by path.

  aggregate.goodput_gbps            dotted, list elements by index, as in `expect`
  queues[port=s0->h0].mean_bytes    the element whose field has this value
  max(queues.*.mean_bytes)          max, min, mean, sum or count of all elements
"""

import difflib
import functools
import json
import re
import subprocess
import typing

from dccvp.common.statistics import mean
from dccvp.common.yaml_nodes import WHOLE_NUMBER, fail

FUNCTIONS: dict[str, typing.Callable] = {"max": max, "min": min, "sum": sum, "count": len, "mean": mean}
STEP = re.compile(r"([A-Za-z0-9_*]+)((?:\[[A-Za-z0-9_]+=[^\]]+\])?)(?:\.|$)")


class Missing(Exception):
    """The path leads nowhere; the text says where it ends."""


class Elements:
    """In a description: a list of any number of elements, each described by `one`."""

    def __init__(self, one):
        self.one = one


@functools.lru_cache(maxsize=None)
def metric_rows(program):
    """What a program says its figures are: a tuple of {"path", "unit", "meaning", …}."""
    done = subprocess.run([program, "metrics", "--format", "json"], capture_output=True, encoding="utf-8",
                          check=True)
    return tuple(json.loads(done.stdout))


def described(rows):
    """metric_rows as a document like metrics.json, in which a figure is
    its row: a path that has a value there is the path of a figure."""
    def nested(paths):
        if "" in paths:
            return paths[""]
        parts = {}
        for path, row in paths.items():
            head, _, rest = path.partition(".")
            parts.setdefault(head, {})[rest] = row
        if set(parts) == {"N"}:
            return Elements(nested(parts["N"]))
        return {head: nested(part) for head, part in parts.items()}

    return nested({row["path"]: Leaf(row) for row in rows})


class Leaf:
    """A figure that is described: its unit, as `dccvp metrics` says it."""

    def __init__(self, row):
        self.unit = row["unit"]


class Metric:
    def __init__(self, text, node):
        self.text = text
        self.node = node
        match = re.fullmatch(r"([a-z]+)\((.*)\)", text)
        self.function = match[1] if match else None
        if match and self.function not in FUNCTIONS:
            fail(node, f"'{self.function}' is not one of {', '.join(FUNCTIONS)}")
        path = match[2] if match else text
        self.steps = []
        at = 0
        while at < len(path):
            step = STEP.match(path, at)
            if step is None:
                fail(node, f"'{text}' is no path into metrics.json")
            self.steps.append(step[1])
            if step[2]:
                self.steps.append(tuple(step[2][1:-1].split("=", 1)))
            at = step.end()
        if not self.steps or path.endswith("."):
            fail(node, f"'{text}' is no path into metrics.json")
        if ("*" in self.steps) != (self.function is not None):
            fail(node, "'*' needs max, min, mean, sum or count around the path, and they need it")

    def found(self, metrics):
        found = [metrics]
        for step in self.steps:
            found = [inner for outer in found for inner in follow(outer, step)]
        return found

    def unit(self, description):
        """The unit that `described` tells. Throws Missing for the path of no figure."""
        leaves = self.found(description)
        if not all(isinstance(leaf, Leaf) for leaf in leaves):
            raise Missing(f"'{self.text}' is a {kind(leaves[0])}, not a figure" + names(leaves[0]))
        return "" if self.function == "count" else leaves[0].unit

    def value(self, metrics):
        """A number, a truth value, a text, or None where the run has none. Throws Missing."""
        found = self.found(metrics)
        if self.function:
            values = [v for v in found if isinstance(v, (int, float)) and not isinstance(v, bool)]
            if self.function == "count":
                return len(values)
            return FUNCTIONS[self.function](values) if values else None
        if isinstance(found[0], (dict, list)):
            raise Missing(f"'{self.text}' is a {kind(found[0])}, not a figure" + names(found[0]))
        return found[0]


def kind(value):
    return "map" if isinstance(value, dict) else "list"


def names(value):
    return f" (in it: {', '.join(value)})" if isinstance(value, dict) else ""


def follow(value, step):
    """What a step leads to: one element, or with `*` any number. Null holds nothing but null."""
    if value is None:
        return [None]
    if isinstance(value, Elements):
        if isinstance(step, tuple):
            follow(value.one, step[0])  # such a field is there
        elif step != "*" and not WHOLE_NUMBER.fullmatch(step):
            raise Missing(f"'{step}' is no index into a list")
        return [value.one]
    if step == "*":
        if isinstance(value, dict):
            return list(value.values())
        if isinstance(value, list):
            return value
        raise Missing("'*' stands for elements, and there are none")
    if isinstance(step, tuple):
        field, wanted = step
        for item in value if isinstance(value, list) else []:
            if isinstance(item, dict) and str(item.get(field)) == wanted:
                return [item]
        raise Missing(f"no element with {field}={wanted}")
    if isinstance(value, list):
        if not WHOLE_NUMBER.fullmatch(step):
            raise Missing(f"'{step}' is no index into a list")
        if int(step) >= len(value):
            raise Missing(f"a list of {len(value)} has no index {step}")
        return [value[int(step)]]
    if not isinstance(value, dict):
        raise Missing(f"a single value has no '{step}'")
    if step not in value:
        near = difflib.get_close_matches(step, list(value), 1)
        raise Missing(f"no '{step}'" + (f"; did you mean '{near[0]}'?" if near else names(value)))
    return [value[step]]
