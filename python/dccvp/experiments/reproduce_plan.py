"""A published experiment: a configuration, runs of it, and the figures they should give.

NAME.figures.yml beside NAME.yaml:
  title, source: texts
  config: other.yaml             instead of NAME.yaml
  slow: false                    minutes: only when named
  runs:
    - run: name
      set: [key.path=value, …]   as -c
      figures:
        - {figure: name, value: PATH, per: 1000, over: first run, published: 20, within: 35%, at_least: 1,
           at_most: 3, source: text, reason: text}

PATH is a dotted path into metrics.json; `*` in a list takes the greatest of all its elements; a second
path after " / " divides by that. `per` divides once more (units, ceilings). `over` names a run above: its
value, seed by seed, is divided by, so the figure is a ratio of two runs. `within` is absolute, or a
share of the published value. `reason` says why a figure lies outside; without one it must not.
"""

import dataclasses
import math
import pathlib
import re

from dccvp.common.ending import InputError
from dccvp.common.yaml_nodes import described, fail, fields, file_beside, items, load, word

SUFFIX = ".figures.yml"
FIGURE_KEYS = ("figure", "value", "per", "over", "published", "within", "at_most", "at_least", "source",
               "reason")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclasses.dataclass
class Figure:
    """One figure of a run against what was published. None: no such bound."""

    name: str
    value: str
    per: float = 1.0
    published: float | None = None
    within: float | None = None
    within_share: float | None = None
    at_most: float | None = None
    at_least: float | None = None
    source: str = ""
    reason: str = ""
    over: str = ""  # a run; empty: none


@dataclasses.dataclass
class Run:
    name: str
    overrides: list
    figures: list


@dataclasses.dataclass
class Experiment:
    name: str
    config: pathlib.Path
    title: str
    source: str
    slow: bool
    runs: list


def number_in(text, node):
    if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        fail(node, f"a number is expected, not {described(node)}")
    return float(text)


def tolerance_in(text, node):
    number = number_in(text, node)
    if number < 0:
        fail(node, "a tolerance below zero")
    return number


def read_figure(node, runs_above):
    nodes = fields(node, "a figure", FIGURE_KEYS, ("figure", "value"))
    texts = {key: word(value, f"'{key}'") for key, value in nodes.items()}
    figure = Figure(texts["figure"], texts["value"], source=texts.get("source", ""),
                    reason=texts.get("reason", ""), over=texts.get("over", ""))
    if "over" in nodes and figure.over not in runs_above:
        fail(nodes["over"], f"over: no run '{figure.over}' above this one")
    for key in ("per", "published", "at_most", "at_least"):
        if key in nodes:
            setattr(figure, key, number_in(texts[key], nodes[key]))
    if figure.per == 0:
        fail(nodes["per"], "per: division by zero")
    if "within" in nodes:
        if figure.published is None:
            fail(nodes["within"], "'within' needs a 'published' value")
        text, percent, _ = texts["within"].partition("%")
        tolerance = tolerance_in(text, nodes["within"])
        if percent:
            figure.within_share = tolerance / 100
        else:
            figure.within = tolerance
    return figure


def read_run(node, runs_above):
    nodes = fields(node, "a run", ("run", "set", "figures"), ("run", "figures"))
    return Run(word(nodes["run"], "'run'"),
               [word(item, "a setting") for item in items(nodes["set"], "'set'")] if "set" in nodes else [],
               [read_figure(item, runs_above) for item in items(nodes["figures"], "'figures'")])


def read(path):
    """The experiment in NAME.figures.yml. InputError with the place."""
    name = path.name.removesuffix(SUFFIX)
    root = load(path, "an experiment")
    nodes = fields(root, "an experiment", ("title", "source", "config", "slow", "runs"), ("runs",))
    texts = {key: word(value, f"'{key}'") for key, value in nodes.items() if key != "runs"}
    slow = texts.get("slow", "false")
    if slow not in ("true", "false"):
        fail(nodes["slow"], f"'slow' is true or false, not '{slow}'")
    config = file_beside(path, nodes.get("config", root), texts.get("config", f"{name}.yaml"))
    runs = []
    for item in items(nodes["runs"], "'runs'"):
        runs.append(read_run(item, [run.name for run in runs]))
    return Experiment(name, config, texts.get("title", ""), texts.get("source", ""), slow == "true", runs)


def find(folder):
    """The files of all experiments in a folder, by name. InputError when there is none."""
    found = sorted(path for path in pathlib.Path(folder).glob("*" + SUFFIX) if path.name != SUFFIX)
    if not found:
        raise InputError(f"{folder}: no experiments (NAME{SUFFIX}) in it")
    return found
