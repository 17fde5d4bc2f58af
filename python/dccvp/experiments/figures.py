"""Figures of a run: expressions over metrics.json, with their published values, limits and verdicts.

  aggregate.goodput_gbps              path: dotted, list elements by index, as in `expect`
  queues[port=s0->h0].mean_bytes      the list element whose field has this value
  max(queues.*.mean_bytes)            max, min, mean, sum, count or a percentile (p50, p99.9) of all elements
  flows.0.goodput_gbps / flows.1.goodput_gbps     quotient of two of them
"""

import dataclasses
import difflib
import functools
import json
import re
import subprocess
import typing

from dccvp.common import quantity
from dccvp.common.columns import rows_of
from dccvp.common.ending import InputError
from dccvp.common.statistics import confidence, mean, percentile, with_interval
from dccvp.common.yaml_nodes import WHOLE_NUMBER, fail

FUNCTIONS: dict[str, typing.Callable] = {"max": max, "min": min, "sum": sum, "count": len, "mean": mean}
STEP = re.compile(r"([A-Za-z0-9_*]+)((?:\[[A-Za-z0-9_]+=[^\]]+\])?)(?:\.|$)")
NUMBER = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")
PERCENTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]+)?)")

INSIDE = "inside"
EXPLAINED = "outside, explained"  # Verdict of a figure that is outside its bounds for a reason that the plan gives.
OUTSIDE = "OUTSIDE"
MISSING = "MISSING"  # Verdict of a figure whose run failed or lacks the value.
SHOWN = "-"          # verdict on a figure that has no bounds

SCHEMA_VERSION = 1  # Version of metrics.json that these expressions are written for.

SMALL_BYTES = 10_000
TIMES = "times of flows"  # Key under which a run's metrics hold (bytes, microseconds) of every completed flow.


class Missing(Exception):
    """Error of a path that leads to no value in metrics.json; the text names the step that fails."""


@dataclasses.dataclass
class Elements:
    """A list of any length in the description of metrics.json; `one` describes an element of the list."""

    one: typing.Any


class Leaf:
    """A figure in the description of metrics.json, with its unit and type."""

    def __init__(self, row):
        self.unit = row["unit"]
        self.type = row.get("type", "")


@functools.lru_cache(maxsize=None)
def metric_rows(program):
    """Returns the rows of `dccvp metrics`: a tuple of {"path", "unit", "meaning", …}."""
    done = subprocess.run([program, "metrics", "--format", "json"], capture_output=True, encoding="utf-8", check=True)
    return tuple(json.loads(done.stdout))


def described(rows):
    """Returns the rows of `dccvp metrics` as a tree like metrics.json whose leaves are Leaf objects."""
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


def function_of(name):
    """Returns the statistics function of a name such as max or p99; None for an unknown name."""
    match = PERCENTILE.fullmatch(name)
    return functools.partial(percentile, percent=float(match[1])) if match else FUNCTIONS.get(name)


class Metric:
    """A path into metrics.json, with a function around a path that has `*`.

    `default`: the function for a path that has `*` and names no function; without a default such a path is refused.
    Errors are InputErrors at `node`."""

    def __init__(self, text, node, default=None):
        self.text, self.node = text, node
        match = re.fullmatch(r"([a-z][a-z0-9.]*)\((.*)\)", text)
        path = match[2] if match else text
        self.steps = steps_of(path, text, node)
        self.function = match[1] if match else default if "*" in self.steps else None
        if self.function and function_of(self.function) is None:
            fail(node, f"'{self.function}' is not one of {', '.join(FUNCTIONS)}, p50 (any percentile)")
        if "*" in self.steps and not self.function or "*" not in self.steps and match and default is None:
            fail(node, "'*' needs max, min, mean, sum, count or a percentile around the path, and each needs '*'")

    def found(self, tree):
        """Returns all values that the path leads to; an element that lacks a later step is left out, unless all
        elements lack the step."""
        found, missing = [tree], None
        for step in self.steps:
            reached = []
            for value in found:
                try:
                    reached += follow(value, step)
                except Missing as error:
                    missing = error
            if found and not reached and missing:
                raise missing
            found = reached
        return found

    def unit(self, description):
        """Returns the unit of the metric according to a description (`described`). Missing if the path leads to no
        figure."""
        leaves = self.found(description)
        if not leaves or not all(isinstance(leaf, Leaf) for leaf in leaves):
            raise Missing(f"'{self.text}' is a {kind(leaves[0])}, not a figure" + names(leaves[0]))
        return "" if self.function == "count" else leaves[0].unit

    def value(self, metrics):
        """Returns the value of the metric: a number, a truth value, a text, or None where the run has no value.
        Missing if the path leads nowhere."""
        found = self.found(metrics)
        if self.function:
            values = [v for v in found if isinstance(v, (int, float)) and not isinstance(v, bool)]
            if self.function == "count":
                return len(values)
            return function_of(self.function)(values) if values else None
        if isinstance(found[0], (dict, list)):
            raise Missing(f"'{self.text}' is a {kind(found[0])}, not a figure" + names(found[0]))
        return found[0]


def steps_of(path, text, node):
    """Returns the steps of a dotted path: names, indices, '*' and (field, value)."""
    steps, at = [], 0
    while at < len(path):
        step = STEP.match(path, at)
        if step is None:
            fail(node, f"'{text}' is no path into metrics.json")
        steps.append(step[1])
        if step[2]:
            steps.append(tuple(step[2][1:-1].split("=", 1)))
        at = step.end()
    if not steps or path.endswith("."):
        fail(node, f"'{text}' is no path into metrics.json")
    return steps


def kind(value):
    return "map" if isinstance(value, dict) else "list"


def names(value):
    return f" (in it: {', '.join(value)})" if isinstance(value, dict) else ""


def refuse_selector(one, field, wanted):
    """Raises Missing for [field=wanted] if the elements have no such field or the field never has the wanted value."""
    leaf = follow(one, field)[0]
    if isinstance(leaf, Leaf) and leaf.type in ("integer", "number") and not NUMBER.fullmatch(wanted):
        meant = quantity.number(wanted)
        hint = "" if meant is None else f"; write [{field}={meant:.15g}]"
        unit = f" in {leaf.unit}" if leaf.unit else ""
        raise Missing(f"no element with {field}={wanted}: {field} is a number{unit}{hint}")


def follow(value, step):
    """Returns the list of values that a step of a path leads to: one element, or with `*` any number. A step from
    null leads to null."""
    if value is None:
        return [None]
    if isinstance(value, Elements):
        if isinstance(step, tuple):
            refuse_selector(value.one, *step)
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


@functools.lru_cache(maxsize=None)
def terms_of(text, node=None):
    """Returns the Metrics of 'PATH' or 'PATH / PATH'; a path with '*' and no function means the greatest element."""
    return tuple(Metric(term, node, default="max") for term in text.split(" / ", 1))


@dataclasses.dataclass
class Figure:
    """A figure of a run with the published value and the bounds of its mean over the seeds; a bound of None does not
    apply."""

    name: str
    value: str                         # Expression whose value is the figure.
    per: float = 1.0                   # Divisor of the value (for units or for a share of a ceiling).
    published: float | None = None
    within: float | None = None        # Greatest accepted distance from the published value.
    within_share: float | None = None  # Greatest accepted distance as a fraction of the published value.
    at_most: float | None = None
    at_least: float | None = None
    source: str = ""
    why: str = ""                      # source from which the bounds follow, as text
    reason: str = ""                   # Reason why the figure lies outside its bounds.
    # Name of the run whose value, seed by seed, divides this figure; empty: no divisor.
    over: str = ""
    # Axis of the figure in a comparison's picture, linear or log; empty: the figure is not drawn.
    panel: str = ""
    sizes: tuple | None = None         # Least and greatest bytes of the flows that the figure counts.


def figure_value(metrics, figure):
    """Returns the value of a figure in a run's metrics; None if the metrics have no such number."""
    if figure.sizes is not None:
        metrics = {"sized": times_between(metrics.get(TIMES, []), *figure.sizes)}
    numbers = []
    for term in terms_of(figure.value):
        try:
            value = term.value(metrics)
        except Missing:
            return None
        if not isinstance(value, (int, float)):
            return None
        numbers.append(float(value))
    if numbers[1:] == [0]:
        return None
    return numbers[0] / (numbers[1] if numbers[1:] else 1) / figure.per


def figure_values(mine, figure, runs_above):
    """Returns the values of a figure, one for each result of a run that has the figure (a failed run has the result
    None). `runs_above`: the results of earlier runs by name, in the same order of seeds."""
    values = []
    for seed, metrics in enumerate(mine):
        value = None if metrics is None else figure_value(metrics, figure)
        if value is not None and figure.over:
            other = runs_above[figure.over][seed]
            divisor = None if other is None else figure_value(other, figure)
            value = value / divisor if divisor else None
        if value is not None:
            values.append(value)
    return values


def inside(figure, value):
    """True if the value is within every bound; NaN is within no bound."""
    return ((figure.within is None or abs(value - figure.published) <= figure.within)
            and (figure.within_share is None
                 or abs(value - figure.published) <= figure.within_share * abs(figure.published))
            and (figure.at_most is None or value <= figure.at_most)
            and (figure.at_least is None or value >= figure.at_least))


def bounded(figure):
    return any(bound is not None for bound in (figure.within, figure.within_share, figure.at_most, figure.at_least))


def judge(figure, values, seeds):
    """Returns the verdict on the mean of a figure's values; MISSING if there are fewer values than seeds."""
    if len(values) < seeds or not values:
        return MISSING
    if not bounded(figure):
        return SHOWN
    if inside(figure, mean(values)):
        return INSIDE
    return EXPLAINED if figure.reason else OUTSIDE


def accepted_text(figure):
    """Returns the published value with its tolerance, and the bounds, as tables show them."""
    text = "" if figure.published is None else f"{figure.published:.4g}"
    if figure.within is not None:
        text += f" +- {figure.within:.4g}"
    if figure.within_share is not None:
        text += f" +- {figure.within_share * 100:g} %"
    bounds = [text] if text else []
    if figure.at_most is not None:
        bounds.append(f"<= {figure.at_most:.4g}")
    if figure.at_least is not None:
        bounds.append(f">= {figure.at_least:.4g}")
    return ", ".join(bounds) or "-"


def ours_text(values, sign="±", dots="…"):
    """Returns the values of a figure as tables show them: mean, half its interval, least and greatest value; a
    single value if all are equal."""
    if not values:
        return "-"
    if min(values) == max(values):
        return f"{values[0]:.4g}"
    return f"{with_interval(mean(values), confidence(values), 4, sign)} ({min(values):.4g} {dots} {max(values):.4g})"


def times_between(rows, least, most):
    """Returns count, mean and percentiles of the completion times of flows of `least` to `most` bytes; rows:
    (bytes, microseconds)."""
    times = [time for size, time in rows if least <= size <= most]
    if not times:
        return {}
    return {"flows": len(times), "fct_us_mean": mean(times), "fct_us_p50": percentile(times, 50),
            "fct_us_p99": percentile(times, 99), "fct_us_p999": percentile(times, 99.9)}


def check_schema(metrics, file):
    """Raises InputError for metrics.json of a release whose figures have other meanings."""
    version = metrics.get("schema_version", SCHEMA_VERSION) if isinstance(metrics, dict) else SCHEMA_VERSION
    if version != SCHEMA_VERSION:
        raise InputError(f"'{file}': schema_version is {version}, this release reads {SCHEMA_VERSION}: figures may "
                         "have other meanings; use the release that wrote it, or run it again")


def results_of(folder, times=True):
    """Reads a run's metrics.json. `times` adds the completion times of flows.csv: all of them under the key TIMES,
    for figures with `bytes`, and those of flows up to 10 KB under small_flows. InputError for an unreadable file."""
    file = folder / "metrics.json"
    try:
        metrics = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"'{file}': {error}; remove it and give the same command again") from None
    check_schema(metrics, file)
    if times:
        add_times(metrics, folder)
    return metrics


def add_times(metrics, folder):
    rows = []
    try:
        for row in rows_of(folder / "flows.csv"):
            size, time = row.get("bytes"), row.get("fct_s")
            if size and time:
                rows.append((int(size), float(time) * 1e6))
    except FileNotFoundError:
        return
    if rows:
        metrics[TIMES] = rows
    small = times_between(rows, 0, SMALL_BYTES)
    if small:
        metrics["small_flows"] = small


def keeps_flows(metrics):
    """Returns False if the run with these contents of metrics.json kept no list of its flows."""
    return metrics.get("flows", []) is not None


def no_flows(metrics, purpose):
    """Returns a sentence that says that `purpose` needs the list of flows, which this run did not keep."""
    return (f"{purpose} needs the list of flows, and this run kept none (output.flows: {metrics['sketch']['flows']}); "
            "write output.flows: all and run it again")


def need_flows(metrics, folder, purpose):
    """Raises InputError if the run kept no list of its flows. `purpose` names the operation that needs the list."""
    if not keeps_flows(metrics):
        raise InputError(f"'{folder}': {no_flows(metrics, purpose)}")
