"""Reads a sweep file (docs/sweeps.md) and expands it to points.

A point is one choice from each of `grid` (a product of axes), `list` (maps of settings), `sample` (random or Latin
hypercube) and `seeds`, as far as the file has them.
"""

import dataclasses
import fractions
import itertools
import math
import pathlib
import random

from dccvp.common import quantity
from dccvp.experiments import figures, reproduce_plan
from dccvp.common.yaml_nodes import (described, entries, fail, fields, file_beside, flow, hint, integer, items, load,
                                     seeds_of, word)

MOST_POINTS = 100_000
LIMIT_KEYS = ("published", "within", "at_most", "at_least", "reason")
KEYS = ("platform", "set", "branch_at", "grid", "list", "sample", "seeds", "metrics", "best", "limits",
        "heatmaps", "pareto")


@dataclasses.dataclass(frozen=True)
class Setting:
    """The value of a parameter, in the form of -c, and the YAML nodes that hold the value."""

    key: str
    text: str
    key_node: object
    value_node: object

    @property
    def argument(self):
        return f"{self.key}={self.text}"


@dataclasses.dataclass
class Plan:
    path: pathlib.Path
    platform: pathlib.Path
    platform_node: object
    common: list      # Settings that all points share.
    branch_at: str    # Time at which the points begin to differ; None: from the start of the run.
    axes: list        # Names of the parameters that vary, in the order of the file.
    points: list      # Lists of Settings, one for each point, without `common`.
    metrics: dict     # {name of a metric: figures.Metric}
    best: dict        # {name of a metric: "max" or "min"}
    limits: list      # List of figures.Figure, each with the name of a metric.
    heatmaps: list    # heat maps, each a map with the keys "metric", "x", "y", "by"
    pareto: list      # Pareto plots, each a map with the keys "x", "y", "by"

    def changes(self, settings):
        """Returns the settings of a point that change at `branch_at`, as a map on one line; empty without
        `branch_at`. A seed holds from the beginning of a run."""
        if self.branch_at is None:
            return ""
        return ", ".join(f"{s.key}: {s.text}" for s in settings if s.key != "seed")

    def arguments(self, settings, extra):
        """Returns the -c arguments for a point with these settings; `extra` are the -c arguments of the command
        line."""
        at_once = settings if self.branch_at is None else [s for s in settings if s.key == "seed"]
        out = [s.argument for s in self.common + at_once] + list(extra)
        late = self.changes(settings)
        return out + ([f"changes.+={{at: {self.branch_at}, set: {{{late}}}}}"] if late else [])


def settings_of(node, what):
    return [Setting(key.value, flow(value), key, value) for key, value in entries(node, what)]


def canonical(text):
    """Returns a value that is equal for texts of equal quantities, such as 1000B and 1KB."""
    return quantity.parse(text) or text


def range_of(node, what):
    """Reads a range {from, to, scale, steps}: (low, high, kind, whole, logarithmic, steps node or None)."""
    parts = fields(node, what, ("from", "to", "scale", "steps"), ("from", "to"))
    low, high = (quantity.parse(word(parts[k], f"'{k}'")) for k in ("from", "to"))
    for name, value in (("from", low), ("to", high)):
        if value is None:
            fail(parts[name], f"{described(parts[name])} is no quantity")
    if low[1] != high[1]:
        fail(parts["to"], "'from' and 'to' have units of different kinds")
    if not low[0] < high[0]:
        fail(parts["to"], "'to' is not above 'from'")
    scale = word(parts["scale"], "'scale'") if "scale" in parts else "linear"
    if scale not in ("linear", "log"):
        fail(parts["scale"], f"'{scale}' is not one of linear, log")
    if scale == "log" and low[0] == 0:
        fail(parts["from"], "a logarithmic axis cannot begin at 0")
    whole = low[1] == "" and low[0].denominator == 1 and high[0].denominator == 1
    return low[0], high[0], low[1], whole, scale == "log", parts.get("steps")


def at(low, high, logarithmic, share):
    """Returns the value at a fraction `share` (0 to 1) of the way from low to high; exact at both ends."""
    if share in (0, 1):
        return high if share else low
    if logarithmic:
        return fractions.Fraction(math.exp(math.log(low) + (math.log(high) - math.log(low)) * share))
    return low + (high - low) * fractions.Fraction(share)


def axis_of(key, node):
    """Returns the Settings of an axis of a grid, from a list of values or a range with steps."""
    what = f"axis '{key.value}'"
    if described(node) == "a map":
        low, high, kind, whole, logarithmic, steps = range_of(node, what)
        if steps is None:
            fail(node, f"'steps' is missing in {what}")
        count = integer(steps, "'steps'", 2, 10_000)
        texts = [(quantity.show(at(low, high, logarithmic, i / (count - 1)), kind, whole), node)
                 for i in range(count)]
    elif described(node) != "a list":
        fail(node, f"{what} is a list, not {described(node)}: write [value, …]; "
                   f"`dccvp params --match {key.value}` has the values")
    else:
        texts = [(flow(item), item) for item in items(node, what)]
    seen = set()
    for text, item in texts:
        if canonical(text) in seen:
            fail(item, f"{what} has {text} twice")
        seen.add(canonical(text))
    return [Setting(key.value, text, key, item) for text, item in texts]


def shuffled(count, draw):
    """Returns a random order of 0 … count - 1 (Fisher and Yates), the same with every version of Python."""
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        j = int(draw.random() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


def sample_of(node):
    """Returns the points of a sample, each a list of Settings. Random: each axis is drawn independently. Latin
    hypercube: each axis is divided into as many equal parts as there are points, and each part contains one point."""
    parts = fields(node, "sample", ("points", "method", "seed", "axes"), ("points", "axes"))
    count = integer(parts["points"], "'points'", 1, MOST_POINTS)
    method = word(parts["method"], "'method'") if "method" in parts else "latin_hypercube"
    if method not in ("random", "latin_hypercube"):
        fail(parts["method"], f"'{method}' is not one of random, latin_hypercube")
    seed = integer(parts["seed"], "'seed'", 0, 2**32) if "seed" in parts else 1
    draw = random.Random(seed)
    columns = []
    for key, value in entries(parts["axes"], "'axes'"):
        order = shuffled(count, draw) if method == "latin_hypercube" else None
        shares = [((order[i] + draw.random()) / count if order else draw.random()) for i in range(count)]
        if described(value) == "a map":
            low, high, kind, whole, logarithmic, steps = range_of(value, f"axis '{key.value}'")
            if steps is not None:
                fail(steps, "'steps' belongs to a grid; a sample has 'points'")
            texts = [quantity.show(at(low, high, logarithmic, s), kind, whole) for s in shares]
        else:
            choices = [s.text for s in axis_of(key, value)]
            texts = [choices[int(s * len(choices))] for s in shares]
        columns.append([Setting(key.value, text, key, value) for text in texts])
    if not columns:
        fail(parts["axes"], "'axes' is empty")
    points = [list(row) for row in zip(*columns)]
    # Whole numbers and short lists of choices can give equal points, which are run once.
    return list({tuple((s.key, s.text) for s in p): p for p in points}.values())


def points_of(keys, root):
    """Returns (list of points, names of the parameters that vary)."""
    factors = []
    if "grid" in root:
        axes = [axis_of(key, value) for key, value in entries(root["grid"], "grid")]
        if not axes:
            fail(root["grid"], "'grid' is empty")
        factors += [[[setting] for setting in axis] for axis in axes]
    if "list" in root:
        chosen = []
        seen = set()
        for item in items(root["list"], "'list'"):
            settings = settings_of(item, "a point")
            if not settings:
                fail(item, "a point without settings")
            name = frozenset((s.key, canonical(s.text)) for s in settings)
            if name in seen:
                fail(item, "this point is listed twice")
            seen.add(name)
            chosen.append(settings)
        factors.append(chosen)
    if "sample" in root:
        factors.append(sample_of(root["sample"]))
    if "seeds" in root:
        node = root["seeds"]
        factors.append([[Setting("seed", str(seed), keys["seeds"], node)]
                        for seed in seeds_of(word(node, "'seeds'"), node, MOST_POINTS)])
    if not factors:
        fail(keys["platform"], "nothing varies: a sweep has 'grid', 'list', 'sample' or 'seeds'")
    if math.prod(len(f) for f in factors) > MOST_POINTS:
        fail(keys["platform"], f"more than {MOST_POINTS} points")
    varied_by = {}
    for number, factor in enumerate(factors):
        for choice in factor:
            for setting in choice:
                if varied_by.setdefault(setting.key, number) != number:
                    fail(setting.key_node, f"'{setting.key}' varies twice")
    points = [[s for choice in choices for s in choice] for choices in itertools.product(*factors)]
    return points, list(varied_by)


def named(node, what, known):
    name = word(node, what)
    if name not in known:
        fail(node, f"unknown {what} '{name}'{hint(name, known)}")
    return name


def plots_of(root, key, kinds, known, best):
    """Reads the plots under `key`; `kinds`: {key of a plot: "metric" or "parameter"}, beside `by`, a parameter.
    InputError for a metric that is not in `best`."""
    out = []
    for item in items(root[key], f"'{key}'") if key in root else []:
        parts = fields(item, "a heat map" if key == "heatmaps" else "a Pareto plot", (*kinds, "by"), tuple(kinds))
        out.append({k: named(parts[k], kind, known[kind]) for k, kind in {**kinds, "by": "parameter"}.items()
                    if k in parts})
        for k, kind in kinds.items():
            if kind == "metric" and out[-1][k] not in best:
                fail(parts[k], f"'{out[-1][k]}' is not in 'best': which way is better?")
    return out


def limits_of(node, metrics):
    """Reads the bounds of the means over the seeds: Figures whose value is the name of a metric."""
    out = []
    for item in items(node, "'limits'"):
        parts = fields(item, "a limit", ("metric", *LIMIT_KEYS), ("metric",))
        metric = named(parts.pop("metric"), "metric", metrics)
        texts = {key: word(value, f"'{key}'") for key, value in parts.items()}
        limit = figures.Figure(metric, metric, reason=texts.get("reason", ""))
        out.append(reproduce_plan.bounds_in(limit, parts, texts))
        if not figures.bounded(limit):
            fail(item, "a limit without 'within', 'at_most' or 'at_least'")
    return out


def read(path):
    """Returns the plan of a sweep file; InputError with the place. Does not check whether the platform accepts the
    points."""
    path = pathlib.Path(path)
    node = load(path, "a sweep")
    root = fields(node, "a sweep", KEYS, ("platform", "metrics"))
    keys = {key.value: key for key, _ in node.value}
    platform = file_beside(path, root["platform"], word(root["platform"], "'platform'"))
    points, axes = points_of(keys, root)
    common = settings_of(root["set"], "'set'") if "set" in root else []
    for setting in common:
        if setting.key in axes:
            fail(setting.key_node, f"'{setting.key}' varies; it cannot be set as well")
    metrics = {}
    for key, value in entries(root["metrics"], "'metrics'"):
        if key.value in axes or key.value in ("point", "id", "status"):
            fail(key, f"the name '{key.value}' is taken")
        metrics[key.value] = figures.Metric(word(value, "a metric"), value)
    if not metrics:
        fail(root["metrics"], "'metrics' is empty")
    best = {}
    for key, value in entries(root["best"], "'best'") if "best" in root else []:
        named(key, "metric", metrics)
        if word(value, "'best'") not in ("max", "min"):
            fail(value, f"'{value.value}' is not one of max, min")
        best[key.value] = value.value
    # no axis for seeds, because plots show the means over the seeds
    known = {"metric": metrics, "parameter": [axis for axis in axes if axis != "seed"]}
    heatmaps = plots_of(root, "heatmaps", {"metric": "metric", "x": "parameter", "y": "parameter"}, known, metrics)
    pareto = plots_of(root, "pareto", {"x": "metric", "y": "metric"}, known, best)
    limits = limits_of(root["limits"], metrics) if "limits" in root else []
    branch_at = word(root["branch_at"], "'branch_at'") if "branch_at" in root else None
    if branch_at is not None and (quantity.parse(branch_at) or (0, ""))[1] != "time":
        fail(root["branch_at"], f"{described(root['branch_at'])} is no time")
    return Plan(path, platform, root["platform"], common, branch_at, axes, points, metrics, best, limits,
                heatmaps, pareto)
